"""What a panel holds and the options refuse stays as the panel shows it, entry by entry, as long as
no task changes it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_task import (
    build_dns_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.export_task import (
    export_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import (
    escape_control_characters,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import (
    dump_resources,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.folder import read_folder
from tests.support.in_memory import VAULT
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items, run_task

Objects = dict[str, list[dict[str, Any]]]
ADDRESSES = [
    "incoming+user/project@in.example.org",
    "a..b@carrier.example",
    ".a@acme.example",
    "a.@acme.example",
    '"a b"@acme.example',
    "a@localhost",
    "a@[192.0.2.1]",
    "@acme.example",
    "*@acme.example",
    "a@b@acme.example",
    "a@xn--m\u00fcller.example",
    "a/b@xn--mller-kva.example",
    "it@acme.example, boss@acme.example",
    "<it@acme.example>",
    "a@-acme.example",
    "a@acme..example",
    "SRS0=HhH=Tt=example.org=a/b@acme.example",
    "mailto:it@acme.example",
    "tel:1@acme.example",
    ":include:it@acme.example",
    "|it@acme.example",
    f"{'i' * 65}@acme.example",
    "\u00fc" * 33 + "@acme.example",
    "mailto\uff1ait@acme.example",
    "it\ufe0f@acme.example",
    "it\u3164@acme.example",
    "it\u200b@acme.example",
    "i\u00adt@acme.example",
    "\ufeffit@acme.example",
    "i\u202et@acme.example",
    "x@acme\u200b.example",
    "x@acme.example\u2069",
]
# Users of the server, programs and files, which mail servers take in lists of addresses.
LOCAL = ["root", "|/bin/prog", "/dev/null", ":include:/etc/list", "a b", "#1"]
HOSTS = [
    "db*.example.com",
    "192.0.2.[1-9]",
    "fe80::1%eth0.5/64",
    "@host",
    "192.0.2.0/24/8",
    "host(1)",
]
# Where an unusual value may be: kind, path of the member, whether it is an entry of a list, the
# values.
PLACES: list[tuple[str, tuple[str, ...], bool, list[str]]] = [
    ("emails", ("forwardings",), True, [*ADDRESSES, *LOCAL]),
    ("emails", ("aliases",), True, [*ADDRESSES, *LOCAL]),
    (
        "emails",
        ("email",),
        False,
        [address for address in ADDRESSES if not address.startswith(("@", "*"))],
    ),
    ("clients", ("email",), False, ADDRESSES),
    ("admins", ("email",), False, ADDRESSES),
    ("plans", ("php", "sendmail_from"), False, ADDRESSES),
    ("databases", ("remote_hosts",), True, HOSTS),
    (
        "scheduled_tasks",
        ("schedule", "minute"),
        False,
        ["5/10", "*/0", "10-5", "1,,2", "@daily", "H/15", "?", "0~30"],
    ),
    ("scheduled_tasks", ("schedule", "day_of_week"), False, ["fri-mon", "5#3"]),
]
CASES = [
    (kind, path, is_entry, value) for kind, path, is_entry, values in PLACES for value in values
]
ENTRIES = [case for case in CASES if case[2]]


def name_case(kind: str, path: tuple[str, ...], _is_entry: bool, value: str) -> str:
    """Return the name of a case."""
    return f"{kind}.{'.'.join(path)}: {value}"


NAMES = [name_case(*case) for case in CASES]
ENTRY_NAMES = [name_case(*case) for case in ENTRIES]
USUAL = {
    "forwardings": "Sales@Elsewhere.Example",
    "aliases": "office@acme.example",
    "remote_hosts": "192.0.2.7",
}
ANOTHER = {
    "forwardings": "new@elsewhere.example",
    "aliases": "new@acme.example",
    "remote_hosts": "192.0.2.8",
}


def make_objects() -> Objects:
    """Return the answers of a panel with one object of each kind."""
    return {
        "/hosting-plans": [{"id": 1, "name": "Default"}],
        "/admins": [
            {"id": 1, "username": "eve", "email": "eve@acme.example", "is_main_admin": True}
        ],
        "/clients": [
            {"id": 2, "username": "acme", "email": "it@acme.example", "id_hosting_plan": 1}
        ],
        "/domains": [{"id": 11, "domain": "acme.example", "id_user": 2, "id_parent_domain": 0}],
        "/emails": [{"id": 21, "email": "info@acme.example", "id_user": 2, "max_size": 1024}],
        "/scheduled-tasks": [
            {"id": 41, "id_user": 2, "description": "cron", "type": "exec", "command": "/bin/true"}
        ],
        "/databases": [
            {"id": 31, "database_name": "shop", "database_username": "shop", "id_user": 2}
        ],
    }


def plant_value(
    kind: str, path: tuple[str, ...], is_entry: bool, value: str
) -> tuple[MemoryPanel, str]:
    """A panel that has an unusual value, and the path of the object that has it."""
    lists = make_objects()
    where = KINDS[kind].path
    holder: dict[str, Any] = lists[where][0]
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = [USUAL[path[-1]], value] if is_entry else value

    return MemoryPanel(lists), f"{where}/{lists[where][0]['id']}"


def export_panel(panel: MemoryPanel) -> dict[str, Any]:
    """Export a panel, which succeeds."""
    result = run_task(export_operation(), panel, {})
    assert not result.get("failed"), result
    return result


def get_item(result: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the last item of a kind in an export."""
    items: list[dict[str, Any]] = result["resources"][kind]
    return copy.deepcopy(items[-1])


