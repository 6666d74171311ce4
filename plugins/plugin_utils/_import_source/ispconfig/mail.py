# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's mail: domains, mailboxes, forwards, aliases, catch-alls and alias domains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from ....module_utils._values.names import normalize_address
from ..source_rows import NoObject
from ..source_shape import (
    CatchAll,
    FieldLeftOut,
    Forward,
    LeftOut,
    MailAliasDomain,
    Mailbox,
    MailDomain,
    Origin,
)
from ..source_tables import Row, Tables
from .rows import (
    OFF_AT_SOURCE,
    LostColumn,
    Owners,
    RowKind,
    check_length,
    is_yes,
    read_domain,
    read_fields_left_out,
    read_number,
    read_prose,
    read_text,
    split_targets,
)

Forwarding = Union[Forward, CatchAll, MailAliasDomain]
_DOMAINS = RowKind("mail_domain", "domains", lambda row: row.get("domain") or "")
MAILBOXES = RowKind("mail_user", "emails", lambda row: row.get("email") or "")
_FORWARDINGS = RowKind("mail_forwarding", "emails", lambda row: row.get("source") or "")
_UNLIMITED = -1
_ALIAS = "alias"
_ALIAS_DOMAIN = "aliasdomain"
_CATCH_ALL = "catchall"
_TYPES = ("forward", _ALIAS, _ALIAS_DOMAIN, _CATCH_ALL)
# The first and the last line of what the panel wrote into the text of filters, from rows that the
# lists name themselves.
_BEGINNING = re.compile(r"### BEGIN FILTER_ID:(\d+)\s*")
_END = "### END FILTER_ID:"
_NO_SWITCH = "The panel cannot switch off a protocol for one mailbox."
_GREYLISTING = LostColumn("greylisting", ("n",), "The panel's API has no filters of spam.")
_LOST_OF_DOMAINS = (LostColumn("relay_host", (), "The panel's API knows no relay for a domain."),)
_LOST_OF_MAILBOXES = (
    LostColumn("autoresponder", ("n",), "The panel's API has no autoresponders."),
    LostColumn("move_junk", ("y",), "The panel's API has no filters of spam."),
    LostColumn("purge_trash_days", ("0",), "The panel deletes no old messages."),
    LostColumn("purge_junk_days", ("0",), "The panel deletes no old messages."),
    LostColumn("sender_cc", (), "The panel copies no sent messages."),
    LostColumn("forward_in_lda", ("n",), "The panel copies messages before it filters them."),
    LostColumn("backup_interval", ("none",), "Backups are settings of the panel's server."),
    _GREYLISTING,
)
_NO_REFUSAL = "The mailbox receives no mail at the source, and the panel cannot switch that off."
_UNREAD = frozenset({"disableimap", "disablepop3"})
_SWITCHES = (
    "disableimap", "disablepop3", "disabledeliver", "disablesmtp", "disablesieve",
    "disablesieve-filter",
)  # fmt: skip
_LOST_OF_FORWARDS = (
    LostColumn("allow_send_as", ("n",), "The panel decides itself who may send as an address."),
    _GREYLISTING,
)


@dataclass(frozen=True)
class Mail:
    """The mail of a source, in the order of its rows."""

    domains: tuple[MailDomain, ...]
    mailboxes: tuple[Mailbox, ...]
    forwards: tuple[Forward, ...]
    catch_alls: tuple[CatchAll, ...]
    alias_domains: tuple[MailAliasDomain, ...]
    left_out: tuple[LeftOut, ...]


def read_mail(tables: Tables, owners: Owners) -> Mail:
    """Return the mail of a source.

    Args:
        tables: The tables of the source.
        owners: Whose the rows are.
    """
    reading = _Mail(owners)
    domains = owners.read_rows(tables, _DOMAINS, reading.read_mail_domain)
    mailboxes = owners.read_rows(tables, MAILBOXES, reading.read_mailbox)
    forwardings = owners.read_rows(tables, _FORWARDINGS, reading.read_forwarding)
    targets = forwardings.entries
    return Mail(
        domains=domains.entries,
        mailboxes=mailboxes.entries,
        forwards=tuple(entry for entry in targets if isinstance(entry, Forward)),
        catch_alls=tuple(entry for entry in targets if isinstance(entry, CatchAll)),
        alias_domains=tuple(entry for entry in targets if isinstance(entry, MailAliasDomain)),
        left_out=(*domains.left_out, *mailboxes.left_out, *forwardings.left_out),
    )


