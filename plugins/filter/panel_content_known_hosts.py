# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_known_hosts
short_description:
  "Part of the role hosting.panel.content: make a file of known hosts"
version_added: 1.0.0
description:
  - Takes what C(ssh-keyscan) printed on the source, or its files of public keys.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, host, port
options:
  _input: {description: "The lines with the keys.", type: str, required: true}
  host: {description: "The host, as SSH reaches it.", type: str, required: true}
  port: {description: "The port.", type: int, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show the line
  ansible.builtin.debug:
    msg: >-
      {{ 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5'
      | hosting.panel.panel_content_known_hosts('old.example', 22) }}
"""

RETURN = r"""
_value:
  description: The lines.
  type: str
  sample: old.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_known_hosts(scanned: str, host: str, port: int) -> str:
    """Return the lines of the file."""
    from ..plugin_utils._content_copy.forced_commands import make_known_hosts

    return make_known_hosts(scanned, host, port)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_known_hosts": with_checked_arguments(
                with_marked_result(panel_content_known_hosts), DOCUMENTATION
            )
        }
