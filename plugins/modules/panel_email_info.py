#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_email_info
short_description: Read the mailboxes of a hosting panel
version_added: 1.0.0
description:
  - Reads all mailboxes with one request, or one of them by address or id. Passwords and their hashes are never returned.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  email:
    description:
      - Address of the mailbox to read, in punycode or UTF-8. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the mailbox to read, as an alternative to O(email). If it does not exist, the list is empty.
    type: int
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, email, email_utf8]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_email
"""

EXAMPLES = r"""
- name: Read all mailboxes
  hosting.panel.panel_email_info:
    sort: email
  register: panel

- name: List those above 1G
  ansible.builtin.debug:
    msg: "{{ panel.emails | selectattr('size', 'gt', 1073741824) | map(attribute='email') }}"

- name: Read one mailbox
  hosting.panel.panel_email_info:
    email: info@acme.example
"""

RETURN = r"""
emails:
  description: The mailboxes with all fields that the panel returns, except secrets, or an empty list.
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
    email:
      description: The address in punycode.
      type: str
    email_utf8:
      description: The address in UTF-8.
      type: str
    description:
      description: Note about the mailbox.
      type: str
    size:
      description: Bytes that the mailbox takes.
      type: int
    max_size:
      description: How many bytes the mailbox may take.
      type: int
    catch_all:
      description: Whether it gets the mail to addresses that do not exist.
      type: bool
    store_forwarded_emails:
      description: Whether forwarded mail is kept too.
      type: bool
    aliases:
      description: Other addresses, in punycode.
      type: list
      elements: str
    aliases_utf8:
      description: The same in UTF-8.
      type: list
      elements: str
    forwardings:
      description: Addresses that mail is forwarded to, in punycode.
      type: list
      elements: str
    forwardings_utf8:
      description: The same in UTF-8.
      type: list
      elements: str
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
  sample:
    - id: 5
      id_user: 21
      email: info@acme.example
      email_utf8: info@acme.example
      description: Reception
      size: 91226112
      max_size: 1073741824
      catch_all: false
      store_forwarded_emails: false
      aliases: [office@acme.example]
      forwardings: []
      status: 1
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import EMAIL
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(EMAIL)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
