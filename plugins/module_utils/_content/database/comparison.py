# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a database of the source with one of this host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..shown_text import show_name
from .facts import make_missing_database_error
from .programs import EVENT, TRIGGER, Account, Program, read_programs
from .queries.checksums_query import make_digests_command
from .queries.source_commands import make_contents_command
from .rows import read_mark, run_query
from .sides import DatabaseSide
from .structure import Checksum, Digest, Structure, read_checksums, read_digests, read_structure
from .views import refuse_functions_of_readers

DATABASE = "database"
TABLE = "table"


@dataclass(frozen=True)
class Contents:
    """Holds what a database is made of; its rows by number and checksum."""

    structure: Structure
    checksums: Mapping[str, Checksum]
    programs: Mapping[tuple[str, str], Program]

    @property
    def rows(self) -> int:
        """Return the number of rows of all tables."""
        return sum(checksum.rows for checksum in self.checksums.values())


@dataclass(frozen=True)
class Difference:
    """Names one thing that is not equal, or that is left out.

    kind: database, table, or the kind of a program.
    name: Of the thing, as the server has it.
    reason: In what it differs, or why it is left out.
    """

    kind: str
    name: str
    reason: str

    @property
    def key(self) -> tuple[str, str]:
        """Return what tells the thing from all others."""
        return self.kind, self.name

    def describe(self) -> dict[str, str]:
        """Return the difference as a result has it."""
        return {"kind": self.kind, "name": show_name(self.name), "why": self.reason}


@dataclass(frozen=True)
class Wish:
    """Says what of the programs is wanted on the target.

    definer: Who owns them; None leaves them out.
    has_events: Whether events have the state of the source.
    unmakeable: Programs by kind and name that an earlier run could not make. They stay left out
        as long as they do not work on the source either.
    """

    definer: Account | None
    has_events: bool
    unmakeable: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Comparison:
    """Says in what two databases differ, and what the wish leaves out."""

    differences: tuple[Difference, ...]
    left_out: tuple[Difference, ...]

    @property
    def has_unequal_tables(self) -> bool:
        """Return whether a table differs."""
        return any(difference.kind == TABLE for difference in self.differences)

    @property
    def unequal_programs(self) -> set[tuple[str, str]]:
        """Return the programs that differ, by kind and name."""
        return {
            difference.key
            for difference in self.differences
            if difference.kind not in (TABLE, DATABASE)
        }


def read_contents(database: DatabaseSide) -> Contents:
    """Read a database whole, its rows as number and checksum of each table.

    Raises:
        ContentError: There is no such database, or it cannot be read.
    """
    refuse_functions_of_readers(database)
    missing = make_missing_database_error(database)
    rows = run_query(database.server, make_contents_command(database.name, database.login), missing)

    sections: list[list[list[bytes]]] = [[]]
    for row in rows:
        mark = read_mark(row)
        if mark is not None and mark[0] == "section":
            sections.append([])
        else:
            sections[-1].append(row)
    structure, checksums, programs = sections

    return Contents(
        read_structure(structure, database.name),
        read_checksums(checksums),
        read_programs(programs, database.name),
    )


def read_digests_of(database: DatabaseSide) -> Mapping[str, Digest]:
    """Read a digest of the values of each table of a database.

    Raises:
        ContentError: It cannot be read.
    """
    command = make_digests_command(database.name, database.login)

    return read_digests(run_query(database.server, command))


def find_doubtful(source: Contents, target: Contents) -> set[str]:
    """Return the tables of which the checksum alone is another one, which may have equal rows."""
    doubtful = set()
    for name, checksum in source.checksums.items():
        copied = target.checksums.get(name)
        if copied is not None and copied.rows == checksum.rows and copied != checksum:
            doubtful.add(name)

    return doubtful


def find_proven(
    doubtful: Iterable[str], source: Mapping[str, Digest], target: Mapping[str, Digest]
) -> list[str]:
    """Return those of some tables that have the same digest on both sides, in order."""
    proven = []
    for name in sorted(doubtful):
        digest = source.get(name)
        copied = target.get(name)
        if digest is not None and copied is not None and digest.proves_equal(copied):
            proven.append(name)

    return proven


def replace_checksums(source: Contents, target: Contents, equal: Iterable[str]) -> Contents:
    """Return what the target holds, with the source's checksums of tables that have equal rows."""
    checksums = dict(target.checksums)
    for name in equal:
        checksums[name] = source.checksums[name]

    return replace(target, checksums=checksums)


