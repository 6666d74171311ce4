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
  - Other names with the prefix are your own. The roles of this collection refuse near misses with
    this filter.
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
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible.module_utils.common.yaml import yaml_load

from ..module_utils._values.near_names import count_mistakes
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments
from ..plugin_utils._variables.rule import read_variables

_FOREIGN = "panel_foreign_variables"
COLLECTION = Path(__file__).parents[2]
# From this many letters behind the prefix on, two mistakes are near.
LONG = 6
# By role, variables that are called as the columns of a table of customers are, with those that are
# meant.
_CALLED_AS_COLUMNS = {"site": {"site_mailboxes": "site_emails"}}
# By role, what somebody may write for its prefix.
_OTHER_PREFIXES = {"site": ("sites", "panel", "client"), "sites": ("site", "panel", "client")}
# Each host of the inventory plugin has it, and fields of a client after the prefix panel.
_OF_INVENTORY_PLUGIN = "panel_name"


@cache
def _list_all_variables() -> frozenset[str]:
    """Return the names of the variables of all roles and playbooks."""
    specifications = (COLLECTION / "roles").glob("*/meta/argument_specs.yml")
    roles = sorted(path.parent.parent.name for path in specifications)
    return frozenset().union(*map(_list_variables_of, roles))


@cache
def _list_variables_of(role: str) -> frozenset[str]:
    """Return the names of a role's variables, and of the playbooks that may run it."""
    playbooks = COLLECTION / "playbooks" / "vars" / "panel.yml"
    tables = yaml_load(playbooks.read_text(encoding="utf-8"))
    names: set[str] = set()
    for title, table in tables.items():
        if title.endswith("_variables"):
            names.update(table)
    if role != "playbooks":
        specification = COLLECTION / "roles" / role / "meta" / "argument_specs.yml"
        if "/" in role or not specification.is_file():
            message = f"hosting.panel.panel_near_names: the collection has no role {role!r}."
            raise AnsibleFilterError(message)
        content = yaml_load(specification.read_text(encoding="utf-8"))
        names.update(content["argument_specs"]["main"]["options"])
    return frozenset(names)


def _find_nearest(name: str, variables: frozenset[str]) -> str | None:
    """Return the variable of the same prefix that may be meant; None if none is near."""
    prefix, _line, written = name.partition("_")
    near = []
    for candidate in sorted(variables):
        its_prefix, _line, meant = candidate.partition("_")
        most = 2 if len(meant) >= LONG else 1
        if its_prefix != prefix or not meant or abs(len(written) - len(meant)) > most:
            continue
        mistakes = count_mistakes(written, meant)
        if mistakes <= most:
            near.append((mistakes, candidate))
    if not near:
        return None
    _least_mistakes, nearest = min(near)
    return nearest


def _find_without_prefix(name: str, variables: frozenset[str]) -> str | None:
    """Return the variable that a name is but for a prefix before it; None if it is none."""
    prefix, _line, suffix = name.partition("_")
    if suffix in variables:
        return suffix
    # The playbook onboard runs the role site.
    of_site = f"site_{suffix}"
    return of_site if prefix == "onboard" and of_site in variables else None


def _find_with_own_prefix(name: str, role: str, written: set[str]) -> str | None:
    """Return the role's variable that a name has another prefix of, or none; None if none is.

    A single word without a prefix, such as ``domains``, may be anything of the operator's own.
    """
    variables = _list_all_variables()
    if role not in _OTHER_PREFIXES or name in variables:
        return None
    prefix, _line, suffix = name.partition("_")
    with_prefix = f"{role}_{suffix}"
    is_of_inventory = prefix == "panel" and _OF_INVENTORY_PLUGIN in written
    if prefix in _OTHER_PREFIXES[role] and with_prefix in variables:
        return None if is_of_inventory else with_prefix
    without_prefix = f"{role}_{name}"
    return without_prefix if suffix and without_prefix in variables else None


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
    variables = _list_variables_of(role)
    reading = read_variables({_FOREIGN: foreign}, {_FOREIGN: {"type": "names", "default": []}})
    sentences = reading.mistakes
    patterns = reading.settings.get(_FOREIGN, [])
    written = set(map(str, names))
    filled = written.difference(empty)
    by_option = {} if options is None else options
    by_column = _CALLED_AS_COLUMNS.get(role, {})
    # One of theirs can be an option, if the playbook that runs does not read it.
    for name in sorted((written - variables) | (written & by_option.keys())):
        nearest = _find_with_own_prefix(name, role, written) or by_option.get(name)
        if nearest in filled:
            continue
        if nearest is None:
            # A role's defaults set what is meant.
            nearest = by_column.get(name)
        if nearest is None:
            nearest = _find_without_prefix(name, variables) or _find_nearest(name, variables)
        is_foreign = any(fnmatchcase(name, pattern) for pattern in patterns)
        if nearest is not None and not is_foreign:
            sentences.append(f"{name}: did you mean {nearest}?")
    return sentences


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"panel_near_names": with_checked_arguments(panel_near_names, DOCUMENTATION)}
