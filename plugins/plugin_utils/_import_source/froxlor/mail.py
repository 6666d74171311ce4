# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's addresses: mailboxes, forwards and catch-alls are rows of one table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..source_rows import NoObject
from ..source_shape import CatchAll, FieldLeftOut, Forward, LeftOut, Mailbox, MailDomain
from ..source_tables import Tables
from .accounts import Accounts
from .domain_rows import DomainRows
from .rows import (
    OWN_OBJECT,
    UNLIMITED,
    FroxlorRow,
    Owner,
    ReadRows,
    RowKind,
    list_rows,
    read_row,
    read_rows,
)

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


@dataclass(frozen=True)
class Mail:
    """The addresses of a source, in the order of its rows."""

    mailboxes: tuple[Mailbox, ...]
    forwards: tuple[Forward, ...]
    catch_alls: tuple[CatchAll, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class _Domains:
    """The domains that addresses name.

    Attributes:
        rows: Those of the source.
        mail_ids: Ids of those that arrive with mail.
    """

    rows: DomainRows
    mail_ids: frozenset[str]


@dataclass(frozen=True)
class _Address:
    """What the row of an address becomes.

    Attributes:
        mailbox: None for an address without one.
        target: Where messages go, apart from an address with nothing but its mailbox.
        left_out: Fields that belong to neither.
    """

    mailbox: Mailbox | None
    target: Forward | CatchAll | None
    left_out: tuple[LeftOut, ...]


def read_mail(
    tables: Tables,
    accounts: Accounts,
    domain_rows: DomainRows,
    mail_domains: Iterable[MailDomain],
) -> Mail:
    """Return addresses, and mailboxes and other senders of them that do not arrive.

    Args:
        tables: The tables of the source.
        accounts: Whose the addresses are.
        domain_rows: The domains that addresses name.
        mail_domains: Those that arrive with mail.
    """
    mail_ids = frozenset(domain.origin.id for domain in mail_domains)
    mailbox_rows = {row.id: row for row in list_rows(tables, "mail_users")}
    addresses = _read_addresses(tables, accounts, _Domains(domain_rows, mail_ids), mailbox_rows)
    mailboxes = [address.mailbox for address in addresses.objects if address.mailbox is not None]
    targets = [address.target for address in addresses.objects]
    return Mail(
        mailboxes=tuple(mailboxes),
        forwards=tuple(target for target in targets if isinstance(target, Forward)),
        catch_alls=tuple(target for target in targets if isinstance(target, CatchAll)),
        left_out=(
            *addresses.left_out,
            *_find_lost_mailboxes(tables, accounts, domain_rows, mailboxes),
            *_leave_out_senders(tables, domain_rows, mailboxes),
        ),
    )


def _read_addresses(
    tables: Tables,
    accounts: Accounts,
    domains: _Domains,
    mailbox_rows: Mapping[str, FroxlorRow],
) -> ReadRows[_Address]:
    """Return what addresses are; a mailbox is that of the first address that names it."""
    kind = RowKind(
        "mail_virtual",
        _KIND,
        lambda row: domains.rows.format_address_label(row.format_label("email")),
        accounts.find_owner,
    )
    addresses: list[_Address] = []
    left_out: list[LeftOut] = []
    read_ids: set[str] = set()

    def read(row: FroxlorRow, owner: Owner) -> _Address:
        mailbox_row = _find_mailbox_row(row, mailbox_rows, read_ids)
        if mailbox_row is None:
            fields = [*_find_spam_settings(row), *_find_lost_mailbox(mailbox_rows, row)]
            return _read_address(domains, row, owner, fields)
        return _read_address_of_mailbox(domains, row, owner, mailbox_row)

    for row in list_rows(tables, kind.table):
        address = read_row(kind, row, read)
        if isinstance(address, LeftOut):
            left_out.append(address)
            continue
        addresses.append(address)
        left_out += address.left_out
        if address.mailbox is not None:
            read_ids.add(row.read_reference("popaccountid"))
    return ReadRows(tuple(addresses), tuple(left_out))


def _find_lost_mailboxes(
    tables: Tables, accounts: Accounts, domain_rows: DomainRows, mailboxes: Iterable[Mailbox]
) -> list[LeftOut]:
    """Return mailboxes that do not arrive with an address."""
    arriving = {mailbox.hash_origin for mailbox in mailboxes}
    addressed = {row.read_reference("popaccountid") for row in list_rows(tables, "mail_virtual")}
    rows = {row.id: row for row in list_rows(tables, "mail_users")}
    left_out: list[LeftOut] = []
    for row in rows.values():
        if row.origin in arriving:
            continue
        owner = accounts.find_owner(row)
        reason = owner.reason or "No address at the source leads to this mailbox."
        if row.id in addressed and not owner.reason:
            reason = "Its address does not arrive."
        key = domain_rows.format_address_label(row.format_label("email"))
        left_out.append(LeftOut(owner.username or None, _KIND, key, row.origin, reason))
    return left_out


def _leave_out_senders(
    tables: Tables, domain_rows: DomainRows, mailboxes: Iterable[Mailbox]
) -> tuple[LeftOut, ...]:
    """Return other senders that mailboxes may use, which the panel has no field for."""
    owners = {mailbox.address: Owner(mailbox.customer) for mailbox in mailboxes}

    def find_owner(row: FroxlorRow) -> Owner:
        address = domain_rows.encode_address(row.read_text("email"))
        return owners.get(address, Owner("", "Its mailbox does not arrive."))

    def leave_out(row: FroxlorRow, owner: Owner) -> LeftOut:
        sender = row.format_label("allowed_sender")
        reason = f"The panel has no field for the other sender {sender}."
        key = domain_rows.format_address_label(row.format_label("email"))
        return LeftOut(owner.username, _KIND, key, row.origin, reason, "allowed_sender")

    kind = RowKind(
        "mail_sender_aliases",
        _KIND,
        lambda row: domain_rows.format_address_label(row.format_label("email")),
        find_owner,
    )
    return read_rows(tables, kind, leave_out).left_out


def _read_address_of_mailbox(
    domains: _Domains, row: FroxlorRow, owner: Owner, mailbox_row: FroxlorRow
) -> _Address:
    """Return a mailbox, which may be a catch-all as well."""
    domain = _read_domain(domains, row)
    address = f"{_read_local_part(row)}@{domain}"
    copies = _read_targets(domains.rows, row, address)
    mailbox = _make_mailbox(row, mailbox_row, owner, address, copies)
    catch_all: CatchAll | None = None
    if row.is_on("iscatchall"):
        description = row.read_prose("description").strip()
        catch_all = CatchAll(row.origin, owner.username, domain, (address,), address, description)
    return _Address(mailbox, catch_all, ())


def _read_address(
    domains: _Domains, row: FroxlorRow, owner: Owner, fields: Iterable[FieldLeftOut]
) -> _Address:
    """Return a forward or a catch-all.

    Args:
        domains: The domains that addresses name.
        row: The row.
        owner: Its customer.
        fields: What neither of the two has.

    Raises:
        NoObject: It leads nowhere, or its domain has no mail.
    """
    domain = _read_domain(domains, row)
    address = f"{_read_local_part(row)}@{domain}"
    targets = _read_targets(domains.rows, row, address)
    if not targets:
        if row.read_reference("popaccountid"):
            raise NoObject(_NO_MAILBOX)
        raise NoObject(_LEADS_NOWHERE)

    description = row.read_prose("description").strip()
    target: Forward | CatchAll
    if row.is_on("iscatchall"):
        target = CatchAll(row.origin, owner.username, domain, targets, address, description)
    else:
        target = Forward(row.origin, owner.username, address, targets, description)
    left_out = tuple(
        LeftOut(owner.username, _KIND, address, row.origin, entry.reason, entry.field)
        for entry in fields
    )
    return _Address(None, target, left_out)


def _find_mailbox_row(
    row: FroxlorRow, mailbox_rows: Mapping[str, FroxlorRow], read_ids: Collection[str]
) -> FroxlorRow | None:
    """Return the row of an address's mailbox.

    Args:
        row: The row of the address.
        mailbox_rows: The rows of mailboxes by their ids.
        read_ids: Ids of mailboxes that earlier addresses have.

    Returns:
        None where there is none, or it is somebody else's.
    """
    mailbox_row = mailbox_rows.get(row.read_reference("popaccountid"))
    if mailbox_row is None or mailbox_row.id in read_ids:
        return None
    if mailbox_row.get_value("customerid").strip() != row.get_value("customerid").strip():
        return None
    return mailbox_row


def _find_lost_mailbox(
    mailbox_rows: Mapping[str, FroxlorRow], row: FroxlorRow
) -> list[FieldLeftOut]:
    """Return that an address arrives without its mailbox."""
    account_id = row.read_reference("popaccountid")
    if not account_id:
        return []
    reason = _NO_MAILBOX
    if account_id in mailbox_rows:
        reason = "Its mailbox at the source is another address's."
    return [FieldLeftOut("popaccountid", reason)]


def _read_domain(domains: _Domains, row: FroxlorRow) -> str:
    """Return the domain of an address, which the row names by its id.

    Raises:
        NoObject: It is gone, or has no mail.
    """
    domain_id = row.read_reference("domainid")
    domain = domains.rows.by_id.get(domain_id)
    if domain is None:
        raise NoObject("Its domain does not exist at the source.")
    if domain_id in domains.rows.own_ids:
        raise NoObject(OWN_OBJECT)
    if domain_id not in domains.mail_ids:
        raise NoObject("Its domain does not arrive, or has no mail at the source.")
    return domains.rows.encode_domain(domain.require_text("domain"))


def _read_local_part(row: FroxlorRow) -> str:
    """Return what is before the @; a catch-all has it in the other column."""
    local = (
        row.read_text("email_full").rpartition("@")[0] or row.read_text("email").rpartition("@")[0]
    )
    if not local:
        raise NoObject("Its address is empty.")
    return local


def _read_targets(domain_rows: DomainRows, row: FroxlorRow, address: str) -> tuple[str, ...]:
    """Return where messages go apart from the address itself, which a mailbox begins with."""
    targets: dict[str, None] = {}
    for text in row.read_text("destination").split():
        target = domain_rows.encode_address(text)
        if target.lower() != address.lower():
            targets[target] = None
    return tuple(targets)


def _make_mailbox(
    row: FroxlorRow,
    mailbox_row: FroxlorRow,
    owner: Owner,
    address: str,
    copies: tuple[str, ...],
) -> Mailbox:
    """Return a mailbox out of the row of its address and its own."""
    quota = mailbox_row.require_number("quota") * _MIB
    if quota <= 0:
        quota = UNLIMITED
    login = mailbox_row.read_text("username")
    if login.lower() == address.lower():
        login = ""
    is_active = owner.is_locked or mailbox_row.get_value("postfix").strip() in {"Y", "y", ""}
    fields = _find_spam_settings(row)
    if is_active and not owner.is_locked:
        fields += [
            FieldLeftOut(column, "The panel cannot switch it off for one mailbox.")
            for column in ("imap", "pop3")
            if mailbox_row.has(column) and not mailbox_row.is_on(column)
        ]
    return Mailbox(
        origin=row.origin,
        customer=owner.username,
        address=address,
        quota=quota,
        hash=mailbox_row.read_prose("password_enc"),
        copies=copies,
        description=row.read_prose("description").strip(),
        login=login,
        is_active=is_active,
        hash_origin=mailbox_row.origin,
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
