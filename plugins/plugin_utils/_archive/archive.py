# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of a client as a folder on the controller: read whole, made, verified, and replaced as a whole. Private to the collection."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._errors import first_of
from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS, KINDS, OWNED
from ...module_utils._object.deciding import shows_everything
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import without_secrets
from .._folder.export import text_of
from .._run.controller_files import check_folder, explained, flush_folder, read_regular
from .._run.job import Job, JobFailed
from .._zone_file.zone_text import ZoneTextError, require_library, write_zone_text

MANIFEST = "manifest.json"
_FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_ASIDE = ".old"
_NOT_WRITTEN = "No archive was written."
_MONTHS = 12
# Suspending the client, and the panel after a write, change these without changing what the client has.
_PASSING = frozenset({"status", "is_suspended"})


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
    with explained(f"dir: {directory}", ArchiveError, _NOT_WRITTEN):
        check_folder(directory, missing=1)
    data = read_client(job, username)
    if changes := changes_since(job.arguments["expected"], data):
        raise ClientChanged(
            f"client {username}: it has changed since you checked it: {first_of(changes, 10)}. Nothing was written. Check the client and run again."
        )
    if data is None:
        return _last_archive(directory, username, job.panel_name())
    panel, number = job.panel_name(), data.documents["client"]["id"]
    owner = {"panel": panel, "client": username, "id": number}
    path = directory / f"{_safe(f'{username}-{panel}')}-{number}"
    with explained(f"dir: {path}", ArchiveError, _NOT_WRITTEN):
        before = _before(path, job.check_mode)
    _check_replaceable(path, before, owner)
    if before is not None and not before.flaws:
        data.documents["traffic"] = {**(before.document("traffic") or {}), **data.documents["traffic"]}
        if before.manifest.get("fingerprint") == data.fingerprint:
            return {"exists": True, "id": number, **before.result, "archive": str(path)}
    files, left_out = _files(data)
    listed = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(files.items())
    }
    manifest = {
        "format": _FORMAT,
        **owner,
        "archived_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "objects": {kind: len(items) for kind, items in data.owned.items()},
        "months": sorted(data.documents["traffic"]),
        "fingerprint": data.fingerprint,
        "left_out": left_out,
        "files": listed,
    }
    # Of a damaged archive nobody can tell what it alone has.
    earlier = _free_place(path, before) if before and (before.flaws or data.lost_of(before.document)) else None
    if not job.check_mode:
        with explained(f"dir: {path}", ArchiveError, _NOT_WRITTEN):
            _write(path, files, manifest, earlier)
    result = {"changed": True, "exists": True, "id": number, **Archive(path, manifest).result}
    return {**result, "earlier": str(earlier)} if earlier else result


def _before(path: Path, check_mode: bool) -> Archive | None:
    """The archive that is there. The newest whole one of a run that was killed between its two renames is put back; the rest goes."""
    left = list(path.parent.glob(f".{glob.escape(path.name)}.*"))
    found = path
    if left and not os.path.lexists(path):
        whole = [one for one in map(read_archive, left) if one is not None and not one.flaws]
        whole.sort(key=lambda one: (str(one.manifest["archived_at"]), one.path.suffix != _ASIDE))
        found = whole[-1].path if whole else path
    if check_mode:
        return read_archive(found)
    if found != path:
        os.rename(found, path)
    for one in left:  # data of a customer
        shutil.rmtree(one, ignore_errors=True)
    return read_archive(path)


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
    found = map(read_archive, (path.parent for path in directory.glob(f"*/{MANIFEST}")))
    owner = {"client": username, "panel": panel}
    own = [one for one in found if one is not None and owner.items() <= one.manifest.items()]
    if not own:
        raise ArchiveError(
            f"client {username}: {panel} has no such client, and {directory} has no archive of it. Nothing was written. Check the name and dir."
        )
    newest = max(own, key=lambda one: str(one.manifest.get("archived_at")))
    if newest.flaws:
        raise ArchiveError(
            f"{newest.path}: this archive is damaged, and {panel} no longer has client {username}: {'; '.join(newest.flaws)}. "
            "Restore it from a backup."
        )
    return {"exists": False, **newest.result}


def _check_replaceable(path: Path, before: Archive | None, owner: Mapping[str, Any]) -> None:
    manifest = before.manifest if before else {}
    known = {path / name for name in (MANIFEST, *(manifest.get("files") or ()))}
    # An archive has no links.
    foreign = [one for one in sorted(path.rglob("*")) if one.is_symlink() or not (one.is_dir() or one in known)]
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        problem = "this is no directory"
    elif manifest and any(manifest.get(name) != value for name, value in owner.items()):
        problem = "this is the archive of another client"
    elif foreign:
        names = [one.relative_to(path).as_posix() for one in foreign]
        problem = f"not part of the archive: {first_of(names, 5)}"
    else:
        return
    raise ArchiveError(f"{path}: {problem}. {_NOT_WRITTEN} Move it to another directory.")


# What is in it


def _files(data: ClientData) -> tuple[dict[str, bytes], dict[str, str]]:
    """By path the content of each file, and why a file was left out."""
    files = {f"{name}.json": _json(without_secrets(value)) for name, value in data.documents.items()}
    files["rebuild.yml"] = data.rebuild.encode()
    left_out: dict[str, str] = {}
    for zone in data.documents["dns"]:
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


# How it is written


