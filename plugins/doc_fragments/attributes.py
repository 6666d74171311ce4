# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # Attributes of modules that write.
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode, predicts the result and writes nothing.
    support: full
  diff_mode:
    description: Returns what changes. Of a secret it says only that it changes.
    support: full
  async:
    description:
      - Supports being run with C(async); it then always runs as a module of its own.
      - Ansible keeps the result of such a task in a file that others on the machine can read, with RV(ignore:generated_password) where there is
        one, and with C(poll=0) until M(ansible.builtin.async_status) with C(mode=cleanup) removes it. Give passwords yourself there.
    support: full
"""

    # Attributes of modules that only read.
    INFO = r"""
options: {}
attributes:
  check_mode:
    description: Reads only, so check mode changes nothing about it.
    support: full
  diff_mode:
    description: Reads only, so there is never a difference.
    support: N/A
  idempotent:
    description: Reads only.
    support: full
  async:
    description: Supports being run with C(async); it then always runs as a module of its own.
    support: full
"""

    # For modules whose second run never reports a change.
    IDEMPOTENT = r"""
options: {}
attributes:
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: full
"""

    # For modules that take passwords.
    IDEMPOTENT_PASSWORD = r"""
options: {}
attributes:
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: partial
    details:
      - The panel never shows a password, so a task cannot see whether it is the right one already.
      - With O(update_password=always) every run sends the password and reports a change, and so does O(regenerate_password=true).
        Without these two a second run changes nothing.
"""

    # For what an action does on the controller.
    CONTROLLER = r"""
options: {}
attributes:
  action:
    description: It is an action on the controller. Where it needs other modules, it runs them where the task runs.
    support: full
  async:
    description: What it does on the controller cannot go on without C(ansible-playbook).
    support: none
"""
