#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_directory_protection
short_description: Manage the directory protections of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes directory protections. Each one lets one user with a password into a directory.
  - A directory with several users has several directory protections; the module recognizes them by client, path and username.
  - Only the options that you set are managed.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.password
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.resource.wait
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
options:
  client:
    description:
      - Name of the client that the directory belongs to.
      - This, O(id_user) or O(id) is required. Also set O(path) and O(username).
      - With O(id), a different owner is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  path:
    description:
      - The protected directory, below the client's V(/www). Slashes at both ends make no difference; V(/) is V(/www) itself.
      - With O(id), you can change it.
    type: str
  username:
    description:
      - Name of the user who is let in.
      - With O(id), you can change it.
    type: str
  auth_name:
    description: Title that browsers show when they ask for the password. An empty string clears it.
    type: str
  exceptions:
    description:
      - Exceptions from the protection, one entry for each line of the panel's form.
      - The list is a set and replaces the panel's; an empty list removes all exceptions.
    type: list
    elements: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write. A new one costs one more, since the list is read again.
  - The panel may accept duplicates. If no answer to a creation comes, the task fails instead of repeating it. Wait a few minutes and run it again.
  - Tasks on the same controller that create the same directory protection run one after another.
  - If several directory protections have the same client, path and username, the task fails and lists their ids.
  - The API describes neither paths nor fields of directory protections. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
seealso:
  - module: hosting.panel.panel_directory_protection_info
"""

EXAMPLES = r"""
- name: Protect a directory and keep the generated password
  hosting.panel.panel_directory_protection:
    client: acme
    path: /shop/admin
    username: shopkeeper
    auth_name: Staff only
  register: protection
  no_log: true

- name: Let a second user in
  hosting.panel.panel_directory_protection:
    client: acme
    path: /shop/admin
    username: auditor
    password: "{{ auditor_password }}"
    auth_name: Staff only

- name: Leave a directory below it open
  hosting.panel.panel_directory_protection:
    client: acme
    path: /shop/admin
    username: shopkeeper
    exceptions:
      - /shop/admin/public

- name: Lock a user out
  hosting.panel.panel_directory_protection:
    client: acme
    path: /shop/admin
    username: auditor
    state: absent
"""

RETURN = r"""
directory_protection:
  description:
    - The directory protection as the panel has it after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_directory_protection_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 3
    id_user: 21
    path: /shop/admin
    username: shopkeeper
    auth_name: Staff only
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

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import (
    DIRECTORY_PROTECTION,
)
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(DIRECTORY_PROTECTION)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
