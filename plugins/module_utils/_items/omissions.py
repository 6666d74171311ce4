# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what an export leaves out, and why. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Callable, NamedTuple

from .._problems import abbreviate

_MOST_NAMED = 20


class Omission(NamedTuple):
    """Says that an object has no item, or that its item lacks an option.

    kind: The plural of its kind.
    key: Its natural key, in words.
    id: Its id.
    reason: Why it is left out, in the words of a message.
    option: The option that its item lacks; None for the object itself.
    """

    kind: str
    key: str
    id: Any
    reason: str
    option: str | None = None

    def as_result(self) -> dict[str, Any]:
        """Return the fields that it has in the result of a task."""
        fields = self._asdict()
        return {name: value for name, value in fields.items() if value is not None}


def get_key_of(omission: Omission) -> str:
    """Return the natural key of what is left out."""
    return omission.key


def group_by_reason(
    omissions: Iterable[Omission], label_of: Callable[[Omission], str] = get_key_of
) -> Iterator[tuple[Omission, str]]:
    """Yield one omission for each kind, option and reason, with the labels of all objects that it
    stands for, as far as a person reads them.
    """
    groups: dict[Any, list[Omission]] = {}
    for omission in omissions:
        common = (omission.kind, omission.option, omission.reason)
        groups.setdefault(common, []).append(omission)

    for group in groups.values():
        labels = [label_of(omission) for omission in group]
        yield group[0], abbreviate(labels, _MOST_NAMED)


def describe_omissions(omissions: Iterable[Omission]) -> Iterator[str]:
    """Put what is left out into words, a warning for each reason."""
    for omission, labels in group_by_reason(omissions):
        subject = ""
        if omission.option:
            subject = f"{omission.option} is "
        yield f"{omission.kind}: {labels}: {subject}left out, since {omission.reason}."
