# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a run on a database is asked for, and what it reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kept_state import STATE_DIRECTORY
from ..shown_text import show_name
from .comparison import Comparison, Contents, Difference, Wish
from .content_digest import compute_digest
from .sides import DatabaseSide


@dataclass(frozen=True)
class DatabaseJob:
    """Says what to copy or to compare.

    source, target: The database there and here.
    definer: The account that owns programs here; empty to leave them out.
    is_comparison: Whether nothing is copied.
    is_replacing: Whether tables that no earlier run wrote may be removed.
    has_events: Whether events get the state of the source.
    is_check: Whether nothing is written.
    directory: Where states are kept.
    """

    source: DatabaseSide
    target: DatabaseSide
    definer: str
    is_comparison: bool = False
    is_replacing: bool = False
    has_events: bool = False
    is_check: bool = False
    directory: str = STATE_DIRECTORY


@dataclass(frozen=True)
class DatabaseResult:
    """Says what was done, and what the target holds.

    digest: Of that, as ``compute_digest`` makes it.
    """

    has_changed: bool
    tables: int
    rows: int
    programs: int
    digest: str
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
            "digest": self.digest,
            "definers": list(self.definers),
            "left_out": [omission.describe() for omission in self.left_out],
            "differences": [difference.describe() for difference in self.differences],
        }


def make_result(
    has_changed: bool, source: Contents, target: Contents, comparison: Comparison, wish: Wish
) -> DatabaseResult:
    """Return the result of a run that compared a database of the source with one of this host."""
    return DatabaseResult(
        has_changed=has_changed,
        tables=len(target.structure.tables),
        rows=target.rows,
        programs=len(target.programs),
        digest=compute_digest(target),
        definers=_list_definers(source, target, wish),
        left_out=comparison.left_out,
        differences=comparison.differences,
    )


def _list_definers(source: Contents, target: Contents, wish: Wish) -> list[dict[str, str]]:
    """Return the programs that have another definer here than on the source."""
    if wish.definer is None:
        return []

    definers: list[dict[str, str]] = []
    for program in source.programs.values():
        if program.key not in target.programs or program.definer == wish.definer:
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
