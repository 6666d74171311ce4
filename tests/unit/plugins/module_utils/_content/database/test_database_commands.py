# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the commands that read a database, and how their answers are read."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    check_name,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.facts_query import (
    make_facts_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.rows_commands import (
    make_dump_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.source_commands import (
    list_source_commands,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.sql import (
    quote_database_of_grant,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.rows import (
    read_mark,
    run_query,
    show_error,
    split_line,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.sides import (
    TARGET_SERVER,
    DatabaseServer,
    make_source_server,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import Ended

HOSTILE_NAMES = ["a`b", "a'b", 'a"b', "a\nb", "a//b", "a;b", "a\\b", "a%b_c", "-a", "ü"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_of_a_database_is_no_part_of_sql(name: str) -> None:
    plain = list_source_commands("x", Login())
    commands = list_source_commands(name, Login())

    for command, plain_command in zip(commands, plain, strict=True):
        for argument, plain_argument in zip(command, plain_command, strict=True):
            if argument.startswith("--execute="):
                assert name not in argument or name in plain_argument
                assert argument.count("//") == plain_argument.count("//")


def test_commands_are_equal_for_equal_options() -> None:
    login = Login(socket="/run/db.sock", defaults_file="/etc/db.cnf")

    assert list_source_commands("a", login) == (list_source_commands("a", login))


@pytest.mark.parametrize(
    "setting",
    [
        "SET NAMES utf8mb4 ",
        "sql_mode = 'ALLOW_INVALID_DATES,NO_DIR_IN_CREATE'",
        "sql_quote_show_create = 1",
        "max_error_count = 64",
        "max_recursive_iterations = 4294967295",
        "max_statement_time = 0",
        f"max_join_size = {2**64 - 1}",
        "START TRANSACTION READ ONLY//",
    ],
)
def test_each_query_of_the_source_has_its_own_settings(setting: str) -> None:
    for command in list_source_commands("x", Login()):
        assert sum(argument.count(setting) for argument in command) == 1


def test_a_dump_names_its_database_behind_all_options() -> None:
    command = make_dump_command("--all-databases", Login())

    assert command[-2:] == ["--", "--all-databases"]


@pytest.mark.parametrize(
    ("login", "arguments"),
    [
        (Login(), ["--no-defaults"]),
        (Login(socket="/s"), ["--no-defaults", "--socket=/s"]),
        (Login("/s", "/d"), ["--defaults-file=/d", "--socket=/s"]),
    ],
    ids=["nothing", "socket", "both"],
)
def test_a_login_is_the_first_argument(login: Login, arguments: list[str]) -> None:
    command = make_facts_command("a", login)

    assert command[1 : 1 + len(arguments)] == arguments


def test_a_login_wants_absolute_paths() -> None:
    with pytest.raises(ContentError) as caught:
        Login.read({"socket": "db.sock", "defaults_file": None}, "source_login")

    assert caught.value.option == "source_login.socket"


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("a_b", "`a\\_b`"), ("a%b", "`a\\%b`"), ("a\\b", "`a\\\\b`"), ("a`b", "`a``b`")],
)
def test_grant_gets_the_name_of_one_database(name: str, quoted: str) -> None:
    assert quote_database_of_grant(name) == quoted


@pytest.mark.parametrize("name", ["", "mysql", "MySQL", "sys", "a\0b", "x" * 65])
def test_what_is_no_database_of_a_customer_is_refused_by_option(name: str) -> None:
    with pytest.raises(ContentError) as caught:
        check_name(name, "source_name")

    assert caught.value.option == "source_name"


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (b"a\tb", [b"a", b"b"]),
        (rb"a\tb", [b"a\tb"]),
        (rb"a\\nb\n", [b"a\\nb\n"]),
        (rb"\0", [b"\0"]),
        (b"", [b""]),
    ],
)
def test_a_line_of_the_client_gives_the_values_of_a_row(line: bytes, values: list[bytes]) -> None:
    assert split_line(line) == values


@pytest.mark.parametrize("row", [[b"a"], [b"[1", b"2]"], [b"[]"], [b"[broken"], [b'{"a":1}']])
def test_only_an_array_is_a_mark(row: list[bytes]) -> None:
    assert read_mark(row) is None


def test_an_error_shows_no_statement() -> None:
    errors = (
        b"--------------\nINSERT 'secret'\n--------------\n\nERROR 1062 (23000) at line 3: Twice\n"
    )

    assert show_error(Ended(1, b"", errors)) == "Twice (error 1062)"


def test_an_error_has_no_digits_of_the_account_of_a_run() -> None:
    account = "hosting_panel_0123456789ab_cafe0123"
    errors = f"ERROR 1142 (42000) at line 3: denied to user '{account}'@'localhost'\n".encode()

    assert show_error(Ended(1, b"", errors)) == (
        "denied to user 'hosting_panel'@'localhost' (error 1142)"
    )


@pytest.mark.parametrize("server", [make_source_server(None), TARGET_SERVER])
def test_a_client_that_is_killed_without_a_word_shows_nothing_of_what_it_read(
    server: DatabaseServer,
) -> None:
    command = ["sh", "-c", "echo \"CONNECTION='mysql://user:secret@host'\"; kill -KILL $$"]
    with pytest.raises(ContentError) as caught:
        run_query(server, command)

    assert caught.value.problem.endswith("refuses: it gave no reason (signal 9)")


def test_an_error_of_the_client_itself_is_shown() -> None:
    errors = b"mariadb: unknown option '--sandbox'\n"

    assert show_error(Ended(7, b"", errors)) == "mariadb: unknown option '--sandbox'"
