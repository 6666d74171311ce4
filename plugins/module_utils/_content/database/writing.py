# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes what differs on the target, and writes the tables of the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..content_errors import ContentError
from ..shown_text import show_name
from .comparison import TABLE, Comparison, Contents, find_own_merge_tables
from .importer import (
    MAKES_TABLES,
    WRITES_ROWS,
    Importer,
    allow_stage,
    make_prepared,
    run_as_administrator,
)
from .job import DatabaseJob
from .programs import Program
from .queries.sql import quote_name
from .structure import SEQUENCE, Structure, make_table_statements


def try_tables(job: DatabaseJob, importer: Importer, source: Structure) -> None:
    """Let the server read each statement of a table before anything is removed."""
    allow_stage(job.target.login, job.target.name, importer.user, MAKES_TABLES)
    tables = list(source.tables.values())
    groups = [
        [make_prepared(make_table_statements(table, is_tried=True)[0], is_tried=True)]
        for table in tables
    ]
    failure = importer.run(groups, makes_tables=True)
    if failure is not None:
        raise make_creation_error(TABLE, tables[failure.index].name, failure.reason)


def drop_unequal(
    job: DatabaseJob,
    source: Contents,
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
            statements.append(f"DROP {kind} IF EXISTS {_qualify(job.target.name, program.name)}")
    statements.append("SET SESSION sql_mode = ''")
    if comparison.has_unequal_tables:
        kinds = dict.fromkeys(find_own_merge_tables(source, target), "TABLE")
        for table in target.structure.tables.values():
            kinds[table.name] = SEQUENCE if table.kind == SEQUENCE else "TABLE"
        for name, kind in kinds.items():
            statements.append(f"DROP {kind} IF EXISTS {_qualify(job.target.name, name)}")
    run_as_administrator(job.target.login, statements)


def drop_tables(job: DatabaseJob, source: Structure) -> None:
    """Remove all tables from the target that a copy of the source has brought."""
    statements = ["SET SESSION foreign_key_checks = 0"]
    for table in source.tables.values():
        kind = SEQUENCE if table.kind == SEQUENCE else "TABLE"
        statements.append(f"DROP {kind} IF EXISTS {_qualify(job.target.name, table.name)}")
    run_as_administrator(job.target.login, statements)


def set_collation(job: DatabaseJob, source: Structure) -> None:
    """Give the target the collation of the source."""
    run_as_administrator(job.target.login, [alter_collation(job.target.name, source.collation)])


def write_tables(job: DatabaseJob, importer: Importer, source: Structure) -> None:
    """Make all tables of the source, and import their rows."""
    allow_stage(job.target.login, job.target.name, importer.user, MAKES_TABLES)
    # Defaults of tables need their sequences.
    tables = sorted(source.tables.values(), key=lambda table: table.kind != SEQUENCE)
    groups = [_prepare_all(make_table_statements(table)) for table in tables]
    failure = importer.run(groups, makes_tables=True)
    if failure is not None:
        raise make_creation_error(TABLE, tables[failure.index].name, failure.reason)

    allow_stage(job.target.login, job.target.name, importer.user, WRITES_ROWS)
    written: list[str] = []
    if not source.is_dump_whole or any(table.is_changed_by_dump for table in tables):
        written = importer.import_exact_rows(job.source)
    importer.import_dump(job.source, written)


def alter_collation(name: str, collation: str) -> str:
    """Return the statement that sets the collation, and with it the character set."""
    return f"ALTER DATABASE {quote_name(name)} COLLATE = {quote_name(collation)}"


def make_creation_error(kind: str, name: str, reason: str) -> ContentError:
    """Return the error for a table or a program that the server of this host refuses."""
    return ContentError(f"the {kind} {show_name(name)} cannot be made here: {reason}.")


def _qualify(database: str, name: str) -> str:
    return f"{quote_name(database)}.{quote_name(name)}"


def _prepare_all(statements: Iterable[bytes]) -> list[str]:
    return [make_prepared(statement) for statement in statements]