ALONE_AND_IN_BULK = pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])


def run_item(
    panel: MemoryPanel, kind: str, item: dict[str, Any], in_bulk: bool, **options: Any
) -> dict[str, Any]:
    """Run the module of a kind with an item, or panel_resources with it alone."""
    if in_bulk:
        return run_items(panel, {kind: [item]}, **options)

    operation = build_dns_operation() if kind == "dns" else build_resource_operation(KINDS[kind])
    return run_task(operation, panel, item, **options)


def get_value(item: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Return the value at a path."""
    value: Any = item
    for name in path:
        value = value[name]
    return value


@pytest.mark.long
@pytest.mark.parametrize(("kind", "path", "is_entry", "value"), CASES, ids=NAMES)
def test_an_export_has_it_and_changes_nothing(
    kind: str, path: tuple[str, ...], is_entry: bool, value: str, tmp_path: Path
) -> None:
    panel, _where = plant_value(kind, path, is_entry, value)
    done = export_panel(panel)

    exported_value = get_value(get_item(done, kind), path)

    assert exported_value == (sorted([USUAL[path[-1]], value]) if is_entry else value)
    assert "warnings" not in done
    assert done["left_out"] == []

    resources = done["resources"]
    for result in (
        run_items(panel, resources),
        run_items(panel, resources, purge=list(TABLES), max_deletes=0),
        run_task(build_resource_operation(KINDS[kind]), panel, get_item(done, kind)),
    ):
        assert not result.get("failed"), result["msg"]
        assert result["changed"] is False
        assert "warnings" not in result

    (tmp_path / "all.yml").write_text(dump_resources(resources), encoding="utf-8")
    folder = read_folder(tmp_path, VAULT)

    assert run_items(panel, folder.resources)["changed"] is False
    assert panel.writes == []


REFUSED_CASES = [case for case in CASES if case[3] != "*@acme.example" or case[0] == "emails"]


@pytest.mark.long
@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
@ALONE_AND_IN_BULK
@pytest.mark.parametrize("case", REFUSED_CASES, ids=lambda case: name_case(*case))
def test_another_object_does_not_get_it_and_it_is_named_before_any_write(
    case: tuple[str, tuple[str, ...], bool, str], in_bulk: bool, check_mode: bool
) -> None:
    kind, path, is_entry, value = case
    resources = export_panel(plant_value(kind, path, is_entry, value)[0])["resources"]
    item = next(entry for entry in resources[kind] if repr(value)[1:-1] in str(entry))
    option = (
        f"{'.'.join(path)}[{get_value(item, path).index(value)}]" if is_entry else ".".join(path)
    )

    panel = MemoryPanel(make_objects())
    result = run_item(panel, kind, item, in_bulk, check_mode=check_mode)

    assert result["failed"], result
    assert escape_control_characters(f"{option}: {value!r}") in result["msg"], result
    assert result["msg"].endswith("Nothing was written.")
    assert panel.writes == []


@pytest.mark.long
@ALONE_AND_IN_BULK
@pytest.mark.parametrize(("kind", "path", "is_entry", "value"), ENTRIES, ids=ENTRY_NAMES)
def test_a_change_of_its_neighbours_sends_it_as_the_panel_shows_it(
    kind: str, path: tuple[str, ...], is_entry: bool, value: str, in_bulk: bool
) -> None:
    panel, where = plant_value(kind, path, is_entry, value)
    item = get_item(export_panel(panel), kind)
    item[path[0]] = [value, ANOTHER[path[0]]]
    panel.forget()

    run_item(panel, kind, item, in_bulk)

    assert panel.writes[0] == ("PUT", where, {path[0]: [value, ANOTHER[path[0]]]})


@pytest.mark.long
@pytest.mark.parametrize(("kind", "path", "is_entry", "value"), CASES, ids=NAMES)
def test_a_change_of_another_field_does_not_touch_it(
    kind: str, path: tuple[str, ...], is_entry: bool, value: str
) -> None:
    panel, where = plant_value(kind, path, is_entry, value)
    item = get_item(export_panel(panel), kind)
    option = {
        "emails": "description",
        "clients": "notes",
        "admins": "language",
        "databases": "description",
    }
    inside = {
        "plans": ("php", "memory_limit", "512M"),
        "scheduled_tasks": ("schedule", "hour", "7"),
    }
    group, name, sibling = inside.get(kind, ("", "", ""))

    if group:
        item[group][name] = sibling
    else:
        item[option[kind]] = "other"

    panel.forget()

    run_task(build_resource_operation(KINDS[kind]), panel, item)
    ((method, written, body),) = panel.writes

    assert method == "PUT"
    assert written == where

    if group:
        assert get_value(body, path) == value
        assert body[group][name] == sibling
    else:
        assert body == {option[kind]: "other"}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "path", "is_entry", "value"), ENTRIES, ids=ENTRY_NAMES)
def test_it_can_be_taken_away(kind: str, path: tuple[str, ...], is_entry: bool, value: str) -> None:
    panel, where = plant_value(kind, path, is_entry, value)
    item = {**get_item(export_panel(panel), kind), path[0]: [USUAL[path[0]]]}

    run_task(build_resource_operation(KINDS[kind]), panel, item)

    assert panel.writes == [("PUT", where, {path[0]: [USUAL[path[0]]]})]


@pytest.mark.parametrize(
    "value", [address for address in ADDRESSES if not address.startswith(("@", "*"))]
)
def test_an_object_with_an_unusual_name_is_found_changed_and_deleted_by_it(value: str) -> None:
    panel, where = plant_value("emails", ("email",), False, value)
    single = build_resource_operation(KINDS["emails"])
    info = build_info_operation(KINDS["emails"])

    assert [email["id"] for email in run_task(info, panel, {"email": value})["emails"]] == [21]
    assert run_task(single, panel, {"email": value, "description": "x"})["changed"] is True
    assert run_items(panel, {"emails": [{"email": value, "state": "absent"}]})["changed"] is True
    assert [(method, path) for method, path, _body in panel.writes] == [
        ("PUT", where),
        ("DELETE", where),
    ]
    assert run_task(single, panel, {"email": value, "state": "absent"})["changed"] is False

    for missing in (
        run_task(single, panel, {"email": value}),
        run_task(info, panel, {"email": value}),
    ):
        assert missing["failed"]
        assert missing["msg"].startswith(escape_control_characters(f"email: {value!r}"))


TASK = {"type": "exec", "command": "/bin/true"}
# Names that look like others: kind, the item, the option that is wrong.
LOOK_ALIKES: list[tuple[str, dict[str, Any], str]] = [
    ("plans", {"name": "Default\u200b"}, "name"),
    ("plans", {"name": "Default "}, "name"),
    ("databases", {"client": "acme", "database_name": "shop\u200b"}, "database_name"),
    ("ftp_users", {"client": "acme", "username": "f\u00adtp"}, "username"),
    (
        "directory_protections",
        {"client": "acme", "path": "/shop\u200b", "username": "bob"},
        "path",
    ),
    (
        "directory_protections",
        {"client": "acme", "path": "/shop", "username": "bob\ufeff"},
        "username",
    ),
]


@ALONE_AND_IN_BULK
@pytest.mark.parametrize(("kind", "item", "option"), LOOK_ALIKES)
def test_a_name_that_looks_like_another_one_makes_no_second_object(
    kind: str, item: dict[str, Any], option: str, in_bulk: bool
) -> None:
    panel = MemoryPanel({"/ftp-users": [], "/directory-protections": [], **make_objects()})

    result = run_item(panel, kind, item, in_bulk)

    assert result["failed"], result
    assert f"{option}: {item[option]!r} " in result["msg"]
    assert panel.writes == []


@ALONE_AND_IN_BULK
@pytest.mark.parametrize(("kind", "item", "option"), LOOK_ALIKES)
def test_a_name_that_looks_like_another_one_stays_where_the_panel_has_it(
    kind: str, item: dict[str, Any], option: str, in_bulk: bool
) -> None:
    actual = {"id": 77, "id_user": 2, "database_username": item.get("database_name"), **item}
    path = KINDS[kind].path
    lists = make_objects()
    panel = MemoryPanel({**lists, path: [*lists.get(path, []), actual]})

    result = run_item(panel, kind, item, in_bulk)

    assert not result.get("failed"), result
    assert result["changed"] is False
    assert panel.writes == []


def test_a_plan_whose_name_looks_like_another_one_is_named_by_its_clients() -> None:
    lists = make_objects()
    lists["/hosting-plans"].append({"id": 3, "name": "Default\u200b"})
    lists["/clients"][0]["id_hosting_plan"] = 3
    panel = MemoryPanel(lists)
    resources = export_panel(panel)["resources"]

    result = run_items(panel, resources)

    assert resources["clients"][0]["hosting_plan"] == "Default\u200b"
    assert not result.get("failed"), result
    assert result["changed"] is False


HELD_PROBLEMS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # An alias that is the mailbox itself, and one in a domain that is gone.
    (
        "emails",
        {"aliases": ["info@acme.example"]},
        {"aliases": ["info@acme.example", "x@acme.example"]},
        {},
    ),
    (
        "emails",
        {"aliases": ["a@gone.example"]},
        {"aliases": ["a@gone.example", "x@acme.example"]},
        {},
    ),
    # More spare servers at least than at most.
    (
        "plans",
        {"php_fpm": {"pm": "dynamic", "min_spare_servers": 5, "max_spare_servers": 2}},
        {"php_fpm": {"max_requests": 7}},
        {
            "php_fpm": {
                "pm": "dynamic",
                "min_spare_servers": 5,
                "max_spare_servers": 2,
                "max_requests": 7,
            }
        },
    ),
]


@pytest.mark.parametrize(("kind", "held", "requested", "sent"), HELD_PROBLEMS)
def test_what_does_not_go_together_stays_where_the_object_has_it_already(
    kind: str, held: dict[str, Any], requested: dict[str, Any], sent: dict[str, Any]
) -> None:
    lists = make_objects()
    lists[KINDS[kind].path][0].update(held)
    panel = MemoryPanel(lists)

    item = get_item(export_panel(panel), kind)

    assert run_items(panel, {kind: [item]})["changed"] is False

    run_task(build_resource_operation(KINDS[kind]), panel, {**item, **requested})
    ((_method, _path, body),) = panel.writes

    assert {name: value for name, value in body.items() if name in requested} == {
        **requested,
        **sent,
    } or body.items() >= sent.items()


# Lists of which an entry cannot be kept


@pytest.mark.parametrize("value", ["a\tb", " ", "a\0@acme.example"])
def test_an_entry_that_no_item_takes_is_named_and_the_list_stays_on_the_panel(value: str) -> None:
    panel, _where = plant_value("emails", ("forwardings",), True, value)
    result = export_panel(panel)

    assert "forwardings" not in get_item(result, "emails")
    assert [(omission["kind"], omission["option"]) for omission in result["left_out"]] == [
        ("emails", "forwardings")
    ]
    assert (
        f"forwardings has {value!r}, which the module does not accept"
        in result["left_out"][0]["reason"]
    )
    assert run_items(panel, result["resources"])["changed"] is False


# Zones

RECORDS = [
    ("@", "MX", 60, "10 192.0.2.1"),
    ("@", "MX", 60, "mail.acme.example."),
    ("@", "MX", 60, "70000 mail"),
    ("www", "CNAME", 60, "https://elsewhere.example/"),
    ("www", "CNAME", 60, "192.0.2.1"),
    ("_sip._tcp", "SRV", 60, "0 5060 sip"),
    ("@", "NS", 60, "ns 1.example"),
    ("@", "CAA", 60, "issue letsencrypt.org"),
    ("@", "CAA", 60, "0 issue letsencrypt.org"),
    ("@", "CAA", 60, '0 issue-wild; "ca.example"'),
    ("www", "A", 0, "192.0.2.1"),
    ("www", "A", 60, "192.0.2.001"),
    ("www", "A", 60, "<SERVER_IPV4>"),
    ("a..b", "A", 60, "192.0.2.1"),
    ("www.", "TXT", 60, "host with a dot at its end, and outside"),
    ("foo!bar", "TXT", 60, "x"),
    ("*.*", "A", 60, "192.0.2.1"),
    ("xn--\u00fc", "TXT", 60, "x"),
    ("WWW", "TXT", 60, '"open'),
    ("@", "TXT", 60, "{{ lookup('pipe', 'id') }}"),
    ("@", "TLSA", 60, "no numbers"),
    ("@", "LOC", 60, "somewhere"),
    ("@", "HTTPS", 60, "1 . alpn=h2,h3"),
    ("@", "CNAME", 60, "elsewhere.example."),
]
NEIGHBOUR = {"host": "ftp", "type": "A", "ttl": 60, "value": "192.0.2.9"}
KEPT = [fields for fields in RECORDS if fields[0] != "www."]


def make_record(host: str, kind: str, ttl: int, value: str) -> dict[str, Any]:
    """Return a record of the zone."""
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


def make_zone_panel(*records: dict[str, Any], **soa: Any) -> MemoryPanel:
    """Return a panel whose zone has some records beside an ordinary one."""
    panel = MemoryPanel(
        {**make_objects(), "/dns": [{"id": 11, "records": [*records, dict(NEIGHBOUR)]}]}
    )
    panel.panel.zones[11].soa.update(soa)
    return panel


def export_zone_item(panel: MemoryPanel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the item of the zone in an export, and the export."""
    result = export_panel(panel)
    return get_item(result, "dns"), result


def list_names() -> Iterator[str]:
    """Yield the names of the cases."""
    return (" ".join(map(str, fields)) for fields in KEPT)


@pytest.mark.parametrize("fields", KEPT, ids=list_names())
def test_an_export_has_an_unusual_record_and_changes_nothing(
    fields: tuple[str, str, int, str], tmp_path: Path
) -> None:
    panel = make_zone_panel(make_record(*fields))
    item, done = export_zone_item(panel)

    assert done["left_out"] == []
    assert len(item["records"]) == 2
    assert {"type": fields[1], "ttl": fields[2], "value": fields[3]}.items() <= {
        **next(entry for entry in item["records"] if entry["host"] != "ftp")
    }.items()

    (tmp_path / "all.yml").write_text(dump_resources(done["resources"]), encoding="utf-8")
    for result in (
        run_items(panel, done["resources"]),
        run_task(build_dns_operation(), panel, item),
        run_items(panel, read_folder(tmp_path, VAULT).resources),
    ):
        assert not result.get("failed"), result["msg"]
        assert result["changed"] is False

    assert panel.writes == []


@pytest.mark.long
@pytest.mark.parametrize("fields", KEPT, ids=list_names())
@pytest.mark.parametrize("purge", [True, False])
@ALONE_AND_IN_BULK
def test_a_change_of_another_record_sends_an_unusual_one_as_it_is(
    fields: tuple[str, str, int, str], purge: bool, in_bulk: bool
) -> None:
    existing = {**make_record(*fields), "comment": "of a later panel"}
    panel = make_zone_panel(dict(existing))
    item, _done = export_zone_item(panel)
    new = {**NEIGHBOUR, "value": "192.0.2.10"}

    if purge:
        item["records"] = [new if each["host"] == "ftp" else each for each in item["records"]]
    else:
        item = {"domain": "acme.example", "records": [new]}

    panel.forget()

    run_item(panel, "dns", item, in_bulk)

    ((method, _path, body),) = panel.writes

    assert method == "PUT", panel.writes
    assert existing in body["records"]["other"], panel.writes
    assert [each for each in body["records"]["other"] if each != existing] == [new]


def is_refused(fields: tuple[str, str, int, str]) -> bool:
    """Whether no task may write a record that the zone does not have."""
    result = run_task(
        build_dns_operation(),
        make_zone_panel(),
        {"domain": "acme.example", "records": [make_record(*fields)]},
        True,
    )
    return bool(result.get("failed"))


REFUSED = [fields for fields in KEPT if is_refused(fields)]


def test_most_unusual_records_are_refused_where_the_zone_does_not_have_them() -> None:
    assert len(REFUSED) >= 13


@pytest.mark.long
@ALONE_AND_IN_BULK
@pytest.mark.parametrize("fields", REFUSED, ids=[" ".join(map(str, fields)) for fields in REFUSED])
def test_a_record_that_the_zone_does_not_have_is_refused_by_name_before_any_write(
    fields: tuple[str, str, int, str], in_bulk: bool
) -> None:
    item = {"domain": "acme.example", "records": [dict(NEIGHBOUR), make_record(*fields)]}
    panel = make_zone_panel()

    result = run_item(panel, "dns", item, in_bulk)

    assert result["failed"], result
    assert "records[1]" in result["msg"], result
    assert (
        repr(fields[0]) in result["msg"]
        or repr(fields[3]) in result["msg"]
        or "a CNAME allows no other" in result["msg"]
    )
    assert "Nothing was written." in result["msg"]
    assert panel.writes == []


@pytest.mark.long
@pytest.mark.parametrize("fields", KEPT, ids=list_names())
def test_an_unusual_record_can_be_taken_away(fields: tuple[str, str, int, str]) -> None:
    panel = make_zone_panel(make_record(*fields))
    item = {"domain": "acme.example", "records": [make_record(*fields)], "state": "absent"}

    result = run_task(build_dns_operation(), panel, item)

    assert not result.get("failed"), result["msg"]

    ((_method, _path, body),) = panel.writes
    assert body["records"]["other"] == [NEIGHBOUR]
    assert run_task(build_dns_operation(), panel, item)["changed"] is False


def test_the_usual_fields_of_an_unusual_record_are_read_as_those_of_any_other() -> None:
    panel = make_zone_panel(make_record("www", "MX", 60, "10 192.0.2.1"))
    spelled = {"host": "WWW.acme.example.", "type": "mx", "ttl": "60", "value": "10 192.0.2.1"}

    result = run_task(
        build_dns_operation(), panel, {"domain": "acme.example", "records": [spelled]}
    )

    assert result["changed"] is False, result

    result = run_task(
        build_dns_operation(),
        panel,
        {"domain": "acme.example", "records": [{**spelled, "ttl": "600"}]},
    )

    assert panel.writes[0][2]["records"]["other"][0] == make_record(
        "www", "MX", 600, "10 192.0.2.1"
    )


SHARED = [make_record("www", "CNAME", 60, "elsewhere.example."), make_record("www", "TXT", 60, "x")]


def test_a_cname_beside_others_stays_where_the_zone_has_it_and_is_refused_elsewhere() -> None:
    panel = make_zone_panel(*SHARED)
    item, result = export_zone_item(panel)

    assert result["left_out"] == []
    assert run_items(panel, {"dns": [item]})["changed"] is False

    item["records"].append(make_record("new", "A", 60, "192.0.2.7"))
    assert run_task(build_dns_operation(), panel, item)["changed"] is True

    usual = make_zone_panel()
    refused = run_task(build_dns_operation(), usual, {"domain": "acme.example", "records": SHARED})

    assert refused["msg"] == (
        "records[0]: a CNAME allows no other record on its host, and www also has records[1] (TXT). Nothing was written."
    )
    assert usual.writes == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("rname", "it@acme.example"), ("primary_ns", "ns1"), ("rname", "a..b."), ("primary_ns", ".")],
)
def test_an_unusual_name_in_the_soa_record_stays_and_is_not_given_to_another_zone(
    name: str, value: str
) -> None:
    panel = make_zone_panel(**{name: value})
    item, result = export_zone_item(panel)

    assert result["left_out"] == []
    assert item["soa"][name] == value
    assert run_items(panel, {"dns": [item]})["changed"] is False

    item["soa"]["ttl"] = 4711
    assert (
        run_task(build_dns_operation(), panel, item)["changed"]
        or panel.writes[0][2]["records"]["soa"][name] == value
    )

    usual = make_zone_panel()
    refused = run_task(
        build_dns_operation(), usual, {"domain": "acme.example", "soa": {name: value}}
    )

    assert refused["msg"].startswith(f"soa.{name}: {value!r} is not accepted")
    assert usual.writes == []


