# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of clients as people and spreadsheets write them, and what becomes of each client."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import WithoutId
from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.client_list import (
    Columns,
    Entry,
    ListError,
    as_date,
    earliest,
    entries_of,
    read_csv,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.outcomes import decide, left, settled, shown, table

TODAY = datetime.date(2026, 11, 21)


def _csv(folder: Path, text: str | bytes, **columns: Any) -> list[Entry]:
    path = folder / "unpaid.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_csv(str(path), Columns(**columns))


def _facts(entries: list[Entry]) -> list[tuple[str, str, str]]:
    return [(entry.username, str(entry.due or ""), entry.reason) for entry in entries]


@pytest.mark.parametrize(
    "text",
    [
        "username,due,reason\nacme,2026-11-01,Invoice 1\nbeta,,\n",
        "\ufeffUsername;Due;Reason\r\nacme;01.11.2026;Invoice 1\r\n\r\nbeta;;\r\n;;\r\n",
        '"reason"\t"username"\t"due"\n"Invoice 1"\tacme\t1.11.2026\n\tbeta\t\n',
        'sep=;\n\nusername;due;reason;paid\nacme;2026-11-01;"Invoice 1";no\nbeta;\n',
        "username;due;reason\racme;2026-11-01;Invoice 1\rbeta;;",
        '  \nusername , due , reason\n acme , 2026-11-01 ," Invoice\n1"\nbeta,,\n',
    ],
)
def test_a_file_of_any_spreadsheet_gives_the_same_clients(tmp_path: Path, text: str) -> None:
    assert _facts(_csv(tmp_path, text)) == [("acme", "2026-11-01", "Invoice 1"), ("beta", "", "")]


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    text = "Kundennummer;Fällig am;Grund, kurz\nacme;01.11.2026;Rechnung\n"
    columns = {"username": "kundennummer", "due": "Fällig am", "reason": "grund, kurz"}
    assert _facts(_csv(tmp_path, text, **columns)) == [("acme", "2026-11-01", "Rechnung")]


def test_a_file_with_usernames_only_is_enough(tmp_path: Path) -> None:
    assert _facts(_csv(tmp_path, "username\nacme\n\nbeta\n")) == [("acme", "", ""), ("beta", "", "")]
    assert _csv(tmp_path, "username\n") == []


@pytest.mark.parametrize(
    ("text", "columns", "mistakes"),
    [
        ("", {}, ["the file is empty;"]),
        ("\n \n", {}, ["the file is empty;"]),
        ('username;due\nacme;"2026-01-01\nbeta;\ngamma;\n', {}, ["line 2: cannot be read as comma-separated values:"]),
        ("username\nacme\x00\n", {}, ["unpaid.csv: line 2: the username 'acme\\x00' has characters"]),
        (b"username\nM\xfcller\n", {}, ["line 2, column 2: the file is not in UTF-8."]),
        ("name;due\nacme;\n", {}, ["unpaid.csv: there is no column username; there are name, due."]),
        ("username\nacme\n", {"due": "Fällig"}, ["unpaid.csv: there is no column Fällig; there are username."]),
        ("username;Due Date\nacme;\n", {}, ["unpaid.csv: the column due date would not be read; name it in csv_due,"]),
        ("username;USERNAME\nacme;acme\n", {}, ["unpaid.csv: there are two columns username."]),
        (
            "username;due;reason\nacme\nbeta;\n gamma \ndelt",
            {},
            [
                "unpaid.csv: line 2 (acme): ends before the column due; give its date, or an empty cell, which means due at once.",
                "unpaid.csv: line 4 (gamma): ends before the column due;",
                "unpaid.csv: line 5 (delt): ends before the column due;",
            ],
        ),
        ("Fällig;username\n2026-11-01\n", {"due": "fällig"}, ["unpaid.csv: line 2: has no username."]),
        ("username;Fällig\nacme\n", {"due": "fällig"}, ["unpaid.csv: line 2 (acme): ends before the column fällig;"]),
        (
            'username;due\n"acme";2026-13-01\n\n;2026-01-01\nbeta;01/02/2026\ngamma;;x\n',
            {},
            [
                "unpaid.csv: line 2 (acme): due: '2026-13-01' is not accepted;",
                "unpaid.csv: line 4: has no username.",
                "unpaid.csv: line 5 (beta): due: '01/02/2026' is not accepted;",
                "unpaid.csv: line 6: has more cells than the first line;",
            ],
        ),
    ],
)
def test_every_mistake_in_a_file_is_named_with_its_line(
    tmp_path: Path, text: str | bytes, columns: dict[str, str], mistakes: list[str]
) -> None:
    with pytest.raises(ListError) as caught:
        _csv(tmp_path, text, **columns)
    assert len(caught.value.mistakes) == len(mistakes)
    assert all(words in mistake for words, mistake in zip(mistakes, caught.value.mistakes, strict=True))


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(
        ListError, match=r"csv_file \(suspend_csv_file in the role suspend\): missing\.csv: No such file or directory\."
    ):
        read_csv("missing.csv", Columns())


def test_a_list_takes_names_and_dictionaries() -> None:
    assert _facts(entries_of(["acme", 10001, {"username": "beta", "due": "2026-11-01", "reason": "Invoice"}])) == [
        ("acme", "", ""),
        ("10001", "", ""),
        ("beta", "2026-11-01", "Invoice"),
    ]


def test_every_mistake_in_a_list_is_named() -> None:
    with pytest.raises(ListError) as caught:
        entries_of(
            [True, "", {"due": "2026-11-01"}, {"username": "acme", "grace": 3}, {"username": "beta", "due": "soon"}]
        )
    assert [mistake.partition(":")[0] for mistake in caught.value.mistakes] == [
        "clients[0]",
        "clients[1]",
        "clients[2]",
        "clients[3]",
        "clients[4] (beta)",
    ]


def test_a_client_counts_once_with_its_earliest_date() -> None:
    days = [("acme", 5), ("beta", 7), ("acme", 2), ("beta", None), ("acme", 3)]
    entries = [Entry(name, day and datetime.date(2026, 11, day), f"of {day}", "") for name, day in days]
    assert _facts(earliest(entries)) == [("acme", "2026-11-02", "of 2"), ("beta", "", "of None")]


@pytest.mark.parametrize(("text", "day"), [("2026-11-01", 1), (" 9.11.2026 ", 9), ("2026-11-02T00:00:00", 2)])
def test_a_date_is_taken_in_both_forms(text: str, day: int) -> None:
    assert as_date(text) == datetime.date(2026, 11, day)


@pytest.mark.parametrize("text", ["11/01/2026", "2026-02-30", "1.1.26", "20261101", "soon"])
def test_other_dates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        as_date(text)


def _entry(username: str, due: datetime.date | None = None) -> Entry:
    return Entry(username, due, "", username)


@pytest.mark.parametrize(("days_ago", "outcome"), [(13, "waits"), (14, "changes"), (15, "changes"), (-3, "waits")])
def test_a_client_is_suspended_when_its_days_of_grace_are_over(days_ago: int, outcome: str) -> None:
    entry = _entry("acme", TODAY - datetime.timedelta(days=days_ago))
    (row,) = decide([entry], {"acme": {"id": 1}}, "suspended", 14, [], TODAY)
    assert row.outcome == outcome
    (row,) = decide([entry], {"acme": {"id": 1}}, "released", 14, [], TODAY)
    assert row.outcome == "changes"


def test_an_exception_may_have_blanks_around_it() -> None:
    (row,) = decide([_entry("beta")], {"beta": {"id": 1}}, "suspended", 0, ["acme", " beta"], TODAY)
    assert row.outcome == "excepted"


def test_a_client_that_is_shown_without_an_id_is_named_where_it_is_to_change() -> None:
    clients: dict[str, dict[str, object]] = {"acme": {"id": "7"}, "beta": {}}
    (row,) = decide([_entry("acme")], clients, "suspended", 0, [], TODAY)
    assert row.id == 7
    with pytest.raises(WithoutId, match=r"^clients beta: the panel shows it without an id"):
        decide([_entry("acme"), _entry("beta")], clients, "suspended", 0, [], TODAY)
    rows = decide([_entry("acme"), _entry("beta")], clients, "suspended", 0, ["beta"], TODAY)
    assert [row.outcome for row in rows] == ["changes", "excepted"]


@pytest.mark.parametrize(("due", "days"), [(datetime.date(9999, 12, 31), 14), (TODAY, 10**10)])
def test_a_client_whose_grace_ends_after_all_days_waits(due: datetime.date, days: int) -> None:
    (row,) = decide([_entry("acme", due)], {"acme": {"id": 1}}, "suspended", days, [], TODAY)
    assert (row.outcome, row.until) == ("waits", datetime.date.max)


def test_exceptions_come_before_everything_else_and_a_missing_client_before_its_grace() -> None:
    tomorrow = TODAY + datetime.timedelta(days=1)
    entries = [_entry("partner-a"), _entry("gone", tomorrow), _entry("acme")]
    rows = decide(entries, {"acme": {"id": 1}}, "suspended", 0, ["PARTNER-*"], TODAY)
    assert [row.outcome for row in rows] == ["excepted", "missing", "changes"]


def test_the_table_says_what_became_of_each_client() -> None:
    entries = [
        Entry("acme", datetime.date(2026, 11, 1), "Invoice\x1b[31m 1 " + "x" * 80, ""),
        _entry("beta"),
        _entry("gamma"),
        _entry("gone"),
        _entry("later", datetime.date(2026, 12, 1)),
    ]
    clients = {"acme": {"id": 1}, "beta": {"id": 2}, "gamma": {"id": 3}, "later": {"id": 4}}
    rows = decide(entries, clients, "suspended", 3, [], TODAY)
    done = settled(rows, ["acme", "gamma"], {"gamma": "refused"})
    lines = table(done, "suspended", is_planned=False)
    assert lines == [
        "client  due         outcome                 reason",
        "acme    2026-11-01  suspended               Invoice?[31m 1 " + "x" * 44 + "…",
        "beta                suspended already",
        "gamma               failed: refused",
        "gone                not on this panel",
        "later   2026-12-01  waits until 2026-12-04",
    ]
    assert "to be suspended" in table(done, "suspended", is_planned=True)[1]
    assert [shown(row, "suspended")["outcome"] for row in done] == [
        "suspended",
        "unchanged",
        "failed",
        "missing",
        "waits",
    ]
    assert [row.outcome for row in left(rows)] == ["left", "left", "left", "missing", "waits"]
    assert table([], "suspended", is_planned=False) == ["No client is in the list."]
