# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's domains of every kind, and their certificates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..source_rows import NoObject
from ..source_shape import Certificate, Domain, FieldLeftOut, LeftOut, MailDomain, Redirect
from ..source_tables import Tables
from .accounts import Accounts
from .domain_rows import DomainRows
from .rows import (
    OWN_OBJECT,
    FroxlorRow,
    Owner,
    RowKind,
    clean_path,
    find_settings,
    list_rows,
    make_namer,
    read_row,
    read_rows,
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


@dataclass(frozen=True)
class Sites:
    """The domains that arrive, with a site, with mail, or with both.

    Attributes:
        domains: Those with a site.
        own_addresses: Addresses of the source's server.
    """

    domains: tuple[Domain, ...]
    mail_domains: tuple[MailDomain, ...]
    left_out: tuple[LeftOut, ...]
    own_addresses: tuple[str, ...]


@dataclass(frozen=True)
class _ReadDomain:
    """What the row of a domain becomes; None for what it has not."""

    site: Domain | None
    mail: MailDomain | None


def read_sites(tables: Tables, accounts: Accounts, domain_rows: DomainRows) -> Sites:
    """Return domains with their certificates.

    Args:
        tables: The tables of the source.
        accounts: Whose the domains are.
        domain_rows: The domains that other rows name.
    """
    server = _read_server(tables, domain_rows)
    kind = RowKind("panel_domains", "domains", make_namer("domain"), accounts.find_owner)
    domains = read_rows(
        tables, kind, lambda row, owner: _read_domain(domain_rows, server, row, owner)
    )
    sites = [domain.site for domain in domains.objects if domain.site is not None]
    certificates = _read_certificates(tables, accounts, domain_rows, sites)
    addresses = (row.format_label("ip") for row in list_rows(tables, "panel_ipsandports"))
    return Sites(
        domains=add_certificates(sites, certificates.by_domain_id),
        mail_domains=tuple(domain.mail for domain in domains.objects if domain.mail is not None),
        left_out=(*domains.left_out, *certificates.left_out),
        own_addresses=tuple(dict.fromkeys(filter(None, addresses))),
    )


def _read_server(tables: Tables, domain_rows: DomainRows) -> _Server:
    """Return what domains refer to."""
    address_by_id = {
        row.id: row.format_label("ip") for row in list_rows(tables, "panel_ipsandports")
    }
    addresses: dict[str, tuple[str, ...]] = {}
    for row in list_rows(tables, "panel_domaintoip"):
        address = address_by_id.get(row.get_value("id_ipandports"))
        earlier = addresses.get(row.id, ())
        if address and address not in earlier:
            addresses[row.id] = (*earlier, address)

    codes = {row.id: row.format_label("code") for row in list_rows(tables, "redirect_codes")}
    return _Server(
        addresses={domain: tuple(sorted(ips)) for domain, ips in addresses.items()},
        versions={
            row.id: row.format_label("description") for row in list_rows(tables, "panel_phpconfigs")
        },
        codes={row.id: codes.get(row.get_value("rid"), "") for row in list_rows(tables, _CODES)},
        shows_codes=_CODES in tables.rows_by_table,
        names=frozenset(row.format_label("domain").lower() for row in domain_rows.by_id.values()),
        has_php={
            row.id: row.is_on("phpenabled") or not row.has("phpenabled")
            for row in list_rows(tables, "panel_customers")
        },
    )


def _read_domain(
    domain_rows: DomainRows, server: _Server, row: FroxlorRow, owner: Owner
) -> _ReadDomain | LeftOut:
    """Return the site and the mail of a row, of which it has at least one.

    Raises:
        NoObject: It has neither.
    """
    if row.id in domain_rows.own_ids:
        label = row.format_label("domain")
        return LeftOut(owner.username, "domains", label, row.origin, OWN_OBJECT)
    if domain_rows.by_id[row.id].values is not row.values:
        raise NoObject("Another row of the source has the same id.")

    name = domain_rows.encode_domain(row.require_text("domain"))
    has_mail = row.is_on("isemaildomain")
    broken = _is_broken_alias(domain_rows, row)
    has_site = not row.is_on("email_only") and not broken
    if not has_site and not has_mail:
        if broken:
            raise NoObject("It is an alias of a domain that does not exist at the source.")
        raise NoObject("It has neither a site nor mail at the source.")

    return _ReadDomain(
        site=_make_site(domain_rows, server, row, owner, name) if has_site else None,
        mail=_make_mail_domain(row, owner, name, has_site) if has_mail else None,
    )


def _is_broken_alias(domain_rows: DomainRows, row: FroxlorRow) -> bool:
    """Tell whether a domain shows the site of another one that is gone."""
    target = row.read_reference("aliasdomain")
    return bool(target) and target not in domain_rows.by_id


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
    domain_rows: DomainRows, server: _Server, row: FroxlorRow, owner: Owner, name: str
) -> Domain:
    """Return a domain that has a site, is an alias, or redirects."""
    alias_of = _find_domain_name(domain_rows, row.read_reference("aliasdomain"))
    documentroot = _find_root(domain_rows, row)
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
        parent=_find_domain_name(domain_rows, row.read_reference("parentdomainid")),
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


