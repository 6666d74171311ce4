# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes the objects of one kind, and settles creations whose answer was lost. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple

from ansible_collections.hosting.panel.plugins.module_utils._client import PanelClient, path_of
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Conflict,
    OutcomeUnknown,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
)
from ansible_collections.hosting.panel.plugins.module_utils._request_errors import unexpected_answer
from ansible_collections.hosting.panel.plugins.module_utils._tables import Field, Kind, Reference
from ansible_collections.hosting.panel.plugins.module_utils._values.base import ValueType

# A creation answered with one of these, or not at all, may still be under way; after any other answer it is over.
_STATUSES_BEFORE_THE_END = (None, 502, 504)

_LOST_PASSWORD = " If it is there and yours, its generated password was lost with the answer: set regenerate_password: true to get a new one."

Finder = Callable[[], "Mapping[str, Any] | None"]
Items = list[dict[str, Any]]


class Written(NamedTuple):
    """What the panel said after a write: the id, and the password if it generated one."""

    id: int | None
    password: str | None


class Objects:
    """The objects of one kind on one panel."""

    def __init__(self, client: PanelClient, kind: Kind) -> None:
        self._client = client
        self._kind = kind

    def list(self, query: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """All objects; one request, the interface has no pages."""
        return checked_list(self._client.get(self._kind.path, query), self._kind.path)

    def by_id(self, identifier: int) -> dict[str, Any] | None:
        path = self._kind.path + path_of(identifier)
        found = self._client.get_or_none(path)
        if found is None:
            return None
        item = checked_object(found, path)
        # A panel that says nothing about the id is believed; one that shows another object is not.
        if item.get("id") is not None and str(item["id"]) != str(identifier):
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
        found = self.only(self.matching(key), key, label)
        if found is not None and not needed <= found.keys() and found.get("id") is not None:
            return self.by_id(found["id"]) or found
        return found

    def by_key_now(
        self, key: Mapping[str, Any], needed: frozenset[str] = frozenset(), label: str = ""
    ) -> dict[str, Any] | None:
        """The same, and never from what was read before."""
        return self.by_key(key, needed, label)

    def only(self, matching: Items, key: Mapping[str, Any], label: str = "") -> dict[str, Any] | None:
        """The one object with this natural key; raises Conflict where the panel has several."""
        if len(matching) > 1:
            ids = ", ".join(str(item.get("id")) for item in matching)
            raise Conflict(
                f"{len(matching)} {self._kind.title}s are named {label or ':'.join(str(v) for v in key.values())} (ids {ids}). "
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

    def _by_name(self, name: str) -> dict[str, Any] | None:
        path = self._kind.path + path_of("name", name)
        found = self._client.get_or_none(path)
        if found is None:
            return None
        item = checked_object(found, path)
        row = self._kind.key[-1]
        if not row.type.same(name, item.get(row.name)):
            problem = f"answered with another {self._kind.title}: {row.name} is {item.get(row.name)!r}."
            raise unexpected_answer(path, problem)
        return item

    def create(
        self, body: Mapping[str, Any], generates: bool, find: Finder, is_ours: Callable[[Mapping[str, Any]], bool]
    ) -> Written:
        """Creates the object exactly once; the caller has just proven that it was not there.

        find: looks the object up again. is_ours: whether a found object is what ``body`` describes.
        When the answer was lost, the panel is asked instead of the creation being repeated blindly; a generated password that was
        in the lost answer is generated anew.
        """
        try:
            written = self._created(body, find, is_ours)
            identifier = written.id if written.id is not None else self._id_of_new(find)
        except (OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
            if not generates or error.details.get("status") == 429:  # which says that nothing was done
                raise
            raise type(error)(error.message + _LOST_PASSWORD, **error.details) from error
        if generates and not written.password:
            return Written(identifier, self._regenerate(identifier))
        return Written(identifier, written.password)

    def _created(self, body: Mapping[str, Any], find: Finder, is_ours: Callable[[Mapping[str, Any]], bool]) -> Written:
        """What is known of the new object after as many requests as it takes."""
        is_repeat = may_come_late = False
        while True:
            try:
                post = self._client.post_again if is_repeat else self._client.post
                written = self._written(post(self._kind.path, body))
                break
            except Refused as refusal:
                # A first one that arrived late makes the panel refuse the second.
                found = self._find_after_fault(refusal, find) if is_repeat else None
                if found is None or not is_ours(found):
                    raise
                written = Written(found.get("id"), None)
                break
            except OutcomeUnknown as fault:
                found = self._find_after_fault(fault, find, self._may_come_late(fault))
                if found is not None:
                    if not is_ours(found):
                        raise OutcomeUnknown(
                            f"{fault.what} A {self._kind.title} with this name is there now, but it is not as the task wants it: "
                            "either the panel stored other values, or somebody else created it meanwhile. Look at it, and run "
                            "the task again.",
                            **fault.details,
                        ) from fault
                    written = Written(found.get("id"), None)
                    break
                may_come_late = may_come_late or self._may_come_late(fault)
                self._wait_to_send_again(fault, is_repeat, may_come_late)
                is_repeat = True
        return written

    def _may_come_late(self, fault: RequestError) -> bool:
        """Whether a creation may still have its effect, and there is no unique key that would keep it from making a second object."""
        return not self._kind.is_unique and fault.details.get("status") in _STATUSES_BEFORE_THE_END

    def _wait_to_send_again(self, fault: OutcomeUnknown, is_repeat: bool, may_come_late: bool) -> None:
        """Waits before a creation that had no effect is sent again; raises OutcomeUnknown where it may not be.

        may_come_late: so of this one, or of one that was sent before it.
        """
        if not self._kind.is_unique and fault.is_under_way:
            raise OutcomeUnknown(
                f"{fault.what} The {self._kind.title} is not there yet, and it was not sent again, because the panel may still "
                "be at it and would make two. Run the task again in a few minutes; it looks before it creates.",
                **fault.details,
            ) from fault
        if is_repeat and may_come_late:
            raise OutcomeUnknown(
                f"{fault.what} The {self._kind.title} is not there yet, and it was not sent a third time, because one of the first may "
                "arrive late. Run the task again in a few minutes; it looks before it creates.",
                **fault.details,
            ) from fault
        if not self._client.patience.wait(2 if is_repeat else 1):
            raise OutcomeUnknown(
                f"{fault.what} The {self._kind.title} is not there now, and the time for repeats is used up. "
                "Run the task again.",
                **fault.details,
            ) from fault

    def _find_after_fault(
        self, fault: RequestError, find: Finder, may_come_late: bool = False
    ) -> Mapping[str, Any] | None:
        """Looks again, and for as long as it takes to see a creation that may come late."""
        try:
            found = find()
            repeats = 1
            while found is None and may_come_late and repeats <= 4 and self._client.patience.wait(repeats):
                found = find()
                repeats += 1
        except Conflict as error:
            raise OutcomeUnknown(
                f"{fault.what} More than one {self._kind.title} has this name now. Look at them, delete the one that is too many, "
                "and run the task again.",
                **fault.details,
            ) from error
        except RequestError as error:
            raise OutcomeUnknown(
                f"{fault.what} Whether the {self._kind.title} was created is not known, because looking for it failed too: {error.what} "
                "Run the task again when the panel answers; it looks before it creates.",
                **fault.details,
            ) from error
        return found

    def _id_of_new(self, find: Finder) -> int:
        """The id of an object whose creation the panel confirmed without saying it."""
        details = {"method": "POST", "path": self._kind.path, "attempts": 1}
        what = f"POST {self._kind.path} was answered as done, but without an id"
        found = self._find_after_fault(RequestError(f"{what}.", **details), find)
        if found is None or found.get("id") is None:
            raise UnexpectedAnswer(
                f"{what}, and the {self._kind.title} is not there. Look on the panel before you run the task again.",
                **details,
            )
        identifier: int = found["id"]
        return identifier

    def _regenerate(self, identifier: int) -> str:
        """A new password in place of one that nobody saw; the object is ours, since it was not there before."""
        problem = ""
        try:
            again = self.update(identifier, {"password": None})
            if again.password:
                return again.password
        except RequestError as error:
            problem = f" Asking for a new one failed: {error.what}"
        raise OutcomeUnknown(
            f"POST {self._kind.path}: the {self._kind.title} was created with id {identifier}, but its generated password did not arrive "
            f"and nobody knows it.{problem} "
            "Run the task again with regenerate_password: true, or give a password with update_password: always.",
            method="POST",
            path=self._kind.path,
            attempts=1,
        )

    def update(self, identifier: int, body: Mapping[str, Any]) -> Written:
        """Sends the changed members."""
        # A request for a new password that comes late would take back the one that a repeat has brought.
        generates = body.get("password", "") is None
        path = self._kind.path + path_of(identifier)
        return self._written(self._client.put(path, body, may_overtake=not generates))

    def delete(self, identifier: int) -> None:
        self._client.delete(self._kind.path + path_of(identifier))

    def _written(self, answer: Any) -> Written:
        """``{"id": N}``, with ``password`` where one was generated (facts.md section 1)."""
        data = answer if isinstance(answer, dict) else {}
        identifier = data.get("id")
        password = data.get("password")
        return Written(
            identifier if isinstance(identifier, int) and not isinstance(identifier, bool) else None,
            password if isinstance(password, str) and password else None,
        )


def checked_list(data: Any, path: str) -> list[dict[str, Any]]:
    """The list that the interface promises; raises UnexpectedAnswer for anything else."""
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise unexpected_answer(path, "did not answer with a list of objects.")
    for item in data:
        _check_id(item, path)
    return data


def checked_object(data: Any, path: str) -> dict[str, Any]:
    """The object that the interface promises; raises UnexpectedAnswer for anything else."""
    if not isinstance(data, dict):
        raise unexpected_answer(path, "did not answer with an object.")
    _check_id(data, path)
    return data


def _check_id(item: Mapping[str, Any], path: str) -> None:
    if isinstance(item.get("id"), (list, dict)):
        raise unexpected_answer(path, f"shows the id {item['id']}, which is none.")


def matches(kind: Kind, item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether an object of a list has this natural key; references are compared by id."""
    for row in kind.key:
        name = row.name
        if name not in key:
            continue
        row_type: ValueType | None = row.type if isinstance(row, Field) else None
        if isinstance(row, Reference) or row_type is None:
            if str(item.get(name)) != str(key[name]):
                return False
        elif not row_type.same(key[name], item.get(name)):
            return False
    return True
