# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a panel tells about a client to the files of its archive. Pure. Private to the collection."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._kinds.registry import KINDS, OWNED
from ...module_utils._secrets.redaction import without_secrets
from .._zone_file.write_zone_text import write_zone_text
from .._zone_file.zone_text import ZoneTextError

FORMAT = 1

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
# What this role, and the panel after a write, changes without changing what the client has.
_PASSING = frozenset({"status", "is_suspended"})


@dataclass(frozen=True)
class Material:
    """All that the panel told about a client, without secrets.

    client, resources, stats: as ``panel_client_info`` returns them. owned: by plural kind the whole objects. zones: as ``panel_dns_info``
    returns them. traffic: by month YYYY-MM. rebuild: the text of a file for ``hosting.panel.apply``.
    """

    client: Mapping[str, Any]
    resources: Mapping[str, Any]
    stats: Mapping[str, Any]
    traffic: Mapping[str, Any]
    owned: Mapping[str, list[dict[str, Any]]]
    zones: list[dict[str, Any]] = field(default_factory=list)
    rebuild: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """How many objects of each kind go with the client."""
        return {kind: len(items) for kind, items in self.owned.items() if items}

    @property
    def fingerprint(self) -> str:
        """The same as long as the client has the same; suspending it, for example, changes nothing."""
        content = [self.client, self.resources, self.stats, self.traffic, self.owned, self.zones]
        return hashlib.sha256(_canonical(_lasting(content)).encode()).hexdigest()


def archive_name(username: str, panel: str, identifier: Any) -> str:
    """The name of the archive's folder; another client that gets the same username later has another one, however long the names are."""
    return f"{safe_name(f'{username}-{panel}')}-{safe_name(str(identifier))}"


def safe_name(text: str) -> str:
    """A name for a file, whatever the panel calls an object."""
    return _UNSAFE.sub("_", text)[:_LONGEST_NAME].lstrip(".") or "_"


def files_of(material: Material) -> tuple[dict[str, bytes], dict[str, str]]:
    """By path in the archive the content of each file; and by path why a file was left out."""
    documents = {
        "client": material.client,
        "resources": material.resources,
        "stats": material.stats,
        "traffic": material.traffic,
        "dns": material.zones,
        **material.owned,
    }
    files = {f"{name}.json": _json_file(value) for name, value in documents.items()}
    files["rebuild.yml"] = material.rebuild.encode()
    left_out: dict[str, str] = {}
    for zone in material.zones:
        path = _free(f"zones/{safe_name(str(zone.get('domain')))}", ".zone", files)
        if not (zone.get("records") or {}).get("other"):
            left_out[path] = "The zone has no records, since DNS is disabled for the domain."
            continue
        try:
            files[path] = write_zone_text(zone)[0].encode()
        except ZoneTextError as error:
            left_out[path] = f"Its records are in dns.json only: {error}"
    for certificate in material.owned.get("certificates", ()):
        path = _free(f"certificates/{safe_name(str(certificate.get('name')))}", ".pem", files)
        text = certificates_in(certificate.get("components") or {})
        if text:
            files[path] = text.encode()
        else:
            left_out[path] = "The panel shows no certificate in it."
    return files, left_out


def certificates_in(components: Mapping[str, Any]) -> str:
    """The certificates of the components in PEM, the own one first, and nothing else, so no key."""
    texts = [str(components.get(name) or "") for name in ("certificate", "ca_certificate")]
    return "".join(f"{block}\n" for text in texts for block in _CERTIFICATE.findall(text))


def owner_of(material: Material, panel: str) -> dict[str, Any]:
    """Whose archive it is; another client, or the same name on another panel, is another owner."""
    return {"panel": panel, "client": str(material.client.get("username")), "id": material.client.get("id")}


def manifest_of(
    material: Material,
    panel: str,
    archived_at: str,
    files: Mapping[str, bytes],
    left_out: Mapping[str, str],
) -> dict[str, Any]:
    """What is in the archive, from where and from when; archived_at: ISO 8601."""
    return {
        "format": FORMAT,
        **owner_of(material, panel),
        "archived_at": archived_at,
        "objects": material.counts,
        "months": sorted(material.traffic),
        "fingerprint": material.fingerprint,
        "left_out": dict(left_out),
        "files": {
            path: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for path, content in sorted(files.items())
        },
    }


