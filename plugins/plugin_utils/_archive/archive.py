# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of a client as a folder on the controller: read whole, made, verified, and replaced as a whole. Private to the collection."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._errors import PanelError, UnexpectedAnswer
from ...module_utils._kinds.registry import DNS, KINDS, OWNED
from ...module_utils._kinds.tables import class_of
from ...module_utils._object.info import TRAFFIC_BY_MONTH
from ...module_utils._problems import NOTHING_WRITTEN, abbreviate, format_message
from ...module_utils._schema.kind import OWNER
from ...module_utils._sources.checked_answers import require_ids
from .._folder.export_text import text_of
from .._report.months import months_until
from .._run.controller_files import check_folder, explained, flush_folder, read_regular
from .._run.job import Job, JobFailed
from .._zone_file.zone_text import require_library, write_zone_text

MANIFEST = "manifest.json"
_FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_NOT_WRITTEN = "No archive was written. Check that place and run again."
_MONTHS = 12
# How the name of a folder ends that a run is writing, and the seconds in which it may not be locked yet.
_UNFINISHED, _ABOUT_TO_LOCK = ".hosting-panel-unfinished", 0.2
# Suspending the client, and the panel after a write, change these without changing what the client has.
_PASSING = frozenset({"status", "is_suspended"})

Documents = dict[str, Any]
"""By name what becomes a JSON file: whole objects by plural kind, zones as ``panel_dns_info`` returns them, traffic by month YYYY-MM."""


class ArchiveError(JobFailed):
    """No archive was written."""


class ClientChanged(ArchiveError):
    """The client is not what the task expects."""


@dataclass(frozen=True)
class Archive:
    """flaws: which files are not as the manifest says."""

    path: Path
    manifest: Mapping[str, Any]
    flaws: tuple[str, ...] = ()

    def documents(self) -> Documents:
        """Of a whole archive."""
        return {path.stem: json.loads(read_regular(path)) for path in self.path.glob("*.json")}

    @property
    def result(self) -> dict[str, Any]:
        facts = {name: self.manifest.get(name) for name in ("archived_at", "objects", "left_out")}
        return {"archive": str(self.path), **facts}


def archive(job: Job) -> dict[str, Any]:
    """The result of the task; where it raises, an older archive stays."""
    username, directory, panel = job.arguments["username"], Path(job.arguments["dir"]), job.panel_name()
    require_library()
    with explained(f"{job.name_of('dir')}: {directory}", ArchiveError, _NOT_WRITTEN):
        check_folder(directory, missing=1)
    data = _read_client(job, username)
    if changes := _changes_since(job.arguments["expected"], data):
        raise ClientChanged(
            f"client {username}: it has changed since you checked it: {abbreviate(changes, 10)}. Nothing was written. Check the client and run again."
        )
    if data is None:
        return _last_archive(directory, username, panel)
    number = data["client"]["id"]
    path = directory / f"{_safe(f'{username}-{panel}')}-{number}"
    _refuse_links(path)
    before = read_archive(path)
    _check_replaceable(path, before)
    old = before.documents() if before and not before.flaws else {}
    data["traffic"] = {**old.get("traffic", {}), **data["traffic"]}
    fingerprint = _fingerprint(data)
    if before and old and before.manifest.get("fingerprint") == fingerprint:
        return {"exists": True, "id": number, **before.result}
    files, left_out = _files(data)
    files["rebuild.yml"] = text_of(job.read("panel_resources_info", "resources", {"clients": [username]})).encode()
    manifest = {
        "format": _FORMAT,
        "panel": panel,
        "client": username,
        "id": number,
        "archived_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "objects": {kind: len(data[kind]) for kind in OWNED if data[kind]},
        "fingerprint": fingerprint,
        "left_out": left_out,
        "files": {name: {"sha256": hashlib.sha256(content).hexdigest()} for name, content in sorted(files.items())},
    }
    # Of a damaged archive nobody can tell what it alone has.
    is_kept = before is not None and (before.flaws or not set(_named(old)) <= set(_named(data)))
    earlier = None
    if before:  # steps aside, under a name with the time when it was made
        stem = f"{path.name}.{re.sub('[^0-9T]', '', str(before.manifest.get('archived_at')))[:15]}"
        earlier = path.with_name(_free(stem, "", {entry.name for entry in path.parent.iterdir()}))
    if not job.check_mode:
        with explained(f"{job.name_of('dir')}: {path}", ArchiveError, _NOT_WRITTEN):
            _write(path, files, manifest, earlier)
            if before and earlier and not is_kept:
                _remove_archive(earlier, before.manifest)
    result = {"changed": True, "exists": True, "id": number, **Archive(path, manifest).result}
    return {**result, "earlier": str(earlier)} if is_kept else result


