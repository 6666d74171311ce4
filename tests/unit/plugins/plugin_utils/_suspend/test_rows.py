"""What becomes of the clients of a list: who is due, and the table of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    describe_text_problem,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.clients_list import (
    FIELDS,
    ListSettings,
    read_clients_list,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.rows import Settings, make_rows
from tests.support.client_tables import NUMBERS, PADDED, get_entries, write_file
from tests.support.in_memory import VAULT

CLIENTS = [
    {"id": 2, "username": "acme"},
    {"id": 3, "username": "beta"},
    {"id": 4, "username": "gamma"},
]


def decide_rows(
    entries: list[dict[str, Any]],
    clients: list[dict[str, Any]],
    today: str,
    done: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Decide about the clients of a list, as the filter does."""
    return make_rows(entries, clients, Settings(today, **settings), done or {})


def read_entries(table: Path, clients: list[Any]) -> list[dict[str, Any]]:
    """Read the entries of a file and of a variable, that have no mistakes."""
    settings = ListSettings(dict.fromkeys(FIELDS), needs_due=False, option_names={})
    return get_entries(read_clients_list(clients, [str(table)], settings, VAULT))


def make_entry(username: str, due: str = "") -> dict[str, str]:
    """Return an entry as the lookup reads it from the table."""
    return {"username": username, "due": due, "reason": "", "place": "unpaid.csv: line 2"}


def list_outcomes(result: dict[str, Any]) -> dict[str, str]:
    """Return the outcome of each client."""
    return {row["username"]: row["outcome"] for row in result["rows"]}


@pytest.mark.parametrize("text", PADDED)
def test_an_exception_that_may_be_a_number_beside_a_blank_is_refused(text: str) -> None:
    result = decide_rows(
        [make_entry("83"), make_entry("acme")], CLIENTS, "2026-12-01", excepted=[text]
    )
    mistakes = [mistake for mistake in result["mistakes"] if mistake.startswith("suspend_except")]
    assert [mistake.endswith("without blanks.") for mistake in mistakes] == [True]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_an_exception_that_yaml_has_read_as_something_else_is_refused(number: Any) -> None:
    result = decide_rows(
        [make_entry("83"), make_entry("acme")], CLIENTS, "2026-12-01", excepted=[number]
    )
    assert [mistake for mistake in result["mistakes"] if mistake.startswith("suspend_except")] == [
        f"suspend_except: {describe_text_problem(number)}"
    ]


def test_who_is_due_changes_and_the_others_stay_as_they_are() -> None:
    entries = [
        make_entry("acme", "2026-11-07"),
        make_entry("beta", "2026-11-08"),
        make_entry("gamma"),
    ]
    result = decide_rows(entries, CLIENTS, "2026-11-21", grace_days=14, excepted=["gam*"])

    assert list_outcomes(result) == {"acme": "left", "beta": "waits", "gamma": "excepted"}
    assert result["changes"] == [{"id": 2, "is_suspended": True}]
    assert result["mistakes"] == []
    assert result["rows"][1]["until"] == "2026-11-22"
    assert result["lines"][2] == "beta    2026-11-08  waits until 2026-11-22"

    released = decide_rows(entries, CLIENTS, "2026-11-21", state="released", grace_days=14)
    assert [change["is_suspended"] for change in released["changes"]] == [False, False, False]

    never = decide_rows([make_entry("acme", "9999-12-31")], CLIENTS, "2026-11-21", grace_days=14)
    assert list_outcomes(never) == {"acme": "waits"}


@pytest.mark.parametrize("grace_days", [1, 14])
@pytest.mark.parametrize("header", ["username", "username;due"])
def test_a_grace_period_never_ends_for_an_empty_due_date_of_a_file(
    tmp_path: Path, header: str, grace_days: Any
) -> None:
    table = write_file(tmp_path, f"{header}\nbeta\n")
    entries = read_entries(table, clients=["acme"])
    result = decide_rows(entries, CLIENTS, "2026-11-21", grace_days=grace_days)

    assert [change["id"] for change in result["changes"]] == [2]
    assert result["mistakes"] == [
        f"With suspend_grace_days, give each client a due date. It is empty for beta ({table}: line 2)."
    ]


