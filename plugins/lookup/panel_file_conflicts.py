# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_file_conflicts
short_description:
  "Part of the roles and playbooks: find files on the controller that a run must not replace"
version_added: 1.0.0
description:
  - Reads the beginning of files that variables name, before a run writes any of them, and returns a
    sentence for each that must not be written.
  - A file that exists is replaced only if this collection wrote it, which its beginning shows. An
    empty file can be replaced.
  - Two variables must not name one file, also not by a link. No YAML file can be written into a
    directory with the files of a panel, apart from a file of passwords.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - A dictionary for each file.
      - C(variable) is the name of the variable. C(path) is its value, relative to the directory in
        which C(ansible-playbook) was started. Without a value, the file is left out.
      - C(form) is what the run writes there, V(plan), V(summary), V(verify_report),
        V(verify_profile), V(report_page), V(report_json), V(report_usage), V(report_metrics),
        V(hand_over_page), V(hand_over_json), V(import_page), V(import_content), V(copy_state),
        V(copy_page) or V(zones_before). Without it, the file is not replaced as a whole, such as a
        file of passwords.
      - C(is_directory) is true for a directory with the files of a panel. C(makes_directory) is
        true if the run makes the directory of the file.
    type: list
    elements: dict
    required: true
  written:
    description:
      - Names of the variables whose files the run writes. The others are only compared with these.
      - If omitted, the run writes all of them.
    type: list
    elements: str
  hosts:
    description:
      - Names of hosts, such as C(ansible_play_hosts_all). No variable of another one of them may
        name a file in O(written), and no directory of one host may lie in that of another one.
      - A path with the name of a host in it is that host's alone.
    type: list
    elements: str
    default: []
seealso:
  - plugin: hosting.panel.panel_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Show why the page of a plan would replace another file
  ansible.builtin.debug:
    msg: "{{ query('hosting.panel.panel_file_conflicts',
      {'variable': 'page_file', 'path': 'plan.md', 'form': 'plan'},
      {'variable': 'passwords_file', 'path': 'passwords.yml'}) }}"
"""

RETURN = r"""
_list:
  description: A sentence for each file that must not be written. It starts with the name of the
    variable.
  type: list
  elements: str
  sample:
    - "page_file: /home/ops/plan.md: that file is no page of a plan, so it is not replaced;
      name another one, or move it away."
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import Problem, format_message
from ..plugin_utils._run.written_files import (
    FORMS,
    NamedFile,
    describe_shared,
    find_conflicts,
    find_nested,
    find_owner,
    find_shared,
    inspect_file,
)
from ..plugin_utils._variables.rule import describe_odd_character, is_empty, read_switch

_NAME = "hosting.panel.panel_file_conflicts"
_FIELDS = frozenset({"variable", "path", "form", "is_directory", "makes_directory"})


