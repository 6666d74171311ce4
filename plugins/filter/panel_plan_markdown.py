# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_plan_markdown
short_description: Show a plan of hosting.panel.panel_resources as a page of Markdown
version_added: 1.0.0
description:
  - Returns a page about a plan, for example for a merge request. Deletions come first, everything
    is by client, and sizes have units.
  - It names each object that goes with a deleted client, and shows the old and the new value of
    each change.
  - The page has headings, lists and code only, so that no text of a customer becomes a link or a
    mention.
  - It has at most 60,000 characters. Where these are not enough, values are cut, then other changes
    are left out, then deletions, and the page counts what it leaves out.
  - If there is no plan, the page says why.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: A result of M(hosting.panel.panel_resources), also of a task that failed, or its
      RV(hosting.panel.panel_resources#module:plan).
    type: dict
    required: true
  panel: {description: "Name of the panel, for the title.", type: str, default: ""}
  drift:
    description: Words the page as a comparison of a panel with files, with V(only on the panel) for
      deletions and V(missing) for creations.
    type: bool
    default: false
seealso:
  - module: hosting.panel.panel_resources
  - plugin: hosting.panel.panel_plan_lines
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Plan
  hosting.panel.panel_resources:
    resources_dir: panel
  check_mode: true
  register: planned
  ignore_errors: true  # the page says why there is no plan

- name: Write the page for the merge request
  ansible.builtin.copy:
    content: "{{ planned | hosting.panel.panel_plan_markdown(panel='panel.example') }}"
    dest: "{{ playbook_dir }}/plan.md"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The page.
  type: str
  sample: |
    # Plan for `panel.example`

    - 1 to create, 0 to update, 0 to delete, 24 unchanged.

    ## To create and to update (1)

    ### `acme`

    - create: database `acme_shop`
"""

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_plan_markdown(result: Any, panel: str = "", drift: bool = False) -> str:
    """Return the page; raises AnsibleFilterError for anything but a result or a plan."""
    from ..plugin_utils._plan_page.plan_page import make_plan_page

    if not isinstance(result, Mapping):
        raise AnsibleFilterError(
            "hosting.panel.panel_plan_markdown: expects a result of hosting.panel.panel_resources, "
            "or its plan."
        )
    return make_plan_page(result, str(panel), drift)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_plan_markdown": with_checked_arguments(
                with_marked_result(panel_plan_markdown), DOCUMENTATION
            )
        }
