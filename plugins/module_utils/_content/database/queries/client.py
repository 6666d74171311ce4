# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands of the client of MariaDB: for a query, and for statements that it reads."""

from __future__ import annotations

from .login import Login
from .sql import to_hexadecimal

REFUSED_BY_QUERY = 1644
"""The error of a query that is built here and refuses what a customer put into a database."""
UNKNOWN_DATABASE = 1049
"""The error of a server that does not have the database of a query."""
ALL_ROWS = 2**64 - 1
"""The largest number of rows that a server can be asked for."""
_CLIENT_SETTINGS = (
    "--batch",
    "--skip-column-names",
    "--skip-reconnect",
    "--default-character-set=utf8mb4",
)
# No statement that is built here has it, so the client splits the text nowhere else.
_DELIMITER = "//"
# The server shows names and statements as they were written, whatever its settings are.
_SESSION = (
    "SET SESSION sql_mode = ''",
    "SET SESSION sql_quote_show_create = 1",
    "SET SESSION group_concat_max_len = 16777216",
    "SET SESSION time_zone = '+00:00'",
    # A server may be set up to show only the first rows of each query
    # (docs/host_tools.md#first-rows-only).
    f"SET SESSION sql_select_limit = {ALL_ROWS}",
    # A table that is held has to be held until nobody reads it any more.
    "SET SESSION max_statement_time = 0",
    # What views of the customer carry out while the administrator reads them writes to no table.
    # Each query sees what is there when it begins, so a table may be emptied meanwhile.
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "START TRANSACTION READ ONLY",
)


def make_statements_command(login: Login, database: str = "") -> list[str]:
    """Return the command that carries out statements on this host, which it reads.

    No line of its input is a command of the client, and none reads or writes a file.
    """
    command = ["mariadb", *login.make_arguments(), *_CLIENT_SETTINGS]
    command += ["--sandbox", "--binary-mode", "--local-infile=0", "--max-allowed-packet=1G"]
    if database:
        command += ["--", database]

    return command


def make_query(login: Login, statements: list[str], database: str = "") -> list[str]:
    """Return the command that runs a query.

    Args:
        login: How the server is reached.
        statements: The query.
        database: Where the query runs. There the server writes no name of the database into
            statements that it shows. If there is no database of exactly this name, the query
            fails with the error ``UNKNOWN_DATABASE``.
    """
    checks = [_refuse_other_name(database)] if database else []
    text = _DELIMITER.join([*_SESSION, *checks, *statements, "SELECT JSON_ARRAY('end')"])
    database_option = [f"--database={database}"] if database else []

    return [
        "mariadb",
        *login.make_arguments(),
        *_CLIENT_SETTINGS,
        "--quick",
        "--unbuffered",
        "--max-allowed-packet=1G",
        *database_option,
        f"--delimiter={_DELIMITER}",
        f"--execute={text}",
    ]


def _refuse_other_name(database: str) -> str:
    """Return the statement that fails where the server has the database under another name.

    With ``lower_case_table_names=1``, a server takes a name in upper case too, and keeps it in
    lower case.
    """
    return f"""BEGIN NOT ATOMIC
 IF HEX(DATABASE()) <> '{to_hexadecimal(database)}' THEN
  SIGNAL SQLSTATE '42000'
   SET MYSQL_ERRNO = {UNKNOWN_DATABASE}, MESSAGE_TEXT = 'the server has another name for it';
 END IF;
END"""
