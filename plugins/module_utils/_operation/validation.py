# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what is wrong with the options of a task before Ansible checks them, and completes what
Ansible's check leaves of them.

Ansible converts what YAML misread, hides what was omitted, and crashes on some values.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._errors import OptionError, raise_if_any
from .._http.connection_settings import ENVIRONMENT, add_source, find_key_of_another_panel
from .._problems import OptionPath, Problem, as_clause, describe_fields, describe_option_problem
from .._secrets.displayed_arguments import TAKEN_FOR_SECRET
from .._secrets.redaction import parse_structure
from .._values.near_names import ask_for_like_word, find_like_word
from .._values.option_marks import ACCEPTED, EMPTY_CLEARS, FIELDS, NARROWS, TEXT_ONLY, is_text_only
from .._values.value_types import UNDISPLAYED, describe_text_problem, has_plain_digits, quote_value

_TYPES = {
    "int": "a whole number",
    "bool": "true or false",
    "list": "a list",
    "dict": "a dictionary",
}
# What Ansible itself does not know of an option.
_OWN_MARKS = frozenset({ACCEPTED, EMPTY_CLEARS, FIELDS, NARROWS, TAKEN_FOR_SECRET, TEXT_ONLY})
Options = Mapping[str, Any]
# What Ansible knows of an option, and of all options by their names.
Rules = Mapping[str, Any]
Spec = Mapping[str, Any]
OMIT_IF_MEANT = "omit it if you want this, in a template with default(omit)."
OMIT = "omit it, in a template with default(omit)."


def check_options(arguments: Options, validator: ArgumentSpecValidator) -> dict[str, Any]:
    """Return the options as Ansible completes them.

    Args:
        arguments: The options as the user wrote them.
        validator: Of Ansible, with the specification of the options.

    Raises:
        OptionError: Something is wrong with them; it has everything.
    """
    spec = validator.argument_spec
    written_arguments = arguments
    arguments = _without_empty(written_arguments, spec)
    raise_if_any(
        [
            *find_key_of_another_panel(written_arguments, _find_list_of_panels(spec)),
            *_find_unknown_options(arguments, spec),
            *_find_missing_options(arguments, spec),
            *_find_null_values(arguments, spec),
            *find_misread_values(arguments, spec),
        ]
    )

    validated = validator.validate(arguments)
    if validated.error_messages:
        sentences = [f"{as_clause(message)}." for message in validated.error_messages]
        raise OptionError(" ".join(sentences), option="")

    options = dict(validated.validated_parameters)
    for name, value in options.items():
        if isinstance(value, dict) and "options" in spec[name]:
            options[name] = _without_omitted(value, arguments[name])
    return options


def _find_list_of_panels(spec: Spec) -> str:
    """Return the option that lists panels, each with its connection; empty where there is none."""
    for name, rules in spec.items():
        if rules.get("type") == "list" and "api_key" in (rules.get("options") or ()):
            return name
    return ""


def _find_unknown_options(arguments: Options, spec: Spec) -> Iterator[Problem]:
    """Yield a problem for each option that there is not."""
    of_connection = [name for name in spec if name in ENVIRONMENT]
    own_rules = {name: rules for name, rules in spec.items() if name not in ENVIRONMENT}
    for name in arguments:
        if name in spec:
            continue
        if own_rules:
            cause = describe_unknown_name(name, own_rules, of_connection=of_connection)
        else:
            cause = describe_unknown_name(name, of_connection)
        yield describe_option_problem(str(name), cause)


def _find_missing_options(arguments: Options, spec: Spec) -> Iterator[Problem]:
    """Yield a problem for each option without which the task cannot run."""
    for name, rules in spec.items():
        if rules.get("required") and arguments.get(name) is None:
            form = ""
            if rules.get("choices"):
                form = f" It must be one of {', '.join(map(str, rules['choices']))}."
            yield describe_option_problem(name, f"missing; the task needs it.{form}")


