# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows all views of a server, and holds those of a database while they are read."""

from __future__ import annotations

from typing import NamedTuple

from .client import REFUSED_BY_QUERY, make_query
from .login import Login
from .sql import SYSTEM_LIST, make_exact_comparison, quote_variable

# The server says it of a column that no table has (docs/host_tools.md#missing-columns).
_COLUMN_MISSING = 1054
# The server says it of a view that takes a value from a sequence: to open it would change that
# (docs/host_tools.md#views-that-write).
_WRITES_WHERE_ONE_READS = 1792
# What has the rights of the one who reads a view with it.
_FUNCTIONS_OF_READERS = (
    "information_schema.ROUTINES"
    " WHERE SECURITY_TYPE = 'INVOKER' AND ROUTINE_TYPE IN ('FUNCTION', 'PACKAGE BODY')"
    f" AND ROUTINE_SCHEMA NOT IN ({SYSTEM_LIST})"
)


class Function(NamedTuple):
    """Names a function, or a package of them. kind: As the server names it."""

    kind: str
    database: str
    name: str


class View(NamedTuple):
    """Names a view, with its text as the server lists it."""

    database: str
    name: str
    text: str


def make_views_command(login: Login) -> list[str]:
    """Return the command that shows all views, and the functions with the rights of who uses them.

    It opens no view, and reads nothing but the lists of the server.
    """
    statements = [
        (
            "SELECT JSON_ARRAY('function', ROUTINE_TYPE, ROUTINE_SCHEMA, ROUTINE_NAME)"
            f" FROM {_FUNCTIONS_OF_READERS}"
        ),
        (
            "SELECT JSON_ARRAY('view', TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION)"
            f" FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN ({SYSTEM_LIST})"
        ),
    ]

    return make_query(login, statements)


def list_holding_statements(name: str) -> list[str]:
    """Return the statements that keep all views as they are, with what they use, up to the end.

    Where the server opens a view, it carries out functions of it. So it looks up what the view
    uses, and holds all of it, before a wrong column ends that. Only within a block does it not
    prepare the statement before, for which it would open the view. What is held is looked at once
    more, since the customer could change it until then. Which view cannot be held is not opened
    later, and has a defect, unless only this transaction cannot open it.
    """
    # Of the view v the block carries out:
    #   BEGIN NOT ATOMIC SELECT hosting_panel_column UNION ALL SELECT 1 FROM `v`; END
    # and keeps another error than the wrong column as {"v76": "..."}, by the digits of the name;
    # an empty text stands for a view without a defect that is not opened.
    return [
        "SET @hosting_panel_defects = '{}'",
        f"""BEGIN NOT ATOMIC
 DECLARE view_name TEXT CHARACTER SET utf8mb4;
 DECLARE is_done INT DEFAULT 0;
 DECLARE views CURSOR FOR
  SELECT TABLE_NAME FROM information_schema.TABLES
  WHERE {make_exact_comparison("TABLE_SCHEMA", name)} AND TABLE_TYPE = 'VIEW';
 DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_done = 1;
 OPEN views;
 visit: LOOP
  SET is_done = 0;
  FETCH views INTO view_name;
  IF is_done THEN LEAVE visit; END IF;
  BEGIN
   DECLARE EXIT HANDLER FOR {_COLUMN_MISSING} BEGIN END;
   DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    GET DIAGNOSTICS CONDITION 1
     @hosting_panel_defect = MESSAGE_TEXT, @hosting_panel_error = MYSQL_ERRNO;
    IF @hosting_panel_error = {_WRITES_WHERE_ONE_READS} THEN
     SET @hosting_panel_defect = '';
    END IF;
    SET @hosting_panel_defects = JSON_SET(
     @hosting_panel_defects, CONCAT('$.v', HEX(view_name)), @hosting_panel_defect);
   END;
   EXECUTE IMMEDIATE CONCAT(
    'BEGIN NOT ATOMIC SELECT hosting_panel_column UNION ALL SELECT 1 FROM ',
    {quote_variable("view_name")}, '; END');
  END;
 END LOOP;
 CLOSE views;
 IF EXISTS (SELECT 1 FROM {_FUNCTIONS_OF_READERS}) THEN
  IF EXISTS (
   WITH RECURSIVE reached AS (
    SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS
    WHERE {make_exact_comparison("TABLE_SCHEMA", name)}
    UNION SELECT used.TABLE_SCHEMA, used.TABLE_NAME, used.VIEW_DEFINITION
    FROM reached JOIN information_schema.VIEWS AS used ON LOCATE(
     CONCAT({quote_variable("used.TABLE_SCHEMA")}, '.', {quote_variable("used.TABLE_NAME")}),
     reached.VIEW_DEFINITION))
   SELECT 1 FROM reached
   JOIN (SELECT ROUTINE_TYPE, ROUTINE_SCHEMA, ROUTINE_NAME FROM {_FUNCTIONS_OF_READERS})
    AS functions ON LOCATE(
    CONCAT(
     IF(TABLE_SCHEMA = ROUTINE_SCHEMA, '', CONCAT({quote_variable("ROUTINE_SCHEMA")}, '.')),
     {quote_variable("ROUTINE_NAME")}, IF(ROUTINE_TYPE = 'FUNCTION', '(', '.`')),
    reached.VIEW_DEFINITION))
  THEN
   SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = {REFUSED_BY_QUERY},
    MESSAGE_TEXT = 'a view began to use a function with the rights of its reader';
  END IF;
 END IF;
END""",
    ]
