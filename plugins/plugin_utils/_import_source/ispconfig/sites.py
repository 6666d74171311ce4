# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's sites: main domains, subdomains and aliases of every kind, with certificates.

A subdomain or an alias with a virtual host of its own shows a folder of its parent's, whatever its
own row has as document root. One without has neither folder nor PHP of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..source_rows import NoObject
from ..source_shape import CONTENT, Certificate, Domain, FieldLeftOut, LeftOut, Origin
from ..source_tables import Row, Tables
from .redirects import Forwarding, read_forwarding
from .rows import (
    LostColumn,
    Owners,
    ReadRows,
    RowKind,
    index_rows,
    is_yes,
    join_path,
    read_domain,
    read_fields_left_out,
    read_prose,
    read_root,
    read_text,
    sort_rows,
)

SITES = RowKind("web_domain", "domains", lambda row: row.get("domain") or "")
_CERTIFICATES = RowKind("web_domain", "certificates", lambda row: row.get("domain") or "")
_MAIN = "vhost"
_WITH_FOLDER = ("vhostsubdomain", "vhostalias")
_WITHOUT_FOLDER = ("subdomain", "alias")
_SUBDOMAINS = ("vhostsubdomain", "subdomain")
_WEB = "web"
_WWW = "www."
_NO_NUMBERS = ("0", "-1")
_OWN_DIRECTIVES = "The import carries no directives for the web server."
_PHP = "The import carries no PHP settings of a single site."
_SCRIPTS = "The panel's API has no such kind of scripts."
_LOST = (
    *(
        LostColumn(column, (), _OWN_DIRECTIVES)
        for column in ("apache_directives", "nginx_directives", "proxy_directives", "rewrite_rules")
    ),
    LostColumn("directive_snippets_id", ("0",), _OWN_DIRECTIVES),
    LostColumn("folder_directive_snippets", (), _OWN_DIRECTIVES),
    LostColumn("custom_php_ini", (), _PHP),
    LostColumn("php_fpm_chroot", ("n",), _PHP),
    LostColumn("pm", ("ondemand",), _PHP),
    LostColumn("pm_max_children", ("10",), _PHP),
    LostColumn("pm_start_servers", ("2",), _PHP),
    LostColumn("pm_min_spare_servers", ("1",), _PHP),
    LostColumn("pm_max_spare_servers", ("5",), _PHP),
    LostColumn("pm_process_idle_timeout", ("10",), _PHP),
    LostColumn("pm_max_requests", ("0",), _PHP),
    *(
        LostColumn(column, ("n",), _SCRIPTS)
        for column in ("cgi", "ssi", "ruby", "python", "perl", "enable_pagespeed")
    ),
    LostColumn("hd_quota", _NO_NUMBERS, "The panel limits the space of a client, not of a site."),
    LostColumn(
        "traffic_quota", _NO_NUMBERS, "The panel limits the traffic of a client, not of a site."
    ),
    LostColumn("backup_interval", ("none",), "Backups are settings of the panel's server."),
)
_LOST_OF_NAMES = (
    LostColumn("seo_redirect", (), "The import carries no redirects between a name and its www."),
    LostColumn("rewrite_to_https", ("n",), "Set it on the panel when the certificate is there."),
)
_FOLDERS_OF_PANEL = ("/var/www/", "/srv/www/")
# What open_basedir has unless somebody changed it, beside folders of the site.
_USUAL_BASES = ("/usr/share/", "/tmp", "/etc/phpmyadmin", "/var/lib/phpmyadmin", "/dev/")


