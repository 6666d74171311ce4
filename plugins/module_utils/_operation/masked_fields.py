# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells in which fields of objects a result shows a mask in the place of a secret of the task,
since what is shown there must not be kept or written back for what the panel has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

from .._problems import abbreviate, format_path
from .._secrets.secret_forms import MASK
from .handover import ON_MASKED_FIELDS
from .operation import MaskedField, Task

_MOST_NAMED = 20
_Path = tuple[Any, ...]


def report_masked_fields(
    task: Task, plural: str, name_field: str, items: Iterable[Mapping[str, Any]]
) -> None:
    """Warn of the fields of objects that the result masks, or report them to the front end where
    it asks for that.

    Args:
        task: The task whose result has the objects.
        plural: The plural of their kind.
        name_field: Holds the name of an object.
        items: The objects as the result has them, before it is masked.
    """
    masked_fields: list[MaskedField] = []
    for item in items:
        name = str(item.get(name_field))
        for path in _find_hidden_texts(item, task.hides):
            field = format_path(path)
            masked_fields.append(MaskedField(plural, name, item.get("id"), field))

    if ON_MASKED_FIELDS in task.handover.reports:
        task.masked_fields += masked_fields
    else:
        for warning in _make_warnings(masked_fields):
            task.warn(warning)


def _find_hidden_texts(
    value: Any, hides: Callable[[str], bool], path: _Path = ()
) -> Iterator[_Path]:
    """Yield the path of each text in which a secret of the task stands."""
    if isinstance(value, str):
        if value and hides(value):
            yield path
        return

    for step, member in _list_members_of(value):
        yield from _find_hidden_texts(member, hides, (*path, step))


def _list_members_of(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what is in a dictionary or a list, each with its name or position."""
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)


def _make_warnings(masked_fields: Iterable[MaskedField]) -> Iterator[str]:
    """Yield one warning for each kind and field, with the names of the objects."""
    labels: dict[tuple[str, str], list[str]] = {}
    for masked in masked_fields:
        label = f"{masked.name} (id {masked.id})"
        labels.setdefault((masked.kind, masked.field), []).append(label)

    for (plural, field), of_field in labels.items():
        names = abbreviate(of_field, _MOST_NAMED)
        yield f"{plural}: {names}: {field} shows {MASK} in place of a secret of this task."
