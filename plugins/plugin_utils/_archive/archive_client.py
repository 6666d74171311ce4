# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of panel_archive: read the client, compare it with what was expected, and write it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._errors import OptionError
from ...module_utils._kinds.registry import OWNED
from ...module_utils._operation.operation import MaskedField
from ...module_utils._problems import Written, abbreviate
from .._run.controller_files import check_folder, explain_error
from .._run.job import Job
from .._zone_file.library import require_library
from .archive_content import ArchiveFiles, compute_fingerprint_of, name_content
from .archive_directory import (
    Archive,
    ArchiveError,
    Documents,
    find_newest_archive,
    make_path_of_earlier,
    make_safe_name,
    make_write_error,
    read_archive,
    refuse_foreign_files,
    refuse_links,
    remove_archive,
    write_archive,
)
from .client_documents import PanelReader, list_changes, read_documents

_FORMAT = 1
_MOST_CHANGES = 8


class ClientChanged(ArchiveError):
    """The client is not what the task expects."""


def _make_error_of_place(cause: str) -> ArchiveError:
    return make_write_error(cause, option="dir")


def archive_client(job: Job) -> dict[str, Any]:
    """Write the archive of a client, and return the result of the task.

    Raises:
        ArchiveError: No archive was written, and an older one stays.
        OptionError: The username is empty.
        MissingLibrary: Zone files cannot be written.
    """
    username = job.arguments["username"]
    if not username.strip():
        raise OptionError("is empty; name a client.", option="username", written=Written.NO_ARCHIVE)
    directory = Path(job.arguments["dir"])
    panel = job.get_panel_name()
    require_library()
    with explain_error(str(directory), _make_error_of_place):
        check_folder(directory, missing=1)

    reader = PanelReader(job)
    documents = read_documents(reader, username)
    changes = list_changes(job.arguments["expected"], documents)
    if changes:
        raise ClientChanged(
            f"it has changed since you checked it: {abbreviate(changes, _MOST_CHANGES)}.",
            subject=f"client {username}",
            written=Written.NOTHING,
            advice="Check the client and run again.",
        )
    if documents is None:
        advice = f"Check {job.name_option('username')} and {job.name_option('dir')}."
        return _report_last_archive(directory, username, panel, advice)

    identifier = documents["client"]["id"]
    name = make_safe_name(f"{username}-{panel}")
    path = directory / f"{name}-{identifier}"
    refuse_links(path)
    old_archive = read_archive(path)
    refuse_foreign_files(path, old_archive)
    return _write_if_changed(job, path, documents, old_archive, reader.masked_fields)


def _write_if_changed(
    job: Job,
    path: Path,
    documents: Documents,
    old_archive: Archive | None,
    masked_fields: Iterable[MaskedField],
) -> dict[str, Any]:
    """Write the archive unless there is one of the same content, and return the result of the
    task."""
    identifier = documents["client"]["id"]
    # Of a damaged archive nobody can tell what it alone has.
    old_documents: Documents = {}
    if old_archive and not old_archive.flaws:
        old_documents = old_archive.load_documents()
    # A panel forgets months that an earlier archive has.
    documents["traffic"] = {**old_documents.get("traffic", {}), **documents["traffic"]}
    fingerprint = compute_fingerprint_of(documents)
    if old_archive and old_documents and old_archive.manifest.get("fingerprint") == fingerprint:
        return {"exists": True, "id": identifier, **old_archive.result}

    files = ArchiveFiles(documents)
    rebuild = job.read_result("panel_resources_info", {"clients": [job.arguments["username"]]})
    files.add_rebuild(rebuild["resources"], rebuild["left_out"])
    files.note_masked_fields(documents, masked_fields)
    manifest = _make_manifest(job, documents, files, fingerprint)
    earlier = make_path_of_earlier(old_archive) if old_archive else None
    is_kept = old_archive is not None and not _has_all_of(documents, old_archive, old_documents)
    if not job.check_mode:
        with explain_error(str(path), _make_error_of_place):
            write_archive(path, files.contents, manifest, earlier)
            if old_archive and earlier and not is_kept:
                remove_archive(earlier, old_archive.manifest)

    result = {"changed": True, "exists": True, "id": identifier, **Archive(path, manifest).result}
    if is_kept:
        result["earlier"] = str(earlier)
    return result


def _make_manifest(
    job: Job, documents: Documents, files: ArchiveFiles, fingerprint: str
) -> dict[str, Any]:
    """Return what the archive is, with the checksum of each file."""
    checksums = {}
    for name, content in sorted(files.contents.items()):
        checksums[name] = {"sha256": hashlib.sha256(content).hexdigest()}
    return {
        "format": _FORMAT,
        "panel": job.get_panel_name(),
        "client": job.arguments["username"],
        "id": documents["client"]["id"],
        "archived_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "objects": {kind: len(documents[kind]) for kind in OWNED if documents[kind]},
        "fingerprint": fingerprint,
        "left_out": files.left_out,
        "files": checksums,
    }


def _has_all_of(documents: Documents, old_archive: Archive, old_documents: Documents) -> bool:
    """Return whether an old archive has nothing that the new one lacks; of a damaged one nobody can
    tell."""
    if old_archive.flaws:
        return False
    return set(name_content(old_documents)) <= set(name_content(documents))


def _report_last_archive(directory: Path, username: str, panel: str, advice: str) -> dict[str, Any]:
    """Return what is known of a client that the panel does not have.

    Args:
        directory: The directory of the archives.
        username: The client.
        panel: The panel.
        advice: What to do where there is no archive of it.

    Raises:
        ArchiveError: There is none, or it is damaged.
    """
    newest = find_newest_archive(directory, username, panel)
    if newest is None:
        raise ArchiveError(
            f"{panel} has no such client, and {directory} has no archive of it.",
            subject=f"client {username}",
            written=Written.NOTHING,
            advice=advice,
        )

    refuse_links(newest.path)
    if newest.flaws:
        problem = f"this archive is damaged, and {panel} no longer has client {username}"
        raise ArchiveError(
            f"{problem}: {newest.describe_flaws()}.",
            subject=str(newest.path),
            advice="Restore it from a backup.",
        )
    return {"exists": False, **newest.result}
