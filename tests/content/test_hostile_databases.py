"""That a hostile source of a database reaches nothing but its copy, between two real servers of MariaDB."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    read_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.importer import (
    hold_tables,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.rows_commands import (
    make_dump_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.source_commands import (
    list_source_commands,
    make_contents_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.rows import run_query
from ansible_collections.hosting.panel.plugins.module_utils._content.database.sides import (
    DatabaseSide,
    make_source_server,
)
from tests.support.database_pair import (
    FUNCTION_WITH_EFFECT,
    SAMPLE,
    VIEWS_WITH_FUNCTION,
    Pair,
    kill,
    start_task,
    wait_for,
)
from tests.support.real_mariadb import NUMBERS
from tests.support.real_ssh import RealSsh
from tests.support.representatives import make_parameters

WAITING = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%';"
HOSTILE_TABLES = {
    "other database": "CREATE TABLE `{neighbour}`.`t` (",
    "delimiter": "CREATE TABLE `u` (a INT) // DROP DATABASE {neighbour} // (",
    "two statements": "DROP DATABASE {neighbour}; CREATE TABLE `t` (",
}


@pytest.mark.parametrize("statement", make_parameters(HOSTILE_TABLES, ["delimiter"]))
def test_a_hostile_source_makes_no_table_elsewhere(
    pair: Pair, replace_tool: Callable[[str, str], None], tmp_path: Path, statement: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create("CREATE TABLE t (a INT);")
    pair.target.run(f"CREATE DATABASE {neighbour};")
    script = tmp_path / "script"
    script.write_text(
        f"s#CREATE TABLE `t` (#{statement.format(neighbour=neighbour)}#", encoding="utf-8"
    )
    replace_tool("mariadb", f'$real "$@" | sed -f {script}')

    error = pair.run_and_get_error()

    assert "table t" in error.problem
    assert error.effect == "Nothing was written."
    assert [neighbour] in pair.target.run("SHOW DATABASES;")
    assert pair.target.run(f"SHOW TABLES FROM {neighbour};") == []


def test_the_account_of_a_copy_reaches_no_database_that_its_name_matches_as_a_pattern(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    neighbour = pair.name.replace("_", "x")
    pair.target.run(f"CREATE DATABASE {neighbour}; CREATE TABLE {neighbour}.t (a INT);")
    replace_tool("mariadb-dump", f"echo 'INSERT INTO {neighbour}.t VALUES (1);'; exec $real \"$@\"")

    error = pair.run_and_get_error()

    assert "denied" in error.problem
    assert pair.target.run(f"SELECT COUNT(*) FROM {neighbour}.t;") == [["0"]]


HOSTILE_LINES = {
    "command of the client": "\\! touch {mark}",
    "command by its name": "system touch {mark}",
    "command in the middle of a line": "SELECT 1; \\! touch {mark}",
    "file of the client": "tee {mark}",
    "file of statements": "source {sql}",
    "other database": "USE {neighbour}; DROP TABLE t;",
    "table of another database": "DELETE FROM {neighbour}.t;",
    "drop of another database": "DROP DATABASE {neighbour};",
    "conditional comment": "/*!50003 DROP DATABASE {neighbour} */;",
    "conditional comment of this server": "/*M!100000 DROP TABLE {neighbour}.t */;",
    "other delimiter": "DELIMITER ;;\nDROP DATABASE {neighbour};;\nDELIMITER ;",
    "drop of the database itself": "DROP DATABASE {own};",
    "file of the server": "SELECT 1 INTO OUTFILE '{mark}';",
    "reading a file of the client": "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;",
    "reading a file of the server": "LOAD DATA INFILE '/etc/passwd' INTO TABLE t;",
    "account": "CREATE USER hacker@localhost;",
    "privilege": "GRANT ALL ON *.* TO owner@localhost;",
    "password": "SET PASSWORD FOR owner@localhost = PASSWORD('x');",
    "setting of the server": "SET GLOBAL max_connections = 1;",
    "prepared statement": "EXECUTE IMMEDIATE 'DROP DATABASE {neighbour}';",
    "program of the administrator": "CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1;",
    "program of the account": "CREATE VIEW w AS SELECT 1;",
    "event": "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM {neighbour}.t;",
    "plugin": "INSTALL SONAME 'ha_connect';",
}

# One that the client, the account, the server's files and the borders of a statement each stop.
HOSTILE_LINES_ON_PUSH = (
    "command of the client",
    "table of another database",
    "conditional comment of this server",
    "other delimiter",
    "file of the server",
    "privilege",
)


@pytest.mark.parametrize("line", make_parameters(HOSTILE_LINES, HOSTILE_LINES_ON_PUSH))
def test_a_hostile_dump_has_no_effect_outside_of_its_database(
    pair: Pair, replace_tool: Callable[[str, str], None], tmp_path: Path, line: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    pair.target.run(f"CREATE DATABASE {neighbour}; USE {neighbour}; CREATE TABLE t (a INT);")
    pair.target.run(f"INSERT INTO {neighbour}.t VALUES (1);")
    mark = tmp_path / "mark"
    statements = tmp_path / "statements.sql"
    statements.write_text(f"DROP DATABASE {neighbour};", encoding="utf-8")
    text = line.format(mark=mark, neighbour=neighbour, own=pair.name, sql=statements)
    injected = tmp_path / "injected"
    injected.write_text(text + "\n", encoding="utf-8")
    replace_tool("mariadb-dump", f'cat {injected}; exec $real "$@"')
    outside = (
        f"SELECT COUNT(*) FROM {neighbour}.t; SELECT SCHEMA_NAME FROM information_schema.SCHEMATA;"
        "SELECT User, Host, Priv FROM mysql.global_priv; SELECT @@max_connections;"
        "SELECT COUNT(*) FROM mysql.proc; SELECT COUNT(*) FROM mysql.event;"
        "SELECT COUNT(*) FROM mysql.plugin; SELECT * FROM mysql.tables_priv;"
        f"SELECT * FROM mysql.db WHERE Db <> '{pair.name}';"
    )
    before = pair.target.run(outside)

    error = pair.run_and_get_error()

    assert pair.target.run(outside) == before
    assert not mark.exists()
    assert "import failed" in error.problem
    assert "in part" in error.effect


HOSTILE_BODIES = {
    "end of a statement": "1; DROP DATABASE {neighbour};",
    "delimiter": "1 // DROP DATABASE {neighbour} //",
    "command of the client": "\n\\! touch {mark}\n",
    "delimiter of the client": "\nDELIMITER ;\nDROP DATABASE {neighbour};\n",
    "conditional comment": "*/ /*!50003 DROP DATABASE {neighbour} */ /*",
}


@pytest.mark.parametrize(
    "text", make_parameters(HOSTILE_BODIES, ["command of the client", "delimiter of the client"])
)
def test_a_hostile_text_in_names_comments_and_bodies_stays_a_text(
    pair: Pair, tmp_path: Path, text: str
) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.target.run(f"CREATE DATABASE {neighbour};")
    mark = tmp_path / "mark"
    hostile = text.format(mark=mark, neighbour=neighbour)
    name = hostile[:30].rstrip().replace("`", "``")
    literal = hostile.replace("\\", "\\\\")
    comment = hostile.replace("*/", "").replace("/*!", "")
    pair.create(
        f"CREATE TABLE `{name}` (a TEXT COMMENT '{literal}') COMMENT = '{literal}';"
        f"INSERT INTO `{name}` VALUES ('{literal}');\n"
        "DELIMITER @@@\n"
        f"CREATE PROCEDURE `{name}`() COMMENT '{literal}' BEGIN /* {comment} */ SELECT 1; END@@@\n"
        f"CREATE TRIGGER `{name}` BEFORE INSERT ON `{name}` FOR EACH ROW"
        f" SET NEW.a = '{literal}'@@@\n"
        f"CREATE EVENT `{name}` ON SCHEDULE EVERY 1 DAY COMMENT '{literal}' DO SET @a = '{literal}'@@@\n"
        f"CREATE VIEW `v{name}` AS SELECT '{literal}' AS a@@@\n"
    )

    result = pair.sync()

    assert (result["differences"], result["programs"]) == ([], 4)
    assert [neighbour] in pair.target.run("SHOW DATABASES;")
    assert not mark.exists()


def test_the_source_needs_no_command_but_the_fixed_ones(
    pair: Pair, tmp_path: Path, ssh_server: RealSsh
) -> None:
    pair.create(SAMPLE)
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    login = Login.read(pair.source.login, "source_login")
    cases: list[str] = []
    for number, command in enumerate(list_source_commands(pair.name, login)):
        (allowed / str(number)).write_text(shlex.join(command), encoding="utf-8")
        cases.append(
            f'[ "$SSH_ORIGINAL_COMMAND" = "$(cat {allowed / str(number)})" ]'
            f' && eval "exec $SSH_ORIGINAL_COMMAND"{"" if command[0] == "sh" else " < /dev/null"}'
        )
    (allowed / "dump").write_text(shlex.join(make_dump_command(pair.name, login)), encoding="utf-8")
    cases.append(
        f'[ "${{SSH_ORIGINAL_COMMAND#"$(cat {allowed / "dump"}) "}}" != "$SSH_ORIGINAL_COMMAND" ]'
        ' && eval "exec $SSH_ORIGINAL_COMMAND" < /dev/null'
    )
    script = tmp_path / "forced"
    script.write_text("#!/bin/sh\n" + "\n".join(cases) + "\nexit 77\n", encoding="utf-8")
    script.chmod(0o755)
    pair.host = ssh_server.source
    ssh_server.allow(f'restrict,command="{script}"')
    try:
        result = pair.sync()
        unchanged = pair.sync()
    finally:
        ssh_server.allow()

    assert (result["changed"], result["differences"]) == (True, [])
    assert unchanged["changed"] is False


# A function that leaves a trace with the rights of the one who calls it, and takes a constant's place:
# the server carries it out where it opens a view that has it.
FUNCTION_OF_READER = """
CREATE TABLE trace (who TEXT);
DELIMITER //
CREATE FUNCTION leave_trace() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER
 BEGIN INSERT INTO trace VALUES (CURRENT_USER()); RETURN 1; END//
