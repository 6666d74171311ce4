# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_rotation_result
short_description:
  "Part of the role hosting.panel.rotate: return what became of a rotation of passwords"
version_added: 1.0.0
description:
  - Returns the fact that the role P(hosting.panel.rotate#role) sets, and its line for people.
  - Internal to the role. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, settings, check_mode
options:
  _input:
    description: The result of M(hosting.panel.panel_resources), also of a task that failed.
    type: dict
    required: true
  settings:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
  check_mode: {description: "Whether nothing was written.", type: bool, default: false}
"""

EXAMPLES = r"""
# From the role rotate.
- name: Result
  ansible.builtin.debug:
    msg: "{{ (done | hosting.panel.panel_rotation_result(settings, ansible_check_mode)).line }}"
"""

RETURN = r"""
_value:
  description: C(fact) is C(rotate_result) of the role, and C(line) the same for people.
  type: dict
  sample:
    fact:
      id: 2026-11
      objects: [{kind: emails, key: info@acme.example, client: acme}]
      rotated: 1
      unchanged: 0
      left: 0
      failures: []
      credentials_file: rotation.yml
    line: "rotation 2026-11: 1 new password is in rotation.yml, 0 were set before"
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._rotation.outcome import describe_rotation
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_rotation_result(
    done: Mapping[str, Any], settings: Mapping[str, Any], check_mode: bool = False
) -> dict[str, Any]:
    """Return the fact that the role sets, and its line for people."""
    return describe_rotation(
        done, settings["rotate_id"], settings["rotate_credentials_file"], check_mode
    )


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_rotation_result": with_checked_arguments(
                with_marked_result(panel_rotation_result), DOCUMENTATION
            )
        }
