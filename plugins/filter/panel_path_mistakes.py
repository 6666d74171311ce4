# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_path_mistakes
short_description:
  "Part of the roles and playbooks: find paths in variables that lead to nothing"
version_added: 1.0.0
description:
  - Returns a sentence for C(panel_after_apply) and C(panel_dir) if nothing exists under the path,
    and for C(panel_dir) if a playbook needs it and it is not set.
  - Internal to the playbooks. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, names, needs_directory, reads_directory
options:
  _input:
    description: The variables, as C(settings) of P(hosting.panel.panel_variables#lookup).
    type: dict
    required: true
  names:
    description: The variables that are set, also with a value that is a mistake.
    type: list
    elements: str
    required: true
  needs_directory:
    description: Whether C(panel_dir) has to be set.
    type: bool
    required: true
  reads_directory:
    description: Whether C(panel_dir) has to exist.
    type: bool
    required: true
"""

EXAMPLES = r"""
# From the playbooks.
- name: Refuse paths that lead to nothing
  ansible.builtin.assert:
    that: "{'panel_dir': '/srv/panel'} | hosting.panel.panel_path_mistakes(['panel_dir'], true, true) == []"
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["panel_dir: missing. Set it to the directory of the files."]
"""

import os
from collections.abc import Collection, Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._run.controller_files import expand_path
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_DIRECTORY = "panel_dir"
_FILE_OF_TASKS = "panel_after_apply"


def panel_path_mistakes(
    settings: Mapping[str, Any],
    names: Collection[str],
    needs_directory: bool,
    reads_directory: bool,
) -> list[str]:
    """Return a sentence for each path that leads to nothing."""
    mistakes = []
    if _FILE_OF_TASKS in settings:
        path = _resolve(settings[_FILE_OF_TASKS])
        if not os.path.isfile(path):
            mistakes.append(f"{_FILE_OF_TASKS}: there is no file {path}. Correct the path.")

    if needs_directory and _DIRECTORY not in names:
        mistakes.append(f"{_DIRECTORY}: missing. Set it to the directory of the files.")
    if reads_directory and _DIRECTORY in settings:
        path = _resolve(settings[_DIRECTORY])
        if not os.path.exists(path):
            mistakes.append(f"{_DIRECTORY}: there is no directory {path}. Correct the path.")
    return mistakes


def _resolve(path: str) -> str:
    return os.path.realpath(expand_path(path))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_path_mistakes": with_checked_arguments(
                with_marked_result(panel_path_mistakes), DOCUMENTATION
            )
        }
