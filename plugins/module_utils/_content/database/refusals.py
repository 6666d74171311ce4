# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a copy that would remove what is not its own, or that cannot be equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..content_errors import NOTHING_WRITTEN, ContentError
from ..shown_text import show_name
from .comparison import TABLE, Contents, find_own_merge_tables
from .job import DatabaseJob
from .queries.server_query import AccountRow, make_accounts_command
from .rows import read_marks, run_query
from .structure import Structure, Table


def refuse_foreign(
    job: DatabaseJob, kept: Mapping[str, Any], source: Contents, target: Contents
) -> None:
    """Refuse a target that holds what no earlier run wrote.

    Args:
        job: What is to be copied.
        kept: What the last run kept.
        source, target: What the databases hold.
    """
    if job.is_replacing:
        return

    tables = set(kept.get("tables", []))
    for name in (*target.structure.tables, *find_own_merge_tables(source, target)):
        if name not in tables:
            raise _make_refusal(job, TABLE, name)
    programs = {tuple(key) for key in kept.get("programs", [])}
    for kind, name in target.programs:
        if (kind, name) not in programs:
            raise _make_refusal(job, kind, name)


def _make_refusal(job: DatabaseJob, kind: str, name: str) -> ContentError:
    return ContentError(
        f"{show_name(job.target.name)} holds the {kind} {show_name(name)},"
        " which no earlier run wrote.",
        "replace",
        NOTHING_WRITTEN,
        "Set replace: true to remove it.",
    )


def refuse_other_case(source: Structure, target: Structure) -> None:
    """Refuse servers that read upper and lower case of names in two ways."""
    if source.case != target.case:
        raise ContentError(
            "upper and lower case of names mean something else here than on the source"
            f" (lower_case_table_names is {target.case} and not {source.case}).",
            effect=NOTHING_WRITTEN,
        )


class _Rule(NamedTuple):
    """Says which tables are not copied.

    is_refused: Whether a table is such a one.
    problem: A sentence, in which {} is the name of the table.
    advice: What to do; empty where nothing helps.
    """

    is_refused: Callable[[Table], bool]
    problem: str
    advice: str = ""


_RULES = (
    # A dump has the present rows alone.
    _Rule(
        is_refused=lambda table: table.kind == "SYSTEM VERSIONED",
        problem="the table {} of the source is system-versioned, and its history cannot be copied.",
    ),
    _Rule(
        is_refused=lambda table: table.has_foreign_sequence,
        problem=(
            "a default of the table {} of the source uses a sequence of another database,"
            " or sets one, and such tables are not copied."
        ),
        advice="Copy the database with mariadb-dump, or use AUTO_INCREMENT in the table.",
    ),
    _Rule(
        is_refused=lambda table: table.has_foreign_key_elsewhere,
        problem=(
            "a foreign key of the table {} of the source refers to another database,"
            " and such tables are not copied."
        ),
        advice="Copy the database with mariadb-dump, or remove the key.",
    ),
)


def refuse_tables(source: Structure) -> None:
    """Refuse tables that cannot be copied whole."""
    for rule in _RULES:
        for table in source.tables.values():
            if rule.is_refused(table):
                problem = rule.problem.format(show_name(table.name))
                raise ContentError(problem, "source_name", NOTHING_WRITTEN, rule.advice)


def refuse_itself(job: DatabaseJob, user: str) -> None:
    """Refuse a source that is the target, which the account of this run shows."""
    if job.target.name != job.source.name:
        return

    command = make_accounts_command(job.source.login)
    for _mark, *values in read_marks(run_query(job.source.server, command)):
        if AccountRow(*values).user == user:
            raise ContentError(
                f"{show_name(job.target.name)} on the source is the very database of this host.",
                "source_name",
            )
