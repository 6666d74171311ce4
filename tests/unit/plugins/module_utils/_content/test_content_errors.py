"""How the message of a task on content is put together."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)


@pytest.mark.parametrize(
    ("problem", "option", "message"),
    [
        (
            "the server refuses: gone (error 2013)",
            "login",
            "login: the server refuses: gone (error 2013). Nothing was written. Wait.",
        ),
        ("there is no disk.", "", "there is no disk. Nothing was written. Wait."),
    ],
)
def test_every_sentence_of_a_message_ends(problem: str, option: str, message: str) -> None:
    error = ContentError(problem, option, "Nothing was written.", "Wait")
    assert error.compose() == message


def test_a_message_has_no_sentence_that_is_empty() -> None:
    assert ContentError("it failed").compose() == "it failed."
