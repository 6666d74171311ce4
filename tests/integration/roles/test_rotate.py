# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.rotate: new passwords that are in the file before the panel has them, whatever happens in between."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import Operator, RoleRun
from tests.support.killing import end_workers, kill_with_children, start_playbook, wait_for_rest, wait_for_writes
from tests.support.playbook import MODULE, write_inventory

MakeOperator = Callable[[str], Operator]
Passwords = dict[tuple[str, str], str]
PLAYS = [{"name": "Rotate", "hosts": "localhost", "gather_facts": False, "roles": [{"role": "hosting.panel.rotate"}]}]
SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "müller.example", "client": "beta"}],
    "emails": [
        {"email": "info@acme.example"},
        {"email": "printer@acme.example"},
        {"email": "sales@acme.example"},
        {"email": "info@müller.example"},
    ],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_web", "client": "acme"}],
}
EVERYTHING: dict[str, Any] = {
    "rotate_id": "2026-11",
    "rotate_kinds": ["clients", "emails", "databases", "ftp_users"],
    "rotate_plans": ["Business"],
    "rotate_objects": {"emails": ["info@MÜLLER.example"]},
    "rotate_except": ["printer@*"],
    "rotate_credentials_file": "rotation.yml",
}
CHOSEN = [
    ("clients", "acme"),
    ("emails", "info@acme.example"),
    ("emails", "info@xn--mller-kva.example"),
    ("emails", "sales@acme.example"),
    ("databases", "acme_shop"),
    ("ftp_users", "acme_web"),
]
PUTS = ["PUT /clients/2", "PUT /emails/1", "PUT /emails/4", "PUT /emails/3", "PUT /databases/1", "PUT /ftp-users/1"]


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    made = make_operator("rotation")
    made.simulator.seed(SEED)
    return made


def rotate(operator: Operator, *words: str, way: str = "in process", vault: bool = True, **variables: Any) -> RoleRun:
    shown = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml", "PANEL_RETRY_TIME": "0"}
    return operator.run(PLAYS, {**EVERYTHING, **variables}, *words, way=way, vault=vault, environment=shown)


def on_panel(operator: Operator) -> Passwords:
    keys = {"clients": "username", "emails": "email", "databases": "database_name", "ftp_users": "username"}
    state = operator.simulator.state()["objects"]
    return {(kind, item["data"][key]): item["hidden"]["password"] for kind, key in keys.items() for item in state[kind]}


def in_file(operator: Operator, name: str) -> Passwords:
    content = yaml.safe_load(operator.vault("view", str(operator.folder / "rotation.yml")))
    return {(entry["kind"], entry["key"]): entry["password"] for entry in content.get(name, [])}


def assert_nobody_is_locked_out(operator: Operator, before: Passwords) -> None:
    """Every password on the panel is the one from before, or one that the file has."""
    in_force, pending = in_file(operator, "generated_passwords"), in_file(operator, "pending_passwords")
    for name, password in on_panel(operator).items():
        assert password in (before[name], in_force.get(name), pending.get(name)), name


def words_of(run: RoleRun) -> str:
    return " ".join(run.text.split()).replace("''", "'")  # as YAML writes them


def test_a_rotation_sets_each_password_once_and_a_second_run_with_its_id_does_nothing(operator: Operator) -> None:
    before = on_panel(operator)
    check = rotate(operator, "--check")
    assert (check.code, check.writes, check.recap["changed"]) == (0, [], 1), check.text
    assert not (operator.folder / "rotation.yml").exists()
    assert "- emails info@xn--mller-kva.example of beta" in check.text
    file = operator.folder / "rotation.yml"
    assert f"new passwords: 6; they would be in {file}:" in words_of(check)

    first = rotate(operator, "-vvvv")
    assert (first.code, first.writes, first.recap["changed"]) == (0, PUTS, 1), first.text[-3000:]
    assert f"new passwords: 6; they are in {file}:" in words_of(first)
    after = on_panel(operator)
    assert [name for name in before if after[name] != before[name]] == sorted(CHOSEN, key=list(before).index)
    assert in_file(operator, "generated_passwords") == {name: after[name] for name in CHOSEN}
    assert [name for name in CHOSEN if after[name] in first.text] == []
    assert [set(request["body"]) for request in first.requests if request["method"] == "PUT"] == [{"password"}] * 6

    encrypted = (operator.folder / "rotation.yml").read_bytes()
    second = rotate(operator)
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text
    assert "Nothing to do: all 6 have theirs already" in second.text
    assert (operator.folder / "rotation.yml").read_bytes() == encrypted
    one = {"rotate_plans": [], "rotate_objects": {"emails": ["info@acme.example"]}, "rotate_id": "2026-12"}
    another = rotate(operator, way=MODULE, **one)
    assert (another.code, another.writes) == (0, PUTS[1:2]), another.text
    assert after[CHOSEN[1]] != on_panel(operator)[CHOSEN[1]] == in_file(operator, "generated_passwords")[CHOSEN[1]]


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_an_exception_with_a_typing_mistake_is_refused_and_no_password_changes(
    operator: Operator, words: tuple[str, ...]
) -> None:
    before = on_panel(operator)
    # acme_shop is of a kind that is not rotated this time.
    wish = {
        "rotate_kinds": ["emails"],
        "rotate_objects": {},
        "rotate_except": ["prnter@acme.example", "acme_shop", "beta"],
    }
    run = rotate(operator, *words, **wish)
    assert run.code != 0
    assert "has such a name: prnter@acme.example: did you mean printer@acme.example? Nothing was written." in words_of(
        run
    )
    assert (run.writes, on_panel(operator)) == ([], before)
    assert not (operator.folder / "rotation.yml").exists()


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_too_many_objects_are_named_and_refused(operator: Operator, words: tuple[str, ...]) -> None:
    run = rotate(operator, *words, rotate_max=5)
    assert run.code != 0
    assert (
        "the limit is 5. Nothing was written. If that is meant, set the limit to 6; otherwise name fewer."
        in words_of(run)
    )
    assert "They are: clients acme, emails info@acme.example of acme," in words_of(run)
    assert "check mode" not in run.text
    assert run.writes == []


