"""The objects that the role content is given."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_homes import panel_content_homes
from ansible_collections.hosting.panel.plugins.filter.panel_content_known_hosts import (
    panel_content_known_hosts,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_objects import (
    panel_content_objects,
)

TREE = {"from": "/home/users/acme/www", "owner": "acme"}
OBJECTS = {
    "trees": [{**TREE, "to": "~/www"}],
    "mailboxes": [{"from": "info@acme.example"}],
    "databases": [{"from": "acme_db1", "to": "new_db1", "definer": "new_db1@localhost"}],
}
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIN3vT0example"


def _mistakes(objects: Any) -> str:
    return " ".join(panel_content_objects(objects, "content_objects")["mistakes"])


@pytest.mark.parametrize(
    "form",
    [OBJECTS, json.dumps(OBJECTS), f"# YAML\n{json.dumps(OBJECTS)}"],
    ids=["a variable", "JSON", "YAML"],
)
def test_a_target_has_the_name_of_the_source_where_none_is_given(form: Any) -> None:
    read = panel_content_objects(form, "content_objects")

    assert read["mistakes"] == []
    assert [(entry["kind"], entry["from"], entry["to"]) for entry in read["objects"]] == [
        ("tree", "/home/users/acme/www", "~/www"),
        ("mailbox", "info@acme.example", "info@acme.example"),
        ("database", "acme_db1", "new_db1"),
    ]


def test_a_mark_of_a_template_is_taken_away() -> None:
    text = json.dumps({"trees": [{**TREE, "from": {"__ansible_unsafe": "/www/{{ x }}"}}]})

    (entry,) = panel_content_objects(text, "content_objects_file")["objects"]

    assert entry["from"] == "/www/{{ x }}"


@pytest.mark.parametrize(
    ("objects", "mistake"),
    [
        ({}, "it names no trees, mailboxes or databases"),
        ({"tree": [TREE]}, "tree"),
        ({"trees": [{**TREE, "onwer": "acme"}]}, "onwer"),
        ({"trees": [{"from": "/home"}]}, "content_objects.trees[0].owner: missing."),
        (
            {"trees": [{**TREE, "from": "www"}]},
            "content_objects.trees[0].from: www is not accepted",
        ),
        ({"trees": [{**TREE, "to": "/a/../b"}]}, "content_objects.trees[0].to"),
        ({"trees": [{**TREE, "to": "/"}]}, "content_objects.trees[0].to"),
        ({"trees": [{**TREE, "owner": "-acme"}]}, "looks like an option"),
        ({"trees": [{**TREE, "from": "/a\nb"}]}, "control characters"),
        ({"trees": [TREE, TREE]}, "named twice"),
        ({"mailboxes": [{"from": "*"}]}, "wildcards"),
        (
            {"mailboxes": [{"to": "info@acme.example"}]},
            "content_objects.mailboxes[0].from: missing.",
        ),
        ({"databases": ["acme_db1"]}, "content_objects.databases"),
        ("[", "neither YAML nor JSON"),
        ("{", "neither YAML nor JSON"),
        ("[]", "content_objects"),
    ],
)
def test_wrong_objects_are_named(objects: Any, mistake: str) -> None:
    assert mistake in _mistakes(objects)


def test_homes_are_those_of_each_host() -> None:
    objects = panel_content_objects({"trees": [{"from": "~/www", "owner": "acme"}]}, "x")["objects"]

    (entry,) = panel_content_homes(
        objects,
        ["acme:x:1000:1000::/var/www/acme:/bin/sh\n"],
        ["acme:x:2000:2000::/home/users/acme/:/bin/false"],
    )

    assert (entry["from"], entry["to"]) == ("/var/www/acme/www", "/home/users/acme/www")
    assert entry["key"] == "tree:~/www:~/www"


@pytest.mark.parametrize(
    ("port", "name"), [(22, "old.example"), (2222, "[old.example]:2222")], ids=["usual", "another"]
)
def test_host_keys_get_the_name_by_which_the_target_reaches_the_source(
    port: int, name: str
) -> None:
    scanned = (
        f"# 127.0.0.1:22 SSH-2.0\n127.0.0.1 ssh-ed25519 {KEY}\nssh-rsa {KEY} root@old\n\nx y z\n"
    )

    assert panel_content_known_hosts(scanned, "old.example", port) == (
        f"{name} ssh-ed25519 {KEY}\n{name} ssh-rsa {KEY}\n"
    )


def test_no_two_objects_have_one_key() -> None:
    trees = [
        {"from": "/x:/y", "to": "/z", "owner": "acme"},
        {"from": "/x", "to": "/y:/z", "owner": "acme"},
    ]
    first, second = panel_content_objects({"trees": trees}, "content_objects")["objects"]

    assert first["key"] != second["key"]
