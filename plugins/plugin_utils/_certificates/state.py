# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state file holds: the accounts, certificates with their keys, orders under way and challenge records. Pure. Private to the collection.

A key is in it before it is used, and a challenge record before it is on the panel, so that a run which is killed at any moment leaves
nothing that the next one does not know.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...module_utils._values.pem import pem_blocks

CERTIFICATES, ORDERS, CHALLENGES, ACCOUNTS = "certificates", "orders", "challenges", "accounts"
# Older files have one account.
_ACCOUNT = "account"

# The texts that every entry has.
_ORDERED = ("panel", "name", "key_type", "directory", "private_key")
_TEXTS = {
    CERTIFICATES: (*_ORDERED, "certificate", "chain", "not_before", "not_after"),
    ORDERS: _ORDERED,
    CHALLENGES: ("panel", "zone", "host", "value"),
    ACCOUNTS: ("directory", "key"),
}

# A panel that was put back from a backup has one of these.
_MOST_REPLACED = 10

Content = dict[str, Any]
Entries = dict[str, dict[str, Any]]


def wrong_place(content: Mapping[str, Any]) -> str:
    """Where there is something else than what runs write, such as ``certificates[2]``; empty where there is not."""
    for member in _TEXTS:
        entries = content.get(member) or []
        if not isinstance(entries, list):
            return member
        for index, entry in enumerate(entries):
            if not _is_whole(member, entry):
                return f"{member}[{index}]"
    older = content.get(_ACCOUNT)
    return _ACCOUNT if older and not _is_whole(ACCOUNTS, older) else ""


def _is_whole(member: str, entry: Any) -> bool:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name), str) for name in _TEXTS[member]):
        return False
    names = entry.get("names") if member in (CERTIFICATES, ORDERS) else []
    moments = [entry[name] for name in _TEXTS[member] if name.startswith("not_")]
    return isinstance(names, list) and all(isinstance(name, str) for name in names) and all(map(_is_moment, moments))


def _is_moment(text: str) -> bool:
    try:
        return datetime.datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def account_keys(content: Mapping[str, Any]) -> dict[str, str]:
    """The account keys by the address of the authority's directory; each is used there alone."""
    older = content.get(_ACCOUNT)
    accounts = [*([older] if older else []), *(content.get(ACCOUNTS) or ())]
    return {one["directory"]: one["key"] for one in accounts}


def other_owner_of_key(content: Mapping[str, Any], directory: str) -> str:
    """The directory that the account key of this one belongs to as well; empty where it belongs to this one alone."""
    keys = {where: key.split() for where, key in account_keys(content).items()}
    return next((where for where, key in keys.items() if where != directory and key == keys.get(directory)), "")


def with_account_key(content: Content, directory: str, key: str) -> Content:
    """The content with this account key in the place of an older one of the directory; the one that was added last is the last."""
    keys = {**account_keys(content), directory: key}
    accounts = [{"directory": where, "key": one} for where, one in keys.items()]
    return {**{name: value for name, value in content.items() if name != _ACCOUNT}, ACCOUNTS: accounts}


def entries_of(content: Mapping[str, Any], member: str, panel: str) -> Entries:
    """The certificates or orders of a panel by name."""
    return {one["name"]: one for one in content.get(member) or () if one["panel"] == panel}


def with_entries(content: Content, member: str, entries: Iterable[Mapping[str, Any]]) -> Content:
    """The content with these in the place of older ones of their panels and names."""
    new = {(one["panel"], one["name"]): dict(one) for one in entries}
    old = [one for one in content.get(member) or () if (one["panel"], one["name"]) not in new]
    return {**content, member: [*old, *new.values()]}


def issued_now(content: Mapping[str, Any], certificate: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate that was issued, with the fingerprints of the last ones that it replaces, which the panel may have for a while."""
    older = entries_of(content, CERTIFICATES, certificate["panel"]).get(certificate["name"])
    replaced = [*older.get("replaced", ()), fingerprint(older["certificate"])] if older else []
    return {**certificate, "replaced": replaced[-_MOST_REPLACED:]}


def fingerprint(certificate: Any) -> str:
    """What tells a certificate in PEM from any other; empty where it is none."""
    try:
        blocks = pem_blocks(certificate) if isinstance(certificate, str) else ()
    except ValueError:
        blocks = ()
    return hashlib.sha256(blocks[0][1]).hexdigest() if blocks else ""


def is_ours(shown: Mapping[str, Any], kept: Mapping[str, Any] | None) -> bool:
    """Whether a certificate that the panel shows is the kept one of its name, or one that this replaced."""
    components = shown.get("components") or {}
    if kept is None or "certificate" not in components:
        return kept is not None
    return fingerprint(components["certificate"]) in (fingerprint(kept["certificate"]), *kept.get("replaced", ()))


def without_orders(content: Content, panel: str, names: Collection[str]) -> Content:
    """The content without these orders. Their challenge records stay known."""
    orders = [one for one in content.get(ORDERS) or () if one["panel"] != panel or one["name"] not in names]
    return {**content, ORDERS: orders}


def challenges_in(content: Mapping[str, Any], panel: str) -> list[dict[str, str]]:
    """The challenge records that runs have put on a panel, or may have, and not certainly removed."""
    return [one for one in content.get(CHALLENGES) or () if one["panel"] == panel]


def with_challenges(content: Content, panel: str, challenges: Iterable[Mapping[str, str]]) -> Content:
    """The content with these challenge records of a panel too."""
    known = list(content.get(CHALLENGES) or ())
    known += [one for one in ({"panel": panel, **one} for one in challenges) if one not in known]
    return {**content, CHALLENGES: known}


def without_challenges(content: Content, panel: str, zones: Collection[str]) -> Content:
    """The content after the challenge records of these zones were removed."""
    left = [one for one in content.get(CHALLENGES) or () if one["panel"] != panel or one["zone"] not in zones]
    return {**content, CHALLENGES: left}
