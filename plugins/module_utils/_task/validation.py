# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible's own check of options hides or would show. Private to the collection.

It hides what was omitted, and converts what YAML misread. When it refuses an option it would show all of them, the API key included, if
one is a text in place of a dictionary; and it would blank every place of its message in which the letters of a short secret occur.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._errors import OptionError, raise_noted
from .._http.connection_settings import ENVIRONMENT, from_environment, without_empty
from .._secrets.panel_text import Secrets, on_one_line
from .._secrets.redaction import MASK, is_masked, secrets_in, shown_arguments, structured, texts_in
from .._values.value_types import shortened

_LONGEST_PLACE = 100
_TYPES = {
    "int": "must be a whole number",
    "bool": "must be true or false",
    "list": "must be a list",
    "dict": "must be a dictionary",
}


def failed_validation(
    message: str, params: Mapping[str, Any], given: Mapping[str, Any], argument_spec: Mapping[str, Any]
) -> dict[str, Any]:
    """The result, without secrets. message: Ansible's words; params: as far as they were completed; given: as the user wrote them."""
    mistakes = [
        f"{name}: must be a dictionary of its fields."
        for name, value in given.items()
        if _has_members(argument_spec.get(name, {})) and not _has_type({} if value is None else value, "dict")
    ]
    message = [*mistakes, *(error.message for error in _wrong_in_environment(given, argument_spec)), message][0]
    return {
        "failed": True,
        "msg": on_one_line(Secrets(secrets_in(params, argument_spec)).masked(message)),
        "error": {"type": OptionError.__name__},
        "invocation": {"module_args": shown_arguments(params, argument_spec)},
    }


