# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what the passes of a copy did with each object, and sums them up.

Pure. A state is a dictionary of the JSON file: ``format``, ``source``, ``target``, ``run`` (the
step that has not ended, the keys of what it has done, and of what a killed run of it had done, which
this one compares), ``is_taken_over`` (whether the step late has begun once, so that customers use
the target) and ``objects`` by key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._content.shown_text import show_name
from .content_objects import DATABASE, MAILBOX, TREE, identify_target, list_outer, reaches

FORMAT = "hosting.panel.content"
VERSION = 1
COPIED = "copied"
UNCHANGED = "unchanged"
FAILED = "failed"
DIFFERS = "differs"
EQUAL = "equal"
LEFT = "left"
# For pages, which customers read.
_OUTCOMES_IN_WORDS = {
    COPIED: "copied",
    UNCHANGED: "was right already",
    FAILED: "FAILED",
    DIFFERS: "DIFFERS",
    EQUAL: "equal on both servers",
    LEFT: "not touched",
}
_TITLES = {"tree": "Files", "mailbox": "Mailbox", "database": "Database"}
COPY = "copy"
FINAL = "final"
LATE = "late"
VERIFY = "verify"
_NEVER_DONE = {
    "info": "the step info copies nothing",
    "late": "the step late is for mailboxes",
}
# Steps that prove how both servers are when they end.
_PROVING = (FINAL, LATE)
# Steps after which trees and databases of the target are those of the source.
_OVERWRITING = (COPY, FINAL)
_STOPPED = "an earlier object failed, and content_continue is false"
_PREDICTED = "check mode copies nothing"
_COUNTS = ("sent", "deleted", "bytes", "folders", "messages", "tables", "rows", "programs")
_MOST_KEPT = 1000
_MOST_NAMED = 10
_SHOWN = ("outcome", "why", "at", "counts", "digest", "compared", "left_out")
# By kind: the list of panel_content_info, and the member with the name.
_INFORMATION = {
    TREE: ("trees", "path"),
    MAILBOX: ("mailboxes", "address"),
    DATABASE: ("databases", "name"),
}
# How an object is compared, for the page.
_COMPARISONS = {
    TREE: "every file by its content, with type, mode, time, links, ACL and attributes",
    MAILBOX: "every message by IMAP folder, UID, size, flags and date",
    DATABASE: "rows and checksum of every table, structure, views, routines, triggers and events",
}
_CONTAINED = "everything of the source is on the target; what the target received stays"

State = Mapping[str, Any]


