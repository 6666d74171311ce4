# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The failure of a task whose options Ansible itself refuses. Private to the collection.

Ansible would show all options of such a task, the API key included, when one of them is a text in the place of a dictionary; and it
would blank every place of its message in which the letters of a short secret occur.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.common.validation import check_type_dict

from ansible_collections.hosting.panel.plugins.module_utils._redaction import Redactor, secrets_in, shown_arguments

_INFINITE = re.compile(r"\s*[+-]?inf(inity)?\s*", re.IGNORECASE)


def failed_validation(
    message: str, params: Mapping[str, Any], given: Mapping[str, Any], argument_spec: Mapping[str, Any]
) -> dict[str, Any]:
    """The result, without secrets. message: Ansible's words; params: as far as they were completed; given: as the user wrote them."""
    for name, value in given.items():
        if _has_members(argument_spec.get(name, {})) and not _is_dictionary(value):
            message = f"{name}: must be a dictionary of its members."
            break
    return {
        "failed": True,
        "msg": Redactor(secrets_in(params, argument_spec)).text(message),
        "invocation": {"module_args": shown_arguments(params, argument_spec)},
    }


def checkable(given: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options as Ansible can check them.

    What stands in the place of a dictionary and is no text makes its checks crash, and so does an infinite number or a list of large ones
    in the place of a number.
    """
    return {name: _checkable(value, argument_spec.get(name, {})) for name, value in given.items()}


def _checkable(value: Any, specification: Mapping[str, Any]) -> Any:
    if _has_members(specification):
        if isinstance(value, dict):
            return checkable(value, specification["options"])
        return value if _is_dictionary(value) else str(value)
    if specification.get("type") == "int" and isinstance(value, (list, dict, float, str)):
        text = str(value)
        return f"'{text}'" if _INFINITE.fullmatch(text) else text
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
