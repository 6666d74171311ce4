# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes into a database of this host, as an account that exists for that alone.

The account has privileges in this one database, and none to read or write a file. Its client takes
no command but statements. What comes from the source is carried out by nobody else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..clean_up import clean_up_after
from ..content_errors import ContentError
from ..host_tools import Ended, Streams, run_command, start_command
from ..source_host import SourceHost, refuse_unstarted
from .piped_commands import Piped, pipe_commands
from .queries.client import make_statements_command
from .queries.login import Login
from .queries.rows_commands import (
    LAST_LINE_OF_DUMP,
    ExactRow,
    HeldRow,
    make_dump_command,
    make_exact_rows_command,
    make_hold_command,
)
from .queries.server_query import ACCOUNT_PREFIX, AccountRow, make_accounts_command
from .queries.session import (
    ADMINISTRATOR_SESSION,
    IMPORT_SESSION,
    MODE_AFTER_HEAD,
    OPTIONS_OF_TABLES,
)
from .queries.sql import quote_database_of_grant, quote_name, quote_text
from .rows import (
    make_failed_query_error,
    read_mark,
    read_marks,
    read_number,
    run_query,
    show_error,
    split_line,
)
from .sides import TARGET_SERVER, DatabaseServer, DatabaseSide

# What the account may do in its database at each stage. At no stage may it drop anything, and no
# stage before the last lets a dump make a program.
MAKES_TABLES = "SELECT, INSERT, CREATE, ALTER, INDEX, REFERENCES"
WRITES_ROWS = "SELECT, INSERT, ALTER"
MAKES_PROGRAMS = (
    "SELECT, INSERT, ALTER, EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE,"
    " TRIGGER, EVENT"
)
_ROWS_OF_A_STATEMENT = 512 * 1024
# A value as the source is asked to write it: nothing, a number or digits of bytes.
_VALUE = rb"(?:NULL|-?[0-9][0-9.eE+-]{0,400}|(?:_latin1 )?x'[0-9A-F]*')"
_VALUES = re.compile(_VALUE + rb"(?:," + _VALUE + rb")*")
_COLUMNS = re.compile(r"`(?:[^`]|``)*`(?:,`(?:[^`]|``)*`)*")
# The server closes a connection whose statement is too large, so the client may see that alone.
_ERRORS_OF_LARGE_ROWS = (1153, 2006, 2013)
# What of a dump comes first of a table. All before is the head, which is always the same.
_BEGIN_OF_TABLE = b"\n\n--\n-- Dumping data for table "
_LONGEST_HEAD = 64 * 1024
_SECONDS_TO_END = 60.0
_SECONDS_TO_RELEASE = 10.0
_LEFT_ACCOUNT = "The account of this run is left; the next run removes it."
# Of one argument, Linux takes 131,072 bytes.
_BYTES_OF_NAMES = 100_000


@dataclass(frozen=True)
class Failure:
    """Says which of several statements failed.

    index: Its place.
    reason: What the server said.
    """

    index: int
    reason: str


