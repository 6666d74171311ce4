"""How databases are copied and compared, between two real servers of MariaDB."""

from __future__ import annotations

import re

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    read_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from tests.support.database_pair import CREATION_TIMES, SAMPLE, Pair
from tests.support.representatives import make_parameters


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
