# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects what differs between an object and what a task wants of it. Pure."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NoReturn

from .._errors import Conflict
from .._problems import NOTHING_WRITTEN, ProblemForm
from .._secrets.redaction import remove_secrets
from .field_paths import Path, set_value

SECRET_CHANGES = "(new)"
SECRET_GENERATED = "(generated)"  # the panel makes the new one


class Difference:
    """Collects what has to be sent to change an object, and the two sides of the diff, in which
    secrets still are.

    subject: The object in words.
    current: The object as it is.
    body: What has to be sent.
    before: The managed fields as they are.
    after: The managed fields as they will be.
    warnings: What the operator should know.
    generates: Whether the answer must bring a password.
    """

    def __init__(self, subject: str, current: Mapping[str, Any]) -> None:
        """Begin without a difference."""
        self.subject = subject
        self.current = current
        self.body: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.generates = False

    def record(
        self,
        path: Path,
        desired: Any,
        actual: Any,
        is_same: bool = False,
        displayed: tuple[Path, Any] | None = None,
    ) -> None:
        """Send a value unless it is the same, and add it to both sides of the diff.

        Args:
            path: The path of the field in the body.
            desired: What is sent.
            actual: What the diff has as the value before.
            is_same: Whether the panel has the value already.
            displayed: The path in the diff and the value after, where one of them is another.
        """
        displayed_path, after = displayed or (path, desired)
        if not is_same:
            set_value(self.body, path, copy.deepcopy(desired))
        # A value that is right already is displayed as the panel writes it, so that the diff has no
        # line for it.
        if is_same:
            after = actual
        set_value(self.before, displayed_path, actual)
        set_value(self.after, displayed_path, after)

    def record_secrets(self, secrets: Mapping[str, Any]) -> None:
        """Send forms of a password, of which the diff has the first, without its value."""
        self.body.update(secrets)
        first = next(iter(secrets), None)
        if first is not None:
            self.after[first] = SECRET_CHANGES

    def warn_unseen(self, field: str) -> None:
        """Warn of a field that the panel does not show."""
        self.warnings.append(
            f"The panel does not show {field} of the {self.subject}: it is sent again in every run."
        )

    def refuse(self, option: str, desired: Any, actual: Any) -> NoReturn:
        """Raise Conflict, since the panel keeps what is there."""
        cause = (
            f"the {self.subject} exists with {actual}, the task requires {desired}, "
            "and the panel cannot change that."
        )
        raise Conflict(
            cause,
            option=option,
            written=NOTHING_WRITTEN,
            advice="Correct the task.",
            form=ProblemForm.MISMATCH,
        )


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