def _write(path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any], earlier: Path | None) -> None:
    """The old archive stays until the new one is on the disk and read back. earlier: where the old one is kept then."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        for name, content in {**files, MANIFEST: _json(manifest)}.items():
            _write_file(temporary / name, content)
        written = read_archive(temporary) or Archive(temporary, {})
        if written.flaws or written.manifest != manifest:
            flaws = "; ".join(written.flaws) or MANIFEST
            raise ArchiveError(f"{path}: the disk does not hold what was written: {flaws}. {_NOT_WRITTEN}")
        # A folder cannot be renamed over one that has files in it, so the old one steps aside first.
        aside = earlier or temporary.with_name(f"{temporary.name}{_ASIDE}")
        if path.exists():
            os.rename(path, aside)
        try:
            os.rename(temporary, path)
        except OSError:
            if aside.exists():
                os.rename(aside, path)
            raise
        flush_folder(path.parent)
        if earlier is None:
            shutil.rmtree(aside, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _free_place(path: Path, before: Archive) -> Path:
    """Beside the archive, with the time when it was made."""
    stem = f"{path.name}.{re.sub('[^0-9T]', '', str(before.manifest.get('archived_at')))[:15]}"
    return path.with_name(_free(stem, "", {entry.name for entry in path.parent.iterdir()}))


# What the panel tells about the client


@dataclass(frozen=True)
class ClientData:
    """documents: what becomes a JSON file each, whole objects by plural kind, zones as ``panel_dns_info`` returns them, traffic by month YYYY-MM."""

    documents: dict[str, Any]
    rebuild: str

    @property
    def owned(self) -> dict[str, list[dict[str, Any]]]:
        return {kind: self.documents[kind] for kind in OWNED if self.documents[kind]}

    @property
    def fingerprint(self) -> str:
        content = json.dumps(_lasting(self.documents), sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(content.encode()).hexdigest()

    def lost_of(self, document: Callable[[str], Any]) -> list[str]:
        """What an older archive has and the client has no more: objects by id, records by value. document: its JSON files by name."""
        now = set(_named(self.documents.get))
        return [name for name in _named(document) if name not in now]


def read_client(panel: Job, username: str) -> ClientData | None:
    """None where the panel has no such client. Raises ArchiveError, also where something of the client went while it was read."""
    *earlier, newest = _months()
    found = panel.objects("clients", username=username, include=["resources", "stats", "traffic"], month=newest)
    if not found:
        return None
    client = dict(found[0])
    number, resources, stats = client["id"], client.pop("resources"), client.pop("stats")
    traffic = {newest: client.pop("traffic")}
    for month in earlier:
        traffic[month] = _one(panel, "clients", number, include=["traffic"], month=month)["traffic"]
    owned = {kind: _owned(panel, kind, number, resources.get(kind) or ()) for kind in OWNED}
    main = [domain["id"] for domain in owned["domains"] if class_of(domain) == "main_domains"]
    zones = [zone for domain in main for zone in panel.read("panel_dns_info", DNS, {"id": domain})]
    rebuild = panel.read("panel_resources_info", "resources", {"clients": [username]})
    parts = {"client": client, "resources": resources, "stats": stats, "traffic": traffic}
    return ClientData({**parts, DNS: zones, **owned}, text_of(rebuild))


def changes_since(expected: Mapping[str, Any] | None, data: ClientData | None) -> list[str]:
    """What came and went, in words. expected: the client's deletion in a plan, empty where there was no client, None for anything."""
    if expected is None:
        return []
    before = {("clients", expected.get("id")): expected.get("key")} if expected else {}
    names = expected.get("also_deleted") or {}
    for kind, ids in (expected.get("also_deleted_ids") or {}).items():
        before.update({(kind, number): key for number, key in zip(ids, names[kind])})
    items: dict[str, list[Any]] = {"clients": [data.documents["client"]], **data.owned} if data else {}
    now = {(kind, one["id"]): KINDS[kind].key_of(one) for kind, found in items.items() for one in found}
    return [
        f"{KINDS[kind].title} {key} (id {number}) was {what}"
        for what, had, has in (("removed", before, now), ("added", now, before))
        for (kind, number), key in had.items()
        if (kind, number) not in has
    ]


def _months() -> list[str]:
    today = datetime.now(timezone.utc)
    last = today.year * 12 + today.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - _MONTHS + 1, last + 1)]


def _owned(panel: Job, kind: str, owner: int, named: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The client's objects of a kind. named: as the client's resources have them, since a list may leave out whose an object is."""
    listed = {one["id"]: one for one in panel.objects(kind)}
    found = {one["id"]: {**one, **listed.get(one["id"], {})} for one in named}
    found.update((number, dict(one)) for number, one in listed.items() if one.get(OWNER) == owner)
    for number, item in found.items():
        if not shows_everything(KINDS[kind], item.keys()):
            item.update(_one(panel, kind, number))
    return [found[number] for number in sorted(found)]


def _one(panel: Job, kind: str, number: int, **options: Any) -> dict[str, Any]:
    found = panel.objects(kind, id=number, **options)
    if not found:
        raise ArchiveError(
            f"{KINDS[kind].title} with id {number}: it was removed while the client was read. Run again."
        )
    return found[0]


def _named(document: Callable[[str], Any]) -> Iterator[str]:
    for kind in OWNED:
        yield from (f"{kind} {item.get('id')}" for item in document(kind) or ())
    for zone in document(DNS) or ():
        for record in (zone.get("records") or {}).get("other") or ():
            yield " ".join(
                str(one.get(name))
                for one, name in ((zone, "domain"), (record, "host"), (record, "type"), (record, "value"))
            )


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lasting(one) for name, one in value.items() if name not in _PASSING}
    return [_lasting(one) for one in value] if isinstance(value, (list, tuple)) else value
