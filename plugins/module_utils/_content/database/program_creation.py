# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes views, routines, triggers and events on the target, as the account that is to own them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .comparison import Comparison, Contents, Wish
from .importer import MAKES_PROGRAMS, Importer, allow_stage, make_prepared
from .job import DatabaseJob
from .programs import DISABLED, TRIGGER, Account, Program
from .structure import Structure
from .writing import alter_collation, set_collation


def choose_programs(
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


@dataclass(frozen=True)
class ProgramMaker:
    """Makes programs of a source.

    job, wish: What is copied, and what of programs is wanted.
    importer: The account of this run.
    source: The structure of the source.
    """

    job: DatabaseJob
    wish: Wish
    importer: Importer
    source: Structure

    def make(self, programs: Mapping[tuple[str, str], Program]) -> dict[tuple[str, str], str]:
        """Make programs, and return those that cannot be made here, with what the server said."""
        definer = self.wish.definer
        if definer is None or not programs:
            return {}

        job = self.job
        allow_stage(job.target.login, job.target.name, self.importer.user, MAKES_PROGRAMS)
        pending = list(programs.values())
        while True:
            failures = self._make_each(pending, definer)
            # A view that was made in this round may be what another one needs.
            if len(failures) in (0, len(pending)):
                break
            pending = [program for program, _reason in failures]

        return {program.key: reason for program, reason in failures}

    def _make_each(
        self, programs: Sequence[Program], definer: Account
    ) -> list[tuple[Program, str]]:
        """Make programs one by one, and return those that failed, with what the server said."""
        failures: list[tuple[Program, str]] = []
        begin = 0
        while begin < len(programs):
            groups = [self._compose_creation(program, definer) for program in programs[begin:]]
            failure = self.importer.run(groups)
            if failure is None:
                break
            begin += failure.index
            failures.append((programs[begin], failure.reason))
            begin += 1
            # A failed statement can leave the collation of its program behind.
            set_collation(self.job, self.source)

        return failures

    def _compose_creation(self, program: Program, definer: Account) -> list[str]:
        """Return the statements that make a program under the settings of the one who wrote it."""
        state = program.state if self.wish.has_events else DISABLED
        statements = program.make_session()
        creation = make_prepared(program.make_statement(definer, state))
        collation = program.database_collation.decode("ascii")
        if collation in ("", self.source.collation):
            return [*statements, creation]

        name = self.job.target.name

        return [
            *statements,
            make_prepared(alter_collation(name, collation).encode("utf-8", "surrogateescape")),
            creation,
            make_prepared(
                alter_collation(name, self.source.collation).encode("utf-8", "surrogateescape")
            ),
        ]
