# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a YAML file that a person wrote: nothing evaluated, all mistakes at once, each with file and line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.yaml_file import YamlFile, read_yaml

SECRET = VaultSecret(b"correct horse")
VAULT = VaultLib(secrets=[("default", SECRET)])


def encrypted(text: str) -> str:
    return str(VAULT.encrypt(text, secret=SECRET).decode())


def inline(text: str, indent: str = "    ") -> str:
    """A text as ``ansible-vault encrypt_string`` writes it."""
    return "!vault |\n" + "".join(f"{indent}{line}\n" for line in encrypted(text).splitlines())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "acme.yml"


def read(file: Path, text: str | bytes, vault: VaultLib = VAULT, must_decrypt: bool = True) -> YamlFile:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(file, file.name, vault, must_decrypt)


def test_the_content_is_plain_and_every_part_of_it_has_a_line(file: Path) -> None:
    found = read(
        file, "---\nemails:\n  - email: info@acme.example\n    max_size: 5\n    aliases:\n      - a@acme.example\n"
    )
    assert found.content == {"emails": [{"email": "info@acme.example", "max_size": 5, "aliases": ["a@acme.example"]}]}
    assert found.mistakes == ()
    assert found.place(("emails", 0, "max_size")) == "acme.yml: line 4"
    assert found.place(("emails", 0, "aliases", 0)) == "acme.yml: line 6"
    assert found.place(("emails", 0, "password")) == "acme.yml: line 3"


@pytest.mark.parametrize(
    ("written", "content"),
    [
        ("a: 2026-11-23", "2026-11-23"),
        ("a: 0123", "0123"),
        ("a: 12:30:45", "12:30:45"),
        ("a: yes", True),
        ("a: ", None),
        ("a: !unsafe '{{ text }}'", "{{ text }}"),
        ("b: &b {c: 1}\na: {<<: *b, d: 2}", {"c": 1, "d": 2}),
    ],
)
def test_a_value_is_what_a_person_reads_there(file: Path, written: str, content: object) -> None:
    found = read(file, written)
    assert (found.content["a"], found.mistakes) == (content, ())


def test_an_empty_file_has_no_content_and_no_mistake(file: Path) -> None:
    found = read(file, "# nothing\n")
    assert (found.content, found.mistakes) == (None, ())


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: {{ c }}\n", 2, "templates are not evaluated"),
        ("a: 1\nb: '{{ c }}'\n", 2, "templates are not evaluated"),
        ("a: 1\nb: 2\na: 3\n", 3, "a is there twice"),
        ("a: 1\n---\nb: 1\n", 3, "a second YAML document"),
        ("a: !lookup x\n", 1, "this tag is not known"),
        ("a: !!int x\n", 1, "not what its tag says"),
        ("a: *b\n", 1, "there is no such alias"),
        ("a: 1\n  b: 2\n", 2, "not valid YAML"),
        ("a: 1\nb: \x07\n", 2, "control characters"),
        (b"a: 1\nb: \xff\n", 2, "not in UTF-8"),
        ("a: &a [*a]\n", 1, "aliases make this far larger"),
        ("[" * 5000 + "]" * 5000, None, "nested too deeply"),
    ],
)
def test_a_mistake_has_the_file_and_the_line(file: Path, text: str | bytes, line: int | None, words: str) -> None:
    (mistake,) = read(file, text).mistakes
    assert mistake.startswith("acme.yml: " if line is None else f"acme.yml: line {line}: ")
    assert words in mistake


def test_all_mistakes_of_a_file_come_in_the_order_of_their_lines(file: Path) -> None:
    text = f"a: '{{{{ b }}}}'\nc: {inline('x')}d: !no e\na: 2\n"
    lines = [mistake.split(": ")[1] for mistake in read(file, text, VaultLib()).mistakes]
    assert [lines[0], *lines[2:]] == ["line 1", "line 9", "line 10"]
    assert lines[1] == "line 2"


def test_nested_aliases_that_stand_for_millions_of_values_are_a_mistake_with_a_line_at_once(file: Path) -> None:
    levels = [f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 11)]
    text = "a0: &a0 [x]\n" + "".join(levels)
    assert len(text) < 600
    start = time.process_time()
    found = read(file, text)
    assert time.process_time() - start < 2
    assert found.content is None
    (mistake,) = found.mistakes
    assert mistake.startswith("acme.yml: line 5: aliases make this far larger")


def test_a_few_aliases_are_none_of_that(file: Path) -> None:
    found = read(file, "a: &a [1, 2]\nb: *a\nc: [*a, *a]\n")
    assert (found.content["c"], found.mistakes) == ([[1, 2], [1, 2]], ())


# Vault


def test_a_value_that_is_encrypted_on_its_own_is_decrypted_and_known_by_its_path(file: Path) -> None:
    found = read(file, f"emails:\n- password: {inline('geheim')}")
    assert found.content == {"emails": [{"password": "geheim"}]}
    assert {path: secret.text for path, secret in found.secrets.items()} == {("emails", 0, "password"): "geheim"}


def test_a_file_that_is_encrypted_as_a_whole_is_read_like_any_other(file: Path) -> None:
    found = read(file, encrypted("emails:\n- notes: '{{ x }}'\n"))
    assert found.is_encrypted
    assert found.mistakes[0].startswith("acme.yml: line 2: templates")


@pytest.mark.parametrize("text", [encrypted("a: 1"), f"a: {inline('b')}"], ids=["whole", "value"])
@pytest.mark.parametrize(
    ("vault", "words"),
    [
        (VaultLib(), "this run has no Vault password"),
        (VaultLib(secrets=[("default", VaultSecret(b"another"))]), "no Vault password of this run decrypts it"),
    ],
)
def test_what_cannot_be_decrypted_is_a_mistake(file: Path, text: str, vault: VaultLib, words: str) -> None:
    (mistake,) = read(file, text, vault).mistakes
    assert words in mistake


def test_an_encrypted_value_keeps_its_text_for_who_does_not_need_what_it_says(file: Path) -> None:
    found = read(file, f"a: {inline('b')}", VaultLib(), must_decrypt=False)
    assert (found.content, found.mistakes) == ({"a": None}, ())
    assert found.secrets[("a",)].ciphertext.startswith("$ANSIBLE_VAULT;")


def test_no_mistake_holds_what_is_written_in_the_file(file: Path) -> None:
    for text in ("a: 'geheimnis\n", "a: geheimnis: b\n", "a: !!int geheimnis\n", "a: [geheimnis\n"):
        assert "geheimnis" not in str(read(file, text).mistakes)
