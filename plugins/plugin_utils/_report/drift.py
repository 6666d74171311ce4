# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a panel differs from the folder of files that hosting.panel.export wrote. Private to the collection.

It is the plan by which panel_resources would bring the panel back to the files, every kind purged, made in check mode: so what counts as
different is what a run would change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.managing import WrongItems, resources_operation
from ...module_utils._errors import PanelError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.registry import KINDS, TABLES
from ...module_utils._task.mistakes import without_ending
from ...module_utils._task.operation import Task
from .._files.folder_files import FolderError
from .._folder.read_folder import Folder, read_folder
from .._jobs.plan_words import changed_members
from .._jobs.vaulted import marks_in, with_masked_members

_WORDS = {"create": "missing", "delete": "surplus", "update": "different"}
_PLACE = re.compile(rf"^({'|'.join(KINDS)})\[(\d+)\]")
# What panel_resources says of an item that it cannot create.
_LEFT_OUT = "it is not on this panel"
_MORE_THAN_ANY = 10**9


def drift(client: PanelClient, directory: Path, vault: VaultLib, concurrency: int) -> dict[str, Any]:
    """Compares; sends one request for each kind and each zone that the files name."""
    try:
        folder = read_folder(directory, vault)
        return {"is_compared": True, "failure": "", "changes": list(_compared(client, folder, concurrency))}
    except (FolderError, PanelError) as error:
        return {"is_compared": False, "failure": without_ending(str(error)), "changes": []}


def _compared(client: PanelClient, folder: Folder, concurrency: int) -> tuple[Mapping[str, str], ...]:
    resources = {kind: folder.resources.get(kind, []) for kind in KINDS}
    try:
        return tuple(_changes(*_plan(client, resources, concurrency), resources))
    except WrongItems as error:
        # An object that the panel has lost and that does not suit what is left; without it the others can be compared.
        wrong = dict(_named(error.all_mistakes, resources))
        if not wrong:
            raise
        rest = {
            kind: [item for index, item in enumerate(items) if (kind, index) not in wrong]
            for kind, items in resources.items()
        }
        return (*wrong.values(), *_changes(*_plan(client, rest, concurrency), rest))


def _plan(
    client: PanelClient, resources: Mapping[str, Any], concurrency: int
) -> tuple[Mapping[str, Any], Iterable[str]]:
    """The plan, and what it says of objects that it leaves out."""
    params = {
        "resources": resources,
        "purge": list(TABLES),
        "max_deletes": _MORE_THAN_ANY,
        "protect": {},
        "concurrency": concurrency,
        "return_unchanged": False,
    }
    task = Task(check_mode=True, connect=lambda: client)
    outcome = resources_operation().run(params, task)
    return with_masked_members(outcome.result, marks_in(resources))["plan"], task.warnings


def _changes(
    plan: Mapping[str, Any], warnings: Iterable[str], resources: Mapping[str, Any]
) -> Iterable[Mapping[str, str]]:
    # Such as a certificate that the panel has lost: the files have no key, so the plan cannot bring it back.
    yield from dict(_named((one for one in warnings if _LEFT_OUT in one), resources)).values()
    for action in plan["actions"]:
        # From what was committed to what is there now; the plan goes the other way.
        before, after = action.get("after") or {}, action.get("before") or {}
        details = "; ".join(changed_members(before, after, action["kind"])) if action["action"] == "update" else ""
        yield {
            "kind": action["kind"],
            "key": str(action["key"]),
            "what": _WORDS[action["action"]],
            "details": details,
        }


def _named(
    messages: Iterable[str], resources: Mapping[str, Any]
) -> Iterable[tuple[tuple[str, int], Mapping[str, str]]]:
    """By place the objects that messages begin with, as objects that the panel does not have."""
    for message in messages:
        match = _PLACE.match(str(message))
        if match is None:
            continue
        kind, index = match[1], int(match[2])
        item = resources[kind][index]
        key = str(KINDS[kind].key_of(item) or f"id {item.get('id', '?')}")
        yield (kind, index), {"kind": kind, "key": key, "what": "missing", "details": ""}
