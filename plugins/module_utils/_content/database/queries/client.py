# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands of the client of MariaDB: for a query, and for statements that it reads."""

from __future__ import annotations

from .login import Login
from .session import READING_SESSION
from .sql import convert_to_hexadecimal

REFUSED_BY_QUERY = 1644
"""The error of a query that is built here and refuses what a customer put into a database."""
UNKNOWN_DATABASE = 1049
"""The error of a server that does not have the database of a query."""
_CLIENT_SETTINGS = (
    "--batch",
    "--skip-column-names",
    "--skip-reconnect",
    "--default-character-set=utf8mb4",
)
# No statement that is built here has it, so the client splits the text nowhere else.
_DELIMITER = "//"


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
    checks = [_make_name_check(database)] if database else []
    text = _DELIMITER.join([*READING_SESSION, *checks, *statements, "SELECT JSON_ARRAY('end')"])
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


def _make_name_check(database: str) -> str:
    """Return the statement that fails where the server has the database under another name.

    With ``lower_case_table_names=1``, a server takes a name in upper case too, and keeps it in
    lower case.
    """
    return f"""BEGIN NOT ATOMIC
 IF HEX(DATABASE()) <> '{convert_to_hexadecimal(database)}' THEN
  SIGNAL SQLSTATE '42000'
   SET MYSQL_ERRNO = {UNKNOWN_DATABASE}, MESSAGE_TEXT = 'the server has another name for it';
 END IF;
END"""
