# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's domains of every kind, and their certificates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..source_rows import NoObject
from ..source_shape import Certificate, Domain, FieldLeftOut, LeftOut, MailDomain, Redirect
from .rows import (
    OWN_OBJECT,
    FroxlorPanel,
    FroxlorRow,
    Owner,
    TableReading,
    clean_path,
    find_settings,
    make_namer,
    read_table,
)

_URL = re.compile(r"https?://", re.IGNORECASE)
_PERMANENT = frozenset({"301", "308"})
_DEFAULT_CODE = "301"
_NO_FIELD = "The panel has no field for it."
_OF_SERVER = "It is a setting of the old web server, and the new one has its own."
_BY_HAND = "Switch it on at the panel, once the name leads there and has a certificate."
# The value of each setting of a domain that has not been changed.
_OF_DOMAIN = {
    "description": "",
    "registration_date": "0000-00-00",
    "termination_date": "0000-00-00",
    "zonefile": "",
}
_OF_SITE = {
    "iswildcarddomain": "0",
    "specialsettings": "",
    "ssl_specialsettings": "",
    "include_specialsettings": "0",
    "ssl_redirect": "0",
    "hsts": "0",
    "hsts_sub": "0",
    "hsts_preload": "0",
    "ocsp_stapling": "0",
    "http2": "0",
    "http3": "0",
    "notryfiles": "0",
    "speciallogfile": "0",
    "writeaccesslog": "1",
    "writeerrorlog": "1",
    "override_tls": "0",
    "ssl_enabled": "1",
}
_OF_PHP = {
    "openbasedir": "1",
    "openbasedir_path": "0",
    "mod_fcgid_starter": "-1",
    "mod_fcgid_maxrequests": "-1",
}
_REASONS = {
    **dict.fromkeys((*_OF_SITE, *_OF_PHP), _OF_SERVER),
    **dict.fromkeys(("ssl_redirect", "hsts", "hsts_sub", "hsts_preload"), _BY_HAND),
    "description": _NO_FIELD,
    "registration_date": _NO_FIELD,
    "termination_date": "The source only notes it; set delete_on to have the panel act on it.",
    "zonefile": "The old name server read a file in place of the zone, and the source does not show it.",
    "iswildcarddomain": "The panel has no site for all names below a domain.",
    "specialsettings": "Directives of the old web server are not taken unseen.",
    "ssl_specialsettings": "Directives of the old web server are not taken unseen.",
}
_DKIM = FieldLeftOut("dkim_privkey", "The panel makes its own DKIM key.")

_CODES = "domain_redirect_codes"
_NO_CODE = "The API does not show whether a redirect is 301 or 302, so it is 301; a dump shows it."


@dataclass(frozen=True)
class _Server:
    """What domains refer to by id.

    Attributes:
        addresses: Addresses of each domain.
        versions: The names of PHP configurations.
        codes: Codes of redirects of each domain.
        shows_codes: Whether the source shows codes of redirects, which its API does not.
        names: Names of all domains that the source has.
        has_php: Whether each customer may use PHP.
    """

    addresses: Mapping[str, tuple[str, ...]]
    versions: Mapping[str, str]
    codes: Mapping[str, str]
    shows_codes: bool
    names: frozenset[str]
    has_php: Mapping[str, bool]


def read_sites(panel: FroxlorPanel) -> tuple[str, ...]:
    """Read domains with their certificates; return the addresses of the source's server."""
    for row in panel.list_rows("panel_domains"):
        panel.domains.setdefault(row.id, row)
        panel.names.setdefault(
            row.format_label("domain_ace").lower(), row.format_label("domain").lower()
        )
    _check_standard_subdomains(panel)
    server = _read_server(panel)
    domains = TableReading(
        "panel_domains",
        "domains",
        lambda row, owner: _read_domain(panel, server, row, owner),
        make_namer("domain"),
    )
    certificates = TableReading(
        "domain_ssl_settings",
        "certificates",
        lambda row, _owner: _read_certificate(panel, row),
        lambda row: panel.name_domain(row.read_reference("domainid")),
        lambda row: panel.get_owner_of_domain(row.read_reference("domainid")),
    )
    read_table(panel, domains)
    read_table(panel, certificates)
    panel.objects += panel.sites.values()
    addresses = (row.format_label("ip") for row in panel.list_rows("panel_ipsandports"))
    return tuple(dict.fromkeys(filter(None, addresses)))


