# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether a state file has the form in which a run keeps it.

Pure. A value of another form is never read as if it were one: a step could then overwrite what
customers use, or take for copied what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._content.files.commands import normalize_path
from ...module_utils._content.kept_forms import is_count, is_list_of_texts, is_mapping, is_text
from ...module_utils._content.shown_text import show_name
from .content_objects import LISTS, TREE
from .object_pass import OUTCOMES
from .pass_plan import COPY, FINAL, LATE, VERIFY

_STEPS = (COPY, FINAL, LATE, VERIFY)
# What a page shows of a difference, and of what is left out.
_TEXTS_OF_NAMED = ("path", "name", "folder", "kind", "why")
_LISTS_OF_RUN = ("done", "failed", "to_compare")
_Form = Callable[[Any], bool]


def find_damaged_value(state: Mapping[str, Any]) -> str:
    """Return the name of the first value of a state with another form; empty if all have theirs.

    Args:
        state: Of this release.
    """
    unfit = _find_unfit(state, _FORMS_OF_STATE, "")
    if unfit:
        return unfit

    for key, entry in state["objects"].items():
        unfit = _find_unfit_in_object(entry, f"objects[{show_name(key)}]")
        if unfit:
            return unfit
    return _find_unfit_in_run(state["run"], state["objects"])


def _find_unfit(values: Mapping[str, Any], forms: Mapping[str, _Form], location: str) -> str:
    """Return the location of the first value that is missing or has another form; empty for none."""
    for name, has_form in forms.items():
        if not has_form(values.get(name)):
            return f"{location}{name}"
    return ""


def _find_unfit_in_object(entry: Any, location: str) -> str:
    """Return the location of the first wrong value of an object; empty for none."""
    if not is_mapping(entry):
        return location
    unfit = _find_unfit(entry, _FORMS_OF_OBJECT, f"{location}.")
    if unfit:
        return unfit
    if entry["kind"] == TREE:
        # A run knows the homes of what it copies, and keeps full paths.
        unfit = _find_unfit(entry, _FORMS_OF_TREE, f"{location}.")
        if unfit:
            return unfit

    for step, last_pass in entry["passes"].items():
        unfit = _find_unfit_in_pass(step, last_pass, f"{location}.passes.{show_name(step)}")
        if unfit:
            return unfit
    return ""


def _find_unfit_in_pass(step: str, last_pass: Any, location: str) -> str:
    """Return the location of the first wrong value of a pass; empty for none."""
    if step not in _STEPS or not is_mapping(last_pass):
        return location
    # An older release kept fewer values.
    optional = {name: form for name, form in _OPTIONAL_FORMS.items() if name in last_pass}

    return _find_unfit(last_pass, {**_FORMS_OF_PASS, **optional}, f"{location}.")


def _find_unfit_in_run(run: Mapping[str, Any], objects: Mapping[str, Any]) -> str:
    """Return what is wrong with a run, which is empty or has a step and what this took."""
    if not run:
        return ""
    unfit = _find_unfit(run, _FORMS_OF_RUN, "run.")
    if unfit:
        return unfit

    for name in _LISTS_OF_RUN:
        for key in run[name]:
            if key not in objects or run["step"] not in objects[key]["passes"]:
                return f"run.{name}"
    return ""


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_kind(value: Any) -> bool:
    return value in LISTS.values()


def _is_step(value: Any) -> bool:
    return value in _STEPS


def _is_outcome(value: Any) -> bool:
    return value in OUTCOMES


def _is_full_path(value: Any) -> bool:
    return is_text(value) and value != "" and normalize_path(value) == value


def _has_counts(value: Any) -> bool:
    return is_mapping(value) and all(map(is_count, value.values()))


def _is_named(value: Any) -> bool:
    return is_mapping(value) and all(is_text(value.get(name, "")) for name in _TEXTS_OF_NAMED)


def _is_list_of_named(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_named, value))


def _is_list_of_differences(value: Any) -> bool:
    return is_list_of_texts(value) or _is_list_of_named(value)


_FORMS_OF_STATE: Mapping[str, _Form] = {
    "source": is_text,
    "target": is_text,
    "run": is_mapping,
    "is_taken_over": _is_switch,
    "objects": is_mapping,
}
_FORMS_OF_RUN: Mapping[str, _Form] = {
    "step": _is_step,
    "done": is_list_of_texts,
    "failed": is_list_of_texts,
    "to_compare": is_list_of_texts,
}
_FORMS_OF_OBJECT: Mapping[str, _Form] = {
    "kind": _is_kind,
    "from": is_text,
    "to": is_text,
    "passes": is_mapping,
}
_FORMS_OF_TREE: Mapping[str, _Form] = {"from": _is_full_path, "to": _is_full_path}
_FORMS_OF_PASS: Mapping[str, _Form] = {"outcome": _is_outcome, "changed": _is_switch}
_OPTIONAL_FORMS: Mapping[str, _Form] = {
    "at": is_text,
    "counts": _has_counts,
    "differences": _is_list_of_differences,
    "left_out": _is_list_of_named,
    "unlisted": _has_counts,
    "why": is_text,
    "compared": is_text,
    "proof": is_text,
    "digest": is_text,
}
