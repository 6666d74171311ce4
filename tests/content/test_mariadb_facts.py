"""What a server of MariaDB does with views, on which the queries of a database rely."""

from __future__ import annotations

from itertools import count

import pytest

from tests.support.real_mariadb import RealMariadb

NUMBERS = count()
# The server carries this function out where it opens a view that has it.
FUNCTION = """
DELIMITER //
CREATE FUNCTION leave_trace() RETURNS INT DETERMINISTIC NO SQL
 BEGIN SET GLOBAL max_connect_errors = 4242; RETURN 1; END//
DELIMITER ;
CREATE VIEW v AS SELECT SUBSTR('x', leave_trace()) AS a;
CREATE TABLE t (a INT);
CREATE SEQUENCE s;
"""


@pytest.fixture
def server(mariadb_servers: tuple[RealMariadb, RealMariadb]) -> RealMariadb:
    """Return a running server."""
    return mariadb_servers[0]


def make_view(server: RealMariadb) -> str:
    """Make a database with a view whose function leaves a trace, and none before that."""
    name = f"facts{next(NUMBERS)}"
    server.run(f"CREATE DATABASE {name};")
    server.run(FUNCTION, name)
    server.run("SET GLOBAL max_connect_errors = 100;")

    return name


def has_trace(server: RealMariadb) -> bool:
    """Return whether the server has carried out the function."""
    return server.run("SELECT @@GLOBAL.max_connect_errors;") != [["100"]]


@pytest.mark.parametrize(
    "statement",
    [
        "SHOW CREATE VIEW v",
        "SELECT * FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()",
        "PREPARE reading FROM 'SELECT 1 FROM v'",
    ],
)
def test_a_view_that_is_only_shown_carries_out_its_function(
    server: RealMariadb, statement: str
) -> None:
    name = make_view(server)

    server.run(f"{statement};", name)

    assert has_trace(server)


def test_an_index_hint_on_a_view_is_error_1176_and_opens_no_view(server: RealMariadb) -> None:
    name = make_view(server)

    for table in ("t", "s"):
        assert server.run(f"SELECT 1 FROM {table} USE INDEX () LIMIT 0;", name) == []
    with pytest.raises(AssertionError, match="ERROR 1176 "):
        server.run("SELECT 1 FROM v USE INDEX () LIMIT 0;", name)

    assert not has_trace(server)


def test_a_missing_column_is_error_1054_before_a_view_is_opened(server: RealMariadb) -> None:
    name = make_view(server)
    block = "BEGIN NOT ATOMIC SELECT no_column UNION ALL SELECT 1 FROM v; END"

    with pytest.raises(AssertionError, match="ERROR 1054 "):
        server.run(f'EXECUTE IMMEDIATE "{block}";', name)

    assert not has_trace(server)
