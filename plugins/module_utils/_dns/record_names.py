# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in zones and in the values of records. Pure. Private to the collection."""

from __future__ import annotations

from .._values.names import punycode

APEX = "@"


def ascii_name(text: str) -> str:
    """Lower case, every label in punycode; a dot at the end stays. Unlike host names, DNS names have ``_`` and ``*``.

    Raises ValueError where a label cannot be written in punycode.
    """
    labels = text.strip().lower().split(".")
    return ".".join(label if label.isascii() else punycode(label) for label in labels)


def whole_name(text: str, zone: str | None) -> str:
    """Write a name in a value without its final dot.

    ``@`` and single labels are relative to the zone. Elsewhere a missing dot at the end makes no difference: panels and users leave it out.
    """
    name = ascii_name(text)
    if "." in name or ":" in name:
        return name.rstrip(".") or name
    if zone is None:
        return name
    return zone if name == APEX else f"{name}.{zone}"
