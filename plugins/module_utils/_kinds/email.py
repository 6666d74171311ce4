# SPDX-License-Identifier: GPL-3.0-or-later
"""Mailboxes (interface "Email accounts"; facts.md section 9). Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._schema.kind import Field, Kind, Needed, Password
from .._values.names import DomainName, EmailAddress
from .._values.value_types import Boolean, ByteSize, SetOf, Text
from .client import owner


def domain_of(key: Mapping[str, Any]) -> str:
    """The domain of the account's address, in punycode."""
    return _domain_in(key["email"])


def _domain_in(address: Any) -> str:
    return str(address).rpartition("@")[2]


def _needed(option: str, names: Callable[[Mapping[str, Any]], Iterable[str]]) -> Needed:
    """Domains that addresses of the account are in: its client's own, and with e-mail (facts.md section 9)."""
    off = "takes no e-mail (is_email_domain: false). Switch that on with hosting.panel.panel_domain, or correct the address."
    having = ("is_email_domain", False, off)
    return Needed(option, "/domains", "domain", "domain", DomainName(), names, having)


def _aliases(account: Mapping[str, Any]) -> list[str]:
    # A panel may show something else than a list.
    aliases = account.get("aliases")
    return list(aliases) if isinstance(aliases, list) else []


def _wrong(account: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A panel may not repeat the address of an account that is asked for by its id.
    address = account.get("email")
    if address in _aliases(account):
        yield "aliases", f"{address} is the address of the mailbox itself."


EMAIL = Kind(
    singular="email",
    plural="emails",
    title="mailbox",
    path="/emails",
    key=(Field("email", EmailAddress()),),
    rows=(
        owner(inherit="email"),
        Field("description", Text()),
        # The panel's form needs 1 or more; whether the API takes -1 is left to the panel (facts.md section 9).
        Field("max_size", ByteSize(least=1)),
        Field("catch_all", Boolean()),
        Field("store_forwarded_emails", Boolean()),
        Field("aliases", SetOf(EmailAddress())),
        Field("forwardings", SetOf(EmailAddress())),
    ),
    has_status=True,
    password=Password(),
    sorts=("id", "email", "email_utf8"),
    needs=(
        _needed("email", lambda account: [domain_of(account)]),
        _needed("aliases", lambda account: [_domain_in(alias) for alias in _aliases(account)]),
    ),
    wrong=_wrong,
    domain_of=domain_of,
    shown=("email_utf8", "size", "aliases_utf8", "forwardings_utf8"),
)
