# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives each session on a server the same settings, whatever the server has for others. Pure."""

from __future__ import annotations

SQL_MODE = "ALLOW_INVALID_DATES,NO_DIR_IN_CREATE"
"""The mode in which tables and views are read and made.

It takes each date of a table. The server neither shows nor carries out in which directory outside
of its database a table lies: the source would decide where the server of the target writes
(docs/host_tools.md#directories-of-tables).
"""
ALL_ROWS = 2**64 - 1
"""The largest number of rows that a server can be asked for."""
_MOST_COLUMNS = 4096
IS_DUMP_WHOLE = f"(@@GLOBAL.sql_big_selects AND @@GLOBAL.sql_select_limit >= {_MOST_COLUMNS})"
"""Whether a server takes all queries of mariadb-dump, and shows it all columns of a table."""
_MODE_OF_ROWS = f"{SQL_MODE},NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION"
_SECONDS_OF_A_DAY = 24 * 60 * 60
# A server may ignore what its client says about characters.
_NAMES = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"
_SETTINGS = (
    f"sql_mode = '{SQL_MODE}'",
    "time_zone = '+00:00'",
    # Servers show names and statements in the same form.
    "sql_quote_show_create = 1",
    # Old servers name no collation that is the first of its character set, and a newer server has
    # another first one, if this setting does not say otherwise.
    "lc_messages = 'en_US' /*M!110200 , character_set_collations = '' */",
    # Values of columns that are computed depend on these.
    "lc_time_names = 'en_US'",
    "div_precision_increment = 4",
    "default_week_format = 0",
    "default_regex_flags = ''",
    # Nothing of an answer is cut off, and no query is refused because it is large
    # (docs/host_tools.md#first-rows-only).
    "group_concat_max_len = 16777216",
    f"sql_select_limit = {ALL_ROWS}",
    f"max_join_size = {ALL_ROWS}",
    "sql_big_selects = 1",
    # The search for views that use a function goes through all views, and what the server says of
    # a view that cannot be held is kept.
    "max_recursive_iterations = 4294967295",
    "max_error_count = 64",
    # A table that is held has to be held until nobody reads it any more, and one side waits for the
    # other one.
    "max_statement_time = 0",
    f"wait_timeout = {_SECONDS_OF_A_DAY}",
    f"net_read_timeout = {_SECONDS_OF_A_DAY}",
    f"net_write_timeout = {_SECONDS_OF_A_DAY}",
)
# A release before 10.8.4 has one way for the whole server.
_DEFAULTS_OF_TIMES = "/*M!100804 , explicit_defaults_for_timestamp = 1 */"
# Tables may come in any order, and with rows and options that were written under other settings.
# A table whose engine is missing is not made with another engine.
_SETTINGS_OF_ROWS = (
    f"sql_mode = '{_MODE_OF_ROWS}'",
    "foreign_key_checks = 0",
    "unique_checks = 0",
    f"check_constraint_checks = 0 {_DEFAULTS_OF_TIMES}",
)
# With old_passwords, the server takes only hashes of a kind that is no secret any more.
_SETTINGS_OF_WRITERS = ("autocommit = 1", "lock_wait_timeout = 60", "old_passwords = 0")

# What views of the customer carry out while the administrator reads them writes to no table.
# Each query sees what is there when it begins, so a table may be emptied meanwhile.
READING_SESSION = (
    _NAMES,
    f"SET SESSION {', '.join(_SETTINGS)}",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "START TRANSACTION READ ONLY",
)
"""The statements with which a session begins that only reads."""
ADMINISTRATOR_SESSION = (
    _NAMES,
    f"SET SESSION {', '.join([*_SETTINGS, *_SETTINGS_OF_WRITERS])}",
    "SET SESSION TRANSACTION READ WRITE",
)
"""The statements with which a session begins that prepares the target."""
IMPORT_SESSION = (
    *ADMINISTRATOR_SESSION,
    f"SET SESSION {', '.join(_SETTINGS_OF_ROWS)}",
)
"""The statements with which a session begins that writes what comes from the source."""
OPTIONS_OF_TABLES = "SET SESSION innodb_strict_mode = 0, innodb_compression_default = 0"
"""The statement for a session that makes tables: they get their own options, and no others."""
MODE_AFTER_HEAD = f"\nSET SESSION sql_mode = '{_MODE_OF_ROWS}';".encode()
"""The line that follows the head of a dump, which sets a mode of its own."""
