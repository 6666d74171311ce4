# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides when a run sends nothing more, from what came of its actions."""

from __future__ import annotations

import threading

from .._errors import Denied, OutcomeUnknown, PanelError, ServerFailed, TimeIsUp, Unreachable

# After so many actions in a row that the panel did not answer, it is taken to be gone.
_MOST_UNANSWERED = 2


class StopRule:
    """Knows whether a run has to stop, and why. Safe to use from several threads.

    What comes to its end while the run stops does not change the reason.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason = ""
        self._unanswered = 0

    @property
    def reason(self) -> str:
        """Return why nothing more is sent, as a cause; empty while the run goes on."""
        with self._lock:
            return self._reason

    def stop(self, reason: str) -> None:
        """Send nothing more. reason: as of ``reason``."""
        with self._lock:
            self._reason = self._reason or reason

    def count(self, error: PanelError | None) -> None:
        """Count what came of an action. error: None for one that succeeded."""
        with self._lock:
            if isinstance(error, (Unreachable, ServerFailed, OutcomeUnknown, Denied)):
                self._unanswered += 1
            else:
                self._unanswered = 0
            self._reason = self._reason or self._explain_stop(error)

    def _explain_stop(self, error: PanelError | None) -> str:
        """Return why the run stops after an action; empty where it goes on."""
        if isinstance(error, Denied) and _is_about_key(error):
            return "the panel does not accept the key for this any more, so nothing more was sent."
        if isinstance(error, TimeIsUp):
            return "the time of the task was over, so nothing more was sent."
        if self._unanswered < _MOST_UNANSWERED:
            return ""
        if isinstance(error, Denied):
            return "access was refused twice, so nothing more was sent."
        return "the panel had stopped to answer, so nothing more was sent."


def _is_about_key(error: Denied) -> bool:
    """Tell whether the panel refuses the key, and not a web server before it a request, for what
    that one holds.
    """
    return error.status == 401 or error.is_from_panel
