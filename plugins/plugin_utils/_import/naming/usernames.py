# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the usernames of the folder, such as the panel takes, and numbers of equal names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..._import_source.source_shape import Customer

LONGEST_USERNAME = 64
_NOT_IN_NAME = re.compile(r"[^a-z0-9._-]")
_NO_BEGINNING = re.compile(r"^[^a-z0-9]+")
_EMPTY = "client"
_ASKED = "mapping.usernames says so."
_CHANGED = (
    "Names of clients are lower case, start with a letter or digit, hold a to z, digits, "
    "., _ and -, and have 64 characters at most."
)
_NUMBERED = "The name that the panel takes is another customer's."


class RenamedCustomer(NamedTuple):
    """A customer who has another username in the folder."""

    old_name: str
    new_name: str
    reason: str


class Usernames(NamedTuple):
    """The usernames of the folder.

    Attributes:
        by_old_name: By the source's spelling.
        renamed: Those that differ.
    """

    by_old_name: Mapping[str, str]
    renamed: Sequence[RenamedCustomer]


def clean_username(name: str) -> str:
    """Return a username that the panel takes."""
    cleaned = _NOT_IN_NAME.sub("-", name.lower())
    cleaned = _NO_BEGINNING.sub("", cleaned)[:LONGEST_USERNAME]
    return cleaned or _EMPTY


def number_name(name: str, used_names: Collection[str], separator: str, longest: int) -> str:
    """Return a name with the first number from 2 that makes it a free one."""
    number = 2
    while True:
        ending = f"{separator}{number}"
        candidate = f"{name[: longest - len(ending)]}{ending}"
        if candidate not in used_names:
            return candidate
        number += 1


def choose_usernames(customers: Sequence[Customer], asked: Mapping[str, str]) -> Usernames:
    """Return the username of each customer; names that need no change stay.

    Args:
        customers: In the order of the source.
        asked: What the operator says, by the source's spelling.
    """
    old_names = list(dict.fromkeys(customer.username for customer in customers))
    wishes = {name: clean_username(asked.get(name, name)) for name in old_names}
    # First what the operator says, then what can stay as it is.
    ranks = {name: (name not in asked, wishes[name] != name) for name in old_names}

    by_old_name: dict[str, str] = {}
    used_names: set[str] = set()
    for name in sorted(old_names, key=ranks.__getitem__):
        chosen = wishes[name]
        if chosen in used_names:
            chosen = number_name(chosen, used_names, "-", LONGEST_USERNAME)
        used_names.add(chosen)
        by_old_name[name] = chosen

    renamed = [
        RenamedCustomer(name, by_old_name[name], _explain(name, by_old_name[name], asked, wishes))
        for name in old_names
        if by_old_name[name] != name
    ]
    return Usernames({name: by_old_name[name] for name in old_names}, renamed)


def _explain(name: str, chosen: str, asked: Mapping[str, str], wishes: Mapping[str, str]) -> str:
    if chosen != wishes[name]:
        return _NUMBERED
    if name in asked:
        return _ASKED
    return _CHANGED
