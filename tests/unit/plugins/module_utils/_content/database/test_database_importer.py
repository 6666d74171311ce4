# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how rows and statements are handed on, and how two commands are joined."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database import importer
from ansible_collections.hosting.panel.plugins.module_utils._content.database.importer import (
    Insertions,
    hold_account,
    hold_tables,
    make_prepared,
    set_mode_after_head,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.piped_commands import (
    pipe_commands,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.sides import (
    DatabaseSide,
    make_source_server,
)

ROWS = b"1,NULL,-2.5e-7,x'',x'00FF',_latin1 x'3A'"


def split(text: bytes, size: int) -> Iterator[bytes]:
    """Yield a text in pieces of a size."""
    for begin in range(0, len(text), size):
        yield text[begin : begin + size]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_become_insertions_wherever_they_are_cut(size: int) -> None:
    text = (
        b'["exact", "t`", "`a`,`b```"]\n'
        + ROWS
        + b"\n"
        + ROWS
        + b'\n["exact", "u", "`a`"]\n["end"]\n'
    )

    insertions = Insertions()
    statements = b"".join(insertions.make(split(text, size)))

    values = b"(" + ROWS + b"),(" + ROWS + b")"
    assert statements == (b"INSERT INTO `t``` (`a`,`b```) VALUES " + values + b";\n")
    assert insertions.tables == ["t`", "u"]


@pytest.mark.parametrize(
    "row",
    [b"1); DROP TABLE t; --", b"'a'", b"x'0g'", b"NULL,", b"1 OR 1", b"sleep(1)", b"--1", b"1\\n"],
)
def test_a_row_that_is_none_is_refused(row: bytes) -> None:
    text = b'["exact", "t", "`a`"]\n' + row + b"\n"

    with pytest.raises(ContentError):
        list(Insertions().make(iter([text])))


@pytest.mark.parametrize("columns", ["a", "`a`) VALUES (1); --", "`a` , `b`", ""])
def test_columns_that_are_none_are_refused(columns: str) -> None:
    text = b'["exact", "t", "' + columns.encode() + b'"]\n1\n'

    with pytest.raises(ContentError):
        list(Insertions().make(iter([text])))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_mode_of_rows_follows_the_head_of_a_dump_wherever_it_is_cut(size: int) -> None:
    head = b"/*!40101 SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;"
    tables = b"\n\n--\n-- Dumping data for table `t`\n--\nINSERT INTO `t` VALUES (1);\n" * 2

    written = b"".join(set_mode_after_head(split(head + tables, size)))

    mode, _separator, following = written.removeprefix(head).partition(b";")
    assert mode.startswith(b"\nSET SESSION sql_mode = '") and b"ALLOW_INVALID_DATES" in mode
    assert following == tables


@pytest.mark.parametrize("text", [b"", b"-- nothing of a table", b"x" * 100_000])
def test_a_stream_without_a_table_stays_as_it_is(text: bytes) -> None:
    assert b"".join(set_mode_after_head(split(text, 1000))) == text


def test_a_prepared_statement_is_digits() -> None:
    assert make_prepared(b"DO 1 // ;") == "EXECUTE IMMEDIATE x'444f2031202f2f203b'"
    assert make_prepared(b"DO 1", is_tried=True) == "PREPARE tried FROM x'444f2031'"


def test_all_that_a_command_writes_reaches_the_other() -> None:
    program = "head -c 3000000 /dev/zero; echo end"

    piped = pipe_commands(
        ["sh", "-c", program], ["sh", "-c", "test $(wc -c) = 3000008"], _ends, preface=b"1234"
    )

    assert (piped.producer.code, piped.consumer.code, piped.is_complete) == (0, 0, True)


@pytest.mark.parametrize(
    ("producer", "is_whole"),
    [("echo begin; exit 3", True), ("echo begin", False)],
    ids=["failed", "not whole"],
)
def test_a_consumer_never_sees_the_end_of_a_stream_that_is_not_whole(
    producer: str, is_whole: bool
) -> None:
    piped = pipe_commands(["sh", "-c", producer], ["cat"], lambda _tail: is_whole)

    assert not piped.is_complete
    assert piped.consumer.code < 0


def test_a_producer_ends_when_its_consumer_fails() -> None:
    piped = pipe_commands(["yes"], ["sh", "-c", "echo cause >&2; exit 4"], _ends)

    assert (piped.consumer.code, piped.consumer.errors) == (4, b"cause\n")
    assert piped.producer.code < 0


def test_much_that_commands_complain_is_bounded() -> None:
    noise = "head -c 3000000 /dev/zero | tr '\\\\0' x >&2; echo end"

    piped = pipe_commands(["sh", "-c", noise], ["sh", "-c", "cat; " + noise], _ends)

    assert (piped.producer.code, piped.consumer.code) == (0, 0)
    assert len(piped.producer.errors) == len(piped.consumer.errors) == 64 * 1024


def test_a_tool_that_is_missing_is_named() -> None:
    assert shutil.which("no-such-tool") is None

    with pytest.raises(ContentError, match="no-such-tool"):
        pipe_commands(["echo"], ["no-such-tool"], _ends)


def _ends(tail: bytes) -> bool:
    return tail.endswith(b"end\n")


def test_failed_import_stays_the_error_when_the_account_cannot_be_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    removals: list[str] = []

    def remove_accounts(_login: Login, name: str) -> None:
        removals.append(name)
        if len(removals) > 1:
            raise ContentError("the database server of this host is gone.")

    monkeypatch.setattr(importer, "remove_accounts", remove_accounts)
    monkeypatch.setattr(importer, "run_as_administrator", lambda _login, _statements: None)

    with pytest.raises(ContentError) as raised, hold_account(Login(), "shop", "/run/mysqld.sock"):
        raise ContentError("the import failed: row 7 is too large.")

    assert removals == ["shop", "shop"]
    assert raised.value.problem == "the import failed: row 7 is too large."
    assert raised.value.advice == "The account of this run is left; the next run removes it."


HOLDS = """echo '["table", "t"]'; echo '["held"]'"""


def hold(monkeypatch: pytest.MonkeyPatch, script: str) -> AbstractContextManager[list[str]]:
    """Return what holds the tables of a database by a script, in the place of a client."""
    monkeypatch.setattr(importer, "make_hold_command", lambda *_arguments: ["sh", "-c", script])

    return hold_tables(DatabaseSide(make_source_server(None), "acme", Login()))


def test_tables_are_held_to_the_end_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with hold(monkeypatch, f"{HOLDS}; cat") as tables:
        assert tables == ["t"]


def test_tables_that_were_let_go_too_early_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ContentError), hold(monkeypatch, f"{HOLDS}; echo no >&2") as tables:
        assert tables == ["t"]
        time.sleep(0.5)


def test_tables_that_cannot_be_held_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ContentError), hold(monkeypatch, "echo no >&2; exit 1"):
        pytest.fail("nothing is held")


def test_an_error_of_the_dump_ends_the_hold_and_stays_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(KeyError), hold(monkeypatch, f"{HOLDS}; cat"):
        raise KeyError
