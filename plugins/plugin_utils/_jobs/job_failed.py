# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the job of a role ends with where it cannot go on. Private to the collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._task.mistakes import each_once, rest_of, told_of
from ...module_utils._values.ids import read_id
from .._run.controller_files import reason_of


class JobFailed(Exception):
    """The text is the message of the task, for a person and without a secret; members: what else its result has."""

    def __init__(self, message: str, **members: Any) -> None:
        super().__init__(message)
        self.members = members


class WithoutId(JobFailed):
    """The panel shows an object without an id, or with one that is none; the message names the object and what to do."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: the panel shows it without an id, and only by its id could it be reached safely. Nothing was written. Leave it out "
            "here and do it in the panel, or have the panel's lists corrected."
        )


def id_of(found: Mapping[str, Any], name: str) -> int:
    """The id of an object that the panel has shown; name: of the object, for a person. Raises WithoutId."""
    identifier = read_id(found.get("id"))
    if identifier is None:
        raise WithoutId(name)
    return identifier


def mistaken(mistakes: Sequence[str]) -> JobFailed:
    """Where what was asked for is wrong; all mistakes at once, in the message and, where it has no room for them, in a member of the result."""
    return mistaken_in(each_once(mistakes), len(mistakes))


def mistaken_in(once: Sequence[str], number: int, **members: Any) -> JobFailed:
    """The same of so many mistakes that are each told once already. members: what else the result has."""
    rest = rest_of(once)
    return JobFailed(told_of(once, number, "mistakes"), **members, **({"mistakes": rest} if rest else {}))


@contextlib.contextmanager
def explained(place: str, ending: str = "", error: type[Exception] = JobFailed) -> Iterator[None]:
    """Makes an error for a person of an OSError. place: the file, and what was to be done to it; ending: what was not done because of it."""
    try:
        yield
    except OSError as cause:
        raise error(f"{place}: {reason_of(cause)}.{ending and f' {ending}'}") from None
