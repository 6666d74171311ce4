"""Certificates and keys that are uploaded, read with the standard library alone."""

from __future__ import annotations

import base64
import datetime
import functools
import re
import ssl
import tempfile
from pathlib import Path
from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.instants import PANEL_ZONE

_CERTIFICATES = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(r"-----BEGIN ((?:EC |RSA )?PRIVATE KEY)-----\s+([A-Za-z0-9+/=\s]+?)-----END \1-----")
_SEQUENCE = 0x30


def private_key(text: str) -> str:
    """A check that lets what is empty through."""
    if text.strip():
        found = _KEY.search(text)
        try:
            is_key = found is not None and base64.b64decode(found[2])[0] == _SEQUENCE
        except (ValueError, IndexError):
            is_key = False
        if not is_key:
            raise ValueError("is not an unencrypted private key in PEM.")
    return text


def certificate(text: str) -> str:
    """The same for a certificate, or a chain of them."""
    if text.strip():
        try:
            for one in _CERTIFICATES.findall(text) or [text]:
                _decoded(one)
        except (ValueError, ssl.SSLError) as error:
            raise ValueError("is not a certificate in PEM.") from error
    return text


chain = certificate


def check_pair(certificate_text: str, key_text: str) -> None:
    """Refuses a key that does not belong to the certificate."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("certificate", "key")]
        for path, text in zip(paths, (certificate_text, key_text), strict=True):
            path.touch(mode=0o600)
            path.write_text(text, encoding="utf-8")
        try:
            # Without a password, which would be asked for at the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(paths[0], paths[1], password="")
        except (ssl.SSLError, ValueError) as error:
            raise Invalid("components.private_key: does not belong to the certificate.") from error


def facts_of(certificate_text: str) -> dict[str, Any]:
    """What answers tell about a certificate."""
    found = _decoded((_CERTIFICATES.findall(certificate_text) or [certificate_text])[0])
    names = [value for name, value in found.get("subjectAltName", ()) if name == "DNS"]
    subject, issuer = (
        [value for part in found.get(whose, ()) for name, value in part if name == "commonName"]
        for whose in ("subject", "issuer")
    )
    end = datetime.datetime.fromtimestamp(ssl.cert_time_to_seconds(found["notAfter"]), PANEL_ZONE)
    return {
        "secured_domains": names or subject,
        "valid_till": end.isoformat(timespec="seconds"),
        "issuer": issuer[0] if issuer else ",".join(value for part in found.get("issuer", ()) for _n, value in part),
    }


@functools.lru_cache(maxsize=1024)
def _decoded(text: str) -> dict[str, Any]:
    # The standard library reads a certificate of no connection only from a file, by a function of its own tests.
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(text)
        file.flush()
        decoded: dict[str, Any] = ssl._ssl._test_decode_cert(file.name)  # type: ignore[attr-defined]
        return decoded
