# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.offboard: from the first look at a customer to the day after the deletion."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import OWNED, TABLES
from tests.integration.roles.operators import Operator, RoleRun, assert_failed, plays_of
from tests.support import pem
from tests.support.mixed_panel import mixed_panel

PLAYS = plays_of("offboard")
SECRETS = {"password_hashes": "written_and_shown", "private_keys": "shown"}
CLIENT = "client-001"
TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'echo evaluated') }}"
MakeOperator = Callable[[str], Operator]
Files = dict[str, bytes]
PATHS = {kind: TABLES[kind].path for kind in ("clients", *OWNED)}


def _start(make_operator: MakeOperator, name: str) -> Operator:
    operator = make_operator(name)
    operator.simulator.settings({"status_delay": 0, **SECRETS})
    seed = mixed_panel(pem.texts(), clients=3)
    seed["scheduled_tasks"].append(
        {"client": CLIENT, "description": TEMPLATE, "type": "http", "command": "https://a.example"}
    )
    operator.simulator.seed(seed)
    return operator


def _archives(operator: Operator) -> Path:
    return operator.folder / "archives"


def _files(operator: Operator) -> Files:
    found = [path for path in _archives(operator).rglob("*") if path.is_file()]
    return {path.relative_to(_archives(operator)).as_posix(): path.read_bytes() for path in sorted(found)}


def _run(operator: Operator, *words: str, **variables: Any) -> RoleRun:
    usual = {"offboard_client": CLIENT, "offboard_archive_dir": str(_archives(operator))}
    return operator.run(PLAYS, {**usual, **variables}, *words, vault=False)


class Offboarding(SimpleNamespace):
    """The runs of one offboarding, and what was in the folder of archives after some of them."""


@pytest.fixture(scope="module")
def offboarding(make_operator: MakeOperator) -> Offboarding:
    operator = _start(make_operator, "offboarding")
    made = Offboarding(before=operator.simulator.state()["objects"])
    confirmed = {"offboard_action": "delete", "offboard_confirm": CLIENT}
    made.check, made.after_check = _run(operator, "--check", **confirmed), _files(operator)
    made.suspend, made.archive = _run(operator, "-vvvv", "--diff"), _files(operator)
    made.modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in _archives(operator).rglob("*")}
    suspended = {item["username"]: item["is_suspended"] for item in operator.simulator.objects("clients")}
    made.was_suspended = suspended[CLIENT]
    made.again, made.after_again = _run(operator), _files(operator)
    made.unconfirmed = _run(operator, offboard_action="delete", offboard_confirm="client-002")
    made.delete, made.gone = _run(operator, **confirmed), _run(operator, **confirmed)
    folder = {"panel_dir": str(next(_archives(operator).iterdir())), "panel_passwords_file": str(operator.credentials)}
    made.way_back = operator.run("hosting.panel.apply", folder, "--check")
    made.after = operator.simulator.state()["objects"]
    return made


def _document(offboarding: Offboarding, name: str) -> Any:
    content = next(content for path, content in offboarding.archive.items() if path.endswith(f"/{name}"))
    return json.loads(content) if name.endswith(".json") else content.decode()


def test_check_mode_shows_what_would_go_and_writes_nothing_anywhere(offboarding: Offboarding) -> None:
    assert offboarding.check.code == 0, offboarding.check.text
    assert offboarding.check.writes == []
    assert offboarding.after_check == {}
    assert '"databases: client-001_blog, client-001_shop"' in offboarding.check.text
    assert "would be deleted" in offboarding.check.text
    assert "archive that would be written: " in offboarding.check.text
    assert '"archive: ' in offboarding.suspend.text
    assert offboarding.check.recap["changed"] == 2


def test_a_customer_is_archived_and_suspended_with_one_write(offboarding: Offboarding) -> None:
    assert offboarding.suspend.code == 0, offboarding.suspend.text[-3000:]
    assert offboarding.was_suspended
    writes = [request for request in offboarding.suspend.requests if request["method"] != "GET"]
    assert [(request["method"], request["body"]) for request in writes] == [("PUT", {"is_suspended": True})]
    assert offboarding.suspend.requests[-1]["method"] == "PUT"


