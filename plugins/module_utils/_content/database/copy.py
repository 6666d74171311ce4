# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies a database to this host, and proves that both are equal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..content_errors import ContentError
from ..kept_state import STATE_DIRECTORY, HeldObject, hold_object, read_kept
from ..shown_text import show_name
from ..source_host import SourceHost
from . import commands
from .commands import Login, quote_name
from .comparison import (
    DATABASE,
    TABLE,
    Comparison,
    Contents,
    Difference,
    Wish,
    compare_contents,
    find_doubtful,
    find_proven,
    read_contents,
    read_digests_of,
    replace_checksums,
)
from .facts import check_name, missing_database
from .importer import (
    MAKES_PROGRAMS,
    MAKES_TABLES,
    WRITES_ROWS,
    Importer,
    allow_stage,
    hold_account,
    make_prepared,
    remove_accounts,
    run_as_administrator,
)
from .programs import DISABLED, TRIGGER, Account, Program
from .rows import read_marks, run_query
from .structure import SEQUENCE, Structure, Table, make_table_statements

KIND = "database"
_AGAIN = "Run the task again when the cause is gone."


@dataclass(frozen=True)
class DatabaseTask:
    """Says what to copy or to compare.

    source: The host of the source; None where it is this host.
    name, source_name: The database here and there.
    definer: The account that owns programs here; empty to leave them out.
    login, source_login: How the servers are reached.
    is_comparison: Whether nothing is copied.
    is_replacing: Whether tables that no earlier run wrote may be removed.
    has_events: Whether events get the state of the source.
    is_check: Whether nothing is written.
    directory: Where states are kept.
    """

    source: SourceHost | None
    name: str
    source_name: str
    definer: str
    login: Login
    source_login: Login
    is_comparison: bool = False
    is_replacing: bool = False
    has_events: bool = False
    is_check: bool = False
    directory: str = STATE_DIRECTORY


@dataclass(frozen=True)
class DatabaseResult:
    """Says what was done, and what the target holds."""

    has_changed: bool
    tables: int
    rows: int
    programs: int
    definers: Sequence[Mapping[str, str]]
    left_out: Sequence[Difference]
    differences: Sequence[Difference]

    def describe(self) -> dict[str, Any]:
        """Return the result as the module has it."""
        return {
            "changed": self.has_changed,
            "tables": self.tables,
            "rows": self.rows,
            "programs": self.programs,
            "definers": list(self.definers),
            "left_out": [omission.describe() for omission in self.left_out],
            "differences": [difference.describe() for difference in self.differences],
        }


def run_database_task(task: DatabaseTask) -> DatabaseResult:
    """Copy or compare a database.

    Raises:
        ContentError: Something that the task names is not there, a table is not of an earlier
            run, a tool or server failed, or the copy is not equal to a source that stood still.
    """
    check_name(task.name, "name")
    check_name(task.source_name, "source_name")
    _check_defaults_file(task.login)
    socket, definer = _read_server(task)

    # The same name on two servers of this host is two databases.
    name = f"{socket}: {task.name}"
    if task.is_check or task.is_comparison:
        kept = read_kept(KIND, name, task.directory)
        wish = _make_wish(task, definer, kept)
        if task.is_comparison:
            return _compare(task, wish)

        return _Copy(task, wish, socket, kept).carry_out(None)

    with hold_object(KIND, name, task.directory) as held:
        remove_accounts(task.login, task.name)
        wish = _make_wish(task, definer, held.kept)

        return _Copy(task, wish, socket, held.kept).carry_out(held)


def _make_wish(task: DatabaseTask, definer: Account | None, kept: Mapping[str, Any]) -> Wish:
    unmakeable = frozenset((kind, name) for kind, name in kept.get("unmakeable", []))

    return Wish(definer, task.has_events, unmakeable)


def _compare(task: DatabaseTask, wish: Wish) -> DatabaseResult:
    source = read_contents(task.source, task.source_name, task.source_login, is_source=True)
    target = read_contents(None, task.name, task.login, is_source=False)
    target = replace_checksums(source, target, _find_equal(task, source, target))

    return _make_result(False, source, target, compare_contents(source, target, wish), wish)