def _check_standard_subdomains(panel: FroxlorPanel) -> None:
    """Forget a subdomain that a customer names as the panel's and that is somebody else's."""
    for domain_id, customer_id in list(panel.standard_subdomains.items()):
        domain = panel.domains.get(domain_id)
        if domain is None or domain.get_value("customerid").strip() != customer_id:
            del panel.standard_subdomains[domain_id]


def _read_server(panel: FroxlorPanel) -> _Server:
    """Return what domains refer to."""
    address_by_id = {row.id: row.format_label("ip") for row in panel.list_rows("panel_ipsandports")}
    addresses: dict[str, tuple[str, ...]] = {}
    for row in panel.list_rows("panel_domaintoip"):
        address = address_by_id.get(row.get_value("id_ipandports"))
        earlier = addresses.get(row.id, ())
        if address and address not in earlier:
            addresses[row.id] = (*earlier, address)

    codes = {row.id: row.format_label("code") for row in panel.list_rows("redirect_codes")}
    return _Server(
        addresses={domain: tuple(sorted(ips)) for domain, ips in addresses.items()},
        versions={
            row.id: row.format_label("description") for row in panel.list_rows("panel_phpconfigs")
        },
        codes={row.id: codes.get(row.get_value("rid"), "") for row in panel.list_rows(_CODES)},
        shows_codes=_CODES in panel.tables.rows_by_table,
        names=frozenset(row.format_label("domain").lower() for row in panel.domains.values()),
        has_php={
            row.id: row.is_on("phpenabled") or not row.has("phpenabled")
            for row in panel.list_rows("panel_customers")
        },
    )


def _read_domain(
    panel: FroxlorPanel, server: _Server, row: FroxlorRow, owner: Owner
) -> list[object]:
    """Return what a row makes beside a site: mail, or why there is no site."""
    if row.id in panel.standard_subdomains:
        return [_leave_out(row, owner, OWN_OBJECT)]
    if panel.domains[row.id].values is not row.values:
        raise NoObject("Another row of the source has the same id.")

    name = panel.encode_domain(row.require_text("domain"))
    has_mail = row.is_on("isemaildomain")
    broken = _is_broken_alias(panel, row)
    has_site = not row.is_on("email_only") and not broken
    if not has_site and not has_mail:
        reason = "It is an alias of a domain that does not exist at the source."
        if not broken:
            reason = "It has neither a site nor mail at the source."
        return [_leave_out(row, owner, reason)]

    if has_site:
        panel.sites[row.id] = _make_site(panel, server, row, owner, name)
    if not has_mail:
        return []
    panel.mail_domains.add(row.id)
    return [_make_mail_domain(row, owner, name, has_site)]


def _leave_out(row: FroxlorRow, owner: Owner, reason: str) -> LeftOut:
    """Return a domain that does not arrive."""
    return LeftOut(owner.username, "domains", row.format_label("domain"), row.origin, reason)


def _is_broken_alias(panel: FroxlorPanel, row: FroxlorRow) -> bool:
    """Tell whether a domain shows the site of another one that is gone."""
    target = row.read_reference("aliasdomain")
    return bool(target) and target not in panel.domains


def _make_mail_domain(row: FroxlorRow, owner: Owner, name: str, has_site: bool) -> MailDomain:
    """Return the mail of a domain, which goes on where the domain is deactivated."""
    fields: list[FieldLeftOut] = []
    if not has_site:
        fields += find_settings(row, _OF_DOMAIN, _REASONS)
        if not row.is_on("email_only"):
            reason = "It was an alias of a domain that does not exist at the source."
            fields.append(FieldLeftOut("aliasdomain", reason))
        if row.is_on("deactivated") and not owner.is_locked:
            reason = "The source has switched its site off, and its mail goes on."
            fields.append(FieldLeftOut("deactivated", reason))
    if row.get_value("dkim_privkey"):
        fields.append(_DKIM)
    selector = ""
    if row.is_on("dkim"):
        selector = f"dkim{row.format_label('dkim_id')}"
    return MailDomain(
        row.origin, owner.username, name, selector=selector, fields_left_out=tuple(fields)
    )