@pytest.mark.parametrize(("name", "value"), [("refresh", 0), ("expire", -1), ("rname", "a b")])
def test_a_field_of_the_soa_record_that_no_item_takes_is_left_out_alone(
    name: str, value: Any
) -> None:
    panel = make_zone_panel(**{name: value})
    item, result = export_zone_item(panel)

    assert name not in item["soa"]
    assert len(item["soa"]) == 6
    assert item["records"]
    assert [(omission["key"], omission["option"]) for omission in result["left_out"]] == [
        ("acme.example", f"soa.{name}")
    ]
    assert run_items(panel, {"dns": [item]})["changed"] is False


@pytest.mark.parametrize(
    "value",
    ["192.0.2.256", "not an address", "-----BEGIN PRIVATE KEY-----MIIE-----END PRIVATE KEY-----"],
)
def test_a_record_that_no_item_takes_is_named_and_stays_through_a_purge(value: str) -> None:
    kind = "TXT" if "KEY" in value else "A"
    held = [
        make_record("www", kind, 60, value),
        make_record("www", kind, 60, "192.0.2.1"),
        make_record("*", "A", 60, "192.0.2.2"),
    ]

    panel = make_zone_panel(*held)
    item, result = export_zone_item(panel)

    assert [entry["host"] for entry in item["records"]] == ["*", "ftp"]
    assert f"www {kind}" in item["protect"]
    assert [omission["option"] for omission in result["left_out"]] == [f"records www {kind}"]
    (warning,) = result["warnings"]
    assert warning.endswith("; left out with it: '192.0.2.1'.")
    assert run_items(panel, {"dns": [item]})["changed"] is False

    item["records"][1]["value"] = "192.0.2.10"
    run_task(build_dns_operation(), panel, item)

    assert panel.writes[0][2]["records"]["other"][:2] == held[:2]