def _without_omitted(group: Options, written: Any) -> dict[str, Any] | None:
    """Return a group of fields without null, with which Ansible fills in omitted ones; None for a
    group that says nothing.

    An empty dictionary clears a group, also as a text, which extra variables of the command line
    are.
    """
    fields = {name: value for name, value in group.items() if value is not None}
    is_cleared = str(written).replace(" ", "") == "{}"
    if not fields and not is_cleared:
        return None
    return fields


def _without_empty(arguments: Options, spec: Spec) -> dict[str, Any]:
    """Return the options without those of a connection that are an empty string, also in a list of
    panels, and with an empty list for an empty string that clears one.
    """
    options: dict[str, Any] = {}
    for name, value in arguments.items():
        rules = spec.get(name)
        if rules is not None and name in ENVIRONMENT and value == "":
            continue

        options[name] = value
        if rules is not None and rules.get(EMPTY_CLEARS) and value == "":
            options[name] = []
        if rules is not None and "options" in rules and isinstance(value, list):
            options[name] = _without_empty_in_entries(value, rules["options"])
    return options


def _without_empty_in_entries(entries: list[Any], spec: Spec) -> list[Any]:
    """Return the entries of a list, each as ``_without_empty`` does."""
    return [_without_empty(entry, spec) if isinstance(entry, dict) else entry for entry in entries]


def _find_null_values(arguments: Options, spec: Spec, path: OptionPath = ()) -> Iterator[Problem]:
    """Yield a problem for each option with a default that is null, which Ansible refuses in words
    of Python.
    """
    for name, rules in spec.items():
        if name not in arguments:
            continue

        value = arguments[name]
        if value is None and rules.get("default") is not None and NARROWS not in rules:
            yield describe_option_problem((*path, name), f"is null; give a value, or {OMIT}")
        if isinstance(value, list) and "options" in rules:
            yield from _find_null_values_in_entries(value, rules["options"], (*path, name))


def _find_null_values_in_entries(
    entries: list[Any], spec: Spec, path: OptionPath
) -> Iterator[Problem]:
    """Yield problems as ``_find_null_values`` does, of the entries of a list."""
    for index, entry in enumerate(entries):
        if isinstance(entry, Mapping):
            yield from _find_null_values(entry, spec, (*path, index))


def describe_unknown_name(
    name: object,
    names: Iterable[str] | Mapping[str, Rules],
    noun: str = "option",
    of_connection: Iterable[str] = (),
) -> str:
    """Return what is wrong with the name of an option that there is not.

    Args:
        name: As the user wrote it.
        names: The names that there are, or their rules, by name.
        noun: What the names are of.
        of_connection: Further ones, which no message lists: every module has them.
    """
    listed = list(names)
    unlisted = list(of_connection)
    groups = _find_groups_of_fields(names) if isinstance(names, Mapping) else {}
    if name in groups:
        like_word: str | None = f"{groups[str(name)]}.{name}"
    else:
        like_word = find_like_word(str(name), [*listed, *unlisted])
    if like_word:
        return f"there is no such {noun}; did you mean {like_word}?"
    candidates = ", ".join(listed)
    if unlisted:
        candidates += " and those of the connection"
    return f"there is no such {noun}; there are {candidates}."


def _find_groups_of_fields(spec: Spec) -> dict[str, str]:
    """Return by the name of a field the dictionary among the options that has it."""
    groups: dict[str, str] = {}
    for name, rules in spec.items():
        if rules.get("type") == "dict":
            groups.update(dict.fromkeys(rules.get("options") or (), name))
    return groups


def find_misread_values(arguments: Options, spec: Spec) -> Iterator[Problem]:
    """Yield a problem for each value that is not of its type, or that Ansible would convert to
    another one.

    Null counts as omitted, except for options that narrow what is done: there a template had no
    value, and more would be done than was meant.

    Args:
        arguments: The options as the user wrote them, which the environment completes.
        spec: What Ansible knows of them.
    """
    yield from _find_null_limits(arguments, spec)
    yield from _find_null_owner(arguments, spec)

    values = _read_values_of_environment(spec)
    for name, value in _without_empty(arguments, spec).items():
        if value is not None:
            values[name] = value
    for problem in _find_mistakes_in_fields((), values, spec):
        yield add_source(problem, values)


