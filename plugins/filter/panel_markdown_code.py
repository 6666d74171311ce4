# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_markdown_code
short_description:
  "Part of the roles and playbooks: show a text of a panel in Markdown, in which nothing of it
  is markup"
version_added: 1.0.0
description:
  - Returns a text as code within a line. Nothing in it becomes a link, a mention, a reference or
    markup.
  - Control characters, and what turns the direction of a line or is not seen, become escapes such
    as C(\\u202e).
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: The text, or a number.
    type: raw
    required: true
  longest:
    description: How many characters it may have. A longer one is cut, and ends with an ellipsis.
    type: int
    default: 1200
"""

EXAMPLES = r"""
- name: Show the description of a scheduled task
  ansible.builtin.debug:
    msg: "- {{ task.description | hosting.panel.panel_markdown_code }}"
"""

RETURN = r"""
_value:
  description: The code.
  type: str
  sample: "`Backup, see https://www.acme.example`"
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_LONGEST = 1200


def panel_markdown_code(text: Any, longest: int = _LONGEST) -> str:
    """Return a text as code within a line of Markdown."""
    from ..plugin_utils._plan_page.plan_page import format_code

    return format_code(str(text), longest)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_markdown_code": with_checked_arguments(
                with_marked_result(panel_markdown_code), DOCUMENTATION
            )
        }
