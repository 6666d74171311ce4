# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects of a panel are found, created, changed and deleted: all of one kind, and single ones of any kind. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Callable

from .._errors import (
    NOTHING_WRITTEN,
    Conflict,
    Denied,
    OutcomeUnknown,
    PanelError,
    Refused,
    RequestError,
    UnexpectedAnswer,
)
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._http.repeats import LOOKS_AT_A_LATE_LIST, MOST_LOOKS, Patience
from .._kinds.client import CLIENT
from .._kinds.registry import BY_PATH
from .._kinds.taken import DETAILS, OBJECT
from .._schema.kind import OWNER, Kind, Needed, Reference, Taken
from .._secrets.panel_text import Secrets
from .._task.locks import exclusive, longest_write
from .._values.json_values import read_id, take
from .._values.names import spellings
from .creation import Creation, Finder, Written, written_by

Items = list[dict[str, Any]]
NOT_FOUND = 404
# What a panel answers to a path that it does not have, beside what it says of an object that is not there.
_NO_PATH = (NOT_FOUND, 405)
_FORBIDDEN = 403
_COMPLAINTS = (400, 422)
_PLAIN = re.compile(r"[A-Za-z0-9._~-]*")


def is_handed_over(name: str) -> bool:
    """Whether a name has no character that a path has to encode, so that each web server hands it over as it is."""
    return _PLAIN.fullmatch(name) is not None