# Whatever a panel may hold

LETTERS = "aAzZ09@._-+/*%!\"'\\ \t\n\0<>()[]{}:;,|\u00fc\u4f8b\u3002\u200b"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=12)
ADDRESS_LIKE = st.one_of(
    TEXTS, st.builds("{}@{}".format, TEXTS, TEXTS), st.sampled_from(ADDRESSES + HOSTS)
)


@given(st.lists(ADDRESS_LIKE, max_size=4), st.sampled_from(["forwardings", "aliases"]))
def test_whatever_a_list_holds_is_kept_or_named(values: list[str], option: str) -> None:
    lists = make_objects()
    lists["/emails"][0][option] = values
    panel = MemoryPanel(lists)
    result = export_panel(panel)
    item = get_item(result, "emails")

    has_plain_texts = all(
        value and value.isprintable() and value == value.strip() for value in values
    )
    assert option in item or not has_plain_texts
    if option in item:
        (row,) = (row for row in KINDS["emails"].fields if row.name == option)
        assert row.type.equals(item[option], values)
    else:
        assert [(omission["kind"], omission["option"]) for omission in result["left_out"]] == [
            ("emails", option)
        ]

    second_run = run_items(panel, result["resources"])

    assert not second_run.get("failed"), second_run["msg"]
    assert second_run["changed"] is False
    assert panel.writes == []


