# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that are measured: mailboxes with an address, a description and a size, in domains of a hundred each."""

from __future__ import annotations

from enum import Enum
from typing import Any

DOMAIN_SIZE = 100
GIBIBYTE = 2**30

Mailbox = dict[str, Any]


class Start(Enum):
    """How the panel is before a run; after it, it is always as wanted."""

    UNCHANGED = "nothing to do"
    CHANGED = "5 % differ"
    ALL_CHANGED = "all differ"
    NEW = "all are missing"


def step_of(start: Start) -> int:
    """Return how far it is from one mailbox that differs to the next, 0 if none differs."""
    return {Start.CHANGED: 20, Start.ALL_CHANGED: 1}.get(start, 0)


def wanted(count: int, *, with_passwords: bool = False) -> list[Mailbox]:
    """Return `count` mailboxes: ``{"email", "description", "max_size"}`` with bytes, and ``"password"`` on demand."""
    mailboxes: list[Mailbox] = []
    for number in range(count):
        mailbox = {
            "email": f"box{number:05}@{domain_name(number // DOMAIN_SIZE)}",
            "description": f"Mailbox number {number}",
            "max_size": GIBIBYTE * (1 + number % 5),
        }
        if with_passwords:
            mailbox["password"] = f"Secret-of-{number:05}-{number * 7919 % 104729:06}"
        mailboxes.append(mailbox)
    return mailboxes


def domain_name(number: int) -> str:
    """Return the name of one of the domains."""
    return f"site{number:04}.example"


def surroundings(count: int) -> dict[str, list[dict[str, str]]]:
    """Return a seed with the clients and domains that `count` mailboxes need."""
    numbers = range((count + DOMAIN_SIZE - 1) // DOMAIN_SIZE)
    return {
        "clients": [{"username": f"client{number:04}"} for number in numbers],
        "domains": [{"domain": domain_name(number), "client": f"client{number:04}"} for number in numbers],
    }


def outdated(mailboxes: list[Mailbox], start: Start) -> list[Mailbox]:
    """Return the mailboxes that differ at the start, as the panel has them then."""
    step = step_of(start)
    return [{**mailbox, "description": "Before the change"} for mailbox in mailboxes[::step]] if step else []


def differences(mailboxes: list[Mailbox], found: list[Mailbox]) -> list[str]:
    """Return the addresses of which the panel has not exactly what is wanted; passwords are not shown by a panel."""
    members = ("email", "description", "max_size")
    present = {mailbox["email"]: tuple(mailbox[name] for name in members) for mailbox in found}
    needed = {mailbox["email"]: tuple(mailbox[name] for name in members) for mailbox in mailboxes}
    return sorted(email for email in {*present, *needed} if present.get(email) != needed.get(email))
