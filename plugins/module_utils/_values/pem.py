# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys in PEM. Private to the collection."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from .value_types import ValueType

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
# OpenSSL writes this block before keys on elliptic curves; the key itself says it again.
_PARAMETERS = "EC PARAMETERS"


def pem_blocks(text: str) -> tuple[tuple[str, bytes], ...]:
    """(label, content) of every block in its order; lines before a block and headers inside it do not count."""
    blocks = []
    for label, inside in _BLOCK.findall(text.replace("\r\n", "\n")):
        lines = [line.strip() for line in inside.split("\n")]
        encoded = "".join(line for line in lines if ":" not in line)
        try:
            blocks.append((label, base64.b64decode(encoded, validate=True)))
        except binascii.Error:
            raise ValueError from None
    return tuple(blocks)


class Pem(ValueType):
    """PEM text of blocks whose labels end with ``label``; sent as it is written but for line ends, compared by content.

    An empty text clears it where ``clearable`` is set.
    """

    # A private key in the place of a certificate is a mistake that no message may print.
    is_shown = False

    def __init__(self, label: str, clearable: bool = False) -> None:
        self.label, self.clearable = label, clearable
        self.form = f"PEM text with -----BEGIN {label}-----" + (", or an empty text to clear it" if clearable else "")

    def parse(self, value: Any) -> str:
        text = str(value).replace("\r\n", "\n").strip()
        if not text and self.clearable:
            return ""
        blocks = [(label, content) for label, content in pem_blocks(text) if label != _PARAMETERS]
        if not blocks or not all(content and label.endswith(self.label) for label, content in blocks):
            raise ValueError
        return text + "\n"

    def comparable(self, value: Any) -> Any:
        if not value:
            return ()
        if not isinstance(value, str):
            return value
        try:
            # The label differs between forms of one key only when its content does too, so it is left out.
            blocks = [content for label, content in pem_blocks(value) if label != _PARAMETERS]
            return tuple(sorted(blocks)) or value.strip()
        except ValueError:
            return value.strip()
