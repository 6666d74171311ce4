# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible's own check of options hides: what was omitted, and what was a number. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._errors import OptionError, raise_noted


def as_given(params: Mapping[str, Any], given: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options without the members that Ansible fills into nested dictionaries as null.

    An empty dictionary clears a group, one with nothing but omitted members says nothing; only ``given``, the options as the user wrote
    them, tells the two apart, and whether a number stands in the place of a text.
    """
    raise_noted(list(numbers_for_texts(given, spec)))
    result = dict(params)
    for name, specification in spec.items():
        value = params.get(name)
        if "options" not in specification or not isinstance(value, dict):
            continue
        members = {member: inner for member, inner in value.items() if inner is not None}
        result[name] = members if members or _is_empty_dictionary(given.get(name)) else None
    return result


_NUMBER_FOR_TEXT = "stands there as a number with a fraction, which loses the zeros at its end; write a text in quotes, or a whole number."


def numbers_for_texts(given: Mapping[str, Any], spec: Mapping[str, Any], prefix: str = "") -> Iterator[OptionError]:
    """One for each text that YAML has read as a number with a fraction, and so without the zeros at its end: 8.10 has become 8.1."""
    for name, specification in spec.items():
        value = given.get(name)
        if isinstance(value, float) and specification.get("type") == "str":
            shown = "" if specification.get("no_log") else f"{value} "
            yield OptionError(prefix + name, f"{shown}{_NUMBER_FOR_TEXT}")
        elif isinstance(value, Mapping) and "options" in specification:
            yield from numbers_for_texts(value, specification["options"], f"{prefix}{name}.")


def _is_empty_dictionary(value: Any) -> bool:
    """Also as a text, which is what extra variables on the command line are."""
    return value == {} or (isinstance(value, str) and value.replace(" ", "") == "{}")
