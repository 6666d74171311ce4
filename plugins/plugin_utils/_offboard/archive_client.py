# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives a client: everything that the panel tells about it, as a folder on the controller. Private to the collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._kinds.registry import DNS, OWNED
from ...module_utils._task.mistakes import first_of
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._jobs.months import months_until
from .._zone_file.zone_text import require_library
from .archive_content import (
    Material,
    archive_name,
    differing_from,
    files_of,
    joined_traffic,
    manifest_of,
    only_in_earlier,
    owner_of,
)
from .archive_folder import (
    Archive,
    archives_of,
    check_directory,
    check_replaceable,
    earlier_path,
    read_archive,
    write_archive,
)
from .read_client import read_client

_MONTHS = 12
_MOST_NAMED = 10


def archive(job: Job) -> dict[str, Any]:
    """Keeps what the panel has of the client, whole and verified or not at all; the result of the task.

    Raises JobFailed, ClientChanged, WithoutId, ZoneTextError and ArchiveError; then the folder is as it was.
    """
    username, directory = job.arguments["username"], Path(job.arguments["directory"])
    require_library()
    check_directory(directory)
    material = read_client(job.panel, username, months_until(datetime.now(timezone.utc).date(), _MONTHS))
    differences = differing_from(job.arguments["expected"], material)
    if differences:
        raise JobFailed(_words_of(username, differences))
    if material is None:
        return _of_gone_client(directory, username, job.panel.name())
    return _kept(directory, username, job.panel.name(), material, job.check_mode)


def _words_of(username: str, differences: Sequence[str]) -> str:
    shown = first_of(differences, _MOST_NAMED, "; ")
    return (
        f"expected: the client {username} is not what was looked at before: {shown}. Objects count as the same by their id, not by their "
        "name. No archive was written, and the panel was only read. Look at the client, and run again if that is still meant."
    )


def _of_gone_client(directory: Path, username: str, panel: str) -> dict[str, Any]:
    """What is known of a client that the panel does not have; raises JobFailed where nothing is."""
    archives = archives_of(directory, username, panel)
    if not archives:
        raise JobFailed(
            f"username: there is no client {username} on {panel}, and no archive of one in {directory}. Look at the name and the folder. "
            "Nothing was changed."
        )
    newest, *older = archives
    if not newest.is_whole:
        others = "".join(f" An older one is whole: {archive.path}." for archive in older if archive.is_whole)
        raise JobFailed(
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
