"""How tables of every form are copied between two real servers of MariaDB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.database import importer
from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    read_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from tests.support.database_pair import Pair
from tests.support.representatives import make_parameters


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


def test_a_row_that_a_check_came_after_is_copied(pair: Pair) -> None:
    pair.create(
        "CREATE TABLE t (a INT, CHECK (a > 1)); SET check_constraint_checks = 0;"
        "INSERT INTO t VALUES (0);"
    )

    assert pair.sync()["rows"] == 1
    assert pair.sync()["changed"] is False


def test_rows_are_dumped_in_parts_where_a_command_has_no_room_for_all_names(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "_BYTES_OF_NAMES", 10)
    pair.create(
        "".join(f"CREATE TABLE t{i} (a INT); INSERT INTO t{i} VALUES ({i});" for i in range(5))
    )

    assert pair.sync()["rows"] == 5
