# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible's own check of options hides or would show. Private to the collection.

It hides what was omitted, and what was no text or no number. When it refuses an option it would show all of them, the API key included,
where one is a text in the place of a dictionary; and it would blank every place of its message in which the letters of a short secret occur.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS
from ansible.module_utils.common.validation import check_type_dict

from .._errors import OptionError, raise_noted
from .._http.connection_settings import ENVIRONMENT, convertible, from_environment, without_empty
from .._secrets.redaction import Redactor, secrets_in, shown_arguments, structured
from .._secrets.terminal import on_one_line
from .._values.json_values import problems_in
from .._values.value_types import shortened

_LONGEST_PLACE = 100


def failed_validation(
    message: str, params: Mapping[str, Any], given: Mapping[str, Any], argument_spec: Mapping[str, Any]
) -> dict[str, Any]:
    """The result, without secrets. message: Ansible's words; params: as far as they were completed; given: as the user wrote them."""
    for name, value in given.items():
        if _has_members(argument_spec.get(name, {})) and not _is_dictionary(value):
            message = f"{name}: must be a dictionary of its members."
            break
    else:
        message = _mistake_in_environment(given, argument_spec) or message
    return {
        "failed": True,
        "msg": on_one_line(Redactor(secrets_in(params, argument_spec)).text(message)),
        "invocation": {"module_args": shown_arguments(params, argument_spec)},
    }


def _mistake_in_environment(given: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> str:
    """The message for a variable that stands for an option and has not its type; Ansible would blame the option alone. Empty: there is none."""
    for name, variable in ENVIRONMENT.items():
        problem = _TYPES.get(argument_spec.get(name, {}).get("type", ""))
        text = os.environ.get(variable)
        if problem and text and given.get(name) in (None, "") and not _has_type(text, argument_spec[name]["type"]):
            return f"{name}: {problem}.{from_environment(name, text)}"
    return ""


_TYPES = {"int": "must be a whole number", "bool": "must be true or false"}


def _has_type(text: str, type_name: str) -> bool:
    try:
        DEFAULT_TYPE_VALIDATORS[type_name](text)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def check_values(given: Mapping[str, Any]) -> None:
    """Raises OptionError for a value that no request can hold, before anything else looks at it.

    given: the options as the user wrote them. What stands too deep, and texts that are no Unicode, would end in errors of Python itself.
    """
    # A text of JSON may stand for a dictionary or a list.
    read = {name: structured(value) or value if isinstance(value, str) else value for name, value in given.items()}
    for place, problem in problems_in(read):
        raise OptionError(place_in_words(place), f"{problem}. Nothing was sent.")


def place_in_words(place: Iterable[Any]) -> str:
    """The place of such a value in the words of a message, without what cannot be printed, and cut short where it is deep."""
    first, *others = place
    text = str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in others)
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= _LONGEST_PLACE else f"{text[:_LONGEST_PLACE]}…"


