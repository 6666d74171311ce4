# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused before the times to live are lowered, and what is kept of the zones as they were."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.lower_ttls import check_lowering, keep_zones
from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import CannotMove


@pytest.mark.parametrize(
    ("ttl", "file", "told"),
    [
        (29, "zones.json", "ttl: 29 is not accepted; it must be from 30 to 86400 seconds."),
        (86401, "zones.json", "ttl: 86401 is not accepted; it must be from 30 to 86400 seconds."),
        (300, None, "zones_file: missing; the zones as they were are kept in it."),
    ],
)
def test_a_wrong_time_to_live_and_a_missing_file_are_refused(ttl: int, file: str | None, told: str) -> None:
    with pytest.raises(CannotMove, match=told):
        check_lowering({"ttl": ttl, "zones_file": file})


def _zone(domain: str, ttl: int = 86400) -> dict[str, Any]:
    return {"domain": domain, "records": {"other": [{"host": "@", "type": "A", "ttl": ttl, "value": "192.0.2.1"}]}}


def _kept(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))["zones"]


def test_what_another_run_has_kept_of_the_zones_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "moves" / "acme.zones-before.json"
    first, second = _zone("acme.example"), _zone("shop.example")
    keep_zones(path, "acme", "panel.example", [first, second])

    # A run that had read the zones when the first one was lowered already, and the second one in part.
    found = keep_zones(path, "acme", "panel.example", [_zone("shop.example", 600)])

    assert found == _kept(path) == {"acme.example": first, "shop.example": second}


def test_runs_at_once_keep_the_zones_of_all(tmp_path: Path) -> None:
    path = tmp_path / "moves" / "acme.zones-before.json"
    domains = [f"domain-{number}.example" for number in range(12)]
    with ThreadPoolExecutor(len(domains)) as runs:
        list(runs.map(lambda domain: keep_zones(path, "acme", "panel.example", [_zone(domain)]), domains))
    assert sorted(_kept(path)) == sorted(domains)
