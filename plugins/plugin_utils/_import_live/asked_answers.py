# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API of another panel has answered in this run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AskedAnswers:
    """The answers of one panel.

    Attributes:
        location: Host and port of the panel.
        bodies: The answers by the name of the function, as files of answers are named.
        unknown: Functions that this version of the panel does not have, or has switched off.
    """

    location: str
    bodies: Mapping[str, Any]
    unknown: tuple[str, ...] = ()