def test_a_second_run_changes_neither_the_panel_nor_the_archive(offboarding: Offboarding) -> None:
    assert offboarding.again.code == 0, offboarding.again.text
    assert offboarding.again.writes == []
    assert offboarding.again.recap["changed"] == 0
    assert offboarding.after_again == offboarding.archive
    assert "is suspended already" in offboarding.again.text


def test_the_archive_is_for_its_owner_only(offboarding: Offboarding) -> None:
    assert offboarding.modes == {(True, 0o700), (False, 0o600)}


def test_the_archive_has_everything_of_the_client_and_nothing_of_others(offboarding: Offboarding) -> None:
    owner = next(item["id"] for item in offboarding.before["clients"] if item["data"]["username"] == CLIENT)
    kinds = set(_document(offboarding, "manifest.json")["objects"])
    assert kinds == {
        kind
        for kind, items in offboarding.before.items()
        if any(item["data"].get("id_user") == owner for item in items)
    }
    for kind in kinds:
        expected = {item["id"] for item in offboarding.before[kind] if item["data"]["id_user"] == owner}
        assert {item["id"] for item in _document(offboarding, f"{kind}.json")} == expected
    assert len(_document(offboarding, "traffic.json")) == 12
    assert _document(offboarding, "stats.json")["email_accounts"]["value"] == 3
    assert _document(offboarding, "client.json")["is_suspended"] is False


def test_zones_certificates_and_the_way_back_are_files_of_their_own(offboarding: Offboarding) -> None:
    names = {path.partition("/")[2] for path in offboarding.archive}
    assert {"zones/client-001.xn--mller-kva.example.zone", "certificates/client-001_2026.pem"} <= names
    assert "192.0.2.9" in _document(offboarding, "client-001.xn--mller-kva.example.zone")
    assert _document(offboarding, "client-001_2026.pem").count("BEGIN CERTIFICATE") == 2, "its own and the chain"
    rebuild = yaml.load(_document(offboarding, "rebuild.yml").replace("!unsafe", "!!str"), yaml.SafeLoader)
    assert [(client["username"], client["is_suspended"]) for client in rebuild["clients"]] == [(CLIENT, False)]


def test_no_secret_is_in_the_archive_or_the_output(offboarding: Offboarding) -> None:
    hidden = {
        str(secret)
        for items in offboarding.before.values()
        for item in items
        for name, secret in item["hidden"].items()
        if secret and name != "dkim_secret"
    }
    assert hidden
    texts = [content.decode() for content in offboarding.archive.values()] + [offboarding.suspend.text]
    for text in texts:
        assert "PRIVATE KEY" not in text
        assert [secret for secret in hidden if secret in text] == []


def test_what_a_customer_wrote_is_not_evaluated(offboarding: Offboarding) -> None:
    assert "lookup(" in offboarding.delete.text
    assert ":evaluated" not in offboarding.delete.text
    assert TEMPLATE in [task["description"] for task in _document(offboarding, "scheduled_tasks.json")]


def test_a_deletion_without_the_right_name_is_refused_and_says_what_would_go(offboarding: Offboarding) -> None:
    run = offboarding.unconfirmed
    assert_failed(run)
    said = run.said
    assert 'offboard_confirm is "client-002"' in said.replace("\\", "")
    assert "deletes the client, 1 certificates, 5 domains, 3 emails, 2 databases" in said


def test_a_confirmed_deletion_takes_the_client_and_leaves_the_others(offboarding: Offboarding) -> None:
    assert offboarding.delete.code == 0, offboarding.delete.text
    owner = next(item["id"] for item in offboarding.before["clients"] if item["data"]["username"] == CLIENT)
    assert offboarding.delete.writes == [f"DELETE /clients/{owner}"]
    for kind, items in offboarding.before.items():
        member = "id_user" if kind != "clients" else "username"
        kept = {item["id"] for item in items if item["data"].get(member) not in (owner, CLIENT)}
        assert {item["id"] for item in offboarding.after[kind]} == kept


def test_a_run_after_the_deletion_finds_the_archive_and_changes_nothing(offboarding: Offboarding) -> None:
    assert offboarding.gone.code == 0, offboarding.gone.text
    assert offboarding.gone.recap["changed"] == 0
    assert offboarding.gone.writes == []
    assert "is gone already, and its archive is whole" in offboarding.gone.text