class Importer:
    """Carries out statements in one database, as the temporary account.

    user: The name of the account.
    """

    def __init__(self, user: str, name: str, descriptor: int) -> None:
        self.user = user
        self._name = name
        self._descriptor = descriptor

    def run(self, groups: Sequence[Sequence[str]], makes_tables: bool = False) -> Failure | None:
        """Carry out groups of statements until one fails, and return which group that was.

        Raises:
            ContentError: The client did not start, or the account cannot log in.
        """
        lines = [*IMPORT_SESSION]
        if makes_tables:
            lines.append(OPTIONS_OF_TABLES)
        for index, statements in enumerate(groups):
            lines.append(f"SELECT JSON_ARRAY('group', {index})")
            lines += statements
        ended = run_command(
            self._make_command(), _join_statements(lines), descriptors=[self._descriptor]
        )
        if ended.code == 0:
            return None

        reached = -1
        for line in ended.output.split(b"\n"):
            mark = read_mark(split_line(line))
            if mark is not None and mark[0] == "group":
                reached = int(mark[1])
        if reached < 0:
            raise ContentError(f"the import cannot begin: {show_error(ended)}", "login")

        return Failure(reached, show_error(ended))

    def import_dump(self, source: DatabaseSide, written: Collection[str]) -> None:
        """Write the rows of the tables of a database of the source, as a dump has them.

        Args:
            source: The database.
            written: The names of tables that have their rows already.

        Raises:
            ContentError: The dump or the import failed, or the dump has no end.
        """
        preface = _join_statements(IMPORT_SESSION)
        with hold_tables(source) as tables:
            missing = [table for table in tables if table not in written]
            for some_tables in _split_names(missing):
                command = make_dump_command(source.name, source.login, some_tables)
                piped = pipe_commands(
                    _make_command_on_host(source.server.host, command),
                    self._make_command(),
                    _is_whole_dump,
                    transform=set_mode_after_head,
                    preface=preface,
                    descriptors=[self._descriptor],
                )
                _check_pipe(source.server, command, piped)

    def import_exact_rows(self, source: DatabaseSide) -> list[str]:
        """Write the rows of those tables that a dump would change, and return their names.

        Raises:
            ContentError: The source or the import failed, or the rows have no end.
        """
        command = make_exact_rows_command(source.name, source.login)
        insertions = Insertions()
        piped = pipe_commands(
            _make_command_on_host(source.server.host, command),
            self._make_command(),
            _is_whole_query,
            transform=insertions.make,
            preface=_join_statements(IMPORT_SESSION),
            descriptors=[self._descriptor],
        )
        _check_pipe(source.server, command, piped)

        return insertions.tables

    def _make_command(self) -> list[str]:
        login = Login(defaults_file=f"/proc/self/fd/{self._descriptor}")

        return make_statements_command(login, self._name)


@contextlib.contextmanager
def hold_tables(source: DatabaseSide) -> Iterator[list[str]]:
    """Yield the names of the tables of a database of the source, which stay tables meanwhile.

    Raises:
        ContentError: The server cannot be read.
    """
    command = make_hold_command(source.name, source.login)
    with tempfile.TemporaryFile() as errors:
        streams = Streams(subprocess.PIPE, stderr=errors)
        with start_command(_make_command_on_host(source.server.host, command), streams) as process:
            try:
                tables = _read_held(process)
                if tables is not None:
                    yield tables
                has_held_to_end = tables is not None and process.poll() is None
            finally:
                _release_tables(process)
        if has_held_to_end:
            return

        errors.seek(0)
        ended = Ended(process.returncode, b"", errors.read())
    _check_started(source.server, ["mariadb"], ended)
    raise make_failed_query_error(ended, source.server)


def _release_tables(process: subprocess.Popen[bytes]) -> None:
    """End the command that holds tables, by force if it does not end."""
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_RELEASE)
    process.kill()


def _read_held(process: subprocess.Popen[bytes]) -> list[str] | None:
    """Return the names of tables that a command holds; None where it ended before."""
    tables: list[str] = []
    if process.stdout is None:
        return None
    for line in process.stdout:
        mark = read_mark(split_line(line.rstrip(b"\n"))) or [""]
        if mark[0] == "held":
            return tables
        if mark[0] == "table":
            tables.append(str(HeldRow(*mark[1:]).name))
    process.wait()

    return None


