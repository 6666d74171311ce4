"""Secrets that are hard to print and easy to find again, in whatever encoding.

Each begins and ends with a mark of letters, which no encoding for addresses, JSON, YAML, HTML,
shells or SQL changes; base64 and hexadecimal do, so their forms of the marks are looked for too.
What is between the marks is what encodings change. A secret of which only a half was masked is
found as well.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

HEAD = "qZxHeadOfIt"
TAIL = "qZxTailOfIt"
# No key has spaces or characters outside ASCII.
_HARD_IN_KEYS = "\"\\/+'%&$"
_HARD = f"{_HARD_IN_KEYS} ü"
_CONTEXT = 40


def make_secret(name: str) -> str:
    """Return a marked secret.

    name: letters and digits, by which a leak is told from others.
    """
    return f"{HEAD}{name}{_HARD}{name}{TAIL}"


def make_secret_key(name: str) -> str:
    """Return the same as an API key."""
    return f"{HEAD}{name}{_HARD_IN_KEYS}{name}{TAIL}"


def _encode_marks() -> Iterator[str]:
    for mark in (HEAD, TAIL):
        yield mark
        yield binascii.hexlify(mark.encode()).decode()
        for before in range(3):
            # What does not depend on the neighbours, by the place in a group of three bytes.
            whole = base64.b64encode(b"\0" * before + mark.encode()).decode()
            yield whole[(0, 2, 3)[before] : (before + len(mark)) * 8 // 6]


_MARKS = re.compile("|".join(map(re.escape, _encode_marks())), re.IGNORECASE)


def find_secrets(text: str, more: Iterable[str] = ()) -> list[str]:
    """Return what a text holds of them, each with what is around it.

    More: other secrets, such as the lines of keys.
    """
    excerpts = [
        text[max(0, hit.start() - _CONTEXT) : hit.end() + _CONTEXT] for hit in _MARKS.finditer(text)
    ]
    return [*excerpts, *(secret for secret in more if secret in text)]


def find_secrets_in_files(
    folder: Path, ours: Iterable[str] = (), more: Iterable[str] = ()
) -> dict[str, list[str]]:
    """Return the files below a folder that hold any, by their path in it.

    Ours: names of files in which the test itself put them.
    """
    more = list(more)
    holding = {
        path.relative_to(folder).as_posix(): find_secrets(
            path.read_text(encoding="utf-8", errors="replace"), more
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ours
    }

    return {path: findings for path, findings in holding.items() if findings}


def list_lines_of_key(text: str) -> list[str]:
    """Return what tells a private key in PEM from all other texts.

    The longest run of letters and digits of each of its lines.
    """
    lines = [line for line in text.splitlines() if not line.startswith("-----")]
    return [max(re.findall(r"\w+", line), key=len) for line in lines if len(line) > 20]


def list_forms(secret: str) -> set[str]:
    """Return the secret as a panel may answer with it."""
    encoded = base64.b64encode(secret.encode())
    escaped = [json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)]

    return {
        secret,
        *escaped,
        *(text.replace("/", "\\/") for text in escaped),
        html.escape(secret),
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        encoded.decode().rstrip("="),
        base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
    }


def list_printed_forms(secret: str) -> set[str]:
    """Return all of these as Ansible may print them."""
    texts = list_forms(secret)
    return {
        *texts,
        *(json.dumps(text, ensure_ascii=False)[1:-1] for text in texts),
        *(repr(text)[1:-1] for text in texts),
    }


def list_texts(value: Any) -> Iterator[str]:
    """Yield every text of a result."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from (name, *list_texts(member))
    elif isinstance(value, list):
        for entry in value:
            yield from list_texts(entry)
    else:
        yield str(value)
