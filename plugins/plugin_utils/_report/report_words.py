# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report says: a few lines for the run's output, and numbers, days and names as people read them. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

_RESOURCES = {
    "disk_space": "disk space",
    "email_accounts": "mailboxes",
    "email_addresses": "e-mail addresses",
    "email_forwardings": "forwardings",
    "ftp_users": "FTP users",
    "scheduled_tasks": "scheduled tasks",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# By area: what is said of the bad ones, and of those that come near.
_AREAS = {
    "servers": ("not read or full", "with something to look at"),
    "limits": ("over or at a limit", "near a limit"),
    "mailboxes": ("full", "nearly full"),
    "certificates": ("ended or urgent", "ending soon"),
    "mail_dns": ("whose mail gets lost or can be forged", "with mail DNS to mend"),
    "errors": ("in the state of error", ""),
    "duplicates": ("", "on several servers"),
    "drift": ("not compared", "different from the export"),
}
_NOUNS = {
    "limits": "client",
    "mailboxes": "mailbox",
    "mail_dns": "domain",
    "duplicates": "name",
    "drift": "object",
    "errors": "object",
}
_TITLES = {"mail_dns": "mail DNS"}
_BAD_NOUNS = {"drift": "panel"}
_PLURALS = {"mailbox": "mailboxes"}


def amount(value: int | None) -> str:
    """A count, its thousands apart."""
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Percent without decimals, rounded down, so that 99.6 does not look full."""
    if value is None:
        return "–"
    return "over\u00a0999\u00a0%" if value >= 999 else f"{int(value)}\u00a0%"


def resource(name: str) -> str:
    """What people call a resource of the statistics, or a kind of object."""
    return _RESOURCES.get(name, name.replace("_", " "))


def month(name: str) -> str:
    """A month YYYY-MM in three letters, January with its year."""
    year, _dash, number = name.partition("-")
    word = _MONTHS[int(number) - 1]
    return f"{word} {year}" if number == "01" else word


def day(name: str | None) -> str:
    """A day YYYY-MM-DD in words that are the same everywhere."""
    if name is None:
        return "unknown"
    found = datetime.date.fromisoformat(name)
    return f"{found.day}\u00a0{_MONTHS[found.month - 1]}\u00a0{found.year}"


def remaining(days: int | None) -> str:
    """How long that is."""
    if days is None:
        return "unknown"
    if days < 0:
        return "ended yesterday" if days == -1 else f"ended {-days} days ago"
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun."""
    return f"{amount(number)} {one if number == 1 else several or one + 's'}"


def lines(report: Mapping[str, Any]) -> list[str]:
    """The size of the fleet, and one line for each area that needs attention."""
    servers = report["servers"]
    read = sum(1 for server in servers if not server["failure"])
    found = [f"{read} of {counted(len(servers), 'server')} read, {counted(len(report['clients']), 'client')}"]
    for area, (bad, near) in _AREAS.items():
        counts = report["summary"][area]
        noun = _NOUNS.get(area, area[:-1])
        nouns = {"bad": _BAD_NOUNS.get(area, noun), "near": noun}
        parts = [
            f"{counted(counts[level], nouns[level], _PLURALS.get(noun, ''))} {said}"
            for level, said in (("bad", bad), ("near", near))
            if counts[level]
        ]
        if parts:
            found.append(f"{_TITLES.get(area, area)}: {', '.join(parts)}")
    return found if len(found) > 1 else [*found, "nothing needs attention"]
