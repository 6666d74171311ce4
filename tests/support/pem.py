"""Certificates and keys for tests, made anew in every run."""

from __future__ import annotations

import datetime
import ipaddress
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@cache
def make_texts() -> dict[str, str]:
    """Return PEM texts by name.

    Two pairs ``one`` and ``two``, ``one.renewed`` for the key of ``one``, and
    ``authority.certificate``.
    """
    key_one, two, authority = (ec.generate_private_key(ec.SECP256R1()) for _number in range(3))
    pems = {
        "one.private_key": encode_key(key_one),
        "one.certificate": make_self_signed_certificate(key_one, "one.example", days=365),
        "one.renewed": make_self_signed_certificate(key_one, "one.example", days=730),
        "two.private_key": encode_key(two),
        "two.certificate": make_self_signed_certificate(two, "two.example", days=365),
        "authority.certificate": make_self_signed_certificate(
            authority, "authority.example", days=365
        ),
    }

    return {name: text.decode() for name, text in pems.items()}


_PEM = serialization.Encoding.PEM


class Authority:
    """``file`` is its own certificate, for ca_path."""

    def __init__(self, folder: Path, name: str = "authority of a test") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _make_name(name)
        builder = _make_builder(self._name, self._name, self._key.public_key(), days=20)
        builder = builder.add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        builder = builder.add_extension(_make_key_usage(is_authority=True), critical=True)
        self._identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = builder.add_extension(self._identifier, critical=False).sign(
            self._key, hashes.SHA256()
        )
        self.file = folder / f"{name.replace(' ', '-')}.pem"
        self.file.write_bytes(certificate.public_bytes(_PEM))

    def issue(self, *names: str, days: int = 10) -> tuple[Path, Path]:
        """Issue a certificate for names and addresses, and return its file and that of its key.

        days: for so many more days it is valid; less than none: it has expired.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _make_builder(_make_name("panel of a test"), self._name, key.public_key(), days)
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_make_general_name(name) for name in names]),
            critical=False,
        )
        builder = builder.add_extension(
            x509.BasicConstraints(ca=False, path_length=None), critical=True
        )
        builder = builder.add_extension(_make_key_usage(is_authority=False), critical=True)
        builder = builder.add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
        # Python 3.13 and newer check certificates strictly and miss these.
        issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._identifier)
        builder = builder.add_extension(issuer, critical=False)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        )
        certificate_file, key_file = (
            self._folder / f"{names[0].replace(':', '_')}-{days}.{kind}" for kind in ("pem", "key")
        )
        certificate_file.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(_PEM))
        key_file.write_bytes(encode_key(key))

        return certificate_file, key_file


def make_self_signed_certificate(key: ec.EllipticCurvePrivateKey, *names: str, days: int) -> bytes:
    """Return a certificate in PEM for names and addresses, valid for so many more days.

    Less than none: it has expired.
    """
    subject = _make_name(names[0])
    builder = _make_builder(subject, subject, key.public_key(), days)
    builder = builder.add_extension(
        x509.SubjectAlternativeName([_make_general_name(name) for name in names]), critical=False
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)

    return builder.sign(key, hashes.SHA256()).public_bytes(_PEM)


def encode_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a key as a PEM text."""
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def _make_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _make_builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(
        now - datetime.timedelta(days=30)
    )

    return builder.not_valid_after(now + datetime.timedelta(days=days))


def _make_general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _make_key_usage(is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
