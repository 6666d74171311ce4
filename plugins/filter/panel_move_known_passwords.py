# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_known_passwords
short_description:
  "Part of the role hosting.panel.move: return the accounts whose passwords on a panel a
  credentials file has"
version_added: 1.0.0
description:
  - Returns type and key of each account, for P(hosting.panel.panel_hand_over#filter).
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, panel, variable
options:
  _input:
    description: The decrypted text of the file. An empty one has no accounts. No message shows
      anything of it.
    type: str
    required: true
  panel:
    description: The panel, as P(hosting.panel.panel_name#filter) names it.
    type: str
    required: true
  variable: {description: What a message calls the file., type: str, required: true}
"""

EXAMPLES = r"""
# From the role move.
- name: Show the accounts
  ansible.builtin.debug:
    msg: >-
      {{ lookup('ansible.builtin.unvault', 'passwords.yml')
      | hosting.panel.panel_move_known_passwords('new.panel.example', 'move_credentials_file') }}
"""

RETURN = r"""
_value:
  description: Type and key of each account.
  type: list
  elements: list
  sample: [[emails, info@acme.example]]
"""

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.plain_values import as_plain
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_LIST = "generated_passwords"


def panel_move_known_passwords(text: str, panel: str, variable: str) -> list[list[Any]]:
    """Return type and key of each account of a panel.

    Args:
        text: The decrypted text of a credentials file.
        panel: The panel, as the filter panel_name names it.
        variable: What a message calls the file.

    Raises:
        AnsibleFilterError: The text is none of such a file. The message shows nothing of it.
    """
    from ..module_utils._http.connection_settings import name_panel

    entries = _read_entries(text)
    if entries is None:
        problem = f"{variable}: the file holds no list {_LIST}. Correct the file."
        raise AnsibleFilterError(f"hosting.panel.panel_move_known_passwords: {problem}")
    # A person can have spelled the panel otherwise in the file.
    of_panel = [entry for entry in entries if name_panel(str(entry.get("panel", ""))) == panel]
    return [[entry["kind"], entry["key"]] for entry in of_panel]


def _read_entries(text: str) -> list[dict[str, Any]] | None:
    """Return the entries of a credentials file; None if it has another form."""
    import yaml

    from ..plugin_utils._run.nested_text import load_yaml

    try:
        # A parser in C takes no text with the marks of Ansible.
        content = load_yaml(as_plain(text)) or {}
    except (yaml.YAMLError, ValueError):
        return None  # the error's own text would show passwords
    entries = content.get(_LIST) or [] if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(map(_is_account, entries)):
        return None
    return entries


def _is_account(entry: Any) -> bool:
    """Return whether an entry names an account."""
    if not isinstance(entry, dict):
        return False
    return all(isinstance(entry.get(name), str) for name in ("kind", "key"))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_known_passwords": with_checked_arguments(
                with_marked_result(panel_move_known_passwords), DOCUMENTATION
            )
        }
