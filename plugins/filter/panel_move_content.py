# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_content
short_description:
  "Part of the role hosting.panel.move: list the files, mailboxes and databases of a client"
version_added: 1.0.0
description:
  - Returns the text of a file that the role P(hosting.panel.content#role) takes as
    C(content_objects_file).
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: What M(hosting.panel.panel_resources_info) returned as C(resources) of the client.
    type: dict
    required: true
"""

EXAMPLES = r"""
# From the role move.
- name: Show what there is to copy
  ansible.builtin.debug:
    msg: "{{ {'clients': [{'username': 'acme'}]} | hosting.panel.panel_move_content }}"
"""

RETURN = r"""
_value:
  description: The text, JSON.
  type: str
  sample: |-
    {
        "trees": [
            {
                "from": "~/www",
                "to": "~/www",
                "owner": "acme"
            }
        ],
        "mailboxes": [],
        "databases": []
    }
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_move_content(resources: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    from ..plugin_utils._move.content import list_content, render_content

    return render_content(list_content(resources))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_content": with_checked_arguments(
                with_marked_result(panel_move_content), DOCUMENTATION
            )
        }
