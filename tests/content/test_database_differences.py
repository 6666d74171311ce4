"""Which differences of two databases a comparison sees, between two real servers of MariaDB."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.source_commands import (
    make_contents_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.rows import run_query
from ansible_collections.hosting.panel.plugins.module_utils._content.database.sides import (
    make_source_server,
)
from tests.support.database_pair import Pair
from tests.support.real_mariadb import NUMBERS
from tests.support.representatives import make_parameters

TABLES = """
CREATE TABLE t (a INT NOT NULL, b VARCHAR(9), c INT CHECK (c > 1), d INT AS (a + 1), e INT,
 PRIMARY KEY (a), KEY k (b), KEY l (c), CONSTRAINT h CHECK (e > 2)) COMMENT 'x';
CREATE TABLE child (a INT, KEY k (a), CONSTRAINT f FOREIGN KEY (a) REFERENCES t (a));
CREATE TABLE parts (a INT NOT NULL, b INT NOT NULL) PARTITION BY RANGE (a)
 SUBPARTITION BY HASH (b) SUBPARTITIONS 2
 (PARTITION p VALUES LESS THAN (5) COMMENT = 'x', PARTITION q VALUES LESS THAN (9));
CREATE TABLE stored (a INT NOT NULL, KEY k (a)) ENGINE=Aria TRANSACTIONAL=0;
CREATE TABLE written (a TEXT, FULLTEXT KEY k (a)) ENGINE=MyISAM;
"""
SUBPARTITIONS = (
    "ALTER TABLE parts PARTITION BY RANGE (a) SUBPARTITION BY {by} SUBPARTITIONS {number}"
    " (PARTITION {first} VALUES LESS THAN (5) COMMENT = '{comment}',"
    " PARTITION q VALUES LESS THAN (9));"
)
_PARTS = {"by": "HASH (b)", "number": 2, "first": "p", "comment": "x"}
_INDEX = "ALTER TABLE t DROP KEY k, ADD KEY k "
_COLUMN = "ALTER TABLE t MODIFY b "
CHANGES = {
    "direction of an index": f"{_INDEX}(b DESC);",
    "ignored index": "ALTER TABLE t ALTER INDEX k IGNORED;",
    "size of an index's blocks": f"{_INDEX}(b) KEY_BLOCK_SIZE=4;",
    "comment of an index": f"{_INDEX}(b) COMMENT 'y';",
    "length of an index": f"{_INDEX}(b(4));",
    "columns of an index": f"{_INDEX}(b, c);",
    "unique index": "ALTER TABLE t DROP KEY k, ADD UNIQUE KEY k (b);",
    "method of an index": "ALTER TABLE stored DROP KEY k, ADD KEY k (a) USING HASH;",
    "name of an index": "ALTER TABLE t RENAME KEY k TO m;",
    "parser of an index": "ALTER TABLE written ENGINE=Aria;",
    "expression of subpartitions": SUBPARTITIONS.format(**{**_PARTS, "by": "HASH (b + 1)"}),
    "method of subpartitions": SUBPARTITIONS.format(**{**_PARTS, "by": "KEY (b)"}),
    "linear subpartitions": SUBPARTITIONS.format(**{**_PARTS, "by": "LINEAR HASH (b)"}),
    "number of subpartitions": SUBPARTITIONS.format(**{**_PARTS, "number": 3}),
    "comment of a partition": SUBPARTITIONS.format(**{**_PARTS, "comment": "y"}),
    "name of a partition": SUBPARTITIONS.format(**{**_PARTS, "first": "r"}),
    "rows of a partition": (
        "ALTER TABLE parts REORGANIZE PARTITION q INTO"
        " (PARTITION q VALUES LESS THAN (9) MAX_ROWS = 7);"
    ),
    "type of a column": f"{_COLUMN}VARCHAR(10);",
    "collation of a column": f"{_COLUMN}VARCHAR(9) COLLATE utf8mb4_bin;",
    "characters of a column": f"{_COLUMN}VARCHAR(9) CHARACTER SET latin1;",
    "default of a column": f"{_COLUMN}VARCHAR(9) DEFAULT 'y';",
    "comment of a column": f"{_COLUMN}VARCHAR(9) COMMENT 'y';",
    "invisible column": f"{_COLUMN}VARCHAR(9) INVISIBLE;",
    "column without NULL": f"{_COLUMN}VARCHAR(9) NOT NULL;",
    "place of a column": f"{_COLUMN}VARCHAR(9) AFTER c;",
    "expression of a column": "ALTER TABLE t MODIFY d INT AS (a + 2);",
    "stored column": "ALTER TABLE t DROP d, ADD d INT AS (a + 1) STORED AFTER c;",
    "check of a column": "ALTER TABLE t MODIFY c INT CHECK (c > 2);",
    "check of a table": "ALTER TABLE t DROP CONSTRAINT h, ADD CONSTRAINT h CHECK (e > 3);",
    "rule of a key": (
        "ALTER TABLE child DROP FOREIGN KEY f, ADD CONSTRAINT g FOREIGN KEY (a)"
        " REFERENCES t (a) ON DELETE CASCADE;"
    ),
    "comment of a table": "ALTER TABLE t COMMENT 'y';",
    "collation of a table": "ALTER TABLE t DEFAULT COLLATE utf8mb4_bin;",
    "form of rows": "ALTER TABLE t ROW_FORMAT=COMPRESSED;",
    "statistics of a table": "ALTER TABLE t STATS_PERSISTENT=0;",
    "transactions of a table": "ALTER TABLE stored TRANSACTIONAL=1;",
    "checksums of pages": "ALTER TABLE stored PAGE_CHECKSUM=0;",
    "engine of a table": "ALTER TABLE stored ENGINE=InnoDB TRANSACTIONAL=DEFAULT;",
}


CHANGES_ON_PUSH = (
    "direction of an index",
    "size of an index's blocks",
    "expression of subpartitions",
    "comment of a partition",
    "place of a column",
)


@pytest.mark.parametrize("change", make_parameters(CHANGES, CHANGES_ON_PUSH))
def test_each_part_of_a_table_that_changes_is_a_difference(pair: Pair, change: str) -> None:
    pair.create(TABLES)
    pair.sync()
    pair.source.run(change, pair.name)

    assert pair.sync(mode="compare")["differences"] != []
    assert pair.sync()["differences"] == []
    assert pair.sync()["changed"] is False


TRIGGERS = """
CREATE TABLE t (a INT);
CREATE TRIGGER t1 BEFORE INSERT ON t FOR EACH ROW SET new.a = new.a + 1;
CREATE TRIGGER t2 BEFORE INSERT ON t FOR EACH ROW SET new.a = new.a * 2;
CREATE TRIGGER t3 BEFORE UPDATE ON t FOR EACH ROW SET new.a = new.a - 1;
"""


@pytest.mark.parametrize("clause", ["", "FOLLOWS t2"])
def test_triggers_run_in_the_order_of_the_source(pair: Pair, clause: str) -> None:
    pair.create(TRIGGERS)
    pair.sync()
    pair.source.run(
        "DROP TRIGGER t1; CREATE TRIGGER t1 BEFORE INSERT ON t FOR EACH ROW"
        f" {clause} SET new.a = new.a + 1;",
        pair.name,
    )

    assert {difference["name"] for difference in pair.sync(mode="compare")["differences"]} == {
        "t1",
        "t2",
    }
    result = pair.sync()

    assert (result["changed"], result["differences"]) == (True, [])
    pair.target.run("INSERT INTO t VALUES (5);", pair.name)
    assert pair.read_target("SELECT a FROM t; DELETE FROM t;") == [["11"]]
    assert pair.sync()["changed"] is False


def test_program_of_another_collation_of_its_database_is_made_again(pair: Pair) -> None:
    creation = "CREATE FUNCTION f(a TEXT) RETURNS INT DETERMINISTIC RETURN a = 'A';"
    pair.create(f"ALTER DATABASE COLLATE utf8mb4_general_ci; {creation}")
    pair.sync()
    pair.source.run(
        f"DROP FUNCTION f; ALTER DATABASE COLLATE utf8mb4_bin; {creation}"
        " ALTER DATABASE COLLATE utf8mb4_general_ci;",
        pair.name,
    )

    assert len(pair.sync(mode="compare")["differences"]) == 1
    assert pair.sync()["changed"] is True
    assert pair.read_target("SELECT f('a');") == [["0"]]
    assert pair.sync()["changed"] is False


COMPARING_TRIGGER = (
    "CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW"
    " BEGIN DECLARE x TEXT DEFAULT 'a'; SET NEW.{column} = x = 'A'; END//"
)


def test_program_after_one_that_cannot_be_made_has_the_collation_of_the_database(
    pair: Pair,
) -> None:
    refused_trigger = COMPARING_TRIGGER.format(name="refused", table="t", column="gone")
    working_trigger = COMPARING_TRIGGER.format(name="working", table="u", column="a")
    pair.create(
        "CREATE TABLE t (a INT, gone INT); CREATE TABLE u (a INT);\nDELIMITER //\n"
        f"ALTER DATABASE COLLATE utf8mb4_bin// {refused_trigger}"
        f"ALTER DATABASE COLLATE utf8mb4_general_ci// {working_trigger}"
        "ALTER TABLE t DROP gone//"
    )

    differences = pair.sync()["differences"]

    assert [difference["name"] for difference in differences] == ["refused"]
    pair.target.run("INSERT INTO u VALUES (5);", pair.name)
    assert pair.read_target("SELECT a FROM u;") == [["1"]]


def test_function_of_another_database_with_the_name_of_one_that_a_view_uses_is_none(
    pair: Pair,
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.source.run(f"CREATE DATABASE {neighbour};")
    pair.source.run(
        "CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN 1;"
        "SET sql_mode = ORACLE;\nDELIMITER //\n"
        "CREATE PACKAGE t AS FUNCTION g RETURN INT; END//\n"
        "CREATE PACKAGE BODY t SQL SECURITY INVOKER AS"
        " FUNCTION g RETURN INT AS BEGIN RETURN 1; END; END//\n",
        neighbour,
    )
    pair.create(
        "CREATE TABLE t (a INT); CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN 1;"
        "CREATE VIEW v AS SELECT t.a, f() AS b FROM t;"
    )

    assert pair.sync()["differences"] == []


PACKAGE_OF_READERS = """
SET sql_mode = ORACLE;
DELIMITER //
CREATE PACKAGE p AS FUNCTION g RETURN INT; END//
CREATE PACKAGE BODY p SQL SECURITY INVOKER AS FUNCTION g RETURN INT AS BEGIN RETURN 1; END; END//
DELIMITER ;
CREATE VIEW v AS SELECT p.g() AS a;
"""


def test_package_with_the_rights_of_the_reader_is_found_where_a_view_is_opened(pair: Pair) -> None:
    pair.create(PACKAGE_OF_READERS)
    login = Login.read(pair.source.login, "source_login")

    with pytest.raises(ContentError, match="a view began to use a function"):
        run_query(make_source_server(None), make_contents_command(pair.name, login))
    assert "p" in pair.run_and_get_error().problem
