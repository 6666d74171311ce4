"""How databases are copied and compared, between two real servers of MariaDB."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools, kept_state
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database import (
    copy,
    disk_watch,
    importer,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    list_databases,
    read_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.importer import (
    hold_tables,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.rows_commands import (
    make_dump_command,
    make_hold_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.source_commands import (
    list_source_commands,
    make_contents_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.rows import run_query
from ansible_collections.hosting.panel.plugins.module_utils._content.database.sides import (
    DatabaseSide,
    make_source_server,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.task import (
    sync_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import SourceHost
from tests.support.needed import require_content_tools
from tests.support.real_mariadb import NUMBERS, RealMariadb, run_mariadb
from tests.support.real_ssh import RealSsh, find_descendants, run_ssh
from tests.support.representatives import make_parameters

MODULE = "panel_database_sync"
DEFINER = "owner@localhost"
CREATION_TIMES = (
    "SELECT TABLE_NAME, CREATE_TIME FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1;"
)
WAITING = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%';"
SAMPLE = (Path(__file__).parent / "database_sample.sql").read_text(encoding="utf-8")


class Pair:
    """A database on each of two servers.

    name: Of both databases.
    folder: For states and files of the test.
    """

    def __init__(self, source: RealMariadb, target: RealMariadb, folder: Path) -> None:
        self.source = source
        self.target = target
        self.folder = folder
        self.name = f"acme_db{next(NUMBERS)}"
        self.host: dict[str, Any] | None = None

    def create(self, statements: str | bytes = "", target_statements: str = "") -> None:
        """Make both databases, and carry out statements in each."""
        name = "`" + self.name.replace("`", "``") + "`"
        for server, text in ((self.source, statements), (self.target, target_statements)):
            server.run(f"CREATE DATABASE {name};")
            server.run(text, self.name)
        pattern = self.name
        for character in ("\\", "_", "%"):
            pattern = pattern.replace(character, "\\" + character)
        grant = "`" + pattern.replace("`", "``") + "`"
        self.target.run(
            f"CREATE USER IF NOT EXISTS owner@localhost; GRANT ALL ON {grant}.* TO owner@localhost;"
        )

    def make_options(self, **options: Any) -> dict[str, Any]:
        """Return the options of a task."""
        return {
            "source": self.host,
            "name": self.name,
            "source_name": None,
            "definer": DEFINER,
            "login": self.target.login,
            "source_login": self.source.login,
            "mode": "copy",
            "replace": False,
            "events": False,
            **options,
        }

    def sync(self, is_check: bool = False, **options: Any) -> dict[str, Any]:
        """Run a task, and return its result."""
        return sync_database(self.make_options(**options), is_check, str(self.folder / "state"))

    def run_and_get_error(self, is_check: bool = False, **options: Any) -> ContentError:
        """Run a task that has to fail, and return its error."""
        with pytest.raises(ContentError) as raised:
            self.sync(is_check, **options)
        return raised.value

    def list_accounts(self) -> list[list[str]]:
        """Return the temporary accounts and their connections on the target."""
        return self.target.run(
            "SELECT User FROM mysql.user WHERE User LIKE 'hosting\\_panel\\_%'"
            " UNION ALL SELECT USER FROM information_schema.PROCESSLIST"
            " WHERE USER LIKE 'hosting\\_panel\\_%';"
        )

    def read_target(self, statement: str) -> list[list[str]]:
        """Return the rows of a query in the database of the target."""
        return self.target.run(statement, self.name)


@pytest.fixture
def pair(mariadb_servers: tuple[RealMariadb, RealMariadb], tmp_path: Path) -> Pair:
    """Return two databases that are not there yet."""
    source, target = mariadb_servers
    return Pair(source, target, tmp_path)


@pytest.fixture(params=["on one host", "by SSH"])
def anywhere(request: pytest.FixtureRequest, pair: Pair) -> Pair:
    """Return two databases, whose source is reached in each way."""
    if request.param == "by SSH":
        pair.host = request.getfixturevalue("ssh_server").source
    return pair


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RealSsh, Path]]:
    """Yield a server that looks for tools in a folder of the tests first."""
    require_content_tools("ssh", "ssh-keygen", "sshd")
    folder = tmp_path_factory.mktemp("tools")
    with run_ssh(tmp_path_factory.mktemp("ssh"), f"{folder}:/usr/bin:/bin") as server:
        yield server, folder


@pytest.fixture
def replace_tool(pair: Pair, tools: tuple[RealSsh, Path]) -> Iterator[Callable[[str, str], None]]:
    """Yield a function that puts a shell script in the place of a tool of the source.

    Without a script, the real tool is back.
    """
    server, folder = tools
    pair.host = server.source

    def replace(tool: str, script: str) -> None:
        path = folder / tool
        path.unlink(missing_ok=True)
        if script:
            path.write_text(f"#!/bin/sh\nreal=/usr/bin/{tool}\n{script}\n", encoding="utf-8")
            path.chmod(0o755)

    yield replace
    for path in folder.iterdir():
        path.unlink()


def test_everything_of_a_database_arrives(anywhere: Pair) -> None:
    anywhere.create(SAMPLE)

    result = anywhere.sync()

    checks = "SELECT f, HEX(b), d, j, de FROM odd_types; SELECT HEX(`c``o\nl'%`), g, v FROM `a``b\nc'\"%`;"
    assert anywhere.read_target(checks) == anywhere.source.run(checks, anywhere.name)
    assert anywhere.read_target("SELECT f = CAST(3.1415927 AS FLOAT) FROM odd_types;") == [["1"]]
    assert anywhere.read_target(
        "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA"
        " WHERE SCHEMA_NAME = DATABASE();"
    ) == [["latin1_german1_ci"]]
    assert (result["changed"], result["differences"], result["tables"]) == (True, [], 11)
    assert anywhere.list_accounts() == []


DEFINERS = (
    "SELECT TABLE_NAME, DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE();",
    "SELECT ROUTINE_NAME, DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE();",
    "SELECT TRIGGER_NAME, DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE();",
    "SELECT EVENT_NAME, DEFINER FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE();",
)


def test_each_program_belongs_to_the_definer_afterwards(pair: Pair) -> None:
    pair.create(SAMPLE)

    pair.sync()

    for query in DEFINERS:
        names = [name for name, _definer in pair.source.run(query, pair.name) if name != "broken"]
        assert sorted(pair.read_target(query)) == sorted([name, DEFINER] for name in names)
        assert names


def test_definers_that_are_replaced_are_listed(pair: Pair) -> None:
    pair.create(
        "CREATE TABLE t (a INT); CREATE DEFINER=ghost@localhost VIEW v AS SELECT a FROM t;"
        "INSERT INTO t VALUES (1);"
    )

    result = pair.sync()

    assert result["definers"] == [
        {"kind": "view", "name": "v", "from": "ghost@localhost", "to": DEFINER}
    ]


def test_a_text_that_looks_like_a_definer_stays_in_data_and_bodies(pair: Pair) -> None:
    text = "CREATE DEFINER=`root`@`localhost` VIEW"
    pair.create(
        f"CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('{text}');"
        f"CREATE FUNCTION f() RETURNS TEXT DETERMINISTIC RETURN '{text}';"
    )

    pair.sync()

    assert pair.read_target("SELECT a, f() FROM t;") == [[text, text]]


def test_a_second_run_changes_nothing(pair: Pair) -> None:
    pair.create(SAMPLE)
    pair.sync()
    before = pair.read_target(CREATION_TIMES)

    result = pair.sync()

    assert (result["changed"], result["differences"]) == (False, [])
    assert pair.read_target(CREATION_TIMES) == before


def test_the_digest_of_a_database_is_that_of_its_content(pair: Pair) -> None:
    # A view that does not work is not copied.
    pair.create(
        f"{SAMPLE} DROP VIEW broken; CREATE TABLE c (id INT AUTO_INCREMENT PRIMARY KEY, a INT);"
        "INSERT INTO c (a) VALUES (5), (6);"
    )

    digest = pair.sync()["digest"]

    assert re.fullmatch("[0-9a-f]{64}", digest)
    assert pair.sync()["digest"] == digest
    assert pair.sync(mode="compare")["digest"] == digest
    swapped = {"login": pair.source.login, "source_login": pair.target.login, "definer": None}
    assert pair.sync(mode="compare", **swapped)["digest"] == digest
    # Written anew in another order, with a counter that has gone on.
    pair.target.run(
        "DELETE FROM c; INSERT INTO c VALUES (99, 1); DELETE FROM c;"
        "INSERT INTO c VALUES (2, 6), (1, 5);",
        pair.name,
    )
    assert pair.sync(mode="compare")["digest"] == digest

    digests = {digest}
    for statement in (
        "UPDATE odd_types SET d = '2020-01-01';",
        "ALTER TABLE empty_one ADD c INT;",
        "DROP VIEW plain;",
    ):
        pair.target.run(statement, pair.name)
        digests.add(pair.sync(mode="compare")["digest"])
    assert len(digests) == 4
    assert pair.sync()["digest"] == digest


def test_a_comparison_names_what_differs_and_changes_nothing(anywhere: Pair) -> None:
    anywhere.create(SAMPLE)
    anywhere.sync()
    anywhere.target.run(
        "INSERT INTO f1 VALUES (9, NULL); ALTER TABLE empty_one ADD c INT; DROP VIEW plain;"
        "UPDATE odd_types SET d = '2020-01-01';"
        "DROP FUNCTION fn; CREATE TABLE more (a INT); ALTER DATABASE COLLATE utf8mb4_bin;",
        anywhere.name,
    )

    result = anywhere.sync(mode="compare")

    differing = {(entry["kind"], entry["name"]) for entry in result["differences"]}
    assert differing == {
        ("database", ""),
        ("table", "f1"),
        ("table", "empty_one"),
        ("table", "odd_types"),
        ("table", "more"),
        ("view", "plain"),
        ("function", "fn"),
    }
    assert not result["changed"]
    assert anywhere.read_target("SELECT COUNT(*) FROM f1;") == [["2"]]


MOVED_TEXTS = {
    "into an empty column": ("UPDATE t SET b = a, a = '' WHERE id = 1;", [["1", "", "x"]]),
    "in part": ("UPDATE t SET a = 'x1', b = '2' WHERE id = 3;", [["3", "x1", "2"]]),
    "of two rows": (
        "UPDATE t SET b = 'x', a = '' WHERE id = 1; UPDATE t SET a = 'x', b = '' WHERE id = 2;",
        [["1", "", "x"], ["2", "x", ""]],
    ),
}


@pytest.mark.parametrize(
    ("statements", "rows"), make_parameters(MOVED_TEXTS, ["into an empty column", "in part"])
)
@pytest.mark.parametrize("kind", ["VARCHAR(9)", pytest.param("BLOB", marks=pytest.mark.release)])
def test_a_text_that_moves_to_another_column_is_copied(
    pair: Pair, kind: str, statements: str, rows: list[list[str]]
) -> None:
    pair.create(
        f"CREATE TABLE t (id INT PRIMARY KEY, a {kind} NOT NULL, b {kind} NOT NULL);"
        "INSERT INTO t VALUES (1, 'x', ''), (2, '', 'x'), (3, 'x', '12');"
    )
    pair.sync()
    pair.source.run(statements, pair.name)

    differences = pair.sync(mode="compare")["differences"]
    result = pair.sync()

    assert [difference["name"] for difference in differences] == ["t"]
    assert result["changed"] is True
    target_rows = pair.read_target("SELECT * FROM t ORDER BY id;")
    assert [row for row in target_rows if row in rows] == rows


def test_the_comment_of_a_database_is_neither_copied_nor_compared(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT);")
    pair.source.run(f"ALTER DATABASE {pair.name} COMMENT = 'the shop';")

    pair.sync()

    statement = "SELECT SCHEMA_COMMENT FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '{}';"
    assert pair.target.run(statement.format(pair.name)) == []
    assert pair.sync(mode="compare")["differences"] == []


def test_a_comparison_of_equal_databases_is_empty(pair: Pair) -> None:
    pair.create(SAMPLE)
    pair.sync()

    assert pair.sync(mode="compare")["differences"] == []


def test_check_mode_says_what_would_be_done_and_writes_nothing(pair: Pair) -> None:
    pair.create(SAMPLE)

    predicted = pair.sync(is_check=True)

    assert pair.read_target("SHOW TABLES;") == []
    assert not (pair.folder / "state").exists()
    result = pair.sync()
    assert (predicted["changed"], predicted["tables"], predicted["rows"]) == (
        result["changed"],
        result["tables"],
        result["rows"],
    )
    assert pair.sync(is_check=True)["changed"] is False


def test_a_database_without_tables_arrives(pair: Pair) -> None:
    pair.create("ALTER DATABASE COLLATE latin1_bin;")

    result = pair.sync()

    assert (result["changed"], result["tables"], result["rows"]) == (True, 0, 0)
    assert pair.sync()["changed"] is False


def test_only_programs_are_made_again_where_tables_are_equal(pair: Pair) -> None:
    pair.create(SAMPLE)
    pair.sync()
    before = pair.read_target(CREATION_TIMES)
    pair.source.run("CREATE OR REPLACE VIEW plain AS SELECT a FROM odd_types;", pair.name)

    result = pair.sync()

    assert (result["changed"], result["differences"]) == (True, [])
    assert pair.read_target(CREATION_TIMES) == before


def test_a_package_that_changes_keeps_its_body(pair: Pair) -> None:
    pair.create(SAMPLE)
    pair.sync()
    pair.source.run(
        "DELIMITER //\nSET sql_mode = ORACLE// DROP PACKAGE pk//"
        "CREATE PACKAGE pk COMMENT 'new' AS PROCEDURE p1; END//"
        "CREATE PACKAGE BODY pk AS PROCEDURE p1 AS BEGIN SELECT 1; END; END//",
        pair.name,
    )

    assert pair.sync()["differences"] == []
    assert pair.sync()["changed"] is False


def test_a_program_that_changed_is_removed_where_no_definer_is_named(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;")
    pair.sync()
    pair.source.run("CREATE OR REPLACE VIEW v AS SELECT a + 1 FROM t;", pair.name)

    result = pair.sync(definer=None)

    assert [entry["name"] for entry in result["left_out"]] == ["v"]
    assert (result["programs"], result["differences"]) == (0, [])
    assert pair.sync(definer=None)["changed"] is False


def test_a_table_that_keeps_its_history_is_an_error_before_anything_is_written(
    pair: Pair,
) -> None:
    pair.create("CREATE TABLE t (a INT) WITH SYSTEM VERSIONING; CREATE TABLE u (a INT);")

    error = pair.run_and_get_error()

    assert "table t" in error.problem
    assert pair.read_target("SHOW TABLES;") == []


@pytest.mark.parametrize("is_check", [True, False])
def test_a_default_from_a_sequence_of_another_database_is_an_error_that_names_the_table(
    pair: Pair, is_check: bool
) -> None:
    pair.create(
        "CREATE DATABASE IF NOT EXISTS elsewhere; CREATE SEQUENCE IF NOT EXISTS elsewhere.zz;"
        "CREATE TABLE u (a INT);"
        "CREATE TABLE t (a INT PRIMARY KEY DEFAULT (1 + NEXTVAL(elsewhere.zz)), b INT);"
    )

    error = pair.run_and_get_error(is_check)

    assert "table t" in error.problem
    assert "sequence of another database" in error.problem
    assert error.option == "source_name"
    assert error.effect == "Nothing was written."
    assert pair.read_target("SHOW TABLES;") == []


@pytest.mark.parametrize("is_check", [True, False])
def test_a_key_that_refers_to_another_database_is_an_error_that_names_the_table(
    pair: Pair, is_check: bool
) -> None:
    pair.create(
        "CREATE DATABASE IF NOT EXISTS elsewhere;"
        "CREATE TABLE IF NOT EXISTS elsewhere.parent (a INT PRIMARY KEY);"
        "CREATE TABLE u (a INT);"
        "CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES elsewhere.parent (a));"
    )

    error = pair.run_and_get_error(is_check)

    assert "table t" in error.problem
    assert "refers to another database" in error.problem
    assert error.option == "source_name"
    assert error.effect == "Nothing was written."
    assert pair.read_target("SHOW TABLES;") == []


@pytest.mark.parametrize("is_renamed", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        pytest.param("NEXTVAL(`z``z`)", marks=pytest.mark.release),
        "1 + NEXTVAL(`z``z`) + LASTVAL(`z``z`)",
    ],
)
def test_a_default_from_a_sequence_goes_on_with_the_sequence_of_the_copy(
    pair: Pair, function: str, is_renamed: bool
) -> None:
    pair.create(
        f"CREATE SEQUENCE `z``z` START WITH 7; CREATE TABLE a (n INT DEFAULT ({function}), b INT"
        " COMMENT 'nextval(`z`)', c VARCHAR(40) DEFAULT 'it''s nextval(`x`.`y`)');"
        "INSERT INTO a (b) VALUES (1), (2);"
    )
    name = pair.name
    if is_renamed:
        name = f"{pair.name}_new"
        pair.target.run(f"CREATE DATABASE {name}; GRANT ALL ON {name}.* TO owner@localhost;")

    def sync(**options: Any) -> dict[str, Any]:
        return pair.sync(name=name, source_name=pair.name, **options)

    assert sync()["rows"] == 3  # with that of the sequence
    assert sync(mode="compare")["differences"] == []
    assert sync()["changed"] is False
    rows = pair.target.run("INSERT INTO a (b) VALUES (3); SELECT n > 1000 FROM a;", name)
    assert rows == [["0"], ["0"], ["1"]]
    # The sequence of the copy is used, and then differs.
    assert sync(mode="compare")["differences"] != []


def test_a_default_that_only_looks_like_a_sequence_is_copied(pair: Pair) -> None:
    pair.create(
        "CREATE TABLE t (a VARCHAR(40) DEFAULT 'it''s \\\\' 'nextval(`x`.`y`)',"
        " `nextval(` INT DEFAULT 1, c INT DEFAULT (`nextval(` + 1));"
        "INSERT INTO t VALUES ();"
    )

    pair.sync()

    assert pair.sync(mode="compare")["differences"] == []


UNUSUAL_TABLES = {
    "invisible column and small floats": "CREATE TABLE t (a INT, b INT INVISIBLE DEFAULT 4, c FLOAT);"
    "INSERT INTO t (a, b, c) VALUES (1, 5, 1e-30), (2, 6, 16777217), (3, 7, 3.4e38);",
    "partitions": "CREATE TABLE t (a INT, d DATE) PARTITION BY RANGE (YEAR(d)) (PARTITION p0 VALUES"
    " LESS THAN (2000), PARTITION p1 VALUES LESS THAN MAXVALUE);"
    "INSERT INTO t VALUES (1, '1999-01-01'), (2, '2020-01-01');",
    "compressed column": "CREATE TABLE t (a TEXT COMPRESSED); INSERT INTO t VALUES (REPEAT('x', 2000));",
    "number 0 in a counter": "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY);"
    "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; INSERT INTO t VALUES (0), (5);",
    "full text": "CREATE TABLE t (a TEXT, FULLTEXT (a)); INSERT INTO t VALUES ('x');",
    "more than fits a page": "SET innodb_strict_mode = 0; CREATE TABLE t (a INT) ROW_FORMAT=COMPACT"
    " KEY_BLOCK_SIZE=4;",
    "texts that UTF-8 does not keep": "CREATE TABLE t (a VARCHAR(9) CHARACTER SET cp932 UNIQUE,"
    " b TEXT CHARACTER SET sjis, c CHAR(9) CHARACTER SET big5, d ENUM('x') CHARACTER SET gbk, e BLOB);"
    "INSERT INTO t VALUES (_cp932 x'8790', _sjis x'5C7E', _big5 x'A1C3', 'x', x'00FF'),"
    " (_cp932 x'81E0', NULL, _big5 x'A145', NULL, NULL);",
    "texts that UTF-8 keeps": "CREATE TABLE t (a TEXT CHARACTER SET cp932, b TEXT CHARACTER SET ucs2,"
    " c TEXT CHARACTER SET latin1); INSERT INTO t VALUES ('a', 'b', _latin1 x'81E4');",
    "wrong and empty values of an ENUM": "SET sql_mode = ''; CREATE TABLE t (a ENUM('x', ''),"
    " b SET('x', '')); INSERT INTO t VALUES ('wrong', 0), ('', 2), ('x', 3), (NULL, NULL);",
    "dates that no month has": "SET sql_mode = 'ALLOW_INVALID_DATES'; CREATE TABLE t (a DATE DEFAULT"
    " '2021-02-30', b DATETIME(3), c TIMESTAMP NULL, g INT AS (DAYOFMONTH(a)) STORED);"
    "INSERT INTO t (a, b, c) VALUES ('2020-02-31', '2021-04-31 10:11:12.123', '2020-01-01'),"
    " ('0000-00-00', '0000-00-00', '0000-00-00'), ('2020-00-00', '2020-01-00', NULL);"
    "CREATE TABLE of_exact_rows (a DATE, f FLOAT); INSERT INTO of_exact_rows VALUES"
    " ('2020-02-31', 0.1), ('0000-00-00', 0.2), ('2020-00-31', NULL);"
    "CREATE VIEW v AS SELECT DATE'2020-02-31' AS a, b FROM t;",
    "two names that differ in case": "CREATE TABLE t (a INT); CREATE TABLE T (a FLOAT);"
    "INSERT INTO t VALUES (1); INSERT INTO T VALUES (0.1), (0.2);",
}


UNUSUAL_TABLES_ON_PUSH = (
    "number 0 in a counter",
    "more than fits a page",
    "texts that UTF-8 does not keep",
    "wrong and empty values of an ENUM",
    "dates that no month has",
    "two names that differ in case",
)


@pytest.mark.parametrize("statements", make_parameters(UNUSUAL_TABLES, UNUSUAL_TABLES_ON_PUSH))
def test_an_unusual_table_arrives(pair: Pair, statements: str) -> None:
    pair.create(statements)

    assert pair.sync()["differences"] == []
    assert pair.sync()["changed"] is False


def test_a_row_that_is_nearly_as_large_as_the_server_takes_arrives(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a LONGBLOB); INSERT INTO t VALUES (REPEAT(0xFF, 12000000));")

    assert pair.sync()["differences"] == []


def test_a_row_that_is_larger_than_the_server_takes_is_an_error_that_names_its_setting(
    pair: Pair,
) -> None:
    pair.create("CREATE TABLE t (a LONGBLOB); INSERT INTO t VALUES (REPEAT('a', 12000000));")
    setting = pair.target.run("SELECT @@max_allowed_packet;")[0][0]
    pair.target.run("SET GLOBAL max_allowed_packet = 4194304;")
    try:
        error = pair.run_and_get_error()
    finally:
        pair.target.run(f"SET GLOBAL max_allowed_packet = {setting};")

    assert "max_allowed_packet" in error.advice


def test_programs_without_a_definer_are_left_out_and_named(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;")

    result = pair.sync(definer=None)

    assert [(entry["kind"], entry["name"]) for entry in result["left_out"]] == [("view", "v")]
    assert (result["programs"], result["differences"]) == (0, [])
    assert pair.sync(definer=None)["changed"] is False
    assert pair.sync(definer=None, mode="compare")["differences"] == []


EVENTS = (
    "CREATE EVENT runs ON SCHEDULE EVERY 1 DAY COMMENT 'DISABLE DO' DO SET @a = 1;"
    "CREATE EVENT rests ON SCHEDULE EVERY 1 DAY DISABLE DO SET @a = 1;"
)
STATES = "SELECT EVENT_NAME, STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1;"


def test_events_arrive_disabled_and_get_the_state_of_the_source_when_asked(pair: Pair) -> None:
    pair.create(EVENTS)

    pair.sync()
    assert pair.read_target(STATES) == [["rests", "DISABLED"], ["runs", "DISABLED"]]

    assert pair.sync(events=True)["changed"] is True
    assert pair.read_target(STATES) == [["rests", "DISABLED"], ["runs", "ENABLED"]]
    assert pair.sync(events=True)["changed"] is False
    assert pair.sync(events=True, mode="compare")["differences"] == []


def test_a_view_that_does_not_work_on_the_source_either_is_left_out(pair: Pair) -> None:
    pair.create(SAMPLE)

    result = pair.sync()

    assert [(entry["kind"], entry["name"]) for entry in result["left_out"]] == [("view", "broken")]


VIEWS_THAT_WRITE = (
    "CREATE SEQUENCE s START WITH 5; CREATE VIEW numbers AS SELECT NEXT VALUE FOR s AS n;"
    "CREATE VIEW of_numbers AS SELECT n FROM numbers;"
    "CREATE VIEW back AS SELECT SETVAL(s, 100) AS n; CREATE VIEW plain AS SELECT 1 AS n;"
)


@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_view_that_takes_from_a_sequence_arrives_and_is_compared_by_its_text(
    pair: Pair, is_renamed: bool
) -> None:
    pair.create(VIEWS_THAT_WRITE)
    name = f"{pair.name}_new" if is_renamed else pair.name
    pair.target.run(
        f"CREATE DATABASE IF NOT EXISTS {name}; GRANT ALL ON {name}.* TO owner@localhost;"
    )
    names = {"name": name, "source_name": pair.name}

    result = pair.sync(**names)

    assert (result["left_out"], result["differences"], result["programs"]) == ([], [], 4)
    assert pair.sync(**names)["changed"] is False
    # Neither side has opened a view.
    for server, database in ((pair.source, pair.name), (pair.target, name)):
        assert server.run("SELECT next_not_cached_value FROM s;", database) == [["5"]]
    assert pair.target.run("SELECT n FROM of_numbers;", name) == [["5"]]
    pair.target.run(
        "DROP VIEW numbers; CREATE OR REPLACE VIEW back AS SELECT SETVAL(s, 101) AS n;", name
    )
    differences = pair.sync(mode="compare", **names)["differences"]
    assert [(entry["kind"], entry["name"]) for entry in differences] == [
        # The sequence of the target was used.
        ("table", "s"),
        ("view", "back"),
        ("view", "numbers"),
    ]


def test_a_view_that_takes_from_a_sequence_and_cannot_be_made_stays_a_difference(
    pair: Pair,
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create()
    pair.source.run(
        f"CREATE DATABASE {neighbour}; CREATE SEQUENCE {neighbour}.s;"
        f" CREATE VIEW v AS SELECT NEXT VALUE FOR {neighbour}.s AS n;",
        pair.name,
    )

    for _run in range(2):
        result = pair.sync()
        assert result["left_out"] == []
        assert [entry["name"] for entry in result["differences"]] == ["v"]


MERGE_TABLES = (
    "CREATE TABLE t1 (a INT) ENGINE=MyISAM; CREATE TABLE t2 (a INT) ENGINE=MyISAM;"
    "INSERT INTO t1 VALUES (1); INSERT INTO t2 VALUES (2), (3);"
    "CREATE TABLE merged (a INT) ENGINE=MERGE UNION=(t1, t2);"
    "CREATE TABLE torn (a INT) ENGINE=MERGE UNION=(t1, nowhere);"
)


def test_merge_tables_are_left_out_by_name_and_all_others_arrive(pair: Pair) -> None:
    pair.create(MERGE_TABLES + "CREATE VIEW v AS SELECT a FROM t1;")

    result = pair.sync()

    reason = "it is a MERGE table, whose rows are those of other tables"
    assert result["left_out"] == [
        {"kind": "table", "name": name, "why": reason} for name in ("merged", "torn")
    ]
    assert (result["differences"], result["tables"], result["rows"]) == ([], 2, 3)
    assert pair.sync()["changed"] is False


def test_facts_count_merge_tables_and_not_their_rows(pair: Pair) -> None:
    pair.create(MERGE_TABLES)

    facts = read_database(pair.name, Login.read(pair.source.login, "login"))

    assert (facts.tables, facts.rows, facts.engines) == (4, 3, ["MRG_MyISAM", "MyISAM"])


def test_merge_table_of_the_target_is_one_that_the_source_has_or_a_difference(pair: Pair) -> None:
    pair.create(MERGE_TABLES)
    pair.sync()
    pair.target.run("CREATE TABLE merged (a INT) ENGINE=MERGE UNION=(t1);", pair.name)
    assert pair.sync(mode="compare")["differences"] == []
    assert pair.sync()["changed"] is False

    pair.target.run("CREATE TABLE own (a INT) ENGINE=MERGE UNION=(t1);", pair.name)

    assert pair.sync(mode="compare")["differences"] == [
        {"kind": "table", "name": "own", "why": "the source does not have it"}
    ]
    assert pair.run_and_get_error().option == "replace"
    assert pair.sync(replace=True)["differences"] == []
    assert pair.read_target("SHOW TABLES;") == [["merged"], ["t1"], ["t2"]]


def test_the_reason_of_a_refused_program_is_the_same_in_each_run(pair: Pair) -> None:
    pair.create("CREATE VIEW accounts AS SELECT User FROM mysql.user;")

    first, second = (pair.sync()["differences"] for _run in range(2))

    assert first == second
    assert "'hosting_panel'@" in first[0]["why"]


def test_a_program_that_the_target_refuses_ends_nothing_else_and_is_a_difference(
    pair: Pair,
) -> None:
    pair.create(
        "CREATE TABLE t (a INT); INSERT INTO t VALUES (1);"
        " CREATE VIEW accounts AS SELECT User FROM mysql.user;"
        " CREATE VIEW names AS SELECT * FROM accounts; CREATE VIEW v AS SELECT a FROM t;"
        " CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 2;"
    )

    first = pair.sync()

    assert (first["changed"], first["rows"], first["programs"]) == (True, 1, 2)
    assert [(entry["kind"], entry["name"]) for entry in first["differences"]] == [
        ("view", "accounts"),
        ("view", "names"),
    ]
    assert first["differences"][0]["why"].startswith("it cannot be made here: ")
    assert "mysql" in first["differences"][0]["why"]
    assert {entry["name"] for entry in first["definers"]} == {"v", "g"}
    assert pair.list_accounts() == []
    second = pair.sync()
    assert second["changed"] is False
    assert len(second["differences"]) == 2
    assert len(pair.sync(mode="compare")["differences"]) == 2
    # What the target takes again arrives.
    pair.source.run("CREATE OR REPLACE VIEW accounts AS SELECT a FROM t;", pair.name)
    third = pair.sync()
    assert (third["changed"], third["differences"]) == (True, [])


def test_a_refused_program_hides_no_change_of_another_one(pair: Pair) -> None:
    pair.create("CREATE VIEW accounts AS SELECT User FROM mysql.user; CREATE VIEW v AS SELECT 1;")
    pair.sync()
    pair.source.run("CREATE OR REPLACE VIEW v AS SELECT 2;", pair.name)

    result = pair.sync()

    assert result["changed"] is True
    assert [entry["name"] for entry in result["differences"]] == ["accounts"]
    assert pair.read_target("SELECT * FROM v;") == [["2"]]


def test_a_view_that_the_target_refuses_from_now_on_is_removed_there(pair: Pair) -> None:
    pair.create("CREATE VIEW v AS SELECT 1;")
    pair.sync()
    pair.source.run("CREATE OR REPLACE VIEW v AS SELECT User FROM mysql.user;", pair.name)

    assert pair.sync()["changed"] is True
    assert pair.read_target("SHOW TABLES;") == []


def test_a_view_whose_definer_is_gone_works_under_another_name(pair: Pair) -> None:
    pair.create()
    other_name = f"{pair.name}_old"
    pair.source.run(
        f"CREATE DATABASE {other_name}; USE {other_name}; CREATE USER leaver@localhost;"
        "CREATE TABLE t (a INT); INSERT INTO t VALUES (7);"
        f"CREATE DEFINER=leaver@localhost VIEW v AS SELECT a, '`{other_name}`.`x`' AS b FROM t;"
        "DROP USER leaver@localhost;"
    )

    pair.sync(source_name=other_name)

    assert pair.read_target("SELECT a, b FROM v;") == [["7", f"`{other_name}`.`x`"]]


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


HOSTILE_TABLES = {
    "other database": "CREATE TABLE `{neighbour}`.`t` (",
    "delimiter": "CREATE TABLE `u` (a INT) // DROP DATABASE {neighbour} // (",
    "two statements": "DROP DATABASE {neighbour}; CREATE TABLE `t` (",
}


@pytest.mark.parametrize("statement", make_parameters(HOSTILE_TABLES, ["delimiter"]))
def test_a_hostile_source_makes_no_table_elsewhere(
    pair: Pair, replace_tool: Callable[[str, str], None], tmp_path: Path, statement: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create("CREATE TABLE t (a INT);")
    pair.target.run(f"CREATE DATABASE {neighbour};")
    script = tmp_path / "script"
    script.write_text(
        f"s#CREATE TABLE `t` (#{statement.format(neighbour=neighbour)}#", encoding="utf-8"
    )
    replace_tool("mariadb", f'$real "$@" | sed -f {script}')

    error = pair.run_and_get_error()

    assert "table t" in error.problem
    assert error.effect == "Nothing was written."
    assert [neighbour] in pair.target.run("SHOW DATABASES;")
    assert pair.target.run(f"SHOW TABLES FROM {neighbour};") == []


TABLES_ELSEWHERE = {
    "rows and indexes of MyISAM": (
        "CREATE TABLE t (a INT, KEY (a)) ENGINE=MyISAM"
        " DATA DIRECTORY='{folder}' INDEX DIRECTORY='{folder}';"
    ),
    "rows of InnoDB": "CREATE TABLE t (a INT) ENGINE=InnoDB DATA DIRECTORY='{folder}';",
    "a partition": (
        "CREATE TABLE t (a INT) PARTITION BY RANGE (a)"
        " (PARTITION p0 VALUES LESS THAN MAXVALUE DATA DIRECTORY='{folder}');"
    ),
}


@pytest.mark.parametrize("creation", TABLES_ELSEWHERE.values(), ids=list(TABLES_ELSEWHERE))
def test_a_table_in_a_directory_elsewhere_arrives_in_its_database(
    pair: Pair, tmp_path_factory: pytest.TempPathFactory, creation: str
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")
    folder.chmod(0o777)
    for parent in folder.parents[:2]:
        parent.chmod(0o755)
    pair.create(f"{creation.format(folder=folder)} INSERT INTO t VALUES (1), (2);")
    files_of_source = sorted(folder.rglob("*"))

    result = pair.sync()

    assert files_of_source
    assert sorted(folder.rglob("*")) == files_of_source
    assert result["differences"] == []
    assert pair.read_target("SELECT COUNT(*) FROM t;") == [["2"]]
    assert pair.sync()["changed"] is False


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


def test_the_account_of_a_copy_reaches_no_database_that_its_name_matches_as_a_pattern(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    neighbour = pair.name.replace("_", "x")
    pair.target.run(f"CREATE DATABASE {neighbour}; CREATE TABLE {neighbour}.t (a INT);")
    replace_tool("mariadb-dump", f"echo 'INSERT INTO {neighbour}.t VALUES (1);'; exec $real \"$@\"")

    error = pair.run_and_get_error()

    assert "denied" in error.problem
    assert pair.target.run(f"SELECT COUNT(*) FROM {neighbour}.t;") == [["0"]]


HOSTILE_LINES = {
    "command of the client": "\\! touch {mark}",
    "command by its name": "system touch {mark}",
    "command in the middle of a line": "SELECT 1; \\! touch {mark}",
    "file of the client": "tee {mark}",
    "file of statements": "source {sql}",
    "other database": "USE {neighbour}; DROP TABLE t;",
    "table of another database": "DELETE FROM {neighbour}.t;",
    "drop of another database": "DROP DATABASE {neighbour};",
    "conditional comment": "/*!50003 DROP DATABASE {neighbour} */;",
    "conditional comment of this server": "/*M!100000 DROP TABLE {neighbour}.t */;",
    "other delimiter": "DELIMITER ;;\nDROP DATABASE {neighbour};;\nDELIMITER ;",
    "drop of the database itself": "DROP DATABASE {own};",
    "file of the server": "SELECT 1 INTO OUTFILE '{mark}';",
    "reading a file of the client": "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;",
    "reading a file of the server": "LOAD DATA INFILE '/etc/passwd' INTO TABLE t;",
    "account": "CREATE USER hacker@localhost;",
    "privilege": "GRANT ALL ON *.* TO owner@localhost;",
    "password": "SET PASSWORD FOR owner@localhost = PASSWORD('x');",
    "setting of the server": "SET GLOBAL max_connections = 1;",
    "prepared statement": "EXECUTE IMMEDIATE 'DROP DATABASE {neighbour}';",
    "program of the administrator": "CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1;",
    "program of the account": "CREATE VIEW w AS SELECT 1;",
    "event": "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM {neighbour}.t;",
    "plugin": "INSTALL SONAME 'ha_connect';",
}


# One that the client, the account, the server's files and the borders of a statement each stop.
HOSTILE_LINES_ON_PUSH = (
    "command of the client",
    "table of another database",
    "conditional comment of this server",
    "other delimiter",
    "file of the server",
    "privilege",
)


@pytest.mark.parametrize("line", make_parameters(HOSTILE_LINES, HOSTILE_LINES_ON_PUSH))
def test_a_hostile_dump_has_no_effect_outside_of_its_database(
    pair: Pair, replace_tool: Callable[[str, str], None], tmp_path: Path, line: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    pair.target.run(f"CREATE DATABASE {neighbour}; USE {neighbour}; CREATE TABLE t (a INT);")
    pair.target.run(f"INSERT INTO {neighbour}.t VALUES (1);")
    mark = tmp_path / "mark"
    statements = tmp_path / "statements.sql"
    statements.write_text(f"DROP DATABASE {neighbour};", encoding="utf-8")
    text = line.format(mark=mark, neighbour=neighbour, own=pair.name, sql=statements)
    injected = tmp_path / "injected"
    injected.write_text(text + "\n", encoding="utf-8")
    replace_tool("mariadb-dump", f'cat {injected}; exec $real "$@"')
    outside = (
        f"SELECT COUNT(*) FROM {neighbour}.t; SELECT SCHEMA_NAME FROM information_schema.SCHEMATA;"
        "SELECT User, Host, Priv FROM mysql.global_priv; SELECT @@max_connections;"
        "SELECT COUNT(*) FROM mysql.proc; SELECT COUNT(*) FROM mysql.event;"
        "SELECT COUNT(*) FROM mysql.plugin; SELECT * FROM mysql.tables_priv;"
        f"SELECT * FROM mysql.db WHERE Db <> '{pair.name}';"
    )
    before = pair.target.run(outside)

    error = pair.run_and_get_error()

    assert pair.target.run(outside) == before
    assert not mark.exists()
    assert "import failed" in error.problem
    assert "in part" in error.effect


HOSTILE_BODIES = {
    "end of a statement": "1; DROP DATABASE {neighbour};",
    "delimiter": "1 // DROP DATABASE {neighbour} //",
    "command of the client": "\n\\! touch {mark}\n",
    "delimiter of the client": "\nDELIMITER ;\nDROP DATABASE {neighbour};\n",
    "conditional comment": "*/ /*!50003 DROP DATABASE {neighbour} */ /*",
}


@pytest.mark.parametrize(
    "text", make_parameters(HOSTILE_BODIES, ["command of the client", "delimiter of the client"])
)
def test_a_hostile_text_in_names_comments_and_bodies_stays_a_text(
    pair: Pair, tmp_path: Path, text: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.target.run(f"CREATE DATABASE {neighbour};")
    mark = tmp_path / "mark"
    hostile = text.format(mark=mark, neighbour=neighbour)
    name = hostile[:30].rstrip().replace("`", "``")
    literal = hostile.replace("\\", "\\\\")
    comment = hostile.replace("*/", "").replace("/*!", "")
    pair.create(
        f"CREATE TABLE `{name}` (a TEXT COMMENT '{literal}') COMMENT = '{literal}';"
        f"INSERT INTO `{name}` VALUES ('{literal}');\n"
        "DELIMITER @@@\n"
        f"CREATE PROCEDURE `{name}`() COMMENT '{literal}' BEGIN /* {comment} */ SELECT 1; END@@@\n"
        f"CREATE TRIGGER `{name}` BEFORE INSERT ON `{name}` FOR EACH ROW"
        f" SET NEW.a = '{literal}'@@@\n"
        f"CREATE EVENT `{name}` ON SCHEDULE EVERY 1 DAY COMMENT '{literal}' DO SET @a = '{literal}'@@@\n"
        f"CREATE VIEW `v{name}` AS SELECT '{literal}' AS a@@@\n"
    )

    result = pair.sync()

    assert (result["differences"], result["programs"]) == ([], 4)
    assert [neighbour] in pair.target.run("SHOW DATABASES;")
    assert not mark.exists()


def test_a_dump_without_its_last_line_is_an_error_and_the_next_run_goes_on(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    replace_tool("mariadb-dump", '$real "$@" | head -n -1')

    error = pair.run_and_get_error()

    assert "last line" in error.problem
    assert pair.list_accounts() == []
    replace_tool("mariadb-dump", "")
    assert pair.sync()["differences"] == []


def test_a_dump_of_an_old_tool_that_has_no_line_for_the_sandbox_arrives(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    dump = subprocess.run(
        make_dump_command(pair.name, Login.read(pair.source.login, "source_login")),
        capture_output=True,
        check=True,
    )
    assert b"sandbox" in dump.stdout.partition(b"\n")[0]
    replace_tool("mariadb-dump", "$real \"$@\" | sed '1{/sandbox/d}'")

    assert pair.sync()["differences"] == []


def test_an_old_client_that_knows_no_sandbox_is_an_error_and_imports_nothing(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    refusal = "{ echo \"mariadb: unknown option '--sandbox'\" >&2; exit 7; }"
    client = tmp_path / "mariadb"
    client.write_text(
        f'#!/bin/sh\ncase " $* " in *" --sandbox "*) {refusal};; esac\nexec /usr/bin/mariadb "$@"\n',
        encoding="utf-8",
    )
    client.chmod(0o755)
    path = f"{tmp_path}:{host_tools._ENVIRONMENT['PATH']}"
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)

    error = pair.run_and_get_error()

    assert "unknown option '--sandbox'" in error.problem
    assert pair.list_accounts() == []
    assert pair.read_target("SHOW TABLES;") == []


def test_a_source_that_is_slow_loses_no_connection_of_the_target(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    replace_tool("mariadb-dump", 'sleep 3; exec $real "$@"')
    pair.target.run("SET GLOBAL wait_timeout = 1;")
    try:
        result = pair.sync()
    finally:
        pair.target.run("SET GLOBAL wait_timeout = DEFAULT;")

    assert (result["rows"], result["differences"]) == (2, [])


def test_a_dump_that_fails_is_an_error(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT);")
    replace_tool("mariadb-dump", '$real "$@"; echo "it is broken" >&2; exit 3')

    error = pair.run_and_get_error()

    assert "it is broken" in error.problem
    assert error.option == "source_login"


def test_a_copy_that_is_not_equal_to_a_source_that_stood_still_is_an_error(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    replace_tool("mariadb-dump", '$real "$@" | sed "s/^(1)/(2)/"')

    assert "table t is not equal" in pair.run_and_get_error().problem


def test_what_changes_on_the_source_during_the_copy_is_a_difference(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    write = shlex.join([*pair.source.make_client(), "-e", f"INSERT INTO {pair.name}.t VALUES (2)"])
    replace_tool("mariadb-dump", f'$real "$@"; /usr/bin/{write}')

    result = pair.sync()

    assert (result["changed"], result["rows"]) == (True, 1)
    assert result["differences"] == [
        {"kind": "table", "name": "t", "why": "its number of rows is 1 and not 2"}
    ]


def test_a_collation_that_changes_on_the_source_during_the_copy_is_a_difference(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("ALTER DATABASE COLLATE utf8mb4_bin; CREATE TABLE t (a INT);")
    change = f"ALTER DATABASE {pair.name} COLLATE utf8mb4_roman_ci"
    alter = shlex.join([*pair.source.make_client(), "-e", change])
    replace_tool("mariadb-dump", f'$real "$@"; /usr/bin/{alter}')

    assert [entry["kind"] for entry in pair.sync()["differences"]] == ["database"]


@pytest.mark.parametrize(
    ("newer", "problem"),
    [("utf8mb4_0900_ai_ci", "collation"), ("vector", "type")],
)
def test_what_the_server_of_the_target_does_not_know_is_an_error_before_anything_is_removed(
    pair: Pair, replace_tool: Callable[[str, str], None], newer: str, problem: str
) -> None:
    pair.create("CREATE TABLE t (a TEXT COLLATE utf8mb4_roman_ci, b TINYBLOB);")
    pair.sync()
    pair.source.run("INSERT INTO t VALUES ('a', 'b');", pair.name)
    old = {"utf8mb4_0900_ai_ci": "utf8mb4_roman_ci", "vector": "tinyblob"}[newer]
    replace_tool("mariadb", f'$real "$@" | sed "s/{old}/{newer}/"')

    error = pair.run_and_get_error()

    assert "table t cannot be made here" in error.problem
    assert newer in error.problem
    assert problem in error.problem.lower()
    assert error.effect == "Nothing was written."
    assert pair.read_target("SELECT COUNT(*) FROM t;") == [["0"]]


def test_a_program_keeps_the_characters_in_which_it_was_written(pair: Pair) -> None:
    pair.create(
        b"SET NAMES latin1; CREATE FUNCTION f() RETURNS VARCHAR(9) CHARACTER SET utf8mb4"
        b" DETERMINISTIC RETURN '\xe9';"
    )

    pair.sync()

    assert pair.read_target("SELECT HEX(f());") == [["C3A9"]]
    assert pair.sync()["changed"] is False


def test_a_program_keeps_the_collation_that_the_database_had_when_it_was_written(
    pair: Pair,
) -> None:
    pair.create(
        "ALTER DATABASE COLLATE utf8mb4_bin; CREATE FUNCTION f(a TEXT) RETURNS INT DETERMINISTIC"
        " RETURN a = 'A'; ALTER DATABASE COLLATE latin1_swedish_ci;"
    )

    assert pair.sync()["differences"] == []

    assert pair.read_target("SELECT f('a'); SELECT @@collation_database;") == [
        ["0"],
        ["latin1_swedish_ci"],
    ]


def test_an_event_whose_time_has_passed_is_left_out(pair: Pair) -> None:
    pair.create(
        "CREATE EVENT e ON SCHEDULE AT NOW() + INTERVAL 1 SECOND DISABLE DO SET @a = 1; DO SLEEP(2);"
    )

    result = pair.sync()

    assert [(entry["name"], entry["why"]) for entry in result["left_out"]] == [
        ("e", "its time has passed")
    ]
    assert pair.sync()["changed"] is False


def test_the_source_needs_no_command_but_the_fixed_ones(
    pair: Pair, tmp_path: Path, ssh_server: RealSsh
) -> None:
    pair.create(SAMPLE)
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    login = Login.read(pair.source.login, "source_login")
    cases: list[str] = []
    for number, command in enumerate(list_source_commands(pair.name, login)):
        (allowed / str(number)).write_text(shlex.join(command), encoding="utf-8")
        cases.append(
            f'[ "$SSH_ORIGINAL_COMMAND" = "$(cat {allowed / str(number)})" ]'
            f' && eval "exec $SSH_ORIGINAL_COMMAND"{"" if command[0] == "sh" else " < /dev/null"}'
        )
    (allowed / "dump").write_text(shlex.join(make_dump_command(pair.name, login)), encoding="utf-8")
    cases.append(
        f'[ "${{SSH_ORIGINAL_COMMAND#"$(cat {allowed / "dump"}) "}}" != "$SSH_ORIGINAL_COMMAND" ]'
        ' && eval "exec $SSH_ORIGINAL_COMMAND" < /dev/null'
    )
    script = tmp_path / "forced"
    script.write_text("#!/bin/sh\n" + "\n".join(cases) + "\nexit 77\n", encoding="utf-8")
    script.chmod(0o755)
    pair.host = ssh_server.source
    ssh_server.allow(f'restrict,command="{script}"')
    try:
        result = pair.sync()
        unchanged = pair.sync()
    finally:
        ssh_server.allow()

    assert (result["changed"], result["differences"]) == (True, [])
    assert unchanged["changed"] is False


def test_facts_count_what_a_database_holds(pair: Pair) -> None:
    pair.create(SAMPLE)

    facts = read_database(pair.name, Login.read(pair.source.login, "login")).describe()

    assert facts.pop("bytes") > 0
    assert facts == {
        "name": pair.name,
        "tables": 11,
        "rows": 14,
        "engines": ["Aria", "InnoDB", "MyISAM"],
        "routines": 4,
        "triggers": 2,
        "events": 2,
        "views": 4,
        "definers": ["ghost@localhost", "root@localhost"],
    }


# A function that leaves a trace with the rights of the one who calls it, and takes a constant's place:
# the server carries it out where it opens a view that has it.
FUNCTION_OF_READER = """
CREATE TABLE trace (who TEXT);
DELIMITER //
CREATE FUNCTION leave_trace() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER
 BEGIN INSERT INTO trace VALUES (CURRENT_USER()); RETURN 1; END//
