# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options of a task, found before Ansible checks them, and what Ansible's check leaves of them. Private to the collection.

Ansible converts what YAML misread, hides what was omitted, and crashes on some values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._errors import OptionError, raise_noted
from .._http.connection_settings import ENVIRONMENT, from_environment, without_empty
from .._secrets.redaction import MASK, is_masked, structured, texts_in
from .._values.value_types import shortened

_TYPES = {"int": "a whole number", "bool": "true or false", "list": "a list", "dict": "a dictionary"}
# Options that narrow what a task does, each with what it would do without.
_NARROWING = {
    "expected_checksum": "approve every plan",
    "max": "set no limit",
    "max_deletes": "set no limit",
    "protect": "protect nothing",
}
OMIT_IF_MEANT = "omit it if you want this, in a template with default(omit)."


def checked(given: Mapping[str, Any], validator: ArgumentSpecValidator) -> dict[str, Any]:
    """The options as Ansible completes them. Raises OptionError with everything that is wrong with them."""
    spec, given = validator.argument_spec, _without_empty(given, validator.argument_spec)
    errors = [OptionError(str(name), unknown(name, spec)) for name in given if name not in spec]
    missing = [name for name, rules in spec.items() if rules.get("required") and given.get(name) is None]
    errors += [OptionError(name, "missing; the task needs it.") for name in missing]
    raise_noted([*errors, *misread_values(given, spec)])
    validated = validator.validate(given)
    if validated.error_messages:
        raise OptionError("", " ".join(f"{message.rstrip('.')}." for message in validated.error_messages))
    options = dict(validated.validated_parameters)
    for name, value in options.items():
        if isinstance(value, dict) and "options" in spec[name]:
            # Ansible fills in null for omitted fields. An empty dictionary clears a group, also as a text, which extra variables of the
            # command line are; one with nothing but omitted fields says nothing.
            members = {member: inner for member, inner in value.items() if inner is not None}
            options[name] = members if members or str(given[name]).replace(" ", "") == "{}" else None
    return options


def _without_empty(given: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """Without the options of a connection that are an empty string, also in a list of panels."""
    found = without_empty(given, spec)
    for name, rules in spec.items():
        if "options" in rules and isinstance(found.get(name), list):
            found[name] = [
                _without_empty(one, rules["options"]) if isinstance(one, dict) else one for one in found[name]
            ]
    return found


def unknown(name: object, known: Iterable[str], what: str = "option") -> str:
    """What is wrong with the name of an option that there is not."""
    import difflib  # noqa: PLC0415 - few tasks need it

    names = list(known)
    near = difflib.get_close_matches(str(name), names, 1)
    meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}."
    return f"there is no such {what}; {meant}"


def misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[OptionError]:
    """One for each value that is not of its type, or that Ansible would convert to another one, those of the environment included.

    Null counts as omitted, except for options that narrow what is done: there a template had no value, and more would be done than was meant.
    """
    for name, effect in _NARROWING.items():
        if name in spec and given.get(name, "") is None:
            yield OptionError(name, f"is null, which would {effect}; {OMIT_IF_MEANT}")
    owner = [name for name in ("client", "id_user") if name in spec and name in given]
    takes_away = given.get("state") not in (None, "present") or bool(given.get("purge"))
    if owner and takes_away and all(given[name] is None for name in owner):
        yield OptionError(owner[0], f"is null, which would take away what another client has; {OMIT_IF_MEANT}")
    values = {name: os.environ.get(variable) or None for name, variable in ENVIRONMENT.items() if name in spec}
    values.update((name, one) for name, one in without_empty(given, spec).items() if one is not None)
    for error in _misread_members(values, spec, ""):
        # Nobody may have written the option.
        yield OptionError(error.option, error.problem + from_environment(error.option, values.get(error.option)))


def _misread_members(given: Mapping[str, Any], spec: Mapping[str, Any], prefix: str) -> Iterator[OptionError]:
    for name, value in given.items():
        if value is not None and name in spec:
            if not (isinstance(value, str) and spec[name].get("type") == "str"):
                yield from _misread(prefix + name, value, spec[name])
        elif value is not None and prefix:
            yield OptionError(f"{prefix}{name}", unknown(name, spec, "field"))


def _misread(place: str, value: Any, rules: Mapping[str, Any]) -> Iterator[OptionError]:
    type_name, members, problem = rules.get("type", "str"), rules.get("options"), ""
    if type_name in _TYPES and not _has_type(value, type_name):
        # A text in place of a dictionary or a list may hold a secret.
        problem = "" if type_name in ("list", "dict") else f"{shortened(value)} is not accepted; it "
        problem += f"must be {_TYPES[type_name]}."
    elif type_name == "list":
        entry = {**rules, "type": rules.get("elements")}
        for number, one in enumerate(value if isinstance(value, list) else ()):
            if one is None:
                yield OptionError(f"{place}[{number}]", "null is not accepted; give a value, or leave the entry out.")
            elif members is not None or entry["type"] != "dict":  # of records the zone says what is in one
                yield from _misread(f"{place}[{number}]", one, entry)
    elif members is not None:
        inner = structured(value) if isinstance(value, str) else value
        yield from _misread_members(inner if isinstance(inner, Mapping) else {}, members, f"{place}.")
    elif type_name in ("str", "path") and not isinstance(value, str):
        shown = "the given value" if rules.get("no_log") else shortened(value)
        if isinstance(value, bool):
            problem = f"{shown} is not accepted; YAML reads yes, no, on and off as a switch. Put the word in quotes."
        elif isinstance(value, (Mapping, list)):
            problem = f"{shown} is not accepted; it must be a string."
        elif rules.get("no_log"):
            problem = (
                f"{shown} is a number, and YAML may have changed its digits (01234 becomes 668); put it in quotes."
            )
    if problem:
        yield OptionError(place, problem)


def _has_type(value: Any, type_name: str) -> bool:
    """Whether Ansible takes it for one, as it does with texts of JSON and of key=value for dictionaries; true is no number."""
    try:
        DEFAULT_TYPE_VALIDATORS[type_name](value)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return not (type_name == "int" and isinstance(value, bool))


def check_values(given: Mapping[str, Any]) -> None:
    """Raises OptionError for a value that no request can hold, before anything else looks at it. given: the options as the user wrote them."""
    for name, value in given.items():
        # A string of JSON may stand for a dictionary or a list.
        read = (structured(value) or value) if isinstance(value, str) else value
        if problem_of(read):
            place, problem = _innermost(str(name), read)
            raise OptionError("".join(filter(str.isprintable, place)), f"{problem}. Nothing was sent.")


def _innermost(place: str, value: Any) -> tuple[str, str]:
    """The innermost place of what no request can hold, and why it cannot."""
    inside = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inside:
        if problem_of(one):
            return _innermost(f"{place}[{step}]" if isinstance(step, int) else f"{place}.{step}", one)
    return place, problem_of(value)


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
    if "\\u0000" not in text and MASK not in text:
        return ""
    texts = texts_in(json.loads(text, object_pairs_hook=lambda pairs: list(map(list, pairs))))  # names of fields, too
    if any("\0" in one for one in texts):
        return "holds a NUL character, which the panel cannot keep; remove it"
    if any(map(is_masked, texts)):
        return f"holds {MASK} instead of a secret, as results show it; write the secret itself, or leave the option out"
    return ""