def find_problem_of_state(
    state: Any,
    source: str,
    step: str = "",
    wanted: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """Return what is wrong with the content of a state file; empty if nothing is.

    Args:
        state: What was read; empty where there is no file.
        source: The host that the content comes from.
        step: The step that is to follow.
        wanted: The objects that it takes; None if all of the state.
    """
    if state == {}:
        return ""
    damage = _find_damage(state)
    if damage:
        return damage
    if state.get("source") != source:
        return f"it is about the source {state.get('source')}. Move the file away."
    return _refuse_to_overwrite(state, step, wanted)


def _find_damage(state: Any) -> str:
    """Return why this cannot be a state of this release; empty if it can."""
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        return "this is no state of a copy. Move the file away."
    if state.get("version") != VERSION or not isinstance(state.get("objects"), dict):
        return "another release wrote this state. Move the file away."
    if not _is_run(state.get("run")):
        return "this state of a copy is damaged. Restore the file, or move it away."
    return ""


def _is_run(run: Any) -> bool:
    """Tell whether a state has this of a run: nothing, or a step with lists of keys."""
    if run == {}:
        return True
    if not isinstance(run, dict) or not isinstance(run.get("step"), str):
        return False

    return all(_is_list_of_keys(run.get(name)) for name in ("done", "failed", "to_compare"))


def _is_list_of_keys(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(key, str) for key in value)


def _refuse_to_overwrite(
    state: State, step: str, wanted: Sequence[Mapping[str, Any]] | None
) -> str:
    """Return why a step would overwrite what customers have changed; empty if it would not."""
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
        known = find_known(objects, wanted)
    has_more = any(_has_more_than_mail(entries) for entries in known)

    return has_more and all(_has_succeeded_once(entries) for entries in known)


def _has_succeeded_once(entries: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether the last copy succeeded under one of the spellings of an object."""
    return any(_has_succeeded(entry.get("passes", {}).get(FINAL)) for entry in entries)


def find_known(
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


def _has_succeeded(entry: Mapping[str, Any] | None) -> bool:
    """Tell whether a pass took place and left nothing that differs."""
    return entry is not None and entry.get("outcome") in (COPIED, UNCHANGED)


def begin_run(state: State, step: str, source: str, target: str) -> dict[str, Any]:
    """Return the state at the start of a step, which goes on where a killed run of it ended.

    What that run had done is done in the step copy. A step that proves something compares it anew.
    """
    run = state.get("run") or {}
    done: list[str] = []
    to_compare: list[str] = []
    if run.get("step") == step == COPY:
        done = run["done"]
    elif run.get("step") == step and step in _PROVING:
        to_compare = list(dict.fromkeys([*run["to_compare"], *run["done"]]))

    return {
        "format": FORMAT,
        "version": VERSION,
        "source": source,
        "target": target,
        "run": {"step": step, "done": done, "failed": [], "to_compare": to_compare},
        "is_taken_over": step == LATE or bool(state.get("is_taken_over")),
        "objects": dict(state.get("objects", {})),
    }


def record(
    state: State, content: Mapping[str, Any], done: Mapping[str, Any], step: str, now: str
) -> dict[str, Any]:
    """Return the state with what a pass did with an object.

    Args:
        state: The state before.
        content: The object.
        done: ``result`` of the module, ``comparison`` of the one that compared afterwards, and
            ``repair`` of a second copy that the comparison made necessary. With ``is_recheck``, the
            module only compared what a killed run had done. If that is not equal, the state stays
            as it is, and the object is still to be copied.
        step: The step of the role.
        now: The time.
    """
    objects = dict(state["objects"])
    previous = objects.get(content["key"], {})
    if done.get("is_recheck"):
        if not _is_confirmed(done["result"]):
            return dict(state)
        entry = _confirm_pass(previous["passes"][step], _make_pass(content, done, step, now))
    else:
        entry = _make_pass(content, done, step, now)
    objects[content["key"]] = {
        "kind": content["kind"],
        "from": content["from"],
        "to": content["to"],
        "passes": {**previous.get("passes", {}), step: entry},
        "last": step,
    }
    run = dict(state["run"])
    ending = "failed" if entry["outcome"] == FAILED else "done"
    run[ending] = [*run[ending], content["key"]]
    return {**state, "run": run, "objects": objects}


def _is_confirmed(result: Mapping[str, Any]) -> bool:
    """Return whether a comparison says that there is nothing to copy."""
    return not (result.get("msg") or result.get("differences") or result.get("changed"))


def _confirm_pass(former: Mapping[str, Any], comparison: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pass of a killed run as one that a comparison has just confirmed."""
    outcome = COPIED if former["changed"] else UNCHANGED
    counts = {**comparison["counts"], **former["counts"]}

    return {**comparison, "outcome": outcome, "changed": former["changed"], "counts": counts}


def _make_pass(
    content: Mapping[str, Any], done: Mapping[str, Any], step: str, now: str
) -> dict[str, Any]:
    result = done["result"]
    comparison = done.get("comparison") or {}
    repair = done.get("repair") or {}
    has_changed = bool(result.get("changed") or repair.get("changed"))
    message = result.get("msg") or repair.get("msg") or comparison.get("msg") or ""
    differences = list(comparison.get("differences") or result.get("differences") or [])
    entry: dict[str, Any] = {
        "at": now,
        "outcome": _find_outcome(has_changed, message, differences, step),
        "changed": has_changed,
        "counts": {name: result[name] + repair.get(name, 0) for name in _COUNTS if name in result},
        "differences": differences[:_MOST_KEPT],
        "left_out": list(result.get("left_out") or [])[:_MOST_KEPT],
        "why": str(message),
        "compared": _describe_comparison(content["kind"], step, bool(done.get("is_contained"))),
    }
    entry["digest"] = result.get("digest") or make_digest([content["key"], entry])
    return entry


def _find_outcome(has_changed: bool, message: str, differences: Sequence[Any], step: str) -> str:
    if message:
        return FAILED
    if step != COPY and differences:
        return DIFFERS
    if step == VERIFY:
        return EQUAL
    return COPIED if has_changed else UNCHANGED


def _describe_comparison(kind: str, step: str, is_contained: bool) -> str:
    """Return how a pass compared both sides; empty where it did not."""
    if kind == TREE and step == COPY:
        return ""
    if kind == MAILBOX and (step != VERIFY or is_contained):
        return f"{_COMPARISONS[kind]}: {_CONTAINED}"
    return _COMPARISONS[kind]


def make_digest(value: Any) -> str:
    """Return the SHA-256 of a value as JSON that is the same for equal values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


# The result


def make_result(
    objects: Sequence[Mapping[str, Any]],
    state: State,
    step: str,
    information: Mapping[str, Any],
    is_check: bool,
) -> dict[str, Any]:
    """Return what the role sets as ``content_result``, without the page.

    Args:
        objects: All that the role was given.
        state: What was done.
        step: The step.
        information: ``content`` of panel_content_info, where the source was only read.
        is_check: Whether the run is in check mode.
    """
    touched = {*state["run"]["done"], *state["run"]["failed"]}
    rows = []
    differences = []
    for content in objects:
        row = _make_row(content)
        if content["key"] in touched:
            entry = state["objects"][content["key"]]["passes"][step]
            row.update({name: entry[name] for name in _SHOWN})
            row["bytes"] = entry["counts"].get("bytes")
            differences += [_name_difference(content, each) for each in entry["differences"]]
        else:
            row["bytes"] = _find_bytes(content, information)
            row["why"] = _PREDICTED if is_check else _NEVER_DONE.get(step, _STOPPED)
        row["in_words"] = _OUTCOMES_IN_WORDS[row["outcome"]]
        rows.append(row)
    digest = make_digest([[row.get("digest", ""), row["kind"], row["to"]] for row in rows])
    return {"step": step, "objects": rows, "differences": differences, "digest": digest}


def _make_row(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an object that was not touched."""
    return {
        "kind": content["kind"],
        "title": _TITLES[content["kind"]],
        "from": content["from"],
        "to": content["to"],
        "outcome": LEFT,
        "bytes": None,
        "why": "",
    }


def _find_bytes(content: Mapping[str, Any], information: Mapping[str, Any]) -> int | None:
    """Return how large an object is on the source, where that was read."""
    list_name, name = _INFORMATION[content["kind"]]
    for entry in information.get(list_name, ()):
        if entry.get(name) == show_name(content["from"]):
            size: int | None = entry.get("bytes")
            return size
    return None


def _name_difference(content: Mapping[str, Any], difference: Any) -> dict[str, Any]:
    """Return a difference with its object: of a tree it is a name, else a dictionary."""
    head = {"kind": content["kind"], "object": content["to"]}
    if isinstance(difference, Mapping):
        name = difference.get("folder") or difference.get("name") or ""
        # A database has tables, views and programs, of which two may have one name.
        part = difference.get("kind", "")
        return {**head, "name": f"{part} {name}".strip(), "why": difference.get("why", "")}
    return {**head, "name": str(difference), "why": ""}


def list_failures(result: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each object that failed or differs, for the message of the role."""
    sentences = []
    for row in result["objects"]:
        if row["outcome"] == FAILED:
            sentences.append(f"{row['kind']} {row['to']}: {row['why']}")
        elif row["outcome"] == DIFFERS:
            names = _name_some(result["differences"], row)
            sentences.append(f"{row['kind']} {row['to']} differs: {names}.")
    return sentences


def _name_some(differences: Iterable[Mapping[str, Any]], row: Mapping[str, Any]) -> str:
    texts = [
        ": ".join(filter(None, (difference["name"], difference["why"])))
        for difference in differences
        if (difference["kind"], difference["object"]) == (row["kind"], row["to"])
    ]
    more = [f"and {len(texts) - _MOST_NAMED} more"] if len(texts) > _MOST_NAMED else []
    return "; ".join([*texts[:_MOST_NAMED], *more])


def describe_result(result: Mapping[str, Any], target: str) -> str:
    """Return the message with which the role ends.

    Args:
        result: As ``make_result`` returns it, with the path of the page.
        target: The host that got the content.
    """
    failures = list_failures(result)
    page = f" Page: {result['page']}" if result["page"] else ""
    if failures:
        more = len(failures) - _MOST_NAMED
        ending = f" And {more} more." if more > 0 else ""
        listed = " ".join(failures[:_MOST_NAMED])
        return f"{target}: {listed}{ending} What was copied stays.{page}"
    outcomes = [row["outcome"] for row in result["objects"]]
    counts = [f"{outcomes.count(name)} {name}" for name in dict.fromkeys(outcomes)]
    return f"{target}: {', '.join(counts)}.{page}"
