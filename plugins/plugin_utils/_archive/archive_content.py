# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an archive, made of what a panel shows of a client."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._kinds.registry import DETAILS, DNS, OWNED
from ...module_utils._kinds.tables import CLIENT
from ...module_utils._operation.operation import MaskedField
from ...module_utils._problems import abbreviate
from ...module_utils._secrets.secret_forms import MASK
from .._folder.export_text import Items, dump_resources
from .._zone_file.zone_to_text import write_zone_as_shown
from .archive_directory import Documents, as_json, make_free_name, make_safe_name

_REBUILD = "rebuild.yml"
_MOST_LISTED = 20
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
# Suspending the client, and the panel after a write, change these without changing what the client
# has.
_PASSING = frozenset({"status", "is_suspended"})


class ArchiveFiles:
    """The content of an archive.

    Attributes:
        contents: The content of each file, by path in the directory.
        left_out: By path why a file is not in the archive, what it lacks, or where it shows a mask.
    """

    def __init__(self, documents: Documents) -> None:
        self.contents = {f"{name}.json": as_json(value) for name, value in documents.items()}
        self.left_out: dict[str, str] = {}
        # By id of their domains the files of zones.
        self._zone_files: dict[Any, str] = {}
        for zone in documents[DNS]:
            self._add_zone(zone)
        for certificate in documents["certificates"]:
            self._add_certificate(certificate)

    def add_rebuild(self, resources: Items, omissions: Iterable[Mapping[str, Any]]) -> None:
        """Add the file from which panel_resources makes the client again.

        Args:
            resources: The objects in it.
            omissions: What is not in it, as panel_resources_info returns that.
        """
        self.contents[_REBUILD] = dump_resources(resources).encode()
        labels = [_describe_omission(omission) for omission in omissions]
        if labels:
            self.left_out[_REBUILD] = f"It lacks {abbreviate(labels, _MOST_LISTED)}."

    def note_masked_fields(self, documents: Documents, fields: Iterable[MaskedField]) -> None:
        """Say which files show a mask in the place of a secret of the task.

        Args:
            documents: What the panel shows of the client.
            fields: Those in which a mask stands, of other clients' objects too.
        """
        labels: dict[str, list[str]] = {}
        for field in fields:
            if field.kind != CLIENT.plural and not _has_object(documents[field.kind], field.id):
                continue
            names = [_name_document_with(field)]
            if field.kind == DNS and field.id in self._zone_files:
                names.append(self._zone_files[field.id])
            for name in names:
                labels.setdefault(name, []).append(f"{field.name} {field.field}")

        for name, masked in labels.items():
            shown_fields = abbreviate(list(dict.fromkeys(masked)), _MOST_LISTED)
            reasons = [f"It shows {MASK} in place of a secret of the task: {shown_fields}."]
            if name in self.left_out:
                reasons.insert(0, self.left_out[name])
            self.left_out[name] = " ".join(reasons)

    def _add_zone(self, zone: Mapping[str, Any]) -> None:
        name = make_safe_name(str(zone.get("domain")))
        path = make_free_name(f"zones/{name}", ".zone", self.contents)
        if not _list_records_of(zone):
            reason = ", since DNS is disabled for the domain" if zone.get("is_dns_disabled") else ""
            self.left_out[path] = f"The zone has no records{reason}."
            return
        try:
            text, lacking = write_zone_as_shown(zone)
        except PanelError as error:
            self.left_out[path] = f"Its records are in dns.json only: {error}"
            return
        self.contents[path] = text.encode()
        self._zone_files[zone["id"]] = path
        if lacking:
            records = abbreviate(lacking, _MOST_LISTED)
            self.left_out[path] = f"It lacks what is in dns.json only: {records}"

    def _add_certificate(self, certificate: Mapping[str, Any]) -> None:
        name = make_safe_name(str(certificate.get("name")))
        path = make_free_name(f"certificates/{name}", ".pem", self.contents)
        components = certificate.get("components") or {}
        blocks: list[str] = []
        for component in ("certificate", "ca_certificate"):
            blocks += _CERTIFICATE.findall(str(components.get(component) or ""))
        if blocks:
            self.contents[path] = "".join(f"{block}\n" for block in blocks).encode()
        else:
            self.left_out[path] = "The panel shows no certificate in it."


def _describe_omission(omission: Mapping[str, Any]) -> str:
    """Return what the file to rebuild a client lacks, and why."""
    parts = [omission["kind"], str(omission["key"])]
    if omission.get("option"):
        parts.append(omission["option"])
    label = " ".join(parts)
    return f"{label} ({omission['reason']})"


def _name_document_with(field: MaskedField) -> str:
    """Return the file that has a field."""
    if field.kind != CLIENT.plural:
        return f"{field.kind}.json"
    # What is read beside a client has files of its own.
    first_step = field.field.partition(".")[0]
    return f"{first_step}.json" if first_step in DETAILS else "client.json"


def _has_object(objects: Iterable[Mapping[str, Any]], identifier: Any) -> bool:
    return any(item["id"] == identifier for item in objects)


def _list_records_of(zone: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    records = zone.get("records") or {}
    return records.get("other") or []


def compute_fingerprint_of(documents: Documents) -> str:
    """Return a checksum of what the client has, without what passes."""
    lasting = json.loads(json.dumps(documents, default=str), object_hook=_without_passing_fields)
    return hashlib.sha256(
        json.dumps(lasting, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def _without_passing_fields(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in _PASSING}


def name_content(documents: Documents) -> Iterator[str]:
    """Yield a name for everything that the client has: objects by id, records by value."""
    for kind in OWNED:
        for item in documents.get(kind, ()):
            yield f"{kind} {item['id']}"
    for zone in documents.get(DNS, ()):
        for record in _list_records_of(zone):
            yield f"{zone['domain']} {record['host']} {record['type']} {record['value']}"
