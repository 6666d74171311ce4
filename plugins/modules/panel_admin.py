#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_admin
short_description: Manage the admins of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes admins, the accounts that manage a hosting panel.
  - Only the options that you set are managed.
  - The last main admin is never deleted and never stops being one; such a task fails and writes nothing.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.password
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
options:
  username:
    description:
      - Name of the admin, which cannot be changed. No client may have the same name.
      - Either this or O(id) is required.
    type: str
  email:
    description: E-mail address of the admin. The panel needs one to create an admin, so it cannot be cleared.
    type: str
  language:
    description:
      - Language code of the admin's panel, for example V(de) or V(en). It must be enabled on the panel.
      - If you omit it on creation, the panel uses its default language.
    type: str
  is_main_admin:
    description: Whether the admin may manage other admins. The panel's default is V(false).
    type: bool
notes:
  - A task costs one request, one for each object that it refers to, and one to write.
  - The last main admin stays. Deleting it fails with C(is the last one with is_main_admin), and nothing is written.
seealso:
  - module: hosting.panel.panel_admin_info
"""

EXAMPLES = r"""
- name: Create an admin and keep the generated password
  hosting.panel.panel_admin:
    username: night-shift
    email: night@panel.example
    language: en
    is_main_admin: false
  register: night_shift
  no_log: true

- name: Change the address
  hosting.panel.panel_admin:
    username: night-shift
    email: nights@panel.example

- name: Set a password in every run
  hosting.panel.panel_admin:
    username: night-shift
    password: "{{ night_shift_password }}"
    update_password: always

- name: Delete an admin
  hosting.panel.panel_admin:
    username: night-shift
    state: absent
"""

RETURN = r"""
admin:
  description:
    - The admin as the panel has it after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_admin_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 12
    username: night-shift
    email: night@panel.example
generated_password:
  description: The password that the panel generated in this run. It is never shown again.
  returned: when the panel generated a password
  type: str
  sample: an-example-of-a-password
credentials_file:
  description: The file that has the password.
  returned: with O(credentials_file), if you set no password and the file exists
  type: str
  sample: /srv/panel/admins.yml
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import ADMIN
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(ADMIN)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
