# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_start
short_description:
  "Part of the role hosting.panel.content: start a step with what earlier runs did"
version_added: 1.0.0
description:
  - Reads the text of the state file.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, step, hosts, objects
options:
  _input: {description: "The text; empty if there is no file.", type: str, required: true}
  step: {description: "The step of the role.", type: str, required: true}
  hosts:
    description: The host that has the content, and the one that gets it.
    type: list
    elements: str
    required: true
  objects:
    description: The objects that the step takes. By default all of the file.
    type: list
    elements: dict
"""

EXAMPLES = r"""
# From the role content.
- name: Show the state of a first run
  ansible.builtin.debug:
    msg: "{{ '' | hosting.panel.panel_content_start('copy', ['old.example', 'new.example']) }}"
"""

RETURN = r"""
_value:
  description: C(state), and in C(mistake) what is wrong with the file.
  type: dict
  sample:
    mistake: ""
    state:
      format: hosting.panel.content
      version: 1
      source: old.example
      target: new.example
      is_taken_over: false
      objects: {}
      run: {step: copy, done: [], failed: [], to_compare: []}
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_start(
    text: str,
    step: str,
    hosts: list[str],
    objects: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the state at the start of a step."""
    from ..plugin_utils._content_copy.content_state import begin_run, find_problem_of_state
    from ..plugin_utils._run.marked_texts import load_marked_json

    source, target = hosts
    state: Any = {}
    mistake = ""
    if text:
        try:
            state = load_marked_json(text)
        except ValueError:
            state = None
        mistake = find_problem_of_state(state, (source, target), step, objects)
    return {"state": begin_run({} if mistake else state, step, source, target), "mistake": mistake}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_start": with_checked_arguments(
                with_marked_result(panel_content_start), DOCUMENTATION
            )
        }
