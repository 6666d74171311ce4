"""Certificates (facts.md section 8)."""

from __future__ import annotations

from typing import Any

from panel_simulator import pem
from panel_simulator.errors import Invalid
from panel_simulator.fields import Field, Members
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import check_owner
from panel_simulator.panel import Panel
from panel_simulator.store import Entry
from panel_simulator.values import Checked, ListOf, Number, Text


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
        pem.check_pair(components["certificate"], components["private_key"])
        data.update(pem.facts_of(components["certificate"]))


def _users(panel: Panel, entry: Entry) -> list[Entry]:
    return [domain for domain in panel.store.all("domains") if domain.data["security"]["id_certificate"] == entry.id]


def _deleting(panel: Panel, entry: Entry) -> None:
    for domain in _users(panel, entry):
        domain.data["security"]["id_certificate"] = 0
        panel.store.touch(domain)


def _show(panel: Panel, _entry: Entry, shown: dict[str, Any]) -> None:
    if not panel.settings.shows_private_keys:
        shown["components"] = {name: value for name, value in shown["components"].items() if name != "private_key"}


CERTIFICATES = Kind(
    name="certificates",
    noun="certificate",
    key="name",
    key_scope="certificate name",
    sorts=("id", "name"),
    fields=(
        Field("id_user", Number(least=0), default=0, note="0 is the system."),
        Field("name", Text(required=True), required=True),
        Field(
            "components",
            Members(
                (
                    Field(
                        "private_key",
                        Checked(pem.private_key),
                        default="",
                        note="Shown only with the setting shows_private_keys.",
                    ),
                    Field("csr", Text(), default="", access="ro", inferred=True),
                    Field("certificate", Checked(pem.certificate), default=""),
                    Field("ca_certificate", Checked(pem.chain), default=""),
                ),
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
