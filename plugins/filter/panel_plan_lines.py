# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_plan_lines
short_description: Show a plan of hosting.panel.panel_resources as lines of text
version_added: 1.0.0
description:
  - Returns the counts of a plan, and a line for each object, by client. Deletions come first, and
    sizes have units.
  - Each record set of a DNS zone that changes has its own line. Lines below a deletion name every
    object that goes with it.
  - Long values are cut. Where 60,000 characters are not enough, a line counts what is left out.
  - In diff mode M(hosting.panel.panel_resources) shows the same lines.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: A result of M(hosting.panel.panel_resources), or its
      RV(hosting.panel.panel_resources#module:plan).
    type: dict
    required: true
  most: {description: "Show at most this many objects. A last line counts the others.", type: int}
seealso:
  - module: hosting.panel.panel_resources
  - plugin: hosting.panel.panel_plan_markdown
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Plan
  hosting.panel.panel_resources:
    resources_dir: panel
  check_mode: true
  register: planned

- name: Show what would change
  ansible.builtin.debug:
    msg: "{{ planned | hosting.panel.panel_plan_lines(most=20) }}"
  when: planned is changed
"""

RETURN = r"""
_value:
  description: The lines, at most 60,000 characters. Without a plan there are none.
  type: list
  elements: str
  sample:
    - 1 to create, 1 to update, 0 to delete, 24 unchanged
    - "acme:"
    - "  update  domain acme.example  php_version 8.1 -> 8.3"
"""

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_plan_lines(result: Any, most: int | None = None) -> list[str]:
    """Return the lines; raises AnsibleFilterError for anything but a result or a plan."""
    from ..module_utils._bulk.plan_lines import make_plan_lines

    if not isinstance(result, Mapping):
        raise AnsibleFilterError(
            "hosting.panel.panel_plan_lines: expects a result of hosting.panel.panel_resources, "
            "or its plan."
        )
    if "actions" in result:
        return make_plan_lines(result, most)
    plan = result.get("plan")
    if plan is None:
        return []
    return make_plan_lines(plan, most)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_plan_lines": with_checked_arguments(
                with_marked_result(panel_plan_lines), DOCUMENTATION
            )
        }
