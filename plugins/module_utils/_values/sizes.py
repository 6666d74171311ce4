# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Byte quantities, and how people read and write them. Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .value_types import ValueType

# Interface, "Byte values": powers of 1024; decimals are not allowed.
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_MOST = 2**63 - 1  # what a panel can keep
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_FORM = re.compile(r"(\d+)([KMGTP]?)", re.ASCII)


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
    while rest and rest % 1024 == 0 and power < len(_POWERS) - 1:
        rest, power = rest // 1024, power + 1
    # A number of bytes that is none of kilobytes is one that nobody wrote.
    if power or abs(size) < 1024:
        return f"{rest}{list(_POWERS)[power]}"
    return f"{size} ({size_text(size)})".replace("\u00a0", " ")


class ByteSize(ValueType):
    """Bytes as a whole number or with K, M, G, T or P; sent as a number. -1 is unlimited where ``unlimited`` is set."""

    option_type = "str"

    def __init__(self, least: int = 1, unlimited: bool = True) -> None:
        self.least, self.unlimited = least, unlimited
        self.form = f"a whole number of bytes from {least}, or one with K, M, G, T or P such as 1536M"
        self.form += "; -1 is unlimited" if unlimited else ""

    def parse(self, value: Any) -> int:
        size = _bytes(value)
        if size is None or size > _MOST or not (size >= self.least or (self.unlimited and size == -1)):
            raise ValueError
        return size

    def comparable(self, value: Any) -> Any:
        size = _bytes(value)
        return value if size is None else size

    def typed(self, shown: Any) -> Any:
        return self.comparable(shown)

    def same(self, wanted: Any, current: Any) -> bool:
        # True equals 1 in Python, but a switch is not a quantity.
        return not isinstance(current, bool) and super().same(wanted, current)


def _bytes(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text == "-1":
        return -1
    match = _FORM.fullmatch(text)
    return int(match[1]) * 1024 ** _POWERS[match[2]] if match else None
