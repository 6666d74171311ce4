# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands that show the rows of tables, and hold the tables meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .client import make_query
from .each_table import visit_tables
from .login import Login
from .session import ALL_ROWS, IS_DUMP_WHOLE
from .structure_query import ColumnRow

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
# Each text of these character sets is the same again after it was UTF-8.
_KEPT_SETS = ("utf8", "utf8mb3", "utf8mb4", "latin1")
# It shows ["table", "t"] of each table; ["held"] follows when all are held.
_HOLD_TABLE = """
  IF table_kind <> 'SEQUENCE' THEN
    SELECT JSON_ARRAY('table', current_table);
  END IF;
"""
# A dump holds what the server shows. That is a FLOAT with six digits, and a text as UTF-8, where
# two texts of another character set may be one. A wrong value of an ENUM is shown as an empty text,
# which may be a right one too (docs/host_tools.md#lost-values). Where a table would lose that, each of its rows becomes the list of
# values of an INSERT: numbers as they are, also those of an ENUM, all else as hexadecimal digits of
# its bytes. A FLOAT is shown as a DOUBLE, which has all its digits. An @ stands for the column.
#
# Of a table t with the columns id, ratio, which is a FLOAT, and name, a text in cp932, the server
# first makes, and carries out:
#   SELECT EXISTS (SELECT 1 FROM `t` WHERE `ratio` IS NOT NULL OR
#    HEX(CONVERT(CONVERT(`name` USING utf8mb4) USING cp932)) <> HEX(`name`))
#    INTO @hosting_panel_is_exact
# and if there is such a row, it shows ["exact", "t", "`id`,`ratio`,`name`"], and rows such as
# 1,0.10000000149011612,x'93FA' by:
#   SELECT CONCAT_WS(',', IFNULL(`id`, 'NULL'),IFNULL(CAST(`ratio` AS DOUBLE), 'NULL'),
#    IFNULL(CONCAT('x''', HEX(`name`), ''''), 'NULL')) FROM `t`
#
# ``could_change_in_dump`` has the same condition for a column as the first query. Where the server
# refuses large queries or shows only the first columns of a table, mariadb-dump has no way around
# that, and each table takes this one (docs/host_tools.md#refused-large-queries).
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
    OR CHARACTER_SET_NAME NOT IN ({kept_sets})
    OR (DATA_TYPE IN ('enum', 'set') AND LOCATE('''''', COLUMN_TYPE)));
  EXECUTE IMMEDIATE CONCAT(
    'SELECT EXISTS (SELECT 1 FROM ', quoted_table, ' WHERE ',
    IFNULL(@hosting_panel_condition, 'FALSE'), ') INTO @hosting_panel_is_exact');
  IF table_kind <> 'SEQUENCE'
    AND (@hosting_panel_is_exact OR NOT {is_dump_whole}) THEN
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
""".replace("{kept_sets}", ", ".join(f"'{name}'" for name in _KEPT_SETS)).replace(
    "{is_dump_whole}", IS_DUMP_WHOLE
)


class HeldRow(NamedTuple):
    """A table that is held."""

    name: str


class ExactRow(NamedTuple):
    """A table whose rows follow. columns: Those with values, in quotes, as INSERT has them."""

    table: str
    columns: str


def could_change_in_dump(column: ColumnRow) -> bool:
    """Return whether a dump could hold other values than a column has."""
    kind = column.type
    may_have_empty_member = kind.startswith(("enum(", "set(")) and "''" in kind
    is_kept_text = column.character_set is None or column.character_set in _KEPT_SETS

    return kind.startswith("float") or may_have_empty_member or not is_kept_text


def make_hold_command(name: str, login: Login) -> list[str]:
    """Return the command that shows the names of all tables, and holds these meanwhile.

    No view can be put in the place of one of them up to the end of its standard input, which also
    a run that is killed ends (docs/host_tools.md#names-of-tables). Nobody else would end it: the
    client takes no notice of a reader who is gone. The server learns within five seconds that the
    client is (docs/host_tools.md#readers-that-are-gone).
    """
    rows = "REPEAT SELECT JSON_ARRAY('held'); UNTIL SLEEP(5) END REPEAT;"
    query = make_query(login, [visit_tables(name, _HOLD_TABLE, last=rows, is_holding=True)], name)

    return ["sh", "-c", _UP_TO_END_OF_INPUT, "sh", *query]


def make_dump_command(name: str, login: Login, tables: Sequence[str] = ()) -> list[str]:
    """Return the command that writes the rows of tables as statements; without any, all rows.

    Only the tables that ``make_hold_command`` holds are dumped: mariadb-dump would open each view
    of a database, and the server carries out functions of a view there, as the administrator
    (docs/host_tools.md#opened-views).
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
        # mariadb-dump has no option for the setting sql_select_limit, which a LIMIT overrides
        # (docs/host_tools.md#first-rows-only).
        f"--where=1 LIMIT {ALL_ROWS}",
        "--",
        name,
        *tables,
    ]


def make_exact_rows_command(name: str, login: Login) -> list[str]:
    """Return the command that shows the rows of those tables that a dump would change."""
    return make_query(login, [visit_tables(name, _EXACT_ROWS_OF_TABLE)], name)
