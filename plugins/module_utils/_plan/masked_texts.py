# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a text that is asked for as a result has shown the panel's own one: with a mask in the
place of a secret of the task, which nobody means to write. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

from .._errors import OptionError
from .._problems import Written
from .._schema.fields import Field
from .._secrets.redaction import collect_texts
from .._secrets.secret_forms import MASK
from .._values.unsendable import HOLDS_MASK

IsMaskedForm = Callable[[str, str], bool]
"""Tells whether the first text is what a result shows of the second one, with a mask in it."""


def refuse_masked_texts(requested: Any, actual: Any, is_masked_form: IsMaskedForm) -> None:
    """Raise OptionError for a text of a request that is the masked form of the panel's text.

    Args:
        requested: What is sent, or a part of it.
        actual: What the panel shows in its place.
        is_masked_form: Knows the secrets of the task.
    """
    if not any(MASK in text for text in collect_texts(requested)):
        return
    path = _find_masked_text(requested, actual, is_masked_form)
    if path is not None:
        raise OptionError(f"{HOLDS_MASK}.", option=path, written=Written.NOTHING)


def refuse_masked_key(
    requested: Mapping[str, Any],
    fields: Sequence[Field],
    items: Iterable[Mapping[str, Any]],
    is_masked_form: IsMaskedForm,
) -> None:
    """Raise OptionError for a natural key that no object has, and that results show of one: it
    would be made a second time.

    Args:
        requested: The natural key, references by their ids.
        fields: Its fields.
        items: What the panel has.
        is_masked_form: Knows the secrets of the task.
    """
    for item in items:
        field = _find_masked_part(requested, fields, item, is_masked_form)
        if field is not None:
            raise OptionError(f"{HOLDS_MASK}.", option=field.option, written=Written.NOTHING)


WRITES_MASK = (
    f"is written with {MASK} in it, which results show in place of a secret; "
    "write the secret itself if one belongs there."
)


def warn_of_masks(requested: Mapping[str, Any], actual: Mapping[str, Any]) -> list[str]:
    """Return a warning for each field that gets a mask in one of its texts: it may be from a result
    for another panel, with which nothing can be compared.

    Args:
        requested: What is sent.
        actual: The object as it is.
    """
    warnings: list[str] = []
    for name, value in requested.items():
        old_texts = collect_texts(actual.get(name))
        new_texts = [text for text in collect_texts(value) if text not in old_texts]
        if any(MASK in text for text in new_texts):
            warnings.append(f"{name} {WRITES_MASK}")
    return warnings


def _find_masked_part(
    requested: Mapping[str, Any],
    fields: Sequence[Field],
    item: Mapping[str, Any],
    is_masked_form: IsMaskedForm,
) -> Field | None:
    """Return the field of a natural key that is masked, where results show the key of this object
    so; None where it is another object's.
    """
    masked_field = None
    for field in fields:
        name = requested.get(field.name)
        actual = item.get(field.name)
        if field.equals(name, actual):
            continue
        # Results show what the panel has, and options are read into the spelling that it keeps.
        normalized = str(field.normalize(name)), str(field.normalize(actual))
        if not is_masked_form(str(name), str(actual)) and not is_masked_form(*normalized):
            return None
        masked_field = field
    return masked_field


def _find_masked_text(
    requested: Any, actual: Any, is_masked_form: IsMaskedForm
) -> tuple[str, ...] | None:
    """Return the names of the fields that lead to such a text; None where there is none."""
    if isinstance(requested, str):
        is_masked = isinstance(actual, str) and is_masked_form(requested, actual)
        return () if is_masked else None
    if isinstance(requested, Mapping):
        return _find_in_fields(requested, actual, is_masked_form)
    if isinstance(requested, list) and isinstance(actual, list):
        return _find_in_entries(requested, actual, is_masked_form)
    return None


def _find_in_fields(
    requested: Mapping[str, Any], actual: Any, is_masked_form: IsMaskedForm
) -> tuple[str, ...] | None:
    """Return the same for a dictionary."""
    if not isinstance(actual, Mapping):
        return None
    for name, value in requested.items():
        path = _find_masked_text(value, actual.get(name), is_masked_form)
        if path is not None:
            return (str(name), *path)
    return None


def _find_in_entries(
    requested: list[Any], actual: list[Any], is_masked_form: IsMaskedForm
) -> tuple[str, ...] | None:
    """Return the same for a list, whose entries may be in another order; one that the panel has
    is its own.
    """
    new_entries = [entry for entry in requested if entry not in actual]
    for entry in new_entries:
        for actual_entry in actual:
            path = _find_masked_text(entry, actual_entry, is_masked_form)
            if path is not None:
                return path
    return None