KIND_OF_RECORDS = st.sampled_from(
    ["A", "AAAA", "MX", "SRV", "CNAME", "NS", "TXT", "CAA", "TLSA", "HTTPS", "X-NEW"]
)
# The last ones lie outside of the zone.
HOSTS_OF_RECORDS = ["@", "www", "*", "a.b", "a..b", "x!", "*.*", "ns1.other.example.", "*.x.", "."]
HOST_LIKE = st.one_of(st.sampled_from(HOSTS_OF_RECORDS), TEXTS)
VALUE_LIKE = st.one_of(st.sampled_from([fields[3] for fields in RECORDS]), TEXTS)
RECORD_LIKE = st.builds(
    make_record, HOST_LIKE, KIND_OF_RECORDS, st.sampled_from([60, 0, 3600]), VALUE_LIKE
)


@given(st.lists(RECORD_LIKE, max_size=4))
def test_whatever_a_zone_holds_is_kept_or_named(records: list[dict[str, Any]]) -> None:
    panel = make_zone_panel(*records)
    result = export_panel(panel)
    (zone,) = result["resources"]["dns"]
    named = {omission["option"] for omission in result["left_out"] if omission["kind"] == "dns"}
    omitted_records = {option for option in named if option.startswith("records ")}

    assert len(zone["records"]) == len(records) + 1 or omitted_records
    assert "ftp" in {entry["host"] for entry in zone["records"]}

    second_run = run_items(panel, result["resources"])
    assert not second_run.get("failed"), second_run["msg"]
    assert second_run["changed"] is False
    assert panel.writes == []


