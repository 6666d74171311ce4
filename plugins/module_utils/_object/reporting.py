# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports what became of one object, once the panel has applied it where the task waits for that. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import PanelError, RequestError
from .._schema.kind import Kind, Wanted
from .._secrets.redaction import without_secrets
from .._task.operation import Outcome
from .objects import Objects
from .planning import Plan
from .waiting import OKAY, NotApplied, wait_until_applied


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


class Applied(NamedTuple):
    """What came of a plan: the one that was carried out, the object's id, where it is known, and the password that the panel generated.

    plan: another one where the object was there by now, or gone.
    """

    plan: Plan
    id: Any = None
    password: str | None = None


class Reporting:
    """Makes the result of a task about one object. params: its options."""

    def __init__(self, kind: Kind, wanted: Wanted, params: Mapping[str, Any]) -> None:
        self._kind, self._params = kind, params
        self._object = f"the {kind.title} {wanted.label()}"
        self._waits = kind.has_status and bool(params.get("wait")) and wanted.is_present

    def foretold(self, plan: Plan) -> Outcome:
        """The result of a plan that is not carried out."""
        return self._result(Applied(plan), plan.object)

    def finished(self, applied: Applied, objects: Objects) -> Outcome:
        """The result after a write that succeeded; a wait or a reading back that fails still hands over a generated password."""
        plan, identifier = applied.plan, applied.id
        shown = plan.object
        if shown is not None and identifier is not None:
            shown = {**shown, "id": identifier}
        try:
            if self._waits and identifier is not None:
                self._wait(objects, identifier)
            if self._params.get("read_back") and plan.action in ("create", "update") and identifier is not None:
                shown = self._read_back(objects, identifier)
        except (NotApplied, NotReadBack) as error:
            # The status of the object, and not that of a request which failed.
            if isinstance(error, NotApplied) and "method" not in error.details:
                shown = {**(shown or {}), "status": error.details.get("status")}
            error.details["result"] = {
                "changed": plan.action != "none",
                self._kind.singular: shown,
                **({"generated_password": applied.password} if applied.password else {}),
            }
            raise
        return self._result(applied, shown)

    def _result(self, applied: Applied, shown: Mapping[str, Any] | None) -> Outcome:
        if shown is not None and self._waits:
            shown = {**shown, "status": OKAY}
        return Outcome(
            changed=applied.plan.action != "none",
            result={self._kind.singular: shown},
            before=applied.plan.before,
            after=applied.plan.after,
            generated_password=applied.password,
        )

    def _wait(self, objects: Objects, identifier: Any) -> None:
        try:
            wait_until_applied(lambda: objects.by_id(identifier), self._object, self._params["wait_timeout"])
        except RequestError as error:
            raise NotApplied(
                f"The panel stored {self._object}, and the wait for it to be applied failed: {error.what} Run the task again to wait for it.",
                **error.details,
            ) from None

    def _read_back(self, objects: Objects, identifier: Any) -> Mapping[str, Any]:
        """The object with all its members, without secrets; raises NotReadBack."""
        try:
            found = objects.by_id(identifier)
            problem = "it is gone again: somebody else deleted it meanwhile."
            details: dict[str, Any] = {}
        except RequestError as error:
            found, problem, details = None, error.what, error.details
        if found is None:
            raise NotReadBack(
                f"The panel stored {self._object}, but reading it back failed: {problem} The task has done its work and need not be repeated. "
                "Look at the object with the info module.",
                **details,
            )
        shown: Mapping[str, Any] = without_secrets(found)
        return shown
