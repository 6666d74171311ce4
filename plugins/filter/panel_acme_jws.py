# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_acme_jws
short_description:
  "Part of the role hosting.panel.certificate: sign a request to a certificate authority"
version_added: 1.0.0
description:
  - Signs the content of a request (RFC 8555, section 6.2) with the key of an account, for
    M(ansible.builtin.uri).
  - The role P(hosting.panel.certificate#role) uses it to show why an authority refuses an order.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, key, account, url, nonce
options:
  _input: {description: "The content of the request.", type: dict, required: true}
  key:
    description: The private key of the account in PEM, on the curve P-256.
    type: str
    required: true
  account: {description: "The address of the account.", type: str, required: true}
  url: {description: "The address that the request goes to.", type: str, required: true}
  nonce: {description: "A fresh nonce of the authority.", type: str, required: true}
requirements:
  - cryptography, which ansible-core installs
"""

EXAMPLES = r"""
- name: Ask for an order
  ansible.builtin.uri:
    url: "{{ url }}"
    method: POST
    headers: {Content-Type: application/jose+json}
    body_format: json
    body: >-
      {{ {'identifiers': [{'type': 'dns', 'value': 'acme.example'}]}
      | hosting.panel.panel_acme_jws(key, account, url, nonce) }}
"""

RETURN = r"""
_value:
  description: The signed request, with C(protected), C(payload) and C(signature).
  type: dict
  sample:
    protected: eyJhbGciOiAiRVMyNTYifQ
    payload: eyJpZGVudGlmaWVycyI6IFtdfQ
    signature: MEUCIQ
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_acme_jws(
    content: Mapping[str, Any], key: str, account: str, url: str, nonce: str
) -> dict[str, str]:
    """Sign a request to a certificate authority; raises AnsibleFilterError."""
    try:
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
    except ImportError:
        message = "hosting.panel.panel_acme_jws needs the Python library cryptography."
        raise AnsibleFilterError(message) from None

    try:
        private: Any = serialization.load_pem_private_key(str(key).encode(), None)
    except (ValueError, TypeError):
        private = None  # the error's text might show something of the key
    is_elliptic = isinstance(private, ec.EllipticCurvePrivateKey)
    if not is_elliptic or not isinstance(private.curve, ec.SECP256R1):
        raise AnsibleFilterError(
            "hosting.panel.panel_acme_jws: key has to be a private key in PEM, on the curve P-256."
        )

    header = {"alg": "ES256", "kid": str(account), "nonce": str(nonce), "url": str(url)}
    protected = _encode(json.dumps(header).encode())
    payload = _encode(json.dumps(dict(content)).encode())
    signed = private.sign(f"{protected}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
    # RFC 7518, section 3.4, has the two numbers of the signature as they are, one after the other.
    numbers = utils.decode_dss_signature(signed)
    signature = b"".join(number.to_bytes(32, "big") for number in numbers)
    return {"protected": protected, "payload": payload, "signature": _encode(signature)}


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {"panel_acme_jws": with_checked_arguments(panel_acme_jws, DOCUMENTATION)}
