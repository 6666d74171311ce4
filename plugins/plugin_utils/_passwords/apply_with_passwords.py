# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives resources to a panel with new passwords, which are in their files before the panel gets them. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._jobs.job import Job
from .._jobs.run_modules import ModuleRuns
from .generated_passwords import FileOf, PasswordsAhead, Resources


class Application:
    """Resources for panel_resources, with passwords for those that have none of their own. Raises CredentialsError.

    file_of: as of PasswordsAhead. options: of panel_resources beside the resources. planned: what it would do, once that is known.
    """

    def __init__(
        self, job: Job, panel: ModuleRuns, resources: Resources, file_of: FileOf, options: Mapping[str, Any]
    ) -> None:
        self.ahead = PasswordsAhead(resources, panel.name(), file_of, job.say)
        self._job, self._panel, self._options = job, panel, options
        self.planned: dict[str, Any] = {}

    def plan(self) -> dict[str, Any]:
        """What panel_resources would do; those passwords are chosen that it would send."""
        self.planned = self._panel.planned("panel_resources", {**self._options, "resources": self.ahead.resources()})
        self.ahead.choose(self._actions())
        if not self.is_to_write():
            self._job.warn(self.planned.get("warnings") or ())
        if not self.planned.get("failed"):
            self._job.warn(self.ahead.warnings())
        return self.planned

    def is_to_write(self) -> bool:
        """Whether something is written as planned."""
        return bool(self._actions()) and not self.planned.get("failed") and not self._job.check_mode

    def write(self) -> dict[str, Any]:
        """What panel_resources did as planned, or the plan where nothing is to be written. Raises CredentialsError before the first write."""
        if not self.is_to_write():
            if not self.planned.get("failed"):
                self.ahead.check()
            return self.planned
        own = {**self._options, "expected_checksum": self.planned["plan"]["checksum"]}
        return self.ahead.hand_over(
            lambda resources: self._panel.run("panel_resources", {**own, "resources": resources})
        )

    def file(self) -> dict[str, str]:
        """The member of the result for the one file that has the new passwords; none where no file was written."""
        return {"credentials_file": self.ahead.handed_over[0]} if self.ahead.handed_over else {}

    def _actions(self) -> list[dict[str, Any]]:
        actions: list[dict[str, Any]] = (self.planned.get("plan") or {}).get("actions") or []
        return actions
