# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a panel a run may take for its own, and delete. Pure.

An object is the run's if the panel answered its creation with this id, or if it was absent before
the run, is there once afterwards, and shows what only this run can have given it: the test client
as its owner, or the values that the run drew by lot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...module_utils._schema.kind import Kind
from ...module_utils._values.answer_forms import read_number
from ...module_utils._values.value_types import read_id
from .open_points import BY_NAME

CLIENTS = "clients"
PLANS = "hosting_plans"
# Names of the field that says to which client an object belongs; the last one is that of older
# panels.
OWNERS = ("id_user", "id_client")
# What belongs to no client shows in these fields which run made it.
_MARKED = {CLIENTS: "notes", PLANS: "resources"}

Object = Mapping[str, Any]


class Presence(Enum):
    """What a panel shows of an object that the run made."""

    GONE = "gone"
    THERE = "there"
    UNKNOWN = "unknown"


@dataclass(eq=False)
class TrialCreation:
    """One object that the panel was asked to make.

    body: as it was sent. looks: how often to look for it without an id. id: None unless the object
        is the run's. presence: what the panel showed at the last look.
    """

    kind: str
    body: Mapping[str, Any]
    looks: int
    id: int | None = None
    presence: Presence = Presence.UNKNOWN

    @property
    def table(self) -> Kind:
        """The table of the kind."""
        return BY_NAME[self.kind]

    @property
    def name(self) -> str:
        """The name that was sent."""
        return str(self.body[self.table.name_field])

    @property
    def path(self) -> str:
        """The path of the object; only for one that is the run's."""
        return f"{self.table.path}/{self.id}"


def index_list(data: Any) -> dict[int, Object] | None:
    """Index a whole list of objects by their ids.

    Args:
        data: what the panel answered.

    Returns:
        None for anything else, such as an envelope around a list: it does not show which objects
        are absent.
    """
    if not isinstance(data, list):
        return None
    objects: dict[int, Object] = {}
    for item in data:
        identifier = read_id(item.get("id")) if isinstance(item, Mapping) else None
        if identifier is None or identifier in objects:
            return None
        objects[identifier] = item

    return objects


def has_name(kind: Kind, name: str, item: Object) -> bool:
    """Return whether the item of a list shows this name."""
    field = kind.key[-1]
    actual = item.get(field.name)
    return isinstance(actual, str) and field.equals(name, actual)


def find_candidates(
    creation: TrialCreation,
    objects: Mapping[int, Object],
    other_ids: frozenset[int],
    client_id: int | None,
) -> dict[int, Object]:
    """Find what may be the object that was asked for.

    Args:
        creation: what the panel was asked to make.
        objects: by id, as the list shows them.
        other_ids: of objects that were there before the run, or that are other ones of the run.
        client_id: of the test client.
    """
    kind = creation.table
    candidates = {}
    for identifier, item in objects.items():
        if identifier in other_ids:
            continue
        is_nameless = item.get(kind.name_field) is None
        # Of these the panel may keep another name than was sent.
        is_renamed = (
            kind.traits.has_scheme and client_id is not None and _find_owner(item) == client_id
        )
        if is_nameless or is_renamed or has_name(kind, creation.name, item):
            candidates[identifier] = item

    return candidates


def is_own(creation: TrialCreation, item: Object, client_id: int | None) -> bool:
    """Return whether an object that was absent before shows that the run made it."""
    field = _MARKED.get(creation.kind)
    if field is None:
        return client_id is not None and _find_owner(item) == client_id

    sent = creation.body[field]
    actual = item.get(field)
    if not isinstance(sent, Mapping):
        return bool(actual == sent)
    if not isinstance(actual, Mapping):
        return False
    return all(read_number(actual.get(name)) == value for name, value in sent.items())


def _find_owner(item: Object) -> int | None:
    """Return the id of the client that an object shows as its owner."""
    for name in OWNERS:
        if name in item:
            return read_id(item[name])
    return None
