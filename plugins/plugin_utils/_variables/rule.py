# SPDX-License-Identifier: GPL-3.0-or-later
"""The one rule by which variables of roles and playbooks are read.

A variable that is null, empty or omitted counts as not given. A variable of another type than its
table says is a mistake, never a guess.
"""

from __future__ import annotations

import datetime
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...module_utils._values.names import normalize_host_name
from ...module_utils._values.unsendable import HALF_CHARACTER, holds_half_character
from ...module_utils._values.value_types import Boolean, describe_name_problem
from .odd_values import cut_value, find_odd_value, is_long_number

# What ansible-core 2.16 and 2.18 put in the place of omit in a variable.
OMITTED = "__omit_place_holder__"
# Stands for a variable without a value and without a default.
_NOTHING = object()
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
# So long may a path be on Linux, and no name or address is longer.
_LONGEST_TEXT = 4096


class _Unfit(Exception):
    """A value is of another type. The text says what to use instead."""


class Reading(NamedTuple):
    """What a table makes of variables.

    Attributes:
        settings: The variables that are given or have a default, by name.
        mistakes: Sentences that start with the name of a variable.
        names: The variables that have a value, right or wrong. What is wrong is not missing.
    """

    settings: dict[str, Any]
    mistakes: list[str]
    names: list[str]


def read_variables(
    values: Mapping[str, Any],
    table: Mapping[str, Mapping[str, Any]],
    typed_names: Mapping[str, str] | None = None,
) -> Reading:
    """Read variables by the table of a role or of the playbooks.

    Args:
        values: The variables that are defined, by name.
        table: By name the type, and what else the documentation of the lookup panel_variables
            lists.
        typed_names: By variable what messages call it, where a person typed another one.
    """
    mistakes: list[str] = []
    paths = {name: (typed_names or {}).get(name, name) for name in table}
    settings = _read_fields(values, table, paths, mistakes)
    names = [name for name in table if not is_empty(values.get(name))]
    return Reading(settings, mistakes, names)


def is_empty(value: Any) -> bool:
    """Return whether a value counts as not given: null, a text of blanks alone, or omit."""
    if value is None:
        return True
    # An encrypted value is none of these, and it is not decrypted to find out.
    return isinstance(value, str) and (not value.strip() or value.startswith(OMITTED))


def describe_odd_character(text: str) -> str:
    """Return why no path, command or request can hold a text; empty if they can."""
    if "\0" in text:
        return "it has a NUL character. Remove it."
    if holds_half_character(text):
        return f"it has {HALF_CHARACTER}. Write the whole character."
    return ""


def describe_long_text(value: Any) -> str:
    """Return that a path, name or address is longer than any may be; empty if it is not."""
    if not isinstance(value, str) or len(value) <= _LONGEST_TEXT:
        return ""
    return f"it is longer than {_LONGEST_TEXT} characters. Shorten it."


def _read_fields(
    values: Mapping[str, Any],
    table: Mapping[str, Mapping[str, Any]],
    paths: Mapping[str, str],
    mistakes: list[str],
) -> dict[str, Any]:
    """Return by name the value of each variable or field that is given or has a default.

    Args:
        values: The variables, or the fields of one, by name.
        table: Their rules, by name.
        paths: What messages call them, by name.
        mistakes: Gets what is wrong with them.
    """
    settings = {}
    for name, rules in table.items():
        path = paths[name]
        value = values.get(name)
        mistakes_in_value: list[str] = []
        if name in values and rules.get("empty") == "kept":
            setting = value
        elif is_empty(value):
            setting = _read_empty(name in values, rules, path, mistakes_in_value)
        else:
            setting = _read_value(value, rules, path, mistakes_in_value)
        # What is wrong with its type or with one of its fields has been said.
        if not mistakes_in_value and setting is not _NOTHING and (odd := find_odd_value(setting)):
            mistakes_in_value.append(f"{path}{odd}")
        mistakes += mistakes_in_value
        if not mistakes_in_value and setting is not _NOTHING:
            settings[name] = setting

    return settings


def _read_empty(is_defined: bool, rules: Mapping[str, Any], path: str, mistakes: list[str]) -> Any:
    """Return the default of a variable without a value, or add a mistake if it needs one.

    Returns:
        The default; _NOTHING if there is none.
    """
    if is_defined and rules.get("empty") == "refused":
        mistakes.append(f"{path}: empty. {_advise_form(rules)}")
    elif rules.get("required"):
        mistakes.append(f"{path}: missing.{_advise_on_missing(rules)}")
    return rules.get("default", _NOTHING)


