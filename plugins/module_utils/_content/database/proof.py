# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether tables have equal rows though their checksums differ, and whether a source stood still."""

from __future__ import annotations

from .comparison import (
    DATABASE,
    TABLE,
    Contents,
    Difference,
    find_doubtful,
    find_proven,
    read_contents,
    read_digests_of,
)
from .job import DatabaseJob


def find_equal(job: DatabaseJob, source: Contents, target: Contents) -> list[str]:
    """Return the tables whose rows are equal though their checksums are not.

    Checksums that are the same before and after belong to the rows that were digested.
    """
    doubtful = find_doubtful(source, target)
    if not doubtful:
        return []

    source_digests = read_digests_of(job.source)
    target_digests = read_digests_of(job.target)
    equal = find_proven(doubtful, source_digests, target_digests)
    if not equal:
        return []

    later_source = read_contents(job.source)
    later_target = read_contents(job.target)

    return [
        name
        for name in equal
        if later_source.checksums.get(name) == source.checksums[name]
        and later_target.checksums.get(name) == target.checksums[name]
    ]


def has_moved(difference: Difference, before: Contents, after: Contents) -> bool:
    """Return whether what differs changed on the source during the copy."""
    if difference.kind == TABLE:
        name = difference.name
        tables = (before.structure.tables.get(name), after.structure.tables.get(name))
        checksums = (before.checksums.get(name), after.checksums.get(name))

        return tables[0] != tables[1] or checksums[0] != checksums[1]
    if difference.kind == DATABASE:
        return before.structure.collation != after.structure.collation

    return before.programs.get(difference.key) != after.programs.get(difference.key)


def pair_checksums(source: Contents, target: Contents, name: str) -> list[str]:
    """Return the checksums of a table on both sides, as they are kept."""
    pair = (source.checksums[name], target.checksums[name])

    return [f"{checksum.checksum} {checksum.digest}" for checksum in pair]
