"""A report or a page of a verify replaces an older one, and nothing else that an operator may have named by mistake."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import FILES
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import metrics, page
from ansible_collections.hosting.panel.plugins.plugin_utils._run.controller_files import OwnFiles, check_place
from ansible_collections.hosting.panel.plugins.plugin_utils._verify import findings
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verify import OWN as VERIFY

REPORT = report([], datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC), "Title in capitals, ÄÖ")
OWN: dict[str, tuple[OwnFiles, str]] = {
    "report": (FILES["file"], page(REPORT)),
    "data of a report": (FILES["json_file"], json.dumps(REPORT)),
    "metrics of a report": (FILES["metrics_file"], metrics(REPORT)),
    "verify": (VERIFY["report_file"], findings.page(checks=[], version="26.1", described=None, names=[])),
    "profile": (VERIFY["profile_file"], findings.profile_text({}, "26.1")),
}
OTHERS = [
    b"$ANSIBLE_VAULT;1.1;AES256\n6162\n",
    b'{"precious": "inventory of mine"}',
    json.dumps({**REPORT, "version": 10}).encode(),
    b"\xff\xfe\x00",
    b"\n# Plan for my garden",
    b"<!DOCTYPE html>\n<title>Mine</title>",
    b"# TYPE up gauge\nup 1\n",
]


@pytest.mark.parametrize("name", OWN)
def test_a_file_replaces_its_like_and_an_empty_one_alone(tmp_path: Path, name: str) -> None:
    path, (own, like) = tmp_path / "file", OWN[name]
    for content in ("", " \n", like):
        path.write_text(content, encoding="utf-8")
        check_place(path, own=own)
    for other in [*(text.encode() for one, (_own, text) in OWN.items() if one != name), *OTHERS]:
        path.write_bytes(other)
        with pytest.raises(OSError, match=f"that file is no {own.noun}, so it is not overwritten"):
            check_place(path, own=own)
        assert path.read_bytes() == other
