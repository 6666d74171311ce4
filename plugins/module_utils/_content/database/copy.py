# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies a database to this host, and proves that both are equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from ..._log import NOTHING_TO_CHANGE, log_plan
from ..clean_up import clean_up_despite
from ..content_errors import NOTHING_WRITTEN, ContentError
from ..full_disk import name_full_disk
from ..kept_forms import KeptKind, has_pairs, is_list_of_pairs, is_list_of_texts
from ..kept_state import HeldObject, hold_object, read_kept
from ..shown_text import show_name
from .comparison import (
    Comparison,
    Contents,
    Wish,
    compare_contents,
    explain_refusals,
    find_doubtful,
    read_contents,
    replace_checksums,
)
from .disk_watch import DiskWatch
from .facts import check_name
from .importer import hold_account, remove_accounts
from .job import DatabaseJob, DatabaseResult, make_result
from .program_creation import ProgramMaker, choose_programs
from .programs import Account
from .proof import find_equal, has_moved, pair_checksums
from .refusals import refuse_foreign, refuse_itself, refuse_other_case, refuse_tables
from .target import ServerFacts, check_defaults_file, read_server
from .writing import drop_tables, drop_unequal, set_collation, try_tables, write_tables

KEPT = KeptKind(
    "database",
    {
        "tables": is_list_of_texts,
        "programs": is_list_of_pairs,
        "unmakeable": is_list_of_pairs,
        "checksums": has_pairs,
    },
)
_AGAIN = "Run the task again when the cause is gone."


def run_database_job(job: DatabaseJob) -> DatabaseResult:
    """Copy or compare a database.

    Raises:
        ContentError: Something that the task names is not there, a table is not of an earlier
            run, a tool or server failed, or the copy is not equal to a source that stood still.
    """
    check_name(job.target.name, "name")
    check_name(job.source.name, "source_name")
    check_defaults_file(job.target.login)
    server = read_server(job)

    # The same name on two servers of this host is two databases.
    name = f"{server.socket}: {job.target.name}"
    if job.is_check or job.is_comparison:
        kept = read_kept(KEPT, name, job.directory)
        wish = _make_wish(job, server.definer, kept)
        if job.is_comparison:
            return _compare(job, wish)

        return _Copy(job, wish, server, kept).carry_out(None)

    with hold_object(KEPT, name, job.directory) as held:
        # Not only where the importer makes its own: one of a killed run may still write, and what
        # is read next has to hold.
        remove_accounts(job.target.login, job.target.name)
        wish = _make_wish(job, server.definer, held.kept)
        try:
            return _Copy(job, wish, server, held.kept).carry_out(held)
        except ContentError as error:
            # A server whose disk is full may have ended, so its own words are about connections.
            raise name_full_disk(error, server.directory) from error


def _make_wish(job: DatabaseJob, definer: Account | None, kept: Mapping[str, Any]) -> Wish:
    unmakeable = frozenset((kind, name) for kind, name in kept.get("unmakeable", []))

    return Wish(definer, job.has_events, unmakeable)


def _compare(job: DatabaseJob, wish: Wish) -> DatabaseResult:
    source = read_contents(job.source)
    target = read_contents(job.target)
    target = replace_checksums(source, target, find_equal(job, source, target))

    return make_result(False, source, target, compare_contents(source, target, wish), wish)


class _Extent(Enum):
    """What a copy has begun to replace."""

    NOTHING = "nothing"
    PROGRAMS = "programs"
    TABLES = "tables and programs"


