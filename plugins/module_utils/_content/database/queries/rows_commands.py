# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands that show the rows of tables, and hold the tables meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from .client import ALL_ROWS, make_query
from .each_table import visit_tables
from .login import Login

LAST_LINE_OF_DUMP = b"-- Dump completed"
# Runs the command of its arguments until that ends, or its own standard input does.
_UP_TO_END_OF_INPUT = """exec 3<&0
"$@" < /dev/null 3<&- &
command=$!
{ cat <&3 > /dev/null; kill "$command"; } 2> /dev/null &
wait "$command"
code=$?
kill $! 2> /dev/null
exit "$code"
"""
_HOLD_TABLE = """
  IF table_kind <> 'SEQUENCE' THEN
    SELECT JSON_ARRAY('table', current_table);
  END IF;
"""
# A dump holds what the server shows. That is a FLOAT with six digits, and a text as UTF-8, where
# two texts of another character set may be one. A wrong value of an ENUM is shown as an empty text,
# which may be a right one too. Where a table would lose that, each of its rows becomes the list of
# values of an INSERT: numbers as they are, also those of an ENUM, all else as hexadecimal digits of
# its bytes. A FLOAT is shown as a DOUBLE, which has all its digits.
_EXACT_ROWS_OF_TABLE = """
  SELECT GROUP_CONCAT(
    REPLACE(
      IF(DATA_TYPE = 'float', '@ IS NOT NULL', CONCAT(
        IF(DATA_TYPE IN ('enum', 'set'), '@ = '''' OR ', ''),
        'HEX(CONVERT(CONVERT(@ USING utf8mb4) USING ', CHARACTER_SET_NAME, ')) <> HEX(@)')),
      '@', CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`'))
    SEPARATOR ' OR ')
  INTO @hosting_panel_condition
  FROM information_schema.COLUMNS
  WHERE {database} AND {table} AND IFNULL(GENERATION_EXPRESSION, '') = '' AND (
    DATA_TYPE = 'float'
    OR CHARACTER_SET_NAME NOT IN ('utf8', 'utf8mb3', 'utf8mb4', 'latin1')
    OR (DATA_TYPE IN ('enum', 'set') AND LOCATE('''''', COLUMN_TYPE)));
  EXECUTE IMMEDIATE CONCAT(
    'SELECT EXISTS (SELECT 1 FROM ', quoted_table, ' WHERE ',
    IFNULL(@hosting_panel_condition, 'FALSE'), ') INTO @hosting_panel_is_exact');
  IF @hosting_panel_is_exact THEN
    SELECT
      GROUP_CONCAT(CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`')
        ORDER BY ORDINAL_POSITION SEPARATOR ','),
      GROUP_CONCAT(
        CONCAT('IFNULL(', REPLACE(
          CASE
            WHEN DATA_TYPE = 'float' THEN 'CAST(@ AS DOUBLE)'
            WHEN DATA_TYPE IN ('bit', 'enum', 'set') THEN '@ + 0'
            WHEN DATA_TYPE IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal',
              'double', 'year') THEN '@'
            WHEN DATA_TYPE IN ('uuid', 'inet4', 'inet6')
              THEN 'CONCAT(''_latin1 x'''''', HEX(CAST(@ AS CHAR)), '''''''')'
            ELSE 'CONCAT(''x'''''', HEX(@), '''''''')'
          END, '@', CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`')), ', ''NULL'')')
        ORDER BY ORDINAL_POSITION SEPARATOR ',')
    INTO @hosting_panel_columns, @hosting_panel_values
    FROM information_schema.COLUMNS
    WHERE {database} AND {table} AND IFNULL(GENERATION_EXPRESSION, '') = '';
    SELECT JSON_ARRAY('exact', current_table, @hosting_panel_columns);
    EXECUTE IMMEDIATE CONCAT(
      'SELECT CONCAT_WS('','', ', @hosting_panel_values, ') FROM ', quoted_table);
  END IF;
"""


def make_hold_command(name: str, login: Login) -> list[str]:
    """Return the command that shows the names of all tables, and holds these meanwhile.

    No view can be put in the place of one of them up to the end of its standard input, which also
    a run that is killed ends. Nobody else would end it: the client takes no notice of a reader who
    is gone. The server learns within five seconds that the client is.
    """
    rows = "REPEAT SELECT JSON_ARRAY('held'); UNTIL SLEEP(5) END REPEAT;"
    query = make_query(login, [visit_tables(name, _HOLD_TABLE, last=rows, is_holding=True)], name)

    return ["sh", "-c", _UP_TO_END_OF_INPUT, "sh", *query]


def make_dump_command(name: str, login: Login, tables: Sequence[str] = ()) -> list[str]:
    """Return the command that writes the rows of tables as statements; without any, all rows.

    Only the tables that ``make_hold_command`` holds are dumped: mariadb-dump would open each view
    of a database, and the server carries out functions of a view there, as the administrator.
    Bytes are written as they are. As digits, rows of half the size that a server takes would be
    too large for it.
    """
    return [
        "mariadb-dump",
        *login.make_arguments(),
        "--default-character-set=utf8mb4",
        "--single-transaction",
        "--quick",
        "--no-create-info",
        # A table whose defaults use a sequence takes no row while only the table is locked.
        "--skip-add-locks",
        "--skip-triggers",
        "--skip-routines",
        "--skip-events",
        "--skip-dump-date",
        "--max-allowed-packet=1G",
        # mariadb-dump has no option for the setting sql_select_limit, which a LIMIT overrides.
        f"--where=1 LIMIT {ALL_ROWS}",
        "--",
        name,
        *tables,
    ]


def make_exact_rows_command(name: str, login: Login) -> list[str]:
    """Return the command that shows the rows of those tables that a dump would change."""
    return make_query(login, [visit_tables(name, _EXACT_ROWS_OF_TABLE)], name)
