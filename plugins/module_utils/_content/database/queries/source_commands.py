# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the commands that read a database on its source.

Each is a fixed list for a database and a login, so that a forced command on the source can allow
exactly these, and it reads no standard input. What depends on the tables of the database is found
out inside of SQL: the server itself makes the statements for each table.
"""

from __future__ import annotations

from .checksums_query import CHECKSUM_OF_TABLE, make_digests_command
from .client import make_query
from .each_table import visit_tables
from .login import Login
from .programs_query import list_programs_statements
from .rows_commands import make_exact_rows_command, make_hold_command
from .server_query import make_accounts_command
from .structure_query import list_structure_statements
from .views_query import list_holding_statements, make_views_command


def list_source_commands(name: str, login: Login) -> list[list[str]]:
    """Return every command that a copy or a comparison runs on the source of a database.

    But for ``make_dump_command``, behind which the names of tables stand.
    """
    return [
        make_views_command(login),
        make_contents_command(name, login),
        make_hold_command(name, login),
        make_exact_rows_command(name, login),
        make_digests_command(name, login),
        make_accounts_command(login),
    ]


def make_contents_command(name: str, login: Login) -> list[str]:
    """Return the command that shows a database whole, but for its rows.

    Its sections are the tables with the statements that make them, the number and checksum of
    their rows, and the programs. One command, since each needs a connection to the source.
    """
    statements = [
        *list_structure_statements(name),
        _begin_section("checksums"),
        visit_tables(name, CHECKSUM_OF_TABLE),
        _begin_section("programs"),
        *list_holding_statements(name),
        *list_programs_statements(name),
    ]

    return make_query(login, statements, name)


def _begin_section(section: str) -> str:
    return f"SELECT JSON_ARRAY('section', '{section}')"
