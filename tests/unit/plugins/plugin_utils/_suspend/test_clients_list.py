"""Lists of clients to suspend, as tables and variables have them."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.clients_list import (
    FIELDS,
    ListSettings,
    read_clients_list,
)
from tests.support.client_tables import NUMBERS, PADDED, get_entries, get_mistakes, write_file
from tests.support.in_memory import VAULT


def list_entries(*files: Path, **options: Any) -> list[tuple[str, str, str]]:
    """Return the name, the date and the reason of each entry of the files."""
    return [
        (entry["username"], entry["due"], entry["reason"])
        for entry in read_entries(*files, **options)
    ]


def read_entries(*files: Any, **options: Any) -> list[dict[str, Any]]:
    """Read the entries of files, or of a variable, that have no mistakes."""
    return get_entries(read_list(*files, **options))


def read_mistakes(*files: Any, **options: Any) -> str:
    """Read files, or a variable, that have mistakes, and return these."""
    return get_mistakes(read_list(*files, **options))


def read_list(
    *files: Any,
    clients: Any = None,
    needs_due: bool = False,
    option_names: dict[str, str] | None = None,
    **columns: str,
) -> dict[str, Any]:
    """Read files, or a variable."""
    by_field = {field: columns.get(f"{field}_column") for field in FIELDS}
    settings = ListSettings(by_field, needs_due, option_names or {})
    return read_clients_list(clients, [str(file) for file in files], settings, VAULT)


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
        (f"username\n{'x' * 4097}\n", {}, "line 2: username: it is longer than 4096 characters"),
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


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("nested", [False, True])
def test_a_username_that_yaml_has_read_as_something_else_is_refused(
    number: Any, nested: bool
) -> None:
    assert re.search(
        rf"clients\[1\]: username: {number} .*in quotes",
        read_mistakes(clients=["acme", {"username": number} if nested else number]),
    )


@pytest.mark.parametrize("text", PADDED)
@pytest.mark.parametrize("nested", [False, True])
def test_a_username_of_a_list_that_may_be_a_number_beside_a_blank_is_refused(
    text: str, nested: bool
) -> None:
    assert re.search(
        r"clients\[1\]: username: .*without blanks",
        read_mistakes(clients=["acme", {"username": text} if nested else text]),
    )


@pytest.mark.parametrize("cell", ["83", " 83 ", "acme "])
def test_blanks_in_a_table_have_no_meaning(tmp_path: Path, cell: str) -> None:
    file = write_file(tmp_path, f"username\n{cell}\n")
    assert list_entries(file) == [(cell.strip(), "", "")]


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