def _find_domain_name(domain_rows: DomainRows, domain_id: str) -> str | None:
    """Return the name of another domain; None where there is none, or it is the panel's own."""
    row = domain_rows.by_id.get(domain_id)
    if row is None or domain_id in domain_rows.own_ids:
        return None
    return domain_rows.encode_domain(row.require_text("domain"))


def _find_root(domain_rows: DomainRows, row: FroxlorRow) -> str:
    """Return the folder of a site, or the URL that it redirects to."""
    target = row.read_reference("aliasdomain")
    if target in domain_rows.own_ids:
        return domain_rows.by_id[target].read_text("documentroot")
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


@dataclass(frozen=True)
class _Certificates:
    """Certificates that arrive, by the ids of their domains, and those that do not."""

    by_domain_id: Mapping[str, Certificate]
    left_out: tuple[LeftOut, ...]


def _read_certificates(
    tables: Tables, accounts: Accounts, domain_rows: DomainRows, sites: Iterable[Domain]
) -> _Certificates:
    """Return the certificates of a source; the first of a site that makes sense is the site's.

    Args:
        tables: The tables of the source.
        accounts: Whose the domains are.
        domain_rows: The domains that certificates name.
        sites: The sites that arrive.
    """
    site_ids = {site.origin.id for site in sites}
    certificates: dict[str, Certificate] = {}
    left_out: list[LeftOut] = []
    kind = RowKind(
        "domain_ssl_settings",
        "certificates",
        lambda row: domain_rows.format_label(row.read_reference("domainid")),
        lambda row: domain_rows.find_owner(accounts, row.read_reference("domainid")),
    )

    def read(row: FroxlorRow, _owner: Owner) -> Certificate:
        domain_id = row.read_reference("domainid")
        if domain_id in domain_rows.own_ids:
            raise NoObject(OWN_OBJECT)
        if domain_id not in site_ids:
            raise NoObject("Its domain arrives without a site, or not at all.")
        if domain_id in certificates:
            raise NoObject("Its domain has another certificate at the source.")
        return _make_certificate(row)

    for row in list_rows(tables, kind.table):
        certificate = read_row(kind, row, read)
        if isinstance(certificate, LeftOut):
            left_out.append(certificate)
        else:
            certificates[row.read_reference("domainid")] = certificate
    return _Certificates(certificates, tuple(left_out))


def _make_certificate(row: FroxlorRow) -> Certificate:
    """Return what a row says of a certificate.

    Raises:
        NoObject: It has no certificate, or no key.
    """
    if not row.get_value("ssl_key_file").strip():
        raise NoObject("The source has no private key of it.")
    if not row.get_value("ssl_cert_file").strip():
        raise NoObject("The source has no certificate in this row, only a key or a request.")
    return Certificate(
        row.origin,
        row.require_text("ssl_cert_file"),
        row.require_text("ssl_key_file"),
        _join_chain(row.read_text("ssl_cert_chainfile"), row.read_text("ssl_ca_file")),
    )


def add_certificates(
    sites: Iterable[Domain], certificates: Mapping[str, Certificate]
) -> tuple[Domain, ...]:
    """Return the sites with their certificates.

    Args:
        sites: Sites without certificates.
        certificates: By the id of the row of their domain.
    """
    return tuple(replace(site, certificate=certificates.get(site.origin.id)) for site in sites)


def _join_chain(chain: str, authority: str) -> str:
    """Return the certificates between that of the site and one that clients know."""
    if authority in chain:
        return chain
    if chain in authority:
        return authority
    return f"{chain}\n{authority}"
