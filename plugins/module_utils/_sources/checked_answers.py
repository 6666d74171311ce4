# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads objects out of answers by the tables: what does not fit is an error that names
the field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._http.failures import describe_answer, make_unexpected_answer
from .._problems import format_path
from .._schema.kind import Kind
from .._secrets.redaction import mask_secrets
from .._values.answer_forms import DictionaryOf, OddValue
from .._values.value_types import read_id

PanelObject = dict[str, Any]
# Of a value and of a name in a message.
_LONGEST_VALUE, _LONGEST_NAME = 60, 120
_OF_TYPES = {dict: "a dictionary", list: "a list", str: "a long text", int: "a long number"}


def read_object(data: Any, path: str, kind: Kind) -> PanelObject:
    """Read an object of a kind out of an answer.

    Args:
        data: What the panel answered, whose fields are brought into their forms.
        path: The path that was asked for, for messages.
        kind: The kind of the object.

    Raises:
        UnexpectedAnswer: It is no object, or a field has a value of another kind than its own.
    """
    item = read_answer(data, path, kind.answer_form)
    _check_id(item, path)
    return item


def read_objects(data: Any, path: str, kind: Kind) -> list[PanelObject]:
    """Read a list of such objects; otherwise as ``read_object``."""
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise make_unexpected_answer(
            path, f"did not answer with a list of objects {describe_answer(data)}"
        )
    for item in data:
        try:  # not with, which thousands of objects are slower by
            kind.answer_form.read(item)
        except OddValue as odd:
            raise make_unexpected_answer(
                path, _describe_problem(odd, _describe_item(item, kind))
            ) from None
        _check_id(item, path)
    return data


def read_answer(data: Any, path: str, form: DictionaryOf) -> PanelObject:
    """Read what belongs to no kind, such as statistics; otherwise as ``read_object``."""
    if not isinstance(data, dict):
        raise make_unexpected_answer(path, f"did not answer with an object {describe_answer(data)}")
    try:
        form.read(data)
    except OddValue as odd:
        raise make_unexpected_answer(path, _describe_problem(odd)) from None
    return data


def require_ids(items: Iterable[PanelObject], kind: Kind) -> None:
    """Raise UnexpectedAnswer for an object that is shown without its id, for whoever tells objects
    by their ids.
    """
    for item in items:
        if item.get("id") is None:
            raise make_unexpected_answer(
                kind.path, f"shows {_describe_item(item, kind)} without an id."
            )


def require_distinct_ids(items: Iterable[PanelObject], kind: Kind) -> None:
    """Raise UnexpectedAnswer for a list that shows an id twice; objects without an id
    do not count.
    """
    ids = [item["id"] for item in items if item.get("id") is not None]
    if len(set(ids)) < len(ids):
        problem = "shows an id twice, so its objects cannot be distinguished."
        raise make_unexpected_answer(kind.path, problem, subject=kind.titles)


def require_names(items: Iterable[PanelObject], kind: Kind) -> None:
    """Raise UnexpectedAnswer for an object that is shown with an empty name, or with none."""
    for item in items:
        name = item.get(kind.name_field)
        if not name or not str(name).strip():
            label = f"{kind.title} with id {item.get('id')}"
            problem = f"shows the {label} without its {kind.name_field}."
            raise make_unexpected_answer(kind.path, problem)


def _check_id(item: PanelObject, path: str) -> None:
    identifier = item.get("id")
    if identifier is None or read_id(identifier) is not None:
        return

    problem = f"shows an id that is none ({identifier!r:.60}); ids are whole numbers from 1."
    raise make_unexpected_answer(path, problem)


def _describe_problem(odd: OddValue, owner: str = "") -> str:
    """Describe a value that does not fit its field. owner: the object in words."""
    field = format_path(odd.path)
    if owner:
        field = f"{field} of {owner}"
    return f"shows {field} as {_display_odd(odd)}; it must be {odd.form}."


def _display_odd(odd: OddValue) -> str:
    """Return an odd value for a message: as JSON where it is short and no secret, else
    what it is.
    """
    name = ""
    for step in odd.path:
        if isinstance(step, str):
            name = step
    masked = mask_secrets({name: odd.value})
    text = json.dumps(masked[name], ensure_ascii=False)

    if len(text) <= _LONGEST_VALUE:
        return text
    return _OF_TYPES.get(type(odd.value), "another value")


def _describe_item(item: Mapping[str, Any], kind: Kind) -> str:
    """Return an object in words, as far as the answer tells which it is."""
    for field in (kind.name_field, "id"):
        name = item.get(field)
        if name == "" or isinstance(name, bool):
            continue
        if isinstance(name, (str, int)):
            return f"{kind.title} {name}"[:_LONGEST_NAME]

    return f"a {kind.title}"
