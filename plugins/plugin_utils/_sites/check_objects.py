# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks everything of one customer before the first of its objects is written. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from .._jobs.job import Job
from .._jobs.job_failed import mistaken
from .._passwords.credentials_content import Name, begun
from .._passwords.credentials_file import LIST, Credential, CredentialsError, file_of_task
from .._passwords.generated_passwords import PasswordsAhead
from .._passwords.new_password import new_password
from .object_mistakes import mistakes_in


def check_objects(job: Job) -> dict[str, Any]:
    """Looks at the options of all objects, and whether generated passwords could be kept; raises JobFailed with every mistake."""
    resources = job.arguments["resources"]
    file = file_of_task(job)
    mistakes = mistakes_in(resources, keeps_passwords=file is not None)
    if file is not None and not mistakes:
        try:
            file.check()
            file.check_room(_with_passwords_for(PasswordsAhead(resources, "", lambda _kind, _index: None).names))
        except CredentialsError as error:
            mistakes.append(f"credentials_file: {error}")
    if mistakes:
        raise mistaken(mistakes)
    return {"mistakes": []}


def _with_passwords_for(names: Collection[Name]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Makes of a file's content what it may have to hold: a password more for each of these objects that has none in it."""

    def edit(content: dict[str, Any]) -> dict[str, Any]:
        known = {(entry.get("kind"), entry.get("key")) for entry in content[LIST] if isinstance(entry, dict)}
        panel = "panel.with-a-long-name.example:443"  # which one it is, only the tasks after this one know
        return begun(content, [Credential(panel, *name, new_password()) for name in names if name not in known])

    return edit