def _make_site(
    panel: FroxlorPanel, server: _Server, row: FroxlorRow, owner: Owner, name: str
) -> Domain:
    """Return a domain that has a site, is an alias, or redirects."""
    alias_of = _find_domain_name(panel, row.read_reference("aliasdomain"))
    documentroot = _find_root(panel, row)
    settings = {**_OF_DOMAIN, **_OF_SITE}
    folder = ""
    version = ""
    redirect: Redirect | None = None
    unknown_code: tuple[FieldLeftOut, ...] = ()
    has_php: bool | None = None
    if alias_of is None and _URL.match(documentroot):
        redirect = _make_redirect(server, row, documentroot)
        if not server.shows_codes:
            unknown_code = (FieldLeftOut("forwarding_type", _NO_CODE),)
    elif alias_of is None:
        has_php = _has_php(server, row)
        folder = clean_path(documentroot or "/")
    if has_php:
        version = server.versions.get(row.read_reference("phpsettingid"), "")
        settings.update(_OF_PHP)
    shows_www = row.is_on("wwwserveralias") or row.is_on("iswildcarddomain")
    return Domain(
        origin=row.origin,
        customer=owner.username,
        name=name,
        parent=_find_domain_name(panel, row.read_reference("parentdomainid")),
        alias_of=alias_of,
        folder=folder,
        redirect=redirect,
        www=shows_www and f"www.{name}" not in server.names,
        php=version,
        has_php=has_php,
        # Deactivating a customer switches all its domains off, and no row says which were on.
        is_active=owner.is_locked or not row.is_on("deactivated"),
        uses_lets_encrypt=row.is_on("letsencrypt"),
        addresses=server.addresses.get(row.id, ()),
        fields_left_out=(*find_settings(row, settings, _REASONS), *unknown_code),
    )


def _find_domain_name(panel: FroxlorPanel, domain_id: str) -> str | None:
    """Return the name of another domain; None where there is none, or it is the panel's own."""
    row = panel.domains.get(domain_id)
    if row is None or domain_id in panel.standard_subdomains:
        return None
    return panel.encode_domain(row.require_text("domain"))


def _find_root(panel: FroxlorPanel, row: FroxlorRow) -> str:
    """Return the folder of a site, or the URL that it redirects to."""
    target = row.read_reference("aliasdomain")
    if target in panel.standard_subdomains and target in panel.domains:
        return panel.domains[target].read_text("documentroot")
    return row.read_text("documentroot")


def _make_redirect(server: _Server, row: FroxlorRow, url: str) -> Redirect:
    """Return where a domain redirects to. Codes for a while are one at the panel."""
    code = server.codes.get(row.id, "")
    if not code.isdigit():
        code = _DEFAULT_CODE
    return Redirect(url, 301 if code in _PERMANENT else 302)


def _has_php(server: _Server, row: FroxlorRow) -> bool:
    """Tell whether PHP runs on a site: its customer may use it, and it is on there."""
    if not server.has_php.get(row.get_value("customerid").strip(), True):
        return False
    return row.is_on("phpenabled") or not row.has("phpenabled")


def _read_certificate(panel: FroxlorPanel, row: FroxlorRow) -> list[object]:
    """Give a certificate to its site, and return nothing.

    Raises:
        NoObject: It does not arrive.
    """
    domain_id = row.read_reference("domainid")
    site = panel.sites.get(domain_id)
    if domain_id in panel.standard_subdomains:
        raise NoObject(OWN_OBJECT)
    if site is None:
        raise NoObject("Its domain arrives without a site, or not at all.")
    if site.certificate is not None:
        raise NoObject("Its domain has another certificate at the source.")
    if not row.get_value("ssl_key_file").strip():
        raise NoObject("The source has no private key of it.")
    if not row.get_value("ssl_cert_file").strip():
        raise NoObject("The source has no certificate in this row, only a key or a request.")

    certificate = Certificate(
        row.origin,
        row.require_text("ssl_cert_file"),
        row.require_text("ssl_key_file"),
        _join_chain(row.read_text("ssl_cert_chainfile"), row.read_text("ssl_ca_file")),
    )
    panel.sites[domain_id] = replace(site, certificate=certificate)
    return []


def _join_chain(chain: str, authority: str) -> str:
    """Return the certificates between that of the site and one that clients know."""
    if authority in chain:
        return chain
    if chain in authority:
        return authority
    return f"{chain}\n{authority}"
