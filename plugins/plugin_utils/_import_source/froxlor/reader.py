# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns tables of froxlor's database into what a Source has."""

from __future__ import annotations

from ..source_shape import (
    CatchAll,
    Customer,
    Database,
    Domain,
    Forward,
    FtpUser,
    LeftOut,
    Mailbox,
    MailDomain,
    Plan,
    ProtectionUser,
    Source,
    Zone,
)
from ..source_tables import Tables
from .access import read_access
from .accounts import read_accounts
from .mail import read_mail
from .rows import FroxlorPanel
from .sites import read_sites
from .tables import FORMS_BY_TABLE
from .zones import read_zones


def read_froxlor(tables: Tables) -> Source:
    """Return everything that a froxlor has, each row once: in an object or left out.

    Args:
        tables: Of its database, or made of the answers of its API.
    """
    panel = FroxlorPanel(tables, FORMS_BY_TABLE)
    read_accounts(panel)
    own_addresses = read_sites(panel)
    read_zones(panel)
    read_mail(panel)
    read_access(panel, own_addresses)
    return Source(
        customers=panel.all_of(Customer),
        plans=panel.all_of(Plan),
        domains=panel.all_of(Domain),
        mail_domains=panel.all_of(MailDomain),
        mailboxes=panel.all_of(Mailbox),
        forwards=panel.all_of(Forward),
        catch_alls=panel.all_of(CatchAll),
        zones=panel.all_of(Zone),
        databases=panel.all_of(Database),
        ftp_users=panel.all_of(FtpUser),
        protection_users=panel.all_of(ProtectionUser),
        left_out=panel.all_of(LeftOut),
        own_addresses=own_addresses,
    )
