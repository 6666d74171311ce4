# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_site_customer
short_description:
  "Part of the role hosting.panel.site: return the customer that the variables of the role site
  describe"
version_added: 1.0.0
description:
  - Returns one customer, as P(hosting.panel.panel_customers_to_resources#filter) takes it.
  - Internal to the role P(hosting.panel.site#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, settings
options:
  _input:
    description: The variables of the role that can hold passwords, each a list of objects or
      C(site_client).
    type: dict
    required: true
  settings:
    description: The other variables of the role.
    type: dict
    required: true
"""

EXAMPLES = r"""
# From the role site.
- name: Show the objects of the customer
  ansible.builtin.debug:
    msg: "{{ [customer] | hosting.panel.panel_customers_to_resources }}"
  vars:
    customer: "{{ objects | hosting.panel.panel_site_customer(settings) }}"
"""

RETURN = r"""
_value:
  description: The customer. Its keys are the names of the variables without C(site_).
  type: dict
  sample:
    client: {username: acme, email: it@acme.example}
    emails: [{email: info@acme.example}]
    domains: [{domain: acme.example}]
    dns: []
    hosting_plan: Business
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

PREFIX = "site_"
# The variables without a password that describe the customer. A plan is named in one of two ways.
_DESCRIBING = ("site_domains", "site_dns", "site_plan", "site_hosting_plan")


def panel_site_customer(objects: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the customer that the variables of the role describe."""
    variables = dict(objects)
    for name in _DESCRIBING:
        if name in settings:
            variables[name] = settings[name]
    return {name.removeprefix(PREFIX): value for name, value in variables.items()}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_site_customer": with_checked_arguments(
                with_marked_result(panel_site_customer), DOCUMENTATION
            )
        }