# Addresses of mailboxes, and forwardings to others


SENT = [
    ("SRS0=HhH=Tt=example.org=bob@Example.NET", "SRS0=HhH=Tt=example.org=bob@Example.NET"),
    (" Bob.Builder@EXAMPLE.net ", "Bob.Builder@EXAMPLE.net"),
    ("Bob@M\u00fcller.example", "Bob@xn--mller-kva.example"),
    ("Bob@example.net.", "Bob@example.net"),
    ("prvs=0123AbCd=Bob@example.net", "prvs=0123AbCd=Bob@example.net"),
]


@pytest.mark.parametrize(("written", "sent"), SENT)
@ALONE_AND_IN_BULK
def test_a_forwarding_is_sent_as_written_and_unchanged_afterwards(
    written: str, sent: str, in_bulk: bool
) -> None:
    panel = MemoryPanel(make_objects())
    item = {"email": "info@acme.example", "forwardings": [written]}

    first_run = run_item(panel, "emails", item, in_bulk)

    assert first_run["changed"] is True, first_run
    assert panel.writes == [("PUT", "/emails/21", {"forwardings": [sent]})]

    panel.forget()
    second_run = run_item(panel, "emails", item, in_bulk)

    assert second_run["changed"] is False, second_run
    assert panel.writes == []