@dataclass(frozen=True)
class Sites:
    """The sites of a source, for what lies in their folders too.

    Attributes:
        rows: Rows of sites by id.
        php_names: Names of versions of PHP by id.
        names: Names of all sites, as their rows have them.
    """

    owners: Owners
    rows: Mapping[str, Row]
    php_names: Mapping[str, str]
    names: frozenset[str]

    def find_parent(self, row: Row) -> Row:
        """Return the site that a row belongs to.

        Raises:
            NoObject: It is not at the source, or another customer's.
        """
        parent = self.rows.get(row.get("parent_domain_id") or "")
        if parent is None:
            raise NoObject("The site that it belongs to is not at the source.")
        if self.owners.find_owner(parent) != self.owners.find_owner(row):
            raise NoObject("The site that it belongs to is another customer's.")
        return parent

    def find_folder(self, row: Row) -> str:
        """Return the folder whose files a site shows.

        Raises:
            NoObject: It has none.
        """
        kind = read_text(row, "type")
        if kind == _MAIN:
            root = read_text(row, "document_root")
        else:
            parent = self.find_parent(row)
            if kind in _WITHOUT_FOLDER:
                row = parent
            root = read_text(parent, "document_root")
        return join_path(root, read_text(row, "web_folder") or _WEB)

    def read_site(self, row: Row, origin: Origin) -> Domain:
        """Return a row as a domain."""
        customer = self.owners.require_owner(row)
        name = read_domain(row, "domain")
        kind = _read_kind(row)
        parent_name = self._read_parent_name(row, kind)
        has_own_host = kind not in _WITHOUT_FOLDER
        host = row if has_own_host else self.find_parent(row)
        forwarding = read_forwarding(row, name)
        has_own_folder = has_own_host or forwarding.folder != ""
        is_alias = forwarding.redirect is None and not has_own_folder

        omitted = _list_omitted(row, forwarding, has_own_host)
        if kind == _MAIN:
            omitted.extend(_find_lost_content(row))
        folder = ""
        if forwarding.redirect is None and has_own_folder:
            folder, omitted_folder = self._find_shown_folder(row, forwarding.folder)
            omitted.extend(omitted_folder)
        omitted.extend(self._list_omitted_settings(row, has_own_host))

        return Domain(
            origin,
            customer,
            name,
            parent=parent_name if kind in _SUBDOMAINS else None,
            alias_of=parent_name if is_alias else None,
            folder=folder,
            redirect=forwarding.redirect,
            www=self._has_www(row, name),
            php=self._find_php(row) if has_own_host else "",
            has_php=_has_php(row) if has_own_host else None,
            is_active=self._is_active(row, host),
            uses_lets_encrypt=is_yes(row, "ssl") and is_yes(row, "ssl_letsencrypt"),
            certificate=_read_certificate(row, origin),
            addresses=_read_addresses(host),
            fields_left_out=tuple(omitted),
        )

    def _read_parent_name(self, row: Row, kind: str) -> str | None:
        """Return the name of the site that a row belongs to; None for a main domain."""
        if kind == _MAIN:
            return None
        return read_domain(self.find_parent(row), "domain")

    def _find_shown_folder(self, row: Row, path: str) -> tuple[str, tuple[FieldLeftOut, ...]]:
        """Return the folder whose files a site shows; where it makes no sense, an empty one and
        the field that is left out."""
        try:
            return join_path(self.find_folder(row), path), ()
        except NoObject as refusal:
            return "", (FieldLeftOut("target", refusal.reason),)

    def _has_www(self, row: Row, name: str) -> bool:
        """Tell whether www of a name shows the same site, and is no site of its own."""
        return read_prose(row, "subdomain") in ("www", "*") and f"{_WWW}{name}" not in self.names

    def _find_php(self, row: Row) -> str:
        """Return the source's name of the version of PHP; empty for the default, and for one that
        the source does not have."""
        number = _read_php_number(row)
        return self.php_names.get(number, "")

    def _list_omitted_settings(self, row: Row, has_own_host: bool) -> list[FieldLeftOut]:
        """Return what cannot be carried of the setting for www and of the version of PHP."""
        omitted = []
        if read_prose(row, "subdomain") == "*":
            omitted.append(FieldLeftOut("subdomain", "The panel has no wildcard subdomains."))
        number = _read_php_number(row)
        if has_own_host and number and number not in self.php_names:
            omitted.append(FieldLeftOut("php_version", "The version of PHP is not at the source."))
        return omitted

    def _is_active(self, row: Row, host: Row) -> bool:
        """Tell whether a site is on; one without a virtual host of its own is off with its parent."""
        return self.owners.is_on(SITES, row) and (host is row or self.owners.is_on(SITES, host))


