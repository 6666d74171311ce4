# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses variables that a role or a playbook does not have, and values that mean nothing: what they were to prevent would be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.errors import AnsibleError

from ..plugin_utils._jobs.role_variables import (
    LOCALHOST,
    TYPES_WITH_RULES,
    missing_variables,
    unknown_variables,
    wrong_values,
)
from ..plugin_utils._run.job import Job, JobAction, JobFailed

_CURE = "Correct the names; if they are variables of your own, rename them, or name them in panel_foreign_variables."


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_variables; it never talks to the panel."""

    _requires_connection = False
    specification = {
        "prefix": {"type": "str", "required": True},
        # Of a role, whose options are known, and what it leaves behind.
        "specification": {"type": "path"},
        "known": {"type": "list", "elements": "str", "default": []},
        "types": {"type": "dict", "default": {}},
        "bare": {"type": "list", "elements": "str", "default": []},
        "foreign": {"type": "list", "elements": "str", "default": []},
        "is_shared": {"type": "bool", "default": False},
        "own": {"type": "list", "elements": "str", "default": []},
    }

    def steps(self, job: Job) -> dict[str, Any]:
        arguments, variables = job.arguments, job.variables
        prefix, foreign = arguments["prefix"], arguments["foreign"]
        types = {**arguments["types"], **dict(self._options_of_role(arguments["specification"]))}
        unknown = unknown_variables(variables, prefix, [*arguments["known"], *types], foreign, arguments["is_shared"])
        # A name of an option of a module, where a playbook takes it with the prefix.
        unknown += [
            f"{name}: did you mean {prefix}{name}?"
            for name in arguments["bare"]
            if name in variables and name not in foreign
        ]
        wrong = wrong_values(dict(self._values(types, variables)), types)
        host = str(variables.get("inventory_hostname", LOCALHOST))
        has = [name for name in arguments["own"] if self._has(name, variables)]
        missing = missing_variables({host: has}, arguments["own"])
        if unknown or wrong or missing:
            # Nowhere else in the result, of which Ansible prints all.
            cure = [_CURE] if unknown else []
            raise JobFailed(" ".join([*unknown, *wrong, *missing, "Nothing was read or written.", *cure]))
        return {}

    def _options_of_role(self, specification: str | None) -> Iterator[tuple[str, str]]:
        if specification is not None:
            for entry in self._loader.load_from_file(specification)["argument_specs"].values():
                for name, option in (entry.get("options") or {}).items():
                    yield name, option.get("type", "str")

    def _values(self, types: Mapping[str, str], variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Of what has a rule; others are not looked at, since they may hold secrets or be very large."""
        for name in [name for name, type_ in types.items() if type_ in TYPES_WITH_RULES and name in variables]:
            try:
                value = self._templar.template(variables[name])
            except AnsibleError:
                continue  # the task that uses it says why
            if value != variables.get("omit"):
                yield name, value

    def _has(self, name: str, variables: Mapping[str, Any]) -> bool:
        """Whether there is a value, which a template may be without."""
        try:
            return self._templar.template(variables.get(name)) not in (None, "", variables.get("omit"))
        except AnsibleError:
            return True  # the task that uses it says why
