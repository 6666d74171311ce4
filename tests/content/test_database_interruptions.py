"""What a copy of a database leaves that fails, is killed or meets a full disk, between two real servers of MariaDB."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools, kept_state
from ansible_collections.hosting.panel.plugins.module_utils._content.database import (
    copy,
    disk_watch,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.rows_commands import (
    make_dump_command,
    make_hold_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import SourceHost
from tests.support.database_pair import Pair, kill, start_task, wait_for
from tests.support.real_ssh import RealSsh, find_descendants


def test_a_dump_without_its_last_line_is_an_error_and_the_next_run_goes_on(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    replace_tool("mariadb-dump", '$real "$@" | head -n -1')

    error = pair.run_and_get_error()

    assert "last line" in error.problem
    assert pair.list_accounts() == []
    replace_tool("mariadb-dump", "")
    assert pair.sync()["differences"] == []


def test_a_dump_of_an_old_tool_that_has_no_line_for_the_sandbox_arrives(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    dump = subprocess.run(
        make_dump_command(pair.name, Login.read(pair.source.login, "source_login")),
        capture_output=True,
        check=True,
    )
    assert b"sandbox" in dump.stdout.partition(b"\n")[0]
    replace_tool("mariadb-dump", "$real \"$@\" | sed '1{/sandbox/d}'")

    assert pair.sync()["differences"] == []


def test_an_old_client_that_knows_no_sandbox_is_an_error_and_imports_nothing(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    refusal = "{ echo \"mariadb: unknown option '--sandbox'\" >&2; exit 7; }"
    client = tmp_path / "mariadb"
    client.write_text(
        f'#!/bin/sh\ncase " $* " in *" --sandbox "*) {refusal};; esac\nexec /usr/bin/mariadb "$@"\n',
        encoding="utf-8",
    )
    client.chmod(0o755)
    path = f"{tmp_path}:{host_tools._ENVIRONMENT['PATH']}"
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)

    error = pair.run_and_get_error()

    assert "unknown option '--sandbox'" in error.problem
    assert pair.list_accounts() == []
    assert pair.read_target("SHOW TABLES;") == []


def test_a_source_that_is_slow_loses_no_connection_of_the_target(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    replace_tool("mariadb-dump", 'sleep 3; exec $real "$@"')
    pair.target.run("SET GLOBAL wait_timeout = 1;")
    try:
        result = pair.sync()
    finally:
        pair.target.run("SET GLOBAL wait_timeout = DEFAULT;")

    assert (result["rows"], result["differences"]) == (2, [])


def test_a_dump_that_fails_is_an_error(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT);")
    replace_tool("mariadb-dump", '$real "$@"; echo "it is broken" >&2; exit 3')

    error = pair.run_and_get_error()

    assert "it is broken" in error.problem
    assert error.option == "source_login"


def test_a_copy_that_is_not_equal_to_a_source_that_stood_still_is_an_error(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    replace_tool("mariadb-dump", '$real "$@" | sed "s/^(1)/(2)/"')

    assert "table t is not equal" in pair.run_and_get_error().problem


def test_what_changes_on_the_source_during_the_copy_is_a_difference(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    write = shlex.join([*pair.source.make_client(), "-e", f"INSERT INTO {pair.name}.t VALUES (2)"])
    replace_tool("mariadb-dump", f'$real "$@"; /usr/bin/{write}')

    result = pair.sync()

    assert (result["changed"], result["rows"]) == (True, 1)
    assert result["differences"] == [
        {"kind": "table", "name": "t", "why": "its number of rows is 1 and not 2"}
    ]


def test_a_collation_that_changes_on_the_source_during_the_copy_is_a_difference(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("ALTER DATABASE COLLATE utf8mb4_bin; CREATE TABLE t (a INT);")
    change = f"ALTER DATABASE {pair.name} COLLATE utf8mb4_roman_ci"
    alter = shlex.join([*pair.source.make_client(), "-e", change])
    replace_tool("mariadb-dump", f'$real "$@"; /usr/bin/{alter}')

    assert [entry["kind"] for entry in pair.sync()["differences"]] == ["database"]


def test_nothing_holds_the_tables_of_the_source_after_a_copy_or_a_kill(
    pair: Pair, ssh_server: RealSsh
) -> None:
    pair.create("CREATE TABLE t (a INT);")
    pair.host = ssh_server.source
    rename = "SET lock_wait_timeout = 30; RENAME TABLE t TO c; RENAME TABLE c TO t;"
    held = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep';"
    pair.sync()
    pair.source.run(rename, pair.name)

    with hold_by_another_process(pair) as holder:
        wait_for(lambda: pair.source.run(held), holder)
        holder.kill()
    pair.source.run(rename, pair.name)

    assert pair.source.run(held) == []


@contextlib.contextmanager
def hold_by_another_process(pair: Pair) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the ssh that holds the tables of the source."""
    source = SourceHost.read(pair.host)
    assert source is not None
    command = make_hold_command(pair.name, Login.read(pair.source.login, "source_login"))
    with subprocess.Popen(
        source.make_command(command), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        yield process


def assert_next_run_goes_on(pair: Pair) -> None:
    """Run the task again, and check that nothing of a killed one is there."""
    assert pair.sync()["differences"] == []
    assert pair.list_accounts() == []
    assert pair.sync()["changed"] is False
    states = [path.name for path in (pair.folder / "state").iterdir()]
    assert [name for name in states if not name.endswith((".json", ".json.lock"))] == []


MANY_TABLES = "".join(f"CREATE TABLE t{number} (a INT PRIMARY KEY);" for number in range(150))


def test_a_run_that_is_killed_while_it_makes_tables_leaves_nothing(pair: Pair) -> None:
    pair.create(MANY_TABLES)
    process = start_task(pair)
    wait_for(lambda: len(pair.read_target("SHOW TABLES;")) > 3, process)
    kill(process)

    assert_next_run_goes_on(pair)


def read_arguments(process: subprocess.Popen[str]) -> bytes:
    """Return the arguments and environments of what a task has started."""
    texts: list[bytes] = []
    for child in find_descendants(process.pid):
        with contextlib.suppress(OSError):
            texts += [Path(f"/proc/{child}/{name}").read_bytes() for name in ("cmdline", "environ")]
    return b"".join(texts)


def test_a_run_that_is_killed_while_it_copies_rows_leaves_nothing(
    pair: Pair, replace_tool: Callable[[str, str], None]
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE TABLE u (a INT);")
    replace_tool("mariadb-dump", '$real "$@" | head -n 30; sleep 60 & wait')
    process = start_task(pair)
    wait_for(lambda: b"mariadb-dump" in read_arguments(process), process)
    wait_for(lambda: b"--defaults-file=/proc/self/fd/" in read_arguments(process), process)
    arguments = read_arguments(process)
    kill(process)

    assert pair.list_accounts() != []
    assert re.search(rb"[0-9a-f]{48}", arguments) is None
    replace_tool("mariadb-dump", "")
    assert_next_run_goes_on(pair)


def test_a_run_that_is_killed_while_it_makes_programs_leaves_nothing(pair: Pair) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);")
    pair.sync()
    pair.source.run(
        "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1;"
        "CREATE VIEW v AS SELECT a FROM t;",
        pair.name,
    )
    with subprocess.Popen(
        [*pair.target.make_client(), "--", pair.name], stdin=subprocess.PIPE, text=True
    ) as client:
        assert client.stdin is not None
        client.stdin.write("LOCK TABLES t READ; SELECT 1;\n")
        client.stdin.flush()
        process = start_task(pair)
        wait_for(lambda: pair.list_accounts()[1:], process)
        kill(process)

    assert_next_run_goes_on(pair)


def test_two_runs_do_not_work_on_one_database_at_once(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_state, "MOST_SECONDS", 0)
    pair.create(MANY_TABLES)
    process = start_task(pair)
    wait_for(pair.list_accounts, process)

    error = pair.run_and_get_error()

    assert process.stdout is not None
    assert process.stdout.read().startswith('{"changed": true')
    kill(process)
    assert "another run" in error.problem


def test_disk_of_the_server_is_named_where_a_copy_fails_and_it_is_full(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (id INT);", "CREATE TABLE foreign_table (id INT);")
    full_disk = SimpleNamespace(f_bavail=3, f_frsize=1024, f_files=9, f_favail=9)
    paths = []

    def show_full_disk(path: str) -> SimpleNamespace:
        paths.append(path)
        return full_disk

    monkeypatch.setattr(os, "statvfs", show_full_disk)
    error = pair.run_and_get_error()
    directory = f"{pair.target.folder}/data/"
    assert paths == [directory]
    assert error.advice == (
        f"The disk of {directory} has 3 KiB left: make room there, and run the task again."
    )


def set_room_on_disks(patched: pytest.MonkeyPatch, read_free: Callable[[], int]) -> None:
    """Let each disk have this room left, in MiB, and look at it often."""

    def show_disk(_path: str) -> SimpleNamespace:
        return SimpleNamespace(f_bavail=read_free(), f_frsize=2**20, f_files=0, f_favail=0)

    patched.setattr(disk_watch, "_PAUSE", 0.01)
    patched.setattr(os, "statvfs", show_disk)


def test_import_is_stopped_before_the_disk_of_the_server_is_full_and_leaves_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create(
        "CREATE TABLE a (a INT) ENGINE=MyISAM; CREATE SEQUENCE s;"
        " CREATE TABLE t (a INT, b VARCHAR(1000)) ENGINE=MyISAM;"
        " INSERT INTO t SELECT seq, REPEAT('x', 900) FROM seq_1_to_60000;"
    )
    table = Path(f"{pair.target.folder}/data/{pair.name}/t.frm")

    with monkeypatch.context() as patched:
        set_room_on_disks(patched, lambda: 30 if table.exists() else 4096)
        error = pair.run_and_get_error()
    assert error.compose() == (
        "the import was stopped before the disk of the database server was full. The tables of"
        f" {pair.name} were removed, and the next run copies them all. The disk of"
        f" {pair.target.folder}/data/ has 30720 KiB left: make room there, and run the task again."
    )
    assert pair.list_accounts() == []
    assert pair.read_target("SHOW TABLES;") == []
    assert pair.sync()["rows"] == 60001
    assert pair.sync()["changed"] is False


def test_stopped_import_removes_no_table_that_it_has_not_replaced(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2);")
    pair.sync()
    pair.source.run("CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1;", pair.name)
    free_megabytes = [4096]

    def fill_disk(*_arguments: object) -> None:
        free_megabytes[0] = 30
        for _pause in range(2_000):
            if not pair.list_accounts():
                return
            time.sleep(0.01)

    with monkeypatch.context() as patched:
        set_room_on_disks(patched, lambda: free_megabytes[0])
        patched.setattr(copy, "set_collation", fill_disk)
        error = pair.run_and_get_error()
    assert error.compose() == (
        "the import was stopped before the disk of the database server was full. What"
        f" {pair.name} holds was replaced in part, and the next run goes on. The disk of"
        f" {pair.target.folder}/data/ has 30720 KiB left: make room there, and run the task again."
    )
    assert pair.read_target("SELECT a FROM t ORDER BY a;") == [["1"], ["2"]]
    assert pair.sync()["changed"] is True


def test_nothing_is_replaced_where_nobody_can_keep_what_is_about_to_be(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.create("CREATE TABLE t (id INT);")
    pair.sync()
    pair.source.run("INSERT INTO t VALUES (1);", pair.name)

    def refuse(_path: str, _text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(kept_state, "_replace_file", refuse)
        error = pair.run_and_get_error()
    assert "cannot be written: No space left on device." in error.problem
    assert error.effect == "What was copied until then stays."
    assert pair.read_target("SHOW TABLES;") == [["t"]]
    assert pair.list_accounts() == []
    assert pair.sync()["rows"] == 1
