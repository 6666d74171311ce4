# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of froxlor's API become rows of its tables, and errors name the function."""

from __future__ import annotations

import itertools
import json

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.dump_file import (
    read_dump,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.mysql_users import (
    add_mysql_users,
    find_mysql_users,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.reader import (
    read_froxlor,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.tables import (
    FROXLOR_FORMS,
    FROXLOR_LISTINGS,
    ZONE_LISTING,
    read_froxlor_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    KeptAnswers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
    Tables,
)
from tests.support.froxlor_source import (
    COLUMNS,
    FUNCTIONS,
    dump_text,
    format_mysql_users,
    make_answer_bodies,
    make_froxlor_rows,
    make_row,
)

LOCATION = "https://old.example"


def read_bodies(bodies):
    """Return the Source of answers."""
    return read_froxlor(read_froxlor_answers(KeptAnswers(LOCATION, bodies)))


def test_the_reader_uses_only_columns_that_the_panel_has():
    forms = {
        form.name: set(form.list_columns()) for form in FROXLOR_FORMS if form.name != "mysql_user"
    }
    unknown = {name: columns - COLUMNS[name].keys() for name, columns in forms.items()}
    assert not any(unknown.values()), unknown
    assert forms.keys() == COLUMNS.keys()


def test_the_reader_asks_only_functions_that_the_panel_has():
    assert {*FROXLOR_LISTINGS, ZONE_LISTING, "EmailSender.listing"} == set(FUNCTIONS)


@pytest.mark.parametrize("table", sorted(COLUMNS))
def test_rows_of_the_fixture_have_the_types_of_the_panel(table):
    for row in make_froxlor_rows()[table]:
        for column, value in row.items():
            default = COLUMNS[table][column]
            allowed = (type(default), type(None)) if default != 0 else (int,)
            if default is None:
                allowed = (str, int, type(None))
            if column == "destination":
                allowed = (str, type(None))
            assert isinstance(value, allowed), (column, value)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: body,
        lambda body: body["data"],
        lambda body: body["data"]["list"],
        lambda body: {"data": body["data"]["list"]},
        lambda body: {"data": {"list": dict(enumerate(body["data"]["list"]))}},
        lambda body: {"status": 200, "status_message": "ok", **body},
    ],
)
def test_a_listing_is_read_in_each_of_its_envelopes(wrap):
    bodies = make_answer_bodies(make_froxlor_rows())
    expected = read_bodies(bodies)
    assert read_bodies({name: wrap(body) for name, body in bodies.items()}) == expected


@pytest.mark.parametrize("function", sorted(FROXLOR_LISTINGS))
def test_a_missing_answer_is_an_error_that_names_the_function(function):
    bodies = make_answer_bodies(make_froxlor_rows())
    del bodies[function]
    with pytest.raises(SourceError, match=function):
        read_bodies(bodies)


def test_the_missing_listing_of_a_zone_is_an_error_that_names_it():
    bodies = make_answer_bodies(make_froxlor_rows())
    del bodies["DomainZones.listing.12"]
    with pytest.raises(SourceError, match=r"DomainZones\.listing\.12"):
        read_bodies(bodies)


def test_all_records_may_be_in_one_answer():
    bodies = make_answer_bodies(make_froxlor_rows())
    expected = read_bodies(bodies)
    zones = [name for name in bodies if name.startswith("DomainZones.listing.")]
    records = [bodies.pop(name)["data"]["list"] for name in zones]
    bodies["DomainZones.listing"] = list(itertools.chain.from_iterable(records))
    assert read_bodies(bodies) == expected


@pytest.mark.parametrize("function", [*sorted(FROXLOR_LISTINGS), "DomainZones.listing.1"])
@pytest.mark.parametrize(
    "body",
    [
        {"message": "You cannot access\n this resource."},
        {"status": 403, "status_message": "Forbidden", "data": None},
        {"data": False},
        {"data": {"count": 1}},
        None,
        "",
        7,
        True,
    ],
)
def test_a_refused_answer_is_one_error_that_names_the_function(function, body):
    bodies = {**make_answer_bodies(make_froxlor_rows()), function: body}
    with pytest.raises(SourceError) as failure:
        read_bodies(bodies)
    assert failure.value.location == f"{LOCATION}: {function}"
    assert "\n" not in failure.value.reason


def test_what_the_panel_says_to_a_refused_request_is_in_the_error():
    bodies = {**make_answer_bodies(make_froxlor_rows()), "Ftps.listing": {"message": "No access."}}
    with pytest.raises(SourceError, match=r"which answered: No access\.$"):
        read_bodies(bodies)


def test_a_listing_without_a_needed_column_is_of_another_version():
    bodies = make_answer_bodies(make_froxlor_rows())
    for entry in bodies["Emails.listing"]["data"]["list"]:
        del entry["popaccountid"]
    with pytest.raises(SourceError, match=r"mail_virtual has no column popaccountid"):
        read_bodies(bodies)


def test_a_panel_without_anything_is_an_empty_source():
    source = read_bodies({function: [] for function in FROXLOR_LISTINGS})
    assert source.customers == ()
    assert source.left_out == ()


def test_domains_come_once_although_two_listings_show_them():
    tables = read_froxlor_answers(KeptAnswers(LOCATION, make_answer_bodies(make_froxlor_rows())))
    ids = [row["id"] for row in tables.list_rows("panel_domains")]
    assert sorted(ids, key=int) == [str(number) for number in range(1, 18)]


def test_an_alias_is_found_by_name_where_a_listing_has_no_id():
    bodies = make_answer_bodies(make_froxlor_rows())
    for function in ("Domains.listing", "SubDomains.listing"):
        for entry in bodies[function]["data"]["list"]:
            entry.pop("aliasdomainid", None)
    assert (
        read_bodies(bodies).domains == read_bodies(make_answer_bodies(make_froxlor_rows())).domains
    )


def test_senders_of_many_addresses_may_be_in_one_file():
    bodies = make_answer_bodies(make_froxlor_rows())
    expected = read_bodies(bodies)
    names = [name for name in bodies if name.startswith("EmailSender.listing.")]
    bodies["EmailForwarders.listing_EmailSender.listing"] = {
        name.rpartition(".")[2]: {"sender": bodies.pop(name)} for name in names
    }
    assert read_bodies(bodies) == expected


def test_an_entry_that_is_no_row_does_not_stop_the_others():
    bodies = make_answer_bodies(make_froxlor_rows())
    expected = read_bodies(bodies)
    bodies["Ftps.listing"]["data"]["list"] += [None, "x", [], 7]
    assert read_bodies(bodies).ftp_users == expected.ftp_users


def test_plans_whose_limits_are_no_text_any_more_are_read():
    bodies = make_answer_bodies(make_froxlor_rows())
    expected = read_bodies(bodies)
    for entry in bodies["HostingPlans.listing"]["data"]["list"][:2]:
        entry["value"] = json.loads(entry["value"])
    assert read_bodies(bodies).plans == expected.plans


def test_a_dump_of_another_panel_says_whose_it_is(tmp_path):
    path = tmp_path / "other.sql"
    path.write_text(
        "-- MariaDB dump 10.19\nCREATE TABLE `web_domain` (\n  `domain_id` int\n) ENGINE=InnoDB;\n"
        "-- Dump completed\n"
    )
    with pytest.raises(SourceError, match="dump of ISPConfig"):
        read_dump(path, FROXLOR_FORMS, {"web_domain": "ISPConfig"})


def test_tables_of_newer_versions_may_be_missing_in_a_dump(tmp_path):
    path = tmp_path / "old.sql"
    text = dump_text({**make_froxlor_rows(), "panel_sshkeys": [], "mail_sender_aliases": []})
    for table in ("panel_sshkeys", "mail_sender_aliases"):
        text = text.replace(f"`{table}`", "`other`")
    path.write_text(text, encoding="utf-8")
    source = read_froxlor(read_dump(path, FROXLOR_FORMS))
    assert source.customers


# Users of the database server


def test_users_of_the_server_are_beside_a_dump_and_in_or_beside_a_folder(tmp_path):
    folder = tmp_path / "api"
    folder.mkdir()
    assert find_mysql_users(tmp_path / "a.sql") is None
    assert find_mysql_users(folder) is None
    outside = tmp_path / "mysql_user.tsv"
    outside.write_text("")
    assert find_mysql_users(tmp_path / "a.sql") == outside
    assert find_mysql_users(folder) == outside
    inside = folder / "mysql_user.tsv"
    inside.write_text("")
    assert find_mysql_users(folder) == inside


def read_users(tmp_path, text: str):
    """Return the rows of a file of users."""
    path = tmp_path / "mysql_user.tsv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return add_mysql_users(Tables({}, "x"), path).list_rows("mysql_user")


@pytest.mark.parametrize(
    "text",
    [
        "User\tHost\tauthentication_string\na\tlocalhost\t*AB\n",
        "User\tHost\tplugin\tauthentication_string\r\na\tlocalhost\tx\t*AB\r\n",
        "Host\tUser\tauthentication_string\nlocalhost\ta\t*AB",
        "user\thost\tauthentication_string\na\tlocalhost\t*AB\n",
        "\ufeffUser\tHost\tauthentication_string\na\tlocalhost\t*AB\n",
        "a\tlocalhost\t*AB\n",
        "a\tlocalhost\tmysql_native_password\t*AB\n",
    ],
)
def test_users_are_read_in_each_form_of_the_client(tmp_path, text):
    (row,) = read_users(tmp_path, text)
    assert (row["User"], row["Host"], row["authentication_string"]) == ("a", "localhost", "*AB")


def test_escapes_and_null_are_read(tmp_path):
    (row,) = read_users(tmp_path, "User\tHost\tauthentication_string\na\\tb\\\\\tNULL\t\\0x\n")
    assert row == {"User": "a\tb\\", "Host": "", "authentication_string": "\0x"}


def test_an_empty_file_has_no_users(tmp_path):
    assert read_users(tmp_path, "") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("User\tHost\tauthentication_string\na\tlocalhost\n", r"line 2: it has 2 values"),
        ("User\tHost\nx\ty\n", r"not User, Host and authentication_string"),
        ("GRANT ALL ON x TO y;\n", r"not User, Host and authentication_string"),
    ],
)
def test_a_file_of_something_else_is_an_error_that_names_it(tmp_path, text, message):
    with pytest.raises(SourceError, match=rf"mysql_user\.tsv.*{message}"):
        read_users(tmp_path, text)


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(tmp_path):
    with pytest.raises(SourceError, match=r"mysql_user\.tsv"):
        add_mysql_users(Tables({}, "x"), tmp_path / "mysql_user.tsv")


def test_the_hash_of_the_server_itself_counts_where_hosts_differ(tmp_path):
    rows = make_froxlor_rows()
    text = format_mysql_users(
        [("muehlesql1", "10.0.0.9", "x", "*FAR"), ("muehlesql1", "localhost", "x", "*NEAR")]
    )
    (tmp_path / "mysql_user.tsv").write_text(text)
    path = tmp_path / "a.sql"
    path.write_text(dump_text(rows), encoding="utf-8")
    tables = add_mysql_users(read_dump(path, FROXLOR_FORMS), tmp_path / "mysql_user.tsv")
    assert read_froxlor(tables).databases[0].hash == "*NEAR"


def test_rows_of_the_fixture_have_no_unknown_columns():
    with pytest.raises(AssertionError, match="colour"):
        make_row("ftp_users", colour="red")
