"""That settings of a server change neither a copy of a database nor a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
from tests.support.database_pair import FUNCTION_WITH_EFFECT, VIEWS_WITH_FUNCTION, Pair
from tests.support.real_mariadb import NUMBERS, RealMariadb, run_mariadb
from tests.support.representatives import make_parameters

CONTENT = """
SET NAMES utf8mb4; SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00';
CREATE TABLE `to"größe` (
 id INT PRIMARY KEY AUTO_INCREMENT, quoted VARCHAR(40) DEFAULT 'ä\\\\b"c''d' COMMENT 'ü\\\\y"z',
 bare TIMESTAMP NOT NULL, zero TIMESTAMP NOT NULL DEFAULT '0000-00-00', moment TIMESTAMP(6) NULL,
 day DATE, ratio FLOAT, number INT, third DECIMAL(20,10) AS (number / 3) STORED,
 name VARCHAR(20) CHARACTER SET utf8mb3, text TEXT CHARACTER SET cp932, shape POINT, flags BIT(9));
INSERT INTO `to"größe` (quoted, bare, zero, moment, day, ratio, number, name, text, shape, flags) VALUES
 ('ä\\\\b|c', '2020-01-01', '2020-01-02', '2020-01-01 10:00:00.5', '2020-02-31', 0.1, 1, 'ü', 'x',
  POINT(1, 2), 5),
 (NULL, '0000-00-00', '0000-00-00', NULL, '0000-00-00', NULL, NULL, NULL, NULL, NULL, NULL),
 ('', '2020-01-01', '2020-01-01', '2037-01-01', '2024-02-29', 1e30, 5, '', '', NULL, 0);
SET GLOBAL mysql56_temporal_format = OFF;
CREATE TABLE digested (
 moment DATETIME, day DATE, line TEXT, number INT, third DOUBLE AS (number / 3 * 3) VIRTUAL,
 day_name VARCHAR(30) AS (DAYNAME(day)) VIRTUAL, week INT AS (WEEK(day)) VIRTUAL,
 is_found INT AS (line REGEXP 'a.b') VIRTUAL);
SET GLOBAL mysql56_temporal_format = ON;
INSERT INTO digested (moment, day, line, number) VALUES
 ('2020-02-29 10:00:00', '2021-01-01', 'a\\nb', 1), (NULL, NULL, NULL, NULL);