class _Copy:
    """Copies one database."""

    def __init__(
        self, job: DatabaseJob, wish: Wish, server: ServerFacts, kept: Mapping[str, Any]
    ) -> None:
        """Begin a copy.

        Args:
            job, wish: What is to be copied.
            server: The facts of that of the target.
            kept: What the last run kept: ``tables``, ``programs``, ``unmakeable``, the programs
                that cannot be made, and ``checksums``, those of both sides for tables with equal
                rows.
        """
        self._job = job
        self._wish = wish
        self._server = server
        self._kept = kept
        self._proven: Mapping[str, Sequence[str]] = kept.get("checksums", {})

    def carry_out(self, held: HeldObject | None) -> DatabaseResult:
        """Copy what differs, and compare again.

        Args:
            held: The target; None to say what would be done, and to do nothing.
        """
        job = self._job
        source = read_contents(job.source)
        target = read_contents(job.target)
        refuse_foreign(job, self._kept, source, target)
        refuse_other_case(source.structure, target.structure)
        target = replace_checksums(source, target, self._find_proven(source, target))
        comparison = compare_contents(source, target, self._wish)
        self._log_plan(comparison)
        if not comparison.differences:
            return make_result(False, source, target, comparison, self._wish)
        refuse_tables(source.structure)
        if held is None:
            return make_result(True, source, source, comparison, self._wish)

        refusals = self._write(held, source, target, comparison)
        self._wish = replace(self._wish, unmakeable=self._wish.unmakeable | frozenset(refusals))
        result = self._prove(held, source, refusals)
        has_changed = _has_written(target, comparison, refusals)

        return replace(result, has_changed=has_changed)

    def _log_plan(self, comparison: Comparison) -> None:
        action = NOTHING_TO_CHANGE
        if comparison.has_unequal_tables:
            action = "copy all tables"
        elif comparison.differences:
            action = "make programs and settings equal"
        log_plan(f"database {self._job.target.name}", action)

    def _find_proven(self, source: Contents, target: Contents) -> list[str]:
        """Return the tables whose rows an earlier run found equal, and whose checksums stayed."""
        return [
            name
            for name in sorted(find_doubtful(source, target))
            if self._proven.get(name) == pair_checksums(source, target, name)
        ]

    def _write(
        self, held: HeldObject, source: Contents, target: Contents, comparison: Comparison
    ) -> dict[tuple[str, str], str]:
        """Make the target equal, and return which programs its server refuses, and why."""
        job = self._job
        login, name = job.target.login, job.target.name
        extent = _Extent.NOTHING
        watch = DiskWatch(self._server.directory, lambda: remove_accounts(login, name))
        try:
            with watch, hold_account(login, name, self._server.socket) as importer:
                refuse_itself(job, importer.user)
                if comparison.has_unequal_tables:
                    try_tables(job, importer, source.structure)
                self._keep_what_is_written(held, source, target)
                extent = _Extent.TABLES if comparison.has_unequal_tables else _Extent.PROGRAMS
                programs = choose_programs(source, target, comparison)
                drop_unequal(job, source, target, comparison, programs)
                set_collation(job, source.structure)
                if comparison.has_unequal_tables:
                    write_tables(job, importer, source.structure)
                maker = ProgramMaker(job, self._wish, importer, source.structure)
                refusals = maker.make(programs)
        except ContentError as error:
            stop = watch.make_error()
            if stop is not None:
                raise _leave_room(stop, job, source, extent) from error
            effect = error.effect
            advice = error.advice
            if extent is not _Extent.NOTHING:
                effect = _describe_part(job)
                advice = advice or _AGAIN
            raise ContentError(
                error.problem, error.option, effect or NOTHING_WRITTEN, advice
            ) from error

        return refusals

    def _keep_what_is_written(self, held: HeldObject, source: Contents, target: Contents) -> None:
        """Keep what this run is about to write, before it does, so that a killed run has it."""
        tables = {*source.structure.tables, *self._kept.get("tables", [])}
        programs = {*source.programs, *(tuple(key) for key in self._kept.get("programs", []))}
        if self._job.is_replacing:
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

    def _prove(
        self,
        held: HeldObject,
        source_before: Contents,
        refusals: Mapping[tuple[str, str], str],
    ) -> DatabaseResult:
        """Compare again, and refuse a copy that differs from a source that stood still.

        A program that the server of the target refuses is a difference, and ends nothing else.
        """
        job = self._job
        source = read_contents(job.source)
        target = read_contents(job.target)
        equal = find_equal(job, source, target)
        self._proven = {name: pair_checksums(source, target, name) for name in equal}
        target = replace_checksums(source, target, equal)
        comparison = explain_refusals(compare_contents(source, target, self._wish), refusals)
        for difference in comparison.differences:
            is_refused = difference.key in refusals
            if not is_refused and not has_moved(difference, source_before, source):
                kind_and_name = f"{difference.kind} {show_name(difference.name)}".strip()
                raise ContentError(
                    f"the copy of the {kind_and_name} is not equal to the source,"
                    f" which has not changed: {difference.reason}.",
                    effect=f"What {show_name(job.target.name)} holds was replaced.",
                    advice="Compare the releases and settings of both servers.",
                )
        self._keep(held, target.structure.tables, target.programs)

        return make_result(True, source, target, comparison, self._wish)


def _describe_part(job: DatabaseJob) -> str:
    """Say that a copy has not come to its end."""
    name = show_name(job.target.name)

    return f"What {name} holds was replaced in part, and the next run goes on."


def _leave_room(
    stop: ContentError, job: DatabaseJob, source: Contents, extent: _Extent
) -> ContentError:
    """Remove the tables that an import has made which was stopped, and return its error.

    Half of a database is of no use to anybody, and others need the room. Tables that it has not
    replaced stay.
    """
    if extent is _Extent.NOTHING:
        stop.effect = NOTHING_WRITTEN
    elif extent is _Extent.PROGRAMS:
        stop.effect = _describe_part(job)
    else:
        name = show_name(job.target.name)
        stop.effect = f"The tables of {name} were removed, and the next run copies them all."
        clean_up_despite(
            stop, lambda: drop_tables(job, source.structure), f"{name} still has half of them."
        )

    return stop


def _has_written(
    target: Contents, comparison: Comparison, refusals: Mapping[tuple[str, str], str]
) -> bool:
    """Return whether a run changed a target, and not only tried what its server refuses again.

    Args:
        target: What it held before.
        comparison: Of that.
        refusals: The programs that could not be made.
    """
    was_removed = any(key in target.programs for key in refusals)

    return was_removed or any(
        difference.key not in refusals for difference in comparison.differences
    )
