"""The forms in which a secret may turn up, to look for it in everything that a run says."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus


def forms(secret: str) -> set[str]:
    """The secret as a panel may answer with it."""
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


def printed(secret: str) -> set[str]:
    """All of these as Ansible may print them."""
    texts = forms(secret)
    return {
        *texts,
        *(json.dumps(text, ensure_ascii=False)[1:-1] for text in texts),
        *(repr(text)[1:-1] for text in texts),
    }


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a result."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from (name, *texts_in(member))
    elif isinstance(value, list):
        for entry in value:
            yield from texts_in(entry)
    else:
        yield str(value)