def joined_traffic(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """By month what the panel tells now, and of months of which it tells nothing, or nothing but zeros, what an earlier archive has."""
    return {**now, **{month: traffic for month, traffic in earlier.items() if not _has_amounts(now.get(month))}}


def _has_amounts(traffic: Any) -> bool:
    members = traffic.values() if isinstance(traffic, Mapping) else traffic if isinstance(traffic, list) else None
    return bool(traffic) if members is None else any(_has_amounts(member) for member in members)


def only_in_earlier(earlier: Mapping[str, Any], material: Material) -> list[str]:
    """What an earlier archive has and the client has no more, objects as ``emails 7`` and records of zones as ``dns acme.example www A 192.0.2.10``.

    earlier: its documents, by kind in the plural and as ``dns``.
    """
    now = set(_named(material.owned, material.zones))
    return [name for name in _named(earlier, earlier.get("dns")) if name not in now]


def _named(owned: Mapping[str, Any], zones: Any) -> list[str]:
    objects = [f"{kind} {item.get('id')}" for kind in OWNED for item in owned.get(kind) or ()]
    records = [
        f"dns {zone.get('domain')} {record.get('host')} {record.get('type')} {record.get('value')}"
        for zone in zones or ()
        for record in (zone.get("records") or {}).get("other") or ()
    ]
    return objects + records


def missing_objects(resources: Mapping[str, Any], owned: Mapping[str, Iterable[Mapping[str, Any]]]) -> list[str]:
    """Objects of GET /clients/{id}/resources that are not among those that were read whole, as ``emails 7``."""
    missing = []
    for kind in OWNED:
        read = {item.get("id") for item in owned.get(kind, ())}
        named = (item for item in resources.get(kind) or () if isinstance(item, Mapping))
        missing += [f"{kind} {item.get('id')}" for item in named if item.get("id") not in read]
    return missing


def differing_from(expected: Mapping[str, Any] | None, material: Material | None) -> list[str]:
    """What is not as expected, in words; empty where everything is.

    expected: the deletion of the client as the plan of ``panel_resources`` has it, empty where there was no client, None for anything.
    material: None where there is no client now.
    """
    if expected is None:
        return []
    before = _named_ids(expected)
    now = {} if material is None else _ids_of(material)
    gone = [f"{name} is there no more" for place, name in before.items() if place not in now]
    new = [f"{name} was not there" for place, name in now.items() if place not in before]
    nameless = [
        f"{name} has no id, so it cannot be told from others" for (_kind, number), name in now.items() if number is None
    ]
    return [*gone, *new, *nameless]


def _named_ids(expected: Mapping[str, Any]) -> dict[tuple[str, Any], str]:
    """By kind and id what an action of a plan deletes."""
    if not expected:
        return {}
    named = {("clients", expected.get("id")): _with_id("clients", expected.get("key"), expected.get("id"))}
    keys = expected.get("also_deleted") or {}
    for kind, ids in (expected.get("also_deleted_ids") or {}).items():
        named.update({(kind, number): _with_id(kind, key, number) for key, number in zip(keys[kind], ids)})
    return named


def _ids_of(material: Material) -> dict[tuple[str, Any], str]:
    """The same of what was read."""
    everything: dict[str, Iterable[Mapping[str, Any]]] = {"clients": [material.client], **material.owned}
    return {
        (kind, item.get("id")): _with_id(kind, item.get(KINDS[kind].name_member), item.get("id"))
        for kind, items in everything.items()
        for item in items
    }


def _with_id(kind: str, name: Any, identifier: Any) -> str:
    return f"{kind} {name} (id {identifier})"


def _free(stem: str, suffix: str, taken: Mapping[str, Any]) -> str:
    """A path that no file has yet: two names may be one after everything unsafe is taken out of them."""
    path, number = f"{stem}{suffix}", 2
    while path in taken:
        path, number = f"{stem}-{number}{suffix}", number + 1
    return path


def _json_file(value: Any) -> bytes:
    text = json.dumps(without_secrets(value), ensure_ascii=False, indent=2, sort_keys=True, default=str)
    return f"{text}\n".encode()


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=str)


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lasting(member) for name, member in value.items() if name not in _PASSING}
    if isinstance(value, (list, tuple)):
        return [_lasting(entry) for entry in value]
    return value