DELIMITER ;
"""
VIEWS_WITH_FUNCTION = {
    "itself": "CREATE SQL SECURITY INVOKER VIEW v AS SELECT SUBSTR('x', leave_trace()) AS a;",
    "by a view": "CREATE SQL SECURITY INVOKER VIEW w AS SELECT SUBSTR('x', leave_trace()) AS a;"
    "CREATE VIEW v AS SELECT a FROM w;",
    "in another database": "USE {neighbour}; CREATE SQL SECURITY INVOKER VIEW `v``w` AS"
    " SELECT SUBSTR('x', {name}.leave_trace()) AS a;"
    "USE {name}; CREATE VIEW v AS SELECT a FROM {neighbour}.`v``w`;",
}


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("itself", marks=pytest.mark.release),
        "by a view",
        "in another database",
    ],
)
@pytest.mark.parametrize("mode", ["copy", pytest.param("compare", marks=pytest.mark.release)])
def test_a_view_carries_nothing_out_as_the_administrator(pair: Pair, way: str, mode: str) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create(FUNCTION_OF_READER)
    pair.source.run(f"CREATE DATABASE {neighbour};")
    pair.source.run(VIEWS_WITH_FUNCTION[way].format(name=pair.name, neighbour=neighbour), pair.name)
    pair.source.run("DELETE FROM trace;", pair.name)

    error = pair.run_and_get_error(mode=mode)
    facts = read_database(pair.name, Login.read(pair.source.login, "login"))

    assert error.option == "source_name"
    assert "leave_trace" in error.problem
    assert facts.views > 0
    assert pair.source.run("SELECT * FROM trace;", pair.name) == []
    assert pair.read_target("SHOW TABLES;") == []


# What no transaction that only reads prevents.
FUNCTION_WITH_EFFECT = """
DELIMITER //
CREATE FUNCTION leave_trace() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER
 BEGIN SET GLOBAL max_connect_errors = 4242; RETURN 1; END//
