# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what a database holds."""

from __future__ import annotations

from .client import make_query
from .each_table import BASE_TABLE, visit_tables
from .login import Login
from .sql import make_exact_comparison

_FACTS_OF_TABLE = """
  SELECT JSON_ARRAY('size', IFNULL(DATA_LENGTH + INDEX_LENGTH, 0))
  FROM information_schema.TABLES WHERE {database} AND {table};
  EXECUTE IMMEDIATE CONCAT('SELECT COUNT(*) INTO @hosting_panel_rows FROM ', quoted_table);
  SET all_rows = all_rows + @hosting_panel_rows;
"""


def make_facts_command(name: str, login: Login) -> list[str]:
    """Return the command that counts what a database holds."""
    return make_query(login, _make_facts_statements(name), name)


def _make_facts_statements(name: str) -> list[str]:
    """Return the statements that count what a database holds."""
    database = make_exact_comparison("TABLE_SCHEMA", name)
    routines = make_exact_comparison("ROUTINE_SCHEMA", name)
    triggers = make_exact_comparison("TRIGGER_SCHEMA", name)
    events = make_exact_comparison("EVENT_SCHEMA", name)

    return [
        (
            "SELECT JSON_ARRAY('tables', COUNT(*)) FROM information_schema.TABLES"
            f" WHERE {database} AND {BASE_TABLE}"
        ),
        (
            "SELECT DISTINCT JSON_ARRAY('engine', ENGINE) FROM information_schema.TABLES"
            f" WHERE {database} AND {BASE_TABLE} AND ENGINE IS NOT NULL"
        ),
        (
            "SELECT JSON_ARRAY('views', COUNT(*)) FROM information_schema.TABLES"
            f" WHERE {database} AND TABLE_TYPE = 'VIEW'"
        ),
        f"SELECT JSON_ARRAY('routines', COUNT(*)) FROM information_schema.ROUTINES WHERE {routines}",
        f"SELECT JSON_ARRAY('triggers', COUNT(*)) FROM information_schema.TRIGGERS WHERE {triggers}",
        f"SELECT JSON_ARRAY('events', COUNT(*)) FROM information_schema.EVENTS WHERE {events}",
        f"""SELECT DISTINCT JSON_ARRAY('definer', DEFINER) FROM (
  SELECT DEFINER FROM information_schema.VIEWS WHERE {database}
  UNION SELECT DEFINER FROM information_schema.ROUTINES WHERE {routines}
  UNION SELECT DEFINER FROM information_schema.TRIGGERS WHERE {triggers}
  UNION SELECT DEFINER FROM information_schema.EVENTS WHERE {events}) AS definers""",
        visit_tables(name, _FACTS_OF_TABLE, last="SELECT JSON_ARRAY('rows', all_rows);"),
    ]
