"""The table of usage: a row for each client and month, which no spreadsheet runs as a formula."""

from __future__ import annotations

import csv
import datetime
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._report.limit_days import (
    LimitDays,
    read_limit_days,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.usage import (
    COLUMNS,
    SEPARATORS,
    UsageForm,
    list_gaps,
    make_usage_rows,
    render_usage,
)

DAY = datetime.date(2026, 11, 20)
MONTHS = ["2026-10", "2026-11"]
STATS = {
    "disk_space": {"value": 5, "max": 10},
    "traffic": {"value": 7, "max": -1},
    "email_accounts": {"value": 2, "max": 20},
    "databases": {"value": 0, "max": 0},
    "domains": {"value": 1, "max": 1},
}
TRAFFIC = {"2026-10": {"web": 30, "mail": 3}, "2026-11": {"web": 7}}
OVER = {**STATS, "disk_space": {"value": 10, "max": 10}}


def make_reading(*clients: dict[str, Any], name: str = "web-1", **fields: Any) -> PanelReading:
    """Return a panel with these clients, each with the same statistics and traffic."""
    numbered = [
        {"id": number, "id_hosting_plan": 1, **client}
        for number, client in enumerate(clients, start=1)
    ]
    identifiers = [client["id"] for client in numbered]
    return PanelReading(
        name,
        f"{name}.example",
        objects={"clients": numbered, "plans": [{"id": 1, "name": "Business"}]},
        **{
            "stats": dict.fromkeys(identifiers, STATS),
            "traffic": dict.fromkeys(identifiers, TRAFFIC),
            **fields,
        },
    )


def render_table(*readings: PanelReading, form: UsageForm | None = None, days: Any = None) -> str:
    """Return the table of panels."""
    rows = make_usage_rows(readings, MONTHS, days or LimitDays())
    return render_usage(rows, form or UsageForm())


def read_cells(text: str, separator: str = ",") -> list[list[str]]:
    """Return the cells as a program reads them, without the line of names."""
    return list(csv.reader(io.StringIO(text), delimiter=separator, strict=True))[1:]


def read_first_cell(column: str, text: str) -> str:
    """Return what a program reads in a column of the first row."""
    return read_cells(text)[0][COLUMNS.index(column)]


# What is in the table.


def test_what_only_today_is_known_is_in_the_newest_month() -> None:
    client = {"username": "acme", "contact_data": {"client_id": "K-17"}}

    assert render_table(make_reading(client)) == (
        "panel,client,client_id,plan,month,disk_bytes,disk_limit,traffic_bytes,traffic_limit,"
        "mailboxes,databases,domains,days_over_limit\n"
        "web-1,acme,K-17,Business,2026-10,,,33,,,,,\n"
        "web-1,acme,K-17,Business,2026-11,5,10,7,-1,2,0,1,\n"
    )


def test_rows_are_ordered_by_panel_client_and_month_in_every_run() -> None:
    clients = [{"username": "Birch", "id": 3}, {"username": "acme", "id": 4}]
    first = render_table(make_reading(*clients), make_reading({"username": "acme"}, name="web-0"))
    second = render_table(
        make_reading(*clients[::-1]), make_reading({"username": "acme"}, name="web-0")
    )

    assert [row[:2] for row in read_cells(first)] == [
        ["web-1", "acme"],
        ["web-1", "acme"],
        ["web-1", "Birch"],
        ["web-1", "Birch"],
        ["web-0", "acme"],
        ["web-0", "acme"],
    ]
    assert first == second


def test_a_fleet_without_a_client_has_the_names_of_the_columns_alone() -> None:
    assert render_table(make_reading()) == f"{','.join(COLUMNS)}\n"


@pytest.mark.parametrize("name", SEPARATORS)
def test_a_separator_stands_between_the_cells_and_is_quoted_within_one(name: str) -> None:
    separator = SEPARATORS[name]
    form = UsageForm(separator)
    text = render_table(make_reading({"username": f'a{separator}"b'}), form=form)

    assert text.splitlines()[0] == separator.join(COLUMNS)
    expected = f'a{separator}"b' if separator != "\t" else 'a�"b'
    assert read_cells(text, separator)[0][1] == expected


@pytest.mark.parametrize(("decimal", "cell"), [(".", "2.5"), (",", "2,5")])
def test_decimals_have_the_sign_of_the_option(decimal: str, cell: str) -> None:
    row = {**dict.fromkeys(COLUMNS, ""), "disk_bytes": 2.5}
    text = render_usage([row], UsageForm(";", decimal))
    assert read_cells(text, ";")[0][COLUMNS.index("disk_bytes")] == cell


# Formulas.

FORMULAS = {
    "=1+1": "'=1+1",
    "+49 30 1": "'+49 30 1",
    "+49": "'+49",
    "-2+3": "'-2+3",
    "-": "'-",
    "@SUM(A1)": "'@SUM(A1)",
    '=HYPERLINK("x","y")': '\'=HYPERLINK("x","y")',
    "\t=1": "'�=1",
    "\r=1": "'\\r=1",
    "＝1": "'＝1",
    "-17": "-17",
    "-1.5": "-1.5",
    "-1-1": "'-1-1",
    "a=1": "a=1",
    "K-17": "K-17",
    "'=1": "'=1",
}


@pytest.mark.parametrize("column", ["client", "client_id", "plan", "panel"])
@pytest.mark.parametrize(("text", "cell"), FORMULAS.items(), ids=map(repr, FORMULAS))
def test_a_text_that_a_spreadsheet_takes_for_a_formula_gets_an_apostrophe(
    text: str, cell: str, column: str
) -> None:
    client = {"username": "acme", "contact_data": {}}
    panel = make_reading(client)
    if column == "client":
        panel = make_reading({**client, "username": text})
    elif column == "client_id":
        panel = make_reading({**client, "contact_data": {"client_id": text}})
    elif column == "plan":
        panel.objects["plans"][0]["name"] = text  # type: ignore[index]
    else:
        panel = make_reading(client, name=text)

    assert read_first_cell(column, render_table(panel)) == cell


@given(st.text(max_size=12), st.sampled_from(sorted(set(SEPARATORS.values()))))
def test_whatever_a_customer_is_called_the_table_keeps_its_rows_and_no_cell_is_a_formula(
    text: str, separator: str
) -> None:
    client = {"username": text, "contact_data": {"client_id": text}}
    rendered = render_table(make_reading(client), form=UsageForm(separator))

    rendered.encode()
    rows = read_cells(rendered, separator)
    assert [len(row) for row in rows] == [len(COLUMNS)] * 2
    assert len(rendered.splitlines()) == 3
    for cell in rows[0][1:3]:
        is_number = cell.lstrip("-").replace(".", "").replace(",", "").isdecimal()
        assert not cell.startswith(("=", "+", "@", "\t", "\r")), cell
        assert not cell.startswith("-") or is_number, cell


# What is not known.

# By case a field of a client's reading, and the columns of today that are empty.
ODD: dict[str, tuple[dict[str, Any], set[str]]] = {
    "no statistics": (
        {"stats": {}},
        {"disk_bytes", "disk_limit", "traffic_limit", "mailboxes", "databases", "domains"},
    ),
    "null": ({"stats": {1: {**STATS, "disk_space": None}}}, {"disk_bytes", "disk_limit"}),
    "no limit shown": ({"stats": {1: {**STATS, "traffic": {"value": 1}}}}, {"traffic_limit"}),
    "a switch": ({"stats": {1: {**STATS, "domains": {"value": True}}}}, {"domains"}),
    "a text": ({"stats": {1: {**STATS, "databases": {"value": "x"}}}}, {"databases"}),
    "no traffic": ({"traffic": {}}, {"traffic_bytes"}),
    "a month without services": (
        {"traffic": {1: {**TRAFFIC, "2026-11": {}}}},
        {"traffic_bytes"},
    ),
}


@pytest.mark.parametrize(("fields", "empty"), ODD.values(), ids=ODD)
def test_a_figure_that_is_not_known_is_empty_and_named_and_nothing_else(
    fields: dict[str, Any], empty: set[str]
) -> None:
    odd = make_reading({"username": "acme"}, **fields)
    sound = make_reading({"username": "birch"}, name="web-2")

    rows = make_usage_rows([odd, sound], MONTHS, LimitDays())
    newest = rows[1]

    nothing = {"client_id": "", "days_over_limit": None}
    assert {column for column in COLUMNS if newest[column] is None} - {*nothing} == empty
    gaps = list_gaps([odd, sound], rows, with_traffic=True)
    assert "web-1 acme 2026-11" in gaps
    assert not [gap for gap in gaps if "web-2" in gap]


def test_a_month_whose_traffic_is_not_known_ends_no_other_month() -> None:
    panel = make_reading({"username": "acme"}, traffic={1: {"2026-11": {"web": 7}}})

    rows = make_usage_rows([panel], MONTHS, LimitDays())

    assert [row["traffic_bytes"] for row in rows] == [None, 7]
    assert list_gaps([panel], rows, with_traffic=True) == ["web-1 acme 2026-10"]
    assert list_gaps([panel], rows, with_traffic=False) == []


def test_a_panel_that_was_not_read_has_no_rows_and_is_named() -> None:
    unread = PanelReading("web-3", "web-3.example", failure="no answer")
    readings = [unread, make_reading({"username": "acme"})]

    rows = make_usage_rows(readings, MONTHS, LimitDays())

    assert {row["panel"] for row in rows} == {"web-1"}
    assert list_gaps(readings, rows, with_traffic=True) == ["web-3 (all)"]


@pytest.mark.parametrize("contact", [None, {}, {"client_id": None}, {"client_id": ""}], ids=str)
def test_a_client_without_a_number_has_an_empty_cell(contact: Any) -> None:
    text = render_table(make_reading({"username": "acme", "contact_data": contact}))
    assert read_first_cell("client_id", text) == ""


# Days over a limit.


def keep_days(limit_days: LimitDays) -> LimitDays:
    """Return the days as the next report reads them."""
    return read_limit_days(json.dumps({"limit_days": limit_days.as_json()}))


def test_the_days_of_a_month_on_which_a_report_saw_a_client_over_a_limit_are_counted() -> None:
    days = LimitDays()
    for number in (1, 2, 2, 5):
        stats = {1: OVER if number != 1 else STATS, 2: STATS}
        panel = make_reading({"username": "acme"}, {"username": "birch"}, stats=stats)
        days = keep_days(days).with_day([panel], DAY.replace(day=number))

    rows = make_usage_rows([panel], MONTHS, days)

    counts = {(row["client"], row["month"]): row["days_over_limit"] for row in rows}
    assert counts == {
        ("acme", "2026-10"): None,
        ("acme", "2026-11"): 2,
        ("birch", "2026-10"): None,
        ("birch", "2026-11"): 0,
    }


def test_a_day_on_which_a_client_was_not_read_does_not_count_as_known() -> None:
    panel = make_reading({"username": "acme"}, stats={})
    days = LimitDays().with_day([panel], DAY)
    assert make_usage_rows([panel], MONTHS, days)[1]["days_over_limit"] is None


def test_an_unread_panel_keeps_its_days_and_a_panel_that_is_gone_does_not() -> None:
    first, second = (
        make_reading({"username": "acme"}, name=name, stats={1: OVER}) for name in ("one", "two")
    )
    unread = PanelReading("one", "one.example", failure="no answer")

    days = LimitDays().with_day([first, second], DAY)
    days = keep_days(days).with_day([unread], DAY.replace(day=21))

    assert days.read == {("one", "one.example"): {"2026-11": [20]}}
    assert days.over == {("one", "one.example", "1", "acme"): {"2026-11": [20]}}


def test_a_client_that_was_created_again_begins_anew() -> None:
    days = LimitDays().with_day([make_reading({"username": "acme", "id": 1}, stats={1: OVER})], DAY)
    recreated = make_reading({"username": "acme", "id": 9})
    assert make_usage_rows([recreated], MONTHS, keep_days(days))[1]["days_over_limit"] == 0


def test_days_of_more_than_two_years_ago_are_forgotten() -> None:
    panel = make_reading({"username": "acme"}, stats={1: OVER})
    days = LimitDays().with_day([panel], datetime.date(2024, 11, 20))
    days = keep_days(days).with_day([panel], DAY)
    assert list(days.read[("web-1", "web-1.example")]) == ["2026-11"]
    assert [*days.over.values()] == [{"2026-11": [20]}]


PANEL_OF_NO_REPORT = [
    {},
    [],
    {"server": "a", "address": "b", "months": [], "clients": []},
    {"server": "a", "address": "b", "months": {"x": "y"}, "clients": []},
    {"server": "a", "address": "b", "months": {}, "clients": [{"id": 1}]},
]
TEXTS_OF_NO_REPORT = [
    *("", "{", "[]", "{}", '{"limit_days": 5}'),
    *(json.dumps({"limit_days": [panel]}) for panel in PANEL_OF_NO_REPORT),
]


@pytest.mark.parametrize("text", TEXTS_OF_NO_REPORT)
def test_days_in_a_form_that_no_report_writes_are_none(text: str) -> None:
    assert read_limit_days(text) == LimitDays()