def _read_kind(row: Row) -> str:
    """Return the type of a site.

    Raises:
        NoObject: The import does not know it.
    """
    kind = read_text(row, "type")
    if kind not in (_MAIN, *_WITH_FOLDER, *_WITHOUT_FOLDER):
        raise NoObject("The type of this site is unknown.")
    return kind


def _find_lost_content(row: Row) -> tuple[FieldLeftOut, ...]:
    """Return that the files of a site are not copied, where it does not say where they are."""
    try:
        read_root(row)
    except NoObject as refusal:
        return (FieldLeftOut(CONTENT, refusal.reason),)
    return ()


def find_sites(tables: Tables, owners: Owners) -> Sites:
    """Return the sites of a source, none of them read."""
    names = index_rows(tables, "server_php").items()
    return Sites(
        owners,
        index_rows(tables, "web_domain"),
        {number: read_prose(row, "name") for number, row in names},
        frozenset((row.get("domain") or "").lower() for row in tables.list_rows("web_domain")),
    )


def read_sites(tables: Tables, owners: Owners, sites: Sites) -> ReadRows[Domain]:
    """Return the sites that arrive, and certificates that do not."""
    domains = owners.read_rows(tables, SITES, sites.read_site)
    carried = {str(domain.origin) for domain in domains.entries if domain.certificate is not None}
    lost_certificates: list[LeftOut] = []
    for origin, row in sort_rows(tables, "web_domain"):
        has_parts = any(read_prose(row, column) for column in ("ssl_cert", "ssl_key"))
        if has_parts and str(origin) not in carried:
            reason = _describe_certificate(row)
            lost_certificates.append(owners.leave_out(_CERTIFICATES, row, origin, reason))
    return ReadRows(domains.entries, (*domains.left_out, *lost_certificates))


def _list_omitted(row: Row, forwarding: Forwarding, has_own_host: bool) -> list[FieldLeftOut]:
    """Return what a row has and the panel has not."""
    omitted = list(read_fields_left_out(row, _LOST_OF_NAMES))
    if forwarding.field_left_out is not None:
        omitted.append(forwarding.field_left_out)
    if has_own_host:
        omitted.extend(_read_lost_of_hosts(row))
    return omitted


def _describe_certificate(row: Row) -> str:
    """Say why a certificate does not arrive."""
    if not read_prose(row, "ssl_cert"):
        return "The row has a key without a certificate."
    if not read_prose(row, "ssl_key"):
        return "The row has a certificate without its key."
    return "Its site does not arrive."


def _read_certificate(row: Row, origin: Origin) -> Certificate | None:
    """Return the certificate of a row that has its key too."""
    certificate = read_prose(row, "ssl_cert")
    key = read_prose(row, "ssl_key")
    if not certificate or not key:
        return None
    return Certificate(origin, certificate, key, read_prose(row, "ssl_bundle"))


def _has_php(row: Row) -> bool:
    """Tell whether PHP runs in a virtual host."""
    return read_prose(row, "php") not in ("", "no", "n")


def _read_php_number(row: Row) -> str:
    """Return the id of the version of PHP of a virtual host; empty for the default."""
    number = read_prose(row, "server_php_id")
    if number == "0" or not _has_php(row):
        return ""
    return number


def _read_addresses(row: Row) -> tuple[str, ...]:
    """Return the addresses of a virtual host; none for one that listens on all."""
    addresses = [read_prose(row, column) for column in ("ip_address", "ipv6_address")]
    return tuple(address for address in addresses if address not in ("", "*"))


def _read_lost_of_hosts(row: Row) -> list[FieldLeftOut]:
    """Return what a virtual host has and the panel has not."""
    omitted = list(read_fields_left_out(row, _LOST))
    bases = read_prose(row, "php_open_basedir").split(":")
    root = read_prose(row, "document_root")
    usual = (f"{root}/", *_FOLDERS_OF_PANEL, *_USUAL_BASES)
    if any(base and not base.startswith(usual) for base in bases):
        omitted.append(FieldLeftOut("php_open_basedir", _PHP))
    return omitted
