"""The objects that the role content is given."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_commands import (
    panel_content_commands,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_homes import panel_content_homes
from ansible_collections.hosting.panel.plugins.filter.panel_content_known_hosts import (
    panel_content_known_hosts,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_objects import (
    panel_content_objects,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.commands import (
    make_scan_command,
)

TREE = {"from": "/home/users/acme/www", "owner": "acme"}
OBJECTS = {
    "trees": [{**TREE, "to": "~/www"}],
    "mailboxes": [{"from": "info@acme.example"}],
    "databases": [{"from": "acme_db1", "to": "new_db1", "definer": "new_db1@localhost"}],
}
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIN3vT0example"


_MANY_ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(8 * [f'*{former}'])}]\n"
    for former, name in itertools.pairwise("abcdefgh")
)


def _find_mistakes(objects: Any) -> str:
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


@pytest.mark.parametrize(
    "text",
    [
        '{"trees": [], "trees": [{"from": "/a", "owner": "b"}]}',
        "trees: []\ntrees: [{from: /a, owner: b}]",
    ],
)
def test_a_list_that_is_there_twice_is_a_mistake(text: str) -> None:
    assert _find_mistakes(text) == "content_objects: trees is there twice."


def test_an_entry_that_has_a_name_twice_is_a_mistake() -> None:
    text = '{"trees": [{"from": "/a", "from": "/b", "owner": "b"}]}'

    assert _find_mistakes(text) == "content_objects: from is there twice."


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
        ({"trees": [{**TREE, "source_owner": "-w"}]}, "source_owner: -w looks like an option"),
        ({"trees": [{**TREE, "from": "/a\nb"}]}, "control characters"),
        ({"trees": [{**TREE, "to": "/a/.."}]}, "content_objects.trees[0].to"),
        ({"trees": [{**TREE, "from": "~/../b"}]}, "content_objects.trees[0].from"),
        ({"trees": [{**TREE, "to": "~/"}]}, "content_objects.trees[0].to"),
        ({"trees": [TREE, TREE]}, "named twice"),
        ({"trees": [TREE, {**TREE, "from": "/a", "to": f"{TREE['from']}//."}]}, "named twice"),
        (
            {"trees": [{**TREE, "from": "/a"}, {**TREE, "from": "/b", "to": "/a/x/y"}]},
            "the target /a/x/y is in /a",
        ),
        (
            {"trees": [{**TREE, "from": "~/a/x"}, {**TREE, "from": "/b", "to": "~/a"}]},
            "the target ~/a/x is in ~/a",
        ),
        (
            {"mailboxes": [{"from": "i@a.example"}, {"from": "x@a.example", "to": "I@a.example"}]},
            "the mailbox I@a.example is named twice",
        ),
        (
            {"databases": [{"from": "db1"}, {"from": "db2", "to": "db1"}]},
            "the database db1 is named twice",
        ),
        ({"mailboxes": [{"from": "*"}]}, "wildcards"),
        (
            {"mailboxes": [{"to": "info@acme.example"}]},
            "content_objects.mailboxes[0].from: missing.",
        ),
        ({"databases": ["acme_db1"]}, "content_objects.databases"),
        ("[", "neither YAML nor JSON"),
        ("{", "neither YAML nor JSON"),
        ("trees: !!timestamp x", "neither YAML nor JSON"),
        ("trees: &a [*a]", "content_objects: the content is nested too deeply."),
        (_MANY_ALIASES, "content_objects: aliases make this far larger than the file."),
        ("[]", "content_objects"),
    ],
)
def test_wrong_objects_are_named(objects: Any, mistake: str) -> None:
    assert mistake in _find_mistakes(objects)


def test_homes_are_those_of_each_host() -> None:
    objects = panel_content_objects({"trees": [{"from": "~/www", "owner": "acme"}]}, "x")["objects"]

    (entry,) = panel_content_homes(
        objects,
        ["acme:x:1000:1000::/var/www/acme:/bin/sh\n"],
        ["acme:x:2000:2000::/home/users/acme/:/bin/false"],
        "x",
    )["objects"]

    assert (entry["from"], entry["to"]) == ("/var/www/acme/www", "/home/users/acme/www")
    assert entry["key"] == "tree:~acme/www:~acme/www"


def test_a_path_at_the_source_is_in_the_home_of_its_owner_there() -> None:
    tree = {"from": "~/web", "to": "~/www", "owner": "acme", "source_owner": "web12"}
    objects = panel_content_objects({"trees": [tree]}, "x")["objects"]

    (entry,) = panel_content_homes(
        objects,
        ["web12:x:1000:1000::/var/www/acme.example:/bin/sh"],
        ["acme:x:2000:2000::/home/users/acme:/bin/false"],
        "content_objects",
    )["objects"]

    assert (entry["from"], entry["to"]) == ("/var/www/acme.example/web", "/home/users/acme/www")
    assert entry["key"] == "tree:~web12/web:~acme/www"


def test_the_key_of_a_copy_reads_a_tree_as_its_owner_on_the_source() -> None:
    tree = {**TREE, "source_owner": "web12"}
    objects = panel_content_objects({"trees": [tree]}, "x")["objects"]

    allowed = panel_content_commands(objects)

    assert make_scan_command("web12", TREE["from"]) in allowed["commands"]
    assert [sender["beginning"][:3] for sender in allowed["trees"]] == [["runuser", "-u", "web12"]]
    assert "acme" not in itertools.chain(*allowed["commands"])


def test_each_owner_has_a_home() -> None:
    trees = [{"from": "~/www", "owner": owner} for owner in ("acme", "birch")]
    read = panel_content_objects({"trees": trees}, "content_objects")
    lines = ["acme:x:1001:1001::/home/acme:/bin/sh", "birch:x:1002:1002::/home/birch:/bin/sh"]

    resolved = panel_content_homes(read["objects"], lines, lines, "content_objects")

    assert read["mistakes"] == resolved["mistakes"] == []
    assert len({entry["key"] for entry in read["objects"]}) == 2
    assert [entry["to"] for entry in resolved["objects"]] == ["/home/acme/www", "/home/birch/www"]


@pytest.mark.parametrize("home", ["", "nowhere"])
def test_an_owner_without_a_home_is_named_with_the_host(home: str) -> None:
    read = panel_content_objects({"trees": [{"from": "~/www", "owner": "acme"}]}, "x")
    lines = ["acme:x:1000:1000::/home/acme:/bin/sh"]

    resolved = panel_content_homes(
        read["objects"], lines, [f"acme:x:1000:1000::{home}:/bin/sh"], "content_objects_file"
    )

    assert resolved["mistakes"] == [
        "content_objects_file: no user acme with a home is on the target, so ~/www is nowhere."
    ]


@pytest.mark.parametrize(
    ("number", "target", "is_refused"),
    [
        ("0", "~/www", True),
        ("104", "~/www", True),
        ("999", "~/www", True),
        ("65534", "~/www", True),
        ("1000", "~/www", False),
        ("70000", "~/www", False),
        ("0", "/srv/www", False),
    ],
)
def test_a_tree_goes_to_a_home_of_the_system_only_by_its_full_path(
    number: str, target: str, is_refused: bool
) -> None:
    tree = {"from": "/old", "to": target, "owner": "mysql"}
    read = panel_content_objects({"trees": [tree]}, "content_objects")
    line = f"mysql:x:{number}:100::/var/lib/mysql:/bin/false"

    mistakes = panel_content_homes(read["objects"], [], [line], "content_objects")["mistakes"]

    mistake = (
        "content_objects: mysql is an account of the system on the target. "
        "Name another owner than that for ~/www, or write the full path."
    )
    assert mistakes == is_refused * [mistake]


def test_the_number_of_an_owner_is_no_name_of_one() -> None:
    read = panel_content_objects({"trees": [{"from": "~/a", "to": "/b", "owner": "1000"}]}, "x")
    lines = ["acme:x:1000:1000::/home/acme:/bin/sh"]

    resolved = panel_content_homes(read["objects"], lines, lines, "content_objects")

    assert resolved["mistakes"] == [
        "content_objects: no user 1000 with a home is on the source, so ~/a is nowhere."
    ]


def test_a_target_in_the_home_of_another_one_is_named() -> None:
    trees = [{"from": "~/www", "owner": "acme"}, {"from": "/old", "to": "/home", "owner": "root"}]
    read = panel_content_objects({"trees": trees}, "content_objects")
    lines = ["acme:x:1000:1000::/home/acme:/bin/sh"]

    assert read["mistakes"] == []
    assert panel_content_homes(read["objects"], lines, lines, "content_objects")["mistakes"] == [
        "content_objects: the target /home/acme/www is in /home, which is a target too. Exclude /acme/www there."
    ]


@pytest.mark.parametrize(
    ("exclude", "is_accepted"),
    [
        (["/shop/data"], True),
        (["*.log", "/shop"], True),
        (["shop/data"], False),
        (["/shop/da"], False),
        (["/shop/data/"], False),
        (["/shop/dat?"], False),
        (["/"], False),
        ([], False),
    ],
)
def test_a_target_is_in_another_one_only_where_that_excludes_exactly_its_path(
    exclude: list[str], is_accepted: bool
) -> None:
    trees = [
        {"from": "~/www", "owner": "acme", "exclude": exclude},
        {"from": "/srv/data", "to": "~/www/shop/data", "owner": "acme"},
    ]
    lines = ["acme:x:1000:1000::/home/acme:/bin/sh"]
    read = panel_content_objects({"trees": trees}, "content_objects")
    expected = [] if is_accepted else ["Exclude /shop/data there."]

    assert [mistake[-25:] for mistake in read["mistakes"]] == expected
    if is_accepted:
        assert panel_content_homes(read["objects"], lines, lines, "x")["mistakes"] == []


def test_each_tree_around_a_target_excludes_it() -> None:
    trees = [
        {"from": "/a", "owner": "acme"},
        {"from": "/a/b", "owner": "acme", "exclude": ["/c"]},
        {"from": "/a/b/c", "owner": "acme"},
    ]

    assert _find_mistakes({"trees": trees}).count("is in /a, which is a target too") == 2
    trees[0]["exclude"] = ["/b"]
    assert _find_mistakes({"trees": trees}) == ""


@pytest.mark.parametrize(
    "path", ["/a//b", "/a/b/", "/a/./b/.", "//a/b"], ids=["two", "last", "points", "first"]
)
def test_a_path_is_the_same_for_the_key_and_the_module(path: str) -> None:
    (entry,) = panel_content_objects({"trees": [{**TREE, "from": path}]}, "x")["objects"]
    allowed = panel_content_commands([entry])

    assert (entry["from"], entry["to"]) == ("/a/b", "/a/b")
    assert [tree["path"] for tree in allowed["trees"]] == ["/a/b/"]
    assert make_scan_command("acme", "/a/b") in allowed["commands"]


def test_a_path_in_a_home_is_normalised_too() -> None:
    (entry,) = panel_content_objects({"trees": [{**TREE, "from": "~//www/./"}]}, "x")["objects"]

    assert (entry["from"], entry["to"]) == ("~/www", "~/www")


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
