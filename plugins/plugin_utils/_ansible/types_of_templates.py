# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, switches and dates of which templates of ansible-core before 2.19 make texts.

There YAML makes 83 of ``name: 0123``, and a template ``{{ customer.name }}`` makes the text 83 of
that, in which nobody sees the number any more.

Private behaviour of ansible-core:

- Up to 2.18 ``Templar.copy_with_new_env``, which is public and which no guide describes, returns a
  templar with an environment of another class. The member ``concat`` of its class makes the value
  of a template from what its expressions come to: a text of each value, unless it is a list or a
  dictionary. Here, a single value stays what it is.
- Up to 2.18 ``Task.get_ds`` returns a task as its file has it, and ``ModuleArgsParser``, which no
  guide describes, finds the options in it. ``_variable_params`` is its key for options that are a
  template as a whole.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.parsing.mod_args import ModuleArgsParser

from .untrusted import trusted_template

# From 2.19 on a template that is one expression returns the value of the expression.
_TEMPLATES_MAKE_TEXTS = trusted_template is str
# The text of a number, a switch or a date, or of a list or dictionary that holds a date.
_DOUBTFUL = re.compile(
    r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|[-+]?inf|nan|True|False"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}( .*)?|[{\[].*",
    re.ASCII | re.DOTALL,
)
_OF_NO_TEXT = (int, float, datetime.date)
_WHOLE_OPTIONS = "_variable_params"


def with_types(templar: Any, written: Any, value: Any) -> Any:
    """Return a value with the numbers, switches and dates of which templates made texts.

    A template is evaluated once more only where its text could be that of one.

    Args:
        templar: Evaluates templates.
        written: The value before its templates were evaluated.
        value: The same, evaluated.
    """
    if not _TEMPLATES_MAKE_TEXTS:
        return value
    return _with_types(_derive_templar(templar), written, value)


def with_option_types(templar: Any, task: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a task, as ``with_types`` returns a value.

    Options of ``module_defaults`` stay as they are.
    """
    if not _TEMPLATES_MAKE_TEXTS:
        return options
    written = read_written_options(task)
    if not written:
        return options
    keeping_types = _derive_templar(templar)
    if _WHOLE_OPTIONS in written:
        evaluated = keeping_types.template(written.pop(_WHOLE_OPTIONS))
        written = {**evaluated, **written} if isinstance(evaluated, Mapping) else written
    return {
        name: _with_types(keeping_types, written.get(name), value)
        for name, value in options.items()
    }


def without_dates(value: Any) -> Any:
    """Return a value that a template may hand on, with dates as texts before 2.19.

    There a template makes one text of a whole list or dictionary that holds a date.
    """
    return _without_dates(value) if _TEMPLATES_MAKE_TEXTS else value


def _without_dates(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_without_dates(key): _without_dates(field) for key, field in value.items()}
    for type_ in (list, set, tuple):
        if isinstance(value, type_):
            return type_(map(_without_dates, value))
    return value.isoformat() if isinstance(value, datetime.date) else value


def _with_types(templar: Any, written: Any, value: Any) -> Any:
    if isinstance(written, Mapping) and isinstance(value, Mapping):
        return {key: _with_types(templar, written.get(key), field) for key, field in value.items()}
    if _are_lists(written, value):
        pairs = zip(written, value)
        return [_with_types(templar, entry, its_value) for entry, its_value in pairs]

    is_template = isinstance(written, str) and templar.is_template(written)
    if not is_template or getattr(written, "__UNSAFE__", False) or not _has_doubtful_text(value):
        return value
    return _with_types_of(value, templar.template(written))


def _has_doubtful_text(value: Any) -> bool:
    """Return whether a value is or holds a text that may have been something else."""
    if isinstance(value, Mapping):
        return any(_has_doubtful_text(field) for field in value.values())
    if isinstance(value, (list, tuple)):
        return any(_has_doubtful_text(entry) for entry in value)
    return isinstance(value, str) and _DOUBTFUL.fullmatch(value.strip()) is not None


def _with_types_of(value: Any, typed: Any) -> Any:
    """Return a value with each text replaced that is no text in the typed one.

    The texts are those of the first evaluation: a program that makes a password was run twice.
    """
    if isinstance(value, Mapping) and isinstance(typed, Mapping):
        return {key: _with_types_of(field, typed.get(key)) for key, field in value.items()}
    if _are_lists(value, typed):
        pairs = zip(value, typed)
        return [_with_types_of(entry, typed_entry) for entry, typed_entry in pairs]

    was_text_made = isinstance(value, str) and isinstance(typed, (*_OF_NO_TEXT, Mapping, list))
    return typed if was_text_made else value


def _are_lists(first: Any, second: Any) -> bool:
    """Return whether both are lists of the same length."""
    are_lists = isinstance(first, (list, tuple)) and isinstance(second, (list, tuple))
    return are_lists and len(first) == len(second)


def _derive_templar(templar: Any) -> Any:
    """Return a templar for the same variables that makes no text of a single value."""
    base: Any = type(templar.environment)
    return templar.copy_with_new_env(environment_class=_derive_environment(base))


@functools.cache
def _derive_environment(base: Any) -> type:
    """Return an environment of templates that differs in their values alone."""

    def concat(nodes: Iterable[Any]) -> Any:
        values = list(nodes)
        if len(values) == 1 and not isinstance(values[0], str):
            return values[0]
        return base.concat(values)

    return type("KeepsTypes", (base,), {"concat": staticmethod(concat)})


def read_written_options(task: Any) -> dict[str, Any]:
    """Return the options that the file of a task gives it, with their templates.

    What ``module_defaults`` give it is not among them.
    """
    content = task.get_ds()
    if not isinstance(content, Mapping):
        return {}
    parser = ModuleArgsParser(task_ds=content, collection_list=content.get("collections"))
    try:
        _action, options, _host = parser.parse(skip_action_validation=True)
    except AnsibleParserError:  # which the file of a task that runs does not cause
        return {}
    return dict(options or {})
