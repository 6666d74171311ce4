# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_variables
short_description:
  "Part of the roles and playbooks: read variables by the rule that all roles and playbooks of
  this collection follow"
version_added: 1.0.0
description:
  - Reads the variables that a table lists, and returns their values and all mistakes in them.
  - A variable that is null, an empty string or C(omit) counts as not given. Its default holds, if
    the table has one.
  - A value of another type than the table says is a mistake. The lookup never guesses a value.
  - A number that is infinite or no number (V(.inf), V(.nan)), one of more than 1000 digits, and a
    value that lies in more than 64 lists and dictionaries are mistakes too.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - One table. It has a dictionary for each variable, by the name of the variable.
      - C(type) is C(switch), C(number), C(text), C(secret), C(answer), C(secret_answer),
        C(host_name), C(address), C(date), C(choice), C(names), C(entries), C(arguments),
        C(list), C(objects), C(mapping) or C(raw).
      - C(switch) takes a boolean, or a string that Ansible reads as one, such as V(no). C(number)
        takes a whole number from 0 to C(most), also as a string.
      - C(text), C(secret) and C(choice) take strings alone, because YAML changes values such as
        V(0123) that have no quotes.
      - C(answer) takes what a person types into a survey of AWX. It removes blanks and double
        quotes around each line. It also takes a date of YAML, but no number, because ansible-core
        2.19 and later read V(0123) as 83. C(secret_answer) takes strings, and keeps quotes.
      - A mistake shows no C(secret) and no C(secret_answer).
      - C(date) also takes a date of YAML. C(names) takes a list of strings, C(objects) one of
        dictionaries, C(entries) and C(list) one of anything. C(arguments) takes a list of strings
        and numbers, the words of a command line.
      - C(names), C(entries) and C(arguments) also take a string with commas.
      - C(choices) lists the values of C(choice), or of C(names). C(default) is the value if none is
        given. With C(required), none is a mistake, which shows the string C(example).
      - C(host_name) takes a string that is the name of a host, C(address) one that is an IPv4 or
        IPv6 address.
      - C(options) is the table of the fields of a C(mapping), or of each entry of a C(list).
      - C(keys) and C(values) are the rules for each key and each value of a C(mapping) whose keys
        the table does not know, such as old names with new ones. An empty one is a mistake.
      - C(empty) is V(refused) if an empty value is a mistake, or V(kept) if it is returned as it
        is.
    type: list
    elements: dict
    required: true
  typed_names:
    description: By variable what mistakes call it, where a person typed another variable, such as
      the answer to a question of AWX.
    type: dict
    default: {}
seealso:
  - plugin: hosting.panel.panel_near_names
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show how many backups to keep, seven if backup_keep is not given or is empty
  ansible.builtin.debug:
    msg: >-
      Keep {{ lookup('hosting.panel.panel_variables',
      {'backup_keep': {'type': 'number', 'default': 7}}).settings.backup_keep }}
"""

RETURN = r"""
_list:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    settings:
      description: The variables that are given or have a default, by name.
      type: dict
      returned: always
    mistakes:
      description: A sentence for each mistake. It starts with the name of the variable.
      type: list
      elements: str
      returned: always
    names:
      description: Names of the variables that have a value, right or wrong. What is wrong is not
        missing.
      type: list
      elements: str
      returned: always
  sample: [{settings: {backup_keep: 7}, mistakes: [], names: [backup_keep]}]
"""

from collections.abc import Mapping
from typing import Any

from ansible import errors
from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils._ansible.error_messages import describe_problem_of_template
from ..plugin_utils._ansible.types_of_templates import with_types, without_dates
from ..plugin_utils._variables.rule import TYPES, read_variables

_NAME = "hosting.panel.panel_variables"


class _NeverRaised(Exception):
    """Stands for an exception that an older ansible-core does not have."""


# From ansible-core 2.19 on, a template that comes to omit raises this. Before, it is a text.
_ValueOmitted: type[Exception] = getattr(errors, "AnsibleValueOmittedError", _NeverRaised)


class LookupModule(LookupBase):
    """Reads variables by a table."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[dict[str, Any]]:
        """Return the settings and mistakes of one table.

        Raises:
            AnsibleLookupError: The term is no table.
        """
        self.set_options(var_options=variables, direct=kwargs)
        if len(terms) != 1:
            raise AnsibleLookupError(f"{_NAME}: give one table.")
        (table,) = terms
        _check_table(table)
        typed_names = self.get_option("typed_names")

        values: dict[str, Any] = {}
        mistakes: dict[str, str] = {}
        for name in table:
            if name not in variables:
                continue
            try:
                values[name] = _evaluate(self._templar, variables[name])
            except _ValueOmitted:
                values[name] = None
            except Exception as error:  # a template raises whatever an expression in it raises
                typed_name = typed_names.get(name, name)
                mistakes[name] = f"{typed_name}: {describe_problem_of_template(error)}"

        rules_by_name = {name: rules for name, rules in table.items() if name not in mistakes}
        reading = read_variables(values, rules_by_name, typed_names)
        return [
            {
                "settings": without_dates(reading.settings),
                "mistakes": [*mistakes.values(), *reading.mistakes],
                "names": [*mistakes, *reading.names],
            }
        ]


def _evaluate(templar: Any, value: Any) -> Any:
    """Return the value with all of its templates evaluated, at any depth.

    ansible-core 2.19 and newer evaluate these, and decrypt a text, only where something reads them.
    """
    evaluated = with_types(templar, value, templar.template(value))
    _read_all(evaluated)
    return evaluated


def _read_all(value: Any) -> None:
    """Read all texts in a value, at any depth. Python may refuse to write a number."""
    if isinstance(value, Mapping):
        for field in value.values():
            _read_all(field)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _read_all(entry)
    elif not isinstance(value, int):
        str(value)


def _check_table(table: Any) -> None:
    """Raise AnsibleLookupError if a table has a type that there is not."""
    is_table = isinstance(table, Mapping)
    if not is_table or not all(isinstance(rules, Mapping) for rules in table.values()):
        raise AnsibleLookupError(f"{_NAME}: a table has a dictionary for each variable.")

    for name, rules in table.items():
        _check_rules(name, rules)


def _check_rules(name: str, rules: Mapping[str, Any]) -> None:
    """Raise AnsibleLookupError if the rules of a variable are wrong."""
    if rules.get("type") not in TYPES:
        types = ", ".join(TYPES)
        raise AnsibleLookupError(f"{_NAME}: {name}: type must be one of {types}.")
    for section in ("keys", "values"):
        if section not in rules:
            continue
        if rules["type"] != "mapping":
            raise AnsibleLookupError(f"{_NAME}: {name}: {section} need type mapping.")
        _check_table({f"{name}.{section}": rules[section]})
    if "options" not in rules:
        return
    if rules["type"] not in ("mapping", "list"):
        raise AnsibleLookupError(f"{_NAME}: {name}: options need type mapping or list.")
    _check_table(rules["options"])
