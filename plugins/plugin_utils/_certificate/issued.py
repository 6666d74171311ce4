# SPDX-License-Identifier: GPL-3.0-or-later
"""What an authority issued, compared with what was ordered of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...module_utils._values.pem import read_blocks
from ...module_utils._values.value_types import WrongValue


def describe_misfit(pem: str, key: str, names: Iterable[str]) -> str:
    """Say why an issued certificate is not the one that was ordered; empty if it is.

    Args:
        pem: The certificate, and the chain behind it.
        key: The private key that it was ordered with, in PEM.
        names: The names that it was ordered for, in punycode.
    """
    # The role certificate alone needs cryptography.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        blocks = read_blocks(str(pem))
        (certificate, *_chain) = [x509.load_der_x509_certificate(block.content) for block in blocks]
    except (ValueError, WrongValue):
        return "the authority issued a certificate that cannot be read."
    private_key: Any = load_pem_private_key(str(key).encode(), None)
    if certificate.public_key() != private_key.public_key():
        return "the authority issued a certificate for another key."

    missing = sorted(set(names) - _list_names(certificate))
    if missing:
        return f"the authority issued a certificate without {', '.join(missing)}."
    return ""


def _list_names(certificate: Any) -> set[str]:
    """Return the domain names of a certificate of x509, in punycode, perhaps with wildcards."""
    from cryptography import x509  # noqa: PLC0415

    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return set()
    return {name.lower() for name in extension.value.get_values_for_type(x509.DNSName)}
