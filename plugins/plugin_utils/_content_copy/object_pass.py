# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes what a pass did with an object, as results, pages and the state file have it.

Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...module_utils._content.content_errors import compose_message
from ...module_utils._content.shown_text import MOST_NAMES, show_count
from .content_objects import DATABASE, MAILBOX, TREE
from .pass_plan import CONTAINED, COPY, UNPROVED, VERIFY

COPIED = "copied"
UNCHANGED = "unchanged"
FAILED = "failed"
DIFFERS = "differs"
EQUAL = "equal"
OUTCOMES = (COPIED, UNCHANGED, FAILED, DIFFERS, EQUAL)
DELETED_ON_TARGET = "deleted_on_target"
_COUNTS = (
    DELETED_ON_TARGET,
    "sent",
    "deleted",
    "bytes",
    "folders",
    "messages",
    "tables",
    "rows",
    "programs",
)
# Names that a module lists, and its last text with the number of the others.
_MOST_KEPT = MOST_NAMES + 1
# How an object is compared, for the page.
_COMPARISONS = {
    TREE: "every file by its content, with type, mode, time, links, ACL and attributes",
    MAILBOX: "every message by IMAP folder, UID, size, flags and date",
    DATABASE: "rows and checksum of every table, structure, views, routines, triggers and events",
}
_CONTAINED_IN_WORDS = "everything of the old server is on the new one"
_STAYS = "what the new one received stays"


@dataclass(frozen=True)
class Pass:
    """Says what a pass did with an object.

    Attributes:
        at: When it ended, in the form of ISO 8601.
        outcome: One of ``OUTCOMES``.
        has_changed: Whether something was written on the target.
        counts: Numbers of the modules by name, such as ``messages``.
        differences: As the module names them: of a tree texts, else dictionaries.
        left_out: Dictionaries of what the module has left out.
        unlisted: How many more ``differences`` and ``left_out`` there are, by that name.
        failure: Why it failed; empty if it did not.
        compared: How both sides were compared; empty where they were not.
        proof: What that proves, a constant of ``pass_plan.py``.
        digest: SHA-256 in hexadecimal, of the content or of this pass.
    """

    at: str = ""
    outcome: str = ""
    has_changed: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    differences: Sequence[Any] = ()
    left_out: Sequence[Any] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    compared: str = ""
    proof: str = UNPROVED
    digest: str = ""

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Pass:
        """Return the pass of an entry of a state file, which an older release may have written."""
        return cls(
            at=entry.get("at", ""),
            outcome=entry.get("outcome", ""),
            has_changed=bool(entry.get("changed")),
            counts=entry.get("counts", {}),
            differences=entry.get("differences", ()),
            left_out=entry.get("left_out", ()),
            unlisted=entry.get("unlisted", {}),
            failure=entry.get("why", ""),
            compared=entry.get("compared", ""),
            proof=entry.get("proof", UNPROVED),
            digest=entry.get("digest", ""),
        )

    def write(self) -> dict[str, Any]:
        """Return the entry of the state file."""
        unlisted: dict[str, Any] = {}
        if self.unlisted:
            unlisted["unlisted"] = dict(self.unlisted)
        return {
            **unlisted,
            "at": self.at,
            "outcome": self.outcome,
            "changed": self.has_changed,
            "counts": dict(self.counts),
            "differences": list(self.differences),
            "left_out": list(self.left_out),
            "why": self.failure,
            "compared": self.compared,
            "proof": self.proof,
            "digest": self.digest,
        }

    @property
    def has_succeeded(self) -> bool:
        """Return whether it copied, or found nothing to copy, and left nothing that differs."""
        return self.outcome in (COPIED, UNCHANGED)

    def confirm(self, comparison: Pass) -> Pass:
        """Return this pass of a killed run as one that a comparison has just confirmed."""
        return replace(
            comparison,
            outcome=COPIED if self.has_changed else UNCHANGED,
            has_changed=self.has_changed,
            counts={**comparison.counts, **self.counts},
        )