def _find_equal(task: DatabaseTask, source: Contents, target: Contents) -> list[str]:
    """Return the tables whose rows are equal though their checksums are not.

    Checksums that are the same before and after belong to the rows that were digested.
    """
    doubtful = find_doubtful(source, target)
    if not doubtful:
        return []

    wanted = read_digests_of(task.source, task.source_name, task.source_login, is_source=True)
    held = read_digests_of(None, task.name, task.login, is_source=False)
    equal = find_proven(doubtful, wanted, held)
    if not equal:
        return []

    later_source = read_contents(task.source, task.source_name, task.source_login, is_source=True)
    later_target = read_contents(None, task.name, task.login, is_source=False)

    return [
        name
        for name in equal
        if later_source.checksums.get(name) == source.checksums[name]
        and later_target.checksums.get(name) == target.checksums[name]
    ]


class _Copy:
    """Copies one database."""

    def __init__(
        self, task: DatabaseTask, wish: Wish, socket: str, kept: Mapping[str, Any]
    ) -> None:
        """Begin a copy.

        Args:
            task, wish: What is to be copied.
            socket: Of the server of the target.
            kept: What the last run kept: ``tables``, ``programs``, ``unmakeable``, the programs
                that cannot be made, and ``checksums``, those of both sides for tables with equal
                rows.
        """
        self._task = task
        self._wish = wish
        self._socket = socket
        self._kept = kept
        self._proven: Mapping[str, Sequence[str]] = kept.get("checksums", {})

    def carry_out(self, held: HeldObject | None) -> DatabaseResult:
        """Copy what differs, and compare again.

        Args:
            held: The target; None to say what would be done, and to do nothing.
        """
        task = self._task
        source = read_contents(task.source, task.source_name, task.source_login, is_source=True)
        target = read_contents(None, task.name, task.login, is_source=False)
        self._refuse_foreign(target)
        self._refuse_other_case(source.structure, target.structure)
        target = replace_checksums(source, target, self._find_proven(source, target))
        comparison = compare_contents(source, target, self._wish)
        if not comparison.differences:
            return _make_result(False, source, target, comparison, self._wish)
        self._refuse_history(source.structure)
        self._refuse_foreign_sequences(source.structure)
        if held is None:
            return _make_result(True, source, source, comparison, self._wish)

        unmakeable = self._write(held, source, target, comparison)
        self._wish = replace(self._wish, unmakeable=self._wish.unmakeable | unmakeable)

        return self._prove(held, source)

    def _find_proven(self, source: Contents, target: Contents) -> list[str]:
        """Return the tables whose rows an earlier run found equal, and whose checksums stayed."""
        return [
            name
            for name in sorted(find_doubtful(source, target))
            if self._proven.get(name) == _pair_checksums(source, target, name)
        ]

    def _refuse_foreign(self, target: Contents) -> None:
        """Refuse a target that holds what no earlier run wrote."""
        if self._task.is_replacing:
            return

        tables = set(self._kept.get("tables", []))
        for name in target.structure.tables:
            if name not in tables:
                self._refuse(TABLE, name)
        programs = {tuple(key) for key in self._kept.get("programs", [])}
        for kind, name in target.programs:
            if (kind, name) not in programs:
                self._refuse(kind, name)

    def _refuse(self, kind: str, name: str) -> None:
        raise ContentError(
            f"{show_name(self._task.name)} holds the {kind} {show_name(name)}, which no earlier run wrote.",
            "replace",
            "Nothing was written.",
            "Set replace: true to remove it.",
        )

    def _refuse_other_case(self, source: Structure, target: Structure) -> None:
        if source.case != target.case:
            raise ContentError(
                "upper and lower case of names mean something else here than on the source"
                f" (lower_case_table_names is {target.case} and not {source.case}).",
                effect="Nothing was written.",
            )

    def _refuse_history(self, source: Structure) -> None:
        """Refuse tables that keep old rows, since a dump has the present ones alone."""
        for table in source.tables.values():
            if table.kind == "SYSTEM VERSIONED":
                raise ContentError(
                    f"the table {show_name(table.name)} of the source is system-versioned,"
                    " and its history cannot be copied.",
                    "source_name",
                    "Nothing was written.",
                )

    def _refuse_foreign_sequences(self, source: Structure) -> None:
        """Refuse tables whose defaults use another database, which is not copied."""
        for table in source.tables.values():
            if table.has_foreign_sequence:
                raise ContentError(
                    f"a default of the table {show_name(table.name)} of the source uses a sequence"
                    " of another database, or sets one, and such tables are not copied.",
                    "source_name",
                    "Nothing was written.",
                    "Copy the database with mariadb-dump, or use AUTO_INCREMENT in the table.",
                )

    def _write(
        self, held: HeldObject, source: Contents, target: Contents, comparison: Comparison
    ) -> frozenset[tuple[str, str]]:
        """Make the target equal, and return the programs that cannot be made."""
        task = self._task
        has_written = False
        try:
            with hold_account(task.login, task.name, self._socket) as importer:
                self._refuse_itself(importer.user)
                if comparison.has_unequal_tables:
                    self._try_tables(importer, source.structure)
                has_written = True
                self._keep_what_is_written(held, source, target)
                programs = _choose_programs(source, target, comparison)
                self._drop(target, comparison, programs)
                self._set_collation(source.structure)
                if comparison.has_unequal_tables:
                    self._write_tables(importer, source.structure)
                unmakeable = self._make_programs(importer, source, programs)
        except ContentError as error:
            effect = error.effect
            if has_written:
                effect = (
                    f"What {show_name(task.name)} holds was replaced in part,"
                    " and the next run goes on."
                )
            advice = error.advice or (_AGAIN if has_written else "")
            raise ContentError(
                error.problem, error.option, effect or "Nothing was written.", advice
            ) from error

        return unmakeable

    def _refuse_itself(self, user: str) -> None:
        """Refuse a source that is the target, which the account of this run shows."""
        task = self._task
        if task.name != task.source_name:
            return

        command = commands.make_accounts_command(task.source_login)
        for mark in read_marks(run_query(task.source, command, is_source=True)):
            if mark[1] == user:
                raise ContentError(
                    f"{show_name(task.name)} on the source is the very database of this host.",
                    "source_name",
                )

    def _keep_what_is_written(self, held: HeldObject, source: Contents, target: Contents) -> None:
        """Keep what this run is about to write, before it does, so that a killed run has it."""
        tables = {*source.structure.tables, *self._kept.get("tables", [])}
        programs = {*source.programs, *(tuple(key) for key in self._kept.get("programs", []))}
        if self._task.is_replacing:
            tables.update(target.structure.tables)
            programs.update(target.programs)
        self._keep(held, tables, programs)

    def _keep(
        self, held: HeldObject, tables: Iterable[str], programs: Iterable[Sequence[str]]
    ) -> None:
        held.keep(
            {
                "tables": sorted(tables),
                "programs": sorted(list(key) for key in programs),
                "unmakeable": sorted(list(key) for key in self._wish.unmakeable),
                "checksums": self._proven,
            }
        )

    def _try_tables(self, importer: Importer, source: Structure) -> None:
        """Let the server read each statement of a table before anything is removed."""
        allow_stage(self._task.login, self._task.name, importer.user, MAKES_TABLES)
        tables = list(source.tables.values())
        groups = [
            [make_prepared(make_table_statements(table, is_tried=True)[0], is_tried=True)]
            for table in tables
        ]
        failure = importer.run(groups, is_lenient=True)
        if failure is not None:
            raise _cannot_be_made(TABLE, tables[failure.index].name, failure.reason)

    def _drop(
        self,
        target: Contents,
        comparison: Comparison,
        programs: Mapping[tuple[str, str], Program],
    ) -> None:
        """Remove what differs on the target, and what the source does not have."""
        statements = ["SET SESSION foreign_key_checks = 0"]
        # The body of a package ends with it, and comes after it in this order.
        for key, program in reversed(list(target.programs.items())):
            if key in programs or key in comparison.unequal_programs:
                kind = program.kind.upper()
                # Only in this mode does the server know the body of a package.
                mode = "ORACLE" if kind.startswith("PACKAGE") else ""
                statements.append(f"SET SESSION sql_mode = '{mode}'")
                statements.append(f"DROP {kind} IF EXISTS {self._qualify(program.name)}")
        statements.append("SET SESSION sql_mode = ''")
        if comparison.has_unequal_tables:
            for table in target.structure.tables.values():
                kind = SEQUENCE if table.kind == SEQUENCE else "TABLE"
                statements.append(f"DROP {kind} IF EXISTS {self._qualify(table.name)}")
        run_as_administrator(self._task.login, statements)

    def _set_collation(self, source: Structure) -> None:
        run_as_administrator(
            self._task.login, [_alter_collation(self._task.name, source.collation)]
        )

    def _write_tables(self, importer: Importer, source: Structure) -> None:
        task = self._task
        allow_stage(task.login, task.name, importer.user, MAKES_TABLES)
        # Defaults of tables need their sequences.
        tables = sorted(source.tables.values(), key=lambda table: table.kind != SEQUENCE)
        groups = [_prepare_all(make_table_statements(table)) for table in tables]
        failure = importer.run(groups, is_lenient=True)
        if failure is not None:
            raise _cannot_be_made(TABLE, tables[failure.index].name, failure.reason)

        allow_stage(task.login, task.name, importer.user, WRITES_ROWS)
        importer.import_rows(task.source, task.source_name, task.source_login)
        if any(_has_float(table) for table in tables):
            importer.import_exact_rows(task.source, task.source_name, task.source_login)

    def _make_programs(
        self,
        importer: Importer,
        source: Contents,
        programs: Mapping[tuple[str, str], Program],
    ) -> frozenset[tuple[str, str]]:
        """Make programs, and return those that fail here and do not work on the source either."""
        definer = self._wish.definer
        if definer is None or not programs:
            return frozenset()

        task = self._task
        allow_stage(task.login, task.name, importer.user, MAKES_PROGRAMS)
        pending = list(programs.values())
        while True:
            failures = self._make_each(importer, source.structure, pending, definer)
            # A view that was made in this round may be what another one needs.
            if len(failures) in (0, len(pending)):
                break
            pending = [program for program, _reason in failures]

        for program, reason in failures:
            if not program.defect:
                raise _cannot_be_made(program.kind, program.name, reason)

        return frozenset(program.key for program, _reason in failures)

    def _make_each(
        self,
        importer: Importer,
        source: Structure,
        programs: Sequence[Program],
        definer: Account,
    ) -> list[tuple[Program, str]]:
        """Make programs one by one, and return those that failed, with what the server said."""
        failures: list[tuple[Program, str]] = []
        begin = 0
        while begin < len(programs):
            groups = [
                self._compose_creation(program, source, definer) for program in programs[begin:]
            ]
            failure = importer.run(groups)
            if failure is None:
                break
            begin += failure.index
            failures.append((programs[begin], failure.reason))
            begin += 1
        if failures:
            # A failed statement can leave the collation of its program behind.
            self._set_collation(source)

        return failures

    def _compose_creation(self, program: Program, source: Structure, definer: Account) -> list[str]:
        """Return the statements that make a program under the settings of the one who wrote it."""
        state = program.state if self._wish.has_events else DISABLED
        statements = program.make_session()
        creation = make_prepared(program.make_statement(definer, state))
        collation = program.database_collation.decode("ascii")
        if collation in ("", source.collation):
            return [*statements, creation]

        name = self._task.name

        return [
            *statements,
            make_prepared(_alter_collation(name, collation).encode("utf-8", "surrogateescape")),
            creation,
            make_prepared(
                _alter_collation(name, source.collation).encode("utf-8", "surrogateescape")
            ),
        ]

    def _prove(self, held: HeldObject, source_before: Contents) -> DatabaseResult:
        """Compare again, and refuse a copy that differs from a source that stood still."""
        task = self._task
        source = read_contents(task.source, task.source_name, task.source_login, is_source=True)
        target = read_contents(None, task.name, task.login, is_source=False)
        equal = _find_equal(task, source, target)
        self._proven = {name: _pair_checksums(source, target, name) for name in equal}
        target = replace_checksums(source, target, equal)
        comparison = compare_contents(source, target, self._wish)
        for difference in comparison.differences:
            if not _has_moved(difference, source_before, source):
                kind_and_name = f"{difference.kind} {show_name(difference.name)}".strip()
                raise ContentError(
                    f"the copy of the {kind_and_name} is not equal to the source,"
                    f" which has not changed: {difference.reason}.",
                    effect=f"What {show_name(task.name)} holds was replaced.",
                    advice="Compare the releases and settings of both servers.",
                )
        self._keep(held, target.structure.tables, target.programs)

        return _make_result(True, source, target, comparison, self._wish)

    def _qualify(self, name: str) -> str:
        return f"{quote_name(self._task.name)}.{quote_name(name)}"


