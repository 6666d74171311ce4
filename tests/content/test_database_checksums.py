"""How rows are compared where the checksums of two real servers of MariaDB do not count."""

from __future__ import annotations

import pytest

from tests.support.database_pair import CREATION_TIMES, Pair
from tests.support.real_mariadb import RealMariadb

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
