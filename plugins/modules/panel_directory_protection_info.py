#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_directory_protection_info
short_description: Read the directory protections of a hosting panel
version_added: 1.0.0
description:
  - Reads all directory protections, those of a client, a directory or a user, or one by id. Passwords and their hashes are never returned.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  client:
    description:
      - Name of the client whose directory protections are read. If the client does not exist, the list is empty.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  path:
    description: The protected directory. Slashes at both ends make no difference.
    type: str
  username:
    description: Name of the user who is let in.
    type: str
  id:
    description: Id of the directory protection to read, instead of the other filters. If it does not exist, the list is empty.
    type: int
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
  - The API describes neither paths nor fields of directory protections. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
seealso:
  - module: hosting.panel.panel_directory_protection
"""

EXAMPLES = r"""
- name: Read the directory protections of a client
  hosting.panel.panel_directory_protection_info:
    client: acme
  register: panel

- name: List the users of a directory
  ansible.builtin.debug:
    msg: "{{ panel.directory_protections | selectattr('path', 'eq', '/shop/admin') | map(attribute='username') }}"
"""

RETURN = r"""
directory_protections:
  description: The directory protections with all fields that the panel returns, except secrets, or an empty list.
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
    path:
      description: The protected directory.
      type: str
    username:
      description: Name of the user who is let in.
      type: str
    auth_name:
      description: Title that browsers show.
      type: str
    exceptions:
      description: What is not protected.
      type: list
      elements: str
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
  sample:
    - id: 2
      id_user: 21
      path: /www/intern
      username: team
      auth_name: Intern
      exceptions: []
      status: 1
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import (
    DIRECTORY_PROTECTION,
)
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(DIRECTORY_PROTECTION)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
