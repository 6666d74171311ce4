# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of a client as a folder on the controller: made, verified, and replaced as a whole. Private to the collection."""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._secrets.redaction import without_secrets
from ...module_utils._task.mistakes import first_of
from .._run.controller_files import check_folder, explained, flush_folder, read_regular, reason_of
from .._run.job import Job, JobFailed
from .._zone_file.read_zone_text import ZoneTextError, require_library
from .._zone_file.write_zone_text import write_zone_text
from .client_data import ClientData, changes_since, read_client

MANIFEST = "manifest.json"
_FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_SECONDS_OF_A_RUN = 600  # what is younger may belong to a run that is still writing
_NOT_WRITTEN = "No archive was written."


@dataclasses.dataclass(frozen=True)
class Archive:
    """flaws: which files are not as the manifest says."""

    path: Path
    manifest: Mapping[str, Any]
    flaws: tuple[str, ...] = ()

    def document(self, name: str) -> Any:
        try:
            return json.loads(read_regular(self.path / f"{name}.json"))
        except (OSError, ValueError):
            return None

    @property
    def result(self) -> dict[str, Any]:
        facts = {name: self.manifest.get(name) for name in ("archived_at", "objects", "left_out")}
        return {"archive": str(self.path), **facts}


def archive(job: Job) -> dict[str, Any]:
    """The result of the task; where it raises, the folder is as it was."""
    username, directory = job.arguments["username"], Path(job.arguments["dir"])
    require_library()
    with explained(f"dir: {directory}", JobFailed, _NOT_WRITTEN):
        check_folder(directory, missing=1)
    data = read_client(job, username)
    changes = changes_since(job.arguments["expected"], data)
    if changes:
        raise JobFailed(
            f"client {username}: it has changed since you checked it: {first_of(changes, 10)}. Nothing was written. Check the client and run again."
        )
    if data is None:
        return _last_archive(directory, username, job.panel_name())
    panel, number = job.panel_name(), data.client["id"]
    owner = {"panel": panel, "client": username, "id": number}
    path = directory / f"{_safe(f'{username}-{panel}')}-{number}"
    before = read_archive(path)
    _check_replaceable(path, before, owner)
    if before is not None and not before.flaws:
        data = dataclasses.replace(data, traffic=data.with_months_of(before.document("traffic")))
        if before.manifest.get("fingerprint") == data.fingerprint:
            return {"exists": True, "id": number, **before.result}
    files, left_out = _files(data)
    manifest = _manifest(owner, data, files, left_out)
    # Of a damaged archive nobody can tell what it alone has.
    earlier = _free_place(path, before) if before and (before.flaws or data.lost_of(before.document)) else None
    if not job.check_mode:
        with explained(f"dir: {path}", JobFailed, _NOT_WRITTEN):
            _write(path, files, manifest, earlier)
    result = {"changed": True, "exists": True, "id": number, **Archive(path, manifest).result}
    return {**result, "earlier": str(earlier)} if earlier else result


