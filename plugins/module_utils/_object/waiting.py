# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until the panel has applied a change. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Callable

from .._errors import PanelError

# Interface, "Read-only status field".
OKAY, ERROR = 1, 2
STATUS_WORDS = {0: "unknown", 1: "okay", 2: "error", 3: "config_new", 4: "config_update"}
NEW = 3
INTERVAL = 1.0


class NotApplied(PanelError):
    """The panel has the object, but has not applied it."""


def wait_until_applied(
    read: Callable[[], Mapping[str, Any] | None],
    label: str,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Reads until ``status`` is 1 and returns it; raises NotApplied on status 2, or when ``timeout`` seconds are over."""
    end = clock() + timeout
    while True:
        current = read()
        if current is None:
            raise NotApplied(
                f"The panel stored {label}, but it is gone again: somebody else deleted it meanwhile. Look on the panel, and run the "
                "task again if it shall be there.",
                status=None,
            )
        status = current.get("status")
        if status == OKAY:
            return OKAY
        words = STATUS_WORDS.get(status, "not shown") if isinstance(status, int) else "not shown"
        if status == ERROR:
            raise NotApplied(
                f"The panel stored {label}, but reports status {status} ({words}): it could not apply it. "
                "Look at the panel's own log; the object exists.",
                status=status,
            )
        if clock() + INTERVAL > end:
            raise NotApplied(
                f"The panel stored {label}, but has not applied it within {timeout:g} s (status {status}, {words}). "
                "It goes on by itself; run the task again, or raise wait_timeout.",
                status=status,
            )
        sleep(INTERVAL)