NO_FORWARDINGS = [
    "mailto:bob@example.net",
    "MAILTO:bob@example.net",
    "bo\u200bb@example.net",
    "\u200ebob@example.net",
    "bob@exa\u200bmple.net",
]


@pytest.mark.parametrize("address", NO_FORWARDINGS)
@ALONE_AND_IN_BULK
def test_a_forwarding_that_reaches_nobody_is_refused_by_its_place(
    address: str, in_bulk: bool
) -> None:
    panel = MemoryPanel(make_objects())
    item = {"email": "info@acme.example", "forwardings": ["a@example.net", address]}

    result = run_item(panel, "emails", item, in_bulk)

    assert result["failed"], result
    assert "forwardings[1]: " in result["msg"]
    assert panel.writes == []


def test_a_forwarding_that_the_panel_has_already_is_no_change() -> None:
    address = "mailto:bob@example.net"
    lists = make_objects()
    lists["/emails"][0]["forwardings"] = [address, "a@example.net"]
    panel = MemoryPanel(lists)

    result = run_item(
        panel,
        "emails",
        {"email": "info@acme.example", "forwardings": ["a@example.net", address]},
        in_bulk=True,
    )

    assert not result.get("failed"), result
    assert panel.writes == []


@pytest.mark.parametrize(
    ("actual", "is_same"),
    [
        ("Bob@xn--mller-kva.example", True),
        ("Bob@M\u00dcLLER.example", True),
        ("Bob@XN--MLLER-KVA.EXAMPLE.", True),
        ("bob@xn--mller-kva.example", False),
        ("BOB@xn--mller-kva.example", False),
        ("Bob@muller.example", False),
    ],
)
def test_forwardings_compare_without_case_in_the_domain_alone(actual: str, is_same: bool) -> None:
    lists = make_objects()
    lists["/emails"][0]["forwardings"] = [actual]

    result = run_task(
        build_resource_operation(KINDS["emails"]),
        MemoryPanel(lists),
        {"email": "info@acme.example", "forwardings": ["Bob@m\u00fcller.example"]},
        check_mode=True,
    )

    assert result["changed"] is not is_same


