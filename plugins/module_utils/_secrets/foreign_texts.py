# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one gate for texts that a panel, or whatever answers in its place, wrote. Private to the collection.

What passes is decided by what a text is made of, never by guessing in which encoding it may hold a secret: short plain sentences of words
and small numbers, and what the task itself shows anyway. Everything else is an ellipsis, or is told by its length alone.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .redaction import ELLIPSIS, LENGTH_OF_A_WORD, is_secret_name, secret_texts_in


class _Rule(NamedTuple):
    """longest: characters that are looked at. whole: a text of which anything had to be replaced is not shown at all."""

    longest: int
    whole: bool


# Everything of an answer that a message of ours may repeat. A status is a number, and needs no rule.
SHOWN = {
    "message": _Rule(500, whole=False),  # of an error in the panel's own words
    "code": _Rule(120, whole=True),  # beside it
    "title": _Rule(120, whole=True),  # of a page in HTML
    "host": _Rule(260, whole=True),  # that a redirect leads to
    "value": _Rule(120, whole=True),  # of a member that contradicts what was asked for
}
MEDIA_TYPES = frozenset(
    f"{family}/{name}"
    for family, names in {
        "application": "json xml xhtml+xml problem+json octet-stream javascript pdf zip gzip x-www-form-urlencoded yaml",
        "text": "html plain xml csv css javascript yaml",
        "image": "png gif jpeg svg+xml x-icon",
    }.items()
    for name in names.split()
)

# What no plain sentence has: brackets of structures and tags, members, entities, percent codes, escapes.
_STRUCTURE = re.compile(r"[{}\[\]<>=\\`|^~]|[\"'\u201c\u201d]\s*:|&[#\w]+;|%[0-9a-fA-F]{2}")
_NAMED_VALUE = re.compile(r"([\w-]+)[\"']?\s*:\s*\S")
_INDEX = re.compile(r"(?<=\w)\[\d{1,4}\]", re.ASCII)  # of an entry in a list, behind its name
_LETTERS = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_DIGITS = re.compile(r"\d{1,5}", re.ASCII)
# Words that are written together, each of three letters or more, as in a proper name.
_HUMPS = re.compile(r"(?:[A-Z]?[a-z]{2,})(?:[A-Z][a-z]{2,}){1,2}")
_VOWEL = re.compile(r"[aeiouyà-ö\u00f8-ü]")
_ONLY_HEXADECIMAL = re.compile(r"[a-fA-F]{6,}")
_SEPARATORS = re.compile(r"[-\u2013'\u2019./_:,@]")
_SIGNS = frozenset("-–—/&+")
_BEFORE, _BEHIND = "(\"'\u201e\u201c\u201a\u2018\u00ab", ")\"'.,:;!?\u201d\u201c\u2019\u2018\u00bb\u2026"
_LONGEST_WORD, _LONGEST_CAPITALS, _MOST_PARTS, _MOST_NUMBERS = 30, 12, 8, 8
# Pieces of a secret of this length are looked for; longer ones where there are so many secrets that any word has a piece of one.
_PIECE, _LONG_PIECE, _MANY = 4, 6, 4000
_SHORT_WORD = 3
_ARMOUR = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]{1,40}-----", re.ASCII)


