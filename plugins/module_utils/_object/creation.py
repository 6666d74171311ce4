# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates an object exactly once, whatever becomes of the panel's answers. Private to the collection.

When an answer was lost, or the panel refused, the panel is asked instead of the creation being repeated blindly; a generated password that
was in a lost answer is generated anew. Where the panel itself would make two objects, nothing is sent again while the first may still come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from .._errors import (
    NOTHING_WRITTEN,
    Conflict,
    Denied,
    OutcomeUnknown,
    PanelError,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
)
from .._http.panel_client import PanelClient, path_of
from .._http.repeats import LOOKS_AT_A_LATE_LIST, MOST_LOOKS
from .._kinds.client import CLIENT
from .._schema.kind import OWNER, Kind
from .._task.mistakes import without_ending
from .._values.json_values import read_id, read_number
from .waiting import NEW, OKAY, STATUS_WORDS

Finder = Callable[[], Optional[Mapping[str, Any]]]
"""Looks an object up again; None where it is not there."""


class Written(NamedTuple):
    """What the panel said after a write: the id, and the password if it generated one.

    instead: what had the name of an object that was to be created; then nothing was written.
    """

    id: int | None
    password: str | None
    instead: Mapping[str, Any] | None = None


def written_by(answer: Any) -> Written:
    """``{"id": N}``, with ``password`` where one was generated (facts.md section 1)."""
    data = answer if isinstance(answer, dict) else {}
    password = data.get("password")
    return Written(
        read_id(data.get("id")),
        password if isinstance(password, str) and password else None,
    )


# For as long as the task may repeat.
_UNTIL_THE_TIME_IS_OVER = 1000

_LOST_PASSWORD = " If it is there and yours, its generated password was lost with the answer: set regenerate_password: true to get a new one."

_GIVEN_PASSWORD = " Whether it has the password of the task is not known; with update_password: always it gets that."
_PASSWORDS = ("password", "password_hash", "password_hash_os")


def _passwords_in(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in _PASSWORDS if name in body}


def _before(advice: str, error: RequestError) -> str:
    """What to do after this error: first about a key or a path that does not work, since nothing else helps before."""
    if not isinstance(error, (Denied, UnexpectedAnswer)):
        return advice
    # That nothing was written is true of this request alone, and an earlier one has made the object.
    return error.advice.replace(f"{NOTHING_WRITTEN} ", "") + f" {advice}"


