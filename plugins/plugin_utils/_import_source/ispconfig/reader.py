# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads everything of an ISPConfig: the tables of a dump or of answers become a Source."""

from __future__ import annotations

from ..source_shape import Source
from ..source_tables import Tables
from .accounts import leave_out_assigned_templates, read_customers, read_own_addresses, read_plans
from .databases import read_databases
from .mail import read_mail
from .mail_extras import leave_out_mail_extras
from .rows import IspconfigPanel
from .site_users import leave_out_other_logins, read_ftp_users, read_jobs, read_protection_users
from .sites import find_sites, read_sites
from .zones import leave_out_secondary_zones, read_zones


def read_ispconfig(tables: Tables) -> Source:
    """Return everything that an ISPConfig says, each row once.

    Args:
        tables: Of a dump, or of answers.
    """
    panel = IspconfigPanel(tables)
    customers = read_customers(panel)  # first: who has which rows
    plans = read_plans(panel)
    leave_out_assigned_templates(panel)
    sites = find_sites(panel)
    domains = read_sites(panel, sites)
    mail = read_mail(panel)
    leave_out_mail_extras(panel, mail)
    zones = read_zones(panel)
    leave_out_secondary_zones(panel)
    databases = read_databases(panel)
    ftp_users = read_ftp_users(panel)
    leave_out_other_logins(panel)
    protection_users = read_protection_users(panel, sites)
    jobs = read_jobs(panel)
    return Source(
        customers=customers,
        plans=plans,
        domains=domains,
        mail_domains=mail.domains,
        mail_alias_domains=mail.alias_domains,
        mailboxes=mail.mailboxes,
        forwards=mail.forwards,
        catch_alls=mail.catch_alls,
        zones=zones,
        databases=databases,
        ftp_users=ftp_users,
        protection_users=protection_users,
        cron_jobs=jobs,
        left_out=tuple(panel.left_out),
        own_addresses=read_own_addresses(panel),
    )