@pytest.mark.parametrize(
    "options",
    [{"grace_days": 0}, *({"grace_days": days, "state": "released"} for days in (1, 14))],
    ids=str,
)
@pytest.mark.parametrize("header", ["username", "username;due"])
def test_an_empty_due_date_of_a_file_is_no_mistake_where_no_grace_period_counts(
    tmp_path: Path, header: str, options: dict[str, Any]
) -> None:
    table = write_file(tmp_path, f"{header}\nbeta\n")
    entries = read_entries(table, clients=["acme"])

    assert decide_rows(entries, CLIENTS, "2026-11-21", **options)["mistakes"] == []


def test_the_result_of_a_run_becomes_the_outcome_of_each_client() -> None:
    done = {
        "plan": {
            "actions": [{"kind": "clients", "key": "acme"}, {"kind": "clients", "key": "beta"}]
        },
        "results": [
            {
                "kind": "clients",
                "key": "beta",
                "result": "failed",
                "msg": "PUT /clients/3 answered 400",
            }
        ],
    }
    result = decide_rows(
        [make_entry("acme"), make_entry("beta"), make_entry("gamma")],
        CLIENTS,
        "2026-11-21",
        done=done,
    )

    assert list_outcomes(result) == {"acme": "suspended", "beta": "failed", "gamma": "unchanged"}

    seen = [{**client, "is_suspended": client["id"] == 2} for client in CLIENTS]
    fewer = decide_rows([make_entry("acme"), make_entry("beta")], seen, "2026-11-21")

    assert fewer["changes"] == [{"id": 3, "is_suspended": True}]
    assert list_outcomes(fewer)["acme"] == "unchanged"
    assert result["rows"][1]["msg"] == "PUT /clients/3 answered 400"


def test_names_that_fit_nothing_are_mistakes() -> None:
    result = decide_rows([make_entry("acne")], CLIENTS, "2026-11-21", excepted=["bata"])
    assert result["mistakes"] == [
        "Not on this panel: acne (unpaid.csv: line 2). Correct the list: did you mean acme?",
        "suspend_except: bata fits no client of the panel and of the list; did you mean beta?",
    ]
    assert list_outcomes(result) == {"acne": "missing"}
    assert result["changes"] == []
    assert (
        decide_rows([make_entry("acne")], CLIENTS, "2026-11-21", excepted=["acne"])["mistakes"]
        == []
    )


def test_a_day_needs_no_hyphens_and_what_is_no_day_or_number_of_days_is_a_mistake() -> None:
    assert decide_rows([make_entry("acme")], CLIENTS, "20261121")["changes"] == [
        {"id": 2, "is_suspended": True}
    ]
    assert decide_rows([make_entry("acme")], CLIENTS, "21.11.2026")["mistakes"] == [
        "suspend_today: '21.11.2026' is no date. Use YYYY-MM-DD, or leave the variable out."
    ]

    early = decide_rows([make_entry("acme")], CLIENTS, "2026-11-21", grace_days=-5)
    assert early["mistakes"] == [
        "suspend_grace_days: -5 is invalid. Use a whole number, 0 or more."
    ]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (1, "suspend_max: 2 clients would be suspended, and the limit is 1."),
        ("0", "suspend_max: 2 clients would be suspended, and the limit is 0."),
        (
            "",
            "suspend_max: '' is invalid. Use a whole number, 0 or more, or leave the variable out.",
        ),
        (
            -1,
            "suspend_max: -1 is invalid. Use a whole number, 0 or more, or leave the variable out.",
        ),
        (2, None),
        (None, None),
    ],
)
def test_more_changes_than_the_limit_are_a_mistake(limit: Any, message: str | None) -> None:
    result = decide_rows(
        [make_entry("acme"), make_entry("beta")], CLIENTS, "2026-11-21", limit=limit
    )
    assert result["mistakes"] == ([message] if message else [])
