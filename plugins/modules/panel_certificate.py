#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_certificate
short_description: Manage the certificates of a hosting panel
version_added: 1.0.0
description:
  - Uploads, changes, renames and deletes certificates. For Let's Encrypt, set
    O(hosting.panel.panel_domain#module:security.lets_encrypt).
  - Only the options that you set are managed.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_extra
options:
  name:
    description:
      - Name of the certificate on the panel, spaces allowed.
      - Either this or O(id) is required.
    type: str
  new_name:
    description:
      - New name of the certificate O(name). If only a certificate with the new name exists, the task does not rename it.
      - If neither exists, the task creates one with the new name. If both exist, the task fails and writes nothing.
    type: str
  client:
    description:
      - Name of the client that owns the certificate. If you omit it on creation, or if it is empty, the server owns it.
      - The owner of an existing certificate can change.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client). V(0) is the server itself.
    type: int
  components:
    description:
      - The parts of the certificate in PEM, managed field by field. V({}) is an error.
      - A new certificate needs O(components.certificate) and O(components.private_key).
      - The module compares the blocks in their order, since servers send a chain in that order. Line ends, indentation, line lengths, empty lines
        and text around the blocks make no difference. It sends the blocks again in lines of 64 characters.
      - The panel checks that the key belongs to the certificate.
    type: dict
    suboptions:
      private_key:
        description:
          - One private key in PEM, without a passphrase.
          - If the panel does not show it, the module sends it only when another part changes.
        type: str
      certificate:
        description: The certificate in PEM.
        type: str
      ca_certificate:
        description: Intermediate certificates in PEM. An empty string clears them.
        type: str
      csr:
        description: Ignored. It is accepted because M(hosting.panel.panel_certificate_info) returns it.
        type: raw
notes:
  - A task costs one request, one for each object that it refers to, and one to write.
  - 'A new certificate needs its key. Without it the task fails with C(components.private_key: missing).'
seealso:
  - module: hosting.panel.panel_certificate_info
  - module: hosting.panel.panel_domain
"""

EXAMPLES = r"""
- name: Upload a certificate, or renew it
  hosting.panel.panel_certificate:
    name: acme 2026
    client: acme
    components:
      private_key: "{{ lookup('ansible.builtin.file', 'acme.example.key') }}"
      certificate: "{{ lookup('ansible.builtin.file', 'acme.example.crt') }}"
      ca_certificate: "{{ lookup('ansible.builtin.file', 'ca.crt') }}"

- name: Use it for a domain
  hosting.panel.panel_domain:
    domain: acme.example
    client: acme
    security:
      certificate: acme 2026

- name: Rename it; domains keep it
  hosting.panel.panel_certificate:
    name: acme 2026
    new_name: acme

- name: Delete it
  hosting.panel.panel_certificate:
    name: acme
    state: absent
"""

RETURN = r"""
certificate:
  description:
    - The certificate after the task, without the private key, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_certificate_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 4
    name: acme 2026
    id_user: 21
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CERTIFICATE
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(CERTIFICATE)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
