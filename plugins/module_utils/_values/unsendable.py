# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what no request can hold, whatever its field."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .._secrets.redaction import collect_texts
from .._secrets.secret_forms import MASK, MASKED

HOLDS_MASK = (
    f"holds {MASK} instead of a secret, as results show it; "
    "write the secret itself, or leave the option out"
)


def describe_unsendable(value: Any) -> str:
    """Return why no request can hold a value, or a part of it; empty where one can."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
        text.encode()
    except UnicodeEncodeError:
        return (
            "holds half of a character (a lone surrogate), which is no Unicode; "
            "write the whole character"
        )
    except ValueError:
        return "holds a number that is infinite, or none at all (.inf, .nan)"
    except TypeError:
        return "has a field whose name is no string; put the name in quotes"
    if "\\u0000" not in text and MASK not in text:
        return ""

    # As lists of pairs, so that names of fields are among the texts too.
    pairs = json.loads(text, object_pairs_hook=_as_lists)
    return _problem_of_texts(collect_texts(pairs))


def _as_lists(pairs: list[tuple[str, Any]]) -> list[list[Any]]:
    """Return the fields of a dictionary as lists of a name and a value."""
    return [list(pair) for pair in pairs]


def _problem_of_texts(texts: Iterable[str]) -> str:
    """Return why no request can hold some of the texts; empty where it can."""
    texts = list(texts)
    if any("\0" in text for text in texts):
        return "holds a NUL character, which the panel cannot keep; remove it"
    if any(map(MASKED.search, texts)):
        return HOLDS_MASK
    return ""
