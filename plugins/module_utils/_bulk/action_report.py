# SPDX-License-Identifier: GPL-3.0-or-later
"""What the result of a task says of the actions of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .._errors import PanelError, Reached, RequestError
from .._problems import Written, format_message, format_messages
from .._secrets.redaction import Secrets
from .action_results import CHANGED, FAILED, SKIPPED, Result


class Incomplete(PanelError):
    """Some actions failed, or were skipped; the result says which."""


def build_results(
    results: Sequence[Result], unplanned: Sequence[Mapping[str, Any]], secrets: Secrets
) -> dict[str, Any]:
    """Return the fields of a result that say what became of each action, and of each item without
    one.

    Args:
        results: What became of each action.
        unplanned: What became of items that are in no plan.
        secrets: What no message shows.
    """
    displayed_results = [_display_result(result, secrets) for result in results]
    fields: dict[str, Any] = {"results": [*displayed_results, *unplanned]}
    passwords = [
        {"kind": result.action.plural, "key": result.action.key, "password": result.password}
        for result in results
        if result.password
    ]
    if passwords:
        fields["generated_passwords"] = passwords
    return fields


def has_written(results: Sequence[Result]) -> bool:
    """Tell whether any action was written."""
    return _Counts.count_results(results).written > 0


def make_incomplete_error(
    results: Sequence[Result], fields: Mapping[str, Any], secrets: Secrets
) -> Incomplete | None:
    """Return the error of a task some of whose actions failed or were skipped; None where all were
    carried out.

    Args:
        results: What became of each action.
        fields: What the result of the task has of what was reached.
        secrets: What no message shows.
    """
    counts = _Counts.count_results(results)
    if not counts.failed and not counts.skipped:
        return None
    first = ", see results; first" if counts.failed + counts.skipped > 1 else ";"
    error = Incomplete(
        secrets.mask(f"{counts.describe()}{first} {_describe_first_failure(results)}")
    )
    error.details.update(failed=counts.failed, skipped=counts.skipped, written=counts.written)
    error.reached = Reached(counts.written > 0, fields)
    return error


class _Counts(NamedTuple):
    """How many actions came to what.

    total: All actions.
    failed: Those that failed.
    skipped: Those that were not tried.
    written: Those that were written, some of which failed after it.
    failed_after_write: Those among them.
    unknown: Those that failed and may have been written.
    """

    total: int
    failed: int
    skipped: int
    written: int
    failed_after_write: int
    unknown: int

    @classmethod
    def count_results(cls, results: Sequence[Result]) -> _Counts:
        """Count the results."""
        counts = Counter(result.outcome for result in results)
        errors = [result.error for result in results if result.error and result.outcome == FAILED]
        # What failed after its write was written too, such as a zone that is not what it should be,
        # or an object whose password did not arrive.
        untouched = [error for error in errors if not error.has_changed]
        after_write = len(errors) - len(untouched)
        return cls(
            total=len(results),
            failed=counts[FAILED],
            skipped=counts[SKIPPED],
            written=after_write + counts[CHANGED],
            failed_after_write=after_write,
            unknown=sum(error.may_have_written for error in untouched),
        )

    def describe(self) -> str:
        """Return the counts in the words of a message."""
        failed = f"{self.failed} of {self.total} changes failed"
        if self.failed_after_write:
            they_were = "it was" if self.failed_after_write == 1 else "they were"
            failed += f" ({self.failed_after_write} after {they_were} written)"
        parts = [failed]
        if self.skipped:
            parts.append(f"{_format_count(self.skipped)} skipped")
        parts.append(f"{_format_count(self.written)} written")
        if self.unknown:
            parts.append(f"{self.unknown} may have been")
        return ", ".join(parts)


def _format_count(count: int) -> str:
    return f"{count} was" if count == 1 else f"{count} were"


def _describe_first_failure(results: Sequence[Result]) -> str:
    """Put into words why the first action failed, or was skipped where none did."""
    failed = [result for result in results if result.outcome == FAILED]
    skipped = [result for result in results if result.outcome == SKIPPED]
    first = (failed or skipped)[0]
    error = first.error or PanelError()
    problem = error.problem
    if isinstance(error, RequestError):
        # The number of those that were written stands before it.
        return format_message(replace(problem, written=Written.NOT_IN_QUESTION))
    message = format_messages(error.problems)
    return message if problem.subject else f"{first.action.label}: {message}"


def _display_result(result: Result, secrets: Secrets) -> dict[str, Any]:
    """Return what a result says of one action."""
    action, error = result.action, result.error
    displayed: dict[str, Any] = {
        "kind": action.plural,
        "key": action.key,
        "id": result.id,
        "result": result.outcome,
    }
    if error is not None:
        displayed["msg"] = secrets.mask(format_messages(error.problems))
    if error is not None and result.outcome == FAILED:
        displayed["error"] = {"type": error.type_name, **secrets.mask_value(error.reported_details)}
        if error.has_changed:
            displayed["error"]["written"] = True
        if error.reached is not None:
            # What a zone was before, so that it can be put back. Passwords are listed for all
            # objects together.
            displayed |= error.reached.fields
    # Somebody else has made it by now.
    if result.applied is not None and result.applied.existed:
        displayed["existed"] = True
    return displayed
