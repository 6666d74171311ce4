# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the options of a module's process, as they were sent.

Private members of ansible-core:

- Names of options that begin with ``_ansible_``: Ansible sends its own beside those of the task.
- ``basic._load_params``: returns the options before any check. ansible-core keeps it for modules
  that process their options themselves. ``AnsibleModule`` has no public way to them: it converts
  them first, and its failure repeats those that it refuses, secrets too.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import _load_params

# The options that Ansible adds for itself begin with this.
_PREFIX = "_ansible_"


def list_sent_names() -> list[str]:
    """Return the names of all options that were sent, those of Ansible among them.

    Returns:
        An empty list where nothing was sent. Tools that compare a module with its documentation
        start it so.
    """
    return list(_load_params() or ())


def select_options_of_task(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the task alone.

    Args:
        params: Those of an ``AnsibleModule`` that takes each option that was sent. It has read
            Ansible's own, which are null then.
    """
    unset = {name for name, value in params.items() if value is None}
    names_of_ansible = {name for name in unset if name.startswith(_PREFIX)}
    return {name: value for name, value in params.items() if name not in names_of_ansible}