class LookupModule(LookupBase):
    """Finds files that a run must not replace."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[str]:
        """Return a sentence for each conflict.

        Raises:
            AnsibleLookupError: A term describes no file.
        """
        self.set_options(var_options=variables, direct=kwargs)
        for term in terms:
            _check_term(term)
        files = list(_read_files(terms))
        written = self.get_option("written")
        conflicts = find_conflicts(files, written)
        hosts = self.get_option("hosts") or []
        if len(hosts) > 1:
            names = {file.name for file in files} if written is None else set(written)
            written_files = [file for file in files if file.name in names]
            conflicts += _find_conflicts_of_hosts(terms, written_files, names, hosts, variables)
        return [format_message(conflict) for conflict in conflicts]


def _find_conflicts_of_hosts(
    terms: Any,
    files: Iterable[NamedFile],
    names: set[str],
    hosts: Iterable[str],
    variables: Mapping[str, Any],
) -> list[Problem]:
    """Return a problem for each file that another host names, too.

    Args:
        terms: The terms.
        files: The files that this host writes.
        names: The options or variables of the files that a host writes.
        hosts: The hosts of the play.
        variables: Those of this host.
    """
    host = variables["inventory_hostname"]
    hostvars = variables["hostvars"]
    variables_by_host = {name: hostvars[name] for name in hosts if name != host}
    conflicts: list[Problem] = []
    for file in files:
        if file.is_directory:
            directories = _read_directories(file.name, variables_by_host)
            conflicts += find_nested(file, host, directories)

    in_question = [file for file in files if find_owner(file.path, set(hosts)) != host]
    if not in_question:
        return conflicts

    # A variable of a play is not in hostvars. Its value without the name of the host is taken
    # for that of every host.
    of_play = list(_find_variables_of_play(terms, in_question, hostvars[host]))
    files_elsewhere = _read_files_elsewhere(terms, variables_by_host.values())
    shared = find_shared(in_question, files_elsewhere, names.difference(of_play))
    return [*conflicts, *map(describe_shared, of_play), *shared]


def _find_variables_of_play(
    terms: Any, files: Iterable[NamedFile], variables: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the names of the files whose values are not those of the host's variables.

    Args:
        terms: The terms, which have the values.
        files: The files in question.
        variables: Those of the host.
    """
    values = {str(term["variable"]): str(term.get("path")) for term in terms}
    for file in files:
        if values[file.name] != _read_text_variable(variables, file.name):
            yield file.name


def _read_files(terms: Any) -> Iterator[NamedFile]:
    """Yield the files that the terms name; a term without a path names none."""
    for term in terms:
        path = term.get("path")
        if is_empty(path) or describe_odd_character(str(path)):
            continue  # what checks the variables refuses what no path can be
        form = FORMS[term["form"]] if term.get("form") else None
        is_directory = _read_switch(term, "is_directory")
        makes_directory = _read_switch(term, "makes_directory")
        yield inspect_file(str(term["variable"]), str(path), form, is_directory, makes_directory)


def _read_switch(term: Mapping[str, Any], name: str) -> bool:
    """Return a switch of a term. Raises AnsibleLookupError for another value."""
    value = term.get(name)
    if is_empty(value):
        return False
    try:
        return read_switch(value)
    except ValueError:
        raise AnsibleLookupError(f"{_NAME}: {name} must be true or false.") from None


def _read_files_elsewhere(
    terms: Any, variables_of_hosts: Iterable[Mapping[str, Any]]
) -> Iterator[NamedFile]:
    """Yield the files that the same variables name on other hosts."""
    for variables in variables_of_hosts:
        for term in terms:
            yield from _read_files(
                [{**term, "path": _read_text_variable(variables, term["variable"])}]
            )


def _read_directories(
    name: str, variables_by_host: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, NamedFile]]:
    """Yield the directory that a variable names on each other host, with the name of the host."""
    for host, variables in variables_by_host.items():
        path = _read_text_variable(variables, name)
        if not is_empty(path):
            yield host, inspect_file(name, path, is_directory=True)


def _read_text_variable(variables: Mapping[str, Any], name: str) -> str:
    """Return the value of a host's variable; empty if it is no text, or one that no path can be.

    The host itself refuses both.
    """
    try:
        value = variables.get(name)
    except Exception:  # a template raises whatever an expression in it raises
        return ""
    if not isinstance(value, str) or describe_odd_character(value):
        return ""
    return value


def _check_term(term: Any) -> None:
    """Raise AnsibleLookupError if a term describes no file."""
    if not isinstance(term, Mapping) or "variable" not in term or not _FIELDS.issuperset(term):
        fields = ", ".join(sorted(_FIELDS))
        raise AnsibleLookupError(f"{_NAME}: give dictionaries of {fields}.")
    if term.get("form") and term["form"] not in FORMS:
        forms = ", ".join(FORMS)
        raise AnsibleLookupError(f"{_NAME}: form must be one of {forms}.")
