# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the commands that read a database, and the one that carries out statements on this host.

Each that reads is a fixed list for a database and a login, so that a forced command on the source
can allow exactly these, and it reads no standard input. What depends on the tables of the database
is found out inside of SQL: the server itself makes the statements for each table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..content_errors import ContentError
from ..shown_text import show_name

LOGIN_OPTIONS: dict[str, Any] = {
    "socket": {"type": "path"},
    "defaults_file": {"type": "path"},
}
"""The members of the options ``login`` and ``source_login``, as argument_spec has them."""
SYSTEM_DATABASES = ("information_schema", "mysql", "performance_schema", "sys")
"""Databases of the server itself, which nobody copies."""
LONGEST_NAME = 64
"""Characters of a name of a database, table or program."""
ACCOUNT_PREFIX = "hosting_panel_"
"""How the names of temporary accounts begin."""
REFUSED_BY_QUERY = 1644
"""The error of a query that is built here and refuses what a customer put into a database."""
UNKNOWN_DATABASE = 1049
"""The error of a server that does not have the database of a query."""
ALL_ROWS = 2**64 - 1
"""The largest number of rows that a server can be asked for."""
LAST_LINE_OF_DUMP = b"-- Dump completed"
_CLIENT_SETTINGS = (
    "--batch",
    "--skip-column-names",
    "--skip-reconnect",
    "--default-character-set=utf8mb4",
)
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
# No statement that is built here has it, so the client splits the text nowhere else.
_DELIMITER = "//"
# The server shows names and statements as they were written, whatever its settings are.
_SESSION = (
    "SET SESSION sql_mode = ''",
    "SET SESSION sql_quote_show_create = 1",
    "SET SESSION group_concat_max_len = 16777216",
    "SET SESSION time_zone = '+00:00'",
    # A server may be set up to show only the first rows of each query.
    f"SET SESSION sql_select_limit = {ALL_ROWS}",
    # A table that is held has to be held until nobody reads it any more.
    "SET SESSION max_statement_time = 0",
    # What views of the customer carry out while the administrator reads them writes to no table.
    # Each query sees what is there when it begins, so a table may be emptied meanwhile.
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "START TRANSACTION READ ONLY",
)
# The server says it of a key that an index hint names, and of every hint on a view.
_KEY_MISSING = 1176
# The server says it of a column that no table has.
_COLUMN_MISSING = 1054


@dataclass(frozen=True)
class Login:
    """Says how the database server of a host is reached, as its administrator.

    socket: The path of its socket; empty for the one that the client has built in.
    defaults_file: A file of options of the client with what it needs to log in; empty for none.
    """

    socket: str = ""
    defaults_file: str = ""

    @classmethod
    def read(cls, options: Mapping[str, Any] | None, option: str) -> Login:
        """Return the login of the option ``login`` or ``source_login``.

        Raises:
            ContentError: A path is not absolute.
        """
        members: dict[str, str] = {}
        for name in LOGIN_OPTIONS:
            value = (options or {}).get(name) or ""
            if value and not value.startswith("/"):
                raise ContentError(f"{show_name(value)} is no absolute path.", f"{option}.{name}")
            members[name] = value

        return cls(**members)

    def make_arguments(self) -> list[str]:
        """Return the arguments of a client of MariaDB, which have to be its first ones."""
        arguments = ["--no-defaults"]
        if self.defaults_file:
            arguments = [f"--defaults-file={self.defaults_file}"]
        if self.socket:
            arguments.append(f"--socket={self.socket}")

        return arguments


def list_source_commands(name: str, login: Login) -> list[list[str]]:
    """Return every command that a copy or a comparison runs on the source of a database.

    But for ``make_dump_command``, behind which the names of tables stand.
    """
    return [
        make_views_command(login),
        make_contents_command(name, login),
        make_hold_command(name, login),
        make_exact_rows_command(name, login),
        make_digests_command(name, login),
        make_accounts_command(login),
    ]


