# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts in which a secret may come back from a panel or a web server. Private to the collection.

In a file of its own, because most tasks have no text in which to look for secrets.
"""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

# What is left out of a page of a web server (_failed_attempts.py), with what a secret may hold of it.
_TAG = re.compile(r"(?s)<[^>]*(?:>|\Z)")


def forms_of(secret: str, length_of_a_word: int) -> set[str]:
    """The secret in every encoding; its lines and its base64 only from ``length_of_a_word`` characters on."""
    stripped = secret.strip()
    texts = {form for text in (secret, _misread(secret)) for form in (text, text.strip(), *_in_messages(text))}
    # The lines of a key come back joined by spaces or by nothing; its first and last line say only what it is.
    texts |= {
        line for line in stripped.split() if len(line) >= length_of_a_word and "\n" in stripped and "-----" not in line
    }
    forms = {
        form
        for text in texts
        for form in (text, *_in_addresses(text), *_in_json(text), *_in_html(text), *_in_code(text))
    }
    if len(stripped) >= length_of_a_word:
        forms |= _in_base64(stripped)
    return {form for form in forms if form.strip()}


def _misread(text: str) -> str:
    """UTF-8 that was taken for Latin-1, as it is in pages that do not say what they are in."""
    return text.encode(errors="replace").decode("latin-1")


def _in_messages(text: str) -> set[str]:
    """As _failed_attempts.py writes what it quotes: on one line, without control characters and tags."""
    lines = {" ".join(one.split()) for one in (text, _TAG.sub(" ", text))}
    return {"".join(character for character in line if character.isprintable()) for line in lines} | lines


def _in_addresses(text: str) -> set[str]:
    # Bytes that are no UTF-8 come from the environment as lone surrogates, which cannot be encoded.
    text = text.encode(errors="replace").decode()
    encoded = {quote(text, safe=""), quote(text), quote(text, safe="!'()*~"), quote_plus(text)}
    return encoded | {re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in encoded}


def _in_json(text: str) -> set[str]:
    encoded = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    encoded |= {form.replace("/", "\\/") for form in encoded}  # as PHP writes it
    return encoded | {re.sub("[<>&']", lambda match: f"\\u{ord(match[0]):04X}", form) for form in encoded}


def _in_html(text: str) -> set[str]:
    escaped = html.escape(text)
    quotes = {escaped.replace("&#x27;", entity) for entity in ("&#039;", "&#39;", "&apos;")}
    return {escaped, html.escape(text, quote=False), *quotes}


def _in_code(text: str) -> set[str]:
    """In quotes of a shell, of SQL, of PHP, and of Python, in which our own messages show what they refuse."""
    return {
        text.replace("'", "'\"'\"'"),
        text.replace("'", "'\\''"),
        text.replace("'", "''"),
        re.sub(r"([\\'\"])", r"\\\1", text),
        repr(text)[1:-1],
    }


def _in_base64(text: str) -> set[str]:
    content = text.encode(errors="replace")
    encoded = {base64.b64encode(content).decode(), base64.urlsafe_b64encode(content).decode()}
    encoded |= {form.rstrip("=") for form in encoded}
    # Behind a user name, as in HTTP's own authentication: what does not depend on the neighbours.
    for before in (1, 2):
        inside = base64.b64encode(b"\0" * before + content)[before + 1 : (before + len(content)) * 8 // 6].decode()
        encoded |= {inside, inside.replace("+", "-").replace("/", "_")}
    return encoded | {base64.b64encode(content)[: len(content) * 8 // 6].decode()}
