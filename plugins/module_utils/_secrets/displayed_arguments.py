# SPDX-License-Identifier: GPL-3.0-or-later
"""Displays the options of a task without their secrets. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.parsing.convert_bool import BOOLEANS

from .redaction import EXTRA, map_texts, mask_secrets, parse_structure
from .secret_forms import MASK, is_secret_in_extra, mask_secret_forms
from .spellings import LENGTH_OF_A_WORD

# In a specification, the mark of an option that people take for the secret itself, such as
# update_password: what it does not accept may be one, and is shown nowhere. Ansible itself does not
# get it.
TAKEN_FOR_SECRET = "taken_for_secret"
TAKEN_FOR_SECRET_MARK = {TAKEN_FOR_SECRET: True}
OMITTED = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # Ansible's own words for it
# What stands before the host in an address, but for a user name and password, which api_url
# refuses.
_BEFORE_THE_HOST = re.compile(r"\s*(?:(?:[a-z]+:)?//)?", re.IGNORECASE)
# What is no structure, also none with a mistake in it.
_ONE_WORD = re.compile(r"[\w.+-]*")
_PARAMETERS = re.compile("([?#]).*", re.DOTALL)


def display_arguments(
    params: Mapping[str, Any], argument_spec: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of a task as its invocation may show them."""
    return {
        name: _display_argument(name, value, argument_spec.get(name))
        for name, value in params.items()
    }


def _display_argument(name: str, value: Any, specification: Mapping[str, Any] | None) -> Any:
    """Return the value of an option as the invocation may show it."""
    if value is None:
        return None
    if specification is None:
        return MASK  # what is no option of this module may be a mistyped name of a secret one
    if specification.get("no_log"):
        return OMITTED
    if specification.get(TAKEN_FOR_SECRET) and not _is_accepted(value, specification):
        return OMITTED

    members = specification.get("options")
    if isinstance(value, str) and specification.get("type") in ("raw", "dict"):
        value = _display_text_of_structure(value, has_members=members is not None)
    if members is None:
        return _display_value(name, value)
    if isinstance(value, list):
        return [_display_argument(name, entry, specification) for entry in value]
    if isinstance(value, dict):
        return display_arguments(value, members)
    return OMITTED


def _is_accepted(value: Any, specification: Mapping[str, Any]) -> bool:
    """Tell whether an option takes a value: one of its choices, or a switch."""
    if specification.get("choices"):
        return value in specification["choices"]
    return str(value).lower() in BOOLEANS or isinstance(value, bool)


def _display_text_of_structure(text: str, has_members: bool) -> Any:
    """Return what may be shown of a text in the place of a structure."""
    structure = parse_structure(text)
    if structure:
        return structure
    # In place of a dictionary it may be a secret field, and a text that is more than a short word a
    # structure, badly written.
    is_short_word = len(text) < LENGTH_OF_A_WORD and _ONE_WORD.fullmatch(text) is not None
    is_harmless = is_short_word or text.isdecimal()
    if has_members or not is_harmless:
        return OMITTED
    return text


def _display_value(name: str, value: Any) -> Any:
    """Return the value of an option without options of its own as an invocation may show it."""
    if name == EXTRA:
        return map_texts(value, mask_secret_forms, MASK, is_secret=is_secret_in_extra)
    if name in ("api_url", "path") and isinstance(value, str):
        return display_address(value)
    return mask_secrets(value)


def display_address(text: str) -> str:
    """Return an address or a path without what logs in, and without parameters."""
    address = _PARAMETERS.sub(rf"\1{MASK}", text)
    start = 0
    before_host = _BEFORE_THE_HOST.match(address)
    if before_host:
        start = before_host.end()

    host, slash, path = address[start:].partition("/")
    login, at, host = host.rpartition("@")
    if at:
        login = MASK
    return f"{address[:start]}{login}{at}{host}{slash}{path}"
