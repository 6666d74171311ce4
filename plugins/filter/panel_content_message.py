# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_message
short_description:
  "Part of the role hosting.panel.content: return how a step of the role ended, for people"
version_added: 1.0.0
description:
  - Returns the message with which the role content ends.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, target
options:
  _input: {description: "The fact C(content_result).", type: dict, required: true}
  target: {description: "The host that got the content.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show how the step ended
  ansible.builtin.debug:
    msg: "{{ content_result | hosting.panel.panel_content_message('new.example') }}"
  vars:
    start: "{{ '' | hosting.panel.panel_content_start('info', ['old.example', 'new.example']) }}"
    content_result: >-
      {{ [] | hosting.panel.panel_content_result(start.state, 'info')
      | ansible.builtin.combine({'page': ''}) }}
"""

RETURN = r"""
_value:
  description: The message.
  type: str
  sample: "new.example: 3 copied. Page: moves/new.example.content.md"
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_message(result: Mapping[str, Any], target: str) -> str:
    """Return the message."""
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._content_copy.content_result import describe_result

    return escape_control_characters(describe_result(result, target))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_message": with_checked_arguments(
                with_marked_result(panel_content_message), DOCUMENTATION
            )
        }
