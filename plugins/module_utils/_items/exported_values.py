# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what an option takes to mean a value that a panel shows, or says why none does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from .._errors import OptionError
from .._problems import abbreviate
from .._schema.fields import Field, Reference
from .._secrets.redaction import remove_secrets
from .._values.unsendable import describe_unsendable
from .._values.value_types import SetOf, ValueType, quote_value, read_tolerantly

HOLDS_SECRET = (
    "it holds a secret (a private key, a hash of a password, an address, a command or a string of JSON with "
    "a password)"
)
HOLDS_KNOWN_SECRET = "it holds a secret of this task, such as the API key"
OF_OWNER = "that it belongs to"
WITH_ID = "with this id"
_MOST_NAMED = 20

Hides = Callable[[str], bool]
"""Tells whether results show a mask in a text, in which a secret of the task stands."""


def holds_known_secret(value: Any, hides: Hides) -> bool:
    """Tell whether a secret of the task stands in a text of a value."""
    if isinstance(value, str):
        return bool(value) and hides(value)
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple)):
        return any(holds_known_secret(entry, hides) for entry in value)
    return False


def find_option_value(value_type: ValueType, actual: Any, hides: Hides) -> Any:
    """Return what an option takes to mean an actual value: an empty string for null where that
    clears the field, None where no value does.

    Args:
        value_type: The type of the option.
        actual: What the panel shows.
        hides: In which texts a secret of the task stands.
    """
    if value_type.is_text and isinstance(actual, (int, float)) and not isinstance(actual, bool):
        actual = str(actual)

    written = "" if actual is None else actual
    try:
        value, _unusual = read_tolerantly(value_type, (), written)
    except OptionError:
        return None
    if remove_secrets(actual) != actual or describe_unsendable(actual):
        return None
    if not value_type.equals(value, actual):
        return None
    spellings = [actual] if value == actual else [actual, value]
    if holds_known_secret(spellings, hides):
        return None

    if isinstance(value, list):
        return sorted(value, key=str)
    return "" if value is None else value


def explain_missing_option(
    field: Field, holder: Mapping[str, Any], hides: Hides, which: str = OF_OWNER
) -> str:
    """Say why no option means what the panel shows of a field.

    Args:
        field: The field.
        holder: The object that has it, or the group of the object.
        hides: In which texts a secret of the task stands.
        which: Which object a reference leads to: OF_OWNER or WITH_ID.
    """
    actual = holder.get(field.name)
    if isinstance(field, Reference):
        return f"the {field.noun} {which} is not on the panel, cannot be named, or is left out too"
    if actual in (None, ""):
        return f"the panel shows no {field.name} of it, without which it is not made again"
    if isinstance(field.type, SetOf) and isinstance(actual, list):
        return _explain_missing_list(field.type.item, field.name, actual, hides)
    return _explain_missing_value(field.type, field.name, actual, hides)


def _explain_missing_value(value_type: ValueType, name: str, actual: Any, hides: Hides) -> str:
    secret = _explain_secret(actual, hides)
    if secret:
        return secret
    problem = describe_unsendable(actual)
    if problem:
        return f"its {name} {problem}"
    displayed = f"{name} {quote_value(actual)}" if value_type.is_printable else name
    return f"its {displayed} is none that the module accepts; it must be {value_type.form}"


def _explain_secret(actual: Any, hides: Hides) -> str:
    """Say which kind of secret stands in a value; empty where none does."""
    if remove_secrets(actual) != actual:
        return HOLDS_SECRET
    if holds_known_secret(actual, hides):
        return HOLDS_KNOWN_SECRET
    return ""


def _explain_missing_list(
    value_type: ValueType, name: str, entries: Sequence[Any], hides: Hides
) -> str:
    """Name the entries of a list that no option takes, for which the list is left out as a whole,
    and the others.
    """
    right = []
    wrong = []
    for entry in entries:
        if find_option_value(value_type, entry, hides) is None:
            wrong.append(entry)
        else:
            right.append(entry)

    reason = _explain_secret(entries, hides)
    if not reason:
        names = abbreviate([quote_value(entry) for entry in wrong], _MOST_NAMED)
        reason = (
            f"its {name} has {names}, which the module does not accept; "
            f"each entry must be {value_type.form}"
        )
    return add_left_out_with_it(reason, right)


def add_left_out_with_it(reason: str, values: Sequence[Any]) -> str:
    """Add to a reason what is left out only because it stands beside what cannot be kept."""
    if not values:
        return reason
    names = abbreviate([quote_value(value) for value in values], _MOST_NAMED)
    return f"{reason}; left out with it: {names}"
