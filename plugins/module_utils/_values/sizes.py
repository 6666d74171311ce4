# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Byte quantities. Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .value_types import ValueType

# Interface, "Byte values": powers of 1024; decimals are not allowed.
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_MOST = 2**63 - 1  # what a panel can keep
_FORM = re.compile(r"(\d+)([KMGTP]?)", re.ASCII)


class ByteSize(ValueType):
    """Bytes as a whole number or with K, M, G, T or P; sent as a number. -1 is unlimited where ``unlimited`` is set."""

    option_type = "str"

    def __init__(self, least: int = 1, unlimited: bool = True) -> None:
        self.least, self.unlimited = least, unlimited
        self.form = (
            f"a whole number of bytes from {least}, or a whole number with K, M, G, T or P (1G is 1073741824; less than 8192P); "
            "decimals are not allowed" + ("; -1 is unlimited" if unlimited else "")
        )

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
