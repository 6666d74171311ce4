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
        customers=panel.list_objects(Customer),
        plans=panel.list_objects(Plan),
        domains=panel.list_objects(Domain),
        mail_domains=panel.list_objects(MailDomain),
        mailboxes=panel.list_objects(Mailbox),
        forwards=panel.list_objects(Forward),
        catch_alls=panel.list_objects(CatchAll),
        zones=panel.list_objects(Zone),
        databases=panel.list_objects(Database),
        ftp_users=panel.list_objects(FtpUser),
        protection_users=panel.list_objects(ProtectionUser),
        left_out=panel.list_objects(LeftOut),
        own_addresses=own_addresses,
    )
