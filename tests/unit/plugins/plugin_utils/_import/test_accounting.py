"""Each row of a source of any shape is accounted for, and the folder is one that the panel takes."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible.parsing.vault import VaultLib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import (
    get_item_reader,
    read_items,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
    reveal,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.read_source import (
    read_path,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Source,
)
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.generated_sources import HASHES, draw_source
from tests.support.import_sources import list_origins
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import NO_OBJECTS, write_dump

_MAPPINGS = st.sampled_from(
    [
        None,
        {"usernames": {"Acme": "acme"}, "addresses": {"192.0.2.10": "203.0.113.5"}},
        {"hosting_plans": {"Web S": "Small", "Import 1": "Large"}, "mailbox_size": "1G"},
        {"paths": {"/home": "/www/all", "/": "/files"}, "php_versions": {"PHP 8.1": "8.1"}},
    ]
)
_MANY = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


class _Sample(NamedTuple):
    """A sample of a panel: its rows, the tables that are no customer's, and how it is written."""

    panel: str
    rows: Callable[[], dict[str, list[dict[str, Any]]]]
    of_server: Collection[str]
    write_rows: Callable[[Any, Path], None]

    def write(self, folder: Path) -> Path:
        """Write a dump of the sample."""
        path = folder / "dump.sql"
        self.write_rows(self.rows(), path)
        return path


def _write_froxlor(rows: Any, path: Path) -> None:
    path.write_text(dump_text(rows), encoding="utf-8")


_ISPCONFIG = _Sample("ispconfig", make_sample, NO_OBJECTS, write_dump)
_FROXLOR = _Sample(
    "froxlor",
    make_froxlor_rows,
    (
        "panel_domaintoip",
        "panel_ipsandports",
        "panel_phpconfigs",
        "domain_redirect_codes",
        "redirect_codes",
    ),
    _write_froxlor,
)


# It begins with a capital letter, or with a name that keeps its own.
_SENTENCE = re.compile(r"(?:[A-Z]|mapping\.|/|'|`|[\w.-]+(?:@|\.|: )).*\.", re.DOTALL)


def _list_all_items(mapped: MappedSource) -> dict[str, list[dict[str, Any]]]:
    items: dict[str, list[dict[str, Any]]] = {}
    for items_by_kind in mapped.resources.values():
        for kind, entries in items_by_kind.items():
            items.setdefault(kind, []).extend(reveal(entries))
    return items


@_MANY
@given(draw_source(), _MAPPINGS, st.sampled_from(["keep", "new"]))
def test_each_row_is_carried_or_left_out_and_never_both(
    source: Source, mapping: Any, passwords: str
) -> None:
    mapped = map_source(source, read_mapping(mapping), passwords)

    carried = {(entry["source"], entry["kind"]) for entry in mapped.carried}
    whole = {(entry["source"], entry["kind"]) for entry in mapped.left_out if "field" not in entry}
    named = {entry["source"] for entry in (*mapped.carried, *mapped.left_out)}
    rows = {str(origin) for origin in list_origins(source)}
    assert rows <= named
    assert not carried & whole
    assert len({tuple(entry.items()) for entry in mapped.carried}) == len(mapped.carried)


@_MANY
@given(draw_source(), _MAPPINGS, st.sampled_from(["keep", "new"]))
def test_the_folder_passes_the_validation_of_panel_resources(
    source: Source, mapping: Any, passwords: str
) -> None:
    mapped = map_source(source, read_mapping(mapping), passwords)

    items = _list_all_items(mapped)
    assert read_items(items).mistakes == ()
    for kind, entries in items.items():
        for item in entries:
            assert get_item_reader(kind).find_mistakes(item) == []
    assert mapped.counts == {kind: len(items[kind]) for kind in KINDS if kind in items}


def _map_items(source: Source, mapping: Any) -> dict[str, list[dict[str, Any]]]:
    return _list_all_items(map_source(source, read_mapping(mapping)))


