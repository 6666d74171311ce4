# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the tables of a database with the statements that make them, and their parts."""

from __future__ import annotations

from typing import NamedTuple

from .each_table import MERGE_TABLE, SHOW_TABLE, visit_tables
from .session import IS_DUMP_WHOLE
from .sql import make_exact_comparison

# What is done with each table, as ``each_table.py`` says. Of a table with one column it shows:
#   ["options", "t", "InnoDB", "utf8mb4_bin", "", ""]
#   ["column", "t", 1, "id", "int(11)", "NO", null, "", null, null, null, ""]
#   ["table", "t", "BASE TABLE"]
#   t   CREATE TABLE `t` ...
# The parts but for columns are only compared as they are, so no row of them has a type here.
_CREATION_OF_TABLE = (
    """
  SELECT JSON_ARRAY('options', TABLE_NAME, ENGINE, TABLE_COLLATION, TABLE_COMMENT, CREATE_OPTIONS)
  FROM information_schema.TABLES WHERE {database} AND {table};
  SELECT JSON_ARRAY('column', TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE,
    IS_NULLABLE, COLUMN_DEFAULT, EXTRA, CHARACTER_SET_NAME, COLLATION_NAME,
    GENERATION_EXPRESSION, COLUMN_COMMENT)
  FROM information_schema.COLUMNS WHERE {database} AND {table};
  SELECT JSON_ARRAY('index', TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME,
    NON_UNIQUE, SUB_PART, INDEX_TYPE, INDEX_COMMENT)
  FROM information_schema.STATISTICS WHERE {database} AND {table};
  SELECT JSON_ARRAY('reference', TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION,
    COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME)
  FROM information_schema.KEY_COLUMN_USAGE WHERE {database} AND {table};
  SELECT JSON_ARRAY('rule', TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE)
  FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE {schema} AND {table};
  SELECT JSON_ARRAY('check', TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE)
  FROM information_schema.CHECK_CONSTRAINTS WHERE {schema} AND {table};
  SELECT JSON_ARRAY('partition', TABLE_NAME, PARTITION_NAME, SUBPARTITION_NAME,
    PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION)
  FROM information_schema.PARTITIONS
  WHERE {database} AND {table} AND PARTITION_NAME IS NOT NULL;
  """
    + SHOW_TABLE
    + """
  IF table_kind = 'SEQUENCE' THEN
    EXECUTE IMMEDIATE CONCAT('SHOW CREATE SEQUENCE ', quoted_table);
    EXECUTE IMMEDIATE CONCAT(
      'SELECT JSON_ARRAY(''sequence'', next_not_cached_value, cycle_count) FROM ', quoted_table);
  ELSE
    EXECUTE IMMEDIATE CONCAT('SHOW CREATE TABLE ', quoted_table);
  END IF;
"""
)


class ServerRow(NamedTuple):
    """A server: its release, its ``lower_case_table_names``, and ``IS_DUMP_WHOLE``."""

    version: str
    case: int
    is_dump_whole: int


class DatabaseRow(NamedTuple):
    """What a database gives tables that say nothing else."""

    character_set: str
    collation: str


class MergeRow(NamedTuple):
    """A MERGE table, of which nothing else is shown."""

    name: str


class ColumnRow(NamedTuple):
    """A column of a table, as information_schema.COLUMNS has it."""

    table: str
    position: int
    name: str
    type: str
    is_nullable: str
    default: str | None
    extra: str
    character_set: str | None
    collation: str | None
    expression: str | None
    comment: str


class SequenceRow(NamedTuple):
    """The next number of a sequence, and how often it began again."""

    number: int
    rounds: int


def list_structure_statements(name: str) -> list[str]:
    """Return the statements of the structure: the server, the database, tables and their parts."""
    return [
        f"SELECT JSON_ARRAY('server', VERSION(), @@lower_case_table_names, {IS_DUMP_WHOLE} + 0)",
        (
            "SELECT JSON_ARRAY('database', DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME)"
            f" FROM information_schema.SCHEMATA WHERE {make_exact_comparison('SCHEMA_NAME', name)}"
        ),
        (
            "SELECT JSON_ARRAY('merge', TABLE_NAME) FROM information_schema.TABLES"
            f" WHERE {make_exact_comparison('TABLE_SCHEMA', name)} AND {MERGE_TABLE}"
        ),
        visit_tables(name, _CREATION_OF_TABLE),
    ]
