"""Tasks of one controller that change one zone at once wait for one another: what each of them reports is there afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.playbook import IN_PROCESS, MODULE
from tests.support.simulator import Simulator
from tests.support.zone_forks import MODULES, write_at_once, writers


@pytest.mark.parametrize(
    ("way", "number", "modules"),
    [
        (IN_PROCESS, 40, ["panel_dns"]),
        (IN_PROCESS, 12, MODULES),
        (MODULE, 6, MODULES),
    ],
)
def test_hosts_that_write_one_zone_at_once_lose_nothing(
    way: str, number: int, modules: list[str], simulator: Simulator, tmp_path: Path
) -> None:
    forks = write_at_once(simulator, tmp_path, way, writers(number, modules))
    assert forks.lost == []
    assert {one.msg for one in forks.recordings.values() if one.outcome != "ok"} == set()
    assert len(forks.recordings) == number