def _read_value(value: Any, rules: Mapping[str, Any], path: str, mistakes: list[str]) -> Any:
    """Return the value as its type has it, or add a mistake."""
    try:
        setting = _TYPES[rules["type"]].read(value)
    except _Unfit:
        mistakes.append(
            f"{path}: {_display_wrong_value(value, rules)} is invalid. {_advise_form(rules)}"
        )
        return None

    _check_setting(setting, value, rules, path, mistakes)
    return _read_parts(setting, rules, path, mistakes)


def _check_setting(
    setting: Any, value: Any, rules: Mapping[str, Any], path: str, mistakes: list[str]
) -> None:
    """Add what is wrong with a setting of the right type. value: The setting as it is written."""
    kind = rules["type"]
    if isinstance(setting, str) and (problem := _find_problem_of_text(setting, kind)):
        mistakes.append(f"{path}: {problem}")

    is_other_choice = kind == "choice" and setting not in rules["choices"]
    if is_other_choice or (kind == "number" and setting > rules.get("most", setting)):
        mistakes.append(
            f"{path}: {_display_wrong_value(value, rules)} is invalid. {_advise_form(rules)}"
        )
    if kind == "names":
        _check_names(setting, rules, path, mistakes)
    if kind == "arguments":
        _check_arguments(setting, path, mistakes)
    if kind == "objects":
        _check_objects(setting, path, mistakes)
    if "keys" in rules:
        _check_keys(setting, rules["keys"], path, mistakes)
    if "keys" in rules and "values" in rules:
        _check_pairs(setting, rules, path, mistakes)


def _find_problem_of_text(text: str, kind: str) -> str:
    """Return what is wrong with a text of the type named kind; empty if nothing is."""
    problem = describe_odd_character(text)
    if not problem and kind in _SHORT_TYPES:
        problem = describe_long_text(text)
    return problem


def _read_parts(setting: Any, rules: Mapping[str, Any], path: str, mistakes: list[str]) -> Any:
    """Return a setting with its values, fields or entries as their rules have them."""
    if "values" in rules:
        return _read_values(setting, rules["values"], path, mistakes)
    if "options" not in rules:
        return setting
    if rules["type"] == "mapping":
        return _read_mapping(setting, rules["options"], path, mistakes)
    entries = enumerate(setting)
    return [
        _read_mapping(entry, rules["options"], f"{path}[{index}]", mistakes)
        for index, entry in entries
    ]


def _read_mapping(
    value: Any, options: Mapping[str, Mapping[str, Any]], path: str, mistakes: list[str]
) -> dict[str, Any]:
    """Return the fields of a dictionary as their rules have them, or add mistakes."""
    if not isinstance(value, Mapping):
        mistakes.append(_describe_wrong_mapping(value, path))
        return {}
    unknown = [name for name in value if name not in options]
    fields = ", ".join(options)
    mistakes += [
        f"{path}.{_display_key(name)}: unknown. The fields are {fields}." for name in unknown
    ]
    paths = {name: f"{path}.{name}" for name in options}
    return _read_fields(value, options, paths, mistakes)


def _check_keys(
    pairs: Mapping[Any, Any], rules: Mapping[str, Any], path: str, mistakes: list[str]
) -> None:
    wrong_keys = [key for key in pairs if is_empty(key) or not _is_of_type(key, rules)]
    mistakes += [
        f"{path}: {_display_wrong_value(key, rules)} is invalid as a key. {_advise_form(rules)}"
        for key in wrong_keys
    ]


def _check_pairs(
    pairs: Mapping[Any, Any], rules: Mapping[str, Any], path: str, mistakes: list[str]
) -> None:
    """Add a mistake for each key that is another one in another spelling, with another value, and
    for each address with one of the other version of IP.
    """
    normalize = _NORMAL_FORMS.get(rules["keys"]["type"])
    if normalize is None or rules["values"]["type"] != rules["keys"]["type"]:
        return
    written: dict[Any, tuple[Any, Any]] = {}
    for key, value in pairs.items():
        if not isinstance(key, str) or not isinstance(value, str):
            continue  # it has its own mistake, as below
        try:
            old = normalize(key)
            new = normalize(value)
        except ValueError:
            continue
        if isinstance(old, _ADDRESS) and old.version != new.version:
            mistakes.append(
                f"{path}: {key}: {value} is invalid. Use two IPv4 or two IPv6 addresses."
            )
        first, first_new = written.setdefault(old, (f"{key}: {value}", new))
        if first_new != new:
            mistakes.append(
                f"{path}: {first} and {key}: {value} are for the same key. Keep one of them."
            )


def _is_of_type(value: Any, rules: Mapping[str, Any]) -> bool:
    try:
        _TYPES[rules["type"]].read(value)
    except _Unfit:
        return False
    return True


