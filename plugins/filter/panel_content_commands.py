# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_commands
short_description:
  "Part of the role hosting.panel.content: list the commands that the key of a copy allows"
version_added: 1.0.0
description:
  - Returns what C(allowed_commands.py) of the role reads.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input: {description: "The objects.", type: list, elements: dict, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show the commands
  ansible.builtin.debug:
    msg: "{{ objects | hosting.panel.panel_content_commands }}"
  vars:
    objects: [{kind: mailbox, from: info@acme.example, to: info@acme.example}]
"""

RETURN = r"""
_value:
  description: C(commands), each a list of arguments, and C(trees).
  type: dict
  sample:
    commands:
      - [doveadm, dsync-server, -u, info@acme.example, dsync-server]
    dumps: []
    trees: []
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_commands(objects: Any) -> dict[str, Any]:
    """Return the commands that the key allows."""
    from ..plugin_utils._content_copy.forced_commands import list_allowed

    return list_allowed(objects)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_commands": with_checked_arguments(
                with_marked_result(panel_content_commands), DOCUMENTATION
            )
        }
