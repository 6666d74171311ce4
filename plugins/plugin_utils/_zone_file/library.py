# SPDX-License-Identifier: GPL-3.0-or-later
"""What both filters of zone files need: the library dnspython, and types to skip."""

from __future__ import annotations

import sys
from typing import Any

from ...module_utils._errors import MissingLibrary, PanelError

try:
    import dns.ipv6
    import dns.name
    import dns.rdatatype
except ImportError:
    dns = None  # type: ignore[assignment]


def require_library() -> None:
    """Raise MissingLibrary where dnspython is not installed."""
    if dns is None:
        raise MissingLibrary(
            "The Python that runs Ansible has no library dnspython; install it with "
            f"{sys.executable} -m pip install dnspython."
        )


def format_data(data: Any) -> str:
    """Return the value of a record as the library writes it, texts in one piece.

    An IPv6 address is in its short form; older releases leave it as it was written.
    """
    if data.rdtype == dns.rdatatype.AAAA:
        return dns.ipv6.inet_ntoa(dns.ipv6.inet_aton(data.address))
    value: str = data.to_text(chunksize=0)
    return value


def parse_skip_types(skip_types: Any) -> list[str]:
    """Return the types that the option skip_types lists, in upper case."""
    if not isinstance(skip_types, (list, tuple)):
        raise PanelError("skip_types: must be a list of types such as [RRSIG, NSEC].")
    return [str(name).strip().upper() for name in skip_types]
