# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what no request can hold, whatever its field."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from .._secrets.redaction import collect_texts
from .._secrets.secret_forms import MASK, MASKED


class Unsendable(NamedTuple):
    """Says why no request can hold a value.

    Attributes:
        cause: What is wrong, as the end of a sentence about the value.
        advice: What to do, as a clause; empty where that is clear.
    """

    cause: str
    advice: str = ""

    def __str__(self) -> str:
        if not self.advice:
            return self.cause
        return f"{self.cause}; {self.advice}"


HALF_CHARACTER = "half of a character (a lone surrogate)"
"""What messages call that of which Ansible also makes each byte of a file that is not UTF-8."""
_HALF_CHARACTER = Unsendable(
    f"holds {HALF_CHARACTER}, which is no Unicode", "write the whole character"
)
_NO_NUMBER = Unsendable("holds a number that is infinite, or none at all (.inf, .nan)")
_NO_NAME = Unsendable("has a field whose name is no string", "put the name in quotes")
_NUL = Unsendable("holds a NUL character, which the panel cannot keep", "remove it")
HOLDS_MASK = Unsendable(
    f"holds {MASK} instead of a secret, as results show it",
    "write the secret itself, or leave the option out",
)


def holds_half_character(text: str) -> bool:
    """Tell whether a text cannot be written in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def describe_unsendable(value: Any) -> str:
    """Return why no request can hold a value or a part of it; empty where one can."""
    unsendable = find_unsendable(value)
    return "" if unsendable is None else str(unsendable)


def find_unsendable(value: Any) -> Unsendable | None:
    """Return why no request can hold a value, or a part of it; None where one can."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        return _NO_NUMBER
    except TypeError:
        return _NO_NAME
    if holds_half_character(text):
        return _HALF_CHARACTER
    if "\\u0000" not in text and MASK not in text:
        return None

    # As lists of pairs, so that names of fields are among the texts too.
    pairs = json.loads(text, object_pairs_hook=_as_lists)
    return _find_problem_of_texts(collect_texts(pairs))


def _as_lists(pairs: list[tuple[str, Any]]) -> list[list[Any]]:
    """Return the fields of a dictionary as lists of a name and a value."""
    return [list(pair) for pair in pairs]


def _find_problem_of_texts(texts: Iterable[str]) -> Unsendable | None:
    """Return why no request can hold some of the texts; None where it can."""
    texts = list(texts)
    if any("\0" in text for text in texts):
        return _NUL
    if any(map(MASKED.search, texts)):
        return HOLDS_MASK
    return None