def _make_result(
    has_changed: bool, source: Contents, target: Contents, comparison: Comparison, wish: Wish
) -> DatabaseResult:
    return DatabaseResult(
        has_changed=has_changed,
        tables=len(target.structure.tables),
        rows=target.rows,
        programs=len(target.programs),
        definers=_list_definers(source, comparison, wish),
        left_out=comparison.left_out,
        differences=comparison.differences,
    )


def _list_definers(source: Contents, comparison: Comparison, wish: Wish) -> list[dict[str, str]]:
    """Return the programs that have another definer here than on the source."""
    if wish.definer is None:
        return []

    omitted = {omission.key for omission in comparison.left_out}
    definers: list[dict[str, str]] = []
    for program in source.programs.values():
        if program.key in omitted or program.definer == wish.definer:
            continue
        definers.append(
            {
                "kind": program.kind,
                "name": show_name(program.name),
                "from": show_name(str(program.definer or "")),
                "to": show_name(str(wish.definer)),
            }
        )

    return definers


def _choose_programs(
    source: Contents, target: Contents, comparison: Comparison
) -> dict[tuple[str, str], Program]:
    """Return the programs of the source that have to be made.

    Where a table is made anew its triggers are too, and where one trigger is made, all are: they
    run in the order in which they were made. The body of a package is dropped with it.
    """
    keys = set(comparison.unequal_programs)
    keys.update(
        ("package body", name) for kind, name in comparison.unequal_programs if kind == "package"
    )
    omitted = {omission.key for omission in comparison.left_out}
    if comparison.has_unequal_tables or any(kind == TRIGGER for kind, _name in keys):
        keys.update(key for key in source.programs if key[0] == TRIGGER)
        keys.update(key for key in target.programs if key[0] == TRIGGER)

    return {
        key: program
        for key, program in source.programs.items()
        if key in keys and key not in omitted
    }


