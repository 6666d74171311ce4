# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_objects
short_description:
  "Part of the role hosting.panel.content: read the objects to copy"
version_added: 1.0.0
description:
  - Reads the variable C(content_objects), or the text of C(content_objects_file).
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, variable
options:
  _input: {description: "The dictionary, or the text of the file.", type: raw, required: true}
  variable: {description: "How mistakes name it.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show what is wrong with the objects
  ansible.builtin.debug:
    msg: "{{ ({'trees': []} | hosting.panel.panel_content_objects('content_objects')).mistakes }}"
"""

RETURN = r"""
_value:
  description: C(objects), each with C(kind), C(key), C(from) and C(to), and C(mistakes).
  type: dict
  sample:
    objects: []
    mistakes: ["content_objects.trees[0].owner: missing."]
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_objects(objects: Any, variable: str) -> dict[str, Any]:
    """Return the objects, and what is wrong with them."""
    from ..plugin_utils._content_copy.content_objects import read_objects, read_objects_text

    reads_text = isinstance(objects, str)
    read = read_objects_text(objects, variable) if reads_text else read_objects(objects, variable)
    return {"objects": read.objects, "mistakes": read.mistakes}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_objects": with_checked_arguments(
                with_marked_result(panel_content_objects), DOCUMENTATION
            )
        }