def _index_domains(items: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    return {item["domain"]: item for item in items.get("domains", ())}


@_MANY
@given(draw_source(), _MAPPINGS)
def test_the_hosting_plan_of_each_client_is_in_the_folder_or_named_by_the_operator(
    source: Source, mapping: Any
) -> None:
    items = _map_items(source, mapping)

    plans = {item["name"] for item in items.get("plans", ())} | {"Small", "Large"}
    for item in items.get("clients", ()):
        assert item.get("hosting_plan") in (None, *plans)


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_object_is_of_the_client_in_whose_file_it_is(source: Source, mapping: Any) -> None:
    mapped = map_source(source, read_mapping(mapping))

    clients = {item["username"] for item in _list_all_items(mapped).get("clients", ())}
    for client, items_by_kind in mapped.resources.items():
        owned_kinds = items_by_kind.keys() - {"plans", "clients", "dns"}
        owners = {item["client"] for kind in owned_kinds for item in items_by_kind[kind]}
        assert owners <= {client}
        assert owners <= clients


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_subdomain_is_below_a_main_domain_of_its_client(source: Source, mapping: Any) -> None:
    domains = _index_domains(_map_items(source, mapping))

    for item in domains.values():
        parent = item.get("parent_domain")
        if parent is not None:
            assert "parent_domain" not in domains[parent]
            assert domains[parent]["client"] == item["client"]


@_MANY
@given(draw_source(), _MAPPINGS)
def test_the_certificate_of_each_domain_is_in_the_folder(source: Source, mapping: Any) -> None:
    items = _map_items(source, mapping)

    certificates = {item["name"] for item in items.get("certificates", ())}
    for item in items.get("domains", ()):
        assert item.get("security", {}).get("certificate") in (None, *certificates)


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_zone_is_of_a_main_domain(source: Source, mapping: Any) -> None:
    items = _map_items(source, mapping)

    domains = _index_domains(items)
    for item in items.get("dns", ()):
        assert "parent_domain" not in domains[item["domain"]]


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_address_is_of_a_domain_of_its_client_that_takes_mail(
    source: Source, mapping: Any
) -> None:
    items = _map_items(source, mapping)

    domains = _index_domains(items)
    for item in items.get("emails", ()):
        for address in (item["email"], *item.get("aliases", ())):
            domain = domains[address.rpartition("@")[2]]
            assert domain["client"] == item["client"]
            assert domain["is_email_domain"]


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_address_is_in_the_folder_once(source: Source, mapping: Any) -> None:
    addresses: Counter[str] = Counter()
    for item in _map_items(source, mapping).get("emails", ()):
        addresses.update([item["email"], *item.get("aliases", ())])

    assert [address for address, count in addresses.items() if count > 1] == []


@_MANY
@given(draw_source(), _MAPPINGS)
def test_each_item_is_in_carried_with_its_key(source: Source, mapping: Any) -> None:
    mapped = map_source(source, read_mapping(mapping))

    carried = {(entry["client"], entry["kind"], entry["key"]) for entry in mapped.carried}
    for client, items_by_kind in mapped.resources.items():
        for kind, entries in items_by_kind.items():
            for item in entries:
                assert (client, kind, KINDS[kind].format_key(item)) in carried


@_MANY
@given(draw_source(), _MAPPINGS)
def test_no_list_shows_a_hash_or_a_password(source: Source, mapping: Any) -> None:
    mapped = map_source(source, read_mapping(mapping))

    lists = repr(
        (mapped.carried, mapped.renamed, mapped.left_out, mapped.questions, mapped.content)
    )
    assert "Geheim99" not in lists
    assert "Geheim99" not in repr(mapped)
    assert not any(text and text in repr(mapped) for text in HASHES)
    fields = Counter(
        (entry["source"], entry["kind"], entry["key"])
        for entry in mapped.left_out
        if entry.get("field") == "password_hash"
    )
    assert all(count == 1 for count in fields.values())


@_MANY
@given(draw_source())
def test_the_order_of_rows_and_of_dictionaries_changes_nothing(source: Source) -> None:
    reversed_rows = dataclasses.replace(
        source,
        **{
            declared.name: getattr(source, declared.name)[::-1]
            for declared in dataclasses.fields(source)
        },
    )
    turned = dataclasses.replace(
        reversed_rows,
        customers=tuple(
            dataclasses.replace(entry, contact=dict(reversed(entry.contact.items())))
            for entry in reversed_rows.customers
        ),
    )

    assert repr(map_source(turned, read_mapping(None))) == repr(
        map_source(source, read_mapping(None))
    )


@_MANY
@given(draw_source())
def test_the_objects_of_one_client_are_the_same_as_in_an_import_of_all(source: Source) -> None:
    if not source.customers:
        return
    name = source.customers[0].username
    everything = map_source(source, read_mapping(None))
    chosen = map_source(source, read_mapping(None), clients=[name])

    clients = [client for client in chosen.resources if client is not None]
    assert len(clients) == 1
    assert chosen.resources[clients[0]] == everything.resources[clients[0]]
    for entry in chosen.carried:
        assert entry in everything.carried
    for entry in chosen.left_out:
        assert entry in everything.left_out


@_MANY
@given(draw_source(), st.sets(st.sampled_from([kind for kind in KINDS if kind != "admins"])))
def test_a_skipped_kind_is_left_out_by_name(source: Source, skipped: set[str]) -> None:
    mapped = map_source(source, read_mapping({"skip": sorted(skipped)}))

    assert not skipped & set(mapped.counts)
    assert not {entry["kind"] for entry in mapped.carried} & skipped


@pytest.mark.parametrize("sample", [_ISPCONFIG, _FROXLOR], ids=["ispconfig", "froxlor"])
def test_each_row_of_a_sample_is_carried_or_left_out_and_never_both(
    sample: _Sample, tmp_path: Path
) -> None:
    path = sample.write(tmp_path)
    mapped = map_source(read_path(sample.panel, path, VaultLib()), read_mapping(None))

    carried = {(entry["source"], entry["kind"]) for entry in mapped.carried}
    whole = Counter(
        (entry["source"], entry["kind"]) for entry in mapped.left_out if "field" not in entry
    )
    named = {entry["source"] for entry in (*mapped.carried, *mapped.left_out)}
    rows = {
        f"{table}:{next(iter(row.values()))}"
        for table, table_rows in sample.rows().items()
        if table not in sample.of_server
        for row in table_rows
    }
    assert rows - named == set()
    assert carried.isdisjoint(whole)
    assert [row for row, count in whole.items() if count > 1] == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("dns_rr:13", "Its zone does not arrive."),
        ("client_template_assigned:5", "The limits of its client hold it already."),
    ],
)
def test_what_belongs_to_something_that_is_left_out_is_named(
    tmp_path: Path, row: str, reason: str
) -> None:
    path = _ISPCONFIG.write(tmp_path)
    mapped = map_source(read_path("ispconfig", path, VaultLib()), read_mapping(None))

    entries = [entry for entry in mapped.left_out if entry["source"] == row]
    assert [(entry["client"], entry["why"]) for entry in entries] == [("hofladen", reason)]


@pytest.mark.parametrize("sample", [_ISPCONFIG, _FROXLOR], ids=["ispconfig", "froxlor"])
def test_each_reason_is_a_sentence(sample: _Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    mapped = map_source(read_path(sample.panel, path, VaultLib()), read_mapping(None))

    reasons = {entry["why"] for entry in (*mapped.renamed, *mapped.left_out)}
    assert len(reasons) > 20
    assert [reason for reason in reasons if not _SENTENCE.fullmatch(reason)] == []


def test_an_empty_source_gives_an_empty_folder() -> None:
    assert map_source(Source(), read_mapping(None)) == MappedSource(
        content={"trees": [], "mailboxes": [], "databases": []}, carried=[], renamed=[],
        left_out=[], questions=[], changed_passwords=[], exceeded_limits=[],
    )  # fmt: skip
