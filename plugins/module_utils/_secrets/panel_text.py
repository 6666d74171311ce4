# SPDX-License-Identifier: GPL-3.0-or-later
"""The known secrets of a run, and what a message shows of a text that a panel wrote: all of it except these. Private to the collection."""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from collections.abc import Container, Iterable
from typing import Any
from urllib.parse import quote, quote_plus

from .redaction import LENGTH_OF_A_WORD, MASK, PRIVATE_KEY, mapped, secrets_in, without_forms_and_names

_LONGEST = 500
# A shorter secret is masked only where it is a whole value.
_SHORTEST = 4
_FEW = 64
_MOST_ANSWERS = 100
# Control characters except the tabulator, marks that turn the direction of a text, and what ends a line or a paragraph.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_TITLE = re.compile(r"(?is)<title[^>]*>(.*?)</title")
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")  # the same in every spelling but base64
_HEX = re.compile("%[0-9A-F]{2}")
_TAG = re.compile(r"(?s)</?[a-zA-Z][^<>]*>|<!--.*?-->")


class Secrets:
    """Secrets of options, answers and the API key, masked in every spelling in which a panel, Ansible or a message may repeat them.

    Safe to use from several threads. It gets ready with the first text, since most tasks never show one.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._lock = threading.RLock()
        self._given: list[Iterable[str]] = [texts]
        self._answers: list[Any] = []
        self._texts: set[str] = set()
        self._forms: set[str] = set()
        # By their last letters how long they are, so that looking costs the length of a text, however many secrets there are.
        self._lengths: dict[str, set[int]] = {}

    def add(self, texts: Iterable[str]) -> None:
        with self._lock:
            self._given.append(texts)

    def learn(self, answer: Any) -> None:
        """The secret fields of an answer are secrets from now on."""
        if isinstance(answer, (dict, list)):
            with self._lock:
                self._answers.append(answer)
                if len(self._answers) > _MOST_ANSWERS:
                    # A loop of thousands of items does not keep all of its answers.
                    self._take_in_answers()

    def _take_in_answers(self) -> None:
        self._given += map(secrets_in, self._answers)
        self._answers = []

    def masked(self, text: str, least: int = 1, with_answers: bool = True) -> str:
        """least: how long a secret has to be. with_answers: also those that only answers hold."""
        with self._lock:
            if with_answers:
                self._take_in_answers()
            new = {one for texts in self._given for one in texts} - self._texts
            self._given, forms = [], {form for one in new for form in _spellings(one)}
            for form in forms:
                self._lengths.setdefault(form[-_SHORTEST:], set()).add(len(form))
            self._texts |= new
            self._forms |= forms
            if text in self._texts and text.strip() and len(text) >= least:
                return MASK
            found = sorted((one for one in self._found_in(text) if len(one) >= least), key=len, reverse=True)
        words = (re.escape(one) if len(one) >= LENGTH_OF_A_WORD else rf"(?<!\w){re.escape(one)}(?!\w)" for one in found)
        return re.sub("|".join(words), MASK, text) if found else text

    def _found_in(self, text: str) -> set[str]:
        if len(self._forms) <= _FEW:
            return {form for form in self._forms if form in text}
        return {
            form
            for end in range(_SHORTEST, len(text) + 1)
            for length in self._lengths.get(text[end - _SHORTEST : end], ())
            if (form := text[max(0, end - length) : end]) in self._forms
        }

    def value(self, value: Any) -> Any:
        """A copy of a value without known secrets in its texts."""
        return mapped(value, self.masked)

    def without_given(self, value: Any, shown: Container[str] = ()) -> Any:
        """The same without those that only answers hold. shown: texts that the task shows anyway, which a short secret does not blank."""
        return mapped(value, lambda text: self.masked(text, LENGTH_OF_A_WORD if text in shown else 1, False))

    def panel_text(self, text: object) -> str:
        """A reason in an error of the panel, on one line."""
        shown = html.unescape(_TAG.sub(" ", PRIVATE_KEY.sub(MASK, self.masked(str(text)))))
        shown = " ".join(_CONTROL.sub(lambda one: " " if one[0].isspace() else "", shown).split())
        # An entity may have stood for a letter of a secret, and a control character between two of them.
        shown = self.masked(shown)
        return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST].rpartition(' ')[0] or shown[:_LONGEST]} …"

    def page(self, content: bytes, media_type: str) -> str:
        """An answer that cannot be read: its type, and its title if it is HTML, or else how it begins."""
        kind = self.panel_text(media_type.partition(";")[0])[:60] or "no media type"
        text = content[:20000].decode("utf-8", "replace")
        title = _TITLE.search(text)
        if title or "html" in kind or not text.strip():
            words = f'with the title "{self.panel_text(title[1])}"' if title else f"of {len(content)} bytes"
            return f"{kind} {words}"
        return f'{kind}: "{self.panel_text(without_forms_and_names(self.masked(text)))}"'


def _spellings(secret: str) -> set[str]:
    forms = {secret}
    if len(secret) >= LENGTH_OF_A_WORD:
        data = secret.encode("utf-8", "surrogateescape")  # what is no Unicode came from the environment
        forms |= {one(data).decode().rstrip("=") for one in (base64.b64encode, base64.urlsafe_b64encode)}
    texts = set() if _PLAIN.fullmatch(secret) else {secret, secret.strip(), " ".join(secret.split())}
    if "-----" in secret:
        # Of a key each line is enough, except those that only say what it is.
        texts |= {line for line in secret.split() if len(line) >= LENGTH_OF_A_WORD and "-----" not in line}
    for text in texts:
        escaped = {json.dumps(text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)}
        percent = {one(text, safe, errors="replace") for one, safe in ((quote, ""), (quote, "/"), (quote_plus, ""))}
        forms |= {text, repr(text)[1:-1], html.escape(text)} | escaped | percent
        forms |= {one.replace("/", "\\/") for one in escaped}
        forms |= {_HEX.sub(lambda digits: digits[0].lower(), one) for one in percent}
    return {form for form in forms if len(form) >= _SHORTEST and form.strip()}


def on_one_line(text: str) -> str:
    r"""The text with what a terminal would obey in signs that show: ``\x1b``, ``\n``. No message has a second line."""
    # Of a type of ours, Ansible's queue of results could not be read again, and the run would never end: hence str.
    return str(_CONTROL.sub(lambda one: one[0].encode("unicode_escape").decode(), text))
