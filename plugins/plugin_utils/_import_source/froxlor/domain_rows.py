# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds froxlor's domains by the ids with which other rows name them, and encodes their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....module_utils._values.names import encode_punycode
from ..source_rows import NoObject
from ..source_tables import Tables
from .accounts import Accounts
from .rows import FroxlorRow, Owner, list_rows


@dataclass(frozen=True)
class DomainRows:
    """The rows of domains, none of which is read.

    Attributes:
        by_id: By their ids; the first of two with one id.
        own_ids: Ids of those that the panel made for a customer.
        encoded_names: Names in punycode, by their form in letters.
    """

    by_id: Mapping[str, FroxlorRow]
    own_ids: frozenset[str]
    encoded_names: Mapping[str, str]

    def find_owner(self, accounts: Accounts, domain_id: str) -> Owner:
        """Return the customer of a domain, or why there is none."""
        row = self.by_id.get(domain_id)
        if row is None:
            return Owner("", "Its domain does not exist at the source.")
        return accounts.find_owner(row)

    def format_label(self, domain_id: str) -> str:
        """Return what lists of a result call a domain, which may be gone."""
        row = self.by_id.get(domain_id)
        if row is None:
            return f"domain {domain_id}"
        return row.format_label("domain")

    def encode_domain(self, name: str) -> str:
        """Return a domain name in punycode, lower case, without a final dot.

        Raises:
            NoObject: There is no such form of it.
        """
        name = name.strip().rstrip(".").lower()
        if name.isascii():
            return name
        if name in self.encoded_names:
            return self.encoded_names[name]
        try:
            return encode_punycode(name)
        except ValueError:
            raise NoObject("Its domain is no domain name.") from None

    def encode_address(self, text: str) -> str:
        """Return an address, its domain in punycode; a text that is none stays as it is.

        Raises:
            NoObject: There is no such form of its domain.
        """
        local, sign, domain = text.rpartition("@")
        if not sign:
            return text
        if domain.isascii():
            return f"{local}@{domain.lower()}"
        return f"{local}@{self.encode_domain(domain)}"

    def format_address_label(self, text: str) -> str:
        """Return an address as both forms of a source name it."""
        try:
            return self.encode_address(text)
        except NoObject:
            return text


def index_domains(tables: Tables, accounts: Accounts) -> DomainRows:
    """Return the domains of a source.

    Args:
        tables: The tables of the source.
        accounts: The customers, who name the domains that the panel made for them.
    """
    rows: dict[str, FroxlorRow] = {}
    encoded_names: dict[str, str] = {}
    for row in list_rows(tables, "panel_domains"):
        rows.setdefault(row.id, row)
        name = row.format_label("domain_ace").lower()
        encoded_names.setdefault(name, row.format_label("domain").lower())
    # A customer may name a domain of somebody else, which is no subdomain of the panel's then.
    own_ids = frozenset(
        domain_id
        for domain_id, customer_id in accounts.standard_subdomains.items()
        if domain_id in rows and rows[domain_id].get_value("customerid").strip() == customer_id
    )
    return DomainRows(rows, own_ids, encoded_names)