def read_archive(path: Path) -> Archive | None:
    """The archive with each file compared with its checksum; None where there is no manifest."""
    try:
        manifest = json.loads(read_regular(path / MANIFEST))
        listed = {name: str(facts["sha256"]) for name, facts in manifest["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Archive(path, {}, (f"{MANIFEST} cannot be read",))
    flaws = (_flaw(path / name, checksum) for name, checksum in listed.items())
    return Archive(path, manifest, tuple(flaw for flaw in flaws if flaw))


def _flaw(path: Path, checksum: str) -> str:
    try:
        content = read_regular(path)
    except OSError as error:
        return f"{path.name}: {reason_of(error)}"
    return "" if hashlib.sha256(content).hexdigest() == checksum else f"{path.name} was changed"


def _last_archive(directory: Path, username: str, panel: str) -> dict[str, Any]:
    """What is known of a client that the panel does not have."""
    manifests = sorted(directory.glob(f"*/{MANIFEST}")) if directory.is_dir() else []
    found = [archive for archive in map(read_archive, (path.parent for path in manifests)) if archive is not None]
    own = [one for one in found if (one.manifest.get("client"), one.manifest.get("panel")) == (username, panel)]
    own.sort(key=lambda one: str(one.manifest.get("archived_at")), reverse=True)
    if not own:
        raise JobFailed(
            f"client {username}: {panel} has no such client, and {directory} has no archive of it. Nothing was written. Check the name and dir."
        )
    if own[0].flaws:
        raise JobFailed(
            f"{own[0].path}: this archive is damaged, and {panel} no longer has client {username}: {'; '.join(own[0].flaws)}. "
            "Restore it from a backup."
        )
    return {"exists": False, **own[0].result}


def _check_replaceable(path: Path, before: Archive | None, owner: Mapping[str, Any]) -> None:
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        raise JobFailed(f"{path}: this is no folder. {_NOT_WRITTEN} Move it away.")
    manifest = before.manifest if before else {}
    if manifest and any(manifest.get(name) != value for name, value in owner.items()):
        raise JobFailed(f"{path}: this is the archive of another client. {_NOT_WRITTEN} Move it away.")
    known = {path / name for name in (MANIFEST, *(manifest.get("files") or ()))}
    # An archive has no links.
    foreign = [
        one.relative_to(path).as_posix()
        for one in sorted(path.rglob("*"))
        if one.is_symlink() or not (one.is_dir() or one in known)
    ]
    if foreign:
        raise JobFailed(
            f"{path}: not part of the archive: {first_of(foreign, 5)}. {_NOT_WRITTEN} Move it to another folder."
        )


# What is in it


def _files(data: ClientData) -> tuple[dict[str, bytes], dict[str, str]]:
    """By path the content of each file, and why a file was left out."""
    files = {f"{name}.json": _json(without_secrets(value)) for name, value in data.documents.items()}
    files["rebuild.yml"] = data.rebuild.encode()
    left_out: dict[str, str] = {}
    for zone in data.zones:
        path = _free(f"zones/{_safe(str(zone.get('domain')))}", ".zone", files)
        if not (zone.get("records") or {}).get("other"):
            left_out[path] = "The zone has no records, since DNS is disabled for the domain."
            continue
        try:
            files[path] = write_zone_text(zone)[0].encode()
        except ZoneTextError as error:
            left_out[path] = f"Its records are in dns.json only: {error}"
    for certificate in data.owned.get("certificates", ()):
        path = _free(f"certificates/{_safe(str(certificate.get('name')))}", ".pem", files)
        text = _certificates_in(certificate.get("components") or {})
        if text:
            files[path] = text.encode()
        else:
            left_out[path] = "The panel shows no certificate in it."
    return files, left_out


def _manifest(
    owner: Mapping[str, Any], data: ClientData, files: Mapping[str, bytes], left_out: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        **owner,
        "archived_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "objects": data.counts,
        "months": sorted(data.traffic),
        "fingerprint": data.fingerprint,
        "left_out": dict(left_out),
        "files": {
            path: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for path, content in sorted(files.items())
        },
    }


def _certificates_in(components: Mapping[str, Any]) -> str:
    """The certificates in PEM, the domain's own one first, and no key."""
    texts = (str(components.get(name) or "") for name in ("certificate", "ca_certificate"))
    return "".join(f"{block}\n" for text in texts for block in _CERTIFICATE.findall(text))


def _json(value: Any) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False, indent=2, default=str)}\n".encode()


def _safe(text: str) -> str:
    """A name for a file, whatever the panel calls an object."""
    return _UNSAFE.sub("_", text)[:_LONGEST_NAME].lstrip(".") or "_"


def _free(stem: str, suffix: str, taken: Iterable[str]) -> str:
    """Two names may be one after everything unsafe is taken out of them."""
    path, number = f"{stem}{suffix}", 2
    while path in taken:
        path, number = f"{stem}-{number}{suffix}", number + 1
    return path


# How it is written


def _write(path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any], earlier: Path | None) -> None:
    """The old archive stays until the new one is on the disk and read back. earlier: where the old one is kept then."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        for name, content in {**files, MANIFEST: _json(manifest)}.items():
            _write_file(temporary / name, content)
        written = read_archive(temporary)
        if written is None or written.flaws or dict(written.manifest) != dict(manifest):
            flaws = "; ".join(written.flaws) if written is not None else ""
            raise JobFailed(f"{path}: the disk does not hold what was written: {flaws or MANIFEST}. {_NOT_WRITTEN}")
        _replace(path, temporary, earlier)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, temporary: Path, earlier: Path | None) -> None:
    """A folder cannot be renamed over one that has files in it, so the old one steps aside first."""
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
    # What killed runs left is data of a customer.
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < time.time() - _SECONDS_OF_A_RUN:
                shutil.rmtree(left, ignore_errors=True)
    flush_folder(path.parent)


def _free_place(path: Path, before: Archive) -> Path:
    """Beside the archive, with the time when it was made."""
    stem = f"{path.name}.{re.sub('[^0-9T]', '', str(before.manifest.get('archived_at')))[:15]}"
    return path.with_name(_free(stem, "", {entry.name for entry in path.parent.iterdir()}))
