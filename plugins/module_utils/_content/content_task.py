# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a task on content, and is its only way out: a result, or a failure as data and in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

from .._log import log_completion, log_failure, log_into_file, log_start
from .._operation.defects import report_defect
from .content_errors import ContentError, explain_system_errors

_Result = TypeVar("_Result")
_ADVICE_ON_DEFECTS = (
    "What was copied until then stays. Run the task again. Please report this line."
)


class ContentModule(Protocol):
    """Describes what a task uses of AnsibleModule."""

    check_mode: bool

    def fail_json(self, msg: str, **fields: Any) -> NoReturn:
        """End the module with a message and further fields."""

    def warn(self, warning: str) -> None:
        """Add a warning to the result."""


class _Failure(NamedTuple):
    """Says why a task failed.

    message: In words.
    error: The same as data; its ``type`` is that of the error.
    """

    message: str
    error: dict[str, Any]


def run_content_task(module: ContentModule, work: Callable[[], _Result]) -> _Result:
    """Return the result of a task on content, or end its module with the message of the error.

    Args:
        module: It gets a message and the field ``error`` of a failure.
        work: The task.
    """
    # A line has no argument of a command and nothing that a tool printed, so it has no secret.
    with log_into_file(str, module.warn):
        log_start(module.check_mode)
        outcome = _attempt(work)
        if isinstance(outcome, _Failure):
            log_failure(outcome.error["type"])
        else:
            log_completion()

    if isinstance(outcome, _Failure):
        module.fail_json(outcome.message, error=outcome.error, is_complete=False)
    return outcome


def _attempt(work: Callable[[], _Result]) -> _Result | _Failure:
    """Return the result of a task, or why it failed; never raises."""
    try:
        with explain_system_errors():
            return work()
    except ContentError as error:
        return _Failure(error.compose(), error.describe())
    except Exception as error:
        defect = report_defect(error)
        defect.amend(advice=_ADVICE_ON_DEFECTS)
        return _Failure(str(defect), {"type": defect.type_name, **defect.details})
