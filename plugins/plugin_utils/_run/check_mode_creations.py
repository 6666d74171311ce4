# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of a run in check mode would create, so that later tasks of it can count on that. Private to the collection.

Each task runs in a process of its own, so this is kept in a file of the run's own folder of temporary files, which Ansible makes for its
user alone and removes at the end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ansible import constants

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER

# Only what others are refused without: by its kind, the members that tell it apart and whose it is.
_KEPT = {
    "domain": ("domain", OWNER, "client", "is_email_domain"),
    "client": ("username", "create_system_domain"),
}


def _file() -> str:
    return os.path.join(vars(constants)["DEFAULT_LOCAL_TMP"], "hosting.panel.predictions")


def predicted(panel: str) -> dict[str, list[dict[str, Any]]]:
    """What would have been created on a panel, by the singular of its kind."""
    found: dict[str, list[dict[str, Any]]] = {}
    try:
        with open(_file(), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
    except FileNotFoundError:
        return {}
    for entry in entries:
        if entry["panel"] == panel:
            found.setdefault(entry["kind"], []).append(entry["object"])
    return found


def note(panel: str, options: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Keeps what a task in check mode would have created. options: of the task, which name an owner that has no id yet."""
    lines = [
        json.dumps({"panel": panel, "kind": kind, "object": shown}) + "\n" for kind, shown in _created(options, result)
    ]
    if lines and not result.get("failed"):
        with open(_file(), "a", encoding="utf-8") as file:
            file.write("".join(lines))


def _created(options: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, names in _KEPT.items():
        shown = result.get(kind)
        if result.get("changed") and isinstance(shown, Mapping) and shown.get("id", 0) is None:
            yield kind, {name: value for name, value in {**options, **shown}.items() if name in names}
    plan = result.get("plan")
    for action in plan.get("actions", ()) if isinstance(plan, Mapping) else ():
        singular = KINDS[action["kind"]].singular
        if singular in _KEPT and action["action"] == "create":
            yield singular, {name: value for name, value in action["after"].items() if name in _KEPT[singular]}
