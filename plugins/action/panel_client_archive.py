# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes everything that the panel tells about a client into a folder on the controller, whole and verified or not at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._kinds.registry import DNS, OWNED
from ..module_utils._task.mistakes import first_of
from ..plugin_utils._archive.content import (
    Material,
    archive_name,
    differing_from,
    files_of,
    joined_traffic,
    manifest_of,
    only_in_earlier,
    owner_of,
)
from ..plugin_utils._archive.folder import (
    Archive,
    ArchiveError,
    archives_of,
    check_directory,
    check_replaceable,
    earlier_path,
    read_archive,
    write_archive,
)
from ..plugin_utils._archive.reading import ClientChanged, read_client
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.ids import WithoutId
from ..plugin_utils._run.inner_module import given_connection
from ..plugin_utils._run.module_runs import ModuleFailed, ModuleRuns
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._words.months import months_until
from ..plugin_utils._zone_file.text import ZoneTextError, require_library

_MONTHS = 12
_MOST_NAMED = 10
ARGUMENT_SPEC: dict[str, Any] = {
    "username": {"type": "str", "required": True},
    "directory": {"type": "path", "required": True},
    "expected": {"type": "dict"},
    **connection_argument_spec(),
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_client_archive."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        username, directory = arguments["username"], Path(arguments["directory"])
        runs = ModuleRuns(self, task_vars, given_connection(self))
        result["changed"] = False
        try:
            require_library()
            check_directory(directory)
            material = read_client(runs, username, months_until(datetime.now(timezone.utc).date(), _MONTHS))
            differences = differing_from(arguments["expected"], material)
            if differences:
                result.update(_failed(_words_of(username, differences)))
            elif material is None:
                result.update(_of_gone_client(directory, username, runs.panel()))
            else:
                result.update(_kept(directory, username, runs.panel(), material, self._task.check_mode))
        except ModuleFailed as failure:
            result.update({**failure.result, "failed": True, "changed": False, "msg": f"Reading the client: {failure}"})
        except ClientChanged as change:
            result.update(
                _failed(f"The client changed while it was read: {change}. No archive was written; run it again.")
            )
        except WithoutId as error:
            result.update(_failed(str(error)))
        except ZoneTextError as error:
            result.update(_failed(f"Zone files: {error} No archive was written."))
        except ArchiveError as error:
            result.update(_failed(f"directory: {error} No archive was written."))
        result.pop("warnings", None)
        if runs.warnings:
            result["warnings"] = runs.warnings
        return result


def _failed(message: str) -> dict[str, Any]:
    return {"failed": True, "msg": message}


def _words_of(username: str, differences: Sequence[str]) -> str:
    shown = first_of(differences, _MOST_NAMED, "; ")
    return (
        f"expected: the client {username} is not what was looked at before: {shown}. Objects count as the same by their id, not by their "
        "name. No archive was written, and the panel was only read. Look at the client, and run again if that is still meant."
    )


def _of_gone_client(directory: Path, username: str, panel: str) -> dict[str, Any]:
    """What is known of a client that the panel does not have."""
    archives = archives_of(directory, username, panel)
    if not archives:
        return _failed(
            f"username: there is no client {username} on {panel}, and no archive of one in {directory}. Look at the name and the folder. "
            "Nothing was changed."
        )
    newest, *older = archives
    if not newest.is_whole:
        others = "".join(f" An older one is whole: {archive.path}." for archive in older if archive.is_whole)
        return _failed(
            f"{newest.path}: the archive of the client {username}, who is not on {panel} any more, is damaged: "
            f"{'; '.join(newest.flaws)}. Bring it back from a backup.{others}"
        )
    return {"exists": False, **_shown(newest)}


def _kept(directory: Path, username: str, panel: str, material: Material, check_mode: bool) -> dict[str, Any]:
    """Writes the archive unless the one that is there has the same content and is whole."""
    path = directory / archive_name(username, panel, material.client.get("id"))
    before = read_archive(path)
    check_replaceable(path, before, owner_of(material, panel))
    if before is not None and before.is_whole:
        # The panel may tell only of the last months, so what an earlier archive knows of others is kept.
        earlier = before.document("traffic")
        if isinstance(earlier, dict):
            material = dataclasses.replace(material, traffic=joined_traffic(earlier, material.traffic))
        if before.manifest.get("fingerprint") == material.fingerprint:
            return {"exists": True, "id": material.client["id"], **_shown(before)}
    files, left_out = files_of(material)
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    manifest = manifest_of(material, panel, now, files, left_out)
    earlier = earlier_path(path, before) if before is not None and _has_more(before, material) else None
    if not check_mode:
        write_archive(path, files, manifest, earlier)
    shown = _shown(Archive(path, manifest))
    if earlier is not None:
        shown["earlier"] = str(earlier)
    return {"changed": True, "exists": True, "id": material.client["id"], **shown}


def _has_more(before: Archive, material: Material) -> bool:
    """Whether something would be in no archive any more; of a damaged one nobody can tell."""
    documents = {kind: before.document(kind) for kind in (*OWNED, DNS)}
    return not before.is_whole or bool(only_in_earlier(documents, material))


def _shown(archive: Archive) -> dict[str, Any]:
    manifest = archive.manifest
    return {
        "archive": str(archive.path),
        "archived_at": manifest.get("archived_at"),
        "objects": manifest.get("objects"),
        "files": len(manifest.get("files") or ()),
        "left_out": manifest.get("left_out"),
    }