def compare_contents(source: Contents, target: Contents, wish: Wish) -> Comparison:
    """Return in what a database of the target differs from the source."""
    differences = [
        *_compare_options(source.structure, target.structure),
        *_compare_tables(source, target),
    ]
    left_out = [
        Difference(TABLE, name, "it is a MERGE table, whose rows are those of other tables")
        for name in sorted(source.structure.merge_tables)
    ]
    moved = find_moved_triggers(source, target)
    for key, program in source.programs.items():
        omission = _explain_omission(program, target.programs.get(key), wish)
        if omission:
            left_out.append(Difference(program.kind, program.name, omission))
            continue
        reason = _compare_program(program, target.programs.get(key), wish)
        if not reason and key in moved:
            reason = "it does not run in the order of the source"
        if reason:
            differences.append(Difference(program.kind, program.name, reason))
    for key, program in target.programs.items():
        if key not in source.programs:
            differences.append(
                Difference(program.kind, program.name, "the source does not have it")
            )

    return Comparison(tuple(differences), tuple(left_out))


def explain_refusals(comparison: Comparison, refusals: Mapping[tuple[str, str], str]) -> Comparison:
    """Return a comparison that says why programs are missing that a server refused to make.

    Args:
        comparison: Of a source and the target of that server.
        refusals: What the server said, by kind and name of a program.
    """
    differences: list[Difference] = []
    for difference in comparison.differences:
        refusal = refusals.get(difference.key)
        if refusal is not None:
            difference = replace(difference, reason=f"it cannot be made here: {refusal}")
        differences.append(difference)

    return replace(comparison, differences=tuple(differences))


def _compare_options(source: Structure, target: Structure) -> Iterator[Difference]:
    if (source.character_set, source.collation) != (target.character_set, target.collation):
        reason = f"its collation is {target.collation} and not {source.collation}"
        yield Difference(DATABASE, "", reason)


def _compare_tables(source: Contents, target: Contents) -> Iterator[Difference]:
    for name, table in source.structure.tables.items():
        target_table = target.structure.tables.get(name)
        if target_table is None:
            yield Difference(TABLE, name, "it is missing")
            continue
        unequal = table.find_difference(target_table)
        if unequal:
            yield Difference(TABLE, name, f"not equal: {unequal}")
            continue
        reason = _compare_rows(source.checksums.get(name), target.checksums.get(name))
        if reason:
            yield Difference(TABLE, name, reason)

    for name in (*target.structure.tables, *find_own_merge_tables(source, target)):
        if name not in source.structure.tables:
            yield Difference(TABLE, name, "the source does not have it")


def find_own_merge_tables(source: Contents, target: Contents) -> list[str]:
    """Return the names of the MERGE tables of a target that the source does not have, sorted.

    No run makes a MERGE table. So one of the same name was made by somebody who wants it.
    """
    return sorted(target.structure.merge_tables - source.structure.merge_tables)


def _compare_rows(source: Checksum | None, target: Checksum | None) -> str:
    if source is None or target is None:
        return "it came or went during the comparison"
    if source.rows != target.rows:
        return f"its number of rows is {target.rows} and not {source.rows}"
    if source != target:
        return "the checksum of its rows is another one"

    return ""


def find_moved_triggers(source: Contents, target: Contents) -> set[tuple[str, str]]:
    """Return the triggers of both sides that run in another order there, by kind and name.

    No statement says in which order triggers run; the server counts them as they are made. Both
    sides list those of one table and time together, one after the other.
    """
    of_source = _list_common_triggers(source.programs, target.programs)
    of_target = _list_common_triggers(target.programs, source.programs)

    return {key for key, in_its_place in zip(of_source, of_target) if key != in_its_place}


def _list_common_triggers(
    programs: Mapping[tuple[str, str], Program], counterparts: Mapping[tuple[str, str], Program]
) -> list[tuple[str, str]]:
    """Return the triggers of one side that run for the same table and time on the other."""
    common: list[tuple[str, str]] = []
    for key, program in programs.items():
        counterpart = counterparts.get(key)
        if program.kind != TRIGGER or counterpart is None:
            continue
        if counterpart.owner == program.owner:
            common.append(key)

    return common


def _explain_omission(program: Program, target: Program | None, wish: Wish) -> str:
    """Return why a program of the source is not wanted on the target; empty if it is."""
    if target is not None:
        return ""
    if wish.definer is None:
        return "the option definer names no account for it"
    if program.defect and program.key in wish.unmakeable:
        return f"it does not work on the source: {program.defect}"
    if program.is_past:
        return "its time has passed"

    return ""


def _compare_program(program: Program, target: Program | None, wish: Wish) -> str:
    if target is None:
        return "it is missing"
    if program.meaning != target.meaning:
        return "its text or its settings are others"
    if wish.definer is not None and target.definer != wish.definer:
        return f"its definer is {target.definer}"
    if program.kind == EVENT and wish.has_events and program.state != target.state:
        return "it does not have the state of the source"

    return ""