class Objects:
    """The objects of one kind on one panel."""

    # Whether a new object that the panel would make twice is looked at by who made it; whoever makes many looks at all of them together.
    looks_at_each = True

    def __init__(self, client: PanelClient, kind: Kind) -> None:
        self._client = client
        self._kind = kind
        self._last: Items = []  # what was listed last

    def list(self, query: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """All objects; one request, the interface has no pages."""
        path = self._kind.path
        try:
            self._last = checked_list(self._client.get(path, query), path)
        except Refused as refusal:
            if not self._may_lack_path(refusal):
                raise
            self._last = self._listed_by_client()
        return self._last

    @property
    def secrets(self) -> Secrets:
        """What masks texts of this panel in messages."""
        return self._client.secrets

    @property
    def patience(self) -> Patience:
        """What the looks of a task at this panel may take."""
        return self._client.patience

    def was_there(self, identifier: Any) -> bool:
        """Whether what was read last has an object with this id."""
        return any(item.get("id") == identifier for item in self._last)

    def _may_lack_path(self, fault: RequestError) -> bool:
        return self._kind.is_inferred and fault.details.get("status") in _NO_PATH

    def _listed_by_client(self) -> Items:
        """The same from the documented paths that show everything which a client has (facts.md section 4.4)."""
        items: Items = []
        for owner in checked_list(self._client.get(CLIENT.path), CLIENT.path):
            if owner.get("id") is None:
                raise unexpected_answer(
                    CLIENT.path, "shows a client without its id, so what that one has cannot be told."
                )
            why = f"GET {self._kind.path} was answered with 404, so which there are cannot be told."
            owned = owned_by(self._client.get, owner["id"], [self._kind.plural], why)
            items += [{OWNER: owner["id"], **item} for item in owned[self._kind.plural]]
        return items

    def _prove_listed(self) -> None:
        """Raises UnexpectedAnswer where what is the server's own, and no client's, is shown nowhere, so that each run would make another."""
        if self._client.get_or_none(self._kind.path) is None:
            raise unexpected_answer(
                self._kind.path,
                f"was answered with 404, and no other path shows {self._kind.a_title} that belongs to no client, so whether it is there "
                "cannot be told: this panel has no such path.",
                "Give it to a client, or use the panel itself.",
            )

    def _prove_gone(self, method: str, identifier: int, status: Any = NOT_FOUND) -> None:
        """Raises UnexpectedAnswer where this answer to a path with this id does not say that there is no such object."""
        details = {"method": method, "path": self._kind.path + path_of(identifier), "attempts": 1, "status": status}
        answered = f"{method} {details['path']} answered {status}"
        # Of a path that is documented, a list that shows the object is only late; of another one it may be.
        looks = LOOKS_AT_A_LATE_LIST if self._kind.is_inferred else MOST_LOOKS
        try:
            is_gone = self._leaves_list(identifier, looks)
        except RequestError as error:
            # An earlier write whose answer was lost may have had its effect.
            raise OutcomeUnknown(
                f"{answered}, and whether the {self._kind.title} is gone is not known, because the list could not be read: {error.what}",
                "Run the task again when the panel answers.",
                **details,
            ) from error
        if is_gone:
            return
        raise UnexpectedAnswer(
            f"{answered}, and the list shows the {self._kind.title} with id {identifier} all the same: this panel has no such path.",
            f"{NOTHING_WRITTEN} Look at the API page of the panel for the path that it has, and use the panel itself until then.",
            **details,
        )

    def _listed(self, identifier: int) -> dict[str, Any] | None:
        return next((item for item in self.now().list() if item.get("id") == identifier), None)

    def _leaves_list(self, identifier: int, looks: int) -> bool:
        """Whether one of so many looks at the list, which may be late, does not show the object."""
        return any(self._listed(identifier) is None for _look in self.patience.looks(looks))

    def by_id(self, identifier: int) -> dict[str, Any] | None:
        path = self._kind.path + path_of(identifier)
        try:
            with self._doubting_path():
                found = self._client.get_or_none(path)
        except (Refused, UnexpectedAnswer) as error:
            if error.details.get("status") not in _NO_PATH:
                raise
            # A page with 404 says nothing of objects; the list does.
            return self._listed(identifier)
        if found is None:
            return self._listed(identifier) if self._kind.is_inferred else None
        item = checked_object(found, path)
        # A panel that says nothing about the id is believed; one that shows another object is not.
        if item.get("id") not in (None, identifier):
            raise unexpected_answer(path, f"answered with another {self._kind.title}: its id is {item['id']!r}.")
        return item

    def by_key(
        self, key: Mapping[str, Any], needed: frozenset[str] = frozenset(), label: str = ""
    ) -> dict[str, Any] | None:
        """The object with this natural key (parsed values, references as ids), or None where the panel has none.

        ``needed``: the members that the caller compares; an object of a list that lacks one of them is fetched by its id.
        ``label``: the key in the words of a message.
        """
        if self._kind.by_name:
            return self._by_name(key[self._kind.name_member])
        return self._in_list(key, needed, label)

    def by_key_at_first(
        self, key: Mapping[str, Any], needed: frozenset[str], label: str, may_be_created: bool
    ) -> dict[str, Any] | None:
        """The same with one request, for the first look of a task.

        A name that a web server may not hand over is looked for in the list instead; not so where that is read before a creation anyway.
        """
        name = str(key[self._kind.name_member])
        if self._kind.by_name and (is_handed_over(name) or (may_be_created and self._kind.is_listed_ahead)):
            return self._by_name(name, is_told=True)
        return self._in_list(key, needed, label)

    def _in_list(self, key: Mapping[str, Any], needed: frozenset[str], label: str) -> dict[str, Any] | None:
        found = self.only(self.matching(key), key, label)
        if found is not None and not needed <= found.keys() and found.get("id") is not None:
            return self.by_id(found["id"]) or found
        return found

    def now(self) -> Objects:
        """The same objects, and never from what was read before."""
        return self

    def after_all(self) -> Objects:
        """The same, for another look at what turned out to be in the way."""
        return self.now()

    def note(self, found: Mapping[str, Any] | None, identifier: Any = None) -> None:
        """Takes over what was found by ``now``, or that there is no object with this id any more."""

    def only(self, matching: Items, key: Mapping[str, Any], label: str = "") -> dict[str, Any] | None:
        """The one object with this natural key; raises Conflict where the panel has several."""
        if len(matching) > 1:
            ids = ", ".join(str(item.get("id")) for item in matching)
            raise Conflict(
                f"{len(matching)} {self._kind.titles} are named {label or ':'.join(str(v) for v in key.values())} (ids {ids}). "
                "Name the one you mean by id. Nothing was written."
            )
        return matching[0] if matching else None

    def matching(self, key: Mapping[str, Any], query: Mapping[str, Any] | None = None) -> Items:
        """The objects of the list that have this natural key, or these parts of it.

        Items may be shorter than the objects (facts.md section 4.1); one that leaves out a part of the key is fetched by its id, since
        an object that is overlooked would be created a second time.
        """
        found: Items = []
        for item in self.list(query):
            if not matches(self._kind, item, {name: value for name, value in key.items() if name in item}):
                continue
            complete = item if key.keys() <= item.keys() else self.completed(item, key)
            if complete is not None and matches(self._kind, complete, key):
                found.append(complete)
        return found

    def completed(self, item: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any] | None:
        """The whole object behind an item of the list, with the members of these names; None where it has just been deleted."""
        complete = self.by_id(item["id"]) if item.get("id") is not None else dict(item)
        if complete is None or all(name in complete for name in names):
            return complete
        hidden = ", ".join(sorted(name for name in names if name not in complete))
        raise unexpected_answer(
            self._kind.path,
            f"shows no {hidden} of the {self._kind.title} with id {item.get('id')}, so whether it is the one that the task names "
            "cannot be told.",
            "Name the object by id.",
        )

    def _by_name(self, name: str, is_told: bool = False) -> dict[str, Any] | None:
        path, item = named(self._client, self._kind.path, name, is_told)
        if item is None:
            return None
        row = self._kind.key[-1]
        if not row.same(name, item.get(row.name)):
            problem = f"answered with another {self._kind.title}: {row.name} is {item.get(row.name)!r}."
            raise unexpected_answer(path, problem)
        return item

    def create(
        self, body: Mapping[str, Any], generates: bool, find: Finder, is_ours: Callable[[Mapping[str, Any]], bool]
    ) -> Written:
        """Creates the object exactly once; the caller has just proven that it was not there.

        find: looks the object up again. is_ours: whether a found object is what ``body`` describes.
        """
        if self._kind.is_inferred and str(body.get(OWNER)) == "0":
            self._prove_listed()
        with self._advising(body):
            return Creation(self._client, self._kind, find, is_ours, self.update).carry_out(body, generates)

    @contextmanager
    def _advising(self, body: Mapping[str, Any]) -> Iterator[None]:
        """Adds to the panel's complaint about a body what the table of the kind knows about it."""
        try:
            yield
        except Refused as refusal:
            advice = self._kind.advice(body) if refusal.details.get("status") in _COMPLAINTS else ""
            if advice and advice not in refusal.message:
                refusal.message += f" {advice}"
            raise

    @contextmanager
    def _doubting_path(self) -> Iterator[None]:
        """Adds to a refusal of the key that it may be one of a path that is inferred."""
        try:
            yield
        except Denied as denial:
            if self._kind.is_inferred and denial.details.get("status") == _FORBIDDEN:
                denial.message += " Or this panel has no such path."
            raise

    @contextmanager
    def alone(self, body: Mapping[str, Any]) -> Iterator[Objects]:
        """The time in which no other task of this user on this machine creates the object, which the panel would make twice.

        Gives the objects that are there in that time.
        """
        with self._locked(self._told(body)):
            yield self.now()

    def _told(self, body: Mapping[str, Any]) -> str:
        """The natural key in one text."""
        return ":".join(str(body.get(row.name)) for row in self._kind.key)

    def _locked(self, key: str) -> AbstractContextManager[None]:
        name, what = f"{self._client.connection.panel} {self._kind.path} {key}", f"{self._kind.title} {key}"
        return exclusive(name, what, longest_write(self._client.connection))

    def update(self, identifier: int, body: Mapping[str, Any]) -> Written:
        """Sends the changed members."""
        path = self._kind.path + path_of(identifier)
        # A request for a new password that comes late would take back the one that a repeat has brought.
        generates = body.get("password", "") is None
        try:
            with self._advising(body), self._doubting_path():
                return written_by(self._client.put(path, body, may_overtake=not generates))
        except RequestError as fault:
            if self._may_lack_path(fault):
                self._prove_gone("PUT", identifier, fault.details["status"])
            # What is gone has no password.
            is_gone = isinstance(fault, Refused) and fault.details.get("status") == 404
            if is_gone or not generates or not fault.may_have_written:
                raise
            told = fault.message if isinstance(fault, Denied) else fault.what
            raise OutcomeUnknown(
                f"{told} The {self._kind.title} may have a new password, which nobody knows.",
                "Run the task again in a few minutes, when the panel cannot be at it any more, with regenerate_password: true.",
                **fault.details,
            ) from fault

    def delete(self, identifier: int) -> bool:
        """Deletes; False where somebody else did."""
        try:
            with self._doubting_path():
                refusal = self._client.delete(self._kind.path + path_of(identifier))
        except (Refused, UnexpectedAnswer) as error:
            # A page with 404 says nothing of objects; the list does.
            if self._may_lack_path(error):
                self._prove_gone("DELETE", identifier, error.details["status"])
            elif error.details.get("status") != NOT_FOUND or not self._leaves_list(identifier, LOOKS_AT_A_LATE_LIST):
                raise
            # An attempt before the one that was answered with the page may have deleted it.
            return bool(error.details["attempts"] > 1)
        if refusal is None:
            return True
        self._prove_gone("DELETE", identifier)
        return refusal.may_have_written


def owned_by(read: Callable[[str], Any], client: Any, plurals: Iterable[str], why: str) -> dict[str, Items]:
    """What the client with this id has of these kinds (facts.md section 4.4). read: a path. why: it has to show all of these kinds."""
    path = CLIENT.path + path_of(client, "resources")
    resources = checked_object(read(path), path, DETAILS["resources"])
    for plural in plurals:
        if plural not in resources:
            raise unexpected_answer(path, f"shows no {plural}, and {why}")
    return {plural: checked_list(resources[plural], path) for plural in plurals}


def named(client: PanelClient, collection: str, name: str, is_told: bool = False) -> tuple[str, dict[str, Any] | None]:
    """The object of a collection with this name in any form of Unicode, None where there is none; and the path that was asked last.

    A web server may not hand over each name as it is, and a page with 404 says nothing of objects: then the list decides.
    is_told: whether the panel's own 404 says in any case that there is none.
    """
    path, is_another = "", False
    is_told = is_told or is_handed_over(name)
    for spelling in spellings(name):
        path = collection + path_of("name", spelling)
        try:
            found = client.get_or_none(path)
        except UnexpectedAnswer as error:
            if error.details.get("status") != NOT_FOUND:
                raise
            found, is_told = None, False
        if found is None:
            continue
        item = checked_object(found, path)
        # A plus that came as a blank is the name of another one.
        is_another = not is_handed_over(name) and not _is_named(collection, item, name)
        if not is_another:
            return path, item
    if is_told and not is_another:
        return path, None
    listed = _listed_as(client, collection, name, path)
    if is_another and listed[1] is None:
        raise unexpected_answer(path, f"answered with another object than {name}.")
    return listed


def _is_named(collection: str, item: Mapping[str, Any], name: str) -> bool:
    """Whether an object that was asked for by its name does not show another one."""
    kind = BY_PATH.get(collection)
    return kind is None or kind.key[-1].same(name, item.get(kind.name_member, name))


def _listed_as(client: PanelClient, collection: str, name: str, path: str) -> tuple[str, dict[str, Any] | None]:
    """The same from the list, with the path where it is whole."""
    items = checked_list(client.get(collection), collection)
    for item in items:
        row = BY_PATH[collection].key[-1]
        if row.same(name, item.get(row.name)):
            if item.get("id") is None:
                return path, checked_object(client.get(path), path)
            # The list may be late, and show what is gone.
            return collection + path_of(item["id"]), Objects(client, BY_PATH[collection]).by_id(item["id"])
    return path, None


def checked_list(data: Any, path: str) -> list[dict[str, Any]]:
    """The list that the interface promises; raises UnexpectedAnswer for anything else."""
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise unexpected_answer(path, "did not answer with a list of objects.")
    for item in data:
        _take(item, path)
    return data


def checked_object(data: Any, path: str, members: Mapping[str, Any] = OBJECT) -> dict[str, Any]:
    """The object that the interface promises; raises UnexpectedAnswer for anything else. members: how they are taken."""
    if not isinstance(data, dict):
        raise unexpected_answer(path, "did not answer with an object.")
    _take(data, path, members)
    return data


def _take(item: dict[str, Any], path: str, members: Mapping[str, Any] = OBJECT) -> None:
    """Brings an object into the types of its members, which whoever reads it counts on."""
    take(item, members)
    if item.get("id") is not None and read_id(item["id"]) is None:
        raise unexpected_answer(path, f"shows an id that is none ({item['id']!r}); ids are whole numbers from 1.")


def matches(kind: Kind, item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether an object of a list has this natural key, or these parts of it; references are compared by id."""
    return all(row.same(key[row.name], item.get(row.name)) for row in kind.key if row.name in key)


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

    def whole(self, collection: str, found: Mapping[str, Any], members: frozenset[str]) -> Mapping[str, Any] | None:
        """The same object with these members, where the panel shows them; None where it is gone. One that was looked up alone is whole."""
        del collection, members
        return found

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