def _find_null_limits(arguments: Options, spec: Spec) -> Iterator[Problem]:
    """Yield a problem for each option that narrows what is done, and is null."""
    for name, rules in spec.items():
        if NARROWS in rules and arguments.get(name, "") is None:
            cause = f"is null, which would {rules[NARROWS]}; {OMIT_IF_MEANT}"
            yield describe_option_problem(name, cause)


def _find_null_owner(arguments: Options, spec: Spec) -> Iterator[Problem]:
    """Yield a problem where something is taken away, and null says from whom."""
    is_removed = arguments.get("state") not in (None, "present")
    if not is_removed and not arguments.get("purge"):
        return

    written = [name for name in ("client", "id_user") if name in spec and name in arguments]
    if written and all(arguments[name] is None for name in written):
        cause = f"is null, which would take away what another client has; {OMIT_IF_MEANT}"
        yield describe_option_problem(written[0], cause)


def _read_values_of_environment(spec: Spec) -> dict[str, Any]:
    """Return what the environment says of options; None where it says nothing."""
    values: dict[str, Any] = {}
    for name, variable in ENVIRONMENT.items():
        if name in spec:
            values[name] = os.environ.get(variable) or None
    return values


def _find_mistakes_in_value(path: OptionPath, value: Any, rules: Rules) -> Iterator[Problem]:
    """Yield what is wrong with the value of an option, or with a part of it.

    Args:
        path: Leads to the option, or to the part of it.
        value: As the user wrote it.
        rules: What Ansible knows of the option.
    """
    displayed = quote_value(value)
    if rules.get(TAKEN_FOR_SECRET):
        displayed = UNDISPLAYED
    cause = _describe_wrong_type(value, rules, displayed) or _describe_wrong_choice(
        value, rules, displayed
    )
    if cause:
        yield describe_option_problem(path, cause)
        return
    if rules.get("type") == "list":
        yield from _find_mistakes_in_entries(path, value, rules)
        return
    if rules.get("options") is None:
        return

    if isinstance(value, str):
        value = parse_structure(value)
    if isinstance(value, Mapping):
        yield from _find_mistakes_in_fields(path, value, rules["options"])


def _find_mistakes_in_entries(path: OptionPath, value: Any, rules: Rules) -> Iterator[Problem]:
    """Yield what is wrong with the entries of a list."""
    entries = value
    if isinstance(value, str) and rules.get("choices"):
        # Ansible makes the list of a text, and would tell a wrong choice in words of its own.
        entries = DEFAULT_TYPE_VALIDATORS["list"](value)
    if not isinstance(entries, list):
        return

    rules_of_entry = {**rules, "type": rules.get("elements")}
    for number, entry in enumerate(entries):
        if entry is None:
            cause = "null is not accepted; give a value, or leave the entry out."
            yield describe_option_problem((*path, number), cause)
        else:
            yield from _find_mistakes_in_value((*path, number), entry, rules_of_entry)


