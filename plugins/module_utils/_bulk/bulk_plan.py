# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for many objects: what is done, what a result shows of it, and its checksum. Pure."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .._plan.object_plan import CREATE, DELETE, UPDATE, ObjectPlan
from .actions import Action, group_in_waves
from .encrypted_values import EncryptedValues

_ROUNDS = 600_000
"""How often a checksum is digested that covers texts which are shown in part: no one guesses a
password from it.
"""


@dataclass(frozen=True)
class BulkPlan:
    """Says what a task does with many objects.

    waves: The actions in the groups in which they may be done at once, in their order.
    summary: How many objects are created, updated, deleted, and right already.
    checksum: Covers what is done with which object, in which order, and the ids of what it counts
        on; also what is written behind a mask, except the values of secret options.
    displayed: The plan as a result shows it, without what files have encrypted.
    """

    waves: Sequence[Sequence[Action]]
    summary: Mapping[str, int]
    checksum: str
    displayed: Mapping[str, Any]

    @property
    def actions(self) -> list[Action]:
        """Return what is done, in this order."""
        return list(chain.from_iterable(self.waves))


def make_bulk_plan(
    actions: Sequence[Action], unchanged: int, encrypted: EncryptedValues | None = None
) -> BulkPlan:
    """Return the plan that has these actions.

    Args:
        actions: What is done, in the order in which it was planned.
        unchanged: How many objects are right already.
        encrypted: What the files of the task have encrypted; None for nothing.
    """
    waves = group_in_waves(actions)
    entries = []
    covered = []
    masked_texts: list[Any] = []
    for action in chain.from_iterable(waves):
        head = {"kind": action.plural, "key": action.key, "id": action.id, "action": action.action}
        entry = {**head, **action.displayed}
        entries.append(entry)
        dependencies = None
        if isinstance(action.change, ObjectPlan):
            # Whoever approves a plan approves the objects with these ids, and not others which have
            # their names by now.
            dependencies = action.change.dependencies
            masked_texts += [(action.name, *text) for text in action.change.partly_masked_texts]
        covered.append((entry, dependencies))

    counts = Counter(action.action for action in actions)
    summary = {name: counts[name] for name in (CREATE, UPDATE, DELETE)}
    summary["unchanged"] = unchanged
    plan: dict[str, Any] = {"summary": summary, "actions": entries}
    masked_plan = plan if encrypted is None else encrypted.mask_plan(plan)
    if masked_plan != plan:
        masked_texts.append(covered)

    checksum = _make_checksum(covered, masked_texts)
    return BulkPlan(waves, summary, checksum, {**masked_plan, "checksum": checksum})


def _make_checksum(covered: Sequence[Any], masked_texts: Sequence[Any]) -> str:
    """Return the checksum of what a plan shows and of the texts that it shows in part."""
    checksum = hashlib.sha256(_encode_canonical(covered))
    if masked_texts:
        # Checksums are in logs, and such a text may hold a short password, which a fast digest
        # would tell.
        return hashlib.pbkdf2_hmac(
            "sha256", _encode_canonical(masked_texts), checksum.digest(), _ROUNDS
        ).hex()
    return checksum.hexdigest()


def _encode_canonical(value: Any) -> bytes:
    """Return a value as JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode()
