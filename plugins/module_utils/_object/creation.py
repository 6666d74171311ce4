# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates an object exactly once, whatever becomes of the panel's answers. Private to the collection.

After a lost answer the panel is asked whether the object is there. It is sent again only where the panel itself would refuse a second one, or
is certainly through with the first request. A generated password that was in a lost answer is made anew. Where a panel may keep another name
than was sent, it refuses no second one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from .._errors import NOTHING_WRITTEN, Conflict, OutcomeUnknown, Refused, RequestError, ServerFailed, UnexpectedAnswer
from .._http.panel_client import path_of
from .._http.repeats import MOST_LOOKS
from .._values.json_values import read_id
from .objects import Object, Store

Finder = Callable[[bool], Optional[Object]]
_AGAIN = "It may have been created. Run the task again in a few minutes; it looks before it creates."


class Created(NamedTuple):
    """The id of the new object, and the password if the panel made it. instead: what had the name by then; then nothing was created."""

    id: int | None
    password: str | None = None
    instead: Object | None = None


def password_in(answer: Any) -> str | None:
    """The password that the panel made, in the answer to a write (facts.md section 1)."""
    password = answer.get("password") if isinstance(answer, dict) else None
    return password if isinstance(password, str) and password else None


def create(
    store: Store, label: str, body: Mapping[str, Any], generates: bool, find: Finder, is_ours: Callable[[Object], bool]
) -> Created:
    """Creates what is not there. find: looks for it again; is given whether it may be there under another name.

    is_ours: whether a found object is what the body describes.
    """
    try:
        created = _created(store, label, body, find, is_ours)
    except (OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
        if generates and NOTHING_WRITTEN not in error.advice:
            error.message += " If it is there, its password is lost: set regenerate_password: true for a new one."
        raise
    if created.instead is not None:
        return created
    if created.id is None:
        raise UnexpectedAnswer(
            f"{label}: POST {store.kind.path} was answered as done, but without an id, and the {store.kind.title} is not there.",
            _AGAIN,
            **_details(store),
        )
    if generates and created.password is None:
        return created._replace(password=_made_anew(store, label, created.id))
    return created


def _details(store: Store) -> dict[str, Any]:
    return {"method": "POST", "path": store.kind.path, "attempts": 1}


def _created(
    store: Store, label: str, body: Mapping[str, Any], find: Finder, is_ours: Callable[[Object], bool]
) -> Created:
    kind, client = store.kind, store.panel.client
    is_unique = kind.is_unique and not kind.has_scheme
    lost: OutcomeUnknown | None = None
    while True:
        try:
            answer = client.post(kind.path, body, is_repeat=lost is not None)
        except OutcomeUnknown as fault:  # noqa: PERF203
            found, looks = _look(store, label, fault, find, 1 if is_unique else MOST_LOOKS)
            if found is not None:
                return _taken_over(label, fault, found, is_ours)
            # A panel that has answered, and shows nothing for so long, is through with the first request.
            may_send = is_unique or (looks == MOST_LOOKS and (kind.has_scheme or not fault.is_under_way))
            if not may_send or not client.patience.wait(1 if lost is None else 2, fault.wait):
                raise OutcomeUnknown(f"{label}: {fault.what} It is not there yet.", _AGAIN, **fault.details) from fault
            lost = fault
        except RequestError as error:
            # Somebody, or a request of ours whose answer was lost, may have made it by now; a panel may also fail after it has.
            is_refused, looks = isinstance(error, Refused), 1 if lost is None else MOST_LOOKS
            is_open = is_refused or (isinstance(error, ServerFailed) and error.may_have_written)
            found = _look(store, label, error, find, looks, lost is not None or not is_refused)[0] if is_open else None
            if found is not None:
                return (
                    Created(found.get("id"), instead=found)
                    if lost is None and is_refused
                    else _taken_over(label, error, found, is_ours)
                )
            if lost is None:
                raise
            what = f"{label}: a second attempt failed: {error.what.rstrip('.')}. The first one got no answer."
            raise OutcomeUnknown(what, _AGAIN, **error.details) from error
        else:
            return Created(_id_in(answer, store, label, find), password_in(answer))


def _id_in(answer: Any, store: Store, label: str, find: Finder) -> int | None:
    """The id of the new object; a panel that does not say it is asked."""
    identifier = read_id(answer.get("id")) if isinstance(answer, dict) else None
    if identifier is not None:
        return identifier
    fault = OutcomeUnknown(f"POST {store.kind.path} was answered as done, but without an id.", **_details(store))
    found, _looks = _look(store, label, fault, find, 1)
    return None if found is None else _taken_over(label, fault, found, bool).id


def _taken_over(label: str, fault: RequestError, found: Object, is_ours: Callable[[Object], bool]) -> Created:
    """The object that a lost creation made; raises OutcomeUnknown where it is not what was sent."""
    problem = "not as the task wants it: the panel stored other values, or someone else made it."
    if found.get("id") is None:
        problem = "the panel shows no id of it."
    elif is_ours(found):
        return Created(found["id"])
    raise OutcomeUnknown(
        f"{label}: {fault.what} It is there now, but {problem}",
        "Look at it, and run the task again.",
        **fault.details,
    ) from fault


def _look(
    store: Store, label: str, fault: RequestError, find: Finder, most: int, is_lost: bool = True
) -> tuple[Object | None, int]:
    """What is there after a fault, and how often that was looked at; raises OutcomeUnknown where it cannot be told."""
    look = 0
    try:
        for look in store.panel.client.patience.looks(most):
            found = find(is_lost)
            if found is not None:
                if look > 1:
                    store.panel.client.patience.begin_anew()
                return found, look
    except (Conflict, RequestError) as error:
        if not {"kept_as", "several"}.isdisjoint(error.details):
            raise
        if isinstance(error, Conflict):
            raise OutcomeUnknown(
                f"{label}: {fault.what} {error.message}", "Delete the one too many.", **fault.details
            ) from error
        if isinstance(fault, Refused):
            raise fault from error
        what = f"{label}: {fault.what} Looking for it failed too: {error.what}"
        raise OutcomeUnknown(what, _AGAIN, **fault.details) from error
    return None, look


def _made_anew(store: Store, label: str, identifier: int) -> str:
    """A new password in place of one that nobody saw; the object is ours, since it was not there before."""
    details: dict[str, Any] = {"method": "PUT", "path": store.kind.path + path_of(identifier), "attempts": 1}
    problem = f"{details['method']} {details['path']} did not return one."
    try:
        password = password_in(store.update(identifier, {"password": None}))
        if password is not None:
            return password
    except RequestError as error:
        problem, details = error.what, error.details
    raise OutcomeUnknown(
        f"{label}: it was created with id {identifier}, and its generated password did not arrive. Asking for another one failed: {problem}",
        "Run the task again with regenerate_password: true, or give a password with update_password: always.",
        **{**details, "id": identifier, "result": {"changed": True}},
    )
