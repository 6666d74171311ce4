# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_certificate_request
short_description: "Part of the role hosting.panel.certificate: write a certificate signing request"
version_added: 1.0.0
description:
  - Writes a certificate signing request for some names and signs it with a private key. Each time
    it is another text.
  - The role P(hosting.panel.certificate#role) uses this filter for each order. A module would start
    a process for each of them.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, names
options:
  _input: {description: The private key in PEM., type: str, required: true}
  names:
    description: The names that the certificate is for, in punycode. A name can be a wildcard.
    type: list
    elements: str
    required: true
requirements:
  - cryptography, which ansible-core installs
"""

EXAMPLES = r"""
- name: Order a certificate
  community.crypto.acme_certificate:
    acme_directory: https://acme-v02.api.letsencrypt.org/directory
    account_key_src: account.pem
    modify_account: false
    challenge: dns-01
    csr_content: >-
      {{ key | hosting.panel.panel_certificate_request(['acme.example', '*.acme.example']) }}
    fullchain_dest: acme.pem
"""

RETURN = r"""
_value:
  description: The request in PEM.
  type: str
  sample: "-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n"
"""

from collections.abc import Iterable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_certificate_request(key: str, names: Iterable[str]) -> str:
    """Write and sign a certificate signing request; raises AnsibleFilterError."""
    try:  # here, since Ansible loads every filter of a collection to find one
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
    except ImportError as error:
        message = "hosting.panel.panel_certificate_request needs the Python library cryptography."
        raise AnsibleFilterError(message) from error

    try:
        private: Any = serialization.load_pem_private_key(str(key).encode(), None)
    except (ValueError, TypeError):
        # The error's own text might show something of the key.
        message = "hosting.panel.panel_certificate_request: this is no private key in PEM."
        raise AnsibleFilterError(message) from None

    alternatives = x509.SubjectAlternativeName([x509.DNSName(str(name)) for name in names])
    builder = x509.CertificateSigningRequestBuilder(x509.Name([]))
    builder = builder.add_extension(alternatives, critical=False)
    request = builder.sign(private, hashes.SHA256())
    return request.public_bytes(serialization.Encoding.PEM).decode()


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_certificate_request": with_checked_arguments(
                panel_certificate_request, DOCUMENTATION
            )
        }
