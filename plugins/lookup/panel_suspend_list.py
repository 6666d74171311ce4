# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_suspend_list
short_description:
  "Part of the role hosting.panel.suspend: read a list of clients to suspend or release, with
  their due dates"
version_added: 1.0.0
description:
  - Reads CSV and TSV files, and takes clients from a variable. A client in several rows counts
    once, with its earliest due date.
  - Returns clients and mistakes together, and does not fail because of mistakes in the list.
    Check C(mistakes) before you use C(clients).
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - CSV or TSV files in UTF-8, relative to the directory in which you start C(ansible-playbook).
        They can be encrypted with Ansible Vault.
      - The first line names the columns, in any case. Commas, semicolons or tabs separate them. A
        line C(sep=;) of Excel can be above it. A column that is not read is a mistake.
      - A cell has no line breaks, also in quotes.
    type: list
    elements: str
  clients:
    description:
      - Usernames, or dictionaries with C(username), C(due) and C(reason), in addition to the files.
        Without files it is required.
      - A client without C(due) is due at once, also with a grace period.
      - Put a username of digits in quotes.
    type: list
    elements: raw
  username_column: {description: "Column of the usernames.", type: str, default: username}
  due_column:
    description:
      - Column of the due dates, V(YYYY-MM-DD) or V(DD.MM.YYYY). The default is C(due), if a file
        has it.
      - An empty cell means due at once, unless O(needs_due) is V(true).
    type: str
  reason_column:
    description: Column of the reasons. The default is C(reason), if a file has it.
    type: str
  needs_due:
    description: Whether a file without a column of due dates, or an empty due date, is a mistake.
      Set it if you allow a grace period.
    type: bool
    default: false
  option_names:
    description: By option the name of the variable that sets it, which messages then use, such as
      C(clients) with C(suspend_clients). C(files) stands for the terms.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show the unpaid clients
  ansible.builtin.debug:
    msg: >-
      {{ lookup('hosting.panel.panel_suspend_list',
      clients=['acme', {'username': 'beta', 'due': '2026-11-01', 'reason': 'Invoice 4711'}]
      ).clients }}
"""

RETURN = r"""
_list:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    clients:
      description:
        - For each client C(username), C(due), empty if due at once, C(reason), and C(place), its
          entry or line.
        - C(at_once) is V(true) if a client of O(clients) has no C(due). An empty due date is no
          such client.
        - Empty if there are mistakes.
      type: list
      elements: dict
      returned: always
    mistakes:
      description: All mistakes as one string, with file and line. Empty if there are none.
      type: list
      elements: str
      returned: always
  sample:
    - clients:
        - username: beta
          due: "2026-11-01"
          reason: Invoice 4711
          place: "clients[1]"
          at_once: false
      mistakes: []
"""

from typing import Any

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._ansible.vault import get_vault_of
from ..plugin_utils._suspend.clients_list import FIELDS, ListSettings, read_clients_list
from ..plugin_utils._variables.plugin_arguments import read_paths, read_switch_argument
from ..plugin_utils._variables.rule import is_empty

_NAME = "hosting.panel.panel_suspend_list"


class LookupModule(LookupBase):
    """Reads lists of clients to suspend or to release."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[Any]:
        """Return the clients of the list, and all mistakes in it.

        Raises:
            AnsibleLookupError: A term or a switch is none.
        """
        self.set_options(var_options=variables, direct=kwargs)
        needs_due = read_switch_argument(_NAME, "needs_due", kwargs.get("needs_due"))
        # A template before ansible-core 2.19 makes an empty text of none.
        clients = None if is_empty(kwargs.get("clients")) else self.get_option("clients")
        settings = ListSettings(
            columns={field: self.get_option(f"{field}_column") for field in FIELDS},
            needs_due=needs_due,
            option_names=self.get_option("option_names") or {},
        )
        files = read_paths(_NAME, terms)
        return [
            mark_untrusted(read_clients_list(clients, files, settings, get_vault_of(self._loader)))
        ]