def test_an_object_that_is_shown_without_an_id_is_named(operator: Operator) -> None:
    operator.simulator.settings({"short_lists": {"databases": ["id"]}})
    run = rotate(operator)
    assert run.code != 0
    assert "databases acme_shop: the panel shows it without an id" in words_of(run)
    assert run.writes == []


def test_faults_concern_one_object_and_the_next_run_sets_the_same_passwords(operator: Operator) -> None:
    before = on_panel(operator)
    operator.simulator.fault(
        [
            {"kind": "status", "status": 400, "body": "json", "method": "PUT", "path": "/clients/2"},
            {"kind": "reset", "when": "after", "method": "PUT", "path": "/emails/4", "times": 9},
            {"kind": "reset", "when": "before", "method": "PUT", "path": "/ftp-users/1", "times": 9},
        ]
    )
    broken = rotate(operator)
    assert broken.code != 0
    assert "3 of 6 objects have their new password, 3 failed, 0 were not tried." in words_of(broken)
    assert "Run again with the same id 2026-11" in words_of(broken)
    assert_nobody_is_locked_out(operator, before)
    pending = in_file(operator, "pending_passwords")
    assert list(pending) == [CHOSEN[0], CHOSEN[2], CHOSEN[5]]

    operator.simulator.clear_faults()
    resumed = rotate(operator)
    assert (resumed.code, resumed.writes) == (0, [PUTS[0], PUTS[2], PUTS[5]]), resumed.text
    after = on_panel(operator)
    assert {name: after[name] for name in pending} == pending
    assert in_file(operator, "generated_passwords") == {name: after[name] for name in CHOSEN}
    assert in_file(operator, "pending_passwords") == {}


def test_a_panel_that_stops_to_answer_ends_the_run(operator: Operator) -> None:
    before = on_panel(operator)
    operator.simulator.fault(
        {"kind": "status", "status": 503, "body": "html", "method": "PUT", "path": ".*", "skip": 2, "times": 999}
    )
    broken = rotate(operator)
    assert broken.code != 0
    assert "2 of 6 objects have their new password, 2 failed, 2 were not tried. The panel does not take" in words_of(
        broken
    )
    assert set(broken.writes) == set(PUTS[:4])
    assert_nobody_is_locked_out(operator, before)


def test_a_run_that_is_killed_is_completed_with_the_passwords_of_the_file(operator: Operator) -> None:
    before = on_panel(operator)
    operator.simulator.settings({"write_latency": 60})
    connection = {"api_url": operator.simulator.url, "api_key": operator.simulator.api_key}
    play = {**PLAYS[0], "module_defaults": {"group/hosting.panel.panel": connection}, "vars": EVERYTHING}
    playbook = operator.folder / "playbook.yml"
    playbook.write_text(json.dumps([play]), encoding="utf-8")
    words = ["-i", str(write_inventory(operator.folder)), "--vault-password-file", str(operator.vault_password_file)]
    process = start_playbook([*words, str(playbook)], operator.folder, "in process")
    assert wait_for_writes(operator.simulator, 3, lambda: process.poll() is None)
    kill_with_children(process)
    wait_for_rest(operator.simulator)
    end_workers(operator.folder)
    assert_nobody_is_locked_out(operator, before)
    new = {**in_file(operator, "generated_passwords"), **in_file(operator, "pending_passwords")}
    assert list(in_file(operator, "pending_passwords")) != []

    resumed = rotate(operator)
    assert resumed.code == 0, resumed.text
    after = on_panel(operator)
    assert {name: after[name] for name in CHOSEN} == new == in_file(operator, "generated_passwords")


def test_names_that_are_not_there_and_too_many_objects_stop_it_before_the_first_write(operator: Operator) -> None:
    missing = rotate(operator, rotate_clients=["nobody", "x*"], rotate_objects={"emails": ["q@acme.example"]})
    assert missing.code != 0
    assert re.search(
        r"Not on this panel: clients nobody, clients x\*, emails q@acme\.example \(did you mean \w+@acme\.example\?\)\. Nothing was written\.",
        words_of(missing),
    )
    many = rotate(operator, rotate_max=5)
    assert many.code != 0
    assert "max: 6 objects would get new passwords, and the limit is 5. Nothing was written." in words_of(many)
    wrong = rotate(operator, vault=False, rotate_kinds=[], rotate_length=8)
    assert wrong.code != 0
    for words in ("kinds: missing;", "length: 8 is not accepted;", "this run has no Vault secret"):
        assert words in words_of(wrong), words
    assert missing.writes + many.writes + wrong.requests == []
    assert not (operator.folder / "rotation.yml").exists()
