# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes domains of the names of a source: main domains, subdomains, aliases and redirects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ....module_utils._secrets.secret_forms import mask_secret_forms
from ....module_utils._values.value_types import quote_value
from ..._import_source.source_shape import Customer, Domain, MailAliasDomain, MailDomain, Redirect
from ..import_ledger import Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item
from ..naming.domain_names import KIND, NamedDomain, read_domain_name
from ..naming.paths import OUTSIDE, find_path_below_www
from ..operator_mapping import OperatorMapping
from .certificates import map_certificate

_URL = re.compile(
    r"https?://(?:[^\s/?#@]*@)?(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@:\[\]]+)(?::\d+)?(?:[/?#]\S*)?",
    re.I,
)
_SCHEME = re.compile(r"\[scheme\]", re.IGNORECASE)
_TEMPORARY = 302
_PERMANENT = 301

_NO_URL = "It redirects to {}, which is no address of http or https."
_TO_ITSELF = "It redirects to itself, which the panel cannot do."
_WITH_PASSWORD = "It redirects to an address with a password."
_ALIAS_GONE = "It shows the site of {}, which does not arrive."
_ALIAS_OF_ANOTHER = "It shows the site of {}, which is another customer's."
_LETS_ENCRYPT = "Let's Encrypt works only once DNS leads to the panel; switch it on after that."
_PHP_UNKNOWN = (
    "{}: mapping.php_versions does not name it, so the domain gets the panel's default version."
)
_PHP_OFF = "PHP is switched off at the source; the panel has no such switch for one domain."
_WWW_OF_SUBDOMAIN = "The panel makes www only of main domains."
_WWW_TAKEN = "The domain www.{} exists on its own."
_NO_DIRECTORY = "The panel does not take the directory {}."
_MAIL_OFF = "Mail of this domain is switched off at the source."


class Target(NamedTuple):
    """What a domain shows: a folder or an address; or why nothing says it."""

    fields: Item | None = None
    reason: str = ""


@dataclass
class MappedDomains:
    """The domains of the folder.

    Attributes:
        owner_by_name: The customer of each.
        main_domains: Those that are no subdomains.
        mail_domains: Those with mail, and their customers.
        subdomains: By main domain its subdomains.
    """

    owner_by_name: dict[str, str] = field(default_factory=dict)
    main_domains: set[str] = field(default_factory=set)
    mail_domains: dict[str, str] = field(default_factory=dict)
    subdomains: dict[str, list[str]] = field(default_factory=dict)

    def list_hosts_below(self, name: str) -> list[str]:
        """Return the subdomains of a main domain, relative to it."""
        return [subdomain[: -len(name) - 1] for subdomain in self.subdomains.get(name, ())]


