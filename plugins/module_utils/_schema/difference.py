# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes what differs between an object and what a task wants of it. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from .._errors import Conflict
from .._problems import ProblemForm, Written
from .._secrets.redaction import remove_secrets
from .field_paths import Path, set_value

SECRET_CHANGES = "(new)"
SECRET_GENERATED = "(generated)"  # the panel makes the new one


class ComparedObject(NamedTuple):
    """Has an object that is compared with what a task wants of it.

    label: The object in words.
    fields: The object as it is.
    """

    label: str
    fields: Mapping[str, Any]

    def warn_unseen(self, path: Path, suffix: str = "") -> FieldChange:
        """Return the warning of a field that the panel does not show.

        Args:
            path: The path of the field.
            suffix: Where the field comes from, where a task does not give it as an option.
        """
        field = ".".join(path) + suffix
        return FieldChange(
            path,
            warning=f"The panel does not show {field} of the {self.label}: it is sent again in every run.",
        )

    def refuse(self, path: Path, desired: Any, actual: Any) -> NoReturn:
        """Raise Conflict, since the panel keeps what is there."""
        cause = (
            f"the {self.label} exists with {actual}, the task requires {desired}, "
            "and the panel cannot change that."
        )
        raise Conflict(
            cause,
            option=path,
            written=Written.NOTHING,
            advice="Correct the task.",
            form=ProblemForm.MISMATCH,
        )


class FieldChange(NamedTuple):
    """Says what the comparison of one field came to.

    path: The path of the field in the body.
    value: What is sent.
    is_sent: Whether it is sent; not where the panel has the value already.
    displayed: What the diff has of it; None for nothing.
    warning: What the operator should know; empty for nothing.
    """

    path: Path
    value: Any = None
    is_sent: bool = False
    displayed: DisplayedChange | None = None
    warning: str = ""


class DisplayedChange(NamedTuple):
    """Has both sides of one field in the diff, in which secrets still are.

    path: The path in the diff.
    before: The value as it is.
    after: The value as it will be.
    """

    path: Path
    before: Any
    after: Any


def compare_value(
    path: Path,
    desired: Any,
    actual: Any,
    is_same: bool = False,
    displayed: tuple[Path, Any] | None = None,
) -> FieldChange:
    """Return the change of a field, which is sent unless it is the same, and is in the diff.

    Args:
        path: The path of the field in the body.
        desired: What is sent.
        actual: What the diff has as the value before.
        is_same: Whether the panel has the value already.
        displayed: The path in the diff and the value after, where one of them is another.
    """
    displayed_path, after = displayed or (path, desired)
    # A value that is right already is displayed as the panel writes it, so that the diff has no
    # line for it.
    if is_same:
        after = actual
    return FieldChange(path, desired, not is_same, DisplayedChange(displayed_path, actual, after))


class Difference(NamedTuple):
    """Has what is sent to change an object, and the two sides of the diff, in which secrets still
    are.

    body: What is sent.
    before: The managed fields as they are.
    after: The managed fields as they will be.
    warnings: What the operator should know.
    """

    body: dict[str, Any]
    before: dict[str, Any]
    after: dict[str, Any]
    warnings: tuple[str, ...]


def collect_difference(changes: Iterable[FieldChange]) -> Difference:
    """Return the changes of all fields of an object as what is sent, displayed and warned of."""
    body: dict[str, Any] = {}
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    warnings = []
    for change in changes:
        if change.is_sent:
            set_value(body, change.path, copy.deepcopy(change.value))
        if change.displayed is not None:
            set_value(before, change.displayed.path, change.displayed.before)
            set_value(after, change.displayed.path, change.displayed.after)
        if change.warning:
            warnings.append(change.warning)
    return Difference(body, before, after, tuple(warnings))


def mark_secret_changes(
    fields: Mapping[str, Any], earlier: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return one side of a diff without secrets. A mark is left of each secret that changes.

    Args:
        fields: The fields of this side.
        earlier: Those of the side before; None where there is none.
    """
    marked: dict[str, Any] = remove_secrets(dict(fields))
    for name, value in fields.items():
        before = (earlier or {}).get(name)
        if isinstance(value, dict) and name in marked:
            earlier_group = before if isinstance(before, dict) else None
            marked[name] = mark_secret_changes(value, earlier_group)
        elif _is_hidden_change(name, value, before, marked.get(name)):
            marked[name] = SECRET_CHANGES
    return marked


def _is_hidden_change(name: str, value: Any, before: Any, masked: Any) -> bool:
    """Tell whether only what is masked, in the field or in its text, is another than before."""
    if value in (None, before):
        return False
    masked_before = remove_secrets({name: before}).get(name)
    return bool(masked_before == masked and masked != value)