def make_contents_command(name: str, login: Login) -> list[str]:
    """Return the command that shows a database whole, but for its rows.

    Its sections are the tables with the statements that make them, the number and checksum of
    their rows, and the programs. One command, since each needs a connection to the source.
    """
    statements = [
        *_structure_statements(name),
        _begin_section("checksums"),
        _visit_tables(name, _CHECKSUM_OF_TABLE),
        _begin_section("programs"),
        *_hold_views_statements(name),
        *_programs_statements(name),
    ]

    return _make_query(login, statements, name)


def make_hold_command(name: str, login: Login) -> list[str]:
    """Return the command that shows the names of all tables, and holds these meanwhile.

    No view can be put in the place of one of them up to the end of its standard input, which also
    a run that is killed ends. Nobody else would end it: the client takes no notice of a reader who
    is gone. The server learns within five seconds that the client is.
    """
    rows = "REPEAT SELECT JSON_ARRAY('held'); UNTIL SLEEP(5) END REPEAT;"
    query = _make_query(login, [_visit_tables(name, _HOLD_TABLE, last=rows, is_holding=True)], name)

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
    return _make_query(login, [_visit_tables(name, _EXACT_ROWS_OF_TABLE)], name)


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
            f" FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN ({_SYSTEM_LIST})"
        ),
    ]

    return _make_query(login, statements)


def make_digests_command(name: str, login: Login) -> list[str]:
    """Return the command that shows a digest of the rows of each table, by their values.

    CHECKSUM TABLE reads the bytes that a server keeps. For equal values these may be others: a
    server that was older once keeps its old form of times, and a setting leaves NULL in or out.
    """
    return _make_query(login, [_visit_tables(name, _DIGEST_OF_TABLE)], name)


def make_facts_command(name: str, login: Login) -> list[str]:
    """Return the command that counts what a database holds."""
    return _make_query(login, _facts_statements(name), name)


def make_databases_command(login: Login) -> list[str]:
    """Return the command that shows the names of all databases."""
    statement = (
        "SELECT JSON_ARRAY('database', SCHEMA_NAME) FROM information_schema.SCHEMATA"
        " ORDER BY SCHEMA_NAME"
    )

    return _make_query(login, [statement])


def make_server_command(name: str, user: str, login: Login) -> list[str]:
    """Return the command that shows the server's socket, a database and accounts of a user."""
    statements = [
        "SELECT JSON_ARRAY('socket', @@socket)",
        (
            "SELECT JSON_ARRAY('database') FROM information_schema.SCHEMATA"
            f" WHERE {equals_exactly('SCHEMA_NAME', name)}"
        ),
        (
            "SELECT JSON_ARRAY('account', Host) FROM mysql.user"
            f" WHERE HEX(User) = '{_to_hexadecimal(user)}' AND User <> '' AND is_role = 'N'"
        ),
    ]

    return _make_query(login, statements)


def make_accounts_command(login: Login) -> list[str]:
    """Return the command that shows the accounts that copies have made on a server."""
    statement = (
        "SELECT JSON_ARRAY('account', User, Host) FROM mysql.user"
        f" WHERE LEFT(User, {len(ACCOUNT_PREFIX)}) = '{ACCOUNT_PREFIX}'"
    )

    return _make_query(login, [statement])


def make_statements_command(login: Login, database: str = "") -> list[str]:
    """Return the command that carries out statements on this host, which it reads.

    No line of its input is a command of the client, and none reads or writes a file.
    """
    command = ["mariadb", *login.make_arguments(), *_CLIENT_SETTINGS]
    command += ["--sandbox", "--binary-mode", "--local-infile=0", "--max-allowed-packet=1G"]
    if database:
        command += ["--", database]

    return command


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
    return f"CONVERT(0x{_to_hexadecimal(text)} USING utf8mb4)" if text else "''"


def equals_exactly(column: str, text: str) -> str:
    """Return the condition that a column of information_schema is a text.

    Names are equal there in another case too. The first half lets the server look at one database
    only, the second tells the cases apart.
    """
    digits = _to_hexadecimal(text)

    return f"{column} = CONVERT(0x{digits} USING utf8mb3) AND HEX({column}) = '{digits}'"