def read_archive(path: Path) -> Archive | None:
    """The archive with each file compared with its checksum; None where there is no manifest."""
    try:
        manifest = json.loads(read_regular(path / MANIFEST))
        listed = {name: str(facts["sha256"]) for name, facts in manifest["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Archive(path, {}, (f"{MANIFEST} cannot be read",))
    flaws = [f"{name} is missing or was changed" for name, one in listed.items() if _checksum(path / name) != one]
    return Archive(path, manifest, tuple(flaws))


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(read_regular(path)).hexdigest()
    except OSError:
        return ""


def _last_archive(directory: Path, username: str, panel: str) -> dict[str, Any]:
    """What is known of a client that the panel does not have."""
    found = map(read_archive, (path.parent for path in directory.glob(f"[!.]*/{MANIFEST}")))
    owner = {"client": username, "panel": panel}
    own = [one for one in found if one is not None and owner.items() <= one.manifest.items()]
    if not own:
        raise ArchiveError(
            f"client {username}: {panel} has no such client, and {directory} has no archive of it. Nothing was written. Check the name and dir."
        )
    newest = max(own, key=lambda one: str(one.manifest.get("archived_at")))
    _refuse_links(newest.path)
    if newest.flaws:
        raise ArchiveError(
            f"{newest.path}: this archive is damaged, and {panel} no longer has client {username}: {'; '.join(newest.flaws)}. "
            "Restore it from a backup."
        )
    return {"exists": False, **newest.result}


def _check_replaceable(path: Path, before: Archive | None) -> None:
    known = {path / name for name in (MANIFEST, *(before.manifest.get("files", ()) if before else ()))}
    foreign = [entry for entry in sorted(path.rglob("*")) if not (entry.is_dir() or entry in known)]
    if foreign:
        names = abbreviate([str(one.relative_to(path)) for one in foreign], 5)
        raise ArchiveError(f"{path}: not part of the archive: {names}. Nothing was written. Move that elsewhere.")


def _refuse_links(archive_path: Path) -> None:
    """Raises ArchiveError for a link: what it leads to is not part of the archive, and is neither read nor moved away with it."""
    for path in (archive_path, *sorted(archive_path.rglob("*"))):
        if path.is_symlink():
            raise ArchiveError(
                f"{path}: this is a link, and an archive has none. Nothing was written. Move it elsewhere."
            )


# What is in it


def _files(data: Documents) -> tuple[dict[str, bytes], dict[str, str]]:
    """By path the content of each file, and why a file was left out."""
    files = {f"{name}.json": _json(value) for name, value in data.items()}
    left_out: dict[str, str] = {}
    for zone in data[DNS]:
        path = _free(f"zones/{_safe(str(zone.get('domain')))}", ".zone", files)
        if not (zone.get("records") or {}).get("other"):
            left_out[path] = "The zone has no records, since DNS is disabled for the domain."
            continue
        try:
            files[path] = write_zone_text(zone)[0].encode()
        except PanelError as error:
            left_out[path] = f"Its records are in dns.json only: {error}"
    for certificate in data["certificates"]:
        path = _free(f"certificates/{_safe(str(certificate.get('name')))}", ".pem", files)
        components = certificate.get("components") or {}
        texts = (str(components.get(name) or "") for name in ("certificate", "ca_certificate"))
        blocks = [f"{block}\n" for text in texts for block in _CERTIFICATE.findall(text)]
        if blocks:
            files[path] = "".join(blocks).encode()
        else:
            left_out[path] = "The panel shows no certificate in it."
    return files, left_out


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


def _fingerprint(data: Documents) -> str:
    lasting = json.loads(
        json.dumps(data, default=str),
        object_hook=lambda one: {name: value for name, value in one.items() if name not in _PASSING},
    )
    return hashlib.sha256(json.dumps(lasting, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _named(data: Documents) -> Iterator[str]:
    """Objects by id, records by value."""
    for kind in OWNED:
        yield from (f"{kind} {item['id']}" for item in data.get(kind, ()))
    for zone in data.get(DNS, ()):
        for record in (zone.get("records") or {}).get("other") or ():
            yield " ".join(map(str, (zone["domain"], record["host"], record["type"], record["value"])))


# How it is written


def _write(path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any], earlier: Path | None) -> None:
    """The old archive stays until the new one is on the disk and read back, then at ``earlier``; also where the run is killed."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with _unfinished_folder(path) as temporary:
        for name, content in {**files, MANIFEST: _json(manifest)}.items():
            _write_file(temporary / name, content)
        written = read_archive(temporary) or Archive(temporary, {})
        if written.flaws or written.manifest != manifest:
            flaws = "; ".join(written.flaws) or MANIFEST
            raise ArchiveError(f"{path}: the disk does not hold what was written: {flaws}. {_NOT_WRITTEN}")
        # A folder cannot be renamed over one that has files in it, so the old one steps aside first.
        if earlier:
            os.rename(path, earlier)
        elif path.exists():
            path.rmdir()
        os.rename(temporary, path)
        flush_folder(path.parent)


@contextlib.contextmanager
def _unfinished_folder(path: Path) -> Iterator[Path]:
    """Make a folder beside this path, which is removed afterwards, unless it was renamed; what killed runs left of theirs goes first."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
        _remove_unlocked_folder(left)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=_UNFINISHED, dir=path.parent))
    try:
        descriptor = os.open(temporary, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with contextlib.suppress(OSError):  # some network file systems cannot lock
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield temporary
        finally:
            os.close(descriptor)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _remove_unlocked_folder(folder: Path) -> None:
    """Remove a folder that no run is writing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            age = time.time() - os.fstat(descriptor).st_mtime
            time.sleep(min(_ABOUT_TO_LOCK, max(0.0, _ABOUT_TO_LOCK - age)))
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


def _remove_archive(path: Path, manifest: Mapping[str, Any]) -> None:
    """Remove the files of an archive, and its folders where nothing else is in them."""
    own = {path / name for name in manifest["files"]}
    entries = sorted(path.rglob("*"), reverse=True)
    with contextlib.suppress(OSError):
        # First, so that what a killed run leaves of it counts for no archive.
        (path / MANIFEST).unlink()
        for entry in entries:
            if entry in own:
                entry.unlink()
    for folder in (*entries, path):
        if folder.is_dir():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


# What the panel tells about the client


def _read_client(panel: Job, username: str) -> Documents | None:
    """None where the panel has no such client. Raises ArchiveError, also where something of the client went while it was read."""
    *earlier, newest = months_until(datetime.now(timezone.utc), _MONTHS)
    found = panel.objects("clients", username=username, include=["resources", "stats", "traffic"], month=newest)
    if not found:
        return None
    _by_id("clients", found)
    client = dict(found[0])
    number, resources, stats = client["id"], client.pop("resources"), client.pop("stats")
    traffic = {newest: client.pop("traffic")}
    traffic.update(_traffic_of(panel, number, earlier))
    owned = {kind: _owned(panel, kind, number, resources.get(kind) or ()) for kind in OWNED}
    main = [domain["id"] for domain in owned["domains"] if class_of(domain) == "main_domains"]
    zones = [zone for domain in main for zone in panel.read("panel_dns_info", DNS, {"id": domain})]
    return {"client": client, "resources": resources, "stats": stats, "traffic": traffic, DNS: zones, **owned}


def _traffic_of(panel: Job, number: int, months: Sequence[str]) -> dict[str, Any]:
    """Return the traffic of the client with this id, by month."""
    clients = panel.read("panel_client_info", "clients", {"id": number}, months=months)
    if not clients:
        raise _removed("clients", number)
    by_month: dict[str, Any] = clients[0][TRAFFIC_BY_MONTH]
    return by_month


def _changes_since(expected: Mapping[str, Any] | None, data: Documents | None) -> list[str]:
    """What came and went, in words. expected: the client's deletion in a plan, empty where there was no client, None for anything."""
    if expected is None:
        return []
    before = {("clients", expected.get("id")): expected.get("key")} if expected else {}
    names = expected.get("also_deleted") or {}
    for kind, ids in (expected.get("also_deleted_ids") or {}).items():
        before.update({(kind, number): key for number, key in zip(ids, names[kind])})
    items = [("clients", data["client"]), *((kind, one) for kind in OWNED for one in data[kind])] if data else []
    now = {(kind, one["id"]): KINDS[kind].key_of(one) for kind, one in items}
    return [
        f"{KINDS[kind].title} {key} (id {number}) was {what}"
        for what, had, has in (("removed", before, now), ("added", now, before))
        for (kind, number), key in had.items()
        if (kind, number) not in has
    ]


def _owned(panel: Job, kind: str, owner: int, named: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The client's objects of a kind. named: as the client's resources have them, since a list may leave out whose an object is."""
    listed = _by_id(kind, panel.objects(kind))
    found = {number: {**one, **listed.get(number, {})} for number, one in _by_id(kind, named).items()}
    found.update((number, dict(one)) for number, one in listed.items() if one.get(OWNER) == owner)
    rows = (*KINDS[kind].key, *KINDS[kind].rows)
    sought = {row.name for row in rows} - KINDS[kind].flags_of_creation
    for number, item in found.items():
        if not sought <= item.keys():
            item.update(_one(panel, kind, number))
    return [found[number] for number in sorted(found)]


def _by_id(kind: str, items: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The objects by their ids; raises ArchiveError for one that is shown without an id, since an archive tells objects by it."""
    found = [dict(item) for item in items]
    try:
        require_ids(found, KINDS[kind])
    except UnexpectedAnswer as error:
        problem = replace(error.problem, subject="", written=NOTHING_WRITTEN)
        raise ArchiveError(format_message(problem)) from None
    return {item["id"]: item for item in found}


def _one(panel: Job, kind: str, number: int) -> dict[str, Any]:
    found = panel.objects(kind, id=number)
    if not found:
        raise _removed(kind, number)
    return found[0]


def _removed(kind: str, number: int) -> ArchiveError:
    return ArchiveError(f"{KINDS[kind].title} with id {number}: it was removed while the client was read. Run again.")