def _read_values(
    pairs: Mapping[Any, Any], rules: Mapping[str, Any], path: str, mistakes: list[str]
) -> dict[Any, Any]:
    """Return the pairs with each value as its type has it. An empty value is a mistake."""
    settings = {}
    for key, value in pairs.items():
        if is_empty(value):
            mistakes.append(f"{path}.{_display_key(key)}: empty. {_advise_form(rules)}")
        else:
            settings[key] = _read_value(value, rules, f"{path}.{_display_key(key)}", mistakes)
    return settings


def _check_names(
    names: list[Any], rules: Mapping[str, Any], path: str, mistakes: list[str]
) -> None:
    """Add a mistake for each entry of a list that is no name, or none of the choices."""
    for index, name in enumerate(names):
        problem = _find_problem_of_name(name, rules.get("choices"))
        if problem:
            mistakes.append(f"{path}[{index}]: {problem}")


def _find_problem_of_name(name: Any, choices: Any) -> str:
    """Return what is wrong with a name; empty if nothing is. choices: the allowed names."""
    if is_empty(name):
        return "empty. Give a name, or leave the entry out."
    if not is_text(name):
        return f"{_display_wrong_value(name, {})} is invalid. {_FORMS['text']}"
    if choices and name not in choices:
        return f"{_display_wrong_value(name, {})} is invalid. {_advise_choice(choices)}"
    if not isinstance(name, str):
        return ""
    return describe_odd_character(name) or describe_long_text(name) or describe_name_problem(name)


def _check_arguments(arguments: list[Any], path: str, mistakes: list[str]) -> None:
    """Add a mistake for each entry that cannot be a word of a command line."""
    for index, argument in enumerate(arguments):
        is_number = isinstance(argument, (int, float)) and not isinstance(argument, bool)
        if not is_number and not is_text(argument):
            mistakes.append(
                f"{path}[{index}]: {_display_wrong_value(argument, {})} is invalid. "
                "Use text or a number."
            )
        elif isinstance(argument, str) and (problem := describe_odd_character(argument)):
            mistakes.append(f"{path}[{index}]: {problem}")


def _check_objects(entries: list[Any], path: str, mistakes: list[str]) -> None:
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            mistakes.append(_describe_wrong_mapping(entry, f"{path}[{index}]"))


def _describe_wrong_mapping(value: Any, path: str) -> str:
    """Return the mistake that a value is no dictionary. A text in its place may be a password."""
    displayed = _display_wrong_value(value, {"type": "mapping"})
    return f"{path}: {displayed} is invalid. {_FORMS['mapping']}"


# Types


def is_text(value: Any) -> bool:
    """Return whether a value is a text, also an encrypted one."""
    # Up to ansible-core 2.18 a value that is encrypted with !vault is no str.
    return isinstance(value, str) or hasattr(value, "__ENCRYPTED__")


def read_switch(value: Any) -> bool:
    """Return the value of a switch, which is a boolean or a text of Ansible's booleans.

    Raises ValueError.
    """
    if isinstance(value, float) or not (isinstance(value, int) or is_text(value)):
        raise ValueError
    return Boolean().parse(value)


def _read_switch(value: Any) -> bool:
    try:
        return read_switch(value)
    except ValueError:
        raise _Unfit from None


def _read_number(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool) and not is_long_number(value)
    if not is_number and not is_text(value):
        raise _Unfit
    text = str(value).strip()
    if not _NUMBER.fullmatch(text):
        raise _Unfit
    return int(text)


def _read_text(value: Any) -> Any:
    if not is_text(value):
        raise _Unfit
    return value


def _read_host_name(value: Any) -> Any:
    if isinstance(value, str):
        try:
            normalize_host_name(value)
        except ValueError:
            raise _Unfit from None
    return _read_text(value)


def _read_address(value: Any) -> Any:
    if isinstance(value, str):
        try:
            ipaddress.ip_address(value)
        except ValueError:
            raise _Unfit from None
    return _read_text(value)


def _read_answer(value: Any) -> Any:
    """Return what a person typed into a survey, line by line without blanks and quotes around it.

    From ansible-core 2.19 on, an answer such as 83 or true comes as a number or switch, from which
    nobody can tell what was typed: 83 may have been 0123. In quotes it stays a text. A date comes
    from one way of typing only.
    """
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if not isinstance(value, str):
        return _read_text(value)
    return "\n".join(_without_quotes(line.strip()) for line in value.strip().splitlines())


def _without_quotes(line: str) -> str:
    content = line[1:-1]
    is_quoted = bool(content) and line[0] == line[-1] == '"' and '"' not in content
    return content if is_quoted else line


def _read_date(value: Any) -> Any:
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return _read_text(value)


def _read_entries(value: Any) -> list[Any]:
    """Return the entries of a list, or of a text with commas, as `-e names=acme,beta` gives."""
    if not isinstance(value, str):
        return _read_list(value)
    entries = value.split(",")
    # Blanks beside a comma are usual. Those around the whole text may be of a template.
    if describe_name_problem(entries[0].rstrip()) or describe_name_problem(entries[-1].lstrip()):
        raise _Unfit
    return [entry.strip() for entry in entries]


