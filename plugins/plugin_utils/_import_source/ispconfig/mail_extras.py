# SPDX-License-Identifier: GPL-3.0-or-later
"""Names what ISPConfig has around mail and the panel has not: filters, lists, fetched mailboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..source_shape import LeftOut
from ..source_tables import Row
from .mail import Mail
from .rows import (
    ADMIN_GROUP,
    IspconfigPanel,
    index_rows,
    read_address,
    read_prose,
    shorten_key,
    sort_rows,
)

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


def leave_out_mail_extras(panel: IspconfigPanel, mail: Mail) -> None:
    """Note the filters of mailboxes, and what else there is around mail."""
    owners = {domain.name: domain.customer for domain in mail.domains}
    mailboxes = {mailbox.address: mailbox.customer for mailbox in mail.mailboxes}
    _leave_out_filters(panel, mail)
    for extra in _EXTRAS:
        for origin, row in sort_rows(panel.tables, extra.table):
            if extra.table == _POLICIES and panel.find_owner(row) is None:
                continue  # the source brings them with it
            name = extra.name(row)
            address = read_address(name)
            field = extra.field if address in mailboxes else None
            customer = mailboxes.get(address) or _find_owner(panel, row, name, owners)
            key = shorten_key(address)
            panel.note(LeftOut(customer, _KIND, key, origin, extra.reason, field))


def _find_owner(
    panel: IspconfigPanel, row: Row, name: str, owners: Mapping[str, str]
) -> str | None:
    """Return who has a row; of one that the administrator made, who has the domain."""
    owner = panel.find_owner(row)
    if owner is not None:
        return owner
    if row.get("sys_groupid") != ADMIN_GROUP:
        return None
    return owners.get(name.rpartition("@")[2].lower())


def _leave_out_filters(panel: IspconfigPanel, mail: Mail) -> None:
    """Note each filter of a mailbox."""
    carried = {mailbox.origin.id: mailbox for mailbox in mail.mailboxes}
    rows = index_rows(panel.tables, "mail_user")
    for origin, row in sort_rows(panel.tables, _FILTERS):
        mailbox_id = row.get("mailuser_id") or ""
        mailbox = carried.get(mailbox_id)
        if mailbox is not None:
            panel.note(
                LeftOut(mailbox.customer, _KIND, mailbox.address, origin, _NO_FILTER, "filter")
            )
            continue
        reason = "Its mailbox is not at the source."
        if mailbox_id in rows:
            reason = "Its mailbox does not arrive."
        key = shorten_key(row.get("rulename") or "")
        panel.note(LeftOut(panel.find_owner(row), _KIND, key, origin, reason))