def test_an_archive_is_a_folder_that_brings_the_customer_back(offboarding: Offboarding) -> None:
    assert offboarding.way_back.code == 0, offboarding.way_back.text
    assert f'"create  clients {CLIENT}"' in offboarding.way_back.text
    assert '"create  databases client-001_shop"' in offboarding.way_back.text


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    return _start(make_operator, "mishaps")


def test_a_mishap_before_the_deletion_leaves_the_client_as_it_is(operator: Operator) -> None:
    confirmed = {"offboard_action": "delete", "offboard_confirm": CLIENT}
    operator.simulator.fault({"kind": "status", "status": 403, "path": "/traffic$", "skip": 7, "body": "json"})
    unread = _run(operator, **confirmed)
    assert_failed(unread)
    assert _files(operator) == {}
    assert "Reading the client" in unread.text

    assert _run(operator).code == 0
    manifest = next(_archives(operator).glob("*/manifest.json"))
    dump = manifest.with_name("shop.sql")
    dump.write_text("INSERT", encoding="utf-8")
    for words in ((), ("--check",)):
        refused = _run(operator, *words, **confirmed)
        assert "shop.sql would be lost" in refused.said, "also where the archive is up to date"
        assert (refused.code != 0, refused.writes) == (True, [])
    dump.unlink()
    _delete_a_database(operator)
    before = manifest.read_bytes()
    fewer = _run(operator)
    assert fewer.code == 0, fewer.text
    (kept,) = _archives(operator).glob(f"{manifest.parent.name}.*/manifest.json")
    assert kept.read_bytes() == before, "an archive that has more stays"
    assert f"what the client has no more is in: {kept.parent}" in fewer.text

    (manifest.parent / "emails.json").write_text("[]", encoding="utf-8")
    repaired = _run(operator, "--check", **confirmed)
    assert repaired.recap["changed"] == 2, "a damaged archive counts as none"


# Clients are listed three times: to look, for the archive's way back, and to delete; the archive begins with the client itself.
BEFORE_ARCHIVE = {"path": "^/clients/"}
BEFORE_DELETION = {"path": "^/clients$", "skip": 2}


@pytest.mark.parametrize("when", [BEFORE_ARCHIVE, BEFORE_DELETION], ids=["before the archive", "before the deletion"])
@pytest.mark.parametrize("collection", ["clients", *OWNED])
def test_what_somebody_made_anew_under_the_same_names_is_not_deleted(
    anew: Operator, collection: str, when: dict[str, Any]
) -> None:
    found = anew.simulator.request("GET", PATHS[collection]).json()
    old = next(item for item in found if CLIENT in (item.get("username"), _owner(anew, item)))
    before = anew.simulator.state()["objects"]
    remade = {"kind": "remake", "collection": collection, "ids": [old["id"]], "method": "GET", "when": "before"}
    anew.simulator.fault({**remade, **when})
    run = _run(anew, offboard_action="delete", offboard_confirm=CLIENT)
    said = run.said
    assert (run.code != 0, run.writes) == (True, []), said[-3000:]
    assert re.search(rf"{collection} [^;]+ \(id {old['id']}\) is there no more", said), said[-3000:]
    assert re.search(rf"{collection} [^;]+ \(id \d+\) was not there", said), said[-3000:]
    assert {kind: len(items) for kind, items in anew.simulator.state()["objects"].items()} == {
        kind: len(items) for kind, items in before.items()
    }


@pytest.mark.parametrize("collection", ["clients", "emails", "scheduled_tasks"])
def test_what_was_made_anew_since_it_was_listed_is_neither_archived_nor_suspended(
    anew: Operator, collection: str
) -> None:
    found = anew.simulator.request("GET", PATHS[collection]).json()
    old = next(item for item in found if CLIENT in (item.get("username"), _owner(anew, item)))
    before = _files(anew)
    remade = {"kind": "remake", "collection": collection, "ids": [old["id"]], "method": "GET", "when": "before"}
    anew.simulator.fault({**remade, **BEFORE_ARCHIVE})
    run = _run(anew)
    said = run.said
    assert (run.code != 0, run.writes) == (True, []), said[-3000:]
    assert re.search(rf"{collection} [^;]+ \(id {old['id']}\) is there no more", said), said[-3000:]
    assert "No archive was written" in said
    assert _files(anew) == before