def _read_list(value: Any) -> list[Any]:
    """Return the entries of a list."""
    if not isinstance(value, (list, tuple)):
        raise _Unfit
    return list(value)


def _read_mapping_value(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _Unfit
    return value


def _read_anything(value: Any) -> Any:
    return value


class _Type(NamedTuple):
    """read: returns the value as settings have it, or raises _Unfit.

    form: a sentence that says what to use.
    """

    read: Callable[[Any], Any]
    form: str


_TYPES = {
    "switch": _Type(_read_switch, "Use true or false."),
    "number": _Type(_read_number, "Use a whole number, 0 or more."),
    "text": _Type(_read_text, "Use text, and put it in quotes."),
    "secret": _Type(_read_text, "Use text, and put it in quotes."),
    "answer": _Type(_read_answer, "Type it in double quotes, also in a survey."),
    "secret_answer": _Type(
        _read_text, "Use a text that is no number, no date and no word such as true."
    ),
    "host_name": _Type(_read_host_name, "Use a host name, and put it in quotes."),
    "address": _Type(_read_address, "Use an IPv4 or IPv6 address, and put it in quotes."),
    "date": _Type(_read_date, "Use a date, YYYY-MM-DD."),
    "choice": _Type(_read_text, ""),
    "names": _Type(_read_entries, "Use a list of names."),
    "entries": _Type(_read_entries, "Use a list."),
    "arguments": _Type(_read_entries, "Use a list of texts and numbers."),
    "list": _Type(_read_list, "Use a list."),
    "objects": _Type(_read_list, "Use a list of dictionaries."),
    "mapping": _Type(_read_mapping_value, "Use a dictionary."),
    "raw": _Type(_read_anything, ""),
}
# The types of texts that are a path, a name or a time. A secret may be a key of many lines.
_SHORT_TYPES = frozenset({"text", "host_name", "address", "date"})
_ADDRESS = (ipaddress.IPv4Address, ipaddress.IPv6Address)
# By type how values are compared that can be spelled in several ways. Each raises ValueError.
_NORMAL_FORMS: dict[str, Callable[[Any], Any]] = {
    "address": ipaddress.ip_address,
    "host_name": normalize_host_name,
}
_FORMS = {name: type_.form for name, type_ in _TYPES.items()}
TYPES = tuple(_TYPES)
# What a wrong value is called; a switch is a number to Python.
_FORMS_OF_VALUES: tuple[tuple[Any, str], ...] = (
    (str, "text"),
    (Mapping, "a dictionary"),
    ((list, tuple), "a list"),
    (bool, "a switch"),
    ((int, float), "a number"),
    (type(None), "null"),
)


def _advise_on_missing(rules: Mapping[str, Any]) -> str:
    """Return what to set, after a blank; empty where nothing can be said."""
    if rules["type"] == "choice":
        return f" {_advise_form(rules)}"
    if "example" in rules:
        return f" Set it, for example to {rules['example']}."
    return ""


def _advise_form(rules: Mapping[str, Any]) -> str:
    if rules["type"] == "choice":
        return _advise_choice(rules["choices"])
    if "most" in rules:
        return f"Use a whole number from 0 to {rules['most']}."
    form = _FORMS[rules["type"]]
    if "example" in rules and rules["type"] in ("mapping", "objects"):
        return f"{form.rstrip('.')}, for example {rules['example']}."
    return form


def _advise_choice(choices: Any) -> str:
    *first, last = choices
    if not first:
        return f"Use {last}."
    return f"Use {', '.join(first)} or {last}."


def _describe_form(value: Any) -> str:
    """Return what a value is, without a part of it."""
    for types, form in _FORMS_OF_VALUES:
        if isinstance(value, types):
            return form
    return "the value"


def _display_wrong_value(value: Any, rules: Mapping[str, Any]) -> str:
    """Show a wrong value as YAML read it, but no part of a secret: of what may hold one, its form."""
    kind = rules.get("type")
    if kind in ("secret", "secret_answer"):
        return "the value"
    if kind in ("mapping", "objects", "list", "entries"):
        return _describe_form(value)
    if is_long_number(value):
        return "a number"
    if isinstance(value, str):
        text = repr(str(value))
    elif value is None or isinstance(value, (int, float)):
        text = json.dumps(value)
    elif isinstance(value, datetime.date):
        text = value.isoformat()
    else:
        return _describe_form(value)
    return cut_value(text)


def _display_key(key: Any) -> str:
    """Return a key as a message names it, and as YAML writes it."""
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return "a number" if is_long_number(key) else cut_value(str(key))
