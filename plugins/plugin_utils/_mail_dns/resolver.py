# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a name server about names that are in no zone of the panel. Private to the collection."""

from __future__ import annotations

import ipaddress
import threading
from typing import Any

from .names import Values

try:
    import dns.exception
    import dns.resolver
except ImportError:
    dns = None  # type: ignore[assignment]

FORM = "the address of a name server such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
_PORT = 53
_SECONDS = 5.0
# In a row; then the name server is taken for one that is not there.
_MOST_FAILURES = 3


class WrongResolver(Exception):
    """The name server cannot be asked; the message is one sentence."""


class Resolver:
    """One name server, asked about each name once, from any thread."""

    def __init__(self, server: str) -> None:
        """Raises WrongResolver."""
        address, port = address_and_port(server)
        if dns is None:
            raise WrongResolver(
                "needs the Python library dnspython, which is not installed for the Python that runs Ansible; install it there "
                "(pip install dnspython)."
            )
        self.server = server
        self._resolver = dns.resolver.Resolver(configure=False)
        self._resolver.nameservers, self._resolver.port = [address], port
        self._known: dict[tuple[str, str], Values] = {}
        self._lock = threading.Lock()
        self._failures = 0

    @property
    def is_away(self) -> bool:
        """Whether it did not answer, so that it is not asked any more."""
        return self._failures >= _MOST_FAILURES

    def find(self, name: str, kind: str) -> Values:
        """The values of a name; None where the name server does not say."""
        key = (name, kind)
        if key not in self._known:
            if self.is_away:
                return None
            values = self._asked(name, kind)
            with self._lock:
                self._known[key] = values
        return self._known[key]

    def _asked(self, name: str, kind: str) -> Values:
        try:
            answer = self._resolver.resolve(f"{name}.", kind, lifetime=_SECONDS)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            self._count(False)
            return []
        except (dns.resolver.LifetimeTimeout, dns.resolver.NoNameservers, OSError):
            self._count(True)
            return None
        except dns.exception.DNSException:
            return None  # a name that no query can hold, for example
        self._count(False)
        return [_value(kind, data) for data in answer]

    def _count(self, is_failure: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if is_failure else 0 if not self.is_away else self._failures


def _value(kind: str, data: Any) -> str:
    """As Record.value of module_utils/_dns has it."""
    if kind in ("TXT", "SPF"):
        return b"".join(data.strings).decode("utf-8", "surrogateescape")
    if kind == "MX":
        return f"{data.preference} {data.exchange.to_text(omit_final_dot=True).lower()}"
    return str(data.to_text())


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
