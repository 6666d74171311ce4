# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, days and names as people read them on the page. Pure. Private to the collection."""

from __future__ import annotations

import datetime

_RESOURCES = {
    "disk_space": "disk space",
    "email_accounts": "mailboxes",
    "email_addresses": "e-mail addresses",
    "email_forwardings": "forwardings",
    "ftp_users": "FTP users",
    "scheduled_tasks": "scheduled tasks",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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