def make_pass(
    content: Mapping[str, Any], module_results: Mapping[str, Any], step: str, proof: str, now: str
) -> Pass:
    """Return the pass of what the modules returned.

    Args:
        content: The object.
        module_results: As ``record`` in ``content_state.py`` has it.
        step: The step of the role.
        proof: What the pass proves, a constant of ``pass_plan.py``.
        now: The time.
    """
    module_result = module_results["result"]
    comparison = module_results.get("comparison") or {}
    repair = module_results.get("repair") or {}
    has_changed = bool(module_result.get("changed") or repair.get("changed"))
    ended_runs = [module_result, *(result for result in (repair, comparison) if result)]
    failed_runs = [result for result in ended_runs if has_failed(result)]
    message = ""
    if failed_runs:
        message = _describe_failure(failed_runs[0], module_results.get("option_names", {}))
    differences = comparison.get("differences") or module_result.get("differences") or []
    # What failed has proved nothing.
    proof = UNPROVED if message else proof
    counts = {
        name: module_result[name] + repair.get(name, 0) for name in _COUNTS if name in module_result
    }
    lists = {
        "differences": list(differences),
        "left_out": list(module_result.get("left_out") or []),
    }
    ended_pass = Pass(
        at=now,
        outcome=_find_outcome(has_changed, message, differences, step),
        has_changed=has_changed,
        counts=counts,
        differences=lists["differences"][:_MOST_KEPT],
        left_out=lists["left_out"][:_MOST_KEPT],
        unlisted={
            name: len(entries) - _MOST_KEPT
            for name, entries in lists.items()
            if len(entries) > _MOST_KEPT
        },
        failure=message,
        compared=_describe_comparison(
            content["kind"], proof, bool(differences), counts.get(DELETED_ON_TARGET, 0)
        ),
        proof=proof,
    )
    digest = module_result.get("digest") or _compute_digest(content["key"], ended_pass)

    return replace(ended_pass, digest=digest)


def has_failed(module_result: Mapping[str, Any]) -> bool:
    """Return whether a module has not said that it has done everything."""
    return not module_result.get("is_complete")


def _describe_failure(module_result: Mapping[str, Any], option_names: Mapping[str, str]) -> str:
    """Return why a module failed, with its options as an operator has them."""
    error = module_result.get("error")
    if not isinstance(error, Mapping) or "problem" not in error:
        # Ansible itself, or a defect, has ended the module.
        return str(module_result.get("msg") or "The module ended without a result.")

    option: str = error["option"]

    return compose_message(
        option_names.get(option, option), error["problem"], error["effect"], error["advice"]
    )


def _find_outcome(has_changed: bool, message: str, differences: Sequence[Any], step: str) -> str:
    if message:
        return FAILED
    if step != COPY and differences:
        return DIFFERS
    if step == VERIFY:
        return EQUAL
    return COPIED if has_changed else UNCHANGED


def _describe_comparison(kind: str, proof: str, has_differences: bool, deleted: int) -> str:
    """Return how a pass compared both sides; empty where it did not."""
    if proof == UNPROVED:
        return ""
    if proof != CONTAINED or has_differences:
        return _COMPARISONS[kind]

    exception = ""
    if deleted:
        were = "was" if deleted == 1 else "were"
        messages = show_count(deleted, "message", "messages")
        exception = (
            f", except {messages} that the new one had before, and that {were} deleted there"
        )
    return f"{_COMPARISONS[kind]}: {_CONTAINED_IN_WORDS}{exception}; {_STAYS}"


def _compute_digest(key: str, ended_pass: Pass) -> str:
    entry = ended_pass.write()
    del entry["digest"]

    return make_digest([key, entry])


def make_digest(value: Any) -> str:
    """Return the SHA-256 of a value as JSON that is the same for equal values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
