"""Certificates (docs/panel_api.md#fields-of-certificates), whose parts are read with the standard
library alone."""

from __future__ import annotations

import datetime
import functools
import re
import ssl
import tempfile
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


def _private_key(text: str) -> str:
    if text.strip() and not _KEY.search(text):
        raise ValueError("is not an unencrypted private key in PEM.")
    return text


def _certificate(text: str) -> str:
    """A certificate, or a chain of them."""
    try:
        for one in _CERTIFICATES.findall(text) or [text] if text.strip() else []:
            _decoded(one)
    except (ValueError, ssl.SSLError) as error:
        raise ValueError("is not a certificate in PEM.") from error
    return text


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


def _facts_of(certificate: str) -> dict[str, Any]:
    """What answers tell about a certificate."""
    found = _decoded((_CERTIFICATES.findall(certificate) or [certificate])[0])
    names = [value for name, value in found.get("subjectAltName", ()) if name == "DNS"]
    subject, issuer = (
        [value for part in found.get(whose, ()) for name, value in part if name == "commonName"]
        for whose in ("subject", "issuer")
    )
    end = datetime.datetime.fromtimestamp(ssl.cert_time_to_seconds(found["notAfter"]), PANEL_ZONE)
    return {
        "secured_domains": names or subject,
        "valid_till": end.isoformat(timespec="seconds"),
        "issuer": issuer[0]
        if issuer
        else ",".join(value for part in found.get("issuer", ()) for _n, value in part),
    }


@functools.lru_cache(maxsize=1024)
def _decoded(text: str) -> dict[str, Any]:
    # The standard library reads a certificate of no connection only from a file, by a function of its own tests.
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(text)
        file.flush()
        decoded: dict[str, Any] = ssl._ssl._test_decode_cert(file.name)  # type: ignore[attr-defined]
        return decoded


def _prepare(panel: Panel, change: Change) -> None:
    data, components = change.data, change.data["components"]
    check_owner(panel, data["id_user"], system_allowed=True)
    for name in ("private_key", "certificate"):
        if not components[name]:
            raise Invalid(f"components.{name}: this member is required.")
    given = change.body.get("components") or {}
    has_no_key = bool(given.get("certificate")) and not given.get("private_key")
    if change.entry is not None and has_no_key and panel.settings.certificate_update == "needs_key":
        raise Invalid("components.private_key: this member is required with certificate.")
    if change.entry is None or "components" in change.body:
        if not _is_pair(components["certificate"], components["private_key"]):
            raise Invalid("components.private_key: does not belong to the certificate.")
        data.update(_facts_of(components["certificate"]))


def _deleting(panel: Panel, entry: Entry) -> None:
    for domain in panel.store.all("domains"):
        if domain.data["security"]["id_certificate"] == entry.id:
            domain.data["security"]["id_certificate"] = 0
            panel.store.touch()


def _show(panel: Panel, shown: dict[str, Any]) -> None:
    if not panel.settings.shows_private_keys:
        shown["components"] = {
            name: value for name, value in shown["components"].items() if name != "private_key"
        }


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
                Field("private_key", Checked(_private_key), default=""),
                Field("csr", Text(), default="", access="ro", inferred=True),
                Field("certificate", Checked(_certificate), default=""),
                Field("ca_certificate", Checked(_certificate), default=""),
                keeps=frozenset({"private_key"}),
            ),
        ),
        Field("secured_domains", ListOf(Text()), access="ro"),
        Field("valid_till", Text(nullable=True), access="ro"),
        Field("issuer", Text(nullable=True), access="ro"),
    ),
    prepare=_prepare,
    deleting=_deleting,
    show=_show,
    notes={"delete": "That domains which use it fall back to none is inferred."},
)