class Gate:
    """Decides for one panel what may be shown of its texts; knows the secrets that options and answers of this run hold.

    Safe to use from several threads.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._held: list[Iterable[str]] = [secrets]
        self._allowed: list[Iterable[str]] = []
        self._secrets: set[str] = set()
        self._own: set[str] = set()
        self._known = _Known(())

    def hold(self, secrets: Iterable[str]) -> None:
        """From now on nothing that is made of these is shown. They are looked at with the first text, which most runs never meet."""
        self._held.append(secrets)

    def allow(self, texts: Iterable[str]) -> None:
        """These are shown anyway, so words of theirs need not be plain ones."""
        self._allowed.append(texts)

    def _take_in(self) -> _Known:
        """What is known by now."""
        with self._lock:
            before = len(self._secrets)
            while self._held:
                self._secrets.update(self._held.pop())
            while self._allowed:
                for text in self._allowed.pop():
                    self._own.update(filter(None, map(_bare, text.casefold().split())))
            if len(self._secrets) > before:
                self._known = _Known(tuple(self._secrets))
            return self._known

    def learn(self, data: Any, is_login: bool = False) -> None:
        """Keeps the secrets that a decoded answer holds; is_login: all of it is one, being what logs in whoever has it."""
        found = secret_texts_in({"login_url": data} if is_login else data)
        if found:
            self.hold(found)

    def shown(self, text: Any, kind: str = "message") -> str | None:
        """What may be shown of a text; None where that is nothing."""
        rule = SHOWN[kind]
        if isinstance(text, int) and not isinstance(text, bool):
            text = str(text)
        if not isinstance(text, str) or not text.strip():
            return None
        known = self._take_in()
        if len(text) > 2 * rule.longest:
            text = text[: 2 * rule.longest].rpartition(" ")[0] + ELLIPSIS
        normal = unicodedata.normalize("NFKC", text)
        if _STRUCTURE.search(_INDEX.sub("", normal)) or any(
            is_secret_name(hit[1]) for hit in _NAMED_VALUE.finditer(normal)
        ):
            return None
        words = [self._word(word, known) for word in normal.split()]
        if sum(1 for word in words if any(character.isdigit() for character in word)) > _MOST_NUMBERS:
            words = [ELLIPSIS if any(character.isdigit() for character in word) else word for word in words]
        hidden = words.count(ELLIPSIS)
        if (hidden and rule.whole) or hidden * 2 > len(words) or _is_spelled(words) or known.is_spelled_by(words):
            return None
        return _cut(re.sub(rf"{ELLIPSIS}(?: {ELLIPSIS})+", ELLIPSIS, " ".join(words)), rule.longest)

    def told(self, text: Any) -> str:
        """The same for a message, with words about what is not shown."""
        return self.shown(text) or (
            f"its reason is not shown, since it is no plain sentence ({len(text)} characters)"
            if isinstance(text, str)
            else "its reason is not shown, since it is no text"
        )

    def _word(self, word: str, known: _Known) -> str:
        bare = _bare(word)
        if not bare or bare in _SIGNS:
            return word if len(word) <= 2 else ELLIPSIS
        start = word.index(bare)
        if not set(word[:start]) <= set(_BEFORE) or not set(word[start + len(bare) :]) <= set(_BEHIND):
            return ELLIPSIS
        if bare.casefold() in self._own and bare.isprintable() and not known.is_one(bare):
            return word
        return word if _is_plain(bare) and not known.has_piece_in(bare) else ELLIPSIS


def shown_value(value: Any) -> str:
    """A value of an answer in our own messages, where it contradicts what was asked for."""
    shown = Gate().shown(value, "value")
    return "a value that is not shown" if shown is None else shown if isinstance(value, int) else f"{shown!r}"


def _bare(word: str) -> str:
    return word.lstrip(_BEFORE).rstrip(_BEHIND)


def _is_plain(word: str) -> bool:
    """Words of letters, then numbers, joined by the signs that join them in sentences, names and versions."""
    parts = _SEPARATORS.split(_INDEX.sub("", word).strip("/"))  # those around a path
    if len(parts) > _MOST_PARTS or "" in parts:
        return False
    numbers = 0
    while numbers < len(parts) and _DIGITS.fullmatch(parts[-1 - numbers]):
        numbers += 1
    return all(map(_is_plain_word, parts[: len(parts) - numbers]))


def _is_plain_word(part: str) -> bool:
    if not _LETTERS.fullmatch(part) or len(part) > _LONGEST_WORD or _ONLY_HEXADECIMAL.fullmatch(part):
        return False
    if part.isupper():
        return len(part) <= _LONGEST_CAPITALS
    if not (part.islower() or part[1:].islower() or _HUMPS.fullmatch(part)):
        return False
    return len(part) <= _PIECE or _VOWEL.search(part.lower()) is not None


def _skeleton(text: str) -> str:
    """Letters and digits alone, without what is written above or below them, all small."""
    return "".join(character for character in unicodedata.normalize("NFKD", text.casefold()) if character.isalnum())


class _Known:
    """Secrets as they are looked for; made ready with the first text, because a task without one should not pay for it."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets

    @functools.cached_property
    def _whole(self) -> frozenset[str]:
        # The lines around a key are no part of the secret, and have words of sentences.
        return frozenset(filter(None, (_skeleton(_ARMOUR.sub("", one)) or _skeleton(one) for one in self._secrets)))

    @functools.cached_property
    def _piece(self) -> int:
        return _PIECE if sum(map(len, self._whole)) <= _MANY else _LONG_PIECE

    @functools.cached_property
    def _pieces(self) -> frozenset[str]:
        return frozenset(
            piece for one in self._whole if len(one) >= LENGTH_OF_A_WORD for piece in _pieces(one, self._piece)
        )

    @functools.cached_property
    def _long_pieces(self) -> frozenset[str]:
        return frozenset(
            piece for one in self._whole if len(one) >= LENGTH_OF_A_WORD for piece in _pieces(one, LENGTH_OF_A_WORD)
        )

    @functools.cached_property
    def _short(self) -> frozenset[str]:
        return frozenset(one for one in self._whole if len(one) < LENGTH_OF_A_WORD)

    def is_one(self, word: str) -> bool:
        return _skeleton(word) in self._whole

    def has_piece_in(self, word: str) -> bool:
        """Whether a word is a secret or a piece of one; a short secret has to be the whole word, so that "admin" hides no "administrator"."""
        parts = {_skeleton(part) for part in (word, *_SEPARATORS.split(word))}
        return any(
            part in self._whole
            or self._is_made_of_pieces(part)
            or (len(part) >= _PIECE and any(part in one for one in self._short))
            for part in parts
        )

    def _is_made_of_pieces(self, part: str) -> bool:
        """Whether half of a word, or a long run of it, is from secrets; any longer word has a few letters in common with one."""
        starts = [start for start, piece in enumerate(_pieces(part, self._piece)) if piece in self._pieces]
        covered = {start + number for start in starts for number in range(self._piece)}
        has_long_run = any(start + 1 in starts and start + 2 in starts for start in starts)
        return bool(covered) and (has_long_run or 2 * len(covered) >= len(part))

    def is_spelled_by(self, words: list[str]) -> bool:
        """Whether what is left shows one all the same, letter by letter or word by word."""
        together = _skeleton("".join(words))
        if not self._long_pieces.isdisjoint(_pieces(together, LENGTH_OF_A_WORD)):
            return True
        return any(
            not self._pieces.isdisjoint(_pieces(run, self._piece))
            or any(one in run for one in self._short if len(one) >= _SHORT_WORD)
            for run in _runs_of_short_words(words)
        )


def _pieces(text: str, length: int) -> Iterator[str]:
    return (text[start : start + length] for start in range(len(text) - length + 1))


def _is_spelled(words: list[str]) -> bool:
    """Whether a text goes letter by letter somewhere, as no sentence does."""
    return "1111" in "".join("1" if len(_skeleton(word)) == 1 else "0" for word in words)


def _runs_of_short_words(words: list[str]) -> Iterator[str]:
    """Letters of words that follow each other and are too short to be compared alone."""
    run: list[str] = []
    for word in [*map(_skeleton, words), "x" * (_SHORT_WORD + 1)]:
        if len(word) <= _SHORT_WORD:
            run.append(word)
            continue
        if len(run) > 1:
            yield "".join(run)
        run = []


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest].rpartition(' ')[0]} {ELLIPSIS}"


def media_type(header: Any) -> str:
    """The type of a body in words of our own."""
    if not isinstance(header, str) or not header.strip():
        return "no type"
    name = header.partition(";")[0].strip().lower()
    return name if name in MEDIA_TYPES else "another type"
