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
  - Creates, changes and deletes clients, the customers of a hosting panel.
  - Only the options that a task names are managed; an omitted option is left as it is.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.resource.wait
  - hosting.panel.password
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
options:
  username:
    description:
      - Name of the client, which cannot be changed. The panel accepts lower case only.
      - Either this or O(id) is required.
    type: str
  email:
    description: E-mail address of the client. An empty text clears it.
    type: str
  language:
    description: Language code of the client's panel, V(de) or V(en) for example. It must be enabled on the panel.
    type: str
  notes:
    description: Internal note. An empty text clears it.
    type: str
  hosting_plan:
    description:
      - Name of the hosting plan whose limits, permissions and PHP settings the client gets.
      - When it is omitted on creation, the panel uses its default plan.
      - The panel copies the plan's values; a later change of the plan reaches the client with O(reapply_plan) only.
      - Where the panel does not show which plan a client has, the copied values are compared with the plan's.
      - Mutually exclusive with O(id_hosting_plan).
    type: str
  id_hosting_plan:
    description: Id of the hosting plan, as an alternative to O(hosting_plan).
    type: int
  reapply_plan:
    description:
      - Whether the client's hosting plan is assigned again where the client's limits, permissions or PHP settings differ from the plan's, as
        after a change of the plan. It costs one more request, to read the plan.
      - Without O(hosting_plan) it is the plan that the panel shows for the client.
    type: bool
    default: false
  is_suspended:
    description: Whether the client is suspended.
    type: bool
  suspend_on:
    description:
      - Day on which the panel suspends the client, V(YYYY-MM-DD) or a date with time and offset. An empty text clears it.
      - A bare day is compared with the date part of the panel's value, and where that is midnight in another offset than is shown, with the
        day that begins there.
      - A time is compared as a moment; where the panel shows days only, as the day or the two days that it is part of in the offsets of the world.
        Give a bare day then.
    type: str
  delete_on:
    description:
      - Day on which the panel deletes the client with everything that belongs to it, in the form of O(suspend_on). An empty text clears it.
    type: str
  send_login_credentials:
    description:
      - Whether the panel mails the login to the client when it is created. It needs O(email).
      - Counts on creation only.
    type: bool
  create_system_domain:
    description:
      - Whether the panel creates its system domain for the client, V(USERNAME.HOSTNAME) by default.
      - Counts on creation only.
    type: bool
  skeleton:
    description:
      - Name of a skeleton template for the client's home directory.
      - Counts on creation only.
    type: str
  contact_data:
    description:
      - Contact data, managed field by field. V({}) clears all fields.
    type: dict
    suboptions:
      first_name:
        description: First name. An empty text clears it.
        type: str
      last_name:
        description: Last name. An empty text clears it.
        type: str
      company:
        description: Company. An empty text clears it.
        type: str
      telephone:
        description: Telephone number. An empty text clears it.
        type: str
      address:
        description: Street address, of several lines if need be. An empty text clears it.
        type: str
      city:
        description: City. An empty text clears it.
        type: str
      zip:
        description: Postal code, in quotes, since YAML makes another number of C(01234). An empty text clears it.
        type: str
      state:
        description: State or province. An empty text clears it.
        type: str
      country:
        description: Country as two letters of ISO 3166. An empty text clears it.
        type: str
      client_id:
        description: The customer number. An empty text clears it.
        type: str
  password_hash_os:
    description:
      - Hash of the password for the client's account of the operating system. Required with O(password_hash).
    type: str
notes:
  - A task costs one request, one more for each other object that it names, and one to write.
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

- name: Set contact data, one member cleared
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

- name: Suspend at the end of the year, and clear the note
  hosting.panel.panel_client:
    username: acme
    suspend_on: "2026-12-31"
    notes: ""

- name: Ask the panel for a new password
  hosting.panel.panel_client:
    username: acme
    regenerate_password: true
  register: acme
  no_log: true

- name: Delete a client with all that belongs to it
  hosting.panel.panel_client:
    username: acme
    state: absent
"""

RETURN = r"""
client:
  description:
    - The client as the panel has it after the task, without secrets; V(null) when it is absent.
    - After a creation it holds what was sent, and the id.
    - M(hosting.panel.panel_client_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 21
    username: acme
    email: it@acme.example
removed:
  description: The names of what goes with the client, sorted and by kind. A zone goes with its domain. The diff has them too.
  returned: with O(state=absent), in check mode too
  type: dict
  sample: {domains: [acme.example], emails: [info@acme.example]}
generated_password:
  description: The password that the panel generated in this run. It is never shown again.
  returned: when the panel generated a password
  type: str
credentials_file:
  description: The file that has the password.
  returned: when O(credentials_file) is given and the task gives no password
  type: str
error:
  description: What failed, for playbooks that branch on it.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.client import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = resource_operation(CLIENT)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
