# SPDX-License-Identifier: GPL-3.0-or-later
"""Mailboxes, whose fields are those of docs/panel_api.md#fields-of-mailboxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panel_simulator.addresses import decode_address, normalize_address
from panel_simulator.calls import Invalid
from panel_simulator.fields import (
    ADDRESS,
    FOREIGN_ADDRESS,
    Bytes,
    Field,
    Flag,
    ListOf,
    Number,
    Text,
)
from panel_simulator.kinds.domains import SCOPE as DOMAIN_SCOPE
from panel_simulator.kinds.rules import check_limits, check_owner, check_ready
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Kind


def _count_by_type(data: Mapping[str, Any]) -> dict[str, int]:
    return {
        "email_accounts": 1,
        "email_addresses": 1 + len(data["aliases"]),
        "email_forwardings": len(data["forwardings"]),
    }


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    if change.entry is None:
        check_owner(panel, data["id_user"])
        check_ready(panel, data["id_user"])
        _check_domain(panel, data["id_user"], "email", data["email"])
        data["email_utf8"] = decode_address(data["email"])

    if data["max_size"] == 0:
        raise Invalid("max_size: must be -1 or at least 1.")

    for alias in data["aliases"]:
        _check_domain(panel, data["id_user"], "aliases", alias)
        if alias == data["email"]:
            raise Invalid(f"aliases: {alias} is the address of the account itself.")

    data["aliases_utf8"] = [decode_address(alias) for alias in data["aliases"]]
    data["forwardings_utf8"] = [decode_address(address) for address in data["forwardings"]]
    counts = _count_by_type(data)
    if change.entry is not None:
        before = _count_by_type(change.entry.data)
        counts = {name: count - before[name] for name, count in counts.items()}

    check_limits(panel, data["id_user"], counts)


def _check_domain(panel: Panel, user: int, member: str, address: str) -> None:
    name = address.rpartition("@")[2]
    domain = panel.store.claims.get((DOMAIN_SCOPE, name))
    if domain is None:
        raise Invalid(f"{member}: the domain {name} does not exist.")
    if domain.data["id_user"] != user:
        raise Invalid(f"{member}: the domain {name} belongs to another client.")
    if not domain.data["is_email_domain"]:
        raise Invalid(f"{member}: the domain {name} is not an e-mail domain.")


EMAILS = Kind(
    name="emails",
    noun="email account",
    key="email",
    key_scope="email address",
    further_keys="aliases",
    sorts=("id", "email", "email_utf8"),
    has_status=True,
    has_password=True,
    name_form=normalize_address,
    fields=(
        Field("id_user", Number(least=1), required=True, access="create"),
        Field("email", ADDRESS, required=True, access="create"),
        Field("email_utf8", Text(), access="ro"),
        Field("description", Text(), default=""),
        Field("size", Number(least=0), default=0, access="ro"),
        Field("max_size", Bytes(), default=2**30, inferred=True),
        Field("catch_all", Flag(), default=False),
        Field("store_forwarded_emails", Flag(), default=False),
        Field("aliases", ListOf(ADDRESS), default=[]),
        Field("aliases_utf8", ListOf(Text()), default=[], access="ro"),
        Field("forwardings", ListOf(FOREIGN_ADDRESS), default=[]),
        Field("forwardings_utf8", ListOf(Text()), default=[], access="ro"),
    ),
    prepare=_prepare,
)
