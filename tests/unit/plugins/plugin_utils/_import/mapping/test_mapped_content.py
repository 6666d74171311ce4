"""The objects that the role content is to copy after an import."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._content_copy.content_objects import (
    read_objects_text,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Customer,
    Database,
    Domain,
    Limits,
    Mailbox,
    MailDomain,
    Origin,
    PathPrefix,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.marked_texts import mark_texts

_SITES = ("one.example", "two.example")
_ODD = st.one_of(
    st.sampled_from(["/", "", "rel", "/a/../b", "/a\nb", "-x", "~/x", "/\ud800", "/" + "x" * 5000]),
    st.text(max_size=6).map(lambda text: f"/{text}"),
)


def _map_paths(*paths: str, mapping: Any = None, user: str = "web1") -> MappedSource:
    """Map a customer with a site for each path."""
    prefixes = []
    domains = []
    for number, (path, site) in enumerate(zip(paths, _SITES, strict=False), start=1):
        origin = Origin("site", str(number))
        prefixes.append(PathPrefix(path, f"/www/{site}", user, site=site, origin=origin))
        domains.append(Domain(origin, "anna", site, folder=path))
    customer = Customer(Origin("client", "1"), "anna", "", Limits(), paths=tuple(prefixes))
    source = Source(customers=(customer,), domains=tuple(domains))
    return map_source(source, read_mapping(mapping))


def _list_lost(mapped: MappedSource) -> list[tuple[str, str, str]]:
    return [
        (entry["source"], entry["key"], entry["why"])
        for entry in mapped.left_out
        if entry.get("field") == "content"
    ]


def _read(mapped: MappedSource) -> list[str]:
    """Return what the role content has against the objects of an import."""
    if not any(mapped.content.values()):
        return []
    text = json.dumps(mark_texts(dict(mapped.content)))
    return read_objects_text(text, "content_objects_file").mistakes


@pytest.mark.parametrize(
    ("path", "user", "reason"),
    [
        ("/srv/a\nb", "web1", "control characters are not accepted"),
        ("/", "web1", "is not accepted. Give a full path"),
        ("/" + "x" * 5000, "web1", "longer than 4096 characters"),
        ("srv/a", "web1", "'srv/a' is no full path"),
        ("/srv/../a", "web1", "'/srv/../a' is no full path"),
        ("", "web1", "'' is no full path"),
        ("/srv/\ud800", "web1", "half of a character"),
        ("/srv/a", "root", "belongs to root"),
    ],
)
def test_a_site_whose_files_are_not_copied_is_named(path: str, user: str, reason: str) -> None:
    mapped = _map_paths(path, user=user)

    assert mapped.content["trees"] == []
    ((origin, key, reported),) = _list_lost(mapped)
    assert (origin, key) == ("site:1", "one.example")
    assert reason in reported
    assert [entry["key"] for entry in mapped.carried if entry["source"] == "site:1"] == [key]


def test_what_the_role_refuses_stops_no_other_object() -> None:
    mapped = _map_paths("/srv/a\nb", "/srv/two")

    assert [tree["from"] for tree in mapped.content["trees"]] == ["/srv/two"]
    assert _read(mapped) == []


@pytest.mark.parametrize("target", ["/www/same", "/www/same/inner"])
def test_of_two_directories_with_one_target_the_first_is_copied(target: str) -> None:
    mapping = {"paths": {"/srv/one": "/www/same", "/srv/two": target}}

    mapped = _map_paths("/srv/one", "/srv/two", mapping=mapping)

    assert [tree["from"] for tree in mapped.content["trees"]] == ["/srv/one"]
    assert [entry[0] for entry in _list_lost(mapped)] == ["site:2"]
    assert _read(mapped) == []


@given(_ODD, _ODD, st.text(max_size=5), st.text(max_size=5))
@settings(max_examples=60)
def test_the_role_can_read_whatever_a_source_says(
    path: str, other_path: str, local: str, name: str
) -> None:
    domain = "one.example"
    customer = Customer(
        Origin("client", "1"),
        "anna",
        "",
        Limits(),
        paths=(PathPrefix(path, "/www"), PathPrefix(other_path, "/files")),
    )
    source = Source(
        customers=(customer,),
        mail_domains=(MailDomain(Origin("mail", "1"), "anna", domain),),
        mailboxes=tuple(
            Mailbox(Origin("box", str(number)), "anna", f"{text}@{domain}", -1)
            for number, text in enumerate(["a", "A*", local])
        ),
        databases=tuple(
            Database(Origin("db", str(number)), "anna", text, user=name)
            for number, text in enumerate(["db", "-x", name])
        ),
    )

    mapped = map_source(source, read_mapping(None))

    assert _read(mapped) == []
