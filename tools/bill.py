"""Write the bill of materials of an archive of the collection: `python -m tools.bill ARCHIVE FILE`.

It is in the format CycloneDX, as JSON: what the archive is, its checksum, and what it needs at run
time. The archive itself says all of this, so the bill of one archive is always the same but for its
time.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import (
    ExternalReference,
    ExternalReferenceType,
    HashAlgorithm,
    HashType,
    Property,
    XsUri,
)
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

RANGE = "hosting.panel:version-range"
"""The property with the releases that are supported: the format has a place for one release only."""
REQUIREMENT = re.compile(r"^([A-Za-z][\w.-]*)\s*([<>=!~].*)?$", re.MULTILINE)
REFERENCES = {
    "homepage": ExternalReferenceType.WEBSITE,
    "repository": ExternalReferenceType.VCS,
    "documentation": ExternalReferenceType.DOCUMENTATION,
    "issues": ExternalReferenceType.ISSUE_TRACKER,
}


def make_bill(archive: Path) -> Bom:
    """Return the bill of materials of an archive."""
    with tarfile.open(archive) as content:
        about = json.loads(_read(content, "MANIFEST.json"))["collection_info"]
        requirements = _read(content, "requirements.txt")
        runtime = yaml.safe_load(_read(content, "meta/runtime.yml"))

    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    bill = Bom(serial_number=uuid.UUID(digest[:32], version=4))
    collection = _describe_collection(about, digest)
    bill.metadata.component = collection
    needed = [_describe_requirement("ansible-core", runtime["requires_ansible"])]
    for name, versions in REQUIREMENT.findall(requirements):
        needed.append(_describe_requirement(name, versions))

    for component in needed:
        bill.components.add(component)

    bill.register_dependency(collection, needed)
    return bill


def write_bill(archive: Path, file: Path) -> None:
    """Write the bill of materials of an archive into a file."""
    text = JsonV1Dot6(make_bill(archive)).output_as_string(indent=2)
    file.write_text(f"{text}\n", encoding="utf-8")


def _read(content: tarfile.TarFile, name: str) -> str:
    file = content.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file of the archive")
    return file.read().decode()


def _describe_collection(about: dict[str, Any], digest: str) -> Component:
    version = about["version"]
    return Component(
        type=ComponentType.LIBRARY,
        group=about["namespace"],
        name=about["name"],
        version=version,
        description=about["description"],
        licenses=[LicenseFactory().make_from_string(name) for name in about["license"]],
        purl=PackageURL("generic", about["namespace"], about["name"], version),
        bom_ref=f"{about['namespace']}.{about['name']}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        external_references=_list_references(about),
    )


def _list_references(about: dict[str, Any]) -> Iterator[ExternalReference]:
    for name, kind in REFERENCES.items():
        if about.get(name):
            yield ExternalReference(type=kind, url=XsUri(about[name]))


def _describe_requirement(name: str, versions: str) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        purl=PackageURL("pypi", name=name),
        bom_ref=name,
        properties=[Property(name=RANGE, value=versions)],
    )


if __name__ == "__main__":
    write_bill(*map(Path, sys.argv[1:]))
