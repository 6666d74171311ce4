# SPDX-License-Identifier: GPL-3.0-or-later
"""Main domains, subdomains and system domains (docs/panel_api.md#fields-of-domains), and the
filters of their list (docs/panel_api.md#domain-filters)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from panel_simulator import zones
from panel_simulator.addresses import decode_domain, encode_domain
from panel_simulator.calls import Invalid
from panel_simulator.fields import (
    DOMAIN_NAME,
    Field,
    Flag,
    Instant,
    Members,
    Number,
    Text,
    format_now,
)
from panel_simulator.kinds.rules import check_limits, check_owner, check_ready
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Entry, Kind

SCOPE = "domain"
_SELECTOR = Text(pattern=r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", longest=63, required=True)
_OF_MAIN_DOMAINS = ("create_www_subdomain", "is_email_domain", "is_dns_disabled")


def is_main(data: Mapping[str, Any]) -> bool:
    """Return whether a domain is neither a subdomain nor a system domain."""
    return not data["is_subdomain"] and not data["is_system_domain"]


def has_zone(panel: Panel, data: Mapping[str, Any]) -> bool:
    """Return whether a domain has a separate zone: main domains do, subdomains only on a panel that
    differs from docs/panel_api.md#zones-of-subdomains.
    """
    return is_main(data) or (panel.settings["subdomain_zones"] == "own" and data["is_subdomain"])


def find_filter(data: Mapping[str, Any]) -> str:
    """Return the name of the list filter that a domain falls under."""
    if data["is_system_domain"]:
        return "system_domains"
    if data["is_subdomain"]:
        return "subdomains"
    return "main_domains"


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    if change.entry is None:
        _prepare_new(panel, change)
    else:
        _prepare_subdomain(panel, change)

    versions = panel.settings["php_versions"]
    if data["php_version"] and data["php_version"] not in versions:
        known_versions = ", ".join(versions)
        raise Invalid(f"php_version: must be empty for the default, or one of {known_versions}.")

    _prepare_target(data)
    _prepare_security(panel, change)
    if is_main(data):
        hidden = change.entry.hidden if change.entry else change.hidden
        data["dkim_record"] = zones.make_dkim_record(data["dkim_selector"], hidden["dkim_secret"])


def _prepare_new(panel: Panel, change: Change) -> None:
    data = change.data
    name = data["domain"]
    check_owner(panel, data["id_user"])
    data["is_subdomain"] = data["id_parent_domain"] != 0
    data["is_system_domain"] = change.is_internal and not data["is_subdomain"]
    if not change.is_internal:
        check_ready(panel, data["id_user"])
        _check_prohibited(panel, name)

    if data["is_subdomain"]:
        _check_parent(panel, data)

    _prepare_subdomain(panel, change)
    if data["is_email_domain"] is None:
        data["is_email_domain"] = is_main(data)

    data["domain_utf8"] = decode_domain(name)
    data["created_at"] = format_now()
    change.hidden["dkim_secret"] = secrets.token_hex(16)
    _check_counts(panel, change)


def _check_prohibited(panel: Panel, name: str) -> None:
    for prohibited in panel.settings["prohibited_domains"]:
        if f".{name}".endswith(f".{prohibited}"):
            raise Invalid(f"domain: {name} is a prohibited domain.")


def _prepare_subdomain(panel: Panel, change: Change) -> None:
    """Refuse or ignore what a subdomain's body says that is for main domains only."""
    treatment = panel.settings["subdomain_members"]
    if is_main(change.data) or treatment == "accepted":
        return

    for name in _OF_MAIN_DOMAINS:
        if name not in change.body:
            continue
        if treatment == "refused":
            raise Invalid(f"{name}: is for main domains only.")
        change.flags.pop(name, None)
        if name in change.data:
            change.data[name] = bool(change.get_old(name))


