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
  - Uploads, changes, renames and deletes certificates. Certificates from Let's Encrypt are the panel's own business, see
    O(hosting.panel.panel_domain#module:security.lets_encrypt).
  - Only the options that a task names are managed; an omitted option is left as it is.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.resource, hosting.panel.attributes, hosting.panel.attributes.idempotent]
options:
  name:
    description:
      - Name of the certificate on the panel, spaces allowed.
      - Either this or O(id) is required.
    type: str
  new_name:
    description:
      - Name that the certificate called O(name) gets. When it has that name already, nothing is renamed.
      - When there is neither a certificate with the old nor one with the new name, one with the new name is created.
      - When there are both, the task fails and writes nothing.
    type: str
  client:
    description:
      - Name of the client that the certificate belongs to. When it is omitted on creation, or empty, it belongs to the server itself.
      - Another owner than the certificate has is set.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client). V(0) is the server itself.
    type: int
  components:
    description:
      - The parts of the certificate in PEM, managed field by field. V({}) is an error.
      - Certificate and key are needed to create a certificate.
      - They are compared by their content; line ends, line lengths and lines of text around the PEM blocks make no difference.
      - Whether the key belongs to the certificate is checked by the panel.
    type: dict
    suboptions:
      private_key:
        description:
          - The private key in PEM, without a passphrase.
          - Where the panel does not show it, it counts as unchanged while the certificate is unchanged, and is sent with a new certificate.
        type: str
      certificate:
        description: The certificate in PEM.
        type: str
      ca_certificate:
        description: The certificates of the authorities between it and the root in PEM, one or more. An empty text clears them.
        type: str
      csr:
        description: Shown by the panel only. It is accepted, so that what M(hosting.panel.panel_certificate_info) returns can be given, and ignored.
        type: raw
notes:
  - A task costs one request, one more for each other object that it names, and one to write.
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
    - The certificate as the panel has it after the task, without the private key; V(null) when it is absent.
    - After a creation it holds what was sent, and the id.
    - M(hosting.panel.panel_certificate_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 4
    name: acme 2026
    id_user: 21
error:
  description: What failed, for playbooks that branch on it.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import CERTIFICATE
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = resource_operation(CERTIFICATE)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
