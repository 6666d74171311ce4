# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_sites_list
short_description:
  "Part of the role hosting.panel.sites: read customers from files, with all mistakes in the files"
version_added: 1.0.0
description:
  - Reads the files that P(hosting.panel.panel_customers#lookup) takes, and returns their customers
    and their mistakes together, so that the role reads each file once.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - Files and directories, as P(hosting.panel.panel_customers#lookup) takes them. Without one,
        there are no customers and no mistakes.
    type: list
    elements: str
  variable:
    description: The variable with the paths, as mistakes name it.
    type: str
    default: sites_from
"""

EXAMPLES = r"""
- name: Show what is wrong with a table
  ansible.builtin.debug:
    msg: "{{ lookup('hosting.panel.panel_sites_list', 'customers.csv').mistakes }}"
"""

RETURN = r"""
_list:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    customers:
      description: The customers of all paths, in the order of the paths.
      type: list
      elements: dict
      returned: always
    mistakes:
      description: All mistakes, as one string in the list. It is empty if there are none.
      type: list
      elements: str
      returned: always
  sample: [{customers: [{client: {username: acme, email: it@acme.example}}], mistakes: []}]
"""

from typing import Any

from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import format_message
from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._ansible.vault import get_vault_of
from ..plugin_utils._customers.customer_files import read_customers_of_paths
from ..plugin_utils._variables.only_mistakes import gather_mistakes
from ..plugin_utils._variables.plugin_arguments import read_paths

_NAME = "hosting.panel.panel_sites_list"


class LookupModule(LookupBase):
    """Reads customers from files, and what is wrong with the files."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[Any]:
        """Return the customers of all files, and what is wrong with these."""
        self.set_options(var_options=variables, direct=kwargs)
        vault = get_vault_of(self._loader)
        variable = self.get_option("variable")
        reading = read_customers_of_paths(read_paths(_NAME, terms), vault, variable)
        mistakes = [format_message(problem) for problem in reading.mistakes]
        content = {"customers": reading.customers, "mistakes": gather_mistakes(mistakes)}
        return list(mark_untrusted([content]))
