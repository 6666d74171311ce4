# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of a froxlor with an odd value never stops the others, whatever the column is."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.reader import (
    read_froxlor,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.tables import (
    FORMS_BY_TABLE,
    FROXLOR_FORMS,
    read_froxlor_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    KeptAnswers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    Tables,
    format_value,
)
from tests.support.froxlor_source import MYSQL_USERS, make_answer_bodies, make_froxlor_rows
from tests.support.import_sources import find_accounting_faults, list_failed_rows, list_origins

ODD = {
    "null": None,
    "an empty text": "",
    "blanks": "   ",
    "a text": "perhaps",
    "a number": "7",
    "a negative number": "-7",
    "a fraction": "2.5",
    "a long number": "1" + "0" * 30,
    "a number of 5,000 digits": "9" * 5000,
    "no finite number": "1e400",
    "not a number": "nan",
    "digits of another script": "١٧",
    "lone surrogates": "a\udcff\udc80",
    "a huge text": "x" * 100_000,
    "control characters": "a\x00\x1b[31m\u202eb\n",
    "markup": "<b>{{ lookup('pipe', 'true') }}</b>",
    "JSON that is too deep": "[" * 100_000,
    "letters in a domain": "ä@ö.example",
    "a label that is too long": "a@" + "ü" * 100 + ".example",
}


def display_row(row) -> dict[str, str | None]:
    """Return a row as a database shows it."""
    return {column: format_value(value) for column, value in row.items()}


def make_tables() -> dict[str, list[dict[str, str | None]]]:
    """Return the fixture as tables."""
    tables = {
        table: [display_row(row) for row in rows] for table, rows in make_froxlor_rows().items()
    }
    tables["mysql_user"] = [
        {"User": user, "Host": host, "plugin": plugin, "authentication_string": hash_}
        for user, host, plugin, hash_ in MYSQL_USERS
    ]
    return tables


CELLS = list(
    itertools.chain.from_iterable(
        itertools.product([form.name], form.list_columns()) for form in FROXLOR_FORMS
    )
)
# Those that each run tries; the others are tried before a change is merged.
FEW = ("null", "a text", "a long number", "lone surrogates", "letters in a domain")
CASES = [
    pytest.param(name, marks=[] if name in FEW else [pytest.mark.release]) for name in sorted(ODD)
]
JSON_CASES = [
    *(pytest.param(value) for value in (None, [[1]], 10**30)),
    *(
        pytest.param(value, marks=[pytest.mark.release])
        for value in (True, [], {}, {"a": 1}, 2.5, "x", "")
    ),
]


def list_columns_of_answers() -> list[tuple[str, str]]:
    """Return each column of each answer."""
    columns: set[tuple[str, str]] = set()
    for function, body in make_answer_bodies(make_froxlor_rows()).items():
        for entry in body["data"]["list"]:
            columns.update((function, column) for column in entry)
    return sorted(columns)


# Columns that other rows lead to: what leads nowhere any more changes with them.
SHARED = {
    ("panel_customers", "customerid"), ("panel_customers", "loginname"),
    ("panel_customers", "documentroot"), ("panel_customers", "deactivated"),
    ("panel_customers", "phpenabled"), ("panel_customers", "standardsubdomain"),
    ("panel_admins", "adminid"), ("panel_admins", "loginname"), ("panel_admins", "name"),
    ("panel_admins", "change_serversettings"),
    ("panel_domains", "id"), ("panel_domains", "domain"), ("panel_domains", "customerid"),
    ("panel_domains", "isemaildomain"), ("panel_domains", "isbinddomain"),
    ("panel_domains", "email_only"), ("panel_domains", "aliasdomain"),
    ("panel_domains", "domain_ace"), ("panel_domains", "documentroot"),
    ("panel_domaintoip", "id_domain"), ("panel_domaintoip", "id_ipandports"),
    ("panel_ipsandports", "id"), ("panel_ipsandports", "ip"),
    ("panel_phpconfigs", "id"), ("panel_phpconfigs", "description"),
    ("domain_redirect_codes", "did"), ("domain_redirect_codes", "rid"),
    ("redirect_codes", "id"), ("redirect_codes", "code"),
    ("domain_ssl_settings", "id"), ("domain_ssl_settings", "domainid"),
    ("domain_ssl_settings", "ssl_cert_file"), ("domain_ssl_settings", "ssl_key_file"),
    ("domain_ssl_settings", "ssl_ca_file"), ("domain_ssl_settings", "ssl_cert_chainfile"),
    ("mail_users", "id"),
}  # fmt: skip


# Whose rows are parts of others, settings that others name, or several objects of which one may be
# left out.
NOT_ONE_OBJECT = {
    "domain_redirect_codes", "mysql_user", "panel_domains", "panel_domaintoip",
    "panel_ipsandports", "panel_phpconfigs", "redirect_codes",
}  # fmt: skip


