# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes certificates of those of sites, each checked against its key."""

from __future__ import annotations

from typing import Any

from ....module_utils._problems import as_sentence
from ....module_utils._values.pem import CERTIFICATE_LABEL, PRIVATE_KEY_LABEL, Pem, read_blocks
from ....module_utils._values.value_types import WrongValue
from ..._import_source.source_shape import Certificate
from ..import_ledger import Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item, Secret

KIND = "certificates"
_CERTIFICATE = Pem(CERTIFICATE_LABEL)
_KEY = Pem(PRIVATE_KEY_LABEL)
_NO_KEY = "The source has no private key of it."
_ANOTHER_KEY = "Its private key belongs to another certificate."
_UNREADABLE = "The {} cannot be read: {}"
_NO_LIBRARY = (
    "Only the Python library cryptography on the controller could check it against its key."
)
_DAMAGED = "It is damaged."
_SKIPPED = "mapping.skip names certificates."


def map_certificate(
    ledger: Ledger, customer: str, domain: str, certificate: Certificate, skips: bool
) -> str | None:
    """Add the certificate of a site to the folder.

    Args:
        ledger: Gets the item, and what became of the row.
        customer: The owner, by the username of the source.
        domain: The site, whose name the certificate gets.
        certificate: The certificate.
        skips: Whether the folder gets no certificates.

    Returns:
        Its name; None where it is left out.
    """
    row = RowName(customer, KIND, domain, certificate.origin)
    reason = _SKIPPED if skips else find_problem(certificate)
    if reason:
        ledger.leave_out(row, reason)
        return None

    components: dict[str, Any] = {"certificate": _CERTIFICATE.parse(certificate.certificate)}
    authority = _read_authority(ledger, row, certificate.ca_certificate)
    if authority:
        components["ca_certificate"] = authority
    components["private_key"] = Secret(_KEY.parse(certificate.private_key))
    item: Item = {
        "name": domain,
        "client": ledger.usernames[customer],
        "components": components,
    }
    if place_item(ledger, [row], item, domain) is None:
        return None
    return domain


def _read_authority(ledger: Ledger, row: RowName, text: str) -> str:
    """Return the certificates of the authority; empty where there are none that can be read."""
    if not text.strip():
        return ""
    reason = _find_pem_problem("certificate of the authority", _CERTIFICATE, text)
    if reason:
        ledger.leave_field(row, "components.ca_certificate", reason)
        return ""
    authority: str = _CERTIFICATE.parse(text)
    return authority


def find_problem(certificate: Certificate) -> str:
    """Return why a certificate cannot be used with its key; empty where it can."""
    if not certificate.private_key.strip():
        return _NO_KEY
    reason = _find_pem_problem("certificate", _CERTIFICATE, certificate.certificate)
    reason = reason or _find_pem_problem("private key", _KEY, certificate.private_key)
    return reason or _compare_with_key(certificate)


def _find_pem_problem(name: str, pem: Pem, text: str) -> str:
    """Return why a text in PEM cannot be read, in words that show nothing of it."""
    try:
        pem.parse(text)
    except WrongValue as error:
        return _UNREADABLE.format(name, as_sentence(error.problem))
    except ValueError:
        return _UNREADABLE.format(name, f"it is no {pem.form}.")
    return ""


def _compare_with_key(certificate: Certificate) -> str:
    """Return why a key is not that of a certificate; empty where it is."""
    try:
        from cryptography import x509  # noqa: PLC0415 - few imports hold a certificate
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
            Encoding,
            PublicFormat,
            load_der_private_key,
            load_pem_private_key,
        )
    except ImportError:
        return _NO_LIBRARY

    # What the library raises for bytes that are none, or of a form that it does not know.
    damage = (ValueError, TypeError, LookupError, UnsupportedAlgorithm, x509.InvalidVersion)
    try:
        content = read_blocks(_CERTIFICATE.parse(certificate.certificate))[0].content
        public = x509.load_der_x509_certificate(content).public_key()
        key_text = _KEY.parse(certificate.private_key)
        try:
            key = load_pem_private_key(key_text.encode(), None)
        except ValueError:
            key = load_der_private_key(read_blocks(key_text)[0].content, None)
        forms = [
            candidate.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            for candidate in (public, key.public_key())
        ]
    except damage:
        return _DAMAGED
    return "" if forms[0] == forms[1] else _ANOTHER_KEY
