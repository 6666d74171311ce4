# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's addresses: mailboxes, forwards and catch-alls are rows of one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..source_rows import NoObject
from ..source_shape import CatchAll, FieldLeftOut, Forward, LeftOut, Mailbox
from .rows import OWN_OBJECT, UNLIMITED, FroxlorPanel, FroxlorRow, Owner, TableReading, read_table

_MIB = 1024**2
_KIND = "emails"
_SPAM = {
    "spam_tag_level": 7.0,
    "rewrite_subject": 1.0,
    "spam_kill_level": 14.0,
    "bypass_spam": 0.0,
    "policy_greylist": 1.0,
}
_NO_MAILBOX = "Its mailbox does not exist at the source."
_LEADS_NOWHERE = "It leads nowhere at the source."
_SPAM_REASON = "Filtering of spam is a setting of the old mail server."


@dataclass
class _Mail:
    """What rows of mail refer to.

    Attributes:
        accounts: Rows of mailboxes by id.
        carried: Ids of those that arrive with their address.
        owners: Customers of mailboxes by their names of login.
    """

    accounts: Mapping[str, FroxlorRow]
    carried: set[str] = field(default_factory=set)
    owners: dict[str, Owner] = field(default_factory=dict)


def read_mail(panel: FroxlorPanel) -> None:
    """Read addresses, then mailboxes that no address leads to, and other senders of mailboxes."""
    mail = _Mail({row.id: row for row in panel.list_rows("mail_users")})
    addresses = TableReading(
        "mail_virtual",
        _KIND,
        lambda row, owner: _read_address(panel, mail, row, owner),
        lambda row: panel.format_address_label(row.format_label("email")),
    )
    senders = TableReading(
        "mail_sender_aliases",
        _KIND,
        lambda row, owner: _read_sender(panel, row, owner),
        lambda row: panel.format_address_label(row.format_label("email")),
        lambda row: _find_owner_of_mailbox(panel, mail, row),
    )
    read_table(panel, addresses)
    panel.objects += _find_lost_accounts(panel, mail)
    read_table(panel, senders)


def _find_lost_accounts(panel: FroxlorPanel, mail: _Mail) -> list[LeftOut]:
    """Return mailboxes that do not arrive with an address."""
    addressed = {row.read_reference("popaccountid") for row in panel.list_rows("mail_virtual")}
    left_out: list[LeftOut] = []
    for row in mail.accounts.values():
        if row.id in mail.carried:
            continue
        owner = panel.get_owner(row)
        reason = owner.reason or "No address at the source leads to this mailbox."
        if row.id in addressed and not owner.reason:
            reason = "Its address does not arrive."
        key = panel.format_address_label(row.format_label("email"))
        left_out.append(LeftOut(owner.username or None, _KIND, key, row.origin, reason))
    return left_out


def _find_owner_of_mailbox(panel: FroxlorPanel, mail: _Mail, row: FroxlorRow) -> Owner:
    """Return the customer of the mailbox that a row names by its address."""
    address = panel.encode_address(row.read_text("email"))
    return mail.owners.get(address, Owner("", "Its mailbox does not arrive."))


def _read_sender(panel: FroxlorPanel, row: FroxlorRow, owner: Owner) -> list[LeftOut]:
    """Return another sender that a mailbox may use, which the panel has no field for."""
    reason = f"The panel has no field for the other sender {row.format_label('allowed_sender')}."
    key = panel.format_address_label(row.format_label("email"))
    return [LeftOut(owner.username, _KIND, key, row.origin, reason, "allowed_sender")]


