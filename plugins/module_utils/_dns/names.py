# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in DNS records: hosts and the names inside values. Pure. Private to the collection.

A name that ends with a dot is absolute. A host without one is relative to the zone, and ``@`` is the zone itself.
"""

from __future__ import annotations

import re

from .._values.names import punycode

APEX = "@"
_LABEL = re.compile(r"[a-z0-9_/-]{1,63}", re.ASCII)


def ascii_name(text: str) -> str:
    """Lower case, every label in punycode; a dot at the end stays. Unlike host names, DNS names have ``_`` and ``*``.

    Raises ValueError where a label cannot be written in punycode.
    """
    name = text.strip().lower()
    if name.isascii():
        return name
    return ".".join(label if label.isascii() else punycode(label) for label in name.split("."))


def is_name(text: str) -> bool:
    """Whether the text can be a name in the DNS, relative or absolute, in ASCII."""
    name = text.lower()
    if name in (APEX, "."):
        return True
    labels = (name[:-1] if name.endswith(".") else name).split(".")
    if labels[0] == "*":
        labels = labels[1:] or ["x"]
    return len(name) <= 254 and all(_LABEL.fullmatch(label) for label in labels)


def is_absolute(name: str) -> bool:
    return name.endswith(".")


def is_below(name: str, zone: str) -> bool:
    """Whether a name without a dot at its end is the zone or lies in it."""
    return name == zone or name.endswith("." + zone)


def relative_host(host: str, zone: str | None) -> str:
    """A host (as ``ascii_name`` gives it) relative to the zone, ``@`` for the zone itself.

    Raises ValueError for an absolute name outside the zone. Without a zone, only relative hosts can be told.
    """
    if host in ("", APEX):
        return APEX
    if not is_absolute(host):
        return host
    name = host.rstrip(".")
    if zone is None or not is_below(name, zone):
        raise ValueError
    return APEX if name == zone else name[: -len(zone) - 1]


def needs_zone(name: str) -> bool:
    """Whether a name inside a value can only be compared when the zone's name is known: ``@`` and single labels."""
    return "." not in name


def comparable_name(text: str, zone: str | None) -> str:
    """A name inside a value in a form that is equal for equal names; raises ValueError where it is none.

    ``@`` and single labels are relative to the zone. Elsewhere a missing dot at the end makes no difference, since panels and users
    leave it out.
    """
    name = ascii_name(text)
    if name == ".":
        return name
    if not needs_zone(name):
        return name.rstrip(".")
    zone = zone or APEX
    return zone if name == APEX else f"{name}.{zone}"


def lacks_dot(text: str) -> bool:
    """Whether a name inside a value looks complete but has no dot at its end, so that name servers read it as relative."""
    return "." in text and not text.endswith(".")
