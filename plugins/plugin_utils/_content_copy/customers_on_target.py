# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a step that would overwrite what customers have changed on the target.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .content_objects import HOME, MAILBOX, TREE, identify_target, list_outer, reaches
from .object_pass import Pass
from .pass_plan import COPY, FINAL

# Steps after which trees and databases of the target are those of the source.
_OVERWRITING = (COPY, FINAL)


class _Targets:
    """Finds objects by where they go."""

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Take objects, or what a state has of them."""
        self._by_target: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        self._by_outer: dict[str, list[Mapping[str, Any]]] = {}
        for entry in entries:
            target = identify_target(entry)
            self._by_target.setdefault((entry["kind"], target), []).append(entry)
            if entry["kind"] == TREE:
                for outer in list_outer(target):
                    self._by_outer.setdefault(outer, []).append(entry)

    def list_at(self, kind: str, target: str) -> Sequence[Mapping[str, Any]]:
        """Return the objects of a kind that go to a target."""
        return self._by_target.get((kind, target), ())

    def list_in(self, target: str) -> Sequence[Mapping[str, Any]]:
        """Return the trees that go to somewhere in a target."""
        return self._by_outer.get(target, ())

    def list_around(self, target: str) -> list[Mapping[str, Any]]:
        """Return the trees in which a target is."""
        return [entry for outer in list_outer(target) for entry in self.list_at(TREE, outer)]

    def list_reached(self, content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the objects that go to where this one goes, and the trees in and around it."""
        target = identify_target(content)
        entries = list(self.list_at(content["kind"], target))
        if content["kind"] == TREE:
            entries += [*self.list_in(target), *self.list_around(target)]
        return entries


def explain_overwriting(
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
            "overwrite what they have changed there. To copy even so, move the file away; for "
            "customers who have not switched yet, name another directory."
        )
    if step == COPY and _has_ended_finally(state["objects"], wanted):
        return (
            "the step final has ended, so customers may use the target, and copy could overwrite "
            "what they have changed there. Before the switch, run final again in place of copy. "
            "To copy the settings of a move alone, set move_content: false."
        )
    if step == FINAL and wanted is not None:
        return _explain_replacing(state["objects"], wanted)
    return ""


def _explain_replacing(objects: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]]) -> str:
    """Return why a last copy would replace what one from elsewhere has brought; empty if not.

    Args:
        objects: What a state has of objects.
        wanted: The objects that the step takes. Of a path in a home it is known only with the full
            path where it is.
    """
    finished = _Targets(entry for entry in objects.values() if _has_succeeded_once([entry]))
    wanted_targets = _Targets(wanted)
    for content in wanted:
        if content["kind"] == MAILBOX or content["from"].startswith(HOME):
            continue
        for entry in finished.list_reached(content):
            is_parted = _is_parted(entry, content, wanted_targets, finished)
            if _is_replaced(entry, content) and not is_parted:
                return (
                    f"the step final has copied {entry['from']} to {entry['to']}, and customers "
                    f"may use that. To copy {content['from']} to {content['to']} would replace it. "
                    "Correct the objects. To copy even so, move the file away."
                )
    return ""


def _is_replaced(entry: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Tell whether a copy brings something else to where the last copy of an object went.

    Args:
        entry: What a state has of the object.
        content: The object of the same kind that is to be copied, with full paths.
    """
    target = identify_target(content)
    if target == entry["to"]:
        return bool(content["from"] != entry["from"])
    if content["kind"] != TREE:
        return False
    if reaches(content, target, entry["to"]):
        return bool(content["from"] + entry["to"][len(target) :] != entry["from"])
    if reaches(entry, entry["to"], target):
        return bool(entry["from"] + target[len(entry["to"]) :] != content["from"])
    return False


def _is_parted(
    outer: Mapping[str, Any], content: Mapping[str, Any], wanted: _Targets, finished: _Targets
) -> bool:
    """Tell whether a tree in another one is none of its own.

    A state does not say what a tree excludes. So either the tree around it excludes it now, or it
    had a last copy of its own.

    Args:
        outer: What a state has of the tree around it.
        content: The tree.
        wanted: All objects that are to be copied.
        finished: What the state has of objects that had their last copy.
    """
    target = identify_target(content)
    if outer["to"] not in list_outer(target):
        return False
    if any(entry["from"] == content["from"] for entry in finished.list_at(TREE, target)):
        return True

    outer_trees = wanted.list_at(TREE, outer["to"])
    return bool(outer_trees) and not any(reaches(tree, outer["to"], target) for tree in outer_trees)


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
    targets = _Targets(objects.values())
    known = []
    for content in wanted:
        target = identify_target(content)
        entries = list(targets.list_at(content["kind"], target))
        if content["key"] in objects:
            entries.append(objects[content["key"]])
        if content["kind"] == TREE and not entries:
            inner = targets.list_in(target)
            entries += [entry for entry in inner if reaches(content, target, entry["to"])]
            entries += targets.list_around(target)
        if entries:
            known.append(entries)
    return known
