# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of a client as a folder on the controller: found, verified, and replaced as a whole. Private to the collection."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils._task.mistakes import first_of
from .._jobs.controller_files import check_folder, flush_folder, read_regular, reason_of
from .._jobs.job_failed import explained
from .._module_run.panel_name import name_now

MANIFEST = "manifest.json"
_SECONDS_OF_A_RUN = 600  # what is younger may be of a run that is still writing


class ArchiveError(Exception):
    """The folder cannot be used; the message says which one and what to do."""


@dataclass(frozen=True)
class Archive:
    """An archive on disk. flaws: what is wrong with its files, empty where all are as the manifest says."""

    path: Path
    manifest: Mapping[str, Any]
    flaws: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not self.flaws

    def document(self, name: str) -> Any:
        """The content of one of its JSON files; None where it has none such."""
        try:
            return json.loads(read_regular(self.path / f"{name}.json"))
        except (OSError, ValueError):
            return None


def check_directory(directory: Path) -> None:
    """Raises ArchiveError where no archive could be written into the folder, which may have to be made. Nothing stays there."""
    with explained(str(directory), error=ArchiveError):
        check_folder(directory, missing=1)


def read_archive(path: Path) -> Archive | None:
    """The archive at this path with each file compared with the manifest; None where there is no archive."""
    try:
        manifest = json.loads(read_regular(path / MANIFEST))
        listed = {name: str(facts["sha256"]) for name, facts in manifest["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Archive(path, {}, (f"{MANIFEST} cannot be read",))
    return Archive(path, {**manifest, "panel": name_now(str(manifest.get("panel", "")))}, tuple(_flaws(path, listed)))


def archives_of(directory: Path, username: str, panel: str) -> list[Archive]:
    """The archives of a client of this panel, the newest first, for when the panel no longer tells its id."""
    if not directory.is_dir():
        return []
    found = (read_archive(path.parent) for path in sorted(directory.glob(f"*/{MANIFEST}")))
    own = [
        archive
        for archive in found
        if archive is not None and (archive.manifest.get("client"), archive.manifest.get("panel")) == (username, panel)
    ]
    return sorted(own, key=lambda archive: str(archive.manifest.get("archived_at")), reverse=True)


def check_replaceable(path: Path, before: Archive | None, owner: Mapping[str, Any]) -> None:
    """Raises ArchiveError where the folder has anything else than an archive of this client, which the next one would remove. It is looked at only.

    before: the archive that is there; owner: client, panel and id of the new one, as in its manifest.
    """
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        raise ArchiveError(f"{path}: this is no folder; move it away.")
    members = ("client", "panel", "id")
    if before is not None and before.manifest and any(before.manifest.get(name) != owner[name] for name in members):
        raise ArchiveError(f"{path}: the folder holds the archive of another client; move it away.")
    known = {MANIFEST, *((before.manifest.get("files") or ()) if before is not None else ())}
    entries = {entry.relative_to(path).as_posix(): entry for entry in sorted(path.rglob("*"))}
    # An archive has no links, and what one leads to is none of its files.
    foreign = [name for name, entry in entries.items() if entry.is_symlink() or not (entry.is_dir() or name in known)]
    if foreign:
        raise ArchiveError(
            f"{path}: the folder is replaced as a whole, and {first_of(foreign, 5)} would be lost, not being of the archive; move it out of the "
            "folder."
        )


def write_archive(
    path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any], earlier: Path | None = None
) -> None:
    """Puts a whole new archive in the place of the old one; raises ArchiveError where it is not, byte by byte, on the disk afterwards.

    Folders get mode 0700 and files 0600. Until the new one is whole and verified, the old one stays. earlier: where the old one is kept
    then; it is removed where this is None.
    """
    with explained(str(path), error=ArchiveError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            for name, content in files.items():
                _write(temporary / name, content)
            _write(temporary / MANIFEST, f"{json.dumps(manifest, ensure_ascii=False, indent=2)}\n".encode())
            written = read_archive(temporary)
            if written is None or not written.is_whole or dict(written.manifest) != dict(manifest):
                flaws = "; ".join(written.flaws) if written is not None else f"no {MANIFEST}"
                raise ArchiveError(f"{path}: what was written is not what is on the disk: {flaws or MANIFEST}.")
            _replace(path, temporary, earlier)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def earlier_path(path: Path, before: Archive) -> Path:
    """A free place for an archive that is kept beside the new one, named after the time when it was made."""
    stem = f"{path.name}.{re.sub('[^0-9T]', '', str(before.manifest.get('archived_at')))[:15]}"
    kept, number = path.with_name(stem), 2
    while os.path.lexists(kept):
        kept, number = path.with_name(f"{stem}.{number}"), number + 1
    return kept


def _flaws(path: Path, listed: Mapping[str, str]) -> Iterator[str]:
    for name, checksum in listed.items():
        try:
            content = read_regular(path / name)
        except OSError as error:
            yield f"{name}: {reason_of(error)}"
            continue
        if hashlib.sha256(content).hexdigest() != checksum:
            yield f"{name} was changed"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, temporary: Path, earlier: Path | None) -> None:
    """A folder cannot be renamed over one that has files in it, so the old one steps aside first, and stays there as ``earlier``."""
    aside = earlier or temporary.with_name(f"{temporary.name}.old")
    if path.exists():
        os.rename(path, aside)
    try:
        os.rename(temporary, path)
    except OSError:
        if aside.exists():
            os.rename(aside, path)
        raise
    if earlier is None:
        shutil.rmtree(aside, ignore_errors=True)
    # What runs left here that were ended in the middle: it is data of a customer.
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < time.time() - _SECONDS_OF_A_RUN:
                shutil.rmtree(left, ignore_errors=True)
    flush_folder(path.parent)
