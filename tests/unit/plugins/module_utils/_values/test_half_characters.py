"""Halves of characters, which no text in UTF-8 can hold, are found in one way everywhere."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._values.unsendable import (
    describe_unsendable,
    holds_half_character,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.rule import (
    describe_odd_character,
)

TEXTS = {
    "letters": ("Käse 😀", False),
    "first half": ("a\ud83d", True),
    "second half": ("\ude00b", True),
    "both halves apart": ("\ud83d\ude00", True),
    "a byte that is no UTF-8": (b"\xe4".decode("utf-8", "surrogateescape"), True),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("text", "is_half"), TEXTS.values(), ids=TEXTS.keys())
def test_half_of_a_character_is_found_in_texts_and_variables(text: str, is_half: bool) -> None:
    assert holds_half_character(text) is is_half
    assert bool(describe_unsendable({"notes": [text]})) is is_half
    assert bool(describe_odd_character(text)) is is_half
