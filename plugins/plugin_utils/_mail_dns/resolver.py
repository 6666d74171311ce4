# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The address of a name server, as users write it. Private to the collection."""

from __future__ import annotations

import ipaddress

FORM = "the address of a name server such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
_PORT = 53


class WrongResolver(Exception):
    """The text is no address; the message is one sentence."""


def address_and_port(server: str) -> tuple[str, int]:
    """The parts of the address of a name server. Raises WrongResolver."""
    text = server.strip()
    address, port = text, str(_PORT)
    if text.startswith("[") and "]" in text:
        address, _bracket, rest = text[1:].partition("]")
        port = rest.removeprefix(":") if rest else port
    elif text.count(":") == 1:
        address, _colon, port = text.partition(":")
    try:
        number = int(port)
        if not (port.isascii() and port.isdecimal() and 1 <= number <= 65535):
            raise ValueError
        return str(ipaddress.ip_address(address)), number
    except ValueError:
        raise WrongResolver(f"{server!r} is not accepted; it must be {FORM}.") from None
