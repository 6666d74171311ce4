# SPDX-License-Identifier: GPL-3.0-or-later
"""Names what one attempt to create an object came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from .._errors import RequestError
from .._problems import Problem
from .._sources.checked_answers import PanelObject


@dataclass(frozen=True)
class Created:
    """Says that the panel has the object, and that it is the task's own.

    identifier: The id of the object.
    password: The password that the panel generated.
    warnings: What the operator should know.
    """

    identifier: Any
    password: str | None = None
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Exists:
    """Says that someone else has made the object by now."""

    existing: PanelObject


@dataclass(frozen=True)
class Unidentified:
    """Says that the panel answered that the object is created, and not with which id.

    fault: The error of the request.
    password: The password that the panel generated.
    """

    fault: RequestError
    password: str | None = None


@dataclass(frozen=True)
class Rejected:
    """Says that the panel refused the creation."""

    fault: RequestError


@dataclass(frozen=True)
class Lost:
    """Says that no answer came from which to tell what became of the creation.

    fault: The error of the request.
    may_complete_later: Whether the panel may still be at it.
    wait: The seconds of Retry-After, if an answer had it.
    """

    fault: RequestError
    may_complete_later: bool
    wait: float | None


@dataclass(frozen=True)
class FailedMidway:
    """Says that the panel failed, perhaps after it made the object."""

    fault: RequestError


@dataclass(frozen=True)
class Failed:
    """Says that the panel failed or was not reached, and nothing was created."""

    fault: RequestError


UnsettledOutcome = Union[Unidentified, Rejected, Lost, FailedMidway, Failed]
CreationOutcome = Union[Created, UnsettledOutcome]
