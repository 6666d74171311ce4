# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what a server has beside the database of a copy: databases, accounts, its places."""

from __future__ import annotations

from typing import NamedTuple

from .client import make_query
from .login import Login
from .sql import convert_to_hexadecimal, make_exact_comparison

ACCOUNT_PREFIX = "hosting_panel_"
"""How the names of temporary accounts begin. Digits of the database and of the run follow."""


class AccountRow(NamedTuple):
    """An account that a copy has made."""

    user: str
    host: str


def make_databases_command(login: Login) -> list[str]:
    """Return the command that shows the names of all databases."""
    statement = (
        "SELECT JSON_ARRAY('database', SCHEMA_NAME) FROM information_schema.SCHEMATA"
        " ORDER BY SCHEMA_NAME"
    )

    return make_query(login, [statement])


def make_server_command(name: str, user: str, login: Login) -> list[str]:
    """Return the command that shows the server's socket and directory, a database and accounts.

    Args:
        name: The database.
        user: Of the accounts.
        login: Of the server.
    """
    statements = [
        "SELECT JSON_ARRAY('socket', @@socket)",
        "SELECT JSON_ARRAY('directory', @@datadir)",
        (
            "SELECT JSON_ARRAY('database') FROM information_schema.SCHEMATA"
            f" WHERE {make_exact_comparison('SCHEMA_NAME', name)}"
        ),
        (
            "SELECT JSON_ARRAY('account', Host) FROM mysql.user"
            f" WHERE HEX(User) = '{convert_to_hexadecimal(user)}' AND User <> '' AND is_role = 'N'"
        ),
    ]

    return make_query(login, statements)


def make_accounts_command(login: Login) -> list[str]:
    """Return the command that shows the accounts that copies have made on a server."""
    statement = (
        "SELECT JSON_ARRAY('account', User, Host) FROM mysql.user"
        f" WHERE LEFT(User, {len(ACCOUNT_PREFIX)}) = '{ACCOUNT_PREFIX}'"
    )

    return make_query(login, [statement])
