# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts in TXT records, and the zone's DKIM record. Pure. Private to the collection.

A text may be written bare, in quotes, or in several quoted pieces, since one piece holds 255 bytes at most (RFC 1035): they are all
the same text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PLACEHOLDER = "<DKIM_RECORD_VALUE>"  # interface, "DNS placeholder"
LONGEST_PIECE = 255
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PIECES = re.compile(r'\(?\s*"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*\s*\)?', re.DOTALL)
_ESCAPE = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
# facts.md section 6: "selector._domainkey IN TXT ( quoted chunks )"
_WHOLE_RECORD = re.compile(r"\s*\S+\s+(?:\d+\s+)?(?:IN\s+)?(?:\d+\s+)?TXT\s+(.*)", re.DOTALL | re.IGNORECASE)
_DKIM_HOST = re.compile(r"[^.]+\._domainkey", re.IGNORECASE)


def text_of(value: str) -> str:
    """The text that a value stands for, without quotes and escapes and in one piece."""
    stripped = value.strip()
    return _joined(stripped) if _PIECES.fullmatch(stripped) else stripped


def _joined(value: str) -> str:
    pieces = (_ESCAPE.sub(_unescaped, piece.encode()) for piece in _PIECE.findall(value))
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if escaped.isdigit() and len(escaped) == 3:
        return bytes([min(int(escaped), 255)])
    return escaped


def in_pieces(value: str) -> str:
    """The value as it is sent: a bare text that is longer than one piece is quoted and split, everything else stays as it is."""
    content = value.encode()
    if _PIECES.fullmatch(value) or len(content) <= LONGEST_PIECE:
        return value
    pieces: list[str] = []
    while content:
        end = LONGEST_PIECE
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end -= 1  # not inside a character of several bytes
        pieces.append(content[:end].decode().replace("\\", "\\\\").replace('"', '\\"'))
        content = content[end:]
    return " ".join(f'"{piece}"' for piece in pieces)


def dkim_text(zone: Mapping[str, Any]) -> str | None:
    """The text that the placeholder stands for: that of ``dkim_record``, else of the only DKIM record shown; None where neither tells."""
    whole = zone.get("dkim_record")
    if isinstance(whole, str) and whole.strip():
        match = _WHOLE_RECORD.fullmatch(whole)
        value = match[1] if match else whole
        return _joined(value) if _PIECE.search(value) else value.strip()
    shown = {
        text_of(record["value"])
        for record in zone["records"]["other"]
        if str(record["type"]).upper() == "TXT" and _DKIM_HOST.match(record["host"])
    }
    shown.discard(PLACEHOLDER)
    return shown.pop() if len(shown) == 1 else None
