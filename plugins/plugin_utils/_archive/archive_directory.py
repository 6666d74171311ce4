# SPDX-License-Identifier: GPL-3.0-or-later
"""An archive as a directory on the controller: read whole, written, verified, and replaced as a
whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils._problems import Written, abbreviate
from .._run.controller_files import flush_folder, read_regular
from .._run.job import JobFailed
from .._run.marked_texts import load_marked_json, mark_texts
from .._run.unfinished import make_unfinished_folder

MANIFEST = "manifest.json"
_CHECK_PLACE = "Check that place and run again."
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_NOT_IN_TIMES = re.compile("[^0-9T]")
_LONGEST_NAME = 100
_LONGEST_TIME = len("20261120T060000")
_MOST_NAMED = 5

Documents = dict[str, Any]
"""By name what becomes a JSON file: whole objects by plural kind, zones as ``panel_dns_info``
returns them, traffic by month YYYY-MM."""


class ArchiveError(JobFailed):
    """No archive was written."""


def make_write_error(cause: str, option: str = "") -> ArchiveError:
    """Return the error of an archive that cannot be written.

    Args:
        cause: Why, in a sentence.
        option: That of the directory, where the cause does not begin with the archive.
    """
    return ArchiveError(cause, option=option, written=Written.NO_ARCHIVE, advice=_CHECK_PLACE)


@dataclass(frozen=True)
class Archive:
    """An archive on the disk. flaws: which files are not as the manifest says."""

    path: Path
    manifest: Mapping[str, Any]
    flaws: tuple[str, ...] = ()

    def is_of(self, username: str, panel: str) -> bool:
        """Tell whether this is an archive of a client of a panel."""
        return self.manifest.get("client") == username and self.manifest.get("panel") == panel

    def describe_flaws(self) -> str:
        """Return the first flaws in one text, and how many more there are."""
        return abbreviate(self.flaws, _MOST_NAMED, "; ")

    def load_documents(self) -> Documents:
        """Read the documents of an archive without flaws. Raises ArchiveError."""
        return {path.stem: _read_document(path) for path in self.path.glob("*.json")}

    @property
    def result(self) -> dict[str, Any]:
        """Return what the task reports of the archive."""
        return {
            "archive": str(self.path),
            "archived_at": self.manifest.get("archived_at"),
            "objects": self.manifest.get("objects"),
            "left_out": self.manifest.get("left_out"),
        }


def _read_document(path: Path) -> Any:
    """Return what a JSON file of an archive holds. Raises ArchiveError."""
    try:
        return load_marked_json(read_regular(path))
    except ValueError:
        raise ArchiveError(
            "cannot be read.",
            subject=str(path),
            written=Written.NOTHING,
            advice="Move this archive away.",
        ) from None


def as_json(value: Any) -> bytes:
    """Return a value as the content of a JSON file, with its texts marked that could be templates."""
    return f"{json.dumps(mark_texts(value), ensure_ascii=False, indent=2, default=str)}\n".encode()


def make_safe_name(text: str) -> str:
    """Return a name for a file, whatever the panel calls an object."""
    return _UNSAFE.sub("_", text)[:_LONGEST_NAME].lstrip(".") or "_"


def make_free_name(stem: str, suffix: str, used: Collection[str]) -> str:
    """Return a name that is not in use; two names may be one after everything unsafe is taken out
    of them."""
    name = f"{stem}{suffix}"
    number = 2
    while name in used:
        name = f"{stem}-{number}{suffix}"
        number += 1

    return name


# Reading.


def read_archive(path: Path) -> Archive | None:
    """Return the archive with each file compared with its checksum; None if there is no
    manifest."""
    archive = _read_manifest(path)
    if archive is None or archive.flaws:
        return archive

    return _compare_files(archive)


def _read_manifest(path: Path) -> Archive | None:
    """Return an archive of which nothing but the manifest is read; None if there is none."""
    try:
        manifest = load_marked_json(read_regular(path / MANIFEST))
        _list_checksums(manifest)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Archive(path, {}, (f"{MANIFEST} cannot be read",))

    return Archive(path, manifest)


def _list_checksums(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the checksums of files by name.

    Raises:
        KeyError, TypeError, AttributeError: This is no manifest.
    """
    return {name: str(facts["sha256"]) for name, facts in manifest["files"].items()}


def _compare_files(archive: Archive) -> Archive:
    """Return an archive with the files that are not as its manifest says."""
    flaws = []
    for name, checksum in _list_checksums(archive.manifest).items():
        if _compute_checksum_of_file(archive.path / name) != checksum:
            flaws.append(f"{name} is missing or was changed")

    return Archive(archive.path, archive.manifest, tuple(flaws))