CREATE TABLE plain (a INT, b TEXT) ENGINE=MyISAM; INSERT INTO plain VALUES (1, 'x'), (2, NULL);
CREATE TABLE empty_one (a INT); CREATE SEQUENCE numbers START WITH 7;
CREATE VIEW texts AS SELECT CONCAT(a, 'ü\\\\y"') AS a, a / 3 AS third FROM plain;
CREATE VIEW of_texts AS SELECT a FROM texts; CREATE VIEW dates AS SELECT DATE'2020-02-31' AS a;
CREATE VIEW next_number AS SELECT NEXT VALUE FOR numbers AS a;
CREATE TABLE lost (a INT); CREATE VIEW broken AS SELECT a FROM lost; DROP TABLE lost;
CREATE FUNCTION half(a INT) RETURNS INT DETERMINISTIC RETURN a / 2;
CREATE TRIGGER first_one BEFORE INSERT ON plain FOR EACH ROW SET NEW.a = NEW.a + 1;
CREATE TRIGGER second_one BEFORE INSERT ON plain FOR EACH ROW FOLLOWS first_one SET NEW.b = "y";
"""
# Tables, rows with that of the sequence, and programs.
COUNTS = (5, 8, 7)
SETTINGS = {
    "autocommit": "OFF",
    "character_set_client": "latin1",
    "character_set_results": "latin1",
    "collation_connection": "latin1_german1_ci",
    "completion_type": "CHAIN",
    "default_regex_flags": "DOTALL,EXTENDED",
    "default_storage_engine": "MyISAM",
    "default_week_format": 6,
    "div_precision_increment": 0,
    "explicit_defaults_for_timestamp": "OFF",
    "foreign_key_checks": "OFF",
    "group_concat_max_len": 4,
    "innodb_compression_default": "ON",
    "lc_messages": "de_DE",
    "lc_time_names": "de_DE",
    "max_error_count": 0,
    "max_join_size": 1,
    "max_recursive_iterations": 0,
    "max_sort_length": 64,
    "max_statement_time": 0.0001,
    "old_mode": "COMPAT_5_1_CHECKSUM,ZERO_DATE_TIME_CAST",
    "old_passwords": "ON",
    "sql_auto_is_null": "ON",
    "sql_big_selects": "OFF",
    "sql_mode": "ANSI,ORACLE,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH",
    "sql_quote_show_create": "OFF",
    "sql_safe_updates": "ON",
    "sql_select_limit": 1,
    "time_zone": "+05:00",
    "tx_isolation": "SERIALIZABLE",
    "tx_read_only": "ON",
    "wait_timeout": 1,
}
# One of the characters, of the row limits, of the times, of the language and of the checksums.
SETTINGS_ON_PUSH = (
    "character_set_results",
    "sql_select_limit",
    "time_zone",
    "sql_mode",
    "old_mode",
)


@contextmanager
def set_globally(server: RealMariadb, name: str, value: str | float) -> Iterator[None]:
    """Give new sessions of a server another setting in a block."""
    quoted = f"'{value}'" if isinstance(value, str) else value
    server.run(f"SET GLOBAL {name} = {quoted};")
    try:
        yield
    finally:
        server.run(f"SET SESSION sql_mode = ''; SET GLOBAL {name} = DEFAULT;")


def assert_equal(pair: Pair) -> None:
    """Assert that both sides have everything, and that a comparison finds no difference."""
    comparison = pair.sync(mode="compare")
    assert comparison["differences"] == []
    assert (comparison["tables"], comparison["rows"], comparison["programs"]) == COUNTS


@pytest.mark.parametrize(
    ("name", "value"),
    make_parameters({name: (name, value) for name, value in SETTINGS.items()}, SETTINGS_ON_PUSH),
)
def test_setting_of_a_server_changes_neither_a_copy_nor_a_comparison(
    mariadb_servers: tuple[RealMariadb, RealMariadb], tmp_path: Path, name: str, value: str | float
) -> None:
    source, target = mariadb_servers
    pair = Pair(source, target, tmp_path)
    pair.create(CONTENT)

    with set_globally(source, name, value):
        with set_globally(target, name, value):
            result = pair.sync()
        assert_equal(pair)
    assert_equal(pair)
    with set_globally(target, name, value):
        assert_equal(pair)

    assert result["differences"] == []
    (omission,) = result["left_out"]
    assert omission["name"] == "broken"
    assert omission["why"].startswith("it does not work on the source: Table ")
    rows = 'SELECT day, HEX(quoted), third FROM `to"größe` ORDER BY id;'
    assert pair.read_target(rows) == source.run(rows, pair.name)


@pytest.mark.parametrize(
    "is_source", make_parameters({"source": True, "target": False}, ["source"])
)
def test_server_that_does_not_listen_to_its_clients_is_copied(
    mariadb_servers: tuple[RealMariadb, RealMariadb], tmp_path: Path, is_source: bool
) -> None:
    settings = (
        "--skip-character-set-client-handshake",
        "--character-set-server=latin1",
        "--init-connect=SET sql_mode = 'ANSI', autocommit = 0, sql_select_limit = 1",
    )
    source, target = mariadb_servers
    with run_mariadb(tmp_path / "deaf", None, *settings) as deaf:
        source, target = (deaf, target) if is_source else (source, deaf)
        pair = Pair(source, target, tmp_path)
        pair.create("ALTER DATABASE COLLATE utf8mb4_bin;" + CONTENT)

        assert pair.sync()["differences"] == []
        assert_equal(pair)


@pytest.mark.parametrize(
    "name",
    ["max_recursive_iterations", pytest.param("max_error_count", marks=pytest.mark.release)],
)
def test_setting_of_a_server_lets_no_view_carry_out_a_function(
    mariadb_servers: tuple[RealMariadb, RealMariadb], tmp_path: Path, name: str
) -> None:
    source, target = mariadb_servers
    pair = Pair(source, target, tmp_path)
    neighbour = f"other{next(NUMBERS)}"
    pair.create(FUNCTION_WITH_EFFECT)
    source.run(f"CREATE DATABASE {neighbour};")
    views = VIEWS_WITH_FUNCTION["in another database"]
    source.run(views.format(name=pair.name, neighbour=neighbour), pair.name)
    source.run("SET GLOBAL max_connect_errors = 100;")
    command = make_contents_command(pair.name, Login.read(source.login, "source_login"))

    with (
        set_globally(source, name, 0),
        pytest.raises(ContentError, match="a view began to use a function"),
    ):
        run_query(make_source_server(None), command)

    assert source.run("SELECT @@GLOBAL.max_connect_errors;") == [["100"]]
