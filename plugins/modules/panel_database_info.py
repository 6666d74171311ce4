#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_database_info
short_description: Read the databases of a hosting panel
version_added: 1.0.0
description:
  - Reads all databases, or one of them by name or id. Passwords and their hashes are never returned.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  database_name:
    description:
      - Name of the database to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the database to read, as an alternative to O(database_name). If it does not exist, the list is empty.
    type: int
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, database_name, database_username]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_database
"""

EXAMPLES = r"""
- name: Read all databases
  hosting.panel.panel_database_info:
    sort: database_name
  register: panel

- name: Show the size of each
  ansible.builtin.debug:
    msg: "{{ panel.databases | ansible.builtin.items2dict(key_name='database_name', value_name='size') }}"
"""

RETURN = r"""
databases:
  description: The databases with all fields that the panel returns, except secrets, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    id_user:
      description: Id of the client that it belongs to.
      type: int
    database_name:
      description: Name of the database.
      type: str
    database_username:
      description: Name of the database user.
      type: str
    description:
      description: Note about the database.
      type: str
    size:
      description: Bytes that it takes.
      type: int
    remote_hosts:
      description: Hosts from which the database user may connect; empty for local connections only.
      type: list
      elements: str
  sample:
    - id: 4
      id_user: 21
      database_name: acme_shop
      database_username: acme_shop
      description: Web shop
      size: 8388608
      remote_hosts: []
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import DATABASE
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(DATABASE)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