def _compute_checksum_of_file(path: Path) -> str:
    """Return the checksum of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(read_regular(path)).hexdigest()
    except OSError:
        return ""


def find_newest_archive(directory: Path, username: str, panel: str) -> Archive | None:
    """Return the newest archive of a client of a panel, with its files compared; None if there is
    none.

    A directory may have years of archives of all clients, so only the files of this one are read.
    """
    archives = []
    for manifest in directory.glob(f"[!.]*/{MANIFEST}"):
        candidate = _read_manifest(manifest.parent)
        if candidate is not None and candidate.is_of(username, panel):
            archives.append(candidate)
    if not archives:
        return None

    newest = max(archives, key=lambda archive: str(archive.manifest.get("archived_at")))
    return _compare_files(newest)


def refuse_links(archive_path: Path) -> None:
    """Raise ArchiveError for a link: what it leads to is not part of the archive, and is neither
    read nor moved away with it."""
    for path in (archive_path, *sorted(archive_path.rglob("*"))):
        if path.is_symlink():
            raise ArchiveError(
                "this is a link, and an archive has none.",
                subject=str(path),
                written=Written.NOTHING,
                advice="Move it elsewhere.",
            )


def refuse_foreign_files(path: Path, old_archive: Archive | None) -> None:
    """Raise ArchiveError for files and folders in the directory that are not of the archive."""
    entries = {path / MANIFEST}
    if old_archive:
        files = [path / name for name in old_archive.manifest.get("files", ())]
        entries.update(files)
        entries.update(_list_folders_of(files))
    foreign = [entry for entry in sorted(path.rglob("*")) if entry not in entries]
    if foreign:
        names = abbreviate([str(entry.relative_to(path)) for entry in foreign], _MOST_NAMED)
        raise ArchiveError(
            f"not part of the archive: {names}.",
            subject=str(path),
            written=Written.NOTHING,
            advice="Move that elsewhere.",
        )


def _list_folders_of(files: Iterable[Path]) -> set[Path]:
    """Return the folders that an archive makes for its files."""
    folders: set[Path] = set()
    for file in files:
        folders.update(file.parents)
    return folders


def make_path_of_earlier(archive: Archive) -> Path:
    """Return where an archive steps aside to: a name with the time when it was made."""
    path = archive.path
    archived_at = str(archive.manifest.get("archived_at"))
    time_in_name = _NOT_IN_TIMES.sub("", archived_at)[:_LONGEST_TIME]
    used = {entry.name for entry in path.parent.iterdir()}
    name = make_free_name(f"{path.name}.{time_in_name}", "", used)
    return path.with_name(name)


# Writing.


def write_archive(
    path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any], earlier: Path | None
) -> None:
    """Write an archive. The old one stays until the new one is on the disk and read back, also if
    the run is killed.

    Args:
        path: The directory of the archive.
        files: The content of each file, by path in the directory.
        manifest: What the archive is.
        earlier: Where the old archive goes; None if there is none.

    Raises:
        ArchiveError: The disk does not hold what was written.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with make_unfinished_folder(path) as temporary:
        for name, content in files.items():
            _write_file(temporary / name, content)
        _write_file(temporary / MANIFEST, as_json(manifest))
        written = read_archive(temporary) or Archive(temporary, {})
        if written.flaws or written.manifest != manifest:
            flaws = written.describe_flaws() or MANIFEST
            raise make_write_error(f"{path}: the disk does not hold what was written: {flaws}.")

        # A folder cannot be renamed over one that has files in it, so the old one steps aside
        # first.
        if earlier:
            os.rename(path, earlier)
        elif path.exists():
            path.rmdir()
        os.rename(temporary, path)
        flush_folder(path.parent)


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def remove_archive(path: Path, manifest: Mapping[str, Any]) -> None:
    """Remove the files of an archive, and the folders that it made for them, if nothing else is in
    them.

    Args:
        path: Where the archive is now.
        manifest: That of the archive.
    """
    files = {path / name for name in manifest["files"]}
    entries = sorted(path.rglob("*"), reverse=True)
    with contextlib.suppress(OSError):
        # First, so that what a killed run leaves of it counts for no archive.
        (path / MANIFEST).unlink()
        for entry in entries:
            if entry in files:
                entry.unlink()

    own_folders = _list_folders_of(files)
    for folder in (*entries, path):
        if folder == path or folder in own_folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
