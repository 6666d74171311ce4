# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_name
short_description:
  "Part of the roles and playbooks: return the name that files and messages use for a panel"
version_added: 1.0.0
description:
  - Returns host and port of the address of a panel, as O(hosting.panel.panel_client#module:api_url)
    takes it. Files on the controller, such as those of passwords, name the panel so.
  - All spellings of an address have one name. It is in lower case and punycode, and has no port
    that is the default.
  - Of what is no address, it returns what is left without a scheme, user, password and path.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: The address, or a name that this filter returned.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Show for which panel a file has passwords
  ansible.builtin.debug:
    msg: "{{ panel_api_url | hosting.panel.panel_name }}"
"""

RETURN = r"""
_value:
  description: The name.
  type: str
  sample: web-1.example
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_name(address: str) -> str:
    """Return the name that files use for the panel of an address."""
    from ..module_utils._http.connection_settings import name_panel

    return name_panel(str(address))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {"panel_name": with_checked_arguments(with_marked_result(panel_name), DOCUMENTATION)}
