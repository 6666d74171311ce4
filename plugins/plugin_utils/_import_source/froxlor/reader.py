# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns tables of froxlor's database into what a Source has."""

from __future__ import annotations

from ..source_shape import Source
from ..source_tables import Tables
from .access import read_access
from .accounts import read_accounts
from .domain_rows import index_domains
from .mail import read_mail
from .sites import read_sites
from .zones import read_zones


def read_froxlor(tables: Tables) -> Source:
    """Return everything that a froxlor has, each row once: in an object or left out.

    Args:
        tables: Of its database, or made of the answers of its API.
    """
    accounts = read_accounts(tables)
    domain_rows = index_domains(tables, accounts)
    sites = read_sites(tables, accounts, domain_rows)
    zones = read_zones(tables, accounts, domain_rows)
    mail = read_mail(tables, accounts, domain_rows, sites.mail_domains)
    access = read_access(tables, accounts, sites.own_addresses)
    return Source(
        customers=accounts.customers,
        plans=accounts.plans,
        domains=sites.domains,
        mail_domains=sites.mail_domains,
        mailboxes=mail.mailboxes,
        forwards=mail.forwards,
        catch_alls=mail.catch_alls,
        zones=zones.zones,
        databases=access.databases,
        ftp_users=access.ftp_users,
        protection_users=access.protection_users,
        left_out=(
            *accounts.left_out,
            *sites.left_out,
            *zones.left_out,
            *mail.left_out,
            *access.left_out,
        ),
        own_addresses=sites.own_addresses,
    )
