# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_hashes
short_description:
  "Part of the role hosting.panel.move: return whether hashes of passwords can be copied"
version_added: 1.0.0
description:
  - Reads the profile that M(hosting.panel.panel_verify) wrote.
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input: {description: "The text of the file.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role move.
- name: Show whether hashes can be copied
  ansible.builtin.debug:
    msg: "{{ (lookup('ansible.builtin.file', 'panel.yml') | hosting.panel.panel_move_hashes).copied }}"
"""

RETURN = r"""
_value:
  description:
    - C(copied) says whether they can, C(refused_forms) how hashes begin that the panel refuses.
    - C(why) says why they cannot, C(mistake) what is wrong with the file.
  type: dict
  sample: {copied: true, refused_forms: [], why: "", mistake: ""}
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_move_hashes(text: str) -> dict[str, Any]:
    """Return what the profile in a text says of hashes."""
    from ..plugin_utils._move.profile import read_hash_points

    return read_hash_points(text)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_hashes": with_checked_arguments(
                with_marked_result(panel_move_hashes), DOCUMENTATION
            )
        }
