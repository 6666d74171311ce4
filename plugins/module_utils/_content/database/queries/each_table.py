# SPDX-License-Identifier: GPL-3.0-or-later
"""Does something with each table of a database, in SQL.

The statements for a table use these: ``current_table`` is its name, ``quoted_table`` the same as
SQL has it, ``table_kind`` its type. ``all_rows`` is there to count in. No variable is called like a
column of the server's lists, or it would stand for the column.

The lists are read for one table at a time, by the conditions ``{database}`` or ``{schema}``, and
``{table}``: for a whole database, the server would open its views too, and carry out functions
that they have (docs/host_tools.md#opened-views).
"""

from __future__ import annotations

from typing import NamedTuple

from .sql import make_exact_comparison, quote_variable

# The server says it of a key that an index hint names, and of every hint on a view
# (docs/host_tools.md#index-hints).
_KEY_MISSING = 1176
SHOW_TABLE = "SELECT JSON_ARRAY('table', current_table, table_kind);"
"""The statement that shows which table the next rows are about, as a ``TableRow``."""
BASE_TABLE = "TABLE_TYPE NOT IN ('VIEW', 'SYSTEM VIEW')"
"""The condition of what is no view."""
MERGE_TABLE = "ENGINE <=> 'MRG_MyISAM'"
"""The condition of a table that shows the rows of other tables, and has none of its own."""


class TableRow(NamedTuple):
    """Which table the next rows are about. kind: BASE TABLE, SEQUENCE or SYSTEM VERSIONED."""

    name: str
    kind: str


def visit_tables(name: str, body: str, last: str = "", is_holding: bool = False) -> str:
    """Return the block of statements that does something with each table of a database.

    Its customer may put a view in the place of a table meanwhile, and a view carries out functions
    with the rights of the one who reads it. So each table is opened in a way that no view can be,
    and keeps its name up to the savepoint's end, or the end of the transaction.
    MERGE tables are left out: their rows are those of others, and one that lost such a table cannot
    be opened (docs/host_tools.md#merge-tables).

    Args:
        name: The database.
        body: Statements for each table.
        last: Statements after all tables.
        is_holding: Whether all tables keep their names up to the end.
    """
    # For the table t`1 the block carries out: SELECT 1 FROM `t``1` USE INDEX () LIMIT 0
    database = make_exact_comparison("TABLE_SCHEMA", name)
    conditions = {
        "database": database,
        "schema": make_exact_comparison("CONSTRAINT_SCHEMA", name),
        "table": "TABLE_NAME = current_table AND HEX(TABLE_NAME) = HEX(current_table)",
    }

    begin = "  SAVEPOINT hosting_panel;\n"
    end = "  ROLLBACK TO SAVEPOINT hosting_panel;\n"
    if is_holding:
        begin = end = ""

    return f"""BEGIN NOT ATOMIC
 DECLARE current_table, quoted_table, table_kind TEXT CHARACTER SET utf8mb4;
 DECLARE all_rows BIGINT DEFAULT 0;
 DECLARE is_done INT DEFAULT 0;
 DECLARE names CURSOR FOR
  SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES
  WHERE {database} AND {BASE_TABLE} AND NOT {MERGE_TABLE} ORDER BY TABLE_NAME;
 DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_done = 1;
 OPEN names;
 visit: LOOP
  SET is_done = 0;
  FETCH names INTO current_table, table_kind;
  IF is_done THEN LEAVE visit; END IF;
  SET quoted_table = {quote_variable("current_table")};
{begin}  BEGIN
   DECLARE EXIT HANDLER FOR {_KEY_MISSING} SIGNAL SQLSTATE '45000'
    SET MESSAGE_TEXT = 'a table became a view while the database was read';
   EXECUTE IMMEDIATE CONCAT('SELECT 1 FROM ', quoted_table, ' USE INDEX () LIMIT 0');
  END;
{body.format(**conditions)}{end} END LOOP;
 CLOSE names;
{last} END"""
