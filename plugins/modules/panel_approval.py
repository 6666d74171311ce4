#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_approval
short_description: "Part of the playbook hosting.panel.apply: go on only if somebody at the terminal types yes"
version_added: 1.0.0
description:
  - Asks whoever started C(ansible-playbook) at a terminal, once for all hosts of the play, and fails at every answer but exactly V(yes), and at the
    end of input.
  - The question is in the output of C(ansible-playbook), for Ansible keeps tasks away from the terminal. Where that goes into a file, nobody sees it.
  - M(ansible.builtin.pause) takes the return key for an answer, and cannot tell it from nobody being there.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Asks in check mode too; tasks that only plan do without it.
    support: full
  diff_mode:
    description: Changes nothing, so there is never a difference.
    support: N/A
  idempotent:
    description: Changes nothing.
    support: full
options:
  about:
    description: A sentence about what is to be approved, which comes before the question.
    type: str
    required: true
  needs_answer:
    description: Whether the task fails where nobody is at a terminal, too.
    type: bool
    default: false
  may_ask:
    description: Whether somebody may be at the terminal. A job of AWX has one, and nobody is there.
    type: bool
    default: true
seealso:
  - module: hosting.panel.panel_folder_apply
"""

EXAMPLES = r"""
- name: Go on if somebody agrees
  hosting.panel.panel_approval:
    about: 3 changes on web1.
    may_ask: "{{ awx_job_id is not defined }}"
"""

RETURN = r"""
approved_by:
  description: Whether somebody typed V(yes), or nobody was there to be asked.
  returned: success
  type: str
  sample: a typed yes
"""
