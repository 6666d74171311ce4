"""hosting.panel.panel_acme_jws signs a request to an authority as RFC 8555 has it."""

from __future__ import annotations

import base64
import json

import pytest
from ansible.errors import AnsibleFilterError
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from ansible_collections.hosting.panel.plugins.filter.panel_acme_jws import panel_acme_jws
from tests.support.pem import key_pem

KEY = ec.generate_private_key(ec.SECP256R1())


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_signature_is_that_of_the_key() -> None:
    done = panel_acme_jws({"a": 1}, key_pem(KEY).decode(), "https://ca/acct/1", "https://ca/order", "nonce")
    assert json.loads(decoded(done["protected"])) == {
        "alg": "ES256",
        "kid": "https://ca/acct/1",
        "nonce": "nonce",
        "url": "https://ca/order",
    }
    assert json.loads(decoded(done["payload"])) == {"a": 1}
    raw = decoded(done["signature"])
    numbers = (int.from_bytes(part, "big") for part in (raw[:32], raw[32:]))
    text = f"{done['protected']}.{done['payload']}".encode()
    KEY.public_key().verify(utils.encode_dss_signature(*numbers), text, ec.ECDSA(hashes.SHA256()))


@pytest.mark.parametrize("key", ["geheim", key_pem(ec.generate_private_key(ec.SECP384R1())).decode()])
def test_another_key_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(AnsibleFilterError, match="has to be a private key in PEM, on the curve P-256") as raised:
        panel_acme_jws({}, key, "", "", "")
    assert key not in str(raised.value)