def _has_moved(difference: Difference, before: Contents, after: Contents) -> bool:
    """Return whether what differs changed on the source during the copy."""
    if difference.kind == TABLE:
        name = difference.name
        tables = (before.structure.tables.get(name), after.structure.tables.get(name))
        checksums = (before.checksums.get(name), after.checksums.get(name))

        return tables[0] != tables[1] or checksums[0] != checksums[1]
    if difference.kind == DATABASE:
        return before.structure.collation != after.structure.collation

    return before.programs.get(difference.key) != after.programs.get(difference.key)


def _pair_checksums(source: Contents, target: Contents, name: str) -> list[str]:
    pair = (source.checksums[name], target.checksums[name])

    return [f"{checksum.checksum} {checksum.digest}" for checksum in pair]


def _prepare_all(statements: Iterable[bytes]) -> list[str]:
    return [make_prepared(statement) for statement in statements]


def _has_float(table: Table) -> bool:
    columns = table.parts.get("columns", [])

    return any(str(column[2]).startswith("float") for column in columns)


def _alter_collation(name: str, collation: str) -> str:
    """Return the statement that sets the collation, and with it the character set."""
    return f"ALTER DATABASE {quote_name(name)} COLLATE = {quote_name(collation)}"


def _cannot_be_made(kind: str, name: str, reason: str) -> ContentError:
    return ContentError(f"the {kind} {show_name(name)} cannot be made here: {reason}.")


