"""Domain names and e-mail addresses: stored as lower-case punycode, given in either spelling and any case."""

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


def ascii_domain(text: str) -> str:
    """The stored form of a domain name; raises ValueError when it is none."""
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = (idna.encode(name, uts46=True) if idna else name.encode("idna")).decode("ascii")
    if "." not in name or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError("not a domain name")
    return name


def utf8_domain(name: str) -> str:
    """The readable form of a stored domain name."""
    if "xn--" not in name:
        return name
    try:
        return str(idna.decode(name)) if idna else name.encode("ascii").decode("idna")
    except ValueError:
        return name


def ascii_address(text: str) -> str:
    """The stored form of an e-mail address; raises ValueError when it is none."""
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not _LOCAL_PART.fullmatch(local):
        raise ValueError("not an e-mail address")
    return f"{local.lower()}@{ascii_domain(domain)}"


def utf8_address(address: str) -> str:
    """The readable form of a stored address."""
    local, _separator, domain = address.rpartition("@")
    return f"{local}@{utf8_domain(domain)}"
