# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives items the hashes of another panel that stay. No text of it shows a hash."""

from __future__ import annotations

from ....module_utils._values.password_hashes import find_hash
from ..import_ledger import Ledger, RowName
from ..mapped_source import Item, Secret

FIELD = "password_hash"


def add_hash(ledger: Ledger, row: RowName, item: Item, stored: str, keeps: bool) -> bool:
    """Add the hash of a password to an item, if it stays. Tell whether it does.

    Args:
        ledger: Gets the reason of a hash that does not stay.
        row: The row of the object.
        item: The item.
        stored: What the source keeps.
        keeps: Whether hashes are taken over at all.
    """
    if not keeps:
        return False
    usable, reason = find_hash(row.plural, stored)
    if not usable:
        ledger.leave_field(row, FIELD, reason)
        return False

    item[FIELD] = Secret(usable)
    if row.plural == "clients":
        item["password_hash_os"] = Secret(usable)
    return True
