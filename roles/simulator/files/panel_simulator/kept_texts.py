# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the panel keeps the texts that tell objects of a list apart, which no source proves."""

from __future__ import annotations

import html
import unicodedata
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
# By kind, these texts.
_MEMBERS = {
    "databases": ("database_name",),
    "ftp_users": ("username",),
    "directory_protections": ("path", "username"),
    "scheduled_tasks": ("description",),
}


def kept(form: str, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The members of an object as the panel keeps them."""
    keep = FORMS[form]
    return {**data, **{name: keep(data[name]) for name in _MEMBERS.get(kind, ()) if isinstance(data.get(name), str)}}
