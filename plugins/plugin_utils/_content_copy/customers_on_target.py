# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a step that would overwrite what customers have changed on the target.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .content_objects import MAILBOX, TREE, identify_target, list_outer, reaches
from .object_pass import Pass
from .pass_plan import COPY, FINAL

# Steps after which trees and databases of the target are those of the source.
_OVERWRITING = (COPY, FINAL)


def refuse_to_overwrite(
    state: Mapping[str, Any], step: str, wanted: Sequence[Mapping[str, Any]] | None
) -> str:
    """Return why a step would overwrite what customers have changed; empty if it would not.

    Args:
        state: The state of earlier runs.
        step: The step that is to follow.
        wanted: The objects that it takes; None if all of the state.
    """
    if step not in _OVERWRITING:
        return ""
    objects = state["objects"].values() if wanted is None else wanted
    if state.get("is_taken_over") and _has_more_than_mail(objects):
        return (
            f"the step late has run already, so customers use the target, and {step} would "
            "overwrite what they have changed there. To copy even so, move the file away."
        )
    if step == COPY and _has_ended_finally(state["objects"], wanted):
        return (
            "the step final has ended, so customers may use the target, and copy could overwrite "
            "what they have changed there. Before the switch, run final again in place of copy. "
            "To copy the settings of a move alone, set move_content: false."
        )
    return ""


def _has_more_than_mail(objects: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether a copy of these objects could overwrite something.

    Mail is never lost.
    """
    return any(entry.get("kind") != MAILBOX for entry in objects)


def _has_ended_finally(
    objects: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]] | None
) -> bool:
    """Tell whether the last copy of these objects succeeded, and there is more than mail.

    Where one object failed, customers have stayed on the source. Other objects of the file may be
    those of other customers.
    """
    known = [[entry] for entry in objects.values()]
    if wanted is not None:
        known = _find_known(objects, wanted)
    has_more = any(_has_more_than_mail(entries) for entries in known)

    return has_more and all(_has_succeeded_once(entries) for entries in known)


def _has_succeeded_once(entries: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether the last copy succeeded under one of the spellings of an object."""
    passes = [entry.get("passes", {}).get(FINAL, {}) for entry in entries]
    return any(Pass.read(final_pass).has_succeeded for final_pass in passes)


def _find_known(
    objects: Mapping[str, Any], wanted: Iterable[Mapping[str, Any]]
) -> list[list[Mapping[str, Any]]]:
    """Return what a state has of each of these objects, without those of which it has nothing.

    An object may have been spelled in another way: then it has the same target. A tree of which
    there is nothing else is known by the trees in it or around it.
    """
    by_target: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    by_outer: dict[str, list[Mapping[str, Any]]] = {}
    for entry in objects.values():
        target = identify_target(entry)
        by_target.setdefault((entry["kind"], target), []).append(entry)
        if entry["kind"] == TREE:
            for outer in list_outer(target):
                by_outer.setdefault(outer, []).append(entry)

    known = []
    for content in wanted:
        target = identify_target(content)
        entries = list(by_target.get((content["kind"], target), []))
        if content["key"] in objects:
            entries.append(objects[content["key"]])
        if content["kind"] == TREE and not entries:
            inner = by_outer.get(target, [])
            entries += [entry for entry in inner if reaches(content, target, entry["to"])]
            entries += _find_around(target, by_target)
        if entries:
            known.append(entries)
    return known


def _find_around(
    target: str, by_target: Mapping[tuple[str, str], list[Mapping[str, Any]]]
) -> list[Mapping[str, Any]]:
    """Return what a state has of the trees in which a target is."""
    return [entry for outer in list_outer(target) for entry in by_target.get((TREE, outer), [])]
