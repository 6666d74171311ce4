# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_unread_variables
short_description:
  "Part of the roles and playbooks: warn about variables with a role's prefix that nothing reads"
version_added: 1.0.0
description:
  - Compares the names of all variables of the task with those of a role or of the playbooks. It
    evaluates no value.
  - A name whose prefix is misspelt, such as C(supsend_state), is a mistake. So is one without the
    line behind the prefix. The prefix can have one mistake, and a name of six letters and more
    behind the prefix one more.
  - An option of O(options) that the command line gives in place of its variable is a mistake, such
    as C(-e report_file=panel.md). So is one of two words with C(panel) before it, wherever it is
    set. Neither is one if a template of another variable uses it.
  - A warning names all variables that have the prefix and that no part of the collection reads. The
    task goes on, because they can be your own. Registered results and facts of the play are
    variables too.
  - The warning leaves out what P(hosting.panel.panel_near_names#filter) calls a mistake. It leaves
    out names with C(panel) on hosts of the inventory plugin.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description: Name of one role of this collection, without C(hosting.panel). V(playbooks) compares
      with the variables of the playbooks alone.
    type: list
    elements: str
    required: true
  prefixes:
    description: The prefixes, without the line behind them. If omitted, the name of the role.
    type: list
    elements: str
  foreign:
    description: Names that are yours, or shell patterns for them. A list, or a string with commas.
    type: raw
    default: []
  options:
    description: Options of the modules that the role or playbook runs, each with the variable that
      sets it.
    type: dict
    default: {}
  refused:
    description: Names that are mistakes by O(hosting.panel.panel_near_names#filter:options), each
      with the variable that is read. The warning leaves them out.
    type: dict
    default: {}
  suggested:
    description: Variables of the playbooks that this one reads. The warning suggests no others of
      theirs. If omitted, it suggests all.
    type: list
    elements: str
  single_words:
    description: Whether an option of one word counts too, such as C(writes). Outside the playbooks
      of the collection, such a variable may be yours.
    type: bool
    default: false
seealso:
  - plugin: hosting.panel.panel_near_names
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Refuse variables with a misspelt prefix, and warn about those that the role does not read
  ansible.builtin.assert:
    that: query('hosting.panel.panel_unread_variables', 'suspend') | length == 0
"""

RETURN = r"""
_list:
  description: A sentence for each name whose prefix is misspelt, and for each option, in
    alphabetical order. A name in the warning has none. With an option, a last sentence names
    C(panel_foreign_variables).
  type: list
  elements: str
  sample: ["supsend_state: did you mean suspend_state?"]
"""

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display
from ansible.utils.vars import load_extra_vars

from ..plugin_utils._variables.unread_variables import (
    UnknownRole,
    find_meant_options,
    find_misspelt_prefixes,
    find_unread_names,
    is_foreign,
    read_foreign_patterns,
)

_NAME = "hosting.panel.panel_unread_variables"

_ROLE = (
    "the role hosting.panel.{role} has no such variable, so it has no effect on the run. See "
    "ansible-doc -t role hosting.panel.{role}."
)
_PLAYBOOK = (
    "the playbook has no such variable, so it has no effect on the run. See the comment at the "
    "beginning of the playbook."
)
_ADVICE = "List your own in panel_foreign_variables."
# Tasks of the operator, such as those of panel_after_apply, may read a variable called like one.
_ADVICE_ON_OPTIONS = "If your own tasks read {names}, list the name in panel_foreign_variables."

display = Display()


class LookupModule(LookupBase):
    """Finds variables that a role or playbook does not read."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[str]:
        """Return a sentence for each name that means another, and warn about names not read.

        Raises:
            AnsibleLookupError: There is no such role.
        """
        self.set_options(var_options=variables, direct=kwargs)
        if len(terms) != 1:
            raise AnsibleLookupError(f"{_NAME}: give one role.")
        (role,) = terms
        prefixes = self.get_option("prefixes") or [role]
        # The filter panel_near_names says what is wrong with the patterns.
        patterns, _mistakes = read_foreign_patterns(self.get_option("foreign"))
        written_variables = {
            str(name): value for name, value in variables.items() if not is_foreign(name, patterns)
        }
        try:
            meant_options = self._find_meant_options(written_variables, role)
            names = [name for name in written_variables if name not in meant_options]
            refused = self.get_option("refused")
            suggested = self.get_option("suggested")
            unread_names = find_unread_names(names, role, prefixes, refused, suggested)
        except UnknownRole as error:
            raise AnsibleLookupError(f"{_NAME}: {error}") from error

        if unread_names:
            reader = _ROLE.format(role=role) if role in prefixes else _PLAYBOOK
            display.warning(f"{_describe_names(unread_names)}: {reader} {_ADVICE}")
        meant_names = meant_options | find_misspelt_prefixes(names, prefixes)
        sentences = [f"{name}: did you mean {meant_names[name]}?" for name in sorted(meant_names)]
        if meant_options:
            sentences.append(_ADVICE_ON_OPTIONS.format(names=" or ".join(sorted(meant_options))))
        return sentences

    def _find_meant_options(self, variables: Mapping[str, Any], role: str) -> dict[str, str]:
        """Return by name the variable that is meant, of options that were given in its place."""
        options = self.get_option("options")
        if not options:
            return {}
        loader: Any = self._loader  # Ansible gives every lookup its own
        extra_variables = load_extra_vars(loader)
        return find_meant_options(
            variables, extra_variables, role, options, self.get_option("single_words")
        )


def _describe_names(unread_names: Mapping[str, str | None]) -> str:
    """Return the names, each with the variable that may be meant."""
    descriptions = [
        name if meant is None else f"{name} (did you mean {meant}?)"
        for name, meant in unread_names.items()
    ]
    return ", ".join(descriptions)
