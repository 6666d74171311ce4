# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_customers
short_description: Customers from YAML files, directories and tables
version_added: 1.0.0
description:
  - Returns the list of customers that the role P(hosting.panel.sites#role) takes in
    O(hosting.panel.sites#role:main:sites).
  - Checks the options of all objects as their modules do. All mistakes of all files are one error,
    each with file and line.
  - Nothing in the files is evaluated. What looks like a template is a mistake, unless it is marked
    C(!unsafe).
  - A number or date where a string is expected counts as it is written, C(0123) and C(8.10) too.
  - Files and single values can be encrypted with Ansible Vault. The lookup returns them decrypted.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - Paths on the controller, relative to the directory in which you started Ansible.
      - A file that ends with C(.yml) or C(.yaml) holds a list of customers, a dictionary with that
        list in C(sites), or one customer.
      - It reads each C(.yml) and C(.yaml) file in a directory and below. Hidden files and
        credentials files are skipped.
      - A file that ends with C(.csv) or C(.tsv) is a table in UTF-8, with commas, semicolons or
        tabs. A first line C(sep=;), as Excel writes it, names the separator.
      - The first line of a table names its columns, in any order and case. C(client) is required.
        The others are C(email), C(hosting_plan), C(domain), C(mailboxes), C(company),
        C(first_name), C(last_name) and C(language).
      - An empty cell is not managed. A cell has no line breaks, also in quotes.
      - C(mailboxes) are addresses, or only the parts before the C(@), separated by spaces.
    type: list
    elements: str
    required: true
  only_mistakes:
    description: Whether to return all mistakes, as one string in the list, in place of the
      customers. The list is empty if there are none, and the lookup does not fail.
    type: bool
    default: false
seealso:
  - plugin: hosting.panel.panel_customers_to_resources
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Create or change the customers of a table
  hosting.panel.panel_resources:
    resources: >-
      {{ query('hosting.panel.panel_customers', 'customers.csv')
      | hosting.panel.panel_customers_to_resources }}
"""

RETURN = r"""
_raw:
  description: The customers of all paths, in the order of the paths.
  type: list
  elements: dict
  sample:
    - client: {username: acme, email: it@acme.example}
      hosting_plan: Business
      domains: [{domain: acme.example}]
      emails: [{email: info@acme.example}]
"""

from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import format_message, join_problems
from ..module_utils._secrets.redaction import escape_control_characters
from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._ansible.vault import get_vault_of
from ..plugin_utils._customers.customer_files import read_customers_of_paths
from ..plugin_utils._variables.only_mistakes import gather_mistakes
from ..plugin_utils._variables.plugin_arguments import read_paths, read_switch_argument

_NAME = "hosting.panel.panel_customers"


class LookupModule(LookupBase):
    """Reads customers from files."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[Any]:
        """Return the customers of all files; raises AnsibleLookupError with all mistakes.

        With only_mistakes, return these instead.
        """
        del variables
        returns_mistakes = read_switch_argument(_NAME, "only_mistakes", kwargs.get("only_mistakes"))
        vault = get_vault_of(self._loader)
        reading = read_customers_of_paths(read_paths(_NAME, terms), vault)
        mistakes = [format_message(problem) for problem in reading.mistakes]
        if returns_mistakes:
            return gather_mistakes(mistakes)
        if mistakes:
            raise AnsibleLookupError(escape_control_characters(join_problems(mistakes)))
        return list(mark_untrusted(reading.customers))