DELIMITER ;
"""


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("itself", marks=pytest.mark.release),
        "by a view",
        "in another database",
    ],
)
@pytest.mark.parametrize("mode", ["copy", pytest.param("compare", marks=pytest.mark.release)])
def test_a_view_carries_nothing_out_as_the_administrator(pair: Pair, way: str, mode: str) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create(FUNCTION_OF_READER)
    pair.source.run(f"CREATE DATABASE {neighbour};")
    pair.source.run(VIEWS_WITH_FUNCTION[way].format(name=pair.name, neighbour=neighbour), pair.name)
    pair.source.run("DELETE FROM trace;", pair.name)

    error = pair.run_and_get_error(mode=mode)
    facts = read_database(pair.name, Login.read(pair.source.login, "login"))

    assert error.option == "source_name"
    assert "leave_trace" in error.problem
    assert facts.views > 0
    assert pair.source.run("SELECT * FROM trace;", pair.name) == []
    assert pair.read_target("SHOW TABLES;") == []


@pytest.mark.parametrize("way", VIEWS_WITH_FUNCTION)
def test_a_view_that_changes_after_it_was_looked_at_is_not_opened(pair: Pair, way: str) -> None:
    neighbour = f"other{next(NUMBERS)}"
    pair.create(FUNCTION_WITH_EFFECT)
    pair.source.run(f"CREATE DATABASE {neighbour};")
    pair.source.run(VIEWS_WITH_FUNCTION[way].format(name=pair.name, neighbour=neighbour), pair.name)
    # The server has carried it out for the one who made the view.
    pair.source.run("SET GLOBAL max_connect_errors = 100;")
    login = Login.read(pair.source.login, "source_login")

    with pytest.raises(ContentError, match="a view began to use a function"):
        run_query(make_source_server(None), make_contents_command(pair.name, login))

    assert pair.source.run("SELECT @@GLOBAL.max_connect_errors;") == [["100"]]


def test_views_stay_as_they_are_while_they_are_shown(pair: Pair) -> None:
    pair.create(
        "CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN 1;"
        "CREATE VIEW w AS SELECT SUBSTR('x', f()) AS a; CREATE VIEW v AS SELECT a FROM w;"
    )
    command = make_contents_command(pair.name, Login.read(pair.source.login, "source_login"))
    end = "SELECT JSON_ARRAY('end')"
    assert command[-1].endswith(end)
    command[-1] = command[-1].removesuffix(end) + "SELECT GET_LOCK('shown', 0), SLEEP(60)"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as reader:
        try:
            wait_for(lambda: pair.source.run("SELECT IS_USED_LOCK('shown');") != [["NULL"]], reader)
            for statement in (
                "CREATE OR REPLACE VIEW v AS SELECT 1 AS a",
                "CREATE OR REPLACE VIEW w AS SELECT 1 AS a",
                "ALTER FUNCTION f SQL SECURITY INVOKER",
            ):
                with pytest.raises(AssertionError, match="Lock wait timeout"):
                    pair.source.run(f"SET lock_wait_timeout = 0; {statement};", pair.name)
        finally:
            [[number]] = pair.source.run("SELECT IS_USED_LOCK('shown');")
            pair.source.run(f"KILL {number};")


def test_a_dump_opens_no_view(pair: Pair) -> None:
    pair.create(f"CREATE TABLE t (a INT); INSERT INTO t VALUES (7);{FUNCTION_WITH_EFFECT}")
    pair.source.run(VIEWS_WITH_FUNCTION["itself"], pair.name)
    pair.source.run("SET GLOBAL max_connect_errors = 100;")
    login = Login.read(pair.source.login, "source_login")

    dump = subprocess.run(
        make_dump_command(pair.name, login, ["t"]), capture_output=True, check=True
    )

    assert b"(7)" in dump.stdout
    assert pair.source.run("SELECT @@GLOBAL.max_connect_errors;") == [["100"]]


def test_tables_stay_tables_while_they_are_dumped(pair: Pair) -> None:
    pair.create("CREATE TABLE `a``b` (a INT); CREATE SEQUENCE s; CREATE VIEW v AS SELECT 1 AS a;")
    login = Login.read(pair.source.login, "source_login")

    with hold_tables(DatabaseSide(make_source_server(None), pair.name, login)) as tables:
        assert tables == ["a`b"]
        with pytest.raises(AssertionError, match="Lock wait timeout"):
            pair.source.run("SET lock_wait_timeout = 0; RENAME TABLE `a``b` TO c;", pair.name)
    pair.source.run("SET lock_wait_timeout = 30; RENAME TABLE `a``b` TO c;", pair.name)

    assert pair.source.run("SHOW TABLES LIKE 'c';", pair.name) == [["c"]]


def test_a_view_in_the_place_of_a_table_is_not_read(pair: Pair) -> None:
    pair.create("CREATE TABLE a (a INT); CREATE TABLE b (a INT);" + FUNCTION_OF_READER)
    with subprocess.Popen(
        [*pair.source.make_client(), "--unbuffered", pair.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdin is not None and client.stdout is not None
        client.stdin.write("LOCK TABLES a WRITE; SELECT 'locked';\n")
        client.stdin.flush()
        assert client.stdout.readline() == "locked\n"
        process = start_task(pair)
        # It knows the names of the tables when it waits for the first one.
        wait_for(lambda: pair.source.run(WAITING), process)
        pair.source.run(
            "RENAME TABLE b TO c; CREATE SQL SECURITY INVOKER VIEW b AS"
            " SELECT 1 AS a FROM DUAL WHERE leave_trace(); DELETE FROM trace;",
            pair.name,
        )
        client.stdin.write("UNLOCK TABLES;\n")
        client.stdin.flush()
        process.wait(60)
        assert process.stderr is not None
        errors = process.stderr.read()
        kill(process)

    assert "a table became a view" in errors
    assert pair.source.run("SELECT * FROM trace;", pair.name) == []
