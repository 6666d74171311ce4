# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mapper makes of a source: items by client and kind, and the lists that account for each
row. Nothing in it is a hash or a key outside of a Secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ...module_utils._kinds.registry import KINDS

Item = dict[str, Any]
ItemsByKind = dict[str, list[Item]]
ResourcesByClient = dict[Optional[str], ItemsByKind]
"""By username of a client, and by None what belongs to no client."""
ResultEntry = dict[str, Any]
TABLE = "table"
"""The field of an entry that has the table of its row, which the result shows within source."""


@dataclass(frozen=True)
class Secret:
    """A text of an item that no file may have unless it is encrypted."""

    text: str = field(repr=False)


def reveal(value: Any) -> Any:
    """Return a value of an item with the texts of its secrets in it."""
    if isinstance(value, Secret):
        return value.text
    if isinstance(value, Mapping):
        return {name: reveal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [reveal(entry) for entry in value]
    return value


@dataclass(frozen=True)
class PasswordCounts:
    """How many objects keep their password, and how many get a new one."""

    kept: int = 0
    new: int = 0


@dataclass(frozen=True)
class ObjectName:
    """Names an object of the folder."""

    client: str | None
    plural: str
    key: str


@dataclass(frozen=True)
class ExceededLimit:
    """A client who has more of a resource than the hosting plan allows."""

    client: str
    resource: str
    limit: int
    used: int


@dataclass(frozen=True)
class MappedSource:
    """A source as a folder of this collection.

    Attributes:
        resources: The items, with sizes in bytes and names in punycode. A Secret has to be
            encrypted before it is written.
        carried: Entries {client, kind, key, source, table} for each row that arrives.
        renamed: Entries {client, kind, from, to, why}.
        left_out: Entries {client, kind, key, source, table, field, why}; field only where the
            object itself is carried.
        questions: Entries {mapping, about, default}.
        question_counts: How many objects ask each question, by its mapping and about.
        passwords: How many passwords stay.
        changed_passwords: The objects that get a new password.
        content: Lists of the objects of role content, by "trees", "mailboxes" and "databases".
        exceeded_limits: Clients who are above a limit.
    """

    resources: ResourcesByClient = field(default_factory=dict)
    carried: Sequence[ResultEntry] = ()
    renamed: Sequence[ResultEntry] = ()
    left_out: Sequence[ResultEntry] = ()
    questions: Sequence[ResultEntry] = ()
    question_counts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    passwords: PasswordCounts = PasswordCounts()
    changed_passwords: Sequence[ObjectName] = ()
    content: Mapping[str, list[Item]] = field(default_factory=dict)
    exceeded_limits: Sequence[ExceededLimit] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of items by kind, in the order of the kinds."""
        counts: Counter[str] = Counter()
        for items_by_kind in self.resources.values():
            for kind, items in items_by_kind.items():
                counts[kind] += len(items)
        return {kind: counts[kind] for kind in KINDS if counts[kind]}
