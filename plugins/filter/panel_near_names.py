# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_near_names
short_description:
  "Part of the roles and playbooks: find misspelt variables of a role or of the playbooks"
version_added: 1.0.0
description:
  - Compares names of variables with those of a role of this collection, and returns a sentence for
    each name that nearly is one of them.
  - A near miss has the role's prefix. After the prefix, one letter is added, left out or changed,
    or two neighbours are swapped. Names of six letters and more after the prefix can have two such
    mistakes.
  - A name that is one of theirs with another prefix before it, such as C(panel_report_file), is
    none either. Nor is an option of O(options) whose variable is not among the names.
  - For the roles C(site) and C(sites), a variable with the prefix C(site), C(sites), C(panel) or
    C(client) in place of the role's is a mistake as well. So is one without a prefix if it has two
    words. Neither is one if the right variable is set, or if another role has a variable of that
    name. On hosts of the inventory plugin, names with C(panel) are no mistakes.
  - Another word for a variable, such as C(suspend_exclude) for C(suspend_except), is a mistake. So
    is a variable of the playbooks without C(panel), such as C(verify_writes).
  - Other names with the prefix are your own. The roles of this collection refuse near misses with
    this filter, and warn about your own with P(hosting.panel.panel_unread_variables#lookup).
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, role, foreign, options, empty
options:
  _input:
    description: Names of variables, for example from P(ansible.builtin.varnames#lookup).
    type: list
    elements: str
    required: true
  role:
    description: Name of a role of this collection, without C(hosting.panel). V(playbooks) compares
      with the variables of the playbooks alone.
    type: str
    required: true
  foreign:
    description:
      - Names that are yours although they nearly are one of the role's, or shell patterns for them.
      - A list, or a string with commas.
    type: raw
    default: []
  options:
    description:
      - Options of modules and variables of other playbooks, each with the variable that is read.
      - A name that is one of the options is a mistake, unless the variable is set too.
    type: dict
    default: {}
  empty:
    description: Names among the variables that hold nothing, such as those with a default of the
      role. They count as not set.
    type: list
    elements: str
    default: []
seealso:
  - plugin: ansible.builtin.varnames
    plugin_type: lookup
  - plugin: hosting.panel.panel_unread_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Refuse misspelt variables of the role suspend
  ansible.builtin.assert:
    that: misspelt | length == 0
    fail_msg: "{{ misspelt | join(' ') }}"
  vars:
    misspelt: >-
      {{ query('ansible.builtin.varnames', '^suspend_')
      | hosting.panel.panel_near_names('suspend') }}
"""

RETURN = r"""
_value:
  description: A sentence for each near miss, in alphabetical order. Mistakes in O(foreign) come
    first.
  type: list
  elements: str
  sample: ["suspend_exept: did you mean suspend_except?"]
"""

from collections.abc import Iterable, Mapping
from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..plugin_utils._variables.plugin_arguments import with_checked_arguments
from ..plugin_utils._variables.unread_variables import (
    UnknownRole,
    find_meant_names,
    is_foreign,
    read_foreign_patterns,
)


def panel_near_names(
    names: Any,
    role: str,
    foreign: Any = (),
    options: Mapping[str, str] | None = None,
    empty: Iterable[str] = (),
) -> list[str]:
    """Return a sentence for each name that nearly is one of the role's; raises AnsibleFilterError.

    Args:
        names: Those of all variables that are set.
        role: The role, or ``playbooks``.
        foreign: Patterns of names that are meant for something else.
        options: By option of a module, or variable of another playbook, the variable that is read.
        empty: Those names that hold nothing, such as one with a default of the role.
    """
    patterns, mistakes = read_foreign_patterns(foreign)
    by_option = {} if options is None else options
    try:
        meant_names = find_meant_names(names, role, by_option, empty)
    except UnknownRole as error:
        raise AnsibleFilterError(f"hosting.panel.panel_near_names: {error}") from error
    questions = [
        f"{name}: did you mean {meant}?"
        for name, meant in meant_names.items()
        if not is_foreign(name, patterns)
    ]
    return [*mistakes, *questions]


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"panel_near_names": with_checked_arguments(panel_near_names, DOCUMENTATION)}