@dataclass(frozen=True)
class _Mail:
    """Reads rows of mail."""

    owners: Owners

    def read_mail_domain(self, row: Row, origin: Origin) -> MailDomain:
        """Return a row as a domain with mail."""
        customer = self.owners.require_owner(row)
        name = read_domain(row, "domain")
        omitted = list(read_fields_left_out(row, _LOST_OF_DOMAINS))
        has_key = is_yes(row, "dkim") or bool(read_prose(row, "dkim_private"))
        if has_key:
            omitted.append(FieldLeftOut("dkim", "The panel makes its own key."))
        return MailDomain(
            origin,
            customer,
            name,
            is_active=self.owners.is_on(_DOMAINS, row),
            selector=read_prose(row, "dkim_selector") if has_key else "",
            fields_left_out=tuple(omitted),
        )

    def read_mailbox(self, row: Row, origin: Origin) -> Mailbox:
        """Return a row as a mailbox."""
        customer = self.owners.require_owner(row)
        address = _require_address(row, "email")
        omitted = list(read_fields_left_out(row, _LOST_OF_MAILBOXES))
        if _has_own_lines(read_prose(row, "custom_mailfilter")):
            reason = "The panel's API has no filters of mailboxes."
            omitted.append(FieldLeftOut("custom_mailfilter", reason))
        switches = self._list_switches(row)
        omitted.extend(FieldLeftOut(column, _NO_SWITCH) for column in switches)
        receives = self.owners.is_on(MAILBOXES, row, "postfix")
        is_active = receives or not ("disablesmtp" in switches or _UNREAD.issubset(switches))
        if is_active and not receives:
            omitted.append(FieldLeftOut("postfix", _NO_REFUSAL))
        return Mailbox(
            origin,
            customer,
            address,
            _read_quota(row, omitted),
            hash=read_prose(row, "password"),
            copies=split_targets(read_prose(row, "cc")),
            description=read_prose(row, "name"),
            login=read_prose(row, "login"),
            is_active=is_active,
            fields_left_out=tuple(omitted),
        )

    def _list_switches(self, row: Row) -> list[str]:
        """Return the protocols that are off, apart from those that a lock switched off."""
        columns = [column for column in _SWITCHES if is_yes(row, column)]
        if "disablesmtp" in columns and self.owners.is_set_by_lock(MAILBOXES, row, "disablesmtp"):
            columns.remove("disablesmtp")
        if read_prose(row, "access") == "n":
            columns.append("access")
        return columns

    def read_forwarding(self, row: Row, origin: Origin) -> Forwarding:
        """Return a row as what its type says."""
        customer = self.owners.require_owner(row)
        kind = read_text(row, "type")
        if kind not in _TYPES:
            raise NoObject("The type of this forward is unknown.")
        if not self.owners.is_on(_FORWARDINGS, row):
            raise NoObject(OFF_AT_SOURCE)
        source = read_text(row, "source").strip()
        if kind == _ALIAS_DOMAIN:
            return MailAliasDomain(
                origin, customer, _read_part(row, "source"), _read_part(row, "destination")
            )

        targets = split_targets(read_text(row, "destination"))
        if not targets:
            raise NoObject("It leads nowhere.")
        omitted = read_fields_left_out(row, _LOST_OF_FORWARDS)
        if kind == _CATCH_ALL or source.startswith("@"):
            domain = _read_part(row, "source")
            return CatchAll(origin, customer, domain, targets, fields_left_out=omitted)
        return Forward(
            origin,
            customer,
            _require_address(row, "source"),
            targets,
            is_alias=kind == _ALIAS,
            fields_left_out=omitted,
        )


def _has_own_lines(text: str) -> bool:
    """Tell whether a text of filters has more than the blocks that the panel wrote."""
    block_id = ""
    for line in text.splitlines():
        beginning = _BEGINNING.fullmatch(line)
        if not block_id and beginning:
            block_id = beginning[1]
        elif block_id and line.strip() == f"{_END}{block_id}":
            block_id = ""
        elif not block_id and line.strip():
            return True
    return bool(block_id)  # a block without an end is no block


def _require_address(row: Row, column: str) -> str:
    """Return an address.

    Raises:
        NoObject: It is none.
    """
    try:
        return normalize_address(check_length(read_text(row, column)))
    except ValueError:
        raise NoObject("Its address is none.") from None


def _read_part(row: Row, column: str) -> str:
    """Return the domain of a column that has it behind an at sign.

    Raises:
        NoObject: It has none.
    """
    local, sign, domain = read_text(row, column).strip().rpartition("@")
    if local or not sign:
        raise NoObject("It stands for no whole domain.")
    return read_domain({column: domain}, column)


def _read_quota(row: Row, omitted: list[FieldLeftOut]) -> int:
    """Return how many bytes a mailbox may have; -1 for one without a limit."""
    number = read_number(row, "quota")
    if number is None or number < _UNLIMITED:
        omitted.append(FieldLeftOut("quota", "The size is no number."))
        return _UNLIMITED
    return number or _UNLIMITED
