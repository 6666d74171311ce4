# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options of a task, found before Ansible checks them, and what Ansible's check leaves of them. Private to the collection.

Ansible converts what YAML misread, hides what was omitted, and crashes on some values.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._errors import OptionError, raise_collected
from .._http.connection_settings import ENVIRONMENT, with_source
from .._problems import Problem, option_problem
from .._secrets.redaction import MASK, MASKED, structured, texts_in
from .._values.value_types import TEXT, problem_of_text, shortened

_TYPES = {"int": "a whole number", "bool": "true or false", "list": "a list", "dict": "a dictionary"}
# Options that narrow what a task does, each with what it would do without.
_NARROWING = {
    "expected_checksum": "approve every plan",
    "max": "set no limit",
    "max_deletes": "set no limit",
    "protect": "protect nothing",
}
OMIT_IF_MEANT = "omit it if you want this, in a template with default(omit)."
OMIT = "omit it, in a template with default(omit)."


def checked(given: Mapping[str, Any], validator: ArgumentSpecValidator) -> dict[str, Any]:
    """The options as Ansible completes them. Raises OptionError with everything that is wrong with them."""
    spec, given = validator.argument_spec, _without_empty(given, validator.argument_spec)
    problems = [option_problem(str(name), unknown(name, spec)) for name in given if name not in spec]
    missing = [name for name, rules in spec.items() if rules.get("required") and given.get(name) is None]
    problems += [option_problem(name, "missing; the task needs it.") for name in missing]
    raise_collected([*problems, *_null_values(given, spec), *misread_values(given, spec)])
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
    found = {name: value for name, value in given.items() if value != "" or name not in ENVIRONMENT or name not in spec}
    for name in (name for name, rules in spec.items() if "options" in rules and isinstance(given.get(name), list)):
        members = spec[name]["options"]
        found[name] = [_without_empty(one, members) if isinstance(one, dict) else one for one in given[name]]
    return found


def _null_values(given: Mapping[str, Any], spec: Mapping[str, Any], place: str = "") -> Iterator[Problem]:
    """Yield an error for each option with a default that is null, which Ansible refuses in words of Python."""
    for name, rules in spec.items():
        if name not in given:
            continue
        value = given[name]
        if value is None and rules.get("default") is not None and name not in _NARROWING:
            yield option_problem(f"{place}{name}", f"is null; give a value, or {OMIT}")
        entries = value if isinstance(value, list) and "options" in rules else []
        for index, entry in enumerate(entries):
            if isinstance(entry, Mapping):
                yield from _null_values(entry, rules["options"], f"{place}{name}[{index}].")


def unknown(name: object, known: Iterable[str], what: str = "option") -> str:
    """What is wrong with the name of an option that there is not."""
    import difflib  # noqa: PLC0415 - few tasks need it

    names = list(known)
    near = difflib.get_close_matches(str(name), names, 1)
    meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}."
    return f"there is no such {what}; {meant}"


def misread_values(given: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    """One for each value that is not of its type, or that Ansible would convert to another one, those of the environment included.

    Null counts as omitted, except for options that narrow what is done: there a template had no value, and more would be done than was meant.
    """
    for name, effect in _NARROWING.items():
        if name in spec and given.get(name, "") is None:
            yield option_problem(name, f"is null, which would {effect}; {OMIT_IF_MEANT}")
    owner = [name for name in ("client", "id_user") if name in spec and name in given]
    takes_away = given.get("state") not in (None, "present") or bool(given.get("purge"))
    if owner and takes_away and all(given[name] is None for name in owner):
        yield option_problem(owner[0], f"is null, which would take away what another client has; {OMIT_IF_MEANT}")
    values = {name: os.environ.get(variable) or None for name, variable in ENVIRONMENT.items() if name in spec}
    values.update((name, one) for name, one in _without_empty(given, spec).items() if one is not None)
    for problem in _misread("", values, {"type": "dict", "options": spec}):
        yield with_source(problem, values)


def _misread(place: str, value: Any, rules: Mapping[str, Any]) -> Iterator[Problem]:
    type_name, members, choices = rules.get("type", "str"), rules.get("options"), rules.get("choices")
    problem = _wrong_type(value, type_name, rules)
    if not problem and choices and type_name != "list" and str(value) not in map(str, choices):
        problem = f"{shortened(value)} is not accepted; it must be one of {', '.join(map(str, choices))}."
    if problem:
        yield option_problem(place, problem)
    elif type_name == "list":
        entry = {**rules, "type": rules.get("elements")}
        # Ansible makes the list of a text, and would tell a wrong choice in words of its own.
        is_text_of_choices = isinstance(value, str) and choices
        entries = DEFAULT_TYPE_VALIDATORS["list"](value) if is_text_of_choices else value
        for number, one in enumerate(entries if isinstance(entries, list) else ()):
            if one is None:
                yield option_problem(
                    f"{place}[{number}]", "null is not accepted; give a value, or leave the entry out."
                )
            elif members is not None or entry["type"] != "dict":  # of records the zone says what is in one
                yield from _misread(f"{place}[{number}]", one, entry)
    elif members is not None:
        inner = structured(value) if isinstance(value, str) else value
        for name, one in inner.items() if isinstance(inner, Mapping) else ():
            if one is not None and name in members:
                yield from _misread(f"{place}.{name}" if place else name, one, members[name])
            elif one is not None and place:
                yield option_problem(f"{place}.{name}", unknown(name, members, "field"))


def _wrong_type(value: Any, type_name: str, rules: Mapping[str, Any]) -> str:
    """Why a value is not of its type; empty where it is one as Ansible takes it, which makes dictionaries of texts of JSON and of key=value."""
    if type_name == "list" and rules.get(TEXT) and isinstance(value, (int, float)):
        return problem_of_text(value)  # Ansible takes a single value for a list of one
    if type_name in _TYPES:
        with contextlib.suppress(TypeError, ValueError, ArithmeticError):
            DEFAULT_TYPE_VALIDATORS[type_name](value)
            if type_name != "int" or not isinstance(value, bool):
                return ""
        # A text in place of a dictionary or a list may hold a secret.
        refused = "" if type_name in ("list", "dict") else f"{shortened(value)} is not accepted; it "
        return f"{refused}must be {_TYPES[type_name]}."
    if isinstance(value, str) or type_name not in ("str", "path"):
        return ""
    is_secret = bool(rules.get("no_log"))
    # Elsewhere a number, of a size for example, is as good as its digits.
    takes_numbers = not is_secret and not rules.get(TEXT)
    is_other = isinstance(value, (bool, Mapping, list))
    return "" if takes_numbers and not is_other else problem_of_text(value, is_secret)


def path_in_words(path: Iterable[Any]) -> str:
    """Names a place in options as messages do, such as ``emails[0].max_size``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def without_marks(spec: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """A specification of options as Ansible knows it."""
    plain: dict[str, dict[str, Any]] = {}
    for name, rules in spec.items():
        plain[name] = {rule: value for rule, value in rules.items() if rule != TEXT}
        if "options" in rules:
            plain[name]["options"] = without_marks(rules["options"])
    return plain


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
    if any(map(MASKED.search, texts)):
        return f"holds {MASK} instead of a secret, as results show it; write the secret itself, or leave the option out"
    return ""
