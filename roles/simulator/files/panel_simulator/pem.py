# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys that are uploaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.oid import ExtensionOID, NameOID

from panel_simulator.errors import Invalid
from panel_simulator.instants import PANEL_ZONE


def _loaded_by(load: Callable[[bytes], Any], what: str) -> Callable[[str], str]:
    """A check that refuses what cannot be loaded, and lets what is empty through."""

    def check(text: str) -> str:
        if text.strip():
            try:
                load(text.encode())
            except Exception as error:
                raise ValueError(f"is not {what} in PEM.") from error
        return text

    return check


private_key = _loaded_by(lambda data: load_pem_private_key(data, password=None), "an unencrypted private key")
certificate = _loaded_by(x509.load_pem_x509_certificate, "a certificate")
chain = _loaded_by(x509.load_pem_x509_certificates, "a certificate")


def check_pair(certificate_text: str, key_text: str) -> None:
    """Refuses a key that does not belong to the certificate."""
    key = load_pem_private_key(key_text.encode(), password=None)
    cert = x509.load_pem_x509_certificate(certificate_text.encode())
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if key.public_key().public_bytes(*form) != cert.public_key().public_bytes(*form):
        raise Invalid("components.private_key: does not belong to the certificate.")


def facts_of(certificate_text: str) -> dict[str, Any]:
    """What answers tell about a certificate."""
    cert = x509.load_pem_x509_certificate(certificate_text.encode())
    names = [str(item.value) for item in cert.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    try:
        alternatives = cert.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
        names = alternatives.get_values_for_type(x509.DNSName) or names  # type: ignore[attr-defined]
    except x509.ExtensionNotFound:
        pass
    issuers = cert.issuer.get_attributes_for_oid(NameOID.COMMON_NAME)
    return {
        "secured_domains": names,
        "valid_till": cert.not_valid_after_utc.astimezone(PANEL_ZONE).isoformat(timespec="seconds"),
        "issuer": str(issuers[0].value) if issuers else cert.issuer.rfc4514_string(),
    }
