# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in zones and in the values of records. Pure."""

from __future__ import annotations

from .._values.names import encode_punycode

APEX = "@"


def normalize_name(text: str) -> str:
    """Return a DNS name in lower case with every label in punycode; a dot at the end stays.

    Unlike host names, DNS names have ``_`` and ``*``.

    Raises:
        ValueError: A label cannot be written in punycode.
    """
    labels = text.strip().lower().split(".")
    return ".".join(label if label.isascii() else encode_punycode(label) for label in labels)


def qualify_name(text: str, zone: str | None) -> str:
    """Return the complete name that a name in a value stands for, without its final dot.

    ``@`` and single labels are relative to the zone. Elsewhere a missing dot at the end makes no
    difference: panels and users leave it out.

    Args:
        text: The name as it is written.
        zone: The name of the zone; None where it is unknown, so that relative names stay relative.
    """
    name = normalize_name(text)
    if "." in name or ":" in name:
        return name.rstrip(".") or name
    if zone is None:
        return name
    if name == APEX:
        return zone
    return f"{name}.{zone}"
