# SPDX-License-Identifier: GPL-3.0-or-later
"""The forms in which a text may repeat known secrets, and where in a text they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .spellings import LENGTH_OF_A_WORD, SHORTEST, Margins, Reading, spell_secret

# Of a secret whose beginning stands in a text, no more than so many characters are looked for.
LONGEST_SECRET = 4_000
_FEW = 64
# Where messages cut a value off.
_CUT = re.compile(r"\.\.\.|\u2026")
_WORD_CHARACTER = re.compile(r"\w")
_BASE64_DIGIT = re.compile(r"[A-Za-z0-9+/_-]")


class KnownForms:
    """The secrets of one origin in all of their forms, to be looked for in texts."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._forms: dict[str, Margins] = {}
        # By their last letters how long they are, so that looking costs the length of a text,
        # however many secrets there are.
        self._lengths: dict[str, set[int]] = {}
        # By their first letters, for those of which a message shows the beginning only.
        self._forms_by_head: dict[str, list[str]] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Look for these secrets from now on."""
        new = set(texts) - self._texts
        self._texts |= new
        for secret in new:
            for form, margins in spell_secret(secret).items():
                if form not in self._forms and len(form) > LENGTH_OF_A_WORD:
                    self._forms_by_head.setdefault(form[:LENGTH_OF_A_WORD], []).append(form)
                self._forms[form] = margins
                last_letters = form[-SHORTEST:]
                self._lengths.setdefault(last_letters, set()).add(len(form))

    def has_secret(self, text: str) -> bool:
        """Tell whether a text is one of the secrets, as it was added."""
        return text in self._texts

    def find_spans_in(self, reading: Reading, least: int) -> Iterator[tuple[int, int]]:
        """Yield where in the text of a reading secrets begin and end.

        Args:
            reading: What is searched.
            least: How long a form of a secret has to be.
        """
        for form, start in self._find_forms_in(reading.text):
            end = start + len(form)
            if len(form) < least:
                continue
            if len(form) < LENGTH_OF_A_WORD and not _is_whole_word(reading.text, start, end):
                continue

            margins = self._forms[form]
            if margins.before and start > 0 and _BASE64_DIGIT.match(reading.text, start - 1):
                start -= 1
            if margins.behind and _BASE64_DIGIT.match(reading.text, end):
                end += 1
            yield reading.get_position(start), reading.get_position(end)
        for start, end in self._find_cut_forms_in(reading.text):
            yield reading.get_position(start), reading.get_position(end)

    def _find_cut_forms_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the beginning of a secret begins, and where the text cuts it off."""
        behind_last = 0
        for cut in _CUT.finditer(text):
            end = cut.start()
            first = max(behind_last, end - LONGEST_SECRET)
            for start in range(first, end - LENGTH_OF_A_WORD + 1):
                forms = self._forms_by_head.get(text[start : start + LENGTH_OF_A_WORD], ())
                if any(form.startswith(text[start:end]) for form in forms):
                    yield start, end
                    break
            behind_last = cut.end()

    def _find_forms_in(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the forms of secrets in a text, each with the position where it begins."""
        if len(self._forms) <= _FEW:
            for form in self._forms:
                for start in _find_positions_of(form, text):
                    yield form, start
            return

        for end in range(SHORTEST, len(text) + 1):
            last_letters = text[end - SHORTEST : end]
            for length in self._lengths.get(last_letters, ()):
                form = text[max(0, end - length) : end]
                if form in self._forms:
                    yield form, end - length


def _find_positions_of(form: str, text: str) -> Iterator[int]:
    """Yield where in a text a form of a secret begins."""
    start = text.find(form)
    while start >= 0:
        yield start
        start = text.find(form, start + 1)


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Tell whether no letter stands directly before a part of a text, and none behind it."""
    if _WORD_CHARACTER.match(text, end):
        return False
    return start == 0 or not _WORD_CHARACTER.match(text, start - 1)
