# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain names and e-mail addresses: the forms in which the panel stores and shows them."""

from __future__ import annotations

import contextlib
import re
from typing import Any

# requests brings it along; a host with Python alone has the older rules of the standard library.
idna: Any = None
with contextlib.suppress(ImportError):
    import idna

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_LOCAL_PART = re.compile(r"[^\s@,;<>()\[\]\"\\]+")


def encode_domain(text: str) -> str:
    """Return the stored form of a domain name; raises ValueError when the text is none."""
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = _encode_label(name)

    labels = name.split(".")
    has_right_length = len(labels) > 1 and len(name) <= 253
    if not has_right_length or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError("not a domain name")

    return name


def _encode_label(name: str) -> str:
    if idna:
        return str(idna.encode(name, uts46=True).decode("ascii"))
    return name.encode("idna").decode("ascii")


def decode_domain(name: str) -> str:
    """Return a domain name for people, with the letters that its punycode stands for."""
    if "xn--" not in name:
        return name

    try:
        if idna:
            return str(idna.decode(name))
        return name.encode("ascii").decode("idna")
    except ValueError:
        return name


def normalize_address(text: str) -> str:
    """Return the stored form of an e-mail address; raises ValueError when the text is none."""
    local, _sign, domain = normalize_foreign_address(text).rpartition("@")
    return f"{local.lower()}@{domain}"


def normalize_foreign_address(text: str) -> str:
    """Return the stored form of an address outside the panel, whose first part keeps its case.

    Raises ValueError when the text is no address.
    """
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not _LOCAL_PART.fullmatch(local):
        raise ValueError("not an e-mail address")
    return f"{local}@{encode_domain(domain)}"


def decode_address(address: str) -> str:
    """Return an e-mail address for people, with the letters that its punycode stands for."""
    local, _separator, domain = address.rpartition("@")
    return f"{local}@{decode_domain(domain)}"
