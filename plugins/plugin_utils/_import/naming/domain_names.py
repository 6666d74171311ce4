# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings together what a source says of each name: a site, mail, and another name for mail."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Union

from ....module_utils._errors import PanelError
from ....module_utils._values.names import DomainName
from ..._import_source.source_shape import Domain, MailAliasDomain, MailDomain, Source
from ..import_ledger import ORPHAN, Ledger, RowName

KIND = "domains"
_DOMAIN = DomainName()
_DUPLICATE = "The source has this domain twice; the first one is carried."
_OF_ANOTHER = "Another customer has this domain; it is carried there."
_NO_DOMAIN = "The name is no domain name that the panel takes."
_INACTIVE = "Mail of this domain is switched off at the source, and it has no site."


@dataclass
class NamedDomain:
    """What a source says of a name.

    Attributes:
        customer: The username of the owner at the source.
        name: The name as the panel keeps it.
        site: The row of its site.
        mail: The row of its mail.
        mail_alias: The row that makes it another name of a mail domain.
        parent: The main domain that it is in.
    """

    customer: str
    name: str
    site: Domain | None = None
    mail: MailDomain | None = None
    mail_alias: MailAliasDomain | None = None
    parent: str | None = None

    @property
    def has_mail(self) -> bool:
        """Tell whether mail works there."""
        is_mail_domain = self.mail is not None and self.mail.is_active
        return is_mail_domain or self.mail_alias is not None


_Mail = Union[MailDomain, MailAliasDomain]


def collect_names(ledger: Ledger, source: Source) -> dict[str, NamedDomain]:
    """Return what the source says of each name, and account for the rows that do not arrive."""
    names: dict[str, NamedDomain] = {}
    for site in source.domains:
        _add_site(ledger, names, site)
    for mail in source.mail_domains:
        _add_mail(ledger, names, mail)
    for alias in source.mail_alias_domains:
        _add_mail(ledger, names, alias)

    zones = {zone.name for zone in source.zones}
    _choose_parents(names, zones)
    return names


def read_domain_name(text: str) -> str | None:
    """Return a name as the panel keeps it; None for what is no domain name."""
    try:
        name: str = _DOMAIN.parse(text)
    except (ValueError, PanelError):
        return None
    return name


def _add_site(ledger: Ledger, names: dict[str, NamedDomain], site: Domain) -> None:
    row = RowName(site.customer, KIND, site.name, site.origin)
    name = read_domain_name(site.name)
    if site.customer not in ledger.usernames:
        ledger.leave_out(row, ORPHAN)
    elif name is None:
        ledger.leave_out(row, _NO_DOMAIN)
    elif name in names:
        is_own = names[name].customer == site.customer
        ledger.leave_out(row, _DUPLICATE if is_own else _OF_ANOTHER)
    else:
        names[name] = NamedDomain(site.customer, name, site)


def _add_mail(ledger: Ledger, names: dict[str, NamedDomain], mail: _Mail) -> None:
    row = RowName(mail.customer, KIND, mail.name, mail.origin)
    name = read_domain_name(mail.name)
    part_name = "is_email_domain"
    if mail.customer not in ledger.usernames:
        ledger.leave_out(row, ORPHAN, part_name)
        return
    if name is None:
        ledger.leave_out(row, _NO_DOMAIN, part_name)
        return

    named = names.get(name)
    if named is not None and named.customer != mail.customer:
        ledger.leave_out(row, _OF_ANOTHER, part_name)
        return
    is_alias = isinstance(mail, MailAliasDomain)
    if isinstance(mail, MailDomain) and not mail.is_active and named is None:
        ledger.leave_out(row, _INACTIVE, part_name)
        return

    if named is None:
        named = names.setdefault(name, NamedDomain(mail.customer, name))
    if isinstance(mail, MailDomain) and named.mail is None:
        named.mail = mail
    elif is_alias and named.mail_alias is None and isinstance(mail, MailAliasDomain):
        named.mail_alias = mail
    else:
        ledger.leave_out(row, _DUPLICATE, part_name)


def _choose_parents(names: Mapping[str, NamedDomain], zones: Collection[str]) -> None:
    """Find the main domain that each subdomain is in. One with mail or a zone that is no subdomain
    at the source stays a main domain, since a subdomain has no zone.
    """
    for name in sorted(names, key=lambda text: (text.count("."), text)):
        named = names[name]
        site = named.site
        if site is None:
            continue
        is_own = named.mail is not None or named.mail_alias is not None or name in zones
        if site.parent is None and is_own:
            continue

        candidates = _list_main_domains_above(names, named)
        if site.parent in candidates:
            named.parent = site.parent
        elif candidates:
            named.parent = candidates[0]


def _list_main_domains_above(names: Mapping[str, NamedDomain], named: NamedDomain) -> list[str]:
    """Return the main domains of the same customer that a name lies in, the longest first."""
    labels = named.name.split(".")
    candidates = []
    for start in range(1, len(labels) - 1):
        above = names.get(".".join(labels[start:]))
        if above is not None and above.customer == named.customer and above.parent is None:
            candidates.append(above.name)
    return candidates
