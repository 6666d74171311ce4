"""How much of many names and mistakes a message says."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import WrongItems
from ansible_collections.hosting.panel.plugins.module_utils._errors import first_lines, first_of, told


@pytest.mark.parametrize(
    ("names", "text", "lines"),
    [
        (["a"], "a", ["a"]),
        (["a", "b"], "a, b", ["a", "b"]),
        (["a", "b", "c"], "a, b and 1 more", ["a", "b", "and 1 more"]),
    ],
)
def test_of_many_names_the_first_are_shown_and_the_others_counted(
    names: list[str], text: str, lines: list[str]
) -> None:
    assert first_of(names, 2) == text
    assert first_lines(names, 2) == lines


def test_of_many_mistakes_each_is_in_the_message_once_and_the_rest_is_counted() -> None:
    mistakes = [f"emails[{number}]: wrong." for number in range(60)]
    message = told([*mistakes, mistakes[0]], "error.mistakes")
    assert message.startswith("60 mistakes: emails[0]: wrong. emails[1]: wrong.")
    assert message.endswith(" emails[49]: wrong. And 10 more in error.mistakes. Nothing was written.")
    assert told(mistakes[:1]) == "emails[0]: wrong. Nothing was written."


def test_an_error_has_each_mistake_once() -> None:
    assert WrongItems(["a: wrong.", "b: wrong.", "a: wrong."]).details["mistakes"] == ["a: wrong.", "b: wrong."]
