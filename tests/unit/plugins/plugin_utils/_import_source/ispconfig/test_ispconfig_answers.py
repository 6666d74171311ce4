# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of ISPConfig's API become the tables that a dump has, each row once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.answers import (
    read_ispconfig_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.tables import (
    FORM_BY_TABLE,
    FORMS,
    FUNCTIONS_BY_TABLE,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    KeptAnswers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
)
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import COLUMNS, FUNCTIONS, KEYS, make_answers

# Newer servers have the first; the second has no function in the releases that are known.
NEWER_COLUMNS = {"web_database_user": {"database_password_sha2"}}
ONLY_IN_DUMPS = {"sys_group", "sys_user", "mail_relay_recipient", "xmpp_domain", "xmpp_user"}


def read_bodies(bodies: dict[str, Any]):
    """Return the tables of answers with these bodies."""
    return read_ispconfig_answers(KeptAnswers("https://old.example:8080", bodies))


def make_answer(rows: Any) -> dict[str, Any]:
    """Return a body that holds these rows."""
    return {"code": "ok", "message": "", "response": rows}


@pytest.fixture
def bodies() -> dict[str, Any]:
    """Return the bodies of a whole source."""
    return make_answers(make_sample())


@pytest.mark.parametrize("table", COLUMNS)
def test_the_columns_of_a_table_are_those_that_the_panel_has(table):
    form = FORM_BY_TABLE[table]
    assert form.key == KEYS[table]
    assert {*form.list_columns()} <= {*COLUMNS[table]} | NEWER_COLUMNS.get(table, set())


def test_all_tables_of_customers_are_read_from_the_functions_that_answer_them():
    assert {form.name for form in FORMS} == {*COLUMNS} | ONLY_IN_DUMPS
    functions = {table: list(names) for table, names in FUNCTIONS_BY_TABLE.items()}
    functions["dns_rr"] = ["dns_a_get"]
    del functions["mail_relay_recipient"]
    assert functions == FUNCTIONS


@pytest.mark.parametrize("table", [*FUNCTIONS])
def test_rows_that_several_functions_answer_are_in_their_table_once(bodies, table):
    ids = [row[KEYS[table]] for row in read_bodies(bodies).list_rows(table)]
    assert ids == [str(row[KEYS[table]]) for row in make_sample()[table]]


@pytest.mark.parametrize(
    "name", [name for names in FUNCTIONS.values() if len(names) == 1 for name in names]
)
def test_a_function_that_was_not_asked_is_an_error_that_names_it(bodies, name):
    del bodies[name]
    table = next(table for table, names in FUNCTIONS.items() if name in names)
    if FORM_BY_TABLE[table].may_lack:
        assert read_bodies(bodies).list_rows(table) == ()
        return
    name = "dns_rr_get_all_by_zone.1" if table == "dns_rr" else name
    with pytest.raises(SourceError, match=rf"there is no answer of {name}\."):
        read_bodies(bodies)


@pytest.mark.parametrize("table", [table for table, names in FUNCTIONS.items() if len(names) > 1])
def test_one_of_the_functions_that_answer_a_whole_table_is_enough(bodies, table):
    for name in FUNCTIONS[table][1:]:
        del bodies[name]
    assert len(read_bodies(bodies).list_rows(table)) == len(make_sample()[table])


@pytest.mark.parametrize(
    "name",
    [
        *(name for names in FUNCTIONS.values() for name in names),
        "client_get_groupid.11",
        "client_get_by_groupid.21",
    ],
)
def test_a_function_that_the_panel_refused_is_an_error_that_names_it(bodies, name):
    bodies[name] = {
        "code": "remote_fault",
        "message": "You do not have the permissions",
        "response": False,
    }
    with pytest.raises(SourceError, match="the panel refused this function") as failure:
        read_bodies(bodies)
    assert failure.value.location == f"https://old.example:8080: {name}"


def test_the_group_of_the_administrator_is_refused_and_has_no_client(bodies):
    assert bodies["client_get_by_groupid.1"]["code"] == "remote_fault"
    groups = {
        row["groupid"]: row["client_id"] for row in read_bodies(bodies).list_rows("sys_group")
    }
    assert groups == {"21": "11", "22": "12", "23": "13", "24": "14"}


