# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and shell patterns of objects, as the options protect and the filters take them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from .._kinds.registry import KINDS
from .._schema.kind import Kind
from .._values.names import fold_spelling


@lru_cache(10_000)
def _list_spellings(text: str, plural: str) -> tuple[str, ...]:
    """A name or pattern without what has no meaning in it.

    Returns:
        Case, width and blanks around it taken away, domains in letters; then domains as they are
        written; then, for a name of a kind, each part as the option takes it.
    """
    spellings = [fold_spelling(text), text.strip().lower()]
    if plural:
        spellings.append(_as_options_take_it(KINDS[plural], text))
    return tuple(spellings)


def _as_options_take_it(kind: Kind, name: str) -> str:
    """Return the natural key with each part in the normal form of its option, and without case;
    another text without case alone.
    """
    parts = [name]
    if len(kind.key) > 1:
        # The first part is a name without a colon, which a path behind it may have.
        head, _colon, tail = name.partition(":")
        parts = [head, *tail.rsplit(":", len(kind.key) - 2)]
    if len(parts) != len(kind.key):
        return fold_spelling(name)

    normal = []
    for field, text in zip(kind.key, parts):
        normal.append(fold_spelling(str(field.type.normalize(text.strip()))))
    return ":".join(normal)


class NamePatterns:
    """Names and shell patterns of one kind, each in every spelling.

    Thousands of names are looked up in a table: only what has a wildcard is compared with one name
    after another.
    """

    def __init__(self, entries: Iterable[Any], plural: str = "") -> None:
        """Read the entries.

        Args:
            entries: Names and patterns. Null, as an empty entry is, fits nothing.
            plural: The kind of what they name, where that is known.
        """
        self._plural = plural
        self._entries = list(entries)
        spelled = [
            _list_spellings(str(entry), plural) for entry in self._entries if entry is not None
        ]
        self._names = _group_by_position(spelled)
        self._patterns = [spellings for spellings in spelled if _has_wildcard(spellings)]

    def fits(self, name: str) -> bool:
        """Tell whether one of the entries is the name in any spelling, or a pattern for it."""
        spellings = _list_spellings(name, self._plural)
        if _is_among(spellings, self._names):
            return True
        return any(any(map(fnmatchcase, spellings, pattern)) for pattern in self._patterns)

    def list_unmatched(self, names: Iterable[str]) -> list[Any]:
        """Return the entries that fit none of the names."""
        spelled_names = [_list_spellings(name, self._plural) for name in names]
        table = _group_by_position(spelled_names)
        return [
            entry for entry in self._entries if not self._fits_one_of(entry, spelled_names, table)
        ]

    def _fits_one_of(
        self, entry: Any, spelled_names: Iterable[tuple[str, ...]], table: list[set[str]]
    ) -> bool:
        """Tell whether an entry fits one of the names. table: these by position."""
        if entry is None:
            return False
        pattern = _list_spellings(str(entry), self._plural)
        if _is_among(pattern, table):
            return True
        if not _has_wildcard(pattern):
            return False
        return any(any(map(fnmatchcase, name, pattern)) for name in spelled_names)


def _group_by_position(spelled: Iterable[tuple[str, ...]]) -> list[set[str]]:
    """Return the first spellings of all names, the second ones and so on."""
    return [set(spellings) for spellings in zip(*spelled)]


def _is_among(spellings: tuple[str, ...], table: list[set[str]]) -> bool:
    """Tell whether one of the spellings of a name is among those of the table at its position."""
    return any(spelling in spellings_of_all for spelling, spellings_of_all in zip(spellings, table))


def _has_wildcard(spellings: tuple[str, ...]) -> bool:
    """Tell whether an entry is a shell pattern."""
    return any(wildcard in spelling for spelling in spellings for wildcard in "*?[")