def list_all_objects(source: Source) -> dict[Origin, list[object]]:
    """Return all objects and those that are left out by the first of their origins."""
    objects: dict[Origin, list[object]] = {}
    for field in dataclasses.fields(Source):
        for item in getattr(source, field.name):
            for origin in list(list_origins(item))[:1]:
                objects.setdefault(origin, []).append(item)
    return objects


@pytest.fixture(scope="module")
def usual() -> dict[Origin, list[object]]:
    """Return the objects of the fixture as it is."""
    return list_all_objects(read_froxlor(Tables(make_tables(), "x")))


@pytest.mark.parametrize("odd", CASES)
@pytest.mark.parametrize(("table", "column"), CELLS)
def test_an_odd_value_in_any_column_of_any_row_stops_nothing(table, column, odd, usual):
    tables = make_tables()
    row = tables[table][0]
    tables[table][0] = {**row, column: ODD[odd]}
    objects = list_all_objects(read_froxlor(Tables(tables, "x")))
    if (table, column) in SHARED or column == FORMS_BY_TABLE[table].key:
        return

    origin = Origin(table, row[FORMS_BY_TABLE[table].key] or "")
    touched = {origin, *_list_partners(tables, table, row)}
    changed = {other for other, items in objects.items() if usual.get(other) != items}
    changed |= usual.keys() - objects.keys()
    assert changed <= touched, changed


@pytest.mark.release
@pytest.mark.parametrize("odd", sorted(ODD))
@pytest.mark.parametrize("table", sorted(FORMS_BY_TABLE))
def test_every_row_of_a_table_with_odd_values_is_accounted_for(table, odd):
    key = FORMS_BY_TABLE[table].key
    for column in FORMS_BY_TABLE[table].list_columns():
        tables = make_tables()
        tables[table] = [{**row, column: ODD[odd]} for row in tables[table]]
        source = read_froxlor(Tables(tables, "x"))
        assert list_failed_rows(source) == [], column
        if table not in NOT_ONE_OBJECT and column != key:
            origins = [Origin(table, row[key] or "") for row in tables[table]]
            assert find_accounting_faults(source, origins) == [], column


def _list_partners(tables, table, row) -> set[Origin]:
    """Return rows that are one thing with a row: a zone and its records, a mailbox and its hash."""
    if table == "domain_dns_entries":
        return {Origin("panel_domains", row["domain_id"])}
    if table == "mail_users":
        virtual = [item for item in tables["mail_virtual"] if item["popaccountid"] == row["id"]]
        addresses = {Origin("mail_virtual", item["id"]) for item in virtual}
        return {*addresses, Origin("mail_sender_aliases", "1")}
    if table == "mail_virtual":
        return {Origin("mail_users", row["popaccountid"]), Origin("mail_sender_aliases", "1")}
    if table == "mysql_user":
        return {
            Origin("panel_databases", item["id"])
            for item in tables["panel_databases"]
            if item["databasename"] == row["User"]
        }
    if table == "panel_databases":
        return {Origin("mysql_user", row["databasename"])}
    return set()


@pytest.mark.parametrize("odd", ["null", "a text", "lone surrogates", "a huge text"])
@pytest.mark.parametrize(
    "table", ["panel_domains", "mail_virtual", "ftp_users", "panel_htpasswds", "panel_databases"]
)
def test_a_row_of_nothing_but_odd_values_is_in_the_lists_once(table, odd):
    tables = make_tables()
    form = FORMS_BY_TABLE[table]
    row = dict.fromkeys(form.list_columns(), ODD[odd])
    tables[table].append({**row, form.key: "777", "customerid": "1"})
    source = read_froxlor(Tables(tables, "x"))
    assert find_accounting_faults(source, [Origin(table, "777")]) == []
    for entry in source.left_out:
        assert len(entry.key) <= 700
        assert entry.key.encode("utf-8")


@pytest.mark.parametrize("odd", JSON_CASES)
@pytest.mark.parametrize(("function", "column"), list_columns_of_answers())
def test_an_odd_value_in_any_column_of_an_answer_stops_nothing(function, column, odd):
    bodies = make_answer_bodies(make_froxlor_rows())
    bodies[function]["data"]["list"][0][column] = odd
    if function == "Domains.listing" and column in {
        "isbinddomain",
        "parentdomainid",
        "customerid",
        "id",
    }:
        bodies["DomainZones.listing"] = []
    if function in {"Customers.listing", "SubDomains.listing"}:
        bodies["DomainZones.listing"] = []
    source = read_froxlor(read_froxlor_answers(KeptAnswers("x", bodies)))
    assert len(source.customers) >= 2
