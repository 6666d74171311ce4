# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the arguments of filters by their documentation, and the terms of lookups.

Ansible itself checks none, so that a wrong one would end in the words of Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError, AnsibleLookupError
from jinja2 import Undefined

from .._run.nested_text import SAFE_LOADER
from .rule import is_empty, read_switch

_INPUT = "_input"
_ODD_FORM = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def with_checked_arguments(filter_: Callable[..., Any], documentation: str) -> Callable[..., Any]:
    """Return the filter with its arguments checked by their documentation.

    Args:
        filter_: The filter. Its first argument is what stands before it in a template.
        documentation: The documentation of the filter, as Ansible reads it.
    """

    @functools.lru_cache(maxsize=1)
    def read_documentation() -> Any:
        return yaml.load(documentation, Loader=SAFE_LOADER)

    @functools.wraps(filter_)
    def run_filter(*arguments: Any, **options: Any) -> Any:
        description = read_documentation()
        name = f"hosting.panel.{description['name']}"
        rules = description["options"]
        values = _name_arguments(name, rules, arguments, options)
        values = _read_arguments(name, rules, values)

        try:
            return filter_(values.pop(_INPUT), **values)
        except _ODD_FORM:
            problem = "an argument does not have the form that its documentation describes"
            # Of a cause, Ansible would add the words, which are Python's.
            raise AnsibleFilterError(f"{name}: {problem}.") from None

    return run_filter


def read_switch_argument(lookup: str, option: str, value: Any) -> bool:
    """Return a switch of a lookup as it was given, since get_option takes any text for one.

    Raises:
        AnsibleLookupError: It is none.
    """
    if is_empty(value):
        return False
    try:
        return read_switch(value)
    except ValueError:
        raise AnsibleLookupError(f"{lookup}: {option}: it must be true or false.") from None


def read_paths(lookup: str, terms: Iterable[Any]) -> list[str]:
    """Return the terms of a lookup, each the path of a file or directory.

    Raises:
        AnsibleLookupError: A term is no text, or empty, which would be the working directory.
    """
    paths = []
    for index, term in enumerate(terms):
        if is_empty(term):
            advice = "Name a file, or leave the term out."
            raise AnsibleLookupError(f"{lookup}: term {index + 1} is empty. {advice}")
        if not isinstance(term, Undefined):
            _require_text(lookup, index, term)
        paths.append(str(term))
    return paths


def _require_text(lookup: str, index: int, term: Any) -> None:
    try:
        _read_text(term)
    except ValueError:
        message = f"{lookup}: term {index + 1}: it must be {_FORMS['str']}."
        raise AnsibleLookupError(message) from None


def _name_arguments(
    name: str, rules: Mapping[str, Any], arguments: Iterable[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all arguments by their names; raises AnsibleFilterError."""
    positional = list(arguments)
    if len(positional) > len(rules):
        raise AnsibleFilterError(f"{name}: it has {len(rules)} arguments at most.")

    values = dict(zip(rules, positional))
    for option, value in options.items():
        if option not in rules:
            allowed = ", ".join(rule for rule in rules if rule != _INPUT)
            raise AnsibleFilterError(f"{name}: {option}: unknown. The arguments are {allowed}.")
        if option in values:
            raise AnsibleFilterError(f"{name}: {option}: given twice.")
        values[option] = value
    return values


def _read_arguments(
    name: str, rules: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments as their types have them, without those that are null.

    Raises:
        AnsibleFilterError: One is missing, or of another type.
    """
    arguments = {}
    for argument, rule in rules.items():
        label = "the input" if argument == _INPUT else argument
        value = values.get(argument)
        if value is not None:
            arguments[argument] = _read_argument(f"{name}: {label}", rule, value)
        elif rule.get("required"):
            raise AnsibleFilterError(f"{name}: {label}: missing, or null.")
    return arguments


def _read_argument(path: str, rule: Mapping[str, Any], value: Any) -> Any:
    """Return an argument as its type has it; raises AnsibleFilterError.

    What has no value yet is left to the filter, which fails with the name of the variable.
    """
    if isinstance(value, Undefined):
        return value
    kind = rule.get("type", "str")
    try:
        value = _READERS[kind](value)
    except ValueError:
        raise AnsibleFilterError(f"{path}: it must be {_FORMS[kind]}.") from None

    if kind == "list" and rule.get("elements") is not None:
        element_rule = {"type": rule["elements"]}
        return [
            _read_argument(f"{path}[{index}]", element_rule, entry)
            for index, entry in enumerate(value)
        ]
    return value


def _read_mapping(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError
    return value


def _read_list(value: Any) -> Any:
    """Return the entries of what other filters of Jinja return, too, such as map."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ValueError
    return list(value)


def _read_text(value: Any) -> Any:
    # Up to ansible-core 2.18 a value that is encrypted with !vault is no str.
    if not isinstance(value, str) and not hasattr(value, "__ENCRYPTED__"):
        raise ValueError
    return value


def _read_number(value: Any) -> int:
    """Return a number, which a template may have made a text of."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError
    return int(value)


def _read_anything(value: Any) -> Any:
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "dict": _read_mapping,
    "list": _read_list,
    "str": _read_text,
    "int": _read_number,
    "bool": read_switch,
    "raw": _read_anything,
}
_FORMS = {
    "dict": "a dictionary",
    "list": "a list",
    "str": "a text, and one in quotes",
    "int": "a whole number",
    "bool": "true or false",
}
