"""Odd values for the fields of answers.

Every field that the tables know, values of each kind, and which of them fit.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._values import answer_forms
from ansible_collections.hosting.panel.plugins.module_utils._values.answer_forms import (
    AnswerForm,
    DictionaryOf,
    ListOf,
    Loose,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import SizeForm

Path = tuple[str | int, ...]

ODD: dict[str, Any] = {
    "null": None,
    "an empty text": "",
    "an empty list": [],
    "an empty dictionary": {},
    "a negative number": -1,
    "zero": 0,
    "a switch": True,
    "a fraction": 2.5,
    "a whole fraction": 3.0,
    "a long number": 10**30,
    "a text": "perhaps",
    "a text of digits": "17",
    "digits of another script": "١٧",
    "a text with a unit": "1G",
    "a text of many digits": "9" * 40,
    "a long text": "x" * 5000,
    "control characters": "a\x00\x1b[31m\u202eb\n",
    "a template": "{{ lookup('pipe', 'true') }}",
    "a list of texts": ["a", "b"],
    "a list of lists": [[]],
    "a list of nulls": [None],
    "a list of dictionaries": [{"a": 1}],
    "a dictionary": {"a": {"b": []}},
    "nested": [[[[{"a": [[]]}]]]],
}


@dataclass(frozen=True)
class Place:
    """A field of an answer.

    path: the names that lead to it, and a number for the entry of a list.
    """

    path: Path
    form: AnswerForm

    @property
    def name(self) -> str:
        """Return the path as people write it, such as ``security[0].id``."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return "".join(steps).lstrip(".")


def list_fields(form: AnswerForm, path: Path = ()) -> Iterator[Place]:
    """Yield every field of a form, also those inside of others."""
    if path:
        yield Place(path, form)

    if isinstance(form, DictionaryOf):
        for name, inner in form.forms.items():
            yield from list_fields(inner, (*path, name))
    elif isinstance(form, ListOf):
        yield from list_fields(form.entry, (*path, 0))


def with_value_at(item: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy of an object with the value at the path; what leads there is made."""
    changed: dict[str, Any] = copy.deepcopy(dict(item))
    holder: Any = changed

    for step, following in itertools.pairwise(path):
        empty: Any = [None] if isinstance(following, int) else {}
        if isinstance(step, int) or not _holds(holder.get(step), type(empty)):
            holder[step] = empty
        holder = holder[step]

    holder[path[-1]] = copy.deepcopy(value)

    return changed


def _holds(value: Any, kind: type) -> bool:
    """Return whether a value is a list or an object, as the path asks for, and not empty."""
    return isinstance(value, kind) and bool(value)


def fits(field: Place, value: Any) -> bool:
    """Return whether a field may have the value: by what a panel may write for its form.

    The code under test has no part in this.
    """
    form = field.form
    if isinstance(form, Loose):
        return True
    if value is None:
        return not isinstance(field.path[-1], int)
    if isinstance(form, ListOf):
        return _fits_list(field, form, value)

    if isinstance(form, DictionaryOf):
        is_empty = value == {} or (value in ("", []) and not form._is_strict)
        return is_empty or _fits_fields(field, form, value)

    if form is answer_forms.SWITCH:
        return value is True or value in ("", 0)
    if form is answer_forms.TEXT:
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if form is answer_forms.STRICT_TEXT:
        return isinstance(value, str)
    if field.path == ("id",):
        return value == "17"
    if isinstance(form, SizeForm) and value == "1G":
        return True

    return value in ("", "17") or _is_number(value, form is answer_forms.IDENTIFIER)


def _is_number(value: Any, is_id: bool) -> bool:
    if isinstance(value, float):
        return value == 3.0 and not is_id
    return isinstance(value, int) and not isinstance(value, bool) and value in (-1, 0)


def _fits_list(field: Place, form: ListOf, value: Any) -> bool:
    if value in ("", {}):
        return not form._is_strict

    entry = Place((*field.path, 0), form.entry)
    return isinstance(value, list) and all(fits(entry, inner) for inner in value)


def _fits_fields(location: Place, form: DictionaryOf, value: Any) -> bool:
    if not isinstance(value, dict):
        return False

    described_names = [name for name in value if name in form.forms]
    return all(
        fits(Place((*location.path, name), form.forms[name]), value[name])
        for name in described_names
    )


def make_nested(levels: int) -> Any:
    """Return lists that lie in one another."""
    value: Any = []
    for _number in range(levels - 1):
        value = [value]
    return value
