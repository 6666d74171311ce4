# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_displayed_path
short_description:
  "Part of the roles and playbooks: return the path of a file as messages of the roles display it"
version_added: 1.0.0
description:
  - The directory of an AWX job is gone with its container. So the path of a file that a job keeps in
    its project begins there. All other paths stay as they are.
  - Internal to the roles and playbooks. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, is_job
options:
  _input: {description: "The absolute path; may be empty.", type: str, required: true}
  is_job: {description: "Whether the play is a job of AWX.", type: bool, required: true}
"""

EXAMPLES = r"""
# From the role move.
- name: Show the hand-over page
  ansible.builtin.debug:
    msg: "{{ page | hosting.panel.panel_displayed_path(awx_job_id is defined) }}"
"""

RETURN = r"""
_value:
  description: The path.
  type: str
  sample: moves/acme.hand-over.md
"""

import os
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_displayed_path(path: str, is_job: bool) -> str:
    """Return the path as people find the file."""
    if not is_job or not path:
        return path
    in_project = os.path.relpath(path)
    if in_project.startswith(os.pardir + os.sep):
        return path
    return in_project


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_displayed_path": with_checked_arguments(
                with_marked_result(panel_displayed_path), DOCUMENTATION
            )
        }
