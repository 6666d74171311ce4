"""Panels that write what is on or off, and numbers, as others do not: every answer is read as the same one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, OBJECT
from ansible_collections.hosting.panel.plugins.module_utils._object import managing
from ansible_collections.hosting.panel.plugins.module_utils._object.objects import checked_list, checked_object
from panel_simulator.fields import Members
from panel_simulator.kinds import KINDS as SIMULATED
from panel_simulator.values import Bytes, Flag, Number
from tests.unit.plugins.module_utils.test_other_panels import LAYOUT, SUBDOMAIN, Panel
from tools.layout import ROOT

SPELLINGS: dict[str, dict[str, Any]] = {
    "switches as numbers": {"switches": "numbers"},
    "switches as texts": {"switches": "texts"},
    "numbers as texts": {"numbers": "texts"},
    "all as texts": {"switches": "texts", "numbers": "texts"},
}
SPELLED = pytest.mark.parametrize("spelling", list(SPELLINGS))
WORLD: dict[str, Any] = {
    "plans": [{"name": "Basic", "resources": {"domains": 5, "disk_space": -1}, "permissions": {"dns_editor": True}}],
    "admins": [{"username": "ops", "email": "ops@acme.example", "is_super_admin": False}],
    "clients": [{"username": "globex", "email": "it@globex.example", "is_suspended": True}],
    "domains": [
        {"domain": "more.example", "client": "acme", "is_email_domain": True, "security": {"is_hsts": True}},
        {"domain": "to.example", "client": "acme", "target": {"target": "https://x.example", "forwarding_type": 301}},
    ],
    "emails": [{"email": "info@more.example", "max_size": 2**30}, {"email": "two@more.example", "catch_all": True}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_ftp", "client": "acme"}],
    "directory_protections": [{"client": "acme", "path": "/shop", "username": "staff"}],
    "scheduled_tasks": [{"client": "acme", "description": "backup", "type": "exec", "command": "/bin/true"}],
}
READS: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"{kind.singular}_info": (f"panel_{kind.singular}_info", {}) for kind in KINDS.values()},
    "main domains": ("panel_domain_info", {"main_domains": True}),
    "subdomains": ("panel_domain_info", {"subdomains": True}),
    "without system domains": ("panel_domain_info", {"system_domains": False}),
    "export": ("panel_resources_info", {}),
    "server": ("panel_server_info", {}),
    "client with all": ("panel_client_info", {"username": "acme", "include": ["resources", "stats", "traffic"]}),
}


@SPELLED
@pytest.mark.parametrize("read", list(READS))
def test_what_is_read_is_the_same_however_the_panel_writes_it(read: str, spelling: str) -> None:
    module, options = READS[read]
    panel = Panel(WORLD)
    plain = panel.run(read, module, options)
    panel.panel.settings.merge(SPELLINGS[spelling])
    spelled = panel.run(read, module, options)
    assert plain.outcome == "ok", plain.msg
    for ran in (plain, spelled):
        # Fractions, which nobody counts with.
        ran.result.get("server", {}).pop("utilization", None)
    assert spelled.result == plain.result


# Each member


def _members(fields: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for field in fields:
        if isinstance(field.value, Members):
            yield from _members(field.value.fields, (*path, field.name))
        elif isinstance(field.value, (Flag, Number, Bytes)):
            yield (*path, field.name), field.value


DECLARED = {
    f"{plural}.{'.'.join(path)}": (path, value)
    for plural, kind in SIMULATED.items()
    for path, value in _members(kind.fields)
}


@pytest.mark.parametrize("member", list(DECLARED))
def test_each_switch_and_number_that_a_panel_has_is_taken_in_its_own_type(member: str) -> None:
    path, value = DECLARED[member]
    number = 301 if path[-1] == "forwarding_type" else 17
    meant = {"0": False, "1": True} if isinstance(value, Flag) else {str(number): number}
    for text, own in meant.items():
        for spelled in (text, int(text)):
            shown: Any = spelled
            for name in reversed(path):
                shown = {name: shown}
            taken: Any = checked_object(shown, "/any")
            for name in path:
                taken = taken[name]
            assert (type(taken), taken) == (type(own), own)


def _read_in(source: str) -> Iterator[str]:
    """The names of members that code asks a dictionary for."""
    for node in ast.walk(ast.parse(source)):
        asked: list[Any] = []
        if isinstance(node, ast.Subscript):
            asked = [node.slice]
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            asked = node.args if name in ("get", "flag", "pop") else []
        yield from (one.value for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str))


# Members of results and options, which no panel has.
OF_OUR_OWN = ("is_compared", "is_over", "is_read", "is_shared")


def _names(members: Any) -> Iterator[str]:
    for name, how in members.items():
        yield from [name] if callable(how) else _names(how)


def test_each_switch_that_the_code_asks_an_object_for_is_one_that_is_taken() -> None:
    read = {
        name: path.relative_to(ROOT)
        for path in sorted((ROOT / "plugins").rglob("*.py"))
        for name in _read_in(path.read_text(encoding="utf-8"))
        if name.startswith("is_") and name not in OF_OUR_OWN
    }
    assert {"is_system_domain", "is_subdomain", "is_suspended"} <= read.keys()
    assert {name: where for name, where in read.items() if name not in set(_names(OBJECT))} == {}


@pytest.mark.parametrize("odd", ["", "perhaps", None, "17.5", "1e3", "-2", "1G", "9" * 30, {"a": "1"}, ["1"], 2.5])
def test_what_is_neither_a_number_nor_a_switch_stays_as_it_is(odd: Any) -> None:
    item = {"is_system_domain": odd, "traffic": odd, "status": odd, "security": odd}
    assert checked_list([dict(item)], "/any") == [item]


# What is decided by them


@SPELLED
@LAYOUT
def test_the_last_main_administrator_stays(in_bulk: bool, spelling: str) -> None:
    panel = Panel(WORLD, **SPELLINGS[spelling])
    main = next(one["username"] for one in panel.objects("admins") if one["is_main_admin"])
    ran = panel.task("admins", {"username": main, "state": "absent"}, in_bulk)
    assert (ran.outcome, ran.writes) == ("failed", []), ran.msg
    assert "is the last one with is_main_admin" in ran.msg


@SPELLED
@LAYOUT
def test_a_mailbox_in_a_domain_without_mail_is_refused_before_it_is_written(in_bulk: bool, spelling: str) -> None:
    panel = Panel({"domains": [{"domain": "web.example", "client": "acme", "is_email_domain": False}]})
    panel.panel.settings.merge(SPELLINGS[spelling])
    ran = panel.task("emails", {"email": "info@web.example"}, in_bulk)
    assert (ran.outcome, ran.writes) == ("failed", []), ran.msg


@SPELLED
def test_what_is_waited_for_comes_to_its_end(spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managing, "INTERVAL", 0.001)
    ran = Panel(**SPELLINGS[spelling], status_delay=0.3).task("clients", {"username": "new", "wait": True})
    assert ran.outcome == "ok", ran.msg


@SPELLED
def test_a_purge_leaves_the_domains_that_the_panel_made(spelling: str) -> None:
    panel = Panel({"clients": [{"username": "globex", "create_system_domain": True}]}, **SPELLINGS[spelling])
    there = [one["domain"] for one in panel.objects("domains")]
    assert len(there) == 3
    wanted = {"resources": {"domains": [{"domain": "acme.example"}]}, "purge": ["domains"], "max_deletes": 9}
    ran = panel.run("purge", "panel_resources", wanted)
    assert (ran.outcome, ran.changed) == ("ok", True), ran.msg
    assert [one["domain"] for one in panel.objects("domains")] == [name for name in there if name != SUBDOMAIN]


@SPELLED
@LAYOUT
def test_what_is_right_is_not_written_again(in_bulk: bool, spelling: str) -> None:
    panel = Panel(WORLD, **SPELLINGS[spelling])
    tls = {"domain": "more.example", "security": {"is_hsts": True, "lets_encrypt": True}}
    runs = [panel.task("domains", tls, in_bulk) for _time in range(2)]
    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[1].msg
    assert runs[0].writes[0]["body"]["security"].get("id_certificate", 0) == 0


@SPELLED
@LAYOUT
def test_dns_is_switched_once(in_bulk: bool, spelling: str) -> None:
    panel = Panel(**SPELLINGS[spelling])
    for is_disabled in (True, False):
        task = {"domain": "acme.example", "is_dns_disabled": is_disabled}
        runs = [panel.task("dns", task, in_bulk) for _time in range(2)]
        assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[0].msg
