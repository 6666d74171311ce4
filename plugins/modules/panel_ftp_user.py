#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_ftp_user
short_description: Manage the FTP users of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes FTP users.
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
  username:
    description:
      - Name of the FTP user, which cannot be changed. The panel may require the client's name in front.
      - Either this or O(id) is required.
    type: str
  client:
    description:
      - Name of the client that owns the FTP user. Required to create it.
      - It cannot be changed later. A different owner is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  description:
    description: Note about the FTP user. An empty string clears it.
    type: str
  home_directory:
    description:
      - Directory that the FTP user sees, below V(/www) or V(/files) of the client. The panel creates it if it is missing.
      - Slashes at its end make no difference. If you omit it on creation, the panel chooses it. It cannot be cleared.
    type: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write. A new FTP user costs one more, for the name that it gets.
  - 'If the client does not exist, the task fails before it writes, with C(client: there is no client acme on this panel).'
  - The API describes neither paths nor fields of FTP users. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
seealso:
  - module: hosting.panel.panel_ftp_user_info
"""

EXAMPLES = r"""
- name: Create an FTP user and keep the generated password
  hosting.panel.panel_ftp_user:
    username: acme_web
    client: acme
    home_directory: /www/shop
  register: ftp_user
  no_log: true

- name: Give it another directory
  hosting.panel.panel_ftp_user:
    username: acme_web
    home_directory: /www/shop/images

- name: Set your own password, in every run
  hosting.panel.panel_ftp_user:
    username: acme_web
    password: "{{ acme_web_password }}"
    update_password: always

- name: Delete the FTP user
  hosting.panel.panel_ftp_user:
    username: acme_web
    state: absent
"""

RETURN = r"""
ftp_user:
  description:
    - The FTP user after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_ftp_user_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 9
    id_user: 21
    username: acme_web
    home_directory: /www/shop
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

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import FTP_USER
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(FTP_USER)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
