"""The filter hosting.panel.panel_markdown_code.

Texts of customers are neither links nor markup of a page.
"""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from ansible_collections.hosting.panel.plugins.filter.panel_markdown_code import panel_markdown_code


@pytest.mark.parametrize(
    "text",
    [
        "See https://evil.example/?a=1",
        "www.evil.example",
        "[here](https://evil.example)",
        '<a href="https://evil.example">here</a>',
        "![x](https://evil.example/x.png)",
        "`[a](b)` and ``<b>``",
        "x | y\n# z",
        "",
        7,
    ],
)
def test_nothing_of_a_text_is_a_link_an_image_or_markup(text: object) -> None:
    """Render the text in an entry of a list."""
    page = f"- {panel_markdown_code(text)}: 5 MB\n"
    html = MarkdownIt("commonmark", {"html": True}).render(page)

    assert html.count("<") == 6, html
    assert html.startswith("<ul>\n<li><code>")


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u061c", "\u200b", "\x1b", "\u2028"], ids=ascii
)
def test_what_turns_the_direction_of_a_line_is_an_escape(character: str) -> None:
    """Show a text that would read as another one."""
    escape = character.encode("unicode_escape").decode()
    assert panel_markdown_code(f"rm{character}a") == f"`rm{escape}a`"


def test_a_long_text_is_cut() -> None:
    """Show more characters than a line of a page has."""
    assert panel_markdown_code("x" * 2000, longest=5) == "`xxxx…`"
