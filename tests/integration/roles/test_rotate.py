# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.rotate: new passwords that are in the file before the panel has them, whatever happens in between."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, Passwords, RoleRun, assert_failed, plays_of
from tests.support.playbook import MODULE

MakeOperator = Callable[[str], Operator]
PLAYS = plays_of("rotate")
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


def in_file(operator: Operator, name: str) -> Passwords:
    return operator.passwords(operator.folder / "rotation.yml", name)


def assert_nobody_is_locked_out(operator: Operator, before: Passwords) -> None:
    """Every password on the panel is the one from before, or one that the file has."""
    in_force, pending = in_file(operator, "generated_passwords"), in_file(operator, "pending_passwords")
    for name, password in operator.passwords_on_panel().items():
        assert password in (before[name], in_force.get(name), pending.get(name)), name


def test_a_rotation_sets_each_password_once_and_a_second_run_with_its_id_does_nothing(operator: Operator) -> None:
    before = operator.passwords_on_panel()
    check = rotate(operator, "--check")
    assert (check.code, check.writes, check.recap["changed"]) == (0, [], 1), check.text
    assert not (operator.folder / "rotation.yml").exists()
    assert "- emails info@xn--mller-kva.example of beta" in check.text
    file = operator.folder / "rotation.yml"
    assert f"new passwords: 6; they would be in {file}:" in check.said

    first = rotate(operator, "-vvvv")
    assert (first.code, first.writes, first.recap["changed"]) == (0, PUTS, 1), first.text[-3000:]
    assert f"new passwords: 6; they are in {file}:" in first.said
    after = operator.passwords_on_panel()
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
    assert (
        after[CHOSEN[1]]
        != operator.passwords_on_panel()[CHOSEN[1]]
        == in_file(operator, "generated_passwords")[CHOSEN[1]]
    )


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_an_exception_with_a_typing_mistake_is_refused_and_no_password_changes(
    operator: Operator, words: tuple[str, ...]
) -> None:
    before = operator.passwords_on_panel()
    # acme_shop is of a kind that is not rotated this time.
    wish = {
        "rotate_kinds": ["emails"],
        "rotate_objects": {},
        "rotate_except": ["prnter@acme.example", "acme_shop", "beta"],
    }
    run = rotate(operator, *words, **wish)
    assert run.code != 0
    assert "has such a name: prnter@acme.example: did you mean printer@acme.example? Nothing was written." in run.said
    assert (run.writes, operator.passwords_on_panel()) == ([], before)
    assert not (operator.folder / "rotation.yml").exists()


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_too_many_objects_are_named_and_refused(operator: Operator, words: tuple[str, ...]) -> None:
    run = rotate(operator, *words, rotate_max=5)
    assert_failed(
        run,
        "max (rotate_max in the role rotate): 6 objects would get new passwords, and the limit is 5. Nothing was written.",
        "If that is meant, set the limit to 6; otherwise name fewer.",
        "They are: clients acme, emails info@acme.example of acme,",
    )
    assert "check mode" not in run.text


def test_an_object_that_is_shown_without_an_id_is_named(operator: Operator) -> None:
    operator.simulator.settings({"short_lists": {"databases": ["id"]}})
    run = rotate(operator)
    assert_failed(run, "databases acme_shop: the panel shows it without an id")


def test_faults_concern_one_object_and_the_next_run_sets_the_same_passwords(operator: Operator) -> None:
    before = operator.passwords_on_panel()
    operator.simulator.fault(
        [
            {"kind": "status", "status": 400, "body": "json", "method": "PUT", "path": "/clients/2"},
            {"kind": "reset", "when": "after", "method": "PUT", "path": "/emails/4", "times": 9},
            {"kind": "reset", "when": "before", "method": "PUT", "path": "/ftp-users/1", "times": 9},
        ]
    )
    broken = rotate(operator)
    assert broken.code != 0
    assert "3 of 6 objects have their new password, 3 failed, 0 were not tried." in broken.said
    assert "Run again with the same id 2026-11" in broken.said
    assert_nobody_is_locked_out(operator, before)
    pending = in_file(operator, "pending_passwords")
    assert list(pending) == [CHOSEN[0], CHOSEN[2], CHOSEN[5]]

    operator.simulator.clear_faults()
    resumed = rotate(operator)
    assert (resumed.code, resumed.writes) == (0, [PUTS[0], PUTS[2], PUTS[5]]), resumed.text
    after = operator.passwords_on_panel()
    assert {name: after[name] for name in pending} == pending
    assert in_file(operator, "generated_passwords") == {name: after[name] for name in CHOSEN}
    assert in_file(operator, "pending_passwords") == {}


def test_a_panel_that_stops_to_answer_ends_the_run(operator: Operator) -> None:
    before = operator.passwords_on_panel()
    operator.simulator.fault(
        {"kind": "status", "status": 503, "body": "html", "method": "PUT", "path": ".*", "skip": 2, "times": 999}
    )
    broken = rotate(operator)
    assert broken.code != 0
    assert "2 of 6 objects have their new password, 2 failed, 2 were not tried. The panel does not take" in broken.said
    assert set(broken.writes) == set(PUTS[:4])
    assert_nobody_is_locked_out(operator, before)


def test_names_that_are_not_there_and_mistakes_stop_it_before_the_first_write(operator: Operator) -> None:
    missing = rotate(operator, rotate_clients=["nobody", "x*"], rotate_objects={"emails": ["q@acme.example"]})
    assert missing.code != 0
    assert re.search(
        r"Not on this panel: clients nobody, clients x\*, emails q@acme\.example \(did you mean \w+@acme\.example\?\)\. Nothing was written\.",
        missing.said,
    )
    wrong = rotate(operator, vault=False, rotate_kinds=[], rotate_length=8)
    assert wrong.code != 0
    for words in (
        "kinds (rotate_kinds in the role rotate): missing;",
        "length (rotate_length in the role rotate): 8 is not accepted;",
        "this run has no Vault secret",
    ):
        assert words in wrong.said, words
    assert missing.writes + wrong.requests == []
    assert not (operator.folder / "rotation.yml").exists()