DELIMITER ;
"""


@pytest.mark.parametrize("way", VIEWS_WITH_FUNCTION)
def test_a_view_that_changes_after_it_was_looked_at_is_not_opened(pair: Pair, way: str) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create(FUNCTION_WITH_EFFECT)
    pair.source.run(f"CREATE DATABASE {neighbour};")
    pair.source.run(VIEWS_WITH_FUNCTION[way].format(name=pair.name, neighbour=neighbour), pair.name)
    # The server has carried it out for the one who made the view.
    pair.source.run("SET GLOBAL max_connect_errors = 100;")
    login = Login.read(pair.source.login, "source_login")

    with pytest.raises(ContentError, match="a view began to use a function"):
        run_query(make_source_server(None), make_contents_command(pair.name, login))

    assert pair.source.run("SELECT @@GLOBAL.max_connect_errors;") == [["100"]]


def test_views_stay_as_they_are_while_they_are_shown(pair: Pair) -> None:
    pair.create(
        "CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN 1;"
        "CREATE VIEW w AS SELECT SUBSTR('x', f()) AS a; CREATE VIEW v AS SELECT a FROM w;"
    )
    command = make_contents_command(pair.name, Login.read(pair.source.login, "source_login"))
    end = "SELECT JSON_ARRAY('end')"
    assert command[-1].endswith(end)
    command[-1] = command[-1].removesuffix(end) + "SELECT GET_LOCK('shown', 0), SLEEP(60)"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as reader:
        try:
            wait_for(lambda: pair.source.run("SELECT IS_USED_LOCK('shown');") != [["NULL"]], reader)
            for statement in (
                "CREATE OR REPLACE VIEW v AS SELECT 1 AS a",
                "CREATE OR REPLACE VIEW w AS SELECT 1 AS a",
                "ALTER FUNCTION f SQL SECURITY INVOKER",
            ):
                with pytest.raises(AssertionError, match="Lock wait timeout"):
                    pair.source.run(f"SET lock_wait_timeout = 0; {statement};", pair.name)
        finally:
            [[number]] = pair.source.run("SELECT IS_USED_LOCK('shown');")
            pair.source.run(f"KILL {number};")


def test_a_row_that_a_check_came_after_is_copied(pair: Pair) -> None:
    pair.create(
        "CREATE TABLE t (a INT, CHECK (a > 1)); SET check_constraint_checks = 0;"
        "INSERT INTO t VALUES (0);"
    )

    assert pair.sync()["rows"] == 1
    assert pair.sync()["changed"] is False


def test_a_dump_opens_no_view(pair: Pair) -> None:
    pair.create(f"CREATE TABLE t (a INT); INSERT INTO t VALUES (7);{FUNCTION_WITH_EFFECT}")
    pair.source.run(VIEWS_WITH_FUNCTION["itself"], pair.name)
    pair.source.run("SET GLOBAL max_connect_errors = 100;")
    login = Login.read(pair.source.login, "source_login")

    dump = subprocess.run(
        make_dump_command(pair.name, login, ["t"]), capture_output=True, check=True
    )

    assert b"(7)" in dump.stdout
    assert pair.source.run("SELECT @@GLOBAL.max_connect_errors;") == [["100"]]


def test_tables_stay_tables_while_they_are_dumped(pair: Pair) -> None:
    pair.create("CREATE TABLE `a``b` (a INT); CREATE SEQUENCE s; CREATE VIEW v AS SELECT 1 AS a;")
    login = Login.read(pair.source.login, "source_login")

    with hold_tables(DatabaseSide(make_source_server(None), pair.name, login)) as tables:
        assert tables == ["a`b"]
        with pytest.raises(AssertionError, match="Lock wait timeout"):
            pair.source.run("SET lock_wait_timeout = 0; RENAME TABLE `a``b` TO c;", pair.name)
    pair.source.run("SET lock_wait_timeout = 30; RENAME TABLE `a``b` TO c;", pair.name)

    assert pair.source.run("SHOW TABLES LIKE 'c';", pair.name) == [["c"]]


def test_nothing_holds_the_tables_of_the_source_after_a_copy_or_a_kill(
    pair: Pair, ssh_server: RealSsh
) -> None:
    pair.create("CREATE TABLE t (a INT);")
    pair.host = ssh_server.source
    rename = "SET lock_wait_timeout = 30; RENAME TABLE t TO c; RENAME TABLE c TO t;"
    held = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep';"
    pair.sync()
    pair.source.run(rename, pair.name)

    with hold_by_another_process(pair) as holder:
        wait_for(lambda: pair.source.run(held), holder)
        holder.kill()
    pair.source.run(rename, pair.name)

    assert pair.source.run(held) == []


def test_rows_are_dumped_in_parts_where_a_command_has_no_room_for_all_names(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "_BYTES_OF_NAMES", 10)
    pair.create(
        "".join(f"CREATE TABLE t{i} (a INT); INSERT INTO t{i} VALUES ({i});" for i in range(5))
    )

    assert pair.sync()["rows"] == 5


def test_a_view_may_use_a_function_with_the_rights_of_its_definer(pair: Pair) -> None:
    pair.create(
        "CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN 1;"
        "CREATE FUNCTION f2() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN 1;"
        "CREATE VIEW v AS SELECT SUBSTR('x', f()) AS a;"
    )

    assert pair.sync()["programs"] == 3
    assert pair.sync()["changed"] is False


def test_a_view_in_the_place_of_a_table_is_not_read(pair: Pair) -> None:
    pair.create("CREATE TABLE a (a INT); CREATE TABLE b (a INT);" + FUNCTION_OF_READER)
    with subprocess.Popen(
        [*pair.source.make_client(), "--unbuffered", pair.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdin is not None and client.stdout is not None
        client.stdin.write("LOCK TABLES a WRITE; SELECT 'locked';\n")
        client.stdin.flush()
        assert client.stdout.readline() == "locked\n"
        process = start_task(pair)
        # It knows the names of the tables when it waits for the first one.
        wait_for(lambda: pair.source.run(WAITING), process)
        pair.source.run(
            "RENAME TABLE b TO c; CREATE SQL SECURITY INVOKER VIEW b AS"
            " SELECT 1 AS a FROM DUAL WHERE leave_trace(); DELETE FROM trace;",
            pair.name,
        )
        client.stdin.write("UNLOCK TABLES;\n")
        client.stdin.flush()
        process.wait(60)
        assert process.stderr is not None
        errors = process.stderr.read()
        kill(process)

    assert "a table became a view" in errors
    assert pair.source.run("SELECT * FROM trace;", pair.name) == []


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


# A task in a process of its own, which a test can kill: its options come as JSON.
TASK = """
import json, sys
from ansible_collections.hosting.panel.plugins.module_utils._content.database.task import (
    sync_database,
)
options, directory = json.load(sys.stdin)
print(json.dumps(sync_database(options, False, directory)))
"""


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


@contextlib.contextmanager
def hold_by_another_process(pair: Pair) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the ssh that holds the tables of the source."""
    source = SourceHost.read(pair.host)
    assert source is not None
    command = make_hold_command(pair.name, Login.read(pair.source.login, "source_login"))
    with subprocess.Popen(
        source.make_command(command), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        yield process


def start_task(pair: Pair) -> subprocess.Popen[str]:
    """Start a copy as a process."""
    process = subprocess.Popen(
        [sys.executable, "-c", TASK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    json.dump([pair.make_options(), str(pair.folder / "state")], process.stdin)
    process.stdin.close()
    return process


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until something is so, while a task runs."""
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a task as nothing can prepare for, and nothing but the task itself."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def assert_next_run_goes_on(pair: Pair) -> None:
    """Run the task again, and check that nothing of a killed one is there."""
    assert pair.sync()["differences"] == []
    assert pair.list_accounts() == []
    assert pair.sync()["changed"] is False
    states = [path.name for path in (pair.folder / "state").iterdir()]
    assert [name for name in states if not name.endswith((".json", ".json.lock"))] == []


MANY_TABLES = "".join(f"CREATE TABLE t{number} (a INT PRIMARY KEY);" for number in range(150))


def test_a_run_that_is_killed_while_it_makes_tables_leaves_nothing(pair: Pair) -> None:
    pair.create(MANY_TABLES)
    process = start_task(pair)
    wait_for(lambda: len(pair.read_target("SHOW TABLES;")) > 3, process)
    kill(process)

    assert_next_run_goes_on(pair)


def read_arguments(process: subprocess.Popen[str]) -> bytes:
    """Return the arguments and environments of what a task has started."""
    texts: list[bytes] = []
    for child in find_descendants(process.pid):
        with contextlib.suppress(OSError):
            texts += [Path(f"/proc/{child}/{name}").read_bytes() for name in ("cmdline", "environ")]
    return b"".join(texts)


def test_a_run_that_is_killed_while_it_copies_rows_leaves_nothing(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE TABLE u (a INT);")
    replace_tool("mariadb-dump", '$real "$@" | head -n 30; sleep 60 & wait')
    process = start_task(pair)
    wait_for(lambda: b"mariadb-dump" in read_arguments(process), process)
    wait_for(lambda: b"--defaults-file=/proc/self/fd/" in read_arguments(process), process)
    arguments = read_arguments(process)
    kill(process)

    assert pair.list_accounts() != []
    assert re.search(rb"[0-9a-f]{48}", arguments) is None
    replace_tool("mariadb-dump", "")
    assert_next_run_goes_on(pair)


def test_a_run_that_is_killed_while_it_makes_programs_leaves_nothing(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    pair.sync()
    pair.source.run(
        "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1;"
        "CREATE VIEW v AS SELECT a FROM t;",
        pair.name,
    )
    with subprocess.Popen(
        [*pair.target.make_client(), "--", pair.name], stdin=subprocess.PIPE, text=True
    ) as client:
        assert client.stdin is not None
        client.stdin.write("LOCK TABLES t READ; SELECT 1;\n")
        client.stdin.flush()
        process = start_task(pair)
        wait_for(lambda: pair.list_accounts()[1:], process)
        kill(process)

    assert_next_run_goes_on(pair)


def test_two_runs_do_not_work_on_one_database_at_once(pair: Pair) -> None:
    pair.create(MANY_TABLES)
    process = start_task(pair)
    wait_for(pair.list_accounts, process)

    error = pair.run_and_get_error()

    assert process.stdout is not None
    assert process.stdout.read().startswith('{"changed": true')
    kill(process)
    assert "another run" in error.problem


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


# A server keeps an old form of times in tables that are older than itself.
OLD_FORM = "SET GLOBAL mysql56_temporal_format = OFF; {} SET GLOBAL mysql56_temporal_format = ON;"
VALUES = {
    "tinyint": ("TINYINT", "1", "2"),
    "decimal": ("DECIMAL(30,10)", "1.5", "1.5000000001"),
    "float": ("FLOAT", "3.1415927", "3.1415930"),
    "double": ("DOUBLE", "0.1", "0.1 + 1e-16"),
    "bit": ("BIT(20)", "b'101'", "b'100'"),
    "year": ("YEAR", "2020", "2021"),
    "date": ("DATE", "'2024-01-02'", "'2024-01-03'"),
    "time": ("TIME(6)", "'-10:00:00.000001'", "'-10:00:00.000002'"),
    "datetime": ("DATETIME(3)", "'2024-01-02 03:04:05.001'", "'2024-01-02 03:04:05.002'"),
    "timestamp": ("TIMESTAMP(6) NULL", "'2024-01-02 03:04:05'", "'2024-01-02 03:04:05.000001'"),
    "char": ("CHAR(5)", "'a'", "'A'"),
    "text": ("TEXT", "'-'", "NULL"),
    "empty text": ("TEXT", "''", "NULL"),
    "japanese text": ("VARCHAR(5) CHARACTER SET cp932", "_cp932 x'8790'", "_cp932 x'81E0'"),
    "wide text": ("VARCHAR(5) CHARACTER SET ucs2", "'\u00e9'", "'e'"),
    "blob": ("BLOB", "0x00FF", "0x00FE"),
    "binary": ("BINARY(3)", "0x000100", "0x000101"),
    "enum": ("ENUM('a','b')", "'a'", "'b'"),
    "set": ("SET('a','b')", "'a'", "'a,b'"),
    "json": ("JSON", """'{"a":1}'""", """'{"a": 1}'"""),
    "uuid": (
        "UUID",
        "'123e4567-e89b-12d3-a456-426655440000'",
        "'023e4567-e89b-12d3-a456-426655440000'",
    ),
    "inet4": ("INET4", "'1.2.3.4'", "'1.2.3.5'"),
    "inet6": ("INET6", "'::1'", "'::2'"),
    "point": ("POINT", "POINT(1, 2)", "POINT(1, 2.0000001)"),
    "compressed": ("TEXT COMPRESSED", "REPEAT('a', 999)", "REPEAT('a', 998)"),
    "odd name": ("INT", "1", "2"),
}


def make_old_table(pair: Pair) -> None:
    """Make a table of all types whose checksum is another one on each server."""
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, _value, _changed) in VALUES.items())
    values = ", ".join(value for _kind, value, _changed in VALUES.values())
    creation = OLD_FORM.format(f"CREATE TABLE old (id INT, `a``@,'x` TIME, {columns});")
    nothing = ", ".join("NULL" for _ in VALUES)
    pair.create(
        f"SET NAMES utf8mb4; SET time_zone = '+00:00'; {creation}"
        f" INSERT INTO old VALUES (1, '10:00:00', {values}), (2, NULL, {nothing}),"
        f" (1, '10:00:00', {values});"
    )


def read_checksum(server: RealMariadb, name: str) -> str:
    """Return the checksum of the table ``old``."""
    return server.run("CHECKSUM TABLE old EXTENDED;", name)[0][1]


def test_table_whose_times_have_the_form_of_an_old_server_is_copied_and_equal(pair: Pair) -> None:
    make_old_table(pair)
    first = pair.sync()
    assert (first["changed"], first["rows"], first["differences"]) == (True, 3, [])
    assert read_checksum(pair.source, pair.name) != read_checksum(pair.target, pair.name)
    assert pair.sync(mode="compare")["differences"] == []
    assert pair.sync(is_check=True)["changed"] is False
    creation_times = pair.read_target(CREATION_TIMES)
    assert pair.sync()["changed"] is False
    assert pair.read_target(CREATION_TIMES) == creation_times


WHY_UNEQUAL = "the checksum of its rows is another one"


def test_value_of_each_type_that_differs_is_found_where_checksums_do_not_count(pair: Pair) -> None:
    """One comparison names the table of each type."""
    session = "SET NAMES utf8mb4; SET time_zone = '+00:00';"
    creations = "".join(
        f"CREATE TABLE `{name}` (t TIME, `{name}` {kind});"
        f"INSERT INTO `{name}` VALUES ('10:00:00', {value}), (NULL, NULL);"
        for name, (kind, value, _changed) in VALUES.items()
    )
    pair.create(session + OLD_FORM.format(creations))
    pair.sync()
    assert pair.sync(mode="compare")["differences"] == []

    for name, (_kind, _value, changed_value) in VALUES.items():
        update = f"UPDATE `{name}` SET `{name}` = {changed_value} WHERE t IS NOT NULL;"
        pair.target.run(session + update, pair.name)

    differences = pair.sync(mode="compare")["differences"]
    assert [(entry["name"], entry["why"]) for entry in differences] == [
        (name, WHY_UNEQUAL) for name in sorted(VALUES)
    ]


def test_two_equal_rows_that_changed_are_found_where_checksums_do_not_count(pair: Pair) -> None:
    make_old_table(pair)
    pair.sync()

    pair.target.run("UPDATE old SET id = 3 WHERE id = 1;", pair.name)

    differences = pair.sync(mode="compare")["differences"]
    assert differences == [{"kind": "table", "name": "old", "why": WHY_UNEQUAL}]
    assert pair.sync(is_check=True)["changed"] is True
    assert pair.sync()["changed"] is True
    assert pair.sync(mode="compare")["differences"] == []


@pytest.mark.parametrize(("index", "changed_index"), [(0, 2), (2, 0)])
def test_wrong_and_empty_value_of_an_enum_differ_where_checksums_do_not_count(
    pair: Pair, index: int, changed_index: int
) -> None:
    pair.create(
        OLD_FORM.format("CREATE TABLE old (a TIME, e ENUM('x', ''));")
        + f" SET sql_mode = ''; INSERT INTO old VALUES ('10:00:00', {index});"
    )
    pair.sync()
    assert read_checksum(pair.source, pair.name) != read_checksum(pair.target, pair.name)
    assert pair.sync(mode="compare")["differences"] == []

    pair.target.run(f"SET sql_mode = ''; UPDATE old SET e = {changed_index};", pair.name)

    assert len(pair.sync(mode="compare")["differences"]) == 1


@pytest.mark.parametrize("limited", ["source", "target"])
def test_server_that_shows_only_the_first_row_of_a_query_is_read_whole(
    pair: Pair, limited: str
) -> None:
    pair.create(
        "CREATE TABLE t (a INT, b INT AS (a + 1), c INT);"
        " INSERT INTO t (a) VALUES (1), (2), (3);"
        " CREATE TABLE f (a FLOAT, b INT); INSERT INTO f VALUES (0.1, 1), (0.2, 2);"
        " CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM f;"
    )
    server = pair.source if limited == "source" else pair.target
    server.run("SET GLOBAL sql_select_limit = 1;")
    try:
        result = pair.sync()
        differences = pair.sync(mode="compare")["differences"]
    finally:
        server.run("SET GLOBAL sql_select_limit = DEFAULT;")

    assert (result["tables"], result["rows"], result["programs"]) == (2, 5, 2)
    assert differences == []
    assert pair.read_target("SELECT COUNT(*) FROM t;") == [["3"]]


def test_setting_of_one_server_that_changes_checksums_changes_no_comparison(pair: Pair) -> None:
    pair.create("CREATE TABLE old (a INT, b TEXT); INSERT INTO old VALUES (NULL, 'a'), (1, NULL);")
    modes = pair.source.run("SELECT @@GLOBAL.old_mode;")[0][0]
    pair.source.run("SET GLOBAL old_mode = 'COMPAT_5_1_CHECKSUM,UTF8_IS_UTF8MB3';")
    try:
        assert pair.sync()["changed"] is True
        assert read_checksum(pair.source, pair.name) != read_checksum(pair.target, pair.name)
        assert pair.sync()["changed"] is False
        assert pair.sync(mode="compare")["differences"] == []
        pair.target.run("UPDATE old SET b = 'x' WHERE a = 1;", pair.name)
        assert len(pair.sync(mode="compare")["differences"]) == 1
    finally:
        pair.source.run(f"SET GLOBAL old_mode = '{modes}';")


def test_row_that_a_server_cannot_digest_is_no_proof(pair: Pair) -> None:
    pair.create(
        OLD_FORM.format("CREATE TABLE old (a TIME, shape GEOMETRY);")
        + " INSERT INTO old VALUES ('10:00:00', ST_GeomFromText(CONCAT('LINESTRING(',"
        " REPEAT('1 1,', 50000), '2 2)')));"
    )
    pair.sync()
    assert pair.sync(mode="compare")["differences"] == []
    limit = pair.source.run("SELECT @@GLOBAL.max_allowed_packet;")[0][0]
    for server in (pair.source, pair.target):
        server.run("SET GLOBAL max_allowed_packet = 1048576;")
    try:
        assert len(pair.sync(mode="compare")["differences"]) == 1
    finally:
        for server in (pair.source, pair.target):
            server.run(f"SET GLOBAL max_allowed_packet = {limit};")


def test_disk_of_the_server_is_named_where_a_copy_fails_and_it_is_full(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (id INT);", "CREATE TABLE foreign_table (id INT);")
    full_disk = SimpleNamespace(f_bavail=3, f_frsize=1024, f_files=9, f_favail=9)
    paths = []

    def show_full_disk(path: str) -> SimpleNamespace:
        paths.append(path)
        return full_disk

    monkeypatch.setattr(os, "statvfs", show_full_disk)
    error = pair.run_and_get_error()
    directory = f"{pair.target.folder}/data/"
    assert paths == [directory]
    assert error.advice == (
        f"The disk of {directory} has 3 KiB left: make room there, and run the task again."
    )


def set_room_on_disks(patched: pytest.MonkeyPatch, read_free: Callable[[], int]) -> None:
    """Let each disk have this room left, in MiB, and look at it often."""

    def show_disk(_path: str) -> SimpleNamespace:
        return SimpleNamespace(f_bavail=read_free(), f_frsize=2**20, f_files=0, f_favail=0)

    patched.setattr(disk_watch, "_PAUSE", 0.01)
    patched.setattr(os, "statvfs", show_disk)


def test_import_is_stopped_before_the_disk_of_the_server_is_full_and_leaves_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create(
        "CREATE TABLE a (a INT) ENGINE=MyISAM; CREATE SEQUENCE s;"
        " CREATE TABLE t (a INT, b VARCHAR(1000)) ENGINE=MyISAM;"
        " INSERT INTO t SELECT seq, REPEAT('x', 900) FROM seq_1_to_60000;"
    )
    table = Path(f"{pair.target.folder}/data/{pair.name}/t.frm")

    with monkeypatch.context() as patched:
        set_room_on_disks(patched, lambda: 30 if table.exists() else 4096)
        error = pair.run_and_get_error()
    assert error.compose() == (
        "the import was stopped before the disk of the database server was full. The tables of"
        f" {pair.name} were removed, and the next run copies them all. The disk of"
        f" {pair.target.folder}/data/ has 30720 KiB left: make room there, and run the task again."
    )
    assert pair.list_accounts() == []
    assert pair.read_target("SHOW TABLES;") == []
    assert pair.sync()["rows"] == 60001
    assert pair.sync()["changed"] is False


def test_stopped_import_removes_no_table_that_it_has_not_replaced(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    pair.sync()
    pair.source.run("CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1;", pair.name)
    free_megabytes = [4096]

    def fill_disk(*_arguments: object) -> None:
        free_megabytes[0] = 30
        for _pause in range(2_000):
            if not pair.list_accounts():
                return
            time.sleep(0.01)

    with monkeypatch.context() as patched:
        set_room_on_disks(patched, lambda: free_megabytes[0])
        patched.setattr(copy, "set_collation", fill_disk)
        error = pair.run_and_get_error()
    assert error.compose() == (
        "the import was stopped before the disk of the database server was full. What"
        f" {pair.name} holds was replaced in part, and the next run goes on. The disk of"
        f" {pair.target.folder}/data/ has 30720 KiB left: make room there, and run the task again."
    )
    assert pair.read_target("SELECT a FROM t ORDER BY a;") == [["1"], ["2"]]
    assert pair.sync()["changed"] is True


def test_nothing_is_replaced_where_nobody_can_keep_what_is_about_to_be(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (id INT);")
    pair.sync()
    pair.source.run("INSERT INTO t VALUES (1);", pair.name)

    def refuse(_path: str, _text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(kept_state, "_replace_file", refuse)
        error = pair.run_and_get_error()
    assert "cannot be written: No space left on device." in error.problem
    assert error.effect == "What was copied until then stays."
    assert pair.read_target("SHOW TABLES;") == [["t"]]
    assert pair.list_accounts() == []
    assert pair.sync()["rows"] == 1
