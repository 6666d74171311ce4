"""The check of words finds what it looks for, in the texts that users read."""

from __future__ import annotations

from tools import words


def test_it_reads_pages_documentation_and_names_of_tasks() -> None:
    paths = {path for path, _text in words.texts()}
    assert {
        "README.md",
        "plugins/modules/panel_email.py",
        "playbooks/apply.yml",
        "roles/site/meta/argument_specs.yml",
    } <= paths


def test_a_phrase_is_found_as_a_word_and_not_in_code() -> None:
    text = words.CODE.sub(" X ", "All but for one, `but for` and\n```\nbut for\n```\nbutter.")
    assert words.hits("but for|butt", [("page", text)]) == ["page: but for"]


def test_a_long_sentence_is_found_and_two_short_ones_are_not() -> None:
    half = " ".join(["word"] * 20)
    assert len(words.long_sentences([("page", f"{half} {half}. {half}. {half}.")])) == 1
