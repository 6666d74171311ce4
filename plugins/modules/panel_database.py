#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_database
short_description: Manage the databases of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes databases with their database users.
  - Only the options that you set are managed.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.password
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
options:
  database_name:
    description:
      - Name of the database, which cannot be changed. The panel may require the client's name in front.
      - Either this or O(id) is required.
    type: str
  client:
    description:
      - Name of the client that owns the database. Required to create it.
      - It cannot be changed later. A different owner is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  database_username:
    description:
      - Name of the database user. If you omit it on creation, it is O(database_name).
      - It cannot be changed later. A different name is an error.
    type: str
  description:
    description: Note about the database. An empty string clears it.
    type: str
  remote_hosts:
    description:
      - Other hosts from which the database user can connect. The client needs the permission for it.
      - The list is a set and replaces the panel's; an empty list allows the server itself only.
    type: list
    elements: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write. A new database costs one more, for the name that it gets.
  - 'If the client does not exist, the task fails before it writes, with C(client: there is no client acme on this panel).'
  - The API describes the list of databases only. This module infers all other paths from published API programs.
    Until the README lists a verified panel, they may change in a minor release.
  - Deleting a database deletes its data.
seealso:
  - module: hosting.panel.panel_database_info
"""

EXAMPLES = r"""
- name: Create a database and keep the generated password
  hosting.panel.panel_database:
    database_name: acme_shop
    client: acme
    description: Shop
  register: database
  no_log: true

- name: Let an application server connect
  hosting.panel.panel_database:
    database_name: acme_shop
    remote_hosts:
      - 192.0.2.20

- name: Allow local connections only
  hosting.panel.panel_database:
    database_name: acme_shop
    remote_hosts: []

- name: Delete the database with its data
  hosting.panel.panel_database:
    database_name: acme_shop
    state: absent
"""

RETURN = r"""
database:
  description:
    - The database after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_database_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 7
    id_user: 21
    database_name: acme_shop
    database_username: acme_shop
    remote_hosts: []
generated_password:
  description: The password that the panel generated in this run. It is never shown again.
  returned: when the panel generated a password
  type: str
  sample: an-example-of-a-password
credentials_file:
  description: The file that has the password.
  returned: with O(credentials_file), if you set no password and the file exists
  type: str
  sample: /srv/panel/acme.yml
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import DATABASE
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(DATABASE)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