def _to_hexadecimal(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").hex().upper()


def _make_query(login: Login, statements: list[str], database: str = "") -> list[str]:
    """Return the command that runs a query.

    Args:
        login: How the server is reached.
        statements: The query.
        database: Where the query runs. There the server writes no name of the database into
            statements that it shows. If there is no database of exactly this name, the query
            fails with the error ``UNKNOWN_DATABASE``.
    """
    checks = [_refuse_other_name(database)] if database else []
    text = _DELIMITER.join([*_SESSION, *checks, *statements, "SELECT JSON_ARRAY('end')"])
    database_option = [f"--database={database}"] if database else []

    return [
        "mariadb",
        *login.make_arguments(),
        *_CLIENT_SETTINGS,
        "--quick",
        "--unbuffered",
        "--max-allowed-packet=1G",
        *database_option,
        f"--delimiter={_DELIMITER}",
        f"--execute={text}",
    ]


def _refuse_other_name(database: str) -> str:
    """Return the statement that fails where the server has the database under another name.

    With ``lower_case_table_names=1``, a server takes a name in upper case too, and keeps it in
    lower case.
    """
    return f"""BEGIN NOT ATOMIC
 IF HEX(DATABASE()) <> '{_to_hexadecimal(database)}' THEN
  SIGNAL SQLSTATE '42000'
   SET MYSQL_ERRNO = {UNKNOWN_DATABASE}, MESSAGE_TEXT = 'the server has another name for it';
 END IF;
END"""


# What is done with each table, by the variables of ``_visit_tables``. No variable is called like a
# column of the server's lists, or it would stand for the column. The lists are read for one table
# at a time: for a whole database, the server would open its views too, and carry out functions
# that they have.
_CREATION_OF_TABLE = """
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
  SELECT JSON_ARRAY('table', current_table, table_kind);
  IF table_kind = 'SEQUENCE' THEN
    EXECUTE IMMEDIATE CONCAT('SHOW CREATE SEQUENCE ', quoted_table);
    EXECUTE IMMEDIATE CONCAT(
      'SELECT JSON_ARRAY(''sequence'', next_not_cached_value, cycle_count) FROM ', quoted_table);
  ELSE
    EXECUTE IMMEDIATE CONCAT('SHOW CREATE TABLE ', quoted_table);
  END IF;
"""
# CHECKSUM TABLE puts the texts of a row one behind the other: it does not see a text that moves from
# an empty column's neighbour into the empty column. The digest of rows does, and is as fast as
# counting them.
_CHECKSUM_OF_TABLE = """
  SELECT GROUP_CONCAT(
    CONCAT('IFNULL(CRC32(`', REPLACE(COLUMN_NAME, '`', '``'), '`), ''-'')')
    ORDER BY ORDINAL_POSITION SEPARATOR ',')
  INTO @hosting_panel_values
  FROM information_schema.COLUMNS
  WHERE {database} AND {table} AND IFNULL(GENERATION_EXPRESSION, '') = '';
  SELECT JSON_ARRAY('table', current_table, table_kind);
  EXECUTE IMMEDIATE CONCAT(
    'SELECT JSON_ARRAY(''rows'', COUNT(*), IFNULL(SUM(CRC32(CONCAT_WS('','', ',
    IFNULL(@hosting_panel_values, ''''''), '))), 0)) FROM ', quoted_table);
  EXECUTE IMMEDIATE CONCAT('CHECKSUM TABLE ', quoted_table, ' EXTENDED');
"""
_HOLD_TABLE = """
  IF table_kind <> 'SEQUENCE' THEN
    SELECT JSON_ARRAY('table', current_table);
  END IF;
"""
_FACTS_OF_TABLE = """
  SELECT JSON_ARRAY('size', IFNULL(DATA_LENGTH + INDEX_LENGTH, 0))
  FROM information_schema.TABLES WHERE {database} AND {table};
  EXECUTE IMMEDIATE CONCAT('SELECT COUNT(*) INTO @hosting_panel_rows FROM ', quoted_table);
  SET all_rows = all_rows + @hosting_panel_rows;
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
# The digest of a row is that of the digests of its values, and two sums of its parts stand for all
# rows in any order. It is NULL for a row that the server cannot show, and is not counted then.
_DIGEST_OF_TABLE = """
  SELECT
    GROUP_CONCAT(
      REPLACE(
        CONCAT('IF(@ IS NULL, ''-'', SHA2(', CASE
          WHEN DATA_TYPE = 'float' THEN 'CAST(@ AS DOUBLE)'
          WHEN DATA_TYPE IN ('bit', 'enum', 'set') THEN '@ + 0'
          WHEN DATA_TYPE IN ('uuid', 'inet4', 'inet6') THEN 'CAST(@ AS CHAR)'
          WHEN DATA_TYPE IN ('geometry', 'point', 'linestring', 'polygon', 'multipoint',
            'multilinestring', 'multipolygon', 'geometrycollection') THEN 'HEX(@)'
          ELSE '@'
        END, ', 256))'), '@', CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`'))
      ORDER BY ORDINAL_POSITION SEPARATOR ', '','', ')
  INTO @hosting_panel_values
  FROM information_schema.COLUMNS
  WHERE {database} AND {table};
  SELECT JSON_ARRAY('table', current_table, table_kind);
  EXECUTE IMMEDIATE CONCAT(
    'SELECT JSON_ARRAY(''digest'', COUNT(*), COUNT(row_digest),',
    ' IFNULL(SUM(CAST(CONV(LEFT(row_digest, 16), 16, 10) AS UNSIGNED)), 0),',
    ' IFNULL(SUM(CAST(CONV(MID(row_digest, 17, 16), 16, 10) AS UNSIGNED)), 0))',
    ' FROM (SELECT SHA2(CONCAT(', @hosting_panel_values, '), 256) AS row_digest',
    ' FROM ', quoted_table, ') AS hosting_panel_rows');
"""
_SYSTEM_LIST = ", ".join(f"'{database}'" for database in SYSTEM_DATABASES)
_BASE_TABLE = "TABLE_TYPE NOT IN ('VIEW', 'SYSTEM VIEW')"
# What has the rights of the one who reads a view with it.
_FUNCTIONS_OF_READERS = (
    "information_schema.ROUTINES"
    " WHERE SECURITY_TYPE = 'INVOKER' AND ROUTINE_TYPE IN ('FUNCTION', 'PACKAGE BODY')"
    f" AND ROUTINE_SCHEMA NOT IN ({_SYSTEM_LIST})"
)


def _quote_value(variable: str) -> str:
    """Return the expression that quotes the name in a variable."""
    return f"CONCAT('`', REPLACE({variable}, '`', '``'), '`')"


def _begin_section(section: str) -> str:
    return f"SELECT JSON_ARRAY('section', '{section}')"


def _visit_tables(name: str, body: str, last: str = "", is_holding: bool = False) -> str:
    """Return the block of statements that does something with each table of a database.

    Its customer may put a view in the place of a table meanwhile, and a view carries out functions
    with the rights of the one who reads it. So each table is opened in a way that no view can be,
    and keeps its name up to the savepoint's end, or the end of the transaction.

    Args:
        name: The database.
        body: Statements for each table.
        last: Statements after all tables.
        is_holding: Whether all tables keep their names up to the end.
    """
    database = equals_exactly("TABLE_SCHEMA", name)
    conditions = {
        "database": database,
        "schema": equals_exactly("CONSTRAINT_SCHEMA", name),
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
  WHERE {database} AND {_BASE_TABLE} ORDER BY TABLE_NAME;
 DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_done = 1;
 OPEN names;
 visit: LOOP
  SET is_done = 0;
  FETCH names INTO current_table, table_kind;
  IF is_done THEN LEAVE visit; END IF;
  SET quoted_table = {_quote_value("current_table")};
{begin}  BEGIN
   DECLARE EXIT HANDLER FOR {_KEY_MISSING} SIGNAL SQLSTATE '45000'
    SET MESSAGE_TEXT = 'a table became a view while the database was read';
   EXECUTE IMMEDIATE CONCAT('SELECT 1 FROM ', quoted_table, ' USE INDEX () LIMIT 0');
  END;
{body.format(**conditions)}{end} END LOOP;
 CLOSE names;
{last} END"""


def _structure_statements(name: str) -> list[str]:
    """Return the statements of the structure: the server, the database, its tables, their parts."""
    return [
        "SELECT JSON_ARRAY('server', VERSION(), @@lower_case_table_names)",
        (
            "SELECT JSON_ARRAY('database', DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME)"
            f" FROM information_schema.SCHEMATA WHERE {equals_exactly('SCHEMA_NAME', name)}"
        ),
        _visit_tables(name, _CREATION_OF_TABLE),
    ]


def _hold_views_statements(name: str) -> list[str]:
    """Return the statements that keep all views as they are, with what they use, up to the end.

    Where the server opens a view, it carries out functions of it. So it looks up what the view
    uses, and holds all of it, before a wrong column ends that. Only within a block does it not
    prepare the statement before, for which it would open the view. What is held is looked at once
    more, since the customer could change it until then. Which view cannot be held has a defect.
    """
    return [
        "SET @hosting_panel_defects = '{}'",
        f"""BEGIN NOT ATOMIC
 DECLARE view_name TEXT CHARACTER SET utf8mb4;
 DECLARE is_done INT DEFAULT 0;
 DECLARE views CURSOR FOR
  SELECT TABLE_NAME FROM information_schema.TABLES
  WHERE {equals_exactly("TABLE_SCHEMA", name)} AND TABLE_TYPE = 'VIEW';
 DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_done = 1;
 OPEN views;
 visit: LOOP
  SET is_done = 0;
  FETCH views INTO view_name;
  IF is_done THEN LEAVE visit; END IF;
  BEGIN
   DECLARE EXIT HANDLER FOR {_COLUMN_MISSING} BEGIN END;
   DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    GET DIAGNOSTICS CONDITION 1 @hosting_panel_defect = MESSAGE_TEXT;
    SET @hosting_panel_defects = JSON_SET(
     @hosting_panel_defects, CONCAT('$.v', HEX(view_name)), @hosting_panel_defect);
   END;
   EXECUTE IMMEDIATE CONCAT(
    'BEGIN NOT ATOMIC SELECT hosting_panel_column UNION ALL SELECT 1 FROM ',
    {_quote_value("view_name")}, '; END');
  END;
 END LOOP;
 CLOSE views;
 IF EXISTS (SELECT 1 FROM {_FUNCTIONS_OF_READERS}) THEN
  IF EXISTS (
   WITH RECURSIVE reached AS (
    SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS
    WHERE {equals_exactly("TABLE_SCHEMA", name)}
    UNION SELECT used.TABLE_SCHEMA, used.TABLE_NAME, used.VIEW_DEFINITION
    FROM reached JOIN information_schema.VIEWS AS used ON LOCATE(
     CONCAT({_quote_value("used.TABLE_SCHEMA")}, '.', {_quote_value("used.TABLE_NAME")}),
     reached.VIEW_DEFINITION))
   SELECT 1 FROM reached
   JOIN (SELECT ROUTINE_TYPE, ROUTINE_NAME FROM {_FUNCTIONS_OF_READERS}) AS functions ON LOCATE(
    CONCAT({_quote_value("ROUTINE_NAME")}, IF(ROUTINE_TYPE = 'FUNCTION', '(', '.`')),
    reached.VIEW_DEFINITION))
  THEN
   SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = {REFUSED_BY_QUERY},
    MESSAGE_TEXT = 'a view began to use a function with the rights of its reader';
  END IF;
 END IF;
END""",
    ]


def _show_unopened_view(name: str) -> str:
    """Return the statements that show a view as SHOW CREATE VIEW does, but do not open it."""
    user = _quote_value("LEFT(DEFINER, CHAR_LENGTH(DEFINER) - CHAR_LENGTH(host) - 1)")

    return f"""SELECT CONCAT(
     'CREATE ALGORITHM=', ALGORITHM, ' DEFINER=', {user}, '@', {_quote_value("host")},
     ' SQL SECURITY ', SECURITY_TYPE, ' VIEW ', {_quote_value("TABLE_NAME")},
     ' AS ', VIEW_DEFINITION,
     IF(CHECK_OPTION = 'NONE', '', CONCAT(' WITH ', CHECK_OPTION, ' CHECK OPTION'))),
    CHARACTER_SET_CLIENT, COLLATION_CONNECTION
    INTO @hosting_panel_view, @hosting_panel_set, @hosting_panel_collation
    FROM (
     SELECT *, SUBSTRING_INDEX(DEFINER, '@', -1) AS host FROM (
      SELECT TABLE_NAME, ALGORITHM, DEFINER, SECURITY_TYPE, VIEW_DEFINITION, CHECK_OPTION,
       CHARACTER_SET_CLIENT, COLLATION_CONNECTION
      FROM information_schema.VIEWS
      WHERE {equals_exactly("TABLE_SCHEMA", name)}
       AND TABLE_NAME = program_name AND HEX(TABLE_NAME) = HEX(program_name)) AS listed) AS shown;
   EXECUTE IMMEDIATE CONCAT(
    'SELECT @hosting_panel_name, CONVERT(@hosting_panel_view USING ', @hosting_panel_set,
    '), @hosting_panel_set, @hosting_panel_collation')"""


def _programs_statements(name: str) -> list[str]:
    """Return the statements that show each program, in the bytes in which it was written."""
    quoted_program = _quote_value("program_name")
    unopened_view = _show_unopened_view(name)
    views = f"""SELECT 'VIEW', TABLE_NAME, '', '', '' FROM information_schema.TABLES
   WHERE {equals_exactly("TABLE_SCHEMA", name)} AND TABLE_TYPE = 'VIEW'"""
    routines = f"""SELECT ROUTINE_TYPE, ROUTINE_NAME, '', '', '' FROM information_schema.ROUTINES
   WHERE {equals_exactly("ROUTINE_SCHEMA", name)}"""
    triggers = f"""SELECT 'TRIGGER', TRIGGER_NAME, EVENT_OBJECT_TABLE,
   CONCAT(ACTION_TIMING, ' ', EVENT_MANIPULATION), LPAD(ACTION_ORDER, 10, '0')
   FROM information_schema.TRIGGERS WHERE {equals_exactly("TRIGGER_SCHEMA", name)}"""
    events = f"""SELECT 'EVENT', EVENT_NAME, STATUS,
   IF(ON_COMPLETION = 'NOT PRESERVE'
    AND EXECUTE_AT < CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', TIME_ZONE), 'PAST', ''), ''
   FROM information_schema.EVENTS
   WHERE {equals_exactly("EVENT_SCHEMA", name)}"""

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
  IF program_kind = 'VIEW' AND @hosting_panel_defect IS NOT NULL THEN
   SELECT JSON_ARRAY('defect', @hosting_panel_defect);
  ELSEIF program_kind = 'VIEW' THEN
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


def _facts_statements(name: str) -> list[str]:
    """Return the statements that count what a database holds."""
    database = equals_exactly("TABLE_SCHEMA", name)
    routines = equals_exactly("ROUTINE_SCHEMA", name)
    triggers = equals_exactly("TRIGGER_SCHEMA", name)
    events = equals_exactly("EVENT_SCHEMA", name)

    return [
        (
            "SELECT JSON_ARRAY('tables', COUNT(*)) FROM information_schema.TABLES"
            f" WHERE {database} AND {_BASE_TABLE}"
        ),
        (
            "SELECT DISTINCT JSON_ARRAY('engine', ENGINE) FROM information_schema.TABLES"
            f" WHERE {database} AND {_BASE_TABLE} AND ENGINE IS NOT NULL"
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
        _visit_tables(name, _FACTS_OF_TABLE, last="SELECT JSON_ARRAY('rows', all_rows);"),
    ]
