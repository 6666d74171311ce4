# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What reading and writing zone text share: the library, the error and the zone's name. Private to the collection."""

from __future__ import annotations

from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed

try:
    import dns.exception
    import dns.name
    import dns.rdata
    import dns.rdataclass
    import dns.rdatatype
    import dns.tokenizer
    import dns.ttl
except ImportError:
    dns = None  # type: ignore[assignment]

__all__ = ["ZoneTextError", "dns", "require_library", "types_to_skip", "zone_name"]


class ZoneTextError(Exception):
    """The text or the records cannot be turned into the other; the message is one sentence and names the line or record."""


def require_library() -> None:
    """Raises ZoneTextError where dnspython is missing."""
    if dns is None:
        raise ZoneTextError(
            "the Python library dnspython is not installed for the Python that runs Ansible; install it there "
            "(pip install dnspython)."
        )


def zone_name(origin: Any) -> str:
    """The zone's name in punycode and lower case, without a dot at its end; raises ZoneTextError where it is none."""
    try:
        name: str = parsed(DomainName(), "origin", origin)
    except PanelError as error:
        raise ZoneTextError(error.message) from None
    return name


def types_to_skip(skip_types: Any) -> frozenset[str]:
    """Names of record types in upper case."""
    if not isinstance(skip_types, (list, tuple)) or not all(isinstance(name, str) for name in skip_types):
        raise ZoneTextError("skip_types: must be a list of types such as [RRSIG, NSEC].")
    return frozenset(name.strip().upper() for name in skip_types)
