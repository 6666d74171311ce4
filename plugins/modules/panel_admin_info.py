#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_admin_info
short_description: Read the admins of a hosting panel
version_added: 1.0.0
description:
  - Reads all admins with one request, or one of them by name or id.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  username:
    description:
      - Name of the admin to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the admin to read, as an alternative to O(username). If it does not exist, the list is empty.
    type: int
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, username]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_admin
"""

EXAMPLES = r"""
- name: Read all admins
  hosting.panel.panel_admin_info:
    sort: username
  register: panel

- name: List the main admins
  ansible.builtin.debug:
    msg: "{{ panel.admins | selectattr('is_main_admin') | map(attribute='username') }}"
"""

RETURN = r"""
admins:
  description: The admins with all fields that the panel returns, except secrets, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    username:
      description: Name of the admin.
      type: str
    email:
      description: E-mail address of the admin.
      type: str
    language:
      description: Language code.
      type: str
    is_main_admin:
      description: Whether the admin may manage other admins.
      type: bool
    created_at:
      description: When the admin was created, ISO 8601, if the panel returns it.
      type: str
  sample: [{id: 1, username: admin, email: admin@panel.example, language: en, is_main_admin: true}]
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import ADMIN
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(ADMIN)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
