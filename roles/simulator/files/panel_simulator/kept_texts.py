# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the panel keeps the texts that tell objects of a list apart: the open points ``kept_texts`` and ``protection_paths``."""

from __future__ import annotations

import html
import re
import unicodedata
import zlib
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 20
FORMS: Mapping[str, Callable[[str], str]] = {
    "as_sent": str,
    "cut": lambda text: text[:LONGEST],
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "escaped": html.escape,
    "ascii": lambda text: text.encode("ascii", "replace").decode("ascii"),
    "collapsed": lambda text: " ".join(text.split()),
    "lower": str.lower,
}
# A naming scheme of the panel, which some kinds of names have.
PREFIXED, GENERATED = "prefixed", "generated"
_PREFIXED_MEMBERS = {"databases": "database_name", "ftp_users": "username"}
_SLASHES: Mapping[str, Callable[[str], str]] = {
    "as_sent": str,
    "added": lambda text: f"/{text.strip('/')}/",
    "removed": lambda text: text.strip("/"),
}
# By kind, these texts.
_MEMBERS = {
    "databases": ("database_name",),
    "ftp_users": ("username",),
    "directory_protections": ("path", "username"),
    "scheduled_tasks": ("description",),
}


def kept(form: str, slashes: str, kind: str, data: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The members of an object as the panel keeps them. form, slashes: the two points' values. owner: the user name of the client."""
    names = [name for name in _MEMBERS.get(kind, ()) if isinstance(data.get(name), str)]
    result = dict(data)
    for name in names:
        if form not in (PREFIXED, GENERATED):
            result[name] = FORMS[form](data[name])
        elif form == GENERATED:
            if (
                name == _PREFIXED_MEMBERS.get(kind)
                and owner
                and not re.fullmatch(rf"{re.escape(owner)}_\w\d+", data[name])
            ):
                result[name] = f"{owner}_{kind[0]}{zlib.crc32(data[name].encode()) % 10000}"
        elif name == _PREFIXED_MEMBERS.get(kind) and owner and not data[name].startswith(f"{owner}_"):
            result[name] = f"{owner}_{data[name]}"
        if name == "path":
            result[name] = _SLASHES[slashes](result[name])
    return result
