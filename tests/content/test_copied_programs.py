"""How views, routines, triggers and events are copied between two real servers of MariaDB."""

from __future__ import annotations

import pytest

from tests.support.database_pair import CREATION_TIMES, DEFINER, SAMPLE, Pair
from tests.support.real_mariadb import NUMBERS

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


def test_a_view_may_use_a_function_with_the_rights_of_its_definer(pair: Pair) -> None:
    pair.create(
        "CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN 1;"
        "CREATE FUNCTION f2() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER RETURN 1;"
        "CREATE VIEW v AS SELECT SUBSTR('x', f()) AS a;"
    )

    assert pair.sync()["programs"] == 3
    assert pair.sync()["changed"] is False
