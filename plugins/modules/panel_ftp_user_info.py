#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_ftp_user_info
short_description: Read the FTP users of a hosting panel
version_added: 1.0.0
description:
  - Reads all FTP users, or one of them by name or id. Passwords and their hashes are never returned.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  username:
    description:
      - Name of the FTP user to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the FTP user to read, as an alternative to O(username). If it does not exist, the list is empty.
    type: int
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
  - The API describes neither paths nor fields of FTP users. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
    The path is C(/ftp-users).
seealso:
  - module: hosting.panel.panel_ftp_user
"""

EXAMPLES = r"""
- name: Read all FTP users
  hosting.panel.panel_ftp_user_info:
  register: panel

- name: Show each directory
  ansible.builtin.debug:
    msg: "{{ panel.ftp_users | ansible.builtin.items2dict(key_name='username', value_name='home_directory') }}"
"""

RETURN = r"""
ftp_users:
  description: The FTP users with all fields that the panel returns, except secrets, or an empty list.
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
    username:
      description: Name of the FTP user.
      type: str
    description:
      description: Note about the FTP user.
      type: str
    home_directory:
      description: Directory that the FTP user sees.
      type: str
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
  sample: [{id: 6, id_user: 21, username: acme_web, description: Agency, home_directory: /www, status: 1}]
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import FTP_USER
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(FTP_USER)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
