# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes names and texts as parts of SQL. Pure."""

from __future__ import annotations

SYSTEM_DATABASES = ("information_schema", "mysql", "performance_schema", "sys")
"""Databases of the server itself, which nobody copies."""
LONGEST_NAME = 64
"""Characters of a name of a database, table or program."""


def quote_name(name: str) -> str:
    """Return a name as SQL has it."""
    return "`" + name.replace("`", "``") + "`"


def quote_database_of_grant(name: str) -> str:
    """Return the name of one database as GRANT has it, which else takes ``_`` and ``%`` for any."""
    escaped = name
    for character in ("\\", "_", "%"):
        escaped = escaped.replace(character, "\\" + character)

    return quote_name(escaped)


def quote_text(text: str) -> str:
    """Return a text as SQL has it, in characters that mean nothing to any client."""
    return f"CONVERT(0x{convert_to_hexadecimal(text)} USING utf8mb4)" if text else "''"


def make_exact_comparison(column: str, text: str) -> str:
    """Return the condition that a column of information_schema is a text.

    Names are equal there in another case too. The first half lets the server look at one database
    only, the second tells the cases apart.
    """
    digits = convert_to_hexadecimal(text)

    return f"{column} = CONVERT(0x{digits} USING utf8mb3) AND HEX({column}) = '{digits}'"


def convert_to_hexadecimal(text: str) -> str:
    """Return the digits of a text's bytes, which are no part of SQL whatever the text holds."""
    return text.encode("utf-8", "surrogateescape").hex().upper()


def quote_variable(variable: str) -> str:
    """Return the expression that quotes the name in a variable."""
    return f"CONCAT('`', REPLACE({variable}, '`', '``'), '`')"


SYSTEM_LIST = ", ".join(f"'{database}'" for database in SYSTEM_DATABASES)