def _split_names(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names in parts of which each has room in a command for the source."""
    part: list[str] = []
    length = 0
    for name in names:
        # In a line for a shell, a character is four bytes or five at most.
        length += 5 * len(name) + 3
        if part and length > _BYTES_OF_NAMES:
            yield part
            part, length = [], 5 * len(name) + 3
        part.append(name)
    if part:
        yield part


@contextlib.contextmanager
def hold_account(login: Login, name: str, socket: str) -> Iterator[Importer]:
    """Yield an importer whose account is removed at the end.

    Accounts that killed runs left are removed before. The password exists in the memory of this
    process and its clients only; the server gets its hash.

    Args:
        login: The administrator's.
        name: The database.
        socket: Of the server.

    Raises:
        ContentError: The server refuses, or a client of a killed run does not end.
    """
    remove_accounts(login, name)
    user = f"{_make_account_prefix(name)}{secrets.token_hex(4)}"
    password = secrets.token_hex(24)
    with (
        clean_up_after(lambda: remove_accounts(login, name), _LEFT_ACCOUNT),
        _write_login(user, password, socket) as descriptor,
    ):
        creation = f"CREATE USER {_quote_account(user)} IDENTIFIED BY PASSWORD"
        run_as_administrator(login, [f"{creation} '{_hash_password(password)}'"])
        yield Importer(user, name, descriptor)


@contextlib.contextmanager
def _write_login(user: str, password: str, socket: str) -> Iterator[int]:
    """Yield the descriptor of a file in memory with the options with which a client logs in."""
    descriptor = os.memfd_create("login", os.MFD_CLOEXEC)
    try:
        # A client reads no options from a file that others may write.
        os.fchmod(descriptor, 0o600)
        os.write(
            descriptor,
            f'[client]\nuser="{user}"\npassword="{password}"\nsocket="{socket}"\n'.encode(),
        )
        yield descriptor
    finally:
        os.close(descriptor)


def allow_stage(login: Login, name: str, user: str, privileges: str) -> None:
    """Let the account do what a stage needs, and nothing that it did before.

    Only programs may be made for another account than itself.

    Raises:
        ContentError: The server refuses.
    """
    account = _quote_account(user)
    database = quote_database_of_grant(name)
    statements = [
        f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {account}",
        f"GRANT {privileges} ON {database}.* TO {account}",
    ]
    if privileges == MAKES_PROGRAMS:
        statements.append(f"GRANT SET USER ON *.* TO {account}")
    run_as_administrator(login, statements)


def remove_accounts(login: Login, name: str) -> None:
    """Remove the temporary accounts of a database, and end what their clients still do.

    Raises:
        ContentError: The server refuses, or a client does not end.
    """
    users = _list_accounts(login, name)
    if not users:
        return

    statements: list[str] = []
    for user in users:
        statements.append(f"DROP USER IF EXISTS {_quote_account(user)}")
        statements.append(f"KILL USER {_quote_account(user)}")
    run_as_administrator(login, statements)

    end = time.monotonic() + _SECONDS_TO_END
    while _has_connections(login, users):
        if time.monotonic() > end:
            raise ContentError(
                f"a connection of a run that ended still works on {name}.",
                advice="Run the task again later.",
            )
        time.sleep(0.2)


def run_as_administrator(login: Login, statements: Sequence[str]) -> Ended:
    """Carry out statements of this collection, with nothing of the source but names.

    Raises:
        ContentError: The server refuses.
    """
    ended = run_command(
        make_statements_command(login),
        _join_statements([*ADMINISTRATOR_SESSION, *statements]),
    )
    if ended.code != 0:
        raise make_failed_query_error(ended, TARGET_SERVER)

    return ended


class Insertions:
    """Makes the statements that write the rows which ``make_exact_rows_command`` shows.

    tables: The names of the tables of the statements that were made.
    """

    def __init__(self) -> None:
        self.tables: list[str] = []

    def make(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the statements.

        Raises:
            ContentError: A row is none.
        """
        insertion = _Insertion(b"")
        for line in _split_lines(chunks):
            mark = read_mark(split_line(line))
            if mark is None:
                if insertion.is_full:
                    yield from insertion.take_statement()
                insertion.add(line)
                continue

            yield from insertion.take_statement()
            insertion = _Insertion(b"")
            if mark[0] == "exact":
                head = ExactRow(*mark[1:])
                self.tables.append(str(head.table))
                insertion = _Insertion(_make_insertion_head(str(head.table), str(head.columns)))


class _Insertion:
    """Collects the rows that one statement writes into a table."""

    def __init__(self, begin: bytes) -> None:
        """Begin without a row. begin: The statement up to its first row; empty for no table."""
        self._begin = begin
        self._rows: list[bytes] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Return whether a statement should have no further row."""
        return self._size > _ROWS_OF_A_STATEMENT

    def add(self, line: bytes) -> None:
        """Add a row.

        Raises:
            ContentError: It is none.
        """
        if not self._begin or not _VALUES.fullmatch(line):
            raise ContentError("the source shows a row that is none.", "source_name")
        self._rows.append(b"(" + line + b")")
        self._size += len(line)

    def take_statement(self) -> Iterator[bytes]:
        """Yield the statement, if there is a row, and begin anew."""
        if self._rows:
            yield self._begin + b",".join(self._rows) + b";\n"
        self._rows = []
        self._size = 0


def set_mode_after_head(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a dump with the mode in which each date of a table is taken as it is.

    The head of a dump sets another one, in which the server makes 0000-00-00 of a date that no
    month has (docs/host_tools.md#dates-of-no-month).
    """
    head = b""
    for chunk in chunks:
        head += chunk
        begin = head.find(_BEGIN_OF_TABLE)
        if begin >= 0:
            yield b"".join([head[:begin], MODE_AFTER_HEAD, head[begin:]])
            yield from chunks
            return
        if len(head) > _LONGEST_HEAD:
            break

    yield head
    yield from chunks


def _make_insertion_head(table: str, columns: str) -> bytes:
    if not _COLUMNS.fullmatch(columns):
        raise ContentError("the source shows columns that are none.", "source_name")

    text = f"INSERT INTO {quote_name(table)} ({columns}) VALUES "

    return text.encode("utf-8", "surrogateescape")


def _split_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield whole lines, without those that are empty."""
    begun: list[bytes] = []
    for chunk in chunks:
        lines = chunk.split(b"\n")
        begun.append(lines[0])
        if len(lines) == 1:
            continue
        yield b"".join(begun)
        yield from lines[1:-1]
        begun = [lines[-1]]

    last_line = b"".join(begun)
    if last_line:
        yield last_line


def _is_whole_dump(tail: bytes) -> bool:
    return tail.rstrip(b"\n").endswith(b"\n" + LAST_LINE_OF_DUMP)


def _is_whole_query(tail: bytes) -> bool:
    return tail.endswith(b'["end"]\n')


def _make_command_on_host(host: SourceHost | None, command: list[str]) -> list[str]:
    return command if host is None else host.make_command(command)


def _check_started(server: DatabaseServer, command: Sequence[str], ended: Ended) -> None:
    """Raise the error for a command that did not start on another host.

    Raises:
        ContentError: The host cannot be reached, or the tool is not there.
    """
    if server.host is not None:
        refuse_unstarted(server.host, command, ended)


def _check_pipe(server: DatabaseServer, command: Sequence[str], piped: Piped) -> None:
    """Raise the error for a dump or an import that failed.

    Raises:
        ContentError: One of both failed, or the dump has no end.
    """
    if piped.consumer.code > 0:
        advice = ""
        if read_number(piped.consumer) in _ERRORS_OF_LARGE_ROWS:
            advice = "If the server of this host runs, a row is larger than its max_allowed_packet."
        raise ContentError(f"the import failed: {show_error(piped.consumer)}.", advice=advice)
    _check_started(server, command, piped.producer)
    if piped.producer.code != 0:
        raise make_failed_query_error(piped.producer, server)
    if not piped.is_complete:
        raise ContentError(f"the dump of {command[0]} has no last line: it is not whole.")
    if piped.consumer.code != 0:
        raise ContentError(f"the import was ended by signal {-piped.consumer.code}.")


def _join_statements(statements: Iterable[str]) -> bytes:
    text = "".join(f"{statement};\n" for statement in statements)

    return text.encode("utf-8", "surrogateescape")


def make_prepared(statement: bytes, is_tried: bool = False) -> str:
    """Return the statement that lets the server alone read another one and carry it out.

    No client looks for the end of the other one. So nothing in it ends it before its end.

    Args:
        statement: One statement, in the character set of the session.
        is_tried: Read it only.
    """
    if is_tried:
        return f"PREPARE tried FROM x'{statement.hex()}'"

    return f"EXECUTE IMMEDIATE x'{statement.hex()}'"


def _list_accounts(login: Login, name: str) -> list[str]:
    rows = run_query(TARGET_SERVER, make_accounts_command(login))
    users = [str(AccountRow(*values).user) for _mark, *values in read_marks(rows)]

    return [user for user in users if user.startswith(_make_account_prefix(name))]


def _has_connections(login: Login, users: Sequence[str]) -> bool:
    names = ", ".join(quote_text(user) for user in users)
    statement = (
        f"SELECT JSON_ARRAY(COUNT(*)) FROM information_schema.PROCESSLIST WHERE USER IN ({names})"
    )
    ended = run_as_administrator(login, [statement])
    mark = read_mark(split_line(ended.output.rstrip(b"\n")))

    return mark is not None and mark[0] > 0


def _make_account_prefix(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()

    return f"{ACCOUNT_PREFIX}{digest[:12]}_"


def _quote_account(user: str) -> str:
    return f"{quote_name(user)}@`localhost`"


def _hash_password(password: str) -> str:
    """Return what the server keeps of a password (mysql_native_password)."""
    first = hashlib.sha1(password.encode("ascii"), usedforsecurity=False).digest()

    return "*" + hashlib.sha1(first, usedforsecurity=False).hexdigest().upper()