class DomainMapper:
    """Adds domains to the folder."""

    def __init__(
        self,
        ledger: Ledger,
        names: Mapping[str, NamedDomain],
        customers: Mapping[str, Customer],
        mapping: OperatorMapping,
    ) -> None:
        """Prepare to add domains.

        Args:
            ledger: Gets the items, and what became of each row.
            names: What the source says of each name.
            customers: By username of the source.
            mapping: The decisions of the operator.
        """
        self._ledger = ledger
        self._names = names
        self._customers = customers
        self._mapping = mapping

    def map_all(self) -> MappedDomains:
        """Add all domains, main domains first."""
        mapped = MappedDomains()
        for name in sorted(self._names, key=lambda text: (text.count("."), text)):
            named = self._names[name]
            if not self._map_domain(named):
                continue

            mapped.owner_by_name[name] = named.customer
            if named.parent is None:
                mapped.main_domains.add(name)
            else:
                mapped.subdomains.setdefault(named.parent, []).append(name)
            if named.has_mail:
                mapped.mail_domains[name] = named.customer
        return mapped

    def _map_domain(self, named: NamedDomain) -> bool:
        """Add a domain; tell whether it arrives."""
        rows = _list_rows(named)
        item: Item = {"domain": named.name}
        if named.parent is not None:
            item["parent_domain"] = named.parent
        item["client"] = self._ledger.usernames[named.customer]
        if named.site is not None:
            self._add_site(named, named.site, rows[0], item)
        item["is_email_domain"] = named.has_mail
        if named.parent is None:
            item["create_www_subdomain"] = self._makes_www(named, rows[0])
        elif named.site is not None and named.site.www:
            self._ledger.leave_field(rows[0], "create_www_subdomain", _WWW_OF_SUBDOMAIN)

        if place_item(self._ledger, rows, item, named.name) is None:
            return False
        self._enter_fields(named, rows)
        return True

    def _enter_fields(self, named: NamedDomain, rows: list[RowName]) -> None:
        """Enter what readers leave out of a domain that arrives."""
        if named.site is not None:
            self._ledger.leave_fields(rows[0], named.site.fields_left_out)
        if named.mail is None:
            return
        row = _make_row(named, named.mail)
        self._ledger.leave_fields(row, named.mail.fields_left_out)
        if not named.mail.is_active and named.mail_alias is None:
            self._ledger.leave_field(row, "is_email_domain", _MAIL_OFF)

    def _add_site(self, named: NamedDomain, site: Domain, row: RowName, item: Item) -> None:
        """Add what the row of a site says."""
        target = self._find_target(site, named, ())
        if target.reason:
            self._ledger.leave_field(row, "target", target.reason)
        is_forwarding = target.fields is not None and "forwarding_type" in target.fields
        if not is_forwarding:
            self._add_php(site, row, item)
        if not site.is_active:
            item["is_disabled"] = True
        if target.fields is not None:
            item["target"] = target.fields

        if site.certificate is not None:
            certificate = map_certificate(
                self._ledger,
                named.customer,
                named.name,
                site.certificate,
                "certificates" in self._mapping.skip,
            )
            if certificate is not None:
                item["security"] = {"certificate": certificate}
        if site.uses_lets_encrypt:
            self._ledger.leave_field(row, "lets_encrypt", _LETS_ENCRYPT)

    def _add_php(self, site: Domain, row: RowName, item: Item) -> None:
        """Add the version of PHP, or ask for it."""
        if site.has_php is False:
            if site.folder:
                self._ledger.leave_field(row, "php", _PHP_OFF)
            return
        if not site.php:
            return
        if site.php in self._mapping.php_versions:
            item["php_version"] = self._mapping.php_versions[site.php]
            return
        self._ledger.ask(site.customer, row.plural, "php_versions", site.php, "")
        self._ledger.leave_field(row, "php_version", _PHP_UNKNOWN.format(site.php[:60]))

    def _makes_www(self, named: NamedDomain, row: RowName) -> bool:
        """Tell whether the panel makes www of a main domain."""
        if named.site is None or not named.site.www:
            return False
        www = self._names.get(f"www.{named.name}")
        if www is None:
            return True
        if www.customer != named.customer:
            self._ledger.leave_field(row, "create_www_subdomain", _WWW_TAKEN.format(named.name))
        return False

    def _find_target(self, site: Domain, named: NamedDomain, seen: tuple[str, ...]) -> Target:
        """Return what a site shows to the visitors of a domain.

        Args:
            site: The site.
            named: The domain, which may be an alias of it.
            seen: The aliases on the way to it.
        """
        if site.redirect is not None:
            return _read_redirect(site.redirect, named.name)
        if site.alias_of is None:
            return self._find_folder(site, named)

        aliased = self._names.get(read_domain_name(site.alias_of) or "")
        if aliased is None or aliased.site is None or aliased.name in seen:
            return Target(None, _ALIAS_GONE.format(site.alias_of))
        if aliased.customer != named.customer and aliased.site.redirect is None:
            return Target(None, _ALIAS_OF_ANOTHER.format(site.alias_of))
        return self._find_target(aliased.site, named, (*seen, aliased.name))

    def _find_folder(self, site: Domain, named: NamedDomain) -> Target:
        if not site.folder:
            return Target()
        prefixes = self._customers[named.customer].paths
        path = find_path_below_www(site.folder, prefixes, self._mapping.paths)
        if path is None:
            return Target(None, OUTSIDE.format(quote_value(site.folder)))
        if not path.isprintable() or path != path.strip():
            return Target(None, _NO_DIRECTORY.format(quote_value(path)))
        return Target({"target": path})


def _list_rows(named: NamedDomain) -> list[RowName]:
    """Return the rows that a domain stands for, that of the site first."""
    entries = (named.site, named.mail, named.mail_alias)
    return [_make_row(named, entry) for entry in entries if entry is not None]


def _make_row(named: NamedDomain, entry: Domain | MailDomain | MailAliasDomain) -> RowName:
    return RowName(named.customer, KIND, entry.name, entry.origin)


def _read_redirect(redirect: Redirect, name: str) -> Target:
    """Return the address that a domain forwards to."""
    url = _SCHEME.sub("https", redirect.url.strip())
    match = _URL.fullmatch(url)
    if match is None or not url.isprintable():
        return Target(None, _NO_URL.format(quote_value(mask_secret_forms(redirect.url))))
    if mask_secret_forms(url) != url:
        return Target(None, _WITH_PASSWORD)
    host = read_domain_name(match["host"]) or match["host"].lower()
    if host in (name, f"www.{name}"):
        return Target(None, _TO_ITSELF)
    code = _PERMANENT if redirect.code == _PERMANENT else _TEMPORARY
    return Target({"target": url, "forwarding_type": code})
