# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a foreign text is shown: plain sentences, and nothing that is a secret or might be one."""

from __future__ import annotations

import base64
import html
import json
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._secrets.foreign_texts import Gate, media_type

WORDS = "correcthorsebattery"
PASSWORDS = (WORDS, "Correct-horse-battery-7", "kH7#pQ2$vN9x", "pässwörtlich grün", "hunter2hunter2")


@pytest.mark.parametrize(
    "text",
    [
        "username is invalid.",
        "The object does not exist.",
        "400 Bad Request",
        "401 Unauthorized",
        "503 Service Temporarily Unavailable",
        "The database is locked.",
        "The password is too short; it must have between 8 and 64 characters.",
        "Der Benutzername ist ungültig (höchstens 32 Zeichen).",
        "The domain shop.example is not below example.com",
        "Invalid value for field 'php_version', expected 8.4",
        "KeyHelp is updating, try again at 2026-11-22 10:15:00.",
        "info@acme.example: the mailbox exists already",
        "/var/www/users does not exist!",
        "nginx/1.18.0",
        "records.other[2].value is wrong.",
        "max_size - not a number",
    ],
)
def test_a_plain_sentence_is_shown_as_it_is(text: str) -> None:
    assert Gate(["kH7#pQ2$vN9x", WORDS]).shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 8, "password": "x"}',
        'before {"id": 8',
        'id": 8, "password": "hunter',
        "<h1>Not found</h1>",
        "password=hunter",
        "the password: correct horse",
        "newPassword: horse",
        "see [1]",
        "&#99;&#111;&#114;",
        "&eacute;a",
        "%63%6f%72%72",
        "\\u0063\\u006f",
        "a`whoami`",
        "it is x b c 7 here",
        "kH7pQ2vN9x aB3dE5fG7, wrong",
        "",
        "   ",
        "104 117 110 116 101 114 50 104 117",
        "68.75.6e.74 65:7e",
        "go to https://panel.example/login?token=abc",
    ],
)
def test_what_is_no_plain_sentence_is_not_shown(text: str) -> None:
    assert Gate().shown(text) is None


@pytest.mark.parametrize(
    "word",
    [
        "kH7pQ2vN9x", "deadbeefcafe", "c2VjcmV0", "Zm9vYmFyYmF6cXV4", "$6$rounds",
        "https://panel.example/", "550e8400-e29b-41d4-a716-446655440000", "aGVsbG8", "qZxHeadOfIt", "xkcdqrtz", "1234567890", "a1b2c3",
        "ABCDEFGHIJKLMNOP", "\u202eabc", "a\u0301bc\u0327\u0335", "a\x00b", "\u0441\u0435\u043a\u0440\u0435\u0442", "x" * 31,
    ],
)  # fmt: skip
def test_a_word_that_may_be_anything_is_an_ellipsis(word: str) -> None:
    assert Gate().shown(f"The value {word} is not accepted here.") == "The value … is not accepted here."


def test_what_the_task_shows_anyway_is_shown() -> None:
    gate = Gate()
    gate.allow(["acme2024", "/www/acme2024/logs", "kunde7@shop24.example"])
    text = "The user 'ACME2024' has no folder /www/acme2024/logs (kunde7@shop24.example)."
    assert gate.shown(text) == text


def test_a_name_that_is_the_secret_too_is_not_shown() -> None:
    gate = Gate(["acme2024"])
    gate.allow(["acme2024"])
    assert gate.shown("The password acme2024 is too weak.") == "The password … is too weak."


