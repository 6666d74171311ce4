"""The measure of messages finds what is too long, and leaves the panel its own words."""

from __future__ import annotations

import pytest

from tests.support.messages import too_long

WORDS = "word " * 70


@pytest.mark.parametrize(
    ("message", "is_too_long"),
    [
        ("email: wrong. Nothing was written. Correct it.", False),
        ("One. Two. Three. Four.", True),
        (f"{WORDS}.", True),
        (f'POST /clients was refused (400): "{WORDS}. And. So. On." Nothing was written. Run again.', False),
        ("panel.example:8443 refuses max_size 1.5 of 192.0.2.1. Set it.", False),
    ],
)
def test_a_message_has_at_most_three_sentences_and_sixty_words(message: str, is_too_long: bool) -> None:
    assert bool(too_long(message)) is is_too_long


def test_the_words_of_the_panel_do_not_count() -> None:
    assert not too_long(f"POST /clients: {WORDS}Nothing was written.", WORDS)
