#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_info
short_description: Read the clients of a hosting panel
version_added: 1.0.0
description:
  - Reads all clients with one request, or one of them by name or id.
  - O(include) also reads what a client owns, what it uses and its traffic.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  username:
    description:
      - Name of the client to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the client to read, as an alternative to O(username). If it does not exist, the list is empty.
    type: int
  include:
    description:
      - What else to read, each as a field of the same name. Each choice costs one request for each client.
      - V(resources) is what belongs to the client, V(stats) is what it uses and may use, V(traffic) is its traffic of one month.
      - A client that is deleted while the task reads is left out.
    type: list
    elements: str
    choices: [resources, stats, traffic]
  month:
    description:
      - Month of the traffic, V(YYYY-MM). Default is the current month.
      - An error without V(traffic) in O(include).
    type: str
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, username]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_client
"""

EXAMPLES = r"""
- name: Read all clients
  hosting.panel.panel_client_info:
    sort: username
  register: panel

- name: Read one client with what it uses, and its traffic of a month
  hosting.panel.panel_client_info:
    username: acme
    include: [stats, traffic]
    month: "2026-10"
  register: acme

- name: Show the share of its disk space
  ansible.builtin.debug:
    msg: "{{ acme.clients[0].stats.disk_space.value }} of {{ acme.clients[0].stats.disk_space.max }} bytes"
"""

RETURN = r"""
clients:
  description: The clients with all fields that the panel returns, except secrets, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    username:
      description: Name of the client.
      type: str
    email:
      description: E-mail address of the client.
      type: str
    language:
      description: Language code of the client's panel.
      type: str
    notes:
      description: Internal note.
      type: str
    id_hosting_plan:
      description: Id of the hosting plan, where the panel shows it.
      type: int
    is_suspended:
      description: Whether the client is suspended.
      type: bool
    suspend_on:
      description: When the panel suspends the client, or V(null).
      type: str
    delete_on:
      description: When the panel deletes the client, or V(null).
      type: str
    contact_data:
      description: Contact data.
      type: dict
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
    created_at:
      description: When the client was created.
      type: str
    resource_limits:
      description: Limits copied from the hosting plan; byte quantities in bytes, V(-1) is unlimited.
      type: dict
    permissions:
      description: Permissions copied from the hosting plan.
      type: dict
    php:
      description: Settings of PHP, copied from the hosting plan.
      type: dict
    php_fpm:
      description: Settings of the PHP processes, copied from the hosting plan.
      type: dict
    resources:
      description:
        - What belongs to the client, one list for each of C(domains), C(certificates), C(emails), C(databases), C(ftp_users),
          C(scheduled_tasks) and C(directory_protections).
      returned: with V(resources) in O(include)
      type: dict
    stats:
      description: What the client uses (C(value)) and may use (C(max), V(-1) is unlimited) of each resource.
      returned: with V(stats) in O(include)
      type: dict
    traffic:
      description: Bytes (C(in) and C(out)) for each of C(http), C(ftp), C(smtp), C(pop3) and C(imap).
      returned: with V(traffic) in O(include)
      type: dict
  sample:
    - id: 21
      username: acme
      email: it@acme.example
      language: en
      notes: ""
      id_hosting_plan: 2
      is_suspended: false
      suspend_on: null
      delete_on: null
      contact_data: {company: Acme, city: Berlin, country: DE, client_id: "10017"}
      status: 1
      created_at: "2026-11-21T13:00:00+01:00"
      resource_limits: {disk_space: 10737418240, traffic: -1, domains: 5, email_accounts: 50}
      permissions: {php: true, ssh: false, dns_editor: true}
      php:
        memory_limit: 256M
        max_execution_time: 60
        post_max_size: 72M
        upload_max_filesize: 64M
      php_fpm: {status: false, pm: ondemand, max_children: 3, max_requests: 0}
      stats:
        disk_space: {value: 1073741824, max: 10737418240}
        email_accounts: {value: 2, max: 50}
      traffic:
        http: {in: 749568, out: 7798784}
        smtp: {in: 376832, out: 13041664}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._object.info import (
    DETAIL_OPTIONS,
    add_details,
    build_info_operation,
    check_month,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(
    CLIENT, options=DETAIL_OPTIONS, query=check_month, finish=add_details
)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
