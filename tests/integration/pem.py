# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys for tests, made anew in every run."""

from __future__ import annotations

import datetime
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@cache
def texts() -> dict[str, str]:
    """PEM texts by name: two pairs ``one`` and ``two``, ``one.renewed`` for the key of ``one``, and ``authority.certificate``."""
    one, two, authority = (ec.generate_private_key(ec.SECP256R1()) for _number in range(3))
    return {
        "one.private_key": _key(one),
        "one.certificate": _certificate(one, "one.example"),
        "one.renewed": _certificate(one, "one.example", days=730),
        "two.private_key": _key(two),
        "two.certificate": _certificate(two, "two.example"),
        "authority.certificate": _certificate(authority, "authority.example"),
    }


def _key(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def _certificate(key: ec.EllipticCurvePrivateKey, name: str, days: int = 365) -> str:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now)
    builder = builder.not_valid_after(now + datetime.timedelta(days=days))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
