# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says after a write. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from .._values.ids import read_id

Finder = Callable[[], Optional[Mapping[str, Any]]]
"""Looks an object up again; None where it is not there."""


class Written(NamedTuple):
    """What the panel said after a write: the id, and the password if it generated one.

    instead: what had the name of an object that was to be created; then nothing was written.
    """

    id: int | None
    password: str | None
    instead: Mapping[str, Any] | None = None


def written_by(answer: Any) -> Written:
    """``{"id": N}``, with ``password`` where one was generated (facts.md section 1)."""
    data = answer if isinstance(answer, dict) else {}
    password = data.get("password")
    return Written(
        read_id(data.get("id")),
        password if isinstance(password, str) and password else None,
    )
