# SPDX-License-Identifier: GPL-3.0-or-later
"""Mailboxes (interface "Email accounts"; facts.md section 9). Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Field, Kind, Password
from .._values.names import EmailAddress
from .._values.value_types import Boolean, ByteSize, SetOf, Text
from .client import owner


def _wrong(account: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A panel may not repeat the address of an account that is asked for by its id, nor show a list.
    address, aliases = account.get("email"), account.get("aliases")
    if isinstance(aliases, list) and address in aliases:
        yield "aliases", f"{address} is the address of the mailbox itself."


EMAIL = Kind(
    singular="email",
    title="mailbox",
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
    addresses=("email", "aliases"),
    wrong=_wrong,
    shown=("email_utf8", "size", "aliases_utf8", "forwardings_utf8"),
)
