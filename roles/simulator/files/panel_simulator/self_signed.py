# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m panel_simulator.self_signed: a certificate for trying HTTPS with the simulator."""

from __future__ import annotations

import argparse
import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from panel_simulator.state import write_atomically

CERTIFICATE = "certificate.pem"
PRIVATE_KEY = "private_key.pem"
VALIDITY = datetime.timedelta(days=825)


def make(name: str) -> tuple[str, str]:
    """Make a certificate for a host name or IP address, good as its own CA.

    Returns: the certificate and its private key, as PEM.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    # Signatures of its own, of certificates and of lists of revoked ones.
    usage = x509.KeyUsage(*(number in (0, 5, 6) for number in range(9)))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + VALIDITY)
        .add_extension(x509.SubjectAlternativeName([_make_general_name(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        # Python 3.13 and newer check certificates strictly and miss these in a CA's.
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private_key.decode()


def _make_general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def ensure(name: str, directory: Path) -> bool:
    """Write certificate.pem and private_key.pem unless both exist; return whether it did."""
    certificate_file = directory / CERTIFICATE
    key_file = directory / PRIVATE_KEY
    if certificate_file.exists() and key_file.exists():
        return False

    directory.mkdir(parents=True, exist_ok=True)
    certificate, key = make(name)
    write_atomically(key_file, key, mode=0o600)
    write_atomically(certificate_file, certificate)
    return True


def main(arguments: list[str] | None = None) -> None:
    """Write the two files of the command line's options, and print whether they are new."""
    parser = argparse.ArgumentParser(
        prog="python -m panel_simulator.self_signed", description=__doc__
    )
    parser.add_argument(
        "--name", required=True, help="host name or IP address that the certificate is for"
    )
    parser.add_argument(
        "--directory",
        required=True,
        type=Path,
        help=f"where {CERTIFICATE} and {PRIVATE_KEY} belong",
    )
    options = parser.parse_args(arguments)
    print("created" if ensure(options.name, options.directory) else "present")


if __name__ == "__main__":
    main()
