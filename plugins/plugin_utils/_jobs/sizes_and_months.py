# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes as people read and write them, and months as the panel names them. Pure. Private to the collection."""

from __future__ import annotations

import datetime

_LETTERS = ("", "K", "M", "G", "T", "P")
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_text(value: float | None) -> str:
    """Bytes with a unit, three digits at most before it; a dash where the number is not known."""
    if value is None:
        return "–"
    amount, unit = float(value), _UNITS[0]
    for unit in _UNITS:
        if abs(amount) < 999.5 or unit == _UNITS[-1]:
            break
        amount /= 1024
    digits = 1 if unit != "B" and abs(amount) < 99.95 and amount else 0
    return f"{amount:.{digits}f}\u00a0{unit}"


def size_in_units(size: int) -> str:
    """Bytes as people write them in playbooks: 10737418240 as 10G where that is the same, else the number and what it comes to; -1 is unlimited."""
    if size == -1:
        return "unlimited"
    power, rest = 0, size
    while rest and rest % 1024 == 0 and power < len(_LETTERS) - 1:
        rest, power = rest // 1024, power + 1
    # A number of bytes that is none of kilobytes is one that nobody wrote.
    if power or abs(size) < 1024:
        return f"{rest}{_LETTERS[power]}"
    return f"{size} ({size_text(size)})".replace("\u00a0", " ")


def months_until(day: datetime.date, count: int) -> list[str]:
    """So many months as YYYY-MM (facts.md section 4.3), the last of them the one of the day."""
    last = day.year * 12 + day.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - count + 1, last + 1)]
