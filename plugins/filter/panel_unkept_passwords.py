# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_unkept_passwords
short_description:
  "Part of the roles and playbooks: name the objects of a plan that get a password from the panel"
version_added: 1.0.0
description:
  - Without a credentials file these passwords are lost.
  - They are those of new objects without a password, and of objects with
    C(regenerate_password).
  - Internal to the playbooks. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: C(actions) of a plan of M(hosting.panel.panel_resources).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
# From the playbooks.
- name: Show the objects that need a file for their passwords
  ansible.builtin.debug:
    msg: "{{ planned.plan.actions | hosting.panel.panel_unkept_passwords }}"
"""

RETURN = r"""
_value:
  description: The keys of the objects. New ones without a password come first.
  type: list
  elements: str
  sample: [info@acme.example]
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_unkept_passwords(actions: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of the objects for which the panel makes a password."""
    from ..module_utils._schema.difference import SECRET_GENERATED

    without_password = []
    with_generated_password = []
    for action in actions:
        after = action.get("after") or {}
        if _lacks_password(action):
            without_password.append(action["key"])
        elif action["action"] in ("create", "update") and after.get("password") == SECRET_GENERATED:
            with_generated_password.append(action["key"])
    return without_password + with_generated_password


def _lacks_password(action: Mapping[str, Any]) -> bool:
    """Return whether an action creates an object that needs a password, and gives it none."""
    from ..module_utils._kinds.registry import TABLES

    table = TABLES.get(action["kind"])
    if action["action"] != "create" or table is None or table.password is None:
        return False
    after = action.get("after") or {}
    return "password" not in after and "password_hash" not in after


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_unkept_passwords": with_checked_arguments(
                with_marked_result(panel_unkept_passwords), DOCUMENTATION
            )
        }
