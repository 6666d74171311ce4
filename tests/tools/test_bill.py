"""The bill of materials says what an archive is and what it needs, in the format CycloneDX."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.bill import RANGE, write_bill
from tools.layout import ROOT

GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
FILES = {
    "MANIFEST.json": json.dumps({"collection_info": GALAXY}),
    "requirements.txt": (ROOT / "requirements.txt").read_text(encoding="utf-8"),
    "meta/runtime.yml": (ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive with what the bill is made of."""
    path = tmp_path_factory.mktemp("bill") / "hosting-panel-1.0.0.tar.gz"
    with tarfile.open(path, "w:gz") as content:
        for name, text in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            content.addfile(member, io.BytesIO(text.encode()))

    return path


@pytest.fixture(scope="module")
def bill(archive: Path) -> dict[str, Any]:
    """Return the bill of the archive."""
    file = archive.with_name("bill.json")
    write_bill(archive, file)
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def test_it_describes_the_archive(bill: dict[str, Any], archive: Path) -> None:
    collection = bill["metadata"]["component"]

    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert collection["purl"] == f"pkg:generic/hosting/panel@{GALAXY['version']}"
    assert collection["licenses"] == [{"license": {"id": "GPL-3.0-or-later"}}]
    assert collection["hashes"] == [
        {"alg": "SHA-256", "content": hashlib.sha256(archive.read_bytes()).hexdigest()}
    ]
    assert {reference["url"] for reference in collection["externalReferences"]} == {
        GALAXY[name] for name in ("homepage", "repository", "documentation", "issues")
    }


def test_it_lists_what_the_collection_needs_with_the_releases_that_are_supported(
    bill: dict[str, Any],
) -> None:
    ranges = {component["purl"]: component["properties"] for component in bill["components"]}

    assert ranges == {
        "pkg:pypi/ansible-core": [{"name": RANGE, "value": ">=2.16.0,!=2.17.*,<2.22"}],
        "pkg:pypi/dnspython": [{"name": RANGE, "value": ">=2.3"}],
        "pkg:pypi/requests": [{"name": RANGE, "value": ">=2.28"}],
    }
    assert {"ref": "hosting.panel", "dependsOn": ["ansible-core", "dnspython", "requests"]} in bill[
        "dependencies"
    ]
