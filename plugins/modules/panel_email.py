#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_email
short_description: Manage the mailboxes of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes mailboxes with their aliases and forwardings.
  - Only the options that you set are managed.
  - Accepts addresses in punycode or UTF-8 and in any case. Compares and sends them in punycode and lower case, except O(forwardings).
  - The panel may send a mail to each new mailbox, unless this notification is disabled there.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.password
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.resource.wait
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
options:
  email:
    description:
      - Address of the mailbox, which cannot be changed. Its domain must be an e-mail domain of the client.
      - Either this or O(id) is required.
    type: str
  client:
    description:
      - Name of the client that owns the mailbox. Default on creation is the owner of the address's domain.
      - It cannot be changed later. A different owner is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  description:
    description: Note about the mailbox. An empty string clears it.
    type: str
  max_size:
    description:
      - Size of the mailbox in bytes, a whole number or one with V(K), V(M), V(G), V(T) or V(P); V(1G) is 1073741824. Decimals are an error.
      - V(-1) is unlimited, if the panel accepts it.
      - If you omit it on creation, the panel chooses.
    type: str
  catch_all:
    description: Whether the mailbox gets mail to addresses of its domain that do not exist. The client needs the permission for it.
    type: bool
  store_forwarded_emails:
    description: Whether mail that is forwarded is kept in the mailbox too.
    type: bool
  aliases:
    description:
      - Other addresses of the mailbox. Their domains must be e-mail domains of the same client. For all other addresses of a domain, use
        O(catch_all).
      - The list is a set and replaces the panel's; an empty list removes all aliases.
    type: list
    elements: str
  forwardings:
    description:
      - Addresses that get the forwarded mail, on any server. They are sent as you write them, with the domain in punycode. Only the case of the
        domain makes no difference in the comparison.
      - The list is a set and replaces the panel's; an empty list removes all forwardings.
    type: list
    elements: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write. A new mailbox costs one more, for its domain.
  - 'If the domain does not exist, the task fails before it writes, with C(email: there is no domain acme.example on this panel).'
seealso:
  - module: hosting.panel.panel_email_info
  - module: hosting.panel.panel_domain
"""

EXAMPLES = r"""
- name: Create a mailbox, with its password in an encrypted file of its client before the panel gets it
  hosting.panel.panel_email:
    email: shop@acme.example
    credentials_file: "{client}.credentials.yml"

- name: Create a mailbox and keep the generated password
  hosting.panel.panel_email:
    email: info@acme.example
    max_size: 1G
    aliases:
      - office@acme.example
  register: mailbox
  no_log: true

- name: Forward, and keep a copy
  hosting.panel.panel_email:
    email: info@acme.example
    forwardings:
      - team@partner.example
    store_forwarded_emails: true

- name: Ask the panel for a new password
  hosting.panel.panel_email:
    email: info@acme.example
    regenerate_password: true
  register: mailbox
  no_log: true

- name: Delete a mailbox
  hosting.panel.panel_email:
    email: info@acme.example
    state: absent
"""

RETURN = r"""
email:
  description:
    - The mailbox after the task, without secrets, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - After a change of a field, what the panel derives from it, such as C(aliases_utf8), is left out. Set O(read_back=true) to read it again.
    - M(hosting.panel.panel_email_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 5
    id_user: 21
    email: info@acme.example
    max_size: 1073741824
    aliases: [office@acme.example]
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

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import EMAIL
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(EMAIL)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
