# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates an object exactly once, whatever becomes of the panel's answers. Private to the collection.

When an answer was lost, the panel is asked instead of the creation being repeated blindly; a generated password that was in the lost
answer is generated anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ansible_collections.hosting.panel.plugins.module_utils._client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Conflict,
    OutcomeUnknown,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
)
from ansible_collections.hosting.panel.plugins.module_utils._tables import Kind
from ansible_collections.hosting.panel.plugins.module_utils._written import Finder, Written, written_by

# A creation answered with one of these, or not at all, may still be under way; after any other answer it is over.
_STATUSES_BEFORE_THE_END = (None, 502, 504)

_LOST_PASSWORD = " If it is there and yours, its generated password was lost with the answer: set regenerate_password: true to get a new one."


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

    def carry_out(self, body: Mapping[str, Any], generates: bool) -> Written:
        """What is known of the new object. generates: whether the panel makes the password."""
        try:
            written = self._created(body)
            identifier = written.id if written.id is not None else self._id_of_new()
        except (OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
            if not generates or error.details.get("status") == 429:  # which says that nothing was done
                raise
            raise type(error)(error.message + _LOST_PASSWORD, **error.details) from error
        if generates and not written.password:
            return Written(identifier, self._regenerate(identifier))
        return Written(identifier, written.password)

    def _created(self, body: Mapping[str, Any]) -> Written:
        """What is known of the new object after as many requests as it takes."""
        is_repeat = may_come_late = False
        while True:
            try:
                post = self._client.post_again if is_repeat else self._client.post
                written = written_by(post(self._kind.path, body))
                break
            except Refused as refusal:
                # A first one that arrived late makes the panel refuse the second.
                found = self._find_after_fault(refusal) if is_repeat else None
                if found is None or not self._is_ours(found):
                    raise
                written = Written(found.get("id"), None)
                break
            except OutcomeUnknown as fault:
                found = self._find_after_fault(fault, self._may_come_late(fault))
                if found is not None:
                    if not self._is_ours(found):
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

    def _find_after_fault(self, fault: RequestError, may_come_late: bool = False) -> Mapping[str, Any] | None:
        """Looks again, and for as long as it takes to see a creation that may come late."""
        try:
            found = self._find()
            repeats = 1
            while found is None and may_come_late and repeats <= 4 and self._client.patience.wait(repeats):
                found = self._find()
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

    def _id_of_new(self) -> int:
        """The id of an object whose creation the panel confirmed without saying it."""
        details = {"method": "POST", "path": self._kind.path, "attempts": 1}
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
        problem = ""
        try:
            again = self._update(identifier, {"password": None})
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
