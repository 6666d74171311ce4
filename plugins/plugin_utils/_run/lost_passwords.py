# SPDX-License-Identifier: GPL-3.0-or-later
"""Warns of generated passwords that a task returns and does not keep. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._operation.operation import describe_lost_password
from ...module_utils._problems import format_message

_GENERATED = ("generated_password", "generated_passwords")


def with_warning_of_lost_passwords(returned: Mapping[str, Any], position: str) -> Mapping[str, Any]:
    """Return the result of a task that registers nothing, with a warning if it has a password.

    The warning names no object: Ansible shows the same text once, so a loop warns once.

    Args:
        returned: What the module returned.
        position: File and line of the task.
    """
    # A task that fails prints its result.
    if returned.get("failed") or not any(returned.get(name) for name in _GENERATED):
        return returned
    warning = format_message(describe_lost_password(position, is_generated=True))
    return {**returned, "warnings": [*returned.get("warnings", ()), warning]}
