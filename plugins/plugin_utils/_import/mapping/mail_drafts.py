# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings together what a source says of each address: a mailbox, forwards and other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ....module_utils._errors import PanelError
from ....module_utils._problems import abbreviate
from ....module_utils._secrets.secret_forms import mask_secret_forms
from ....module_utils._values.names import ForwardingAddress, MailboxAddress
from ....module_utils._values.unsendable import describe_unsendable
from ....module_utils._values.value_types import quote_value
from ..._import_source.source_shape import CatchAll, Forward, Mailbox
from ..import_ledger import ORPHAN, Ledger, RowName
from ..naming.command_names import HIDDEN, name_command

KIND = "emails"
_ADDRESS = MailboxAddress()
_TARGET = ForwardingAddress()
_MOST_NAMED = 5
_NO_ADDRESS = "It is no address that the panel takes."
_NO_MAIL_DOMAIN = "{} is no domain with mail in this import."
_OF_ANOTHER = "The domain {} belongs to another customer."
_REFUSED_TARGETS = "The panel forwards to addresses only, and not to {}."


@dataclass
class Draft:
    """An object of mail of the folder.

    Attributes:
        customer: The username of the owner at the source.
        address: The address as the panel keeps it.
        mailbox: The row with the storage; None for an address that only forwards.
        rows: All rows that the object stands for.
        forwardings: The addresses that get each message, each once.
        aliases: Other addresses of it.
        is_catch_all: Whether it gets the mail of all other addresses of its domain.
        description: What people call it.
        fields_left_out: What of a row is not carried: the row, the field and the reason.
    """

    customer: str
    address: str
    mailbox: Mailbox | None = None
    rows: list[RowName] = field(default_factory=list)
    forwardings: dict[str, None] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    is_catch_all: bool = False
    description: str = ""
    fields_left_out: list[tuple[RowName, str, str]] = field(default_factory=list)

    @property
    def domain(self) -> str:
        """Return the domain of the address."""
        return get_domain(self.address)

    def add_rows(self, rows: Sequence[RowName], entries: Sequence[Forward | CatchAll]) -> None:
        """Add rows that are a part of the object, with what the reader leaves out of them."""
        self.rows += rows
        for row, entry in zip(rows, entries):
            for omitted in entry.fields_left_out:
                self.fields_left_out.append((row, omitted.field, omitted.reason))


@dataclass
class Drafts:
    """All objects of mail, by address, and the names that are taken.

    Attributes:
        ledger: Gets what became of rows that do not arrive.
        mail_domains: The domains with mail, and their customers.
        by_address: The objects.
        holders: By each address and alias the object that has it.
    """

    ledger: Ledger
    mail_domains: Mapping[str, str]
    by_address: dict[str, Draft] = field(default_factory=dict)
    holders: dict[str, Draft] = field(default_factory=dict)

    def find_refusal(self, row: RowName, address: str | None) -> str:
        """Return why the panel has no such address of this customer; empty where it may."""
        if row.customer not in self.ledger.usernames:
            return ORPHAN
        if address is None:
            return _NO_ADDRESS
        domain = get_domain(address)
        if domain not in self.mail_domains:
            return _NO_MAIL_DOMAIN.format(domain)
        if self.mail_domains[domain] != row.customer:
            return _OF_ANOTHER.format(domain)
        return ""

    def add(self, draft: Draft) -> Draft:
        """Add an object."""
        self.by_address[draft.address] = draft
        self.holders[draft.address] = draft
        return draft

    def add_alias(self, draft: Draft, alias: str) -> None:
        """Give an object another address."""
        draft.aliases[alias] = None
        self.holders[alias] = draft


def get_domain(address: str) -> str:
    """Return the domain of an address."""
    return address.rpartition("@")[2]


def read_mail_address(text: str) -> str | None:
    """Return the address of a mailbox as the panel keeps it; None for what is none."""
    try:
        address: str = _ADDRESS.parse(text)
    except (ValueError, PanelError):
        return None
    if describe_unsendable(address):
        return None
    return address


@dataclass
class CheckedTargets:
    """Where mail shall go.

    Attributes:
        addresses: What the panel takes, each once.
        refused: The others, as messages show them.
    """

    addresses: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def describe_refused(self) -> str:
        """Say which targets the panel does not take."""
        names = abbreviate(self.refused, _MOST_NAMED)
        return _REFUSED_TARGETS.format(names)


def check_targets(targets: Iterable[str]) -> CheckedTargets:
    """Part the targets that the panel takes from the others."""
    checked = CheckedTargets()
    for target in targets:
        if not target.strip():
            continue
        try:
            address: str = _TARGET.parse(target)
            if describe_unsendable(address):
                raise ValueError
        except (ValueError, PanelError):
            checked.refused.append(_show_target(target))
            continue
        checked.addresses.setdefault(_TARGET.normalize(address), address)
    return checked


def _show_target(target: str) -> str:
    """Return a target as messages show it: what follows a program or a word may be a password."""
    text = target.strip().strip('"').strip()
    if text.startswith("|"):
        return quote_value(f"|{name_command(text[1:].strip())}")
    first, _blank, more = text.partition(" ")
    name = quote_value(mask_secret_forms(first))
    return f"{name} {HIDDEN}" if more else name