def test_forwardings_that_differ_in_the_case_of_their_first_part_are_two() -> None:
    panel = MemoryPanel(make_objects())
    written = ["A@x.example", "a@x.example", "A@X.example"]

    run_task(
        build_resource_operation(KINDS["emails"]),
        panel,
        {"email": "info@acme.example", "forwardings": written},
    )

    assert panel.writes == [("PUT", "/emails/21", {"forwardings": ["A@x.example", "a@x.example"]})]


@ALONE_AND_IN_BULK
@pytest.mark.parametrize(
    "value", ["*@acme.example", "@acme.example", " *@acme.example", "*@m\u00fcller.example"]
)
@pytest.mark.parametrize("option", ["aliases", "forwardings", "email"])
def test_what_stands_for_every_address_points_to_catch_all(
    option: str, value: str, in_bulk: bool
) -> None:
    item = (
        {"email": value}
        if option == "email"
        else {"email": "info@acme.example", option: ["b@acme.example", value]}
    )
    subject = option if option == "email" else f"{option}[1]"
    panel = MemoryPanel(make_objects())

    result = run_item(panel, "emails", item, in_bulk)

    assert result["failed"]
    assert (
        f"{subject}: {value!r} stands for every address of a domain; a mailbox takes those with catch_all"
        in result["msg"]
    )
    assert panel.writes == []


FORTY_ADDRESSES = [f"box{number}@acme.example" for number in range(40)]


@ALONE_AND_IN_BULK
@pytest.mark.parametrize("option", ["aliases", "forwardings"])
def test_every_address_that_is_refused_in_a_list_is_named_before_any_request(
    option: str, in_bulk: bool
) -> None:
    panel = MemoryPanel(make_objects())
    item = {"email": "info@acme.example", option: [*FORTY_ADDRESSES, "nobody", "", "a\tb"]}

    result = run_item(panel, "emails", item, in_bulk)

    assert result["failed"]
    assert f"{option}[41]: '' is not accepted; it must be an e-mail address" in result["msg"]
    assert f"{option}[42]: 'a\\tb' is not accepted; it must be an e-mail address" in result["msg"]
    assert panel.calls == []


@ALONE_AND_IN_BULK
@pytest.mark.parametrize("option", ["aliases", "forwardings"])
def test_an_address_without_a_domain_is_refused_after_a_look_at_the_mailbox(
    option: str, in_bulk: bool
) -> None:
    """A panel may have such an address, which only a look at the mailbox tells."""
    panel = MemoryPanel(make_objects())
    item = {"email": "info@acme.example", option: [*FORTY_ADDRESSES, "nobody"]}

    result = run_item(panel, "emails", item, in_bulk)

    assert f"{option}[40]: 'nobody' is not accepted; it must be an e-mail" in result["msg"]
    assert result["msg"].endswith("Nothing was written.")
    assert panel.writes == []


@pytest.mark.parametrize("option", ["aliases", "forwardings"])
def test_a_list_that_cannot_be_kept_is_named_with_its_wrong_and_its_right_entries(
    option: str,
) -> None:
    lists = make_objects()
    lists["/emails"][0][option] = ["b@acme.example", "a\tb", "root", "a@acme.example"]
    panel = MemoryPanel(lists)

    result = export_panel(panel)

    assert option not in get_item(result, "emails")
    (warning,) = result["warnings"]
    assert warning == (
        f"emails: info@acme.example: {option} is left out, since its {option} has 'a\\tb', which the "
        "module does not accept; each entry must be an e-mail address such as info@example.com, in "
        "punycode or UTF-8; left out with it: 'b@acme.example', 'root', 'a@acme.example'."
    )
    assert run_items(panel, result["resources"])["changed"] is False
    assert panel.writes == []
