# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A page, a report or metrics take the place of their like, and of nothing else that an operator may have named by mistake."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import FILES
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import metrics, page
from ansible_collections.hosting.panel.plugins.plugin_utils._run.controller_files import (
    OwnFiles,
    check_place,
    reason_of,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._verify import points as texts
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verify import OWN as VERIFY

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
REPORT: dict[str, Any] = report([], NOW, "Title in capitals, ÄÖ")

OWN: dict[str, tuple[OwnFiles, list[str]]] = {
    "report": (FILES["file"][0], [page(REPORT)]),
    "data of a report": (
        FILES["json_file"][0],
        [json.dumps(REPORT), json.dumps({**REPORT, "months_over": []}, indent=1)],
    ),
    "metrics of a report": (FILES["metrics_file"][0], [metrics(REPORT)]),
    "verify": (VERIFY["report_file"], [texts.page(checks=[], version="26.1", described=None, names=[])]),
    "profile": (VERIFY["profile_file"], [texts.profile_text({}, version) for version in ("", "26.1")]),
}
OTHERS = [
    b"$ANSIBLE_VAULT;1.1;AES256\n6162\n",
    b"my precious notes",
    b'{"precious": "inventory of mine"}',
    json.dumps({**REPORT, "version": 99}).encode(),
    json.dumps({**REPORT, "version": 10}).encode(),
    json.dumps({**REPORT, "format": "hosting.panel.events"}).encode(),
    b"[" * 100_000,
    b"\xff\xfe\x00",
    b"---\nclients:\n  - username: acme\n",
    b"\n# Plan for my garden",
    b"<!DOCTYPE html>\n<title>Mine</title>",
    b"# TYPE up gauge\nup 1\n",
]


def refusal(path: Path, own: OwnFiles) -> str:
    try:
        check_place(path, own=own)
    except OSError as error:
        return reason_of(error)
    return ""


@pytest.mark.parametrize("name", OWN)
def test_a_file_takes_the_place_of_its_like_and_of_an_empty_one_alone(tmp_path: Path, name: str) -> None:
    path, (own, likes) = tmp_path / "file", OWN[name]
    assert refusal(path, own) == ""
    others = [text.encode() for other, (_own, found) in OWN.items() if other != name for text in found] + OTHERS
    expected = f"that file is no {own.noun}, so it is not overwritten; name another one, or move it away"
    for content, why in [
        *((text.encode(), "") for text in ["", " \n", *likes]),
        *((content, expected) for content in others),
    ]:
        path.write_bytes(content)
        assert (content[:60], refusal(path, own)) == (content[:60], why)
        assert path.read_bytes() == content
