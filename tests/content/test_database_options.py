"""What a copy of a database makes of names, logins and `replace`, between two real servers of MariaDB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    list_databases,
    read_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from tests.support.database_pair import DEFINER, Pair
from tests.support.real_mariadb import NUMBERS, run_mariadb

MODULE = "panel_database_sync"


@pytest.mark.parametrize(
    ("option", "value"),
    [("name", "nowhere"), ("source_name", "nowhere"), ("definer", "nobody@localhost")],
)
def test_what_is_not_there_is_an_error_that_names_the_option(
    pair: Pair, option: str, value: str
) -> None:
    pair.create()

    assert pair.run_and_get_error(**{option: value}).option == option


@pytest.mark.parametrize("option", ["login", "source_login"])
def test_a_server_that_cannot_be_reached_is_an_error_that_names_the_login(
    pair: Pair, option: str
) -> None:
    pair.create()

    assert pair.run_and_get_error(**{option: {"socket": "/nowhere/sock"}}).option == option


def test_a_defaults_file_that_is_missing_is_an_error_that_names_it(pair: Pair) -> None:
    pair.create()
    missing = {"defaults_file": "/nowhere/my.cnf"}

    assert pair.run_and_get_error(login=missing).option == "login.defaults_file"
    assert pair.run_and_get_error(source_login=missing).option == "source_login"


def test_both_servers_may_want_a_password_from_a_file(pair: Pair, tmp_path: Path) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    logins: list[dict[str, str]] = []
    for server in (pair.source, pair.target):
        server.run(
            "CREATE USER IF NOT EXISTS chief@localhost IDENTIFIED BY 'it is secret';"
            "GRANT ALL ON *.* TO chief@localhost WITH GRANT OPTION;"
        )
        path = tmp_path / f"{len(logins)}.cnf"
        path.write_text(
            f'[client]\nuser=chief\npassword="it is secret"\nsocket={server.socket}\n',
            encoding="utf-8",
        )
        logins.append({"defaults_file": str(path)})

    result = pair.sync(source_login=logins[0], login=logins[1])

    assert (result["changed"], result["differences"]) == (True, [])


def test_a_name_in_another_case_is_another_database(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT);")

    assert pair.run_and_get_error(name=pair.name.upper()).option == "name"
    assert pair.run_and_get_error(source_name=pair.name.upper()).option == "source_name"


def test_a_name_that_the_server_keeps_in_lower_case_is_no_name_of_a_database(
    pair: Pair, tmp_path: Path
) -> None:
    with run_mariadb(tmp_path / "db", None, "--lower-case-table-names=1") as server:
        server.run("CREATE DATABASE Acme_shop; CREATE TABLE Acme_shop.t (a INT);")
        pair.create()
        refused = pair.run_and_get_error(source_name="Acme_shop", source_login=server.login)
        with pytest.raises(ContentError) as raised:
            read_database("Acme_shop", Login(str(server.socket)), "databases")
        assert read_database("acme_shop", Login(str(server.socket))).tables == 1

    assert (refused.option, raised.value.option) == ("source_name", "databases")
    assert "there is no database Acme_shop" in raised.value.problem


@pytest.mark.parametrize("is_check", [False, True], ids=["run", "check mode"])
def test_a_table_that_no_earlier_run_wrote_is_an_error(pair: Pair, is_check: bool) -> None:
    pair.create("CREATE TABLE t (a INT);", "CREATE TABLE precious (a INT);")

    error = pair.run_and_get_error(is_check)

    assert error.option == "replace"
    assert "precious" in error.problem
    assert pair.read_target("SHOW TABLES;") == [["precious"]]


def test_a_table_that_somebody_added_to_a_copy_is_an_error(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT);")
    pair.sync()
    pair.target.run("CREATE TABLE precious (a INT);", pair.name)

    assert "precious" in pair.run_and_get_error().problem


def test_replace_removes_what_no_earlier_run_wrote(pair: Pair) -> None:
    pair.create(
        "CREATE TABLE t (a INT);",
        "CREATE TABLE precious (a INT); CREATE VIEW w AS SELECT a FROM precious;",
    )

    result = pair.sync(replace=True)

    assert (result["changed"], result["differences"]) == (True, [])
    assert pair.read_target("SHOW TABLES;") == [["t"]]
    assert pair.sync()["changed"] is False


def test_a_database_is_not_copied_onto_itself(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    pair.source = pair.target
    pair.target.run("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);", pair.name)

    result = pair.sync(replace=True)

    assert result["changed"] is False


HOSTILE_NAMES = ["a\nb\\!", "p%c_t", "-all"]
MORE_HOSTILE_NAMES = ["x y`;z", 'it\'s "q"', "back\\slash", "ünïcode"]


@pytest.mark.parametrize(
    "name",
    [
        *HOSTILE_NAMES,
        *(pytest.param(name, marks=pytest.mark.release) for name in MORE_HOSTILE_NAMES),
    ],
)
def test_a_database_of_any_name_arrives(pair: Pair, name: str) -> None:
    pair.name = f"{name}{next(NUMBERS)}"
    pair.create(
        "CREATE TABLE `t``'\";\\! %\nx` (`c``'\";\\! %\nx` INT DEFAULT 1);"
        "INSERT INTO `t``'\";\\! %\nx` VALUES (5);"
        "CREATE VIEW `v``'\";\\! %\nx` AS SELECT 1 AS a FROM `t``'\";\\! %\nx`;"
    )

    result = pair.sync()

    assert (result["tables"], result["rows"], result["programs"]) == (1, 1, 1)
    assert pair.sync()["changed"] is False
    assert pair.list_accounts() == []


def test_databases_of_a_user_are_those_that_begin_with_its_name(pair: Pair) -> None:
    user = f"u{next(NUMBERS)}_a"
    names = [
        f"{user}_db1",
        f"{user}_db2",
        user.replace("_", "x") + "_db1",
        f"{user}x",
        f"x{user}_a",
    ]
    pair.target.run("".join(f"CREATE DATABASE {name};" for name in names))

    assert list_databases(Login.read(pair.target.login, "login"), user) == names[:2]


# A module as Ansible starts it: its options are JSON.
MODULE_PROCESS = """
import importlib, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.stdin.buffer.read()
basic._ANSIBLE_PROFILE = "legacy"
name = "ansible_collections.hosting.panel.plugins.modules." + sys.argv[1]
importlib.import_module(name).main()
"""


def run_module(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Run a module in a process, and return what it prints."""
    ended = subprocess.run(
        [sys.executable, "-c", MODULE_PROCESS, name],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": options}),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    result: dict[str, Any] = json.loads(ended.stdout)
    return result


def test_the_module_gives_the_result_and_the_error_of_the_task(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT);")
    options = {
        "name": pair.name,
        "definer": DEFINER,
        "login": {"socket": pair.target.login["socket"]},
        "source_login": {"socket": pair.source.login["socket"]},
        "mode": "compare",
    }

    compared = run_module(MODULE, options)
    refused = run_module(MODULE, {**options, "source_name": "nowhere"})

    assert (compared["changed"], compared["tables"]) == (False, 0)
    assert compared["differences"] == [{"kind": "table", "name": "t", "why": "it is missing"}]
    assert refused["failed"]
    assert refused["msg"].startswith("source_name: there is no database nowhere on the source. ")