def test_a_client_that_was_made_anew_after_the_archive_is_not_suspended(anew: Operator) -> None:
    one = re.compile(r"/clients/(\d+|name/[^/]+)$")
    looks = sum(
        request["method"] == "GET" and bool(one.search(request["path"])) for request in _run(anew, "--check").requests
    )
    (old,) = [client["id"] for client in anew.simulator.objects("clients") if client["username"] == CLIENT]
    remade = {"kind": "remake", "collection": "clients", "ids": [old], "method": "GET", "when": "before"}
    anew.simulator.fault({**remade, "path": one.pattern, "skip": looks - 1})
    run = _run(anew)
    assert_failed(run, f"the panel has no client with id {old}")
    (new,) = [client for client in anew.simulator.objects("clients") if client["username"] == CLIENT]
    assert (new["id"] != old, new["is_suspended"]) == (True, False)


def test_a_mailbox_that_came_after_the_archive_stops_the_deletion_and_is_named(anew: Operator) -> None:
    emails = anew.simulator.request("GET", "/emails").json()
    more = {**next(item for item in emails if CLIENT in item["email"]), "id": 999, "email": f"new@{CLIENT}.example"}
    late = {"kind": "body", "path": "^/emails$", "method": "GET", "skip": 3, "times": 0, "body": [*emails, more]}
    anew.simulator.fault(late)
    run = _run(anew, offboard_action="delete", offboard_confirm=CLIENT)
    anew.simulator.clear_faults()
    assert_failed(run, f"emails new@{CLIENT}.example (id 999) was not there")


def _owner(operator: Operator, item: Mapping[str, Any]) -> Any:
    owners = {client["id"]: client["username"] for client in operator.simulator.objects("clients")}
    return owners.get(item.get("id_user"))


@pytest.fixture(scope="module")
def anew(make_operator: MakeOperator) -> Operator:
    return _start(make_operator, "anew")


def _delete_a_database(operator: Operator) -> None:
    databases = operator.simulator.request("GET", "/databases").json()
    number = next(item["id"] for item in databases if item["database_name"] == f"{CLIENT}_shop")
    assert operator.simulator.request("DELETE", f"/databases/{number}").status_code == 204


@pytest.mark.parametrize("words", [(), ("--check",)], ids=["real", "check mode"])
def test_without_the_library_for_zones_nothing_is_done_even_for_a_client_without_zones(
    operator: Operator, words: tuple[str, ...]
) -> None:
    missing = operator.folder / "missing" / "dns" / "__init__.py"
    missing.parent.mkdir(parents=True, exist_ok=True)
    missing.write_text("raise ImportError('dnspython')\n", encoding="utf-8")
    operator.simulator.seed({"clients": [{"username": "zoneless", "hosting_plan": "Business"}]})
    variables = {"offboard_client": "zoneless", "offboard_archive_dir": str(operator.folder / "none")}
    paths = os.pathsep.join([str(missing.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = operator.run(PLAYS, variables, *words, vault=False, environment={"PYTHONPATH": paths})
    said = run.said
    assert (run.code != 0, run.writes) == (True, [])
    assert (
        "Zone files: the Python library dnspython is not installed for the Python that runs Ansible; install it there"
        in said
    )
    assert "No archive was written." in said
    assert not (operator.folder / "none").exists()


def test_a_number_that_is_a_username_may_be_confirmed_as_a_text(operator: Operator) -> None:
    operator.simulator.seed({"clients": [{"username": "1001", "hosting_plan": "Business", "email": "a@b.example"}]})
    run = _run(operator, "--check", offboard_client=1001, offboard_action="delete", offboard_confirm="1001")
    assert run.code == 0, run.text
    assert "the client 1001 would be deleted" in run.text


def test_a_client_that_never_was_is_an_error(operator: Operator) -> None:
    run = _run(operator, offboard_client="nobody")
    assert_failed(run, "there is no client nobody")
