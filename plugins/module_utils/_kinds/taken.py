# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the members of answers are taken, in whichever form a panel writes numbers and switches. Private to the collection.

A table has by the name of a member how it is taken, and for what is nested a table again; members without an entry stay as they are.
"""

from __future__ import annotations

from typing import Any

from .._schema.kind import Group
from .._values.json_values import EACH, read_number
from .._values.value_types import Boolean
from .registry import KINDS, OWNED, TABLES

_SWITCH = Boolean().typed
# Of members that nobody sets, the numbers. Switches are told by their names.
_NUMBERS_SHOWN = ("id", "status", "size", "traffic")


def _of_objects() -> dict[str, Any]:
    """Of the objects of all kinds, among which one name means the same."""
    members: dict[str, Any] = dict.fromkeys(_NUMBERS_SHOWN, read_number)
    for kind in KINDS.values():
        members.update({name: _SWITCH for name in kind.shown if name.startswith("is_")})
        rows = [((row.name,), row) for row in kind.key] + list(kind.leaves())
        for (*group, name), row in rows:
            if row.is_typed:
                (members.setdefault(group[0], {}) if group else members)[name] = row.typed
        for group_row in kind.rows:
            if isinstance(group_row, Group):
                switches = {name: _SWITCH for name in group_row.shown if name.startswith("is_")}
                members.setdefault(group_row.name, {}).update(switches)
    for row in (row for kind in TABLES.values() for row in kind.references):
        # What an object got from another one has the same members.
        members.update({own: members[name] for name, own in row.alike_by})
    return members


def _numbers(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, read_number)


OBJECT = _of_objects()
ZONE_RECORDS = {"soa": _numbers("ttl", "refresh", "retry", "expire", "minimum"), "other": _numbers("ttl")}
# What a client has and uses (facts.md section 4), by the last part of the path.
DETAILS: dict[str, dict[str, Any]] = {
    "resources": dict.fromkeys(OWNED, OBJECT),
    "stats": {EACH: _numbers("value", "max")},
    "traffic": {EACH: _numbers("in", "out")},
}
SERVER_BLOCKS: dict[str, Any] = {
    "meta": {"panel_build": read_number, "uptime": {EACH: read_number}},
    "operating_system": {"updates": {"reboot_required": _SWITCH}},
    "utilization": {"load": {EACH: read_number}},
    "resources": {EACH: read_number},
    "ports": {"port": read_number, "is_online": _SWITCH},
}
