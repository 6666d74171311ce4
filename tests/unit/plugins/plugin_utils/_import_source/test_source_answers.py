# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of another panel's API are read from files, each when it is needed."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    KeptAnswers,
    find_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
)


def decrypt(content: bytes) -> bytes:
    """Stand for the Vault of the run."""
    if b"wrong" in content:
        raise ValueError
    return b'{"code": "ok"}'


def test_an_answer_is_found_by_the_name_of_its_function(tmp_path):
    (tmp_path / "client_get.json").write_text('{"response": []}')
    (tmp_path / "dns_get.3.json").write_text("[]")
    (tmp_path / "README.md").write_text("no answer")
    answers = find_answers(tmp_path, decrypt)
    assert answers.list_names() == ["client_get", "dns_get.3"]
    assert answers.get_body("client_get") == {"response": []}


def test_an_encrypted_answer_is_decrypted(tmp_path):
    (tmp_path / "a.json").write_text("$ANSIBLE_VAULT;1.1;AES256\n6162\n")
    assert find_answers(tmp_path, decrypt).get_body("a") == {"code": "ok"}


def test_answers_of_this_run_are_found_in_the_same_way():
    answers = KeptAnswers("https://old.example:8080", {"b": [1], "a": []})
    assert answers.list_names() == ["a", "b"]
    assert answers.get_body("b") == [1]
    with pytest.raises(SourceError, match=r"https://old\.example:8080: there is no answer of c"):
        answers.get_body("c")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"response": [', "this is no whole answer in JSON"),
        ("<html>", "this is no whole answer in JSON"),
        ("", "this is no whole answer in JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 70 + "]" * 70, "nested too deeply"),
        ("$ANSIBLE_VAULT;1.1;AES256\nwrong\n", "no password that decrypts it"),
    ],
)
def test_a_file_that_nobody_can_read_is_an_error_that_names_it(tmp_path, content, reason):
    (tmp_path / "client_get.json").write_text(content)
    with pytest.raises(SourceError, match=r"client_get\.json") as failure:
        find_answers(tmp_path, decrypt).get_body("client_get")
    assert reason in failure.value.reason


def test_a_missing_answer_names_the_function(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(SourceError, match=r"there is no file client_get\.json"):
        find_answers(tmp_path, decrypt).get_body("client_get")


def test_a_folder_that_is_missing_or_has_no_answer_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="has no answer of an API"):
        find_answers(tmp_path, decrypt)
    with pytest.raises(SourceError, match="No such file or directory"):
        find_answers(tmp_path / "none", decrypt)
