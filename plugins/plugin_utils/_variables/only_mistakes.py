# SPDX-License-Identifier: GPL-3.0-or-later
"""What a lookup or filter returns in place of its values with only_mistakes."""

from __future__ import annotations

from collections.abc import Sequence

from ...module_utils._problems import Written, join_problems
from ...module_utils._secrets.redaction import escape_control_characters


def gather_mistakes(mistakes: Sequence[str]) -> list[str]:
    """Return all mistakes as one message in a list, which is empty where there are none.

    Whoever shows the message says what was written.
    """
    if not mistakes:
        return []
    return [
        escape_control_characters(join_problems(mistakes, written=Written.NOT_IN_QUESTION)).strip()
    ]
