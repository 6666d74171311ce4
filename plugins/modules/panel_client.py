#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client
short_description: Manage the clients of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes clients, the accounts of customers. O(state=absent) also deletes everything that the client owns. This includes
    its domains, mailboxes with their mails, databases and files.
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
      - Name of the client, which cannot be changed. The panel accepts lower case only.
      - Either this or O(id) is required.
    type: str
  email:
    description: E-mail address of the client. An empty string clears it.
    type: str
  language:
    description: Language of the panel for this client, for example V(de) or V(en). It must be enabled on the panel.
    type: str
  notes:
    description: Internal note. An empty string clears it.
    type: str
  hosting_plan:
    description:
      - Name of the hosting plan whose limits, permissions and PHP settings the client gets.
      - If you omit it on creation, the panel uses its default hosting plan.
      - The panel copies the limits once. Set O(reapply_plan=true) to copy them again after the hosting plan changed.
      - If the panel does not show which hosting plan a client has, the module compares the copied values with the hosting plan's.
      - Mutually exclusive with O(id_hosting_plan).
    type: str
  id_hosting_plan:
    description: Id of the hosting plan, as an alternative to O(hosting_plan).
    type: int
  reapply_plan:
    description:
      - Assign the hosting plan again if the client's limits, permissions or PHP settings differ from the hosting plan's. This costs one more request.
      - Without O(hosting_plan), the module assigns the hosting plan that the panel shows for the client.
    type: bool
    default: false
  is_suspended:
    description: Whether the client is suspended.
    type: bool
  suspend_on:
    description:
      - Day on which the panel suspends the client. Use V(YYYY-MM-DD). An empty string clears it.
      - A date with time and offset is also accepted. If the panel stores days only, the time is ignored.
    type: str
  delete_on:
    description:
      - Day on which the panel deletes the client and everything it owns, in the form of O(suspend_on). An empty string clears it.
    type: str
  send_login_credentials:
    description:
      - Whether the panel mails the login to the client when it is created. It needs O(email).
      - Used on creation only.
    type: bool
  create_system_domain:
    description:
      - Whether the panel creates its system domain for the client, V(USERNAME.HOSTNAME) by default.
      - Used on creation only.
    type: bool
  skeleton:
    description:
      - Name of a skeleton template for the client's home directory.
      - Used on creation only.
    type: str
  contact_data:
    description:
      - Contact data, managed field by field. V({}) clears all fields.
    type: dict
    suboptions:
      first_name:
        description: First name. An empty string clears it.
        type: str
      last_name:
        description: Last name. An empty string clears it.
        type: str
      company:
        description: Company. An empty string clears it.
        type: str
      telephone:
        description: Telephone number. An empty string clears it.
        type: str
      address:
        description: Street address. It can have several lines. An empty string clears it.
        type: str
      city:
        description: City. An empty string clears it.
        type: str
      zip:
        description: Postal code. Put it in quotes, because YAML changes C(01234). An empty string clears it.
        type: str
      state:
        description: State or province. An empty string clears it.
        type: str
      country:
        description: Country as two letters of ISO 3166. An empty string clears it.
        type: str
      client_id:
        description: Customer number. An empty string clears it.
        type: str
  password_hash_os:
    description:
      - Hash of the password for the client's account of the operating system. Required with O(password_hash).
    type: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write.
  - 'If the hosting plan does not exist, the task fails before it writes, with C(hosting_plan: there is no hosting plan Basic on this panel).'
seealso:
  - module: hosting.panel.panel_client_info
  - module: hosting.panel.panel_plan
"""

EXAMPLES = r"""
- name: Create a client and keep the generated password
  hosting.panel.panel_client:
    username: acme
    email: it@acme.example
    language: en
    hosting_plan: Business
  register: acme
  no_log: true

- name: Set contact data, and clear one field
  hosting.panel.panel_client:
    username: acme
    contact_data:
      company: Acme GmbH
      country: DE
      telephone: ""

- name: Suspend a client now
  hosting.panel.panel_client:
    username: acme
    is_suspended: true

- name: Suspend on a day, and clear the note
  hosting.panel.panel_client:
    username: acme
    suspend_on: "2099-12-31"
    notes: ""

- name: Ask the panel for a new password
  hosting.panel.panel_client:
    username: acme
    regenerate_password: true
  register: acme
  no_log: true

- name: Delete a client with its domains, mailboxes, databases and files
  hosting.panel.panel_client:
    username: acme
    state: absent
"""

RETURN = r"""
client:
  description:
    - The client after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_client_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 21
    username: acme
    email: it@acme.example
removed:
  description: Names of the objects that are deleted with the client, by type. A zone is deleted with its domain. The diff lists them too.
  returned: with O(state=absent), in check mode too
  type: dict
  sample: {domains: [acme.example], emails: [info@acme.example]}
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

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(CLIENT)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
