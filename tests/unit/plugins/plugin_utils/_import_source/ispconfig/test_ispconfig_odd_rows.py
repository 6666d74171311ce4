# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of an ISPConfig with an odd value never stops the others, in any column of any table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.reader import (
    read_ispconfig,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.tables import (
    FORM_BY_TABLE,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    Row,
    Tables,
)
from tests.support.import_sources import find_accounting_faults, list_origins
from tests.support.ispconfig_sample import HOF, make_sample
from tests.support.ispconfig_source import NO_OBJECTS

ODD: dict[str, str | None] = {
    "null": None,
    "nothing": "",
    "a blank": " ",
    "a text": "perhaps",
    "a long number": "1" + "0" * 30,
    "a fraction": "1.5",
    "digits of another script": "١٧",
    "bytes that are no text": "a\udce4b",
    "half a pair": "\ud800",
    "a long text": "x" * 100_000,
    "a long text of letters": "ä" * 50_000 + ".example",
    "a long line of dots": "a." * 5_000,
    "controls": "a\x00\x1b[31m\u202eb\n",
    "a template": "{{ lookup('pipe', 'true') }}",
    "at signs": "@@@",
    "slashes": "/../..//",
}
# What every run tries; the rest is for the longer runs.
QUICK = ("null", "a text", "a long number", "bytes that are no text", "slashes")
ODDITIES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.release) for name in ODD
]
# Rows that others lead to: with another owner or name, these are others too.
LED_TO = {
    "client", "sys_group", "client_template", "server_php", "web_domain", "web_database_user",
    "web_folder", "mail_domain", "mail_user", "dns_soa",
}  # fmt: skip
# Rows that arrive as a part of another one, by the table of that.
PARTS = {"web_database": "web_database_user", "web_folder_user": "web_folder"}
# Whose rows no longer arrive where the row that they lead to has another id.
TABLES_LOST_WITH = {
    "client": {
        "web_domain", "ftp_user", "web_folder", "web_folder_user", "cron", "web_database",
        "web_database_user", "mail_domain", "mail_user", "mail_forwarding", "dns_soa", "dns_rr",
    },
    "web_domain": {"web_domain", "web_folder", "web_folder_user"},
    "web_folder": {"web_folder_user"},
    "dns_soa": {"dns_rr"},
}  # fmt: skip
# Of tables that the sample lacks, as some installations do.
OPTIONAL_ROWS: dict[str, list[dict[str, Any]]] = {
    "mail_relay_recipient": [
        {"relay_recipient_id": 1, "sys_groupid": HOF, "source": "fern@hof.example"}
    ],
    "xmpp_domain": [{"domain_id": 1, "sys_groupid": HOF, "domain": "hof.example"}],
    "xmpp_user": [{"xmppuser_id": 1, "sys_groupid": HOF, "jid": "lena@hof.example"}],
}
KEYS = {table: form.key for table, form in FORM_BY_TABLE.items()}
CELLS = [
    (table, column)
    for table, form in FORM_BY_TABLE.items()
    for column in form.list_columns()
    if column != form.key
]


@cache
def read_whole() -> Source:
    """Return what the sample says."""
    return read_ispconfig(Tables(make_tables(), "test"))


def make_tables() -> dict[str, list[dict[str, str | None]]]:
    """Return the rows of the sample as texts, with the columns that a reader needs."""
    tables = {}
    for table, rows in {**make_sample(), **OPTIONAL_ROWS}.items():
        columns = FORM_BY_TABLE[table].list_columns()
        tables[table] = [
            {name: None if row.get(name) is None else str(row[name]) for name in columns}
            for row in rows
        ]
    return tables


def list_rows_of_customers(tables: Tables) -> Iterator[Origin]:
    """Yield where each row comes from that stands for something a customer has."""
    for table, key in KEYS.items():
        if table not in NO_OBJECTS:
            yield from (Origin(table, row[key] or "") for row in tables.list_rows(table))


def list_carried(source: Source) -> list[Origin]:
    """Return where what arrives comes from."""
    return [*list_origins(dataclasses.replace(source, left_out=()))]


def list_others(source: Source, table: str, row: Row) -> set[Any]:
    """Return what became of all rows but one, and but those that are parts of it."""
    origin = Origin(table, row[KEYS[table]] or "")
    entries: list[Any] = [*source.left_out]
    for objects in vars(source).values():
        entries.extend(item for item in objects if hasattr(item, "origin"))
    return {
        str(entry)
        for entry in entries
        if entry.origin != origin and entry.origin.table != PARTS.get(table)
    }


@pytest.mark.parametrize("oddity", ODDITIES)
@pytest.mark.parametrize(("table", "column"), CELLS)
def test_a_row_with_an_odd_value_is_accounted_for_and_the_others_stay(table, column, oddity):
    tables = make_tables()
    row = tables[table][0]
    whole = list_others(read_whole(), table, row)
    row[column] = ODD[oddity]
    changed = Tables(tables, "test")
    source = read_ispconfig(changed)
    assert find_accounting_faults(source, list_rows_of_customers(changed)) == []
    if table not in LED_TO and table != "dns_rr":
        assert list_others(source, table, row) == whole


@pytest.mark.release
@pytest.mark.parametrize("oddity", ODD)
@pytest.mark.parametrize(
    ("table", "column"),
    [
        cell
        for cell in CELLS
        if cell[0] in {"ftp_user", "cron", "mail_user", "mail_forwarding", "dns_rr", "client"}
    ],
)
def test_any_row_of_a_table_may_be_the_odd_one(table, column, oddity):
    for number in range(len(make_tables()[table])):
        tables = make_tables()
        tables[table][number][column] = ODD[oddity]
        changed = Tables(tables, "test")
        source = read_ispconfig(changed)
        assert find_accounting_faults(source, list_rows_of_customers(changed)) == [], number


@pytest.mark.parametrize("oddity", ODDITIES)
@pytest.mark.parametrize("table", FORM_BY_TABLE)
def test_a_row_without_a_right_id_never_stops_the_others(table, oddity):
    tables = make_tables()
    row = tables[table][0]
    odd_origin = Origin(table, row[KEYS[table]] or "")
    row[KEYS[table]] = ODD[oddity]
    source = read_ispconfig(Tables(tables, "test"))
    missing_origins = {*list_carried(read_whole())} - {*list_carried(source), odd_origin}
    assert {origin.table for origin in missing_origins} == TABLES_LOST_WITH.get(table, set())


@pytest.mark.parametrize("oddity", ["bytes that are no text", "half a pair"])
@pytest.mark.parametrize(("table", "column"), [*CELLS, *KEYS.items()])
def test_what_is_no_text_is_nowhere_in_what_was_read(table, column, oddity):
    tables = make_tables()
    tables[table][0][column] = ODD[oddity]
    source = read_ispconfig(Tables(tables, "test"))
    json.dumps(dataclasses.asdict(source), ensure_ascii=False).encode()


def test_every_row_may_be_empty_at_once():
    tables = {
        table: [dict.fromkeys(FORM_BY_TABLE[table].list_columns())] for table in make_tables()
    }
    source = read_ispconfig(Tables(tables, "test"))
    assert not list_carried(source)
    assert {entry.origin.id for entry in source.left_out} == {"?1"}
    assert {entry.origin.table for entry in source.left_out} == {*tables} - {*NO_OBJECTS}


def test_no_name_in_the_lists_is_longer_than_a_line():
    tables = make_tables()
    for row in tables["ftp_user"]:
        row.update(username="x" * 100_000, active="n")
    source = read_ispconfig(Tables(tables, "test"))
    assert max(len(entry.key) for entry in source.left_out) == 200
