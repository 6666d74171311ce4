# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is no value of a member, on every path that makes objects, where the panel takes each member as it should be only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.simulator import Simulator

DATA = yaml.safe_load(Path(__file__).with_name("wrong_members.yml").read_text(encoding="utf-8"))
WORLD = {
    "clients": [{"username": "other"}],
    "domains": [
        {"domain": "other.example", "client": "other"},
        {"domain": "c.acme.example", "client": "acme", "parent_domain": "acme.example"},
    ],
    "emails": [{"email": "taken@acme.example", "aliases": ["alias@acme.example"]}],
}
WRONG = [
    pytest.param(path, {**members["right"], **wrong}, words, id=f"{path} {words}")
    for path, members in DATA.items()
    for wrong, words in members["wrong"]
]


@pytest.mark.parametrize(("path", "body", "words"), WRONG)
def test_a_wrong_member_is_refused_by_name(
    simulator: Simulator, acme: int, path: str, body: dict[str, Any], words: str
) -> None:
    simulator.seed(WORLD)
    simulator.settings({"scalars": "refused", "subdomain_members": "refused"})
    before = simulator.state()["objects"]
    answer = simulator.request("POST", path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "400 Bad Request")
    assert answer.json()["message"].startswith(words)
    assert simulator.state()["objects"] == before
