# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a recorded conversation: JSON lines, the first of which says what it is. README.md describes them."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from panel_simulator.recording.vocabulary import kept_headers, nearest_type

FORMAT, VERSION = "hosting.panel conversation", 1
LONGEST_BODY = 2**26  # bytes; what is played is made of the length alone
DEEPEST, _LONGEST_TITLE = 100, 2000
STATUSES = range(200, 600)  # of whole answers


class ConversationFile:
    """One that is written, exchange by exchange, for its owner's eyes only; raises OSError, also where the file exists."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        except FileExistsError:
            raise FileExistsError(
                f"{path} exists; a recording is not continued, since the same name would get another pseudonym"
            ) from None
        self.append({"format": FORMAT, "version": VERSION})

    def append(self, entry: Mapping[str, Any]) -> None:
        """One more line, whole."""
        left = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        while left:
            left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Nothing more comes."""
        os.close(self._file)


def read_conversation(path: Path, say: Callable[[str], None] = lambda _words: None) -> list[dict[str, Any]]:
    """The entries of a file. Raises ValueError with one sentence, or OSError.

    say: is told of a last line that was not written to its end, which is left out.
    """
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no recorded conversation: it is not text.") from None
    header = _decoded(lines[0])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"{path} is no recorded conversation: its first line does not say so.")
    if header.get("version") != VERSION:
        raise ValueError(
            f"{path} has another version of the format than {VERSION}, which is the one that is read here."
        )
    entries = [_decoded(line) for line in lines[1:-1]]
    if last := _decoded(lines[-1]):
        entries.append(last)
    elif lines[-1]:
        say(f"{path}: line {len(lines)}, the last one, was not written to its end, and is left out.")
    for number, entry in enumerate(entries, start=2):
        wrong = _wrong(entry)
        if wrong:
            raise ValueError(f"{path} is no whole recorded conversation: in line {number} {wrong}.")
    return entries


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_status(value: Any) -> bool:
    return value is None or (_is_number(value) and value in STATUSES)


def _is_target(value: Any) -> bool:
    return _is_text(value) and value.startswith("/")


def _is_header(name: str, value: Any) -> bool:
    return _is_text(value) and kept_headers({name: value}) == {name: value}


# What is looked for when an entry is played. The rest is for people.
_REQUIRED: dict[str, dict[str, Callable[[Any], bool]]] = {
    "request": {"method": _is_text, "target": _is_target},
    "answer": {"status": _is_status},
}
_MORE = {"status": f": it must be from {STATUSES[0]} to {STATUSES[-1]}, or null"}
_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "type": lambda value: value in (None, "other") or (_is_text(value) and nearest_type(value) == value),
    "length": lambda value: _is_number(value) and value <= LONGEST_BODY,
    "title": lambda value: _is_text(value) and len(value) <= _LONGEST_TITLE,
    "headers": lambda value: isinstance(value, dict) and all(itertools.starmap(_is_header, value.items())),
    "json": lambda value: depth_of(value) <= DEEPEST,
}


def _wrong(entry: Any) -> str:
    """What is wrong with an entry, empty for nothing."""
    for part, members in _REQUIRED.items():
        found = entry.get(part) if isinstance(entry, dict) else None
        if not isinstance(found, dict):
            return f"there is no {part}"
        for name, fits in members.items():
            if name not in found or not fits(found[name]):
                return f"{part}.{name} is missing or wrong{_MORE.get(name, '')}"
        for name, fits in _ALLOWED.items():
            if name in found and not fits(found[name]):
                return f"{part}.{name} is wrong"
    return ""


def depth_of(value: Any) -> int:
    """How deep lists and objects are in each other."""
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting += [(item, depth + 1) for item in inner]
        deepest = max(deepest, depth)
    return deepest