def _check_defaults_file(login: Login) -> None:
    if login.defaults_file and not os.path.isfile(login.defaults_file):
        raise ContentError(
            f"there is no file {login.defaults_file} on this host.", "login.defaults_file"
        )


def _read_server(task: DatabaseTask) -> tuple[str, Account | None]:
    """Return the socket of the server of this host, and the account of the option ``definer``."""
    user, host = _split_account(task.definer)
    command = commands.make_server_command(task.name, user, task.login)

    socket = ""
    has_database = False
    hosts: list[str] = []
    for mark in read_marks(run_query(None, command, is_source=False)):
        if mark[0] == "socket":
            socket = str(mark[1])
        elif mark[0] == "database":
            has_database = True
        else:
            hosts.append(str(mark[1]))
    if not has_database:
        raise missing_database(task.name, "name", is_source=False)
    if not task.definer:
        return socket, None
    if host:
        hosts = [account_host for account_host in hosts if account_host == host]
    if len(hosts) != 1:
        number = "no account" if not hosts else "more than one account"
        raise ContentError(
            f"this host has {number} {show_name(task.definer)} in its database server.", "definer"
        )

    return socket, Account(user, hosts[0])


def _split_account(text: str) -> tuple[str, str]:
    """Return user and host of an account as people write it; the host is empty if it is left out."""
    user, separator, host = text.rpartition("@")
    if not separator:
        user, host = host, ""

    return _unquote(user), _unquote(host)


def _unquote(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"`":
        return name[1:-1]

    return name
