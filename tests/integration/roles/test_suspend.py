"""The role hosting.panel.suspend.

A list of clients, a table of what became of them, and nothing written twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import (
    VAULT,
    Operator,
    RoleRun,
    assert_failed,
    assert_refused,
    make_plays,
)
from tests.support.playbook import MODULE

PLAYS = make_plays("suspend")
LIST = (
    "\ufeffUsername;Due;Reason\r\n"
    "acme;2026-10-01;Invoice 4650\r\n"
    'beta;01.11.2026;"Invoice; 4711"\r\n'
    "gamma;2026-11-20;{{ 6 * 7 }}\r\n"
    "delta;2026-10-02;\r\n"
)
VARIABLES: dict[str, Any] = {
    "suspend_csv_file": "unpaid.csv",
    "suspend_grace_days": 14,
    "suspend_except": "acme",  # as -e suspend_except=acme gives it
    "suspend_today": "2026-11-21",
}


@pytest.fixture
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    """Return an operator with four clients, one of them suspended, and a list of debts."""
    new_operator = make_operator("debts")
    names = ["acme", "beta", "gamma", "delta"]
    new_operator.simulator.seed(
        {"clients": [{"username": name, "is_suspended": name == "delta"} for name in names]}
    )
    (new_operator.folder / "unpaid.csv").write_bytes(LIST.encode())

    return new_operator


def suspend(
    operator: Operator,
    *arguments: str,
    way: str = "in process",
    vault: bool = False,
    **variables: Any,
) -> RoleRun:
    """Run the role with a list of debts."""
    surroundings = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return operator.run(
        PLAYS,
        {**VARIABLES, **variables},
        *arguments,
        vault=vault,
        way=way,
        environment=surroundings,
    )


def test_a_table_that_is_not_there_is_named_with_its_variable(operator: Operator) -> None:
    run = suspend(operator, suspend_csv_file="paid.csv")
    path = operator.folder / "paid.csv"
    assert_refused(
        run, f"suspend_csv_file: there is no file or directory {path}. Correct the path."
    )


def list_suspended_clients(operator: Operator) -> list[str]:
    """Return the names of the clients that are suspended."""
    return [
        client["username"]
        for client in operator.simulator.list_objects("clients")
        if client["is_suspended"]
    ]


def test_a_list_is_suspended_once_and_released_again(operator: Operator) -> None:
    check = suspend(operator, "--check")
    assert (check.code, check.writes, check.recap["changed"]) == (0, [], 1), check.text
    assert "- beta 2026-11-01 suspended Invoice; 4711" in check.said

    first = suspend(operator, way=MODULE)
    assert (first.code, first.writes, first.recap["changed"]) == (0, ["PUT /clients/3"], 1), (
        first.text
    )
    assert [request["body"] for request in first.requests if request["method"] == "PUT"] == [
        {"is_suspended": True}
    ]

    for line in (
        "- acme 2026-10-01 excepted Invoice 4650",
        "- beta 2026-11-01 suspended Invoice; 4711",
        # What is in a list is never a template.
        "- gamma 2026-11-20 waits until 2026-12-04 {{ 6 * 7 }}",
        "- delta 2026-10-02 unchanged",
    ):
        assert line in first.said, line

    # Tables may be encrypted.
    (operator.folder / "unpaid.csv").write_bytes(VAULT.encrypt(LIST.encode()))
    second = suspend(operator, vault=True)

    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text

    released = suspend(operator, vault=True, suspend_state="released", suspend_except=[])
    assert (released.code, sorted(released.writes)) == (0, ["PUT /clients/3", "PUT /clients/5"]), (
        released.text
    )
    assert list_suspended_clients(operator) == []


def test_wrong_names_limits_and_mistakes_in_the_list_stop_it_before_the_first_write(
    operator: Operator,
) -> None:
    everyone: dict[str, Any] = {"suspend_grace_days": 0, "suspend_except": []}
    message = "suspend_max: 3 clients would be suspended, and the limit is 2."
    assert_failed(suspend(operator, **everyone, suspend_max=2), message)
    assert_refused(
        suspend(operator, **everyone, suspend_max="two"), "suspend_max: 'two' is invalid."
    )
    assert_refused(suspend(operator, suspend_except=["acme", None]), "suspend_except[1]: empty.")
    (operator.folder / "unpaid.csv").write_text(
        "username;due\nbeta;tomorrow\n;2026-11-01\n", encoding="utf-8"
    )
    assert_refused(
        suspend(operator),
        "2 mistakes: ",
        "line 2 (beta): due: 'tomorrow'",
        "line 3 has no username",
    )


def test_a_grace_period_needs_a_due_date_in_each_row(operator: Operator) -> None:
    (operator.folder / "unpaid.csv").write_text(
        "username;due\nacme;2026-10-01\nbeta;\n", encoding="utf-8"
    )
    refused = suspend(
        operator, suspend_clients=[{"username": "gamma", "due": None}], suspend_except=[]
    )
    assert_refused(
        refused, "suspend_clients[0] (gamma): due: empty.", "unpaid.csv: line 3 (beta): due: empty."
    )

    at_once = suspend(operator, suspend_grace_days=0, suspend_except=[])

    assert (at_once.code, sorted(at_once.writes)) == (0, ["PUT /clients/2", "PUT /clients/3"]), (
        at_once.text
    )


def test_two_stray_quotes_in_a_list_swallow_no_client(operator: Operator) -> None:
    rows = 'acme;2020-01-01;"late\nbeta;2020-01-01;x"\n'
    (operator.folder / "unpaid.csv").write_text(f"username;due;reason\n{rows}", encoding="utf-8")
    assert_refused(
        suspend(operator, suspend_except=[]),
        "unpaid.csv: line 2: a quote is not closed in this line",
    )


def test_a_client_that_the_panel_refuses_is_in_the_table_and_the_others_are_suspended(
    operator: Operator,
) -> None:
    refusal = {
        "kind": "status",
        "status": 400,
        "body": "json",
        "method": "PUT",
        "path": "/clients/3",
        "times": 2,
    }
    operator.simulator.queue_fault(refusal)

    run = suspend(operator, suspend_clients=["acme"], suspend_except=[])

    assert run.code != 0
    assert sorted(set(run.writes)) == ["PUT /clients/2", "PUT /clients/3"]
    assert "- acme suspended" in run.said
    assert "beta 2026-11-01 failed client beta: PUT /clients/3" in run.said


def test_a_client_that_was_made_again_since_it_was_read_is_not_suspended(
    operator: Operator,
) -> None:
    recreated = [
        {**client, "id": client["id"] + 900}
        for client in operator.simulator.request("GET", "/clients").json()
    ]
    operator.simulator.queue_fault(
        {"kind": "body", "path": "^/clients$", "method": "GET", "skip": 1, "body": recreated}
    )
    assert_failed(suspend(operator), "no client with id 3")