def _read_address(panel: FroxlorPanel, mail: _Mail, row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return what an address is: a mailbox, a forward, a catch-all, or two of these."""
    domain = _read_domain(panel, row)
    address = f"{_read_local_part(row)}@{domain}"
    targets = _read_targets(panel, row, address)
    description = row.read_prose("description").strip()
    objects: list[Any] = []
    account = _find_account(mail, row)
    if account is not None:
        objects.append(_make_mailbox(row, account, owner, address, targets))
        mail.carried.add(account.id)
        mail.owners[address] = owner
        targets = (address,)
    else:
        fields = [*_find_spam_settings(row), *_find_lost_mailbox(mail, row)]
        objects += [
            LeftOut(owner.username, _KIND, address, row.origin, item.reason, item.field)
            for item in fields
        ]

    if not targets:
        if row.read_reference("popaccountid"):
            raise NoObject(_NO_MAILBOX)
        raise NoObject(_LEADS_NOWHERE)
    if row.is_on("iscatchall"):
        objects.append(CatchAll(row.origin, owner.username, domain, targets, address, description))
    elif account is None:
        objects.append(Forward(row.origin, owner.username, address, targets, description))
    return objects


def _find_account(mail: _Mail, row: FroxlorRow) -> FroxlorRow | None:
    """Return the row of an address's mailbox; None where there is none or it is somebody else's."""
    account = mail.accounts.get(row.read_reference("popaccountid"))
    if account is None or account.id in mail.carried:
        return None
    if account.get_value("customerid").strip() != row.get_value("customerid").strip():
        return None
    return account


def _find_lost_mailbox(mail: _Mail, row: FroxlorRow) -> list[FieldLeftOut]:
    """Return that an address arrives without its mailbox."""
    account_id = row.read_reference("popaccountid")
    if not account_id:
        return []
    reason = _NO_MAILBOX
    if account_id in mail.accounts:
        reason = "Its mailbox at the source is another address's."
    return [FieldLeftOut("popaccountid", reason)]


def _read_domain(panel: FroxlorPanel, row: FroxlorRow) -> str:
    """Return the domain of an address, which the row names by its id.

    Raises:
        NoObject: It is gone, or has no mail.
    """
    domain_id = row.read_reference("domainid")
    domain = panel.domains.get(domain_id)
    if domain is None:
        raise NoObject("Its domain does not exist at the source.")
    if domain_id in panel.standard_subdomains:
        raise NoObject(OWN_OBJECT)
    if domain_id not in panel.mail_domains:
        raise NoObject("Its domain does not arrive, or has no mail at the source.")
    return panel.encode_domain(domain.require_text("domain"))


def _read_local_part(row: FroxlorRow) -> str:
    """Return what is before the @; a catch-all has it in the other column."""
    local = (
        row.read_text("email_full").rpartition("@")[0] or row.read_text("email").rpartition("@")[0]
    )
    if not local:
        raise NoObject("Its address is empty.")
    return local


def _read_targets(panel: FroxlorPanel, row: FroxlorRow, address: str) -> tuple[str, ...]:
    """Return where messages go apart from the address itself, which a mailbox begins with."""
    targets: dict[str, None] = {}
    for text in row.read_text("destination").split():
        target = panel.encode_address(text)
        if target.lower() != address.lower():
            targets[target] = None
    return tuple(targets)


def _make_mailbox(
    row: FroxlorRow,
    account: FroxlorRow,
    owner: Owner,
    address: str,
    copies: tuple[str, ...],
) -> Mailbox:
    """Return a mailbox out of its address and its account."""
    quota = account.require_number("quota") * _MIB
    if quota <= 0:
        quota = UNLIMITED
    login = account.read_text("username")
    if login.lower() == address.lower():
        login = ""
    is_active = owner.is_locked or account.get_value("postfix").strip() in {"Y", "y", ""}
    fields = _find_spam_settings(row)
    if is_active and not owner.is_locked:
        fields += [
            FieldLeftOut(column, "The panel cannot switch it off for one mailbox.")
            for column in ("imap", "pop3")
            if account.has(column) and not account.is_on(column)
        ]
    return Mailbox(
        origin=row.origin,
        customer=owner.username,
        address=address,
        quota=quota,
        hash=account.read_prose("password_enc"),
        copies=copies,
        description=row.read_prose("description").strip(),
        login=login,
        is_active=is_active,
        hash_origin=account.origin,
        fields_left_out=tuple(fields),
    )


def _find_spam_settings(row: FroxlorRow) -> list[FieldLeftOut]:
    """Return settings against spam that somebody has changed."""
    fields: list[FieldLeftOut] = []
    for column, default in _SPAM.items():
        text = row.get_value(column).strip()
        if text and not _is_number(text, default):
            fields.append(FieldLeftOut(column, _SPAM_REASON))
    return fields


def _is_number(text: str, number: float) -> bool:
    """Tell whether a text is a number, which the API writes as 7 and the database as 7.0."""
    try:
        return float(text) == number
    except ValueError:
        return False
