# SPDX-License-Identifier: GPL-3.0-or-later
"""Names what ISPConfig has around mail and the panel has not: filters, lists, fetched mailboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..source_shape import LeftOut
from ..source_tables import Row, Tables
from .mail import Mail
from .rows import ADMIN_GROUP, Owners, index_rows, read_address, read_prose, shorten_key, sort_rows

_KIND = "emails"
_FILTERS = "mail_user_filter"
_POLICIES = "spamfilter_policy"
_NO_FILTER = "The panel's API has no filters of mailboxes."
_NO_SPAM_FILTER = "The panel's API has no filters of spam."
_NO_CHAT = "The panel has no chat."


@dataclass(frozen=True)
class _Extra:
    """A table that the panel has nothing for.

    Attributes:
        table: The table.
        columns: Those that name a row; an at sign joins two of them.
        field: What it is of a mailbox, where the row is about one that arrives.
        reason: Why it does not arrive.
    """

    table: str
    columns: tuple[str, ...]
    field: str
    reason: str

    def name(self, row: Row) -> str:
        """Return the source's name of a row."""
        return "@".join(read_prose(row, column) for column in self.columns)


_EXTRAS = (
    _Extra(
        "mail_get", ("destination",), "fetchmail", "The panel fetches no mail from other servers."
    ),
    _Extra(
        "mail_transport", ("domain",), "transport", "The panel's API knows no transports of mail."
    ),
    _Extra(
        "mail_mailinglist",
        ("listname", "domain"),
        "mailing_list",
        "The panel has no mailing lists.",
    ),
    _Extra(
        "mail_relay_recipient", ("source",), "relay", "The panel's API knows no relays of mail."
    ),
    _Extra("spamfilter_users", ("email",), "spam_filter", _NO_SPAM_FILTER),
    _Extra("spamfilter_wblist", ("email",), "spam_filter", _NO_SPAM_FILTER),
    _Extra(_POLICIES, ("policy_name",), "spam_filter", _NO_SPAM_FILTER),
    _Extra("xmpp_domain", ("domain",), "chat", _NO_CHAT),
    _Extra("xmpp_user", ("jid",), "chat", _NO_CHAT),
)


def leave_out_mail_extras(tables: Tables, owners: Owners, mail: Mail) -> list[LeftOut]:
    """Return the filters of mailboxes, and what else there is around mail.

    Args:
        tables: The tables of the source.
        owners: Whose the rows are.
        mail: The mail that arrives.
    """
    customers = {domain.name: domain.customer for domain in mail.domains}
    left_out = _leave_out_filters(tables, owners, mail)
    mailboxes = {mailbox.address: mailbox.customer for mailbox in mail.mailboxes}
    for extra in _EXTRAS:
        for origin, row in sort_rows(tables, extra.table):
            if extra.table == _POLICIES and owners.find_owner(row) is None:
                continue  # the source brings them with it
            name = extra.name(row)
            address = read_address(name)
            field = extra.field if address in mailboxes else None
            customer = mailboxes.get(address) or _find_owner(owners, row, name, customers)
            key = shorten_key(address)
            left_out.append(LeftOut(customer, _KIND, key, origin, extra.reason, field))
    return left_out


def _find_owner(owners: Owners, row: Row, name: str, customers: Mapping[str, str]) -> str | None:
    """Return who has a row; of one that the administrator made, who has the domain.

    Args:
        owners: Whose rows are.
        row: The row.
        name: The address or the domain that it is about.
        customers: Who has a domain with mail, by its name.
    """
    owner = owners.find_owner(row)
    if owner is not None:
        return owner
    if row.get("sys_groupid") != ADMIN_GROUP:
        return None
    return customers.get(name.rpartition("@")[2].lower())


def _leave_out_filters(tables: Tables, owners: Owners, mail: Mail) -> list[LeftOut]:
    """Return each filter of a mailbox."""
    mailboxes = {mailbox.origin.id: mailbox for mailbox in mail.mailboxes}
    rows = index_rows(tables, "mail_user")
    left_out: list[LeftOut] = []
    for origin, row in sort_rows(tables, _FILTERS):
        mailbox_id = row.get("mailuser_id") or ""
        mailbox = mailboxes.get(mailbox_id)
        if mailbox is not None:
            left_out.append(
                LeftOut(mailbox.customer, _KIND, mailbox.address, origin, _NO_FILTER, "filter")
            )
            continue
        reason = "Its mailbox is not at the source."
        if mailbox_id in rows:
            reason = "Its mailbox does not arrive."
        key = shorten_key(row.get("rulename") or "")
        left_out.append(LeftOut(owners.find_owner(row), _KIND, key, origin, reason))
    return left_out
