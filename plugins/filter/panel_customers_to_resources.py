# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_customers_to_resources
short_description: Turn customers into resources of hosting.panel.panel_resources
version_added: 1.0.0
description:
  - Returns O(hosting.panel.panel_resources#module:resources) for a list of customers, as the role
    P(hosting.panel.sites#role) takes it.
  - Each object gets its customer as owner. A hosting plan that several customers give must have the
    same options in all.
  - Mistakes in the form of the customers are one error that lists all of them. The module checks
    the options of each object.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, password_variable, list_variable, prefix, only_mistakes
options:
  _input:
    description:
      - The customers. C(client), the options of M(hosting.panel.panel_client), is required.
      - C(plan) has the options of M(hosting.panel.panel_plan). C(hosting_plan) is instead the name
        of one that exists.
      - C(certificates), C(domains), C(dns), C(emails), C(databases), C(ftp_users),
        C(directory_protections) and C(scheduled_tasks) are lists with the options of the module for
        one such object, without the owner.
    type: list
    elements: dict
    required: true
  password_variable:
    description: Name of a variable that is not set. Each object then needs its own password or
      hash. The error names the variable.
    type: str
  list_variable:
    description: Name of the variable that has the customers, for messages.
    type: str
    default: customers
  prefix:
    description: How the names of variables begin that have the fields of the only customer, for
      messages in place of O(list_variable).
    type: str
    default: ""
  only_mistakes:
    description: Whether to return all mistakes, as one string in a list, in place of the objects.
      The list is empty if there are none, and the filter does not fail.
    type: bool
    default: false
seealso:
  - module: hosting.panel.panel_resources
  - plugin: hosting.panel.panel_customers
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Create or change the customers of a table
  hosting.panel.panel_resources:
    resources: >-
      {{ query('hosting.panel.panel_customers', 'customers.csv')
      | hosting.panel.panel_customers_to_resources }}
    credentials_file: credentials/{client}.yml
"""

RETURN = r"""
_value:
  description: Lists of items by type.
  type: dict
  sample:
    clients: [{username: acme, email: it@acme.example, hosting_plan: Business}]
    domains: [{domain: acme.example, client: acme}]
    emails: [{email: info@acme.example, client: acme}]
"""

from collections.abc import Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_customers_to_resources(
    customers: Any,
    password_variable: str | None = None,
    list_variable: str = "customers",
    prefix: str = "",
    only_mistakes: bool = False,
) -> dict[str, list[Any]] | list[str]:
    """Return the objects of all customers; raises AnsibleFilterError with all mistakes.

    With only_mistakes, return these instead.
    """
    from ..module_utils._problems import join_problems
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._customers.customers import WrittenNames, build_resources
    from ..plugin_utils._variables.only_mistakes import gather_mistakes

    if isinstance(customers, str) or not isinstance(customers, Sequence):
        message = "hosting.panel.panel_customers_to_resources: the customers must be a list."
        raise AnsibleFilterError(message)
    names = WrittenNames(list_variable, prefix)
    resources, mistakes = build_resources(customers, password_variable, names)
    if only_mistakes:
        return gather_mistakes(mistakes)
    if mistakes:
        raise AnsibleFilterError(escape_control_characters(join_problems(mistakes)))
    return resources


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_customers_to_resources": with_checked_arguments(
                with_marked_result(panel_customers_to_resources), DOCUMENTATION
            )
        }
