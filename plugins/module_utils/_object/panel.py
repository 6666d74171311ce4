# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a panel, one kind at a time, and single ones by name or id. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

from .._errors import PanelError
from .._http.client import PanelClient, path_of
from .._http.request_errors import unexpected_answer
from .._kinds.registry import BY_PATH
from .._schema.kind import OWNER, Kind, Needed, Reference, Taken
from .._values.ids import read_id
from .objects import Objects, checked_list, checked_object, named


def system_domain(name: str, comes_with: Callable[[str], bool]) -> Mapping[str, Any] | None:
    """The domain that the panel makes with a new client; it begins with the client's name, and ends as the panel likes.

    comes_with: whether a client of this name is about to be created with one.
    """
    labels = name.split(".")
    usernames = (".".join(labels[:count]) for count in range(1, len(labels)))
    username = next((username for username in usernames if comes_with(username)), None)
    return None if username is None else {"domain": name, "client": username}


class Panel:
    """Asks the panel itself. ``connect`` is called on first use, so a task whose options are wrong sends nothing."""

    def __init__(self, connect: Callable[[], PanelClient]) -> None:
        self._connect = connect

    def objects(self, kind: Kind) -> Objects:
        """All objects of a kind."""
        return Objects(self._connect(), kind)

    def look_up(self, collection: str, name: str | None, identifier: int | None = None) -> Mapping[str, Any] | None:
        """The object of a collection (a path) with this name, or without a name with this id; None where there is none."""
        if name is not None:
            path, item = named(self._connect(), collection, name)
        else:
            path = collection + path_of(identifier)
            found = self._connect().get_or_none(path)
            item = None if found is None else checked_object(found, path)
        if item is None:
            return None
        if item.get("id") is None:
            # What belongs to it would not be found, and be created without an owner.
            raise unexpected_answer(path, "answered with an object without an id.")
        return item

    def shown(self, row: Reference, identifier: Any) -> str:
        """What has this id, in the words of a message; looks its name up, which must not become another failure."""
        if str(identifier) == "0":
            return "the server itself" if row.name == OWNER else f"no {row.noun}"
        number = read_id(identifier)
        try:
            found = self.look_up(row.collection, None, number) if number is not None else None
        except PanelError:
            found = None
        name = (found or {}).get(BY_PATH[row.collection].name_member)
        return f"the {row.noun} {name}" if name else f"the {row.noun} with id {identifier}"

    def look_up_all(self, need: Needed, names: Iterable[str]) -> dict[str, Mapping[str, Any] | None]:
        """The objects with these names, and None for each that is not there; one request, more where a list leaves out what is looked at."""
        names = list(names)
        if len(names) < 2:
            return {name: self.look_up(need.collection, name) for name in names}
        listed = checked_list(self._connect().get(need.collection), need.collection)
        known = {need.type.comparable(item.get(need.member)): item for item in listed}
        found = {name: known.get(need.type.comparable(name)) for name in names}
        is_short = [name for name, item in found.items() if item is not None and not need.shown <= item.keys()]
        return {**found, **{name: self.look_up(need.collection, name) for name in is_short}}

    def holders(self, takes: Mapping[Taken, Iterable[str]]) -> Iterator[tuple[Taken, str, Mapping[str, Any]]]:
        """Each of these names with an object that has it, as far as they are taken; a list is read once for all of them."""
        lists: dict[str, list[dict[str, Any]]] = {}
        for taken, names in takes.items():
            if not taken.among:
                found = ((name, self.look_up(taken.collection, name)) for name in names)
                yield from ((taken, name, one) for name, one in found if one is not None)
                continue
            if taken.collection not in lists:
                lists[taken.collection] = self.all_of(taken.collection)
            wanted = {taken.type.comparable(name): name for name in names}
            for one in lists[taken.collection]:
                yield from ((taken, wanted[held], one) for _member, held in taken.names_of(one) if held in wanted)

    def known_name(self, collection: str, identifier: Any) -> str | None:
        """The name of the object of a collection with this id, where no request is needed for it."""
        del collection, identifier
        return None

    # The names of the clients that the same task assigns their plan again.
    reapplied: frozenset[str] = frozenset()

    def all_of(self, collection: str) -> list[dict[str, Any]]:
        """All objects of a collection, as its list shows them."""
        return checked_list(self._connect().get(collection), collection)

    def is_going(self, collection: str, found: Mapping[str, Any]) -> bool:
        """Whether the same task deletes this object before it creates any."""
        del collection, found
        return False
