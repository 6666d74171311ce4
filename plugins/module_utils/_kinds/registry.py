# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of objects, and how the members of answers are taken. Whoever asks something about kinds asks here, and keeps no list of its own.

Private to the collection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._schema.fields import Group, Reference
from .._schema.kind import Field, Kind
from .._values.value_types import EACH, Boolean, read_number
from .tables import CLIENT, DOMAIN, IN_ORDER, ZONE

KINDS: dict[str, Kind] = {kind.plural: kind for kind in IN_ORDER}  # by their plurals, in the order of dependency
DNS = ZONE.plural

# Those whose objects are made and deleted one by one, each with an id of its own.
TABLES = {plural: kind for plural, kind in KINDS.items() if not kind.part_of}
BY_PATH = {kind.path: kind for kind in TABLES.values()}
# What goes with a client; GET /clients/{id}/resources has it under these names (facts.md section 4.4).
OWNED = tuple(plural for plural, kind in TABLES.items() if kind.owner)
# What is in a domain by its name.
IN_DOMAINS = tuple(plural for plural, kind in TABLES.items() if kind.name_member in kind.addresses)
# Whose objects take others with them when they go.
TAKING_ALONG = (CLIENT.plural, DOMAIN.plural)
# What others use without being part of it.
USED_BY_OTHERS = frozenset(
    BY_PATH[row.collection].plural
    for kind in TABLES.values()
    for row in kind.references
    if row.collection not in (CLIENT.path, kind.path)
)

# The read-only field ``status`` (interface).
OKAY, ERROR = 1, 2
STATUS_WORDS = {0: "unknown", OKAY: "okay", ERROR: "error", 3: "config_new", 4: "config_update"}

# How members are taken

_SWITCH = Boolean().taken
# Of members that nobody sets, the numbers.
_NUMBERS_SHOWN = ("id", "status", "size", "traffic")


def _switches(shown: Iterable[str]) -> dict[str, Any]:
    """Of members that nobody sets, the switches, which are told by their names."""
    return {name: _SWITCH for name in shown if name.startswith("is_")}


def _taken(row: Field) -> Any:
    """What brings a member into its own type, of a group each of its members; None where it is that always."""
    if isinstance(row, Group):
        return {**_switches(row.read_only), **{member.name: _taken(member) for member in row.members}}
    return read_number if isinstance(row, Reference) else row.type.taken


def _of_objects() -> dict[str, Any]:
    """Of the objects of all kinds, among which one name means the same."""
    members = _numbers(*_NUMBERS_SHOWN)
    for kind in KINDS.values():
        members.update(_switches(kind.shown))
        members.update({row.name: _taken(row) for row in (*kind.key, *kind.rows)})
    for row in (row for kind in TABLES.values() for row in kind.references):
        # What an object got from another one has the same members.
        members.update({own: members[name] for name, own in row.copies.items()})
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