def _check_parent(panel: Panel, data: Mapping[str, Any]) -> None:
    parent = panel.store.get("domains", data["id_parent_domain"])
    if parent is None:
        raise Invalid(
            f"id_parent_domain: there is no domain with the id {data['id_parent_domain']}."
        )
    if not data["domain"].endswith(f".{parent.data['domain']}"):
        raise Invalid(
            f"domain: {data['domain']} is not below its parent domain {parent.data['domain']}."
        )
    if parent.data["id_user"] != data["id_user"]:
        raise Invalid("id_parent_domain: the parent domain belongs to another client.")


def _check_counts(panel: Panel, change: Change) -> None:
    data = change.data
    if data["is_system_domain"]:
        return

    counts = {"subdomains": 1} if data["is_subdomain"] else {"domains": 1}
    if change.flags.get("create_www_subdomain"):
        # Whether the www subdomain counts is unknown; here it does.
        counts["subdomains"] = 1
        www = f"www.{data['domain']}"
        if panel.store.claims.get((SCOPE, www)):
            raise Invalid(f"create_www_subdomain: the domain {www} is already in use.")

    check_limits(panel, data["id_user"], counts)


def _prepare_target(data: dict[str, Any]) -> None:
    target = dict(data["target"])
    if not target["target"]:
        target["target"] = f"/{data['domain']}/"
    target["is_forwarding"] = "://" in target["target"]
    data["target"] = target


def _prepare_security(panel: Panel, change: Change) -> None:
    security = change.data["security"]
    written = change.body.get("security") or {}
    number = security["id_certificate"]
    is_written = change.entry is None or bool(written.get("id_certificate"))
    if number and is_written:
        _check_certificate(panel, number, change.data["id_user"])

    if number and security["lets_encrypt"]:
        _choose_certificate(panel, security, written)


def _choose_certificate(panel: Panel, security: dict[str, Any], written: Mapping[str, Any]) -> None:
    """Settle what has both an uploaded certificate and Let's Encrypt, as this panel does it."""
    form = panel.settings["certificate_choice"]
    if form == "both":
        return

    writes_both = written.get("id_certificate") and written.get("lets_encrypt")
    if form == "refused" or writes_both:
        raise Invalid("security.lets_encrypt: excludes id_certificate.")

    # The panel's form has one choice of three: the new one takes the place of the old one.
    if written.get("lets_encrypt"):
        security["id_certificate"] = 0
    else:
        security["lets_encrypt"] = False


def _check_certificate(panel: Panel, number: int, user: int) -> None:
    """Refuse a certificate that does not exist, and that of another client on a panel that differs
    from docs/panel_api.md#certificates-of-others.
    """
    certificate = panel.store.get("certificates", number)
    if certificate is None:
        raise Invalid(f"security.id_certificate: there is no certificate with the id {number}.")
    if panel.settings["foreign_certificates"] == "refused" and certificate.data["id_user"] not in (
        0,
        user,
    ):
        raise Invalid("security.id_certificate: the certificate belongs to another client.")


def _follow_creation(panel: Panel, entry: Entry, change: Change) -> None:
    data = entry.data
    if data["is_dns_disabled"]:
        zones.reset(panel, entry)

    if change.flags.get("create_www_subdomain"):
        body = {
            "id_user": data["id_user"],
            "id_parent_domain": entry.id,
            "domain": f"www.{data['domain']}",
            "php_version": data["php_version"],
            "target": {"target": data["target"]["target"]},
        }
        panel.create("domains", body, is_internal=True)


def _follow_update(panel: Panel, entry: Entry, change: Change) -> None:
    if change.get_old("is_dns_disabled") != entry.data["is_dns_disabled"]:
        zones.reset(panel, entry)


def _list_subdomains(panel: Panel, entry: Entry) -> list[Entry]:
    domains = panel.store.select_of_user("domains", entry.data["id_user"])
    return [domain for domain in domains if domain.data["id_parent_domain"] == entry.id]


