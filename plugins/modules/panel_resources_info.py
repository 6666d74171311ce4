#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_resources_info
short_description: Read a hosting panel in a form to write again
version_added: 1.0.0
description:
  - Reads all objects of a panel and returns them as M(hosting.panel.panel_resources) takes them, so that a running server becomes code in one step.
  - If you pass the result to M(hosting.panel.panel_resources) on the same panel, nothing changes. On an empty panel it recreates everything
    except secrets.
  - The playbook C(hosting.panel.export) writes the result as files, one for each client.
  - It costs one request for each type that it reads or refers to, and one for each zone. If a list leaves fields out, each object costs one more.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  kinds:
    description:
      - The types to read. Default is all.
      - Items can refer to objects of other types. These objects must exist when you pass the result to M(hosting.panel.panel_resources).
    type: list
    elements: str
    choices: [plans, admins, clients, certificates, domains, dns, emails, databases, ftp_users, directory_protections, scheduled_tasks]
  clients:
    description:
      - Usernames of clients. The module reads only these clients and what they own. Default is everything.
      - Hosting plans, admins, and the certificates and scheduled tasks of the server itself belong to no client. They are left out then.
      - A name that is not on the panel is an error.
    type: list
    elements: str
notes:
  - 'A name in O(clients) that does not exist fails, with C(clients: there is no client acme on this panel).'
  - Items refer to other objects by name, never by id. Their order does not depend on the panel, and passwords, hashes and private keys are left out.
  - The module leaves out what the single modules cannot manage, and what depends on that, with a warning. Examples are a scheduled task without a
    description and an object whose client is gone. RV(left_out) lists it.
  - It leaves out system domains. A client that has one gets C(create_system_domain=true), so that another panel makes a new one.
  - A zone with its own records has C(purge=true), so that it becomes exactly the same on another panel. Its DKIM record is V(<DKIM_RECORD_VALUE>).
seealso:
  - module: hosting.panel.panel_resources
"""

EXAMPLES = r"""
- name: Read everything
  hosting.panel.panel_resources_info:
  register: panel

- name: Show the names of all domains
  ansible.builtin.debug:
    msg: "{{ panel.resources.domains | map(attribute='domain') | list }}"

- name: Read one client with all that belongs to it
  hosting.panel.panel_resources_info:
    clients: [acme]
  register: acme

- name: Read the hosting plans, to give them to other panels
  hosting.panel.panel_resources_info:
    kinds: [plans]
  register: plans
"""

RETURN = r"""
resources:
  description:
    - A list of items for each type, with the options of its module. C(emails) has those of M(hosting.panel.panel_email). A type without objects
      has an empty list.
    - C(certificates) come without the private keys, and C(dns) has an item for each main domain.
    - Ansible does not evaluate templates in these strings.
  returned: success
  type: dict
  sample:
    clients:
      - username: acme
        email: it@acme.example
        language: en
        notes: ""
        hosting_plan: Business
        is_suspended: false
        suspend_on: ""
        delete_on: ""
        contact_data: {}
    emails:
      - email: info@acme.example
        client: acme
        description: ""
        max_size: 1073741824
        catch_all: false
        store_forwarded_emails: false
        aliases: [office@acme.example]
        forwardings: []
panel:
  description: Host and port of the panel, as credentials files name it.
  returned: success
  type: str
  sample: panel.example
left_out:
  description:
    - Objects of the panel that RV(resources) lacks. Warnings list them too.
    - C(kind), C(key) and C(id) name the object, and C(reason) says why. With C(option), only this option is missing.
  returned: success
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    id: {description: Id of the object., type: int}
    option: {description: What of the object is missing., returned: if only an option is missing, type: str}
    reason: {description: Why it is missing., type: str}
  sample:
    - kind: scheduled_tasks
      key: acme:id 7
      id: 7
      reason: the panel shows no description of it, without which it is not made again
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Denied, status: 403}
"""

from ansible_collections.hosting.panel.plugins.module_utils._items.export_task import (
    export_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = export_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