def numeric(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


# How a panel may repeat a password.
ECHOES: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "in quotes": lambda text: f"'{text}'",
    "in capitals": str.upper,
    "HTML": html.escape,
    "numeric entities": numeric,
    "entities of entities": lambda text: html.escape(numeric(text)),
    "escapes": escaped,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "percent": lambda text: quote(text, safe=""),
    "percent of percent": lambda text: quote(quote(text, safe="")),
    "every letter in percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in pairs": lambda text: text.encode().hex(" "),
    "hexadecimal with colons": lambda text: text.encode().hex(":"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "full width": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "cut at its end": lambda text: text[:-3],
    "cut at its beginning": lambda text: text[3:],
    "cut to six letters": lambda text: text[:6],
    "in another word": lambda text: f"pre{text}post",
    "letter by letter": " ".join,
    "letter by letter with hyphens": "-".join,
    "in pieces": lambda text: " ".join(text[start : start + 2] for start in range(0, len(text), 2)),
    "in pieces of three": lambda text: " ".join(text[start : start + 3] for start in range(0, len(text), 3)),
    "in numbers": lambda text: " ".join(str(ord(one)) for one in text),
    "as a member": lambda text: f'"password": "{text}"',
    "in an address": lambda text: f"https://panel.example/?p={text}",
}


def letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if one.isalnum())


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("echo", ECHOES)
def test_no_piece_of_a_secret_is_shown(password: str, echo: str) -> None:
    shown = Gate([password]).shown(f"Wrong is {ECHOES[echo](password)} as we see it.") or ""
    left = letters(shown.replace("Wrong is", "").replace("as we see it", ""))
    secret = letters(password)
    assert not any(secret[start : start + 4] in left for start in range(len(secret) - 3)), shown
    assert "6f" not in left and "111" not in left and "7265" not in left, shown


@given(st.text(min_size=8, max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_a_secret_is_never_in_what_is_shown(secret: str, before: str, behind: str) -> None:
    shown = Gate([secret]).shown(f"{before}{secret}{behind}") or ""
    if len(letters(secret)) >= 8:
        assert letters(secret) not in letters(shown)


@pytest.mark.parametrize("secret", ["admin", "test", "1", "root", "panel"])
def test_a_short_secret_does_not_blank_other_words(secret: str) -> None:
    text = "The administration of testing and rooted panels: 11 attempts."
    assert Gate([secret]).shown(text) == text
    assert Gate([secret]).shown(f"The word {secret} is no good.") == "The word … is no good."


def test_secrets_of_answers_are_kept() -> None:
    gate = Gate()
    gate.learn({"id": 1, "generatedPassword": WORDS, "more": [{"api_key": "prefixed"}], "name": "visible"})
    assert gate.shown(f"visible and {WORDS} and prefixed are there") == "visible and … and … are there"


def test_an_address_that_logs_in_is_a_secret_but_for_its_host() -> None:
    gate = Gate()
    gate.learn({"url": "https://panel.example/login/abcdefghijklm?to=opqrstuvwx"}, is_login=True)
    assert gate.shown("No login at panel.example by abcdefghijklm or opqrst there") == (
        "No login at panel.example by … or … there"
    )


def test_most_of_a_text_being_hidden_hides_it_all() -> None:
    assert Gate().shown("kH7pQ2vN9x aB3dE5fG7 aB3dE5fG7 wrong") is None


@pytest.mark.parametrize("value", [None, True, {"password": "x"}, ["x"], 1.5, ""])
def test_what_is_no_text_is_not_shown(value: Any) -> None:
    assert Gate().shown(value) is None
    assert "not shown" in Gate().told(value)


def test_what_is_not_shown_is_told_by_its_length() -> None:
    assert Gate().told('{"a": 1}') == "its reason is not shown, since it is no plain sentence (8 characters)"


@pytest.mark.parametrize("kind", ["code", "title", "host", "value"])
def test_names_are_shown_whole_or_not_at_all(kind: str) -> None:
    assert Gate().shown("Not found", kind) == "Not found"
    assert Gate().shown("Not found kH7pQ2vN9x", kind) is None


def test_a_long_text_ends_at_a_word() -> None:
    shown = Gate().shown("word " * 1000)
    assert shown is not None
    assert len(shown) <= 502
    assert shown.endswith("word …")


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("text/html; charset=utf-8", "text/html"),
        ("Application/JSON", "application/json"),
        ("text/secret-marker", "another type"),
        ("", "no type"),
        (None, "no type"),
    ],
)
def test_a_type_is_one_of_those_that_are_known(header: Any, shown: str) -> None:
    assert media_type(header) == shown
