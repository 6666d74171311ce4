# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects may never be deleted, however their names are spelled. Pure. Private to the collection."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from .._kinds.registry import TABLES
from .._schema.kind import Kind

_PUNYCODE = re.compile(r"\bxn--[a-z0-9-]+")
_DOTS = re.compile("[\u3002\uff0e\uff61]")  # what stands for a dot in domains of other scripts


class _Name(NamedTuple):
    """A name, or a pattern for names, in the forms in which it is compared.

    parts: as the options of an item of the kind read them. spellings: in lower case as it is written, and in the letters of its language.
    """

    parts: tuple[Any, ...]
    spellings: tuple[str, ...]

    def fits(self, key: _Name) -> bool:
        """Whether it is the object's name, which may have brackets in it, or a pattern for it."""
        return self.parts == key.parts or _fits(self.spellings, key.spellings)


class Protection:
    """What the option ``protect`` says. given: by plural kind names and shell patterns."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        self._given = {kind: {text: _name(kind, text) for text in texts} for kind, texts in given.items()}

    def covers(self, kind: str, key: str) -> bool:
        """Whether the object with this natural key may never be deleted."""
        names = self._given.get(kind)
        if not names:
            return False
        shown = _name(kind, key)
        return any(name.fits(shown) for name in names.values())

    def fitting_nothing(self, kind: str, keys: Iterable[str]) -> list[str]:
        """What is given for this kind and fits none of these keys."""
        left = dict(self._given.get(kind, {}))
        for key in keys if left else ():
            shown = _name(kind, key)
            left = {text: name for text, name in left.items() if not name.fits(shown)}
        return list(left)


def is_name_or_pattern(given: str, name: str) -> bool:
    """The same for a name of any kind, of a client, a mailbox or a database."""
    return _fits(_spellings([given]), _spellings([name]))


def _name(kind: str, text: str) -> _Name:
    parts = _split(TABLES[kind], text)
    return _Name(tuple(_read(row.type, part) for row, part in zip(TABLES[kind].key, parts)), _spellings(parts))


def _fits(given: Sequence[str], shown: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern, name in zip(given, shown))


def _spellings(parts: Iterable[str]) -> tuple[str, str]:
    written = ":".join(_written(part) for part in parts)
    return written, unicodedata.normalize("NFC", _PUNYCODE.sub(_decoded, written))


def _split(kind: Kind, text: str) -> list[str]:
    """The parts of a natural key: the first and the last have no colon in them, the one between them may."""
    first, *rest = text.split(":", 1 if len(kind.key) > 1 else 0)
    return [first, *(rest[0].rsplit(":", len(kind.key) - 2) if rest and len(kind.key) > 2 else rest)]


def _read(value_type: Any, part: str) -> Any:
    """As an item reads it; what no item may be named by stays as it is."""
    try:
        return value_type.comparable(value_type.parse(part.strip()))
    except (ValueError, TypeError):
        return part


def _written(part: str) -> str:
    """Without what has no meaning in a name: blanks around it, case, other widths of letters, a dot at its end."""
    return unicodedata.normalize("NFKC", _DOTS.sub(".", part)).strip().rstrip(".").lower()


def _decoded(label: re.Match[str]) -> str:
    """A label of a domain in letters. Patterns are compared so, since they could not be turned into punycode."""
    try:
        return label[0][4:].encode().decode("punycode")
    except UnicodeError:
        return label[0]
