# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that the actions of a move share, and what they mean. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...module_utils._http.connection_settings import ENVIRONMENT, connection_argument_spec
from ...module_utils._kinds.registry import KINDS
from .._jobs.job import Job
from .._jobs.run_modules import ModuleRuns
from .._run.controller_files import read_regular
from .._run.panel_name import name_now
from .._run.task_arguments import plain
from .mapping import CannotMove, Rules
from .moved_zones import read_substitutes

CONNECTION: dict[str, Any] = {"type": "dict", "required": True, "options": connection_argument_spec()}
MAPPING: dict[str, Any] = {
    "client": {"type": "str", "required": True},
    "source": CONNECTION,
    "target": CONNECTION,
    "plans": {"type": "dict"},
    "hosting_plan": {"type": "str"},
    "create_plans": {"type": "bool", "default": False},
    "addresses": {"type": "dict"},
    "names": {"type": "dict"},
    "enable_tasks": {"type": "bool", "default": False},
    "passwords": {"type": "list", "elements": "dict", "no_log": True},
    "zones_file": {"type": "path"},
    "credentials_file": {"type": "path"},
}
# Whose places the role derives from its folder.
OF_FILES = {"zones_file": "move_dir", "page": "move_dir"}


def both_panels(job: Job) -> tuple[ModuleRuns, ModuleRuns]:
    """The source and the target of a move; raises CannotMove where both are one."""
    source, target = (panel_of_side(job, side) for side in ("source", "target"))
    if source.name() == target.name():
        raise CannotMove(f"target: {target.name()} is the source as well.")
    return source, target


def panel_of_side(job: Job, side: str) -> ModuleRuns:
    """The ``source`` or the ``target``.

    Raises CannotMove where its address or its key is missing, since those of the environment could be of the wrong panel.
    """
    given = plain(job.given.get(side) or {})
    connection = {name: value for name, value in given.items() if name in ENVIRONMENT and value not in (None, "")}
    missing = [name for name in ("api_url", "api_key") if name not in connection]
    if missing:
        raise CannotMove(*(f"{side}.{name}: missing; those of the environment do not count here." for name in missing))
    return job.panel_of(connection, f"On the {side}: ")


def read_rules(arguments: Mapping[str, Any], panel: str) -> Rules:
    """What the options of ``MAPPING`` say; raises CannotMove with every mistake in them. panel: the source."""
    mistakes: list[str] = []
    passwords: dict[tuple[str, str], str] = {}
    for index, entry in enumerate(plain(arguments["passwords"] or [])):
        kind = KINDS.get(str(entry.get("kind")))
        key, password = entry.get("key"), entry.get("password")
        if kind is None or kind.password is None or not key or not isinstance(password, str) or not password:
            kinds = ", ".join(name for name, one in KINDS.items() if one.password)
            mistakes.append(f"passwords[{index}]: needs kind, which is one of {kinds}, key and password.")
        else:
            stored = kind.key_of({kind.named_by[0]: key}) if len(kind.key) == 1 else str(key)
            passwords[str(entry["kind"]), stored or ""] = password
    try:
        substitutes = read_substitutes(arguments["addresses"] or {}, arguments["names"] or {})
    except ValueError as error:
        raise CannotMove(*mistakes, str(error)) from None
    zones = read_zones_file(arguments["zones_file"], arguments["client"], panel)
    if mistakes:
        raise CannotMove(*mistakes)
    return Rules(
        client=arguments["client"],
        plans=plain(arguments["plans"] or {}),
        hosting_plan=arguments["hosting_plan"] or None,
        create_plans=arguments["create_plans"],
        substitutes=substitutes,
        enable_tasks=arguments["enable_tasks"],
        passwords=passwords,
        zones_before=zones,
    )


def read_zones_file(path: str | None, client: str, panel: str) -> dict[str, Any]:
    """By domain the zones that were kept before their times to live were lowered; empty where there is no file.

    Raises CannotMove, also where it was kept for another client or panel: what it says is not true of this one.
    """
    if not path:
        return {}
    try:
        content = json.loads(read_regular(path))
        zones, owner = dict(content["zones"]), (content["client"], name_now(str(content["panel"])))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError):
        raise CannotMove(f"zones_file: {path} cannot be read; bring it back, or move it away.") from None
    if owner != (client, panel):
        raise CannotMove(
            f"zones_file: {path} holds the zones of the client {owner[0]} on {owner[1]}, from another move; move it away."
        )
    return zones
