# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads everything of an ISPConfig: the tables of a dump or of answers become a Source."""

from __future__ import annotations

from ..source_shape import Source
from ..source_tables import Tables
from .accounts import read_accounts, read_own_addresses
from .databases import read_databases
from .mail import read_mail
from .mail_extras import leave_out_mail_extras
from .site_users import leave_out_other_logins, read_ftp_users, read_jobs, read_protection_users
from .sites import find_sites, read_sites
from .zones import leave_out_secondary_zones, read_zones


def read_ispconfig(tables: Tables) -> Source:
    """Return everything that an ISPConfig says, each row once.

    Args:
        tables: Of a dump, or of answers.
    """
    accounts = read_accounts(tables)
    owners = accounts.owners
    sites = find_sites(tables, owners)
    domains = read_sites(tables, owners, sites)
    mail = read_mail(tables, owners)
    zones = read_zones(tables, owners)
    databases = read_databases(tables, owners)
    ftp_users = read_ftp_users(tables, owners)
    protection_users = read_protection_users(tables, owners, sites)
    jobs = read_jobs(tables, owners)
    return Source(
        customers=accounts.customers,
        plans=accounts.plans,
        domains=domains.entries,
        mail_domains=mail.domains,
        mail_alias_domains=mail.alias_domains,
        mailboxes=mail.mailboxes,
        forwards=mail.forwards,
        catch_alls=mail.catch_alls,
        zones=zones.entries,
        databases=databases.entries,
        ftp_users=ftp_users.entries,
        protection_users=protection_users.entries,
        cron_jobs=jobs.entries,
        left_out=(
            *accounts.left_out,
            *domains.left_out,
            *mail.left_out,
            *leave_out_mail_extras(tables, owners, mail),
            *zones.left_out,
            *leave_out_secondary_zones(tables, owners),
            *databases.left_out,
            *ftp_users.left_out,
            *leave_out_other_logins(tables, owners),
            *protection_users.left_out,
            *jobs.left_out,
        ),
        own_addresses=read_own_addresses(tables),
    )
