"""The lookup hosting.panel.panel_suspend_list and the filter hosting.panel.panel_suspend_rows.

Who is due, and what became of them.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError, AnsibleLookupError

from ansible_collections.hosting.panel.plugins.filter.panel_select import panel_select
from ansible_collections.hosting.panel.plugins.filter.panel_suspend_rows import panel_suspend_rows
from ansible_collections.hosting.panel.plugins.lookup.panel_suspend_list import LookupModule
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    describe_text_problem,
)
from tests.support.in_memory import VAULT

CLIENTS = [
    {"id": 2, "username": "acme"},
    {"id": 3, "username": "beta"},
    {"id": 4, "username": "gamma"},
]


def list_entries(*files: Path, **options: Any) -> list[tuple[str, str, str]]:
    """Return the name, the date and the reason of each entry of the files."""
    return [
        (entry["username"], entry["due"], entry["reason"])
        for entry in read_entries(*files, **options)
    ]


def read_entries(*files: Any, **options: Any) -> list[dict[str, Any]]:
    """Read the entries of files, or of a variable, that have no mistakes."""
    reading = read_list(*files, **options)
    assert reading["mistakes"] == []
    entries: list[dict[str, Any]] = reading["clients"]
    return entries


def read_mistakes(*files: Any, **options: Any) -> str:
    """Read files, or a variable, that have mistakes, and return these."""
    reading = read_list(*files, **options)
    assert reading["clients"] == []
    [mistakes] = reading["mistakes"]
    return str(mistakes)


def read_list(*files: Any, **options: Any) -> dict[str, Any]:
    """Read files, or a variable, with the lookup."""
    lookup = LookupModule(loader=SimpleNamespace(_vault=VAULT))
    lookup.set_options = lambda **_keywords: None
    lookup.get_option = {"clients": None, **options}.get
    terms = [str(file) if isinstance(file, Path) else file for file in files]
    [reading] = lookup.run(terms, **options)
    return dict(reading)


def write_file(folder: Path, text: str) -> Path:
    """Write the table of clients into its file."""
    (folder / "unpaid.csv").write_text(text, encoding="utf-8")
    return folder / "unpaid.csv"


@pytest.mark.parametrize(
    ("value", "needs_due"),
    [(True, True), ("yes", True), (False, False), ("no", False), (None, False), ("", False)],
)
def test_whether_a_due_date_is_needed_is_a_switch(
    value: Any, needs_due: bool, tmp_path: Path
) -> None:
    file = str(write_file(tmp_path, "username;due\nacme;\n"))
    if needs_due:
        assert re.search("give each client a due date", read_mistakes(file, needs_due=value))
    else:
        assert len(read_entries(file, needs_due=value)) == 1


@pytest.mark.parametrize("value", ["maybe", 2, [True], {}])
def test_a_switch_of_the_list_that_is_none_is_refused_by_name(value: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="panel_suspend_list: needs_due: it must be true"):
        read_entries(clients=["acme"], needs_due=value)


@pytest.mark.parametrize("term", [None, "", " ", 83, True, ["a.csv"]])
def test_a_file_that_is_empty_or_no_text_is_refused(term: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="panel_suspend_list: term 1"):
        read_entries(term)


def test_a_table_and_a_variable_give_each_client_once_with_its_earliest_date(
    tmp_path: Path,
) -> None:
    table = "Username;Due;Reason\nacme;01.11.2026;Invoice 1\nacme;2026-10-01;Invoice  2;\nbeta;;\n4711;2026-11-20\n"
    clients = [{"username": "beta", "due": "2026-11-01"}, "4712"]

    entries = list_entries(write_file(tmp_path, table), clients=clients)

    assert sorted(entries) == [
        ("4711", "2026-11-20", ""),
        ("4712", "", ""),
        ("acme", "2026-10-01", "Invoice 2"),
        ("beta", "", ""),
    ]


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    table = write_file(tmp_path, "Kundennummer;Fällig am;Grund\nacme;1.2.2026;Rechnung\n")
    columns = {
        "username_column": "kundennummer",
        "due_column": "Fällig am",
        "reason_column": "Grund",
    }

    assert list_entries(table, **columns) == [("acme", "2026-02-01", "Rechnung")]


NAMES = {"clients": "suspend_clients", "due_column": "suspend_csv_due"}


def test_a_mistake_names_the_variables_of_the_role(tmp_path: Path) -> None:
    table = write_file(tmp_path, "username;due date\nacme;2026-12-24\n")
    mistakes = read_mistakes(
        table,
        option_names=NAMES,
        clients=[{"username": "beta", "due": "soon"}, {"username": ""}, {"name": "x"}],
    )

    for message in (
        "is not read. Specify it in suspend_csv_due, or call it due.",
        "suspend_clients[0] (beta): due: 'soon' is not accepted",
        "suspend_clients[1] has no username.",
        "suspend_clients[2]: name: unknown;",
    ):
        assert message in mistakes

    assert " clients[" not in mistakes


def test_the_place_of_an_entry_begins_with_the_variable_of_the_role() -> None:
    [entry] = read_entries(option_names=NAMES, clients=["acme"])
    assert entry["place"] == "suspend_clients[0]"


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("username\nacme\n", {"needs_due": True}, "there is no column due; there are username."),
        ("username;d\u200bue\nacme;\n", {"needs_due": True}, "there are username, 'd.u200bue'."),
        ("username\nacme\n", {"due_column": "Fällig"}, "there is no column Fällig;"),
        (
            "username;due date\nacme;2026-12-24\n",
            {},
            "the column due_date is not read. Specify it in due_column",
        ),
        (
            "username;until;reason\nacme;2026-12-24;Invoice 1\n",
            {},
            "unpaid.csv: line 1: unknown columns: until. The columns are username, due, reason.",
        ),
        (
            "username;due;raeson\nacme;2026-11-01;Invoice 1\n",
            {},
            r"unknown columns: raeson; did you mean reason\? The columns are username, due, reason.",
        ),
        (
            "username;Frist;due\nacme;2026-12-24;2026-11-01\n",
            {"due_column": "Frist"},
            "unknown columns: due. The columns are username, frist, reason.",
        ),
        (
            "username;due\nacme;31.02.2026\n",
            {},
            r"unpaid.csv: line 2 \(acme\): due: '31.02.2026' is not accepted",
        ),
        ("username;due\n;2026-12-24\n", {}, "unpaid.csv: line 2 has no username"),
        (f"username\n{'x' * 4097}\n", {}, "line 2: username: it has 4097 characters, and the most"),
        (
            f"username;due\nacme;{'x' * 4097}\n",
            {},
            rf"\(acme\): due: '{'x' * 60}…' is not accepted",
        ),
        ("username\nac\x07me\n", {}, r"line 2: username: 'ac\\x07me' has invisible characters"),
        ("username\nac\u200bme\n", {}, r"line 2: username: 'ac\\u200bme' has invisible characters"),
        (
            'username;due;reason\nacme;2020-01-01;"late\nbeta;2020-01-01;x"\n',
            {},
            "unpaid.csv: line 2: a quote is not closed in this line",
        ),
    ],
    ids=str,
)
def test_a_table_that_could_suspend_the_wrong_clients_is_refused(
    tmp_path: Path, table: str, options: dict[str, Any], message: str
) -> None:
    assert re.search(message, read_mistakes(write_file(tmp_path, table), **options))


NUMBERS = [83, 750, 8.1, True, datetime.date(2026, 12, 31)]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("nested", [False, True])
def test_a_username_that_yaml_has_read_as_something_else_is_refused(
    number: Any, nested: bool
) -> None:
    assert re.search(
        rf"clients\[1\]: username: {number} .*in quotes",
        read_mistakes(clients=["acme", {"username": number} if nested else number]),
    )


# What a template with a blank beside its expression makes of these.
PADDED = [f"{number} " for number in NUMBERS] + [" 83", "83\t", " 83 ", "\u00a083", "83\n"]


@pytest.mark.parametrize("text", PADDED)
@pytest.mark.parametrize("nested", [False, True])
def test_a_username_of_a_list_that_may_be_a_number_beside_a_blank_is_refused(
    text: str, nested: bool
) -> None:
    assert re.search(
        r"clients\[1\]: username: .*without blanks",
        read_mistakes(clients=["acme", {"username": text} if nested else text]),
    )


@pytest.mark.parametrize("text", PADDED)
def test_an_exception_that_may_be_a_number_beside_a_blank_is_refused(text: str) -> None:
    result = panel_suspend_rows(
        [make_entry("83"), make_entry("acme")], CLIENTS, "2026-12-01", excepted=[text]
    )
    mistakes = [mistake for mistake in result["mistakes"] if mistake.startswith("suspend_except")]
    assert [mistake.endswith("without blanks.") for mistake in mistakes] == [True]


@pytest.mark.parametrize("text", PADDED)
@pytest.mark.parametrize("option", ["clients", "plans", "exceptions", "objects"])
def test_a_name_of_a_selection_that_may_be_a_number_beside_a_blank_is_refused(
    option: str, text: str
) -> None:
    options: dict[str, Any] = {
        option: {"emails": [text]} if option == "objects" else ["acme", text]
    }
    with pytest.raises(AnsibleFilterError, match="without blanks"):
        panel_select({"clients": CLIENTS, "emails": [], "plans": []}, **options)


@pytest.mark.parametrize("cell", ["83", " 83 ", "acme "])
def test_blanks_in_a_table_have_no_meaning(tmp_path: Path, cell: str) -> None:
    file = write_file(tmp_path, f"username\n{cell}\n")
    assert list_entries(file) == [(cell.strip(), "", "")]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_an_exception_that_yaml_has_read_as_something_else_is_refused(number: Any) -> None:
    result = panel_suspend_rows(
        [make_entry("83"), make_entry("acme")], CLIENTS, "2026-12-01", excepted=[number]
    )
    assert [mistake for mistake in result["mistakes"] if mistake.startswith("suspend_except")] == [
        f"suspend_except: {describe_text_problem(number)}"
    ]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("option", ["clients", "plans", "exceptions", "objects"])
def test_a_name_of_a_selection_that_yaml_has_read_as_something_else_is_refused(
    option: str, number: Any
) -> None:
    options: dict[str, Any] = {
        option: {"emails": [number]} if option == "objects" else ["acme", number]
    }
    with pytest.raises(AnsibleFilterError, match="in quotes"):
        panel_select({"clients": CLIENTS, "emails": [], "plans": []}, **options)


EMPTY_DATES: dict[str, Any] = {"null": None, "an empty text": "", "blanks": " \t "}
NO_DATES: dict[str, tuple[Any, str]] = {
    "zero": (0, "0"),
    "false": (False, "False"),
    "an empty list": ([], "[]"),
    "an empty dictionary": ({}, "{}"),
    "a number": (20261101, "20261101"),
    "a number with a point": (1.11, "1.11"),
    "a date without hyphens": ("20261101", "'20261101'"),
    "a date of the United States": ("11/01/2026", "'11/01/2026'"),
    "a day that is none": ("2026-02-30", "'2026-02-30'"),
    "a year of two digits": ("01.11.26", "'01.11.26'"),
    "a time": (datetime.datetime(2026, 11, 1, 10, 30), "2026-11-01T10:30:00"),
    "a time with a zone": (
        datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC),
        "2026-11-01T00:00:00+00:00",
    ),
}
DATES: dict[str, Any] = {
    "a text": "2026-11-01",
    "a text of Germany": "1.11.2026",
    "a text with blanks": " 2026-11-01 ",
    "a date of YAML": datetime.date(2026, 11, 1),
    "a time of YAML": datetime.datetime(2026, 11, 1),
    "a time as a text": "2026-11-01T00:00:00",
}


@pytest.mark.parametrize("due", EMPTY_DATES.values(), ids=EMPTY_DATES)
def test_an_empty_due_date_is_due_at_once_but_a_mistake_with_a_grace_period(due: Any) -> None:
    clients = ["acme", {"username": "beta", "due": due}]
    assert list_entries(clients=clients) == [("acme", "", ""), ("beta", "", "")]

    assert re.search(
        r"^clients\[1\] \(beta\): due: empty\. With a grace period",
        read_mistakes(clients=clients, needs_due=True),
    )


@pytest.mark.parametrize("cell", ["", "  ", '""', '" "'])
@pytest.mark.parametrize("end", ["", ";", ";Invoice 4"])
def test_an_empty_cell_of_a_due_date_is_a_mistake_with_a_grace_period(
    tmp_path: Path, cell: str, end: str
) -> None:
    table = write_file(tmp_path, f"username;due;reason\nacme;2026-11-01;\n\nbeta;{cell}{end}\n")
    assert [due for _username, due, _reason in list_entries(table)] == ["2026-11-01", ""]

    assert re.search(
        r"/unpaid\.csv: line 4 \(beta\): due: empty\.", read_mistakes(table, needs_due=True)
    )


@pytest.mark.parametrize("needs_due", [False, True])
@pytest.mark.parametrize(("due", "displayed"), NO_DATES.values(), ids=NO_DATES)
def test_what_is_no_due_date_never_means_at_once(due: Any, displayed: str, needs_due: bool) -> None:
    mistakes = read_mistakes(clients=[{"username": "acme", "due": due}], needs_due=needs_due)
    assert f"clients[0] (acme): due: {displayed} is not accepted; it must be a date" in mistakes


@pytest.mark.parametrize("due", DATES.values(), ids=DATES)
def test_a_due_date_is_read_in_each_form_that_yaml_and_spreadsheets_give_it(due: Any) -> None:
    assert list_entries(clients=[{"username": "acme", "due": due}], needs_due=True) == [
        ("acme", "2026-11-01", "")
    ]


@pytest.mark.parametrize("written", ["lists/unpaid.csv", "./lists/unpaid.csv"])
def test_a_mistake_names_a_file_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists").mkdir()
    write_file(tmp_path / "lists", "username;due\nacme;soon\n")

    assert re.search(f"^{re.escape(written)}: line 2", read_mistakes(written))


def test_neither_a_list_nor_a_file_is_an_error() -> None:
    assert list_entries(clients=[]) == []
    assert re.search(r"^clients, files: both are empty; give one of", read_mistakes())
    names = {"clients": "suspend_clients", "files": "suspend_csv_file"}
    assert re.search(
        r"^suspend_clients, suspend_csv_file: both are", read_mistakes(option_names=names)
    )


def make_entry(username: str, due: str = "") -> dict[str, str]:
    """Return an entry as the lookup reads it from the table."""
    return {"username": username, "due": due, "reason": "", "place": "unpaid.csv: line 2"}


def list_outcomes(result: dict[str, Any]) -> dict[str, str]:
    """Return the outcome of each client."""
    return {row["username"]: row["outcome"] for row in result["rows"]}


def test_who_is_due_changes_and_the_others_stay_as_they_are() -> None:
    entries = [
        make_entry("acme", "2026-11-07"),
        make_entry("beta", "2026-11-08"),
        make_entry("gamma"),
    ]
    result = panel_suspend_rows(entries, CLIENTS, "2026-11-21", grace_days=14, excepted=["gam*"])

    assert list_outcomes(result) == {"acme": "left", "beta": "waits", "gamma": "excepted"}
    assert result["changes"] == [{"id": 2, "is_suspended": True}]
    assert result["mistakes"] == []
    assert result["rows"][1]["until"] == "2026-11-22"
    assert result["lines"][2] == "beta    2026-11-08  waits until 2026-11-22"

    released = panel_suspend_rows(entries, CLIENTS, "2026-11-21", state="released", grace_days=14)
    assert [change["is_suspended"] for change in released["changes"]] == [False, False, False]

    never = panel_suspend_rows(
        [make_entry("acme", "9999-12-31")], CLIENTS, "2026-11-21", grace_days=14
    )
    assert list_outcomes(never) == {"acme": "waits"}


@pytest.mark.parametrize("grace_days", [1, 14, "14"])
@pytest.mark.parametrize("header", ["username", "username;due"])
def test_a_grace_period_never_ends_for_an_empty_due_date_of_a_file(
    tmp_path: Path, header: str, grace_days: Any
) -> None:
    table = write_file(tmp_path, f"{header}\nbeta\n")
    entries = read_entries(table, clients=["acme"])
    result = panel_suspend_rows(entries, CLIENTS, "2026-11-21", grace_days=grace_days)

    assert [change["id"] for change in result["changes"]] == [2]
    assert result["mistakes"] == [
        f"With suspend_grace_days, give each client a due date. It is empty for beta ({table}: line 2)."
    ]


@pytest.mark.parametrize(
    "options",
    [{"grace_days": 0}, *({"grace_days": days, "state": "released"} for days in (1, 14, "14"))],
    ids=str,
)
@pytest.mark.parametrize("header", ["username", "username;due"])
def test_an_empty_due_date_of_a_file_is_no_mistake_where_no_grace_period_counts(
    tmp_path: Path, header: str, options: dict[str, Any]
) -> None:
    table = write_file(tmp_path, f"{header}\nbeta\n")
    entries = read_entries(table, clients=["acme"])

    assert panel_suspend_rows(entries, CLIENTS, "2026-11-21", **options)["mistakes"] == []


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
    result = panel_suspend_rows(
        [make_entry("acme"), make_entry("beta"), make_entry("gamma")],
        CLIENTS,
        "2026-11-21",
        done=done,
    )

    assert list_outcomes(result) == {"acme": "suspended", "beta": "failed", "gamma": "unchanged"}

    seen = [{**client, "is_suspended": client["id"] == 2} for client in CLIENTS]
    fewer = panel_suspend_rows([make_entry("acme"), make_entry("beta")], seen, "2026-11-21")

    assert fewer["changes"] == [{"id": 3, "is_suspended": True}]
    assert list_outcomes(fewer)["acme"] == "unchanged"
    assert result["rows"][1]["msg"] == "PUT /clients/3 answered 400"


def test_names_that_fit_nothing_are_mistakes() -> None:
    result = panel_suspend_rows([make_entry("acne")], CLIENTS, "2026-11-21", excepted=["bata"])
    assert result["mistakes"] == [
        "Not on this panel: acne (unpaid.csv: line 2). Correct the list: did you mean acme?",
        "suspend_except: bata fits no client of the panel and of the list; did you mean beta?",
    ]
    assert list_outcomes(result) == {"acne": "missing"}
    assert result["changes"] == []
    assert (
        panel_suspend_rows([make_entry("acne")], CLIENTS, "2026-11-21", excepted=["acne"])[
            "mistakes"
        ]
        == []
    )


def test_a_day_needs_no_hyphens_and_what_is_no_day_or_number_of_days_is_a_mistake() -> None:
    assert panel_suspend_rows([make_entry("acme")], CLIENTS, "20261121")["changes"] == [
        {"id": 2, "is_suspended": True}
    ]
    assert panel_suspend_rows([make_entry("acme")], CLIENTS, "21.11.2026")["mistakes"] == [
        "suspend_today: '21.11.2026' is no date. Use YYYY-MM-DD, or leave the variable out."
    ]

    early = panel_suspend_rows([make_entry("acme")], CLIENTS, "2026-11-21", grace_days=-5)
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
    result = panel_suspend_rows(
        [make_entry("acme"), make_entry("beta")], CLIENTS, "2026-11-21", limit=limit
    )
    assert result["mistakes"] == ([message] if message else [])
