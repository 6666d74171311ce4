# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible shows of the result of a task.

Private members of ansible-core:

- The member ``_ansible_no_log`` of a result keeps all of it out of every output. The keyword
  ``no_log`` would do the same, but only the person who writes the task can set it.
- The setting ``INJECT_INVOCATION``, which releases from 2.21 on have, decides whether results
  repeat the options of their task.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

from typing import Any

from ansible import constants
from ansible.errors import AnsibleError

# Beside a result of which nothing may be shown.
HIDDEN = {"_ansible_no_log": True}


def shows_invocation(task_vars: Any) -> bool:
    """Return whether results say how the module was called.

    From 2.21 on ansible-core leaves that out by default.
    """
    try:
        return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=task_vars))
    except AnsibleError:
        return True
