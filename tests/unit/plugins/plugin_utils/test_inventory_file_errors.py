# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for a mistake in an inventory file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.file_errors import words_for

HEAD = "plugin: hosting.panel.panel\napi_url: https://127.0.0.1:1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("api_key: {S3cretKey: S3cretOther}", "line 3: api_key must be a text."),
        ("panels: [{apiKey: [S3cretKey]}]", "line 3: apiKey must be a text."),
        ("api_key: !S3cretKey", "line 3: there is no such tag; put a text that begins with ! in quotes."),
        (
            "api_key: *S3cretKey",
            "line 3: is no YAML; look at the quotes, brackets and colons there, and in the line before.",
        ),
        ("panels: S3cretKey", "line 3: panels must be a list of dictionaries."),
    ],
)
def test_a_mistake_is_named_with_its_line_and_without_its_text(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "one.panel.yml"
    path.write_text(HEAD + text)

    assert words_for(ValueError("S3cretKey"), str(path)) == words


def test_what_is_wrong_with_another_option_is_told_in_the_words_of_ansible(tmp_path: Path) -> None:
    path = tmp_path / "one.panel.yml"
    path.write_text(f"{HEAD}api_key: S3cretKey\n")

    assert words_for(ValueError("timeout: wrong beside S3cretKey"), str(path)) == "timeout: wrong beside ********"


def test_an_alias_within_its_own_node_ends(tmp_path: Path) -> None:
    path = tmp_path / "one.panel.yml"
    path.write_text(f"{HEAD}api_key: S3cretKey\npanels: &all [{{more: *all}}]\n")

    assert words_for(ValueError("S3cretKey is in a circle"), str(path)) == "******** is in a circle"