def checkable(given: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options as Ansible can check them.

    What stands in the place of a dictionary and is no text makes its checks crash, and so does an infinite number or a list of large ones
    in the place of a number. Options of a connection that are an empty text are left out.
    """
    known = without_empty(given, argument_spec)
    return {name: _checkable(value, argument_spec.get(name, {})) for name, value in known.items()}


def _checkable(value: Any, specification: Mapping[str, Any]) -> Any:
    if _has_members(specification):
        if isinstance(value, dict):
            return checkable(value, specification["options"])
        return value if _is_dictionary(value) else str(value)
    if specification.get("elements") == "dict" and "options" in specification and isinstance(value, list):
        return [checkable(one, specification["options"]) if isinstance(one, dict) else one for one in value]
    if specification.get("type") == "int" and isinstance(value, (list, dict, float, str)):
        return convertible(str(value))
    if specification.get("elements") == "int" and isinstance(value, list):
        return [_checkable(entry, {"type": "int"}) for entry in value]
    return value


def _has_members(specification: Mapping[str, Any]) -> bool:
    return specification.get("type") == "dict" and "options" in specification


def _is_dictionary(value: Any) -> bool:
    """Whether Ansible takes it for one, as it does with texts of JSON and of key=value."""
    try:
        check_type_dict({} if value is None else value)
    except TypeError:
        return False
    return True


def as_given(params: Mapping[str, Any], given: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options without the members that Ansible fills into nested dictionaries as null.

    An empty dictionary clears a group, one with nothing but omitted members says nothing; only ``given``, the options as the user wrote
    them, tells the two apart, and what Ansible has converted to another value.
    """
    refuse_misread_values(given, spec)
    result = dict(params)
    for name, specification in spec.items():
        value = params.get(name)
        if "options" not in specification or not isinstance(value, dict):
            continue
        members = {member: inner for member, inner in value.items() if inner is not None}
        result[name] = members if members or _is_empty_dictionary(given.get(name)) else None
    return result


_FRACTION = "stands there as a number with a fraction, which loses the zeros at its end; write a text in quotes, or a whole number."
_NUMBER_FOR_SECRET = "is a number, and YAML may have changed its digits (01234 becomes 668); put it in quotes."
_NO_TEXT = "is not accepted; it must be a text."
# Sizes and dates are texts too, for which no such word stands.
_SWITCH_FOR_TEXT = "is not accepted; YAML reads yes, no, on, off, true and false as a switch. Where that word is meant, put it in quotes."
# Options that narrow what a task does, each with what it would do without.
_NARROWING = {
    "expected_checksum": "approve every plan",
    "max": "set no limit",
    "max_deletes": "set no limit to what is named one by one",
    "protect": "protect nothing",
}
_OWNER = ("client", "id_user")
OMIT_IF_MEANT = "omit it if that is meant, in a template with default(omit)."


def refuse_misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
    """Raises all of them as one."""
    raise_noted(list(misread_values(given, spec)))


def misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[OptionError]:
    """One for each value that Ansible would convert to another one: it makes a text of whatever it finds, and a number of true.

    The digits of a whole number cannot be told from those that were written, so it stands for a text, but never for a secret.
    Null counts as omitted, but for options that narrow what is done: there a template had no value, and more would be done than was meant.
    """
    for name, effect in _NARROWING.items():
        if name in spec and given.get(name, "") is None:
            yield OptionError(name, f"is null, which would {effect}; {OMIT_IF_MEANT}")
    owner = [name for name in _OWNER if name in spec and name in given]
    if owner and all(given[name] is None for name in owner) and _takes_away(given):
        yield OptionError(owner[0], f"is null, which would take away what is somebody else's; {OMIT_IF_MEANT}")
    yield from _misread_members(given, spec, "")


def _takes_away(given: Mapping[str, Any]) -> bool:
    return given.get("state") not in (None, "present") or bool(given.get("purge"))


def _misread_members(given: Mapping[str, Any], spec: Mapping[str, Any], prefix: str) -> Iterator[OptionError]:
    for name, value in given.items():
        if value is not None and name in spec:
            yield from _misread(prefix + name, value, spec[name])


def _misread(place: str, value: Any, specification: Mapping[str, Any]) -> Iterator[OptionError]:
    members = specification.get("options")
    if specification.get("type") == "list":
        entry = {**specification, "type": specification.get("elements")}
        for number, one in enumerate(value) if isinstance(value, list) else [("", value)]:
            yield from _misread(f"{place}[{number}]" if number != "" else place, one, entry)
    elif members is not None:
        inner = structured(value) if isinstance(value, str) else value
        if isinstance(inner, Mapping):
            yield from _misread_members(inner, members, f"{place}.")
    else:
        is_secret = bool(specification.get("no_log"))
        problem = _problem(value, specification.get("type", "str"), is_secret)
        if problem:
            yield OptionError(place, f"{'the given value' if is_secret else shortened(value)} {problem}")


def _problem(value: Any, type_name: Any, is_secret: bool) -> str:
    """What is wrong with a value in the place of a text or a number, as the end of a sentence; empty where nothing is."""
    if type_name == "int" and isinstance(value, bool):
        return "is not accepted; it must be a whole number."
    if type_name not in ("str", "path") or isinstance(value, str):
        return ""
    if isinstance(value, bool):
        return _SWITCH_FOR_TEXT
    if isinstance(value, (Mapping, list)):
        return _NO_TEXT
    if is_secret and isinstance(value, (int, float)):
        return _NUMBER_FOR_SECRET
    return _FRACTION if isinstance(value, float) else ""


def _is_empty_dictionary(value: Any) -> bool:
    """Also as a text, which is what extra variables on the command line are."""
    return value == {} or (isinstance(value, str) and value.replace(" ", "") == "{}")
