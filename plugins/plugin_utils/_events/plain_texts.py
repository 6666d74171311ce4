# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of events in which Ansible sees no template: customers choose some of them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

# A template begins with two braces, or is a list of Python in which an escape stands for a brace.
# Wherever an event becomes a variable, a playbook may take it apart, take blanks and other signs
# out of it, and join it with other texts. So none of these signs leaves in an event: one that looks
# like it, and that no filter turns back into it, stands in its place.
_LOOKALIKES = {
    **dict.fromkeys(map(ord, "{\uff5b\ufe5b\ufe37"), "\u2774"),
    **dict.fromkeys(map(ord, "\\\uff3c\ufe68"), "\u2216"),
}
# The header by which a text says itself which other signs its templates begin with.
_NAME_IN_HEADER = "jinja2"
_BEGINNING_OF_HEADER = re.compile(
    r"[#\uff03\ufe5f](?:j(?:i(?:n(?:j(?:a2?)?)?)?)?)?\s*\Z", re.IGNORECASE
)
_NO_LETTER = re.compile(r"[^a-z0-9]")
_LOOKALIKE_OF_HASH = "\u266f"
# A rulebook may write the hash itself, but not what follows the name.
_LOOKALIKES_IN_HEADER = {
    **dict.fromkeys(map(ord, "#\uff03\ufe5f"), _LOOKALIKE_OF_HASH),
    **dict.fromkeys(map(ord, ":\uff1a\ufe55\ufe13"), "\ua789"),
}


def without_templates(value: Any) -> Any:
    """Return the value with nothing in it that Ansible would take for a template."""
    if isinstance(value, str):
        return _break_templates(value)
    if isinstance(value, Mapping):
        return {without_templates(name): without_templates(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_templates(inner) for inner in value]
    return value


def _break_templates(text: str) -> str:
    """Return a text without the signs by which it could become a template."""
    letters = _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).lower())
    if _NAME_IN_HEADER in letters:
        text = text.translate(_LOOKALIKES_IN_HEADER)
    # Another text may complete a header that is only begun.
    begun = _BEGINNING_OF_HEADER.search(text)
    if begun is not None:
        text = f"{text[: begun.start()]}{_LOOKALIKE_OF_HASH}{text[begun.start() + 1 :]}"
    return text.translate(_LOOKALIKES)