def _wrong_in_environment(given: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> Iterator[OptionError]:
    """One for each variable that stands for an option and has not its type; Ansible would blame the option alone."""
    for name, variable in ENVIRONMENT.items():
        type_name, text = argument_spec.get(name, {}).get("type"), os.environ.get(variable)
        if type_name in _TYPES and text and given.get(name) in (None, "") and not _has_type(text, type_name):
            yield OptionError(name, f"{_TYPES[type_name]}.{from_environment(name, text)}")


def wrong_options(given: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[OptionError]:
    """One for each of the plain options that Ansible's check refuses, in words without the value, which may be secret."""
    for name in given.keys() - spec.keys():
        yield OptionError(name, f"there is no such option; there are {', '.join(spec)}.")
    for name, specification in spec.items():
        if given.get(name) is None:
            if specification.get("required"):
                yield OptionError(name, "missing; the task needs it.")
        elif not _has_type(given[name], specification["type"]):
            yield OptionError(name, f"{_TYPES[specification['type']]}.")
    yield from _wrong_in_environment(given, spec)


def _has_type(value: Any, type_name: str) -> bool:
    """Whether Ansible takes it for one, as it does with texts of JSON and of key=value for dictionaries."""
    try:
        DEFAULT_TYPE_VALIDATORS[type_name](value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _has_members(specification: Mapping[str, Any]) -> bool:
    return specification.get("type") == "dict" and "options" in specification


def checkable(given: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options as Ansible can check them: what stands in place of a dictionary and is no text makes its checks crash.

    Options of a connection that are an empty string are left out.
    """
    known = without_empty(given, argument_spec)
    return {name: _checkable(value, argument_spec.get(name, {})) for name, value in known.items()}


def _checkable(value: Any, specification: Mapping[str, Any]) -> Any:
    if _has_members(specification):
        if isinstance(value, dict):
            return checkable(value, specification["options"])
        return value if value is None or _has_type(value, "dict") else str(value)
    if isinstance(value, list) and "options" in specification:
        return [checkable(one, specification["options"]) if isinstance(one, dict) else one for one in value]
    # Ansible's check of a number crashes on these.
    is_odd = isinstance(value, (list, dict)) or str(value).strip().lower().lstrip("+-") in ("inf", "infinity", "nan")
    return repr(str(value)) if specification.get("type") == "int" and is_odd else value


def as_given(params: Mapping[str, Any], given: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options without the fields that Ansible fills into nested dictionaries as null.

    An empty dictionary clears a group, one with nothing but omitted fields says nothing; only ``given``, the options as the user wrote
    them, shows which it was, and what Ansible has converted to another value.
    """
    refuse_misread_values(given, spec)
    result = dict(params)
    for name, specification in spec.items():
        value = params.get(name)
        if "options" in specification and isinstance(value, dict):
            members = {member: inner for member, inner in value.items() if inner is not None}
            # Also as a text, which is what extra variables on the command line are.
            is_empty = str(given.get(name)).replace(" ", "") == "{}"
            result[name] = members if members or is_empty else None
    return result


# Options that narrow what a task does, each with what it would do without.
_NARROWING = {
    "expected_checksum": "approve every plan",
    "max": "set no limit",
    "max_deletes": "set no limit",
    "protect": "protect nothing",
}
OMIT_IF_MEANT = "omit it if you want this, in a template with default(omit)."


def refuse_misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
    """Raises all of them as one."""
    raise_noted(list(misread_values(given, spec)))


def misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[OptionError]:
    """One for each value that Ansible would convert to another one: secrets that are numbers, and texts that are switches.

    Null counts as omitted, except for options that narrow what is done: there a template had no value, and more would be done than was meant.
    """
    for name, effect in _NARROWING.items():
        if name in spec and given.get(name, "") is None:
            yield OptionError(name, f"is null, which would {effect}; {OMIT_IF_MEANT}")
    owner = [name for name in ("client", "id_user") if name in spec and name in given]
    takes_away = given.get("state") not in (None, "present") or bool(given.get("purge"))
    if owner and takes_away and all(given[name] is None for name in owner):
        yield OptionError(owner[0], f"is null, which would take away what another client has; {OMIT_IF_MEANT}")
    yield from _misread_members(given, spec, "")


def _misread_members(given: Mapping[str, Any], spec: Mapping[str, Any], prefix: str) -> Iterator[OptionError]:
    for name, value in given.items():
        if value is not None and name in spec:
            yield from _misread(prefix + name, value, spec[name])


def _misread(place: str, value: Any, specification: Mapping[str, Any]) -> Iterator[OptionError]:
    members, type_name = specification.get("options"), specification.get("type", "str")
    problem = ""
    if type_name == "list":
        entry = {**specification, "type": specification.get("elements")}
        for number, one in enumerate(value if isinstance(value, list) else ()):
            if one is None:
                yield OptionError(f"{place}[{number}]", "null is not accepted; give a value, or leave the entry out.")
            yield from _misread(f"{place}[{number}]", one, entry)
    elif members is not None:
        inner = structured(value) if isinstance(value, str) else value
        if isinstance(inner, Mapping):
            yield from _misread_members(inner, members, f"{place}.")
    elif type_name == "int" and isinstance(value, bool):
        problem = f"{value} is not accepted; it must be a whole number."
    elif type_name in ("str", "path") and not isinstance(value, str):
        is_secret = bool(specification.get("no_log"))
        shown = "the given value" if is_secret else shortened(value)
        if isinstance(value, bool):
            problem = f"{shown} is not accepted; YAML reads yes, no, on and off as a switch. Put the word in quotes."
        elif isinstance(value, (Mapping, list)):
            problem = f"{shown} is not accepted; it must be a string."
        elif is_secret:
            problem = "the given value is a number, and YAML may have changed its digits (01234 becomes 668); put it in quotes."
    if problem:
        yield OptionError(place, problem)


_TOO_DEEP = "is nested too deep"


def check_values(given: Mapping[str, Any]) -> None:
    """Raises OptionError for a value that no request can hold, before anything else looks at it. given: the options as the user wrote them."""
    for name, value in given.items():
        # A string of JSON may stand for a dictionary or a list.
        place, problem = _innermost(str(name), structured(value) or value if isinstance(value, str) else value)
        if problem:
            raise OptionError("".join(filter(str.isprintable, place))[:_LONGEST_PLACE], f"{problem}. Nothing was sent.")


def _innermost(place: str, value: Any) -> tuple[str, str]:
    """The innermost place of what no request can hold, and why it cannot; that is empty where one can."""
    problem = problem_of(value)
    inside = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inside if problem not in ("", _TOO_DEEP) else ():
        found = _innermost(f"{place}[{step}]" if isinstance(step, int) else f"{place}.{step}", one)
        if found[1]:
            return found
    return place, problem


def problem_of(value: Any) -> str:
    """Why no request can hold a value, or a part of it; empty where one can."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a character (a lone surrogate), which is no Unicode; write the whole character"
    except ValueError:
        return "holds a number that is infinite, or none at all (.inf, .nan)"
    except TypeError:
        return "has a field whose name is no string; put the name in quotes"
    except RecursionError:
        return _TOO_DEEP
    if "\\u0000" not in text and MASK not in text:
        return ""
    texts = texts_in(json.loads(text, object_pairs_hook=lambda pairs: list(map(list, pairs))))  # names of fields, too
    if any("\0" in one for one in texts):
        return "holds a NUL character, which the panel cannot keep; remove it"
    if any(map(is_masked, texts)):
        return f"holds {MASK} instead of a secret, as results show it; write the secret itself, or leave the option out"
    return ""
