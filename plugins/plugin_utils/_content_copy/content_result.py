# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums up what a step did with all objects, for the fact of the role, its page and its message.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._content.shown_text import show_count, show_name
from .content_objects import DATABASE, MAILBOX, TREE
from .object_pass import (
    COPIED,
    DELETED_ON_TARGET,
    DIFFERS,
    EQUAL,
    FAILED,
    UNCHANGED,
    Pass,
    make_digest,
)
from .pass_plan import CONTAINED, FINAL, INFO, LATE

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
# After the step late, the target may have more.
_COMPLETE = "complete on the new server"
# No one reads all files of a tree once more for a digest of them.
_DIGEST_OF_CONTENT = "Digest of the content"
_DIGEST_OF_ENTRY = "Digest of this entry"
# What a number of a pass counts, one and several.
_COUNTED = {
    "sent": ("file or directory sent", "files and directories sent"),
    "deleted": ("deleted", "deleted"),
    "bytes": ("byte", "bytes"),
    "folders": ("IMAP folder", "IMAP folders"),
    "messages": ("message", "messages"),
    "tables": ("table", "tables"),
    "rows": ("row", "rows"),
    "programs": ("view, routine, trigger or event", "views, routines, triggers and events"),
}
_OF_A_RUN = ("sent", "deleted", "bytes")
_TITLES = {TREE: "Files", MAILBOX: "Mailbox", DATABASE: "Database"}
_NEVER_DONE = {
    INFO: "the step info copies nothing",
    LATE: "the step late is for mailboxes",
}
_STOPPED = "an earlier object failed, and content_continue is false or the target is gone"
_PREDICTED = "check mode copies nothing"
_MOST_NAMED = 10
# By kind: the list of panel_content_info, and the member with the name.
_INFORMATION = {
    TREE: ("trees", "path"),
    MAILBOX: ("mailboxes", "address"),
    DATABASE: ("databases", "name"),
}


def make_result(
    objects: Sequence[Mapping[str, Any]],
    state: Mapping[str, Any],
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
            last_pass = Pass.read(state["objects"][content["key"]]["passes"][step])
            row.update(_describe_pass(content["kind"], last_pass))
            differences += [_name_difference(content, each) for each in last_pass.differences]
        else:
            row["bytes"] = _find_bytes(content, information)
            row["why"] = _PREDICTED if is_check else _explain_left(content, state, step)
            row["in_words"] = _OUTCOMES_IN_WORDS[LEFT]
        rows.append(row)
    digest = make_digest([[row.get("digest", ""), row["kind"], row["to"]] for row in rows])
    return {
        "step": step,
        "objects": rows,
        "differences": differences,
        "digest": digest,
        "in_words": _describe_whole(rows),
    }


def _describe_whole(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return for customers how much of a page is on the new server."""
    proved = [row for row in rows if row["is_proved"]]
    if rows and len(proved) == len(rows):
        return f"Everything below{_list_exceptions(rows)} is on the new server: both servers were compared."

    untouched = [row for row in rows if row["outcome"] == LEFT]
    copied = [row for row in rows if row["outcome"] in (COPIED, UNCHANGED)]
    unproved = [row for row in copied if not row["compared"]]
    incomplete = len(rows) - len(proved) - len(untouched) - len(unproved)
    counts = (
        (incomplete, "not complete on the new server"),
        (len(proved), "on the new server, as a comparison of both servers shows"),
        (len(unproved), "copied and not compared yet"),
        (len(untouched), "not touched by this step"),
    )
    sentences = [
        f"{number} of {show_count(len(rows), 'entry', 'entries')}: {sentence}."
        for number, sentence in counts
        if number
    ]
    return " ".join(sentences)


def _list_exceptions(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what of complete entries is not on the new server, as a part of a sentence."""
    exceptions = []
    if any(row["left_out"] or row["excluded"] for row in rows):
        exceptions.append("what was left out")
    if any(row["counts"].get(DELETED_ON_TARGET) for row in rows):
        exceptions.append("mail that was deleted there")
    return f", except {' and '.join(exceptions)}," if exceptions else ""


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
        "is_proved": False,
        "left_out": [],
        "unlisted": {},
        "excluded": list(content.get("exclude", ())),
    }


def _explain_left(content: Mapping[str, Any], state: Mapping[str, Any], step: str) -> str:
    """Return why a step has not touched an object."""
    reason = _NEVER_DONE.get(step, _STOPPED)
    passes = state["objects"].get(content["key"], {}).get("passes", {})
    if step == LATE and not Pass.read(passes.get(FINAL, {})).has_succeeded:
        return f"{reason}; the step final, which has to come before, has not succeeded"
    return reason


def _describe_pass(kind: str, last_pass: Pass) -> dict[str, Any]:
    """Return what the row of an object says of its pass."""
    has_digest_of_content = kind in (MAILBOX, DATABASE) and last_pass.outcome != FAILED
    is_complete = last_pass.outcome == EQUAL and last_pass.proof == CONTAINED
    return {
        "outcome": last_pass.outcome,
        "in_words": _COMPLETE if is_complete else _OUTCOMES_IN_WORDS[last_pass.outcome],
        "why": last_pass.failure,
        "is_proved": bool(last_pass.compared) and not last_pass.differences,
        "at": last_pass.at,
        "counts": last_pass.counts,
        "counts_in_words": _describe_counts(last_pass.counts),
        "digest": last_pass.digest,
        "digest_in_words": _DIGEST_OF_CONTENT if has_digest_of_content else _DIGEST_OF_ENTRY,
        "compared": last_pass.compared,
        "left_out": last_pass.left_out,
        "unlisted": dict(last_pass.unlisted),
        "bytes": last_pass.counts.get("bytes"),
    }


def _describe_counts(counts: Mapping[str, int]) -> str:
    """Return the numbers of a pass; empty without any. A run that copied nothing has no numbers."""
    return ", ".join(
        show_count(counts[name], *forms)
        for name, forms in _COUNTED.items()
        if counts.get(name) or (name in counts and name not in _OF_A_RUN)
    )


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
        result: As ``make_result`` returns it, with the path of the page, and with sentences of
            what failed and of what other runs have left.
        target: The host that got the content.
    """
    failures = result["failures"]
    page = f" Page: {result['page']}" if result["page"] else ""
    page += "".join(f" {each}" for each in result["other_runs"][:_MOST_NAMED])
    if failures:
        more = len(failures) - _MOST_NAMED
        ending = f" And {more} more." if more > 0 else ""
        listed = " ".join(failures[:_MOST_NAMED])
        return f"{target}: {listed}{ending} What was copied stays.{page}"
    outcomes = [row["outcome"] for row in result["objects"]]
    counts = [f"{outcomes.count(name)} {name}" for name in dict.fromkeys(outcomes)]
    return f"{target}: {', '.join(counts)}.{_count_differences(result)}{page}"


def _count_differences(result: Mapping[str, Any]) -> str:
    """Return a sentence on what a copy could not make equal, which the step final will refuse."""
    number = len(result["differences"])
    if number == 0:
        return ""

    return f" The page names {show_count(number, 'difference', 'differences')}."
