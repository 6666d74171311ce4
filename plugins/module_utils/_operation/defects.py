# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes errors of unexpected exceptions: mistakes of the collection itself."""

from __future__ import annotations

from .._errors import PanelError
from .._log import find_own_line, log_defect, read_stack


class Defect(PanelError):
    """Reports a mistake in the collection itself. Says where in the collection it is, without the
    values in the exception's text, which may be secret.
    """

    def __init__(self, error: BaseException) -> None:
        place = ""
        stack = read_stack(error)
        if stack:
            code_line = find_own_line(stack)
            place = f" in {code_line.function} ({code_line.file_name}:{code_line.number})"
        super().__init__(
            f"A defect in the collection hosting.panel: {type(error).__name__}{place}.",
            advice="Check the object on the panel, since it may have been written, and please report this line.",
        )


def as_panel_error(fault: Exception) -> PanelError:
    """Return an exception as the error of a task; the lines behind a defect are logged."""
    if isinstance(fault, PanelError):
        return fault
    return report_defect(fault)


def report_defect(fault: Exception) -> Defect:
    """Return an exception as a defect, whatever its type, and log the lines behind it."""
    log_defect(fault)
    return Defect(fault)
