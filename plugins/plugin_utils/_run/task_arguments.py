# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of an action, checked, and as a module gets them through JSON. Private to the collection."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ...module_utils._http.connection_settings import without_empty
from ...module_utils._task.validation import misread_values


def checked_arguments(action: ActionBase, specification: Mapping[str, Any]) -> dict[str, Any]:
    """As the specification has them; raises where one does not fit it, or where a path is empty, which would be the current folder."""
    action._task.args = without_empty(action._task.args, specification)
    _validated, arguments = action.validate_argument_spec(dict(specification))
    mistakes = [error.message for error in misread_values(plain(action._task.args), specification)]
    mistakes += empty_paths(arguments, specification)
    if mistakes:
        raise AnsibleActionFail(f"{' '.join(mistakes)} Nothing was read or written.")
    checked: dict[str, Any] = arguments
    return checked


def empty_paths(arguments: Mapping[str, Any], specification: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """A sentence for each path that is empty, named by its place."""
    for name, option in specification.items():
        value = arguments.get(name)
        if option.get("type") == "path" and isinstance(value, str) and not value.strip():
            yield f"{place}{name} is empty: it has to name a path, or to be left out."
        elif "options" in option and isinstance(value, Mapping):
            yield from empty_paths(value, option["options"], f"{place}{name}.")
        elif "options" in option and isinstance(value, list):
            for index, item in enumerate(value):
                yield from empty_paths(item, option["options"], f"{place}{name}[{index}].")


def plain(value: Any) -> Any:
    """Plain values without the marks by which Ansible knows where they come from, secrets decrypted."""
    return json.loads(json.dumps(value, default=_plain_leaf))


def _plain_leaf(value: Any) -> str:
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else str(value)
