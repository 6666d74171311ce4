# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.suspend: a list of clients, a table of what became of them, and nothing written twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, RoleRun, assert_failed, assert_refused, plays_of
from tests.support.playbook import MODULE

PLAYS = plays_of("suspend")
LIST = (
    "\ufeffUsername;Due;Reason\r\n"
    "acme;2026-10-01;Invoice 4650\r\n"
    'beta;01.11.2026;"Invoice; 4711"\r\n'
    "gamma;2026-11-20;{{ 6 * 7 }}\r\n"
    "delta;;\r\n"
)
VARIABLES: dict[str, Any] = {
    "suspend_csv_file": "unpaid.csv",
    "suspend_grace_days": 14,
    "suspend_except": ["acme"],
    "suspend_today": "2026-11-21",
}


@pytest.fixture
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    made = make_operator("debts")
    names = ["acme", "beta", "gamma", "delta"]
    made.simulator.seed({"clients": [{"username": name, "is_suspended": name == "delta"} for name in names]})
    (made.folder / "unpaid.csv").write_bytes(LIST.encode())
    return made


def suspend(operator: Operator, *words: str, way: str = "in process", **variables: Any) -> RoleRun:
    shown = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return operator.run(PLAYS, {**VARIABLES, **variables}, *words, vault=False, way=way, environment=shown)


def suspended(operator: Operator) -> list[str]:
    return [client["username"] for client in operator.simulator.objects("clients") if client["is_suspended"]]


def test_a_list_is_suspended_once_and_released_again(operator: Operator) -> None:
    check = suspend(operator, "--check")
    assert (check.code, check.writes, check.recap["changed"]) == (0, [], 1), check.text
    assert "- beta 2026-11-01 to be suspended Invoice; 4711" in check.said

    first = suspend(operator, way=MODULE)
    assert (first.code, first.writes, first.recap["changed"]) == (0, ["PUT /clients/3"], 1), first.text
    assert [request["body"] for request in first.requests if request["method"] == "PUT"] == [{"is_suspended": True}]
    for line in (
        "- acme 2026-10-01 excepted Invoice 4650",
        "- beta 2026-11-01 suspended Invoice; 4711",
        # What is in a list is never a template.
        "- gamma 2026-11-20 waits until 2026-12-04 {{ 6 * 7 }}",
        "- delta suspended already",
    ):
        assert line in first.said, line
    assert suspended(operator) == ["beta", "delta"]

    second = suspend(operator)
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text

    released = suspend(operator, suspend_state="released", suspend_except=[])
    assert (released.code, sorted(released.writes)) == (0, ["PUT /clients/3", "PUT /clients/5"]), released.text
    assert suspended(operator) == []


def test_a_client_that_is_not_there_is_a_failure_and_nothing_is_written(operator: Operator) -> None:
    names = {"suspend_clients": ["nobody", {"username": "acne", "due": "2026-12-24"}]}
    run = suspend(operator, **names)
    assert_failed(
        run,
        "Not on this panel: nobody (clients[0]), acne (clients[1]). Nothing was written.",
        "set despite_missing (suspend_despite_missing in the role suspend)",
        "- beta 2026-11-01 left as it was Invoice; 4711",
    )

    despite = suspend(operator, suspend_despite_missing=True, **names)
    assert despite.code != 0
    assert despite.writes == ["PUT /clients/3"]
    assert "nobody (clients[0]), acne (clients[1]). The other clients of the list were done." in despite.said


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_an_exception_with_a_typing_mistake_is_refused_and_nobody_is_suspended(
    operator: Operator, words: tuple[str, ...]
) -> None:
    run = suspend(operator, *words, suspend_grace_days=0, suspend_except=["acne", "delta"])
    mistake = "nothing on this panel has such a name: acne: did you mean acme? Nothing was written."
    assert_failed(run, f"except (suspend_except in the role suspend): {mistake}")


def test_a_client_that_is_shown_without_an_id_is_named(operator: Operator) -> None:
    operator.simulator.settings({"short_lists": {"clients": ["id"]}})
    run = suspend(operator)
    assert_failed(run, "clients beta: the panel shows it without an id")


def test_a_client_that_the_panel_refuses_is_in_the_table_and_the_others_are_done(operator: Operator) -> None:
    operator.simulator.fault({"kind": "status", "status": 400, "body": "json", "method": "PUT", "path": "/clients/3"})
    run = suspend(operator, suspend_clients=["acme"], suspend_except=[])
    assert run.code != 0
    assert sorted(run.writes) == ["PUT /clients/2", "PUT /clients/3"]
    assert "1 of 2 changes failed, 1 was written." in run.said
    assert "- acme suspended" in run.said
    assert "beta 2026-11-01 failed: PUT /clients/3" in run.said
    assert suspended(operator) == ["acme", "delta"]


def test_too_many_clients_and_mistakes_stop_it_before_the_first_write(operator: Operator) -> None:
    many = suspend(operator, suspend_except=[], suspend_grace_days=0, suspend_max=2)
    assert many.code != 0
    said = (
        "max (suspend_max in the role suspend): 3 clients would be suspended, and the limit is 2. Nothing was written."
    )
    assert said in many.said
    wrong = suspend(operator, suspend_clients=[""], suspend_csv_due="Fällig", suspend_today="tomorrow")
    assert wrong.code != 0
    assert wrong.requests == many.writes == []
    (operator.folder / "unpaid.csv").write_text("username;payable\nacme;2026-12-24\n", encoding="utf-8")
    no_dates = suspend(operator)
    assert_refused(no_dates, "there is no column due; there are username, payable. Nothing was written.")
    (operator.folder / "unpaid.csv").write_text("username;due\nbeta;2026-12-24\ngamma", encoding="utf-8")
    cut_off = suspend(operator)
    assert_refused(cut_off, "unpaid.csv: line 3 (gamma): ends before the column due;")
    assert cut_off.requests == []
    for words in (
        "3 mistakes: today (suspend_today in the role suspend): 'tomorrow'",
        "clients[0] (suspend_clients in the role suspend): must be a username",
        "there is no column Fällig;",
    ):
        assert words in wrong.said, words


def test_a_client_who_was_made_anew_since_the_list_was_read_is_not_suspended(operator: Operator) -> None:
    (old,) = [client["id"] for client in operator.simulator.objects("clients") if client["username"] == "beta"]
    remade = {"kind": "remake", "collection": "clients", "ids": [old], "method": "GET", "when": "before"}
    operator.simulator.fault({**remade, "path": "^/clients$", "skip": 1})
    run = suspend(operator)
    assert_failed(run, f"no client with id {old}")
    assert suspended(operator) == ["delta"]
