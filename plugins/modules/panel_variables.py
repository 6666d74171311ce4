#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_variables
short_description: "Part of the role hosting.panel.variables: refuse misspelt variables of a role or a playbook, and values that mean nothing"
version_added: 1.0.0
description:
  - Fails where a variable of the host begins with O(prefix) and is not among those that the role or the playbook has, and names the most similar one.
  - Ansible itself passes over such a variable, and with a misspelt list of exceptions over the exceptions.
  - It also fails where a variable of type C(bool) is none of true, false, yes, no, on, off, 1 and 0, for Ansible takes a misspelt V(true)
    for false in many places, and where a variable of type C(path) is empty, which would be the current folder.
  - It looks at the names of all variables that the task sees, wherever they come from, and at the values of those only. Nothing is sent to a panel.
  - It is the first task of each role of this collection.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Does the same in check mode.
    support: full
  diff_mode:
    description: Changes nothing, so there is never a difference.
    support: N/A
  idempotent:
    description: Changes nothing.
    support: full
options:
  prefix:
    description: What the names of the variables begin with, V(backup_) for example.
    type: str
    required: true
  specification:
    description: File on the controller with the argument specification of a role, whose options of all entry points are known.
    type: path
  known:
    description: More names that are known, such as those of facts that the role sets.
    type: list
    elements: str
    default: []
  types:
    description: More names that are known, each with its type; C(bool), C(path) and C(checksum) are checked.
    type: dict
    default: {}
  bare:
    description: Names of options of modules that are refused as variables, since they are known here with O(prefix) before them.
    type: list
    elements: str
    default: []
  foreign:
    description:
      - Names, or shell patterns for them, that begin so and belong to somebody else.
      - The roles and playbooks of this collection take them from the variable C(panel_foreign_variables).
    type: list
    elements: str
    default: []
  is_shared:
    description: Whether variables of others begin so too. Then only names that are very much like a known one are refused.
    type: bool
    default: false
  own:
    description: Variables that every host except C(localhost) has to have, for which nothing else, such as the environment, may stand in.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Check the names of the variables
  hosting.panel.panel_variables:
    prefix: backup_
    known: [backup_except, backup_result]
    types: {backup_target: path, backup_confirm: bool}
    foreign: "{{ panel_foreign_variables | default([]) }}"
"""

RETURN = r"""
msg:
  description: One sentence for each variable that is refused or missing, never with its value.
  returned: when the task fails
  type: str
  sample: "backup_exept: did you mean backup_except? Nothing was read or written."
"""