@pytest.mark.parametrize("prefix", ["client_get_groupid.", "client_get_by_groupid."])
def test_one_of_the_functions_about_groups_is_enough(bodies, prefix):
    kept = {name: body for name, body in bodies.items() if not name.startswith(prefix)}
    assert len(read_bodies(kept).list_rows("sys_group")) == 4


def test_a_client_whose_group_nobody_asked_for_is_an_error_that_names_the_function(bodies):
    del bodies["client_get_groupid.13"]
    del bodies["client_get_by_groupid.23"]
    with pytest.raises(SourceError, match=r"there is no answer of client_get_groupid\.13"):
        read_bodies(bodies)


@pytest.mark.parametrize("response", [False, None, 0, "", [], {}, "0", "text", -1])
def test_a_client_without_a_group_has_no_rows(bodies, response):
    bodies["client_get_groupid.13"] = make_answer(response)
    del bodies["client_get_by_groupid.23"]
    groups = {row["groupid"] for row in read_bodies(bodies).list_rows("sys_group")}
    assert groups == {"21", "22", "24"}


def test_records_come_from_one_answer_for_each_zone_too(bodies):
    rows = bodies.pop("dns_a_get")["response"]
    for zone in ("1", "2", "3"):
        bodies[f"dns_rr_get_all_by_zone.{zone}"] = make_answer(
            [r for r in rows if r["zone"] == zone]
        )
    zones = [row["zone"] for row in read_bodies(bodies).list_rows("dns_rr")]
    assert sorted(zones) == sorted(row["zone"] for row in rows if row["zone"] != "4711")


def test_answers_without_an_envelope_are_the_same(bodies):
    bare = {name: body["response"] for name, body in bodies.items() if body["code"] == "ok"}
    assert read_bodies(bare) == read_bodies(bodies)


def test_one_row_for_each_call_is_the_same(bodies):
    rows = bodies.pop("client_get")["response"]
    whole = make_answers(make_sample())
    bodies.update({f"client_get.{row['client_id']}": make_answer(row) for row in rows})
    assert read_bodies(bodies).list_rows("client") == read_bodies(whole).list_rows("client")


@pytest.mark.parametrize("response", [False, None, "text", 1, {}, {"a": 1}])
def test_an_answer_that_is_no_list_is_an_error_that_names_it(bodies, response):
    bodies["mail_user_get"] = make_answer(response)
    with pytest.raises(SourceError, match="mail_user_get: this answer is no list of rows"):
        read_bodies(bodies)


@pytest.mark.parametrize("form", [form for form in FORMS if form.name in FUNCTIONS])
def test_rows_without_a_column_that_a_reader_needs_are_an_error_that_names_it(bodies, form):
    column = form.needed[-1]
    name = FUNCTIONS[form.name][0]
    for row in bodies[name]["response"]:
        del row[column]
    with pytest.raises(
        SourceError, match=f"the table {form.name} has no column {column}"
    ) as failure:
        read_bodies(bodies)
    assert failure.value.location.endswith(name)


def test_an_older_version_may_lack_what_no_customer_needs(bodies):
    for row in bodies["mail_user_get"]["response"]:
        del row["disablesieve-filter"]
    assert {row["disablesieve-filter"] for row in read_bodies(bodies).list_rows("mail_user")} == {
        None
    }


def test_what_is_no_row_has_nothing_in_it_and_the_others_stay(bodies):
    count = len(bodies["client_get"]["response"])
    bodies["client_get"]["response"].extend(["text", None, [1]])
    rows = read_bodies(bodies).list_rows("client")
    assert len(rows) == count + 3
    assert {*rows[-1].values()} == {None}


def test_numbers_and_switches_are_texts_as_in_a_dump(bodies):
    bodies["client_get"]["response"][0].update(limit_cron=10**30, locked=True, notes=None)
    row = read_bodies(bodies).list_rows("client")[0]
    assert (row["limit_cron"], row["locked"], row["notes"]) == ("1" + "0" * 30, "1", None)
