# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates (docs/panel_api.md#fields-of-certificates), whose parts are read with the standard
library alone."""

from __future__ import annotations

import datetime
import functools
import re
import ssl
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import PANEL_ZONE, Checked, Field, ListOf, Members, Number, Text
from panel_simulator.kinds.rules import check_owner
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Entry, Kind

_CERTIFICATES = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(
    r"-----BEGIN ((?:EC |RSA )?PRIVATE KEY)-----\s+M[A-Za-z0-9+/=\s]+?-----END \1-----"
)


def _read_private_key(text: str) -> str:
    if text.strip() and not _KEY.search(text):
        raise ValueError("is not an unencrypted private key in PEM.")
    return text


def _read_certificate(text: str) -> str:
    """Return a certificate, or a chain of them; raises ValueError when the text is none."""
    if not text.strip():
        return text

    try:
        for certificate in _split_chain(text):
            _decode(certificate)
    except (ValueError, ssl.SSLError) as error:
        raise ValueError("is not a certificate in PEM.") from error

    return text


def _split_chain(text: str) -> list[str]:
    """Return the certificates of a chain; the whole text if none is recognized."""
    return _CERTIFICATES.findall(text) or [text]


@functools.lru_cache(maxsize=1024)
def _is_pair(certificate: str, key: str) -> bool:
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(f"{key}\n{certificate}\n")
        file.flush()
        try:
            # Without a password, which would be asked for at the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(file.name, password="")
        except (ssl.SSLError, ValueError):
            return False

    return True


def _read_facts(certificate: str) -> dict[str, Any]:
    """Return what answers show about a certificate, which is the first of its chain."""
    decoded = _decode(_split_chain(certificate)[0])
    alternative_names = decoded.get("subjectAltName", ())
    domains = [value for name, value in alternative_names if name == "DNS"]
    issuer = list(_read_attributes(decoded.get("issuer", ())))
    issuer_names = _read_common_names(issuer) or [",".join(value for _name, value in issuer)]
    end = datetime.datetime.fromtimestamp(ssl.cert_time_to_seconds(decoded["notAfter"]), PANEL_ZONE)
    return {
        "secured_domains": domains
        or _read_common_names(_read_attributes(decoded.get("subject", ()))),
        "valid_till": end.isoformat(timespec="seconds"),
        "issuer": issuer_names[0],
    }


def _read_attributes(
    distinguished_name: Iterable[Iterable[tuple[str, str]]],
) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a subject or an issuer, such as ("commonName", "acme.example")."""
    for relative_name in distinguished_name:
        yield from relative_name


def _read_common_names(attributes: Iterable[tuple[str, str]]) -> list[str]:
    return [value for name, value in attributes if name == "commonName"]


@functools.lru_cache(maxsize=1024)
def _decode(text: str) -> dict[str, Any]:
    # The standard library reads a certificate of no connection only from a file, by a function of
    # its tests.
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(text)
        file.flush()
        decoded: dict[str, Any] = ssl._ssl._test_decode_cert(file.name)  # type: ignore[attr-defined]
        return decoded


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    components = data["components"]
    check_owner(panel, data["id_user"], system_allowed=True)

    for name in ("private_key", "certificate"):
        if not components[name]:
            raise Invalid(f"components.{name}: this member is required.")

    _check_update(panel, change)
    if change.entry is None or "components" in change.body:
        if not _is_pair(components["certificate"], components["private_key"]):
            raise Invalid("components.private_key: does not belong to the certificate.")
        data.update(_read_facts(components["certificate"]))


def _check_update(panel: Panel, change: Change) -> None:
    """Refuse a new certificate without its key on a panel that insists on both."""
    if change.entry is None or panel.settings["certificate_update"] != "needs_key":
        return

    written = change.body.get("components") or {}
    if written.get("certificate") and not written.get("private_key"):
        raise Invalid("components.private_key: this member is required with certificate.")


def _prepare_deletion(panel: Panel, entry: Entry) -> None:
    for domain in panel.store.list_all("domains"):
        if domain.data["security"]["id_certificate"] == entry.id:
            domain.data["security"]["id_certificate"] = 0
            panel.store.touch()


def _show(panel: Panel, fields: dict[str, Any]) -> None:
    if panel.settings["shows_private_keys"]:
        return

    components = dict(fields["components"])
    components.pop("private_key", None)
    fields["components"] = components


CERTIFICATES = Kind(
    name="certificates",
    noun="certificate",
    key="name",
    key_scope="certificate name",
    sorts=("id", "name"),
    fields=(
        # 0 is the system.
        Field("id_user", Number(least=0), default=0),
        Field("name", Text(required=True), required=True),
        Field(
            "components",
            Members(
                Field("private_key", Checked(_read_private_key), default=""),
                Field("csr", Text(), default="", access="ro", inferred=True),
                Field("certificate", Checked(_read_certificate), default=""),
                Field("ca_certificate", Checked(_read_certificate), default=""),
                keeps=frozenset({"private_key"}),
            ),
        ),
        Field("secured_domains", ListOf(Text()), access="ro"),
        Field("valid_till", Text(nullable=True), access="ro"),
        Field("issuer", Text(nullable=True), access="ro"),
    ),
    prepare=_prepare,
    deleting=_prepare_deletion,
    show=_show,
    notes={"delete": "That domains which use it fall back to none is inferred."},
)
