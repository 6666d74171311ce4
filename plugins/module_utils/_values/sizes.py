# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of bytes: as panels show them, as options take them, and as people read them."""

from __future__ import annotations

import re
from typing import Any

from .answer_forms import NUMBER, AnswerForm, OddValue
from .value_types import Integer

# Powers of 1024, without decimals (docs/panel_api.md#byte-sizes).
_PREFIXES = ("", "K", "M", "G", "T", "P")
_SIZE = re.compile(r"(\d+)([KMGTP]?)", re.ASCII)
_LONGEST_SIZE = 20  # of a text that a panel may show
_MOST_BYTES = 2**63 - 1  # what a panel can keep


class SizeForm(AnswerForm):
    """Takes a number of bytes, which a panel may also write with a unit."""

    description = "a number of bytes"

    def read(self, value: Any) -> Any:
        """Return the number of bytes."""
        number = value
        if isinstance(value, str) and len(value) <= _LONGEST_SIZE:
            match = _SIZE.fullmatch(value)
            if match:
                number = _count_bytes(match)

        try:
            return NUMBER.read(number)
        except OddValue:
            raise OddValue(value, self.description) from None


def _count_bytes(match: re.Match[str]) -> int:
    return int(match[1]) << (10 * _PREFIXES.index(match[2]))


class ByteSize(Integer):
    """Takes bytes as a whole number or with K, M, G, T or P, and sends a number. -1 is unlimited
    where ``unlimited`` is set.
    """

    option_type = "str"
    answer_form = SizeForm()

    def __init__(self, least: int = 1, unlimited: bool = True) -> None:
        """Prepare to read. least: the smallest number of bytes."""
        super().__init__(least, _MOST_BYTES, unlimited)
        self.form = (
            f"a whole number of bytes from {least}, or one with K, M, G, T or P such as 1536M"
        )
        if unlimited:
            self.form += "; -1 is unlimited"

    def _read_number(self, value: Any) -> int:
        if not isinstance(value, str):
            return super()._read_number(value)

        text = value.strip()
        match = _SIZE.fullmatch(text)
        if match:
            return _count_bytes(match)
        if text != "-1":
            raise ValueError
        return -1


def format_size(size: float | None) -> str:
    """Return bytes with a unit, three digits at most before it; a dash where the number is not
    known.
    """
    if size is None:
        return "–"

    power = 0
    while power < len(_PREFIXES) - 1 and abs(size) >= 999.5 * 1024**power:
        power += 1
    if power == 0:
        return f"{size:.0f}\u00a0B"

    amount = size / 1024**power
    digits = 0
    if abs(amount) < 99.95:
        digits = 1
    return f"{amount:.{digits}f}\u00a0{_PREFIXES[power]}iB"


def format_size_as_option(size: int) -> str:
    """Return bytes as people write them in playbooks: 10737418240 as 10G where that is the same,
    else the number and what it comes to; -1 is unlimited.
    """
    if size == -1:
        return "unlimited"

    power = 0
    while size and power < len(_PREFIXES) - 1 and size % 1024 ** (power + 1) == 0:
        power += 1
    # A number of bytes that is none of kilobytes is one that nobody wrote.
    if power or abs(size) < 1024:
        return f"{size // 1024**power}{_PREFIXES[power]}"
    return f"{size} ({format_size(size)})".replace("\u00a0", " ")
