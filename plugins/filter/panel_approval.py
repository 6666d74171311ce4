# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_approval
short_description:
  "Part of the roles and playbooks: find the checksum of the plan that variables approve for a
  host"
version_added: 1.0.0
description:
  - Reads C(panel_expected_checksum) and C(panel_expected_checksums) as the playbook
    C(hosting.panel.apply) does.
  - Only a whole checksum for this host approves a plan. Another form, another host, a part of a
    checksum, an empty text and null are mistakes.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, host
options:
  _input:
    description:
      - A dictionary with those of the two variables that are defined.
      - C(panel_expected_checksums) is a dictionary of host and checksum, or a string that is JSON
        or YAML of one.
    type: dict
    required: true
  host: {description: Name of the host in the inventory., type: str, required: true}
seealso:
  - plugin: hosting.panel.panel_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Refuse an approval that is none
  ansible.builtin.assert:
    that: approval.mistakes | length == 0
    fail_msg: "{{ approval.mistakes | join(' ') }}"
  vars:
    approval: >-
      {{ {'panel_expected_checksums': panel_expected_checksums}
      | hosting.panel.panel_approval(inventory_hostname) }}
"""

RETURN = r"""
_value:
  description: The result.
  type: dict
  contains:
    checksum:
      description: The checksum that is approved. Null if there is none.
      type: str
      returned: always
    mistakes:
      description: A sentence for each mistake.
      type: list
      elements: str
      returned: always
  sample: {checksum: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b, mistakes: []}
"""

from collections.abc import Mapping
from typing import Any, Callable

from ..plugin_utils._ansible.plain_values import as_plain
from ..plugin_utils._variables.approval import read_approval
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_approval(variables: Mapping[str, Any], host: str) -> dict[str, Any]:
    """Return the approved checksum for a host, and the mistakes."""
    # A parser in C takes no text with the marks of Ansible.
    checksum, mistakes = read_approval(as_plain(variables), host)
    return {"checksum": checksum, "mistakes": mistakes}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"panel_approval": with_checked_arguments(panel_approval, DOCUMENTATION)}
