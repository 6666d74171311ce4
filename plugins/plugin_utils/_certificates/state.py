# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state file holds: the account, certificates with their keys, orders under way and challenge records. Pure. Private to the collection.

A key is in it before it is used, and a challenge record before it is on the panel, so that a run which is killed at any moment leaves
nothing that the next one does not know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

CERTIFICATES, ORDERS, CHALLENGES, ACCOUNT = "certificates", "orders", "challenges", "account"

Content = dict[str, Any]
Entries = dict[str, dict[str, Any]]


def entries_of(content: Mapping[str, Any], member: str, panel: str) -> Entries:
    """The certificates or orders of a panel by name."""
    return {one["name"]: one for one in content.get(member) or () if one["panel"] == panel}


def with_entries(content: Content, member: str, entries: Iterable[Mapping[str, Any]]) -> Content:
    """The content with these in the place of older ones of their panels and names."""
    new = {(one["panel"], one["name"]): dict(one) for one in entries}
    old = [one for one in content.get(member) or () if (one["panel"], one["name"]) not in new]
    return {**content, member: [*old, *new.values()]}


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
