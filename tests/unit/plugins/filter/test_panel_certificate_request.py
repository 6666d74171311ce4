"""hosting.panel.panel_certificate_request asks for exactly the names that it is given, with the key that it is given."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ansible_collections.hosting.panel.plugins.filter.panel_certificate_request import panel_certificate_request
from tests.support import pem

KEY = pem.texts()["one.private_key"]


def test_the_request_has_the_names_and_is_signed_with_the_key() -> None:
    request = x509.load_pem_x509_csr(panel_certificate_request(KEY, ["acme.example", "*.acme.example"]).encode())
    names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["acme.example", "*.acme.example"]
    assert request.is_signature_valid
    assert request.public_key() == load_pem_private_key(KEY.encode(), None).public_key()


def test_what_is_no_key_is_refused_without_being_shown() -> None:
    with pytest.raises(AnsibleFilterError, match="this is no private key in PEM") as error:
        panel_certificate_request("geheim", ["acme.example"])
    assert "geheim" not in str(error.value)