class Creation:
    """One creation. find, is_ours: as for Objects.create. update: changes the object with an id."""

    def __init__(
        self,
        client: PanelClient,
        kind: Kind,
        find: Finder,
        is_ours: Callable[[Mapping[str, Any]], bool],
        update: Callable[[int, Mapping[str, Any]], Written],
    ) -> None:
        self._client, self._kind = client, kind
        self._find, self._is_ours, self._update = find, is_ours, update
        # Of an earlier request of this creation.
        self._lost: OutcomeUnknown | None = None
        self._looks = 0  # after the last request
        self._is_confirmed = True  # that the panel made the object from this creation's request
        self._has_waited = False  # for the client that it shall belong to

    def carry_out(self, body: Mapping[str, Any], generates: bool) -> Written:
        """What is known of the new object, or of the one that is there instead. generates: whether the panel makes the password."""
        try:
            written = self._created(body, generates)
            if written.instead is not None:
                return written
            identifier = written.id if written.id is not None else self._id_of_new()
        except RequestError as error:
            raise self._explained(error, generates) from error
        if generates and not written.password:
            return Written(identifier, self._regenerate(identifier))
        if not self._is_confirmed:
            self._set_password(identifier, body)
        return Written(identifier, written.password)

    def _explained(self, error: RequestError, generates: bool) -> RequestError:
        """The error, with what an operator has to know about a request that may have made the object."""
        password = _LOST_PASSWORD if generates else ""
        if isinstance(error, (OutcomeUnknown, ServerFailed, UnexpectedAnswer)):
            return type(error)(error.message + password, **error.details) if password else error
        if self._lost is None:
            return error
        told = without_ending(error.message) if isinstance(error, Denied) else error.what
        return OutcomeUnknown(
            f"{told} An earlier request for this {self._kind.title} got no answer "
            f"({self._lost.what.rstrip('.')}), and may still have its effect. Look on the panel, correct what it complains about, and run the "
            f"task again in a few minutes; it looks before it creates.{password}",
            **error.details,
        )

    def _created(self, body: Mapping[str, Any], generates: bool) -> Written:
        """What is known of the object after as many requests as it takes."""
        written = None
        while written is None:
            written = self._sent(body, generates)
        if self._looks > 1:
            self._client.patience.begin_anew()
        return written

    def _sent(self, body: Mapping[str, Any], generates: bool) -> Written | None:
        """What is known of the object after one request; None where it had no effect and may be sent again."""
        try:
            return written_by(self._client.post(self._kind.path, body, is_repeat=self._lost is not None))
        except OutcomeUnknown as fault:
            found = self._find_after_fault(fault, self._most_looks(fault))
            if found is not None:
                return self._taken_over(found, fault)
            self._wait_to_send_again(fault)
            self._lost = fault
            return None
        except (Refused, ServerFailed, UnexpectedAnswer) as refusal:
            return self._behind_refusal(refusal, generates, body)

    def _behind_refusal(self, refusal: RequestError, generates: bool, body: Mapping[str, Any]) -> Written | None:
        """What is there after the panel said no; None where it may say yes now, and the refusal is raised where nothing is.

        Which status the panel has for a name that is taken is not fixed, so it is looked at.
        """
        if self._lost is not None:
            # The first one may have arrived late, or still be on its way with the name taken already.
            found = self._find_after_fault(refusal, MOST_LOOKS)
            if found is not None:
                return self._taken_over(found, refusal)
            raise refusal
        try:
            found = self._looked_for(self._most_looks(refusal))
        except PanelError:
            found = None
        if found is None:
            if isinstance(refusal, Refused) and self._has_waited_for_owner(refusal, body):
                return None
            raise refusal
        if isinstance(refusal, Refused):
            return Written(found.get("id"), None, instead=found)
        is_ours, passwords = self._is_ours(found), _passwords_in(body)
        if generates or (passwords and not is_ours):
            raise type(refusal)(
                f"{refusal.what} There is {self._kind.a_title} with this name now; whether this task or somebody else made it is not known. "
                f"Look at it before you run the task again.{_GIVEN_PASSWORD if passwords else ''}",
                **refusal.details,
            ) from refusal
        # A panel that failed may have made it all the same.
        return self._unconfirmed(found) if is_ours else Written(found.get("id"), None, instead=found)

    def _has_waited_for_owner(self, refusal: Refused, body: Mapping[str, Any]) -> bool:
        """Whether the client that the object shall belong to was not ready and is now; raises Refused where it does not get so in time.

        Some panels take what belongs to a client only then.
        """
        owner = read_id(body.get(OWNER))
        if owner is None or self._has_waited:
            return False
        self._has_waited = True
        for look in self._client.patience.looks(_UNTIL_THE_TIME_IS_OVER):
            try:
                found = self._client.get_or_none(CLIENT.path + path_of(owner))
            except PanelError:
                return False
            status = read_number(found.get("status")) if isinstance(found, Mapping) else None
            if status != NEW:
                if look > 1:
                    self._client.patience.begin_anew()
                return look > 1 and status == OKAY
        raise Refused(
            f"{refusal.what} Its client is not ready yet (status {NEW}, {STATUS_WORDS[NEW]}), and some panels take what belongs to a client only "
            "then. Nothing was written by this request. Run the task again in a minute, or let the task of the client wait for it (wait: true).",
            **refusal.details,
        ) from refusal

    def _unconfirmed(self, found: Mapping[str, Any]) -> Written:
        """An object that is as it was sent, and that somebody else may have made all the same."""
        self._is_confirmed = False
        return Written(found.get("id"), None)

    def _taken_over(self, found: Mapping[str, Any], fault: RequestError) -> Written:
        """The object that a lost creation made; raises OutcomeUnknown where it is not what was sent."""
        if self._is_ours(found):
            return self._unconfirmed(found)
        raise OutcomeUnknown(
            f"{fault.what} There is {self._kind.a_title} with this name now, but it is not as the task wants it: "
            "either the panel stored other values, or somebody else created it meanwhile. Look at it, and run "
            "the task again.",
            **fault.details,
        ) from fault

    def _most_looks(self, fault: RequestError) -> int:
        """A panel that would make two may still be at the first one, whatever it has answered; but not where it has said no.

        What has a name that is taken, and is only found in a list, may be so new that the list does not show it yet.
        """
        if isinstance(fault, Refused):
            return LOOKS_AT_A_LATE_LIST if self._kind.is_unique and not self._kind.by_name else 1
        return 1 if self._kind.is_unique else MOST_LOOKS

    def _wait_to_send_again(self, fault: OutcomeUnknown) -> None:
        """Waits before a creation that had no effect yet is sent again; raises OutcomeUnknown where it may not be."""
        # An answer says that the panel is through with the request, or nearly so; without one nobody knows how long it goes on.
        if not self._kind.is_unique and (fault.is_under_way or self._looks < MOST_LOOKS):
            raise OutcomeUnknown(
                f"{fault.what} The {self._kind.title} is not there yet, and it was not sent again, because the panel may still "
                "be at it and would make two. Run the task again in a few minutes; it looks before it creates.",
                **fault.details,
            ) from fault
        if not self._client.patience.wait(1 if self._lost is None else 2, fault.wait):
            raise OutcomeUnknown(
                f"{fault.what} The {self._kind.title} is not there now, and the time for repeats is used up. "
                "Run the task again.",
                **fault.details,
            ) from fault

    def _find_after_fault(self, fault: RequestError, most: int = 1) -> Mapping[str, Any] | None:
        """Looks again; up to so many times, for a creation that may come late."""
        try:
            return self._looked_for(most)
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

    def _looked_for(self, most: int) -> Mapping[str, Any] | None:
        for look in self._client.patience.looks(most):
            self._looks = look
            found = self._find()
            if found is not None:
                return found
        return None

    def _id_of_new(self) -> int:
        """The id of an object whose creation the panel confirmed without saying it."""
        details: dict[str, Any] = {"method": "POST", "path": self._kind.path, "attempts": 1}
        what = f"POST {self._kind.path} was answered as done, but without an id"
        found = self._find_after_fault(RequestError(f"{what}.", **details))
        if found is None or found.get("id") is None:
            raise UnexpectedAnswer(
                f"{what}, and the {self._kind.title} is not there. Look on the panel before you run the task again.",
                **details,
            )
        identifier: int = found["id"]
        return identifier

    def _regenerate(self, identifier: int) -> str:
        """A new password in place of one that nobody saw; the object is ours, since it was not there before."""
        advice = "Run the task again with regenerate_password: true, or give a password with update_password: always."
        problem = ""
        try:
            again = self._update(identifier, {"password": None})
            if again.password:
                return again.password
        except RequestError as error:
            problem, advice = f" Asking for a new one failed: {error.what}", _before(advice, error)
        raise OutcomeUnknown(
            f"POST {self._kind.path}: the {self._kind.title} was created with id {identifier}, but its generated password did not arrive "
            f"and nobody knows it.{problem}",
            advice,
            method="POST",
            path=self._kind.path,
            attempts=1,
            id=identifier,
            result={"changed": True},
        )

    def _set_password(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Sends a given password once more, which is harmless where the object is ours, and makes it the one in force where it is not."""
        passwords = _passwords_in(body)
        if not passwords:
            return
        try:
            self._update(identifier, passwords)
        except RequestError as error:
            raise OutcomeUnknown(
                f"POST {self._kind.path} was not answered as done, the {self._kind.title} is there with id {identifier}, and sending its "
                f"password once more failed: {error.what} Whether it has the password of the task is not known.",
                _before("Run the task again with update_password: always, so that it gets that.", error),
                **{**error.details, "id": identifier, "result": {"changed": True}},
            ) from error