def _find_mistakes_in_fields(path: OptionPath, fields: Options, spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the fields of a group, or with the options themselves, of which
    unknown ones have their problem elsewhere.
    """
    for name, value in fields.items():
        if value is None:
            # Ansible's own words for it, before 2.19, are of Python. Of the options themselves, the
            # missing ones have their problem elsewhere.
            if path and name in spec and spec[name].get("required"):
                yield describe_option_problem((*path, name), "is null; give a value.")
            continue
        if name in spec:
            yield from _find_mistakes_in_value((*path, name), value, spec[name])
        elif path:
            yield describe_option_problem(
                (*path, str(name)), describe_unknown_name(name, spec, "field")
            )


def _describe_wrong_choice(value: Any, rules: Rules, displayed: str) -> str:
    """Return why a value is none of the choices; empty where it is one, or may be any.

    displayed: How the message shows the value.
    """
    if not rules.get("choices") or rules.get("type") == "list":
        return ""
    choices = [str(choice) for choice in rules["choices"]]
    if str(value) in choices:
        return ""
    words = [choice for choice in rules["choices"] if isinstance(choice, str)]
    form = f"it must be one of {', '.join(choices)}"
    return f"{displayed} is not accepted; {form}{ask_for_like_word(str(value), words)}"


def _describe_wrong_type(value: Any, rules: Rules, displayed: str) -> str:
    """Return why a value is not of its type; empty where it is one as Ansible takes it.

    Ansible makes dictionaries of texts of JSON and of key=value.

    displayed: How the message shows the value.
    """
    type_name = rules.get("type", "str")
    if type_name == "list" and is_text_only(rules) and isinstance(value, (int, float)):
        return describe_text_problem(value)  # Ansible takes a single value for a list of one
    if type_name in _TYPES:
        return _describe_conversion_problem(value, rules, displayed)
    if isinstance(value, str) or type_name not in ("str", "path"):
        return ""

    is_secret = bool(rules.get("no_log"))
    # Elsewhere a number, of a size for example, is as good as its digits.
    takes_numbers = not is_secret and not is_text_only(rules)
    if takes_numbers and not isinstance(value, (bool, Mapping, list)):
        return ""
    if isinstance(value, bool) and not is_secret:
        return _describe_misplaced_switch(value, rules)
    return describe_text_problem(value, is_secret)


def _describe_misplaced_switch(value: bool, rules: Rules) -> str:
    """Return why a switch is not taken in the place of a text, with what is taken instead."""
    cause = _describe_wrong_choice(value, rules, str(value))
    if cause:
        return cause
    if ACCEPTED in rules:
        return f"{value} is not accepted; it must be {rules[ACCEPTED]}."
    return describe_text_problem(value)


def _describe_conversion_problem(value: Any, rules: Rules, displayed: str) -> str:
    """Return why Ansible cannot convert a value to a type; empty where it can.

    displayed: How the message shows the value.
    """
    type_name = rules["type"]
    fields = describe_fields(rules.get("options") or rules.get(FIELDS) or ())
    has_dictionaries = type_name == "list" and rules.get("elements") == "dict"
    is_convertible = _is_convertible(value, type_name)
    if has_dictionaries and isinstance(value, str):
        is_convertible = _is_list_of_dictionaries(value)
    if is_convertible:
        return ""

    # A text in the place of a list or a dictionary may hold a secret.
    if has_dictionaries:
        return f"must be a list of dictionaries{fields}."
    if type_name == "list":
        return f"must be {_TYPES[type_name]}."
    if type_name == "dict":
        return f"must be {_TYPES[type_name]}{fields}."
    return f"{displayed} is not accepted; it must be {_TYPES[type_name]}."


def _is_convertible(value: Any, type_name: str) -> bool:
    """Tell whether Ansible can convert a value to a type."""
    with contextlib.suppress(TypeError, ValueError, ArithmeticError):
        DEFAULT_TYPE_VALIDATORS[type_name](value)
        return type_name != "int" or _is_whole_number(value)
    return False


def _is_list_of_dictionaries(text: str) -> bool:
    """Tell whether Ansible can make a list of dictionaries of a text, which it takes apart at each
    comma.
    """
    return all(_is_convertible(part, "dict") for part in DEFAULT_TYPE_VALIDATORS["list"](text))


def _is_whole_number(value: Any) -> bool:
    """Tell whether what Ansible takes for a whole number is written as one."""
    if isinstance(value, str):
        return has_plain_digits(value)
    return not isinstance(value, bool)


def remove_marks(spec: Mapping[str, Rules]) -> dict[str, dict[str, Any]]:
    """Return a specification of options as Ansible knows it."""
    plain: dict[str, dict[str, Any]] = {}
    for name, rules in spec.items():
        plain[name] = {rule: value for rule, value in rules.items() if rule not in _OWN_MARKS}
        if "options" in rules:
            plain[name]["options"] = remove_marks(rules["options"])
    return plain
