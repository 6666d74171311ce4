#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_certificate_info
short_description: Read the certificates of a hosting panel
version_added: 1.0.0
description:
  - Reads all certificates with one request, or one of them by name or id. Private keys are never returned.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  name:
    description:
      - Name of the certificate to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the certificate to read, as an alternative to O(name). If it does not exist, the list is empty.
    type: int
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, name]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_certificate
"""

EXAMPLES = r"""
- name: Read all certificates
  hosting.panel.panel_certificate_info:
    sort: name
  register: panel

- name: Show when each expires
  ansible.builtin.debug:
    msg: "{{ panel.certificates | ansible.builtin.items2dict(key_name='name', value_name='valid_till') }}"
"""

RETURN = r"""
certificates:
  description: The certificates with all fields that the panel returns, except private keys, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    name:
      description: Name of the certificate.
      type: str
    id_user:
      description: Id of the client that it belongs to; V(0) for the server itself.
      type: int
    components:
      description: The parts in PEM, without the private key.
      type: dict
    secured_domains:
      description: Names that the certificate is for.
      type: list
      elements: str
    valid_till:
      description: When it expires, or V(null).
      type: str
    issuer:
      description: Who signed it, or V(null).
      type: str
  sample:
    - id: 3
      name: acme 2026
      id_user: 21
      components:
        certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        ca_certificate: ""
      secured_domains: [acme.example]
      valid_till: "2027-02-19T12:00:00+00:00"
      issuer: Example Authority
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CERTIFICATE
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(CERTIFICATE)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
