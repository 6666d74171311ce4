# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the views, routines, triggers and events of a database."""

from __future__ import annotations

from typing import NamedTuple

from .sql import make_exact_comparison, quote_variable


class ProgramRow(NamedTuple):
    """Which program the next rows are about.

    kind: As the server names it, in upper case.
    table_or_status: Of a trigger its table, of an event its status.
    timing_or_past: Of a trigger when it runs; of an event PAST if its only time has passed.
    trigger_order: Of a trigger its place among those of the same time, in ten digits.
    """

    kind: str
    name: str
    table_or_status: str
    timing_or_past: str
    trigger_order: str


def list_programs_statements(name: str) -> list[str]:
    """Return the statements that show each program, in the bytes in which it was written."""
    # Of a trigger tr it shows ["program", "TRIGGER", "tr", "t", "BEFORE INSERT", "0000000001"] and
    # what SHOW CREATE says; of a view that does not work, ["defect", "..."] behind that.
    quoted_program = quote_variable("program_name")
    unopened_view = _show_unopened_view(name)
    views = f"""SELECT 'VIEW', TABLE_NAME, '', '', '' FROM information_schema.TABLES
   WHERE {make_exact_comparison("TABLE_SCHEMA", name)} AND TABLE_TYPE = 'VIEW'"""
    routines = f"""SELECT ROUTINE_TYPE, ROUTINE_NAME, '', '', '' FROM information_schema.ROUTINES
   WHERE {make_exact_comparison("ROUTINE_SCHEMA", name)}"""
    triggers = f"""SELECT 'TRIGGER', TRIGGER_NAME, EVENT_OBJECT_TABLE,
   CONCAT(ACTION_TIMING, ' ', EVENT_MANIPULATION), LPAD(ACTION_ORDER, 10, '0')
   FROM information_schema.TRIGGERS WHERE {make_exact_comparison("TRIGGER_SCHEMA", name)}"""
    events = f"""SELECT 'EVENT', EVENT_NAME, STATUS,
   IF(ON_COMPLETION = 'NOT PRESERVE'
    AND EXECUTE_AT < CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', TIME_ZONE), 'PAST', ''), ''
   FROM information_schema.EVENTS
   WHERE {make_exact_comparison("EVENT_SCHEMA", name)}"""

    return [
        f"""BEGIN NOT ATOMIC
 DECLARE program_kind, program_name, table_or_status, timing_or_past, trigger_order
  TEXT CHARACTER SET utf8mb4;
 DECLARE is_done INT DEFAULT 0;
 DECLARE programs CURSOR FOR
  {views} UNION ALL {routines} UNION ALL {triggers} UNION ALL {events} ORDER BY 1, 3, 4, 5, 2;
 DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_done = 1;
 OPEN programs;
 visit: LOOP
  SET is_done = 0;
  FETCH programs INTO program_kind, program_name, table_or_status, timing_or_past, trigger_order;
  IF is_done THEN LEAVE visit; END IF;
  SELECT JSON_ARRAY(
   'program', program_kind, program_name, table_or_status, timing_or_past, trigger_order);
  SET @hosting_panel_defect = JSON_VALUE(
   @hosting_panel_defects, CONCAT('$.v', HEX(program_name)));
  SET SESSION character_set_results = binary;
  IF @hosting_panel_defect IS NULL THEN
   EXECUTE IMMEDIATE CONCAT('SHOW CREATE ', program_kind, ' ', {quoted_program});
  ELSE
   SET @hosting_panel_name = program_name;
   {unopened_view};
  END IF;
  SET SESSION character_set_results = utf8mb4;
  IF @hosting_panel_defect <> '' THEN
   SELECT JSON_ARRAY('defect', @hosting_panel_defect);
  ELSEIF program_kind = 'VIEW' AND @hosting_panel_defect IS NULL THEN
   BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
     GET DIAGNOSTICS CONDITION 1 @hosting_panel_defect = MESSAGE_TEXT;
     SELECT JSON_ARRAY('defect', @hosting_panel_defect);
    END;
    SET @hosting_panel_view = CONCAT('SELECT 1 FROM ', {quoted_program}, ' LIMIT 0');
    PREPARE hosting_panel_view FROM @hosting_panel_view;
    DEALLOCATE PREPARE hosting_panel_view;
   END;
  END IF;
 END LOOP;
 CLOSE programs;
END"""
    ]


def _show_unopened_view(name: str) -> str:
    """Return the statements that show a view as SHOW CREATE VIEW does, but do not open it."""
    user = quote_variable("LEFT(DEFINER, CHAR_LENGTH(DEFINER) - CHAR_LENGTH(host) - 1)")

    return f"""SELECT CONCAT(
     'CREATE ALGORITHM=', ALGORITHM, ' DEFINER=', {user}, '@', {quote_variable("host")},
     ' SQL SECURITY ', SECURITY_TYPE, ' VIEW ', {quote_variable("TABLE_NAME")},
     ' AS ', VIEW_DEFINITION,
     IF(CHECK_OPTION = 'NONE', '', CONCAT(' WITH ', CHECK_OPTION, ' CHECK OPTION'))),
    CHARACTER_SET_CLIENT, COLLATION_CONNECTION
    INTO @hosting_panel_view, @hosting_panel_set, @hosting_panel_collation
    FROM (
     SELECT *, SUBSTRING_INDEX(DEFINER, '@', -1) AS host FROM (
      SELECT TABLE_NAME, ALGORITHM, DEFINER, SECURITY_TYPE, VIEW_DEFINITION, CHECK_OPTION,
       CHARACTER_SET_CLIENT, COLLATION_CONNECTION
      FROM information_schema.VIEWS
      WHERE {make_exact_comparison("TABLE_SCHEMA", name)}
       AND TABLE_NAME = program_name AND HEX(TABLE_NAME) = HEX(program_name)) AS listed) AS shown;
   EXECUTE IMMEDIATE CONCAT(
    'SELECT @hosting_panel_name, CONVERT(@hosting_panel_view USING ', @hosting_panel_set,
    '), @hosting_panel_set, @hosting_panel_collation')"""