def _is_in(email: Entry, entry: Entry) -> bool:
    return str(email.data["email"]).endswith(f"@{entry.data['domain']}")


def _check_deletion(panel: Panel, entry: Entry) -> None:
    """Refuse a domain with content on a panel that does not delete the content too."""
    if panel.settings["domain_deletion"] != "refused":
        return

    emails = panel.store.select_of_user("emails", entry.data["id_user"])
    if _list_subdomains(panel, entry) or any(_is_in(email, entry) for email in emails):
        raise Invalid("The domain still has subdomains or e-mail accounts.")


def _prepare_deletion(panel: Panel, entry: Entry) -> None:
    for child in _list_subdomains(panel, entry):
        panel.remove(child)

    panel.zones.pop(entry.id, None)
    for email in panel.store.select_of_user("emails", entry.data["id_user"]):
        if not _is_in(email, entry):
            _remove_aliases(panel, email, entry.data["domain"])
        elif panel.settings["domain_deletion"] != "kept":
            panel.remove(email)


def _remove_aliases(panel: Panel, email: Entry, domain: str) -> None:
    """Take the aliases in a deleted domain from an account of another domain."""
    aliases = email.data["aliases"]
    remaining = [alias for alias in aliases if not alias.endswith(f"@{domain}")]
    if remaining != aliases:
        panel.update(email, {"aliases": remaining})


DOMAINS = Kind(
    name="domains",
    noun="domain",
    key="domain",
    key_scope=SCOPE,
    sorts=("id", "domain", "domain_utf8"),
    has_status=True,
    name_form=encode_domain,
    fields=(
        Field("id_user", Number(least=1), required=True, access="create", inferred=True),
        Field("id_parent_domain", Number(least=0), default=0, access="create"),
        Field("domain", DOMAIN_NAME, required=True, access="create"),
        Field("domain_utf8", Text(), access="ro"),
        Field("created_at", Text(), access="ro"),
        Field("php_version", Text(), default=""),
        Field("traffic", Number(least=0), default=0, access="ro"),
        Field("is_disabled", Flag(), default=False),
        Field("delete_on", Instant(zone=UTC, colon=False), default=None),
        Field("dkim_selector", _SELECTOR, default="default", inferred=True),
        Field("dkim_record", Text(), default="", access="ro"),
        Field("is_custom_dns", Flag(), default=False, access="ro"),
        Field("is_dns_disabled", Flag(), default=False),
        Field("is_subdomain", Flag(), default=False, access="ro"),
        Field("is_system_domain", Flag(), default=False, access="ro"),
        # Unless it is given, true for main domains and false for others.
        Field("is_email_domain", Flag(), default=None),
        Field("is_email_sending_only", Flag(), default=False),
        Field("create_www_subdomain", Flag(), access="flag"),
        Field(
            "target",
            Members(
                # /<domain>/ when omitted.
                Field("target", Text(), default=""),
                Field("is_forwarding", Flag(), default=False, access="ro", inferred=True),
                Field("forwarding_type", Number(text=True, choices=(301, 302)), default=301),
            ),
        ),
        Field(
            "security",
            Members(
                Field("id_certificate", Number(least=0), default=0),
                Field("lets_encrypt", Flag(), default=False),
                Field("is_prefer_https", Flag(), default=False),
                Field("is_hsts", Flag(), default=False),
                Field("hsts_max_age", Number(least=0), default=10368000),
                Field("hsts_include", Flag(), default=False),
                Field("hsts_preload", Flag(), default=False),
            ),
        ),
        Field(
            "apache",
            Members(
                Field("http_directives", Text(), default=""),
                Field("https_directives", Text(), default=""),
            ),
        ),
    ),
    prepare=_prepare,
    created=_follow_creation,
    updated=_follow_update,
    check_deletion=_check_deletion,
    deleting=_prepare_deletion,
    notes={
        "list": "That the filters are booleans is inferred.",
        "delete": "Subdomains, e-mail accounts and the zone go with it.",
    },
)
