"""The role certificate orders, uploads and assigns on every ansible-core that it supports, in
process and as a module, and says where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.release import __version__ as core

from tests.integration.roles.orderers import ACME, PLAYS, Orderer, make_environment
from tests.support.pebble import Pebble
from tests.support.playbook import MODULE, WAYS
from tests.support.simulator import Simulator

pytestmark = pytest.mark.release

IS_SUPPORTED = tuple(map(int, core.split(".")[:2])) >= (2, 17)


@pytest.mark.parametrize("way", WAYS)
def test_the_example_orders_once_and_the_second_run_asks_for_nothing(
    way: str, panel: Simulator, authority: Pebble, tmp_path: Path
) -> None:
    orderer = Orderer(tmp_path / "certificates", panel, authority)
    environment = {**make_environment(), **({"PANEL_IN_PROCESS": "0"} if way == MODULE else {})}
    runs = [
        orderer.run(PLAYS, orderer.make_variables([ACME]), environment=environment)
        for _number in range(2)
    ]

    if not IS_SUPPORTED:
        assert runs[0].code != 0 and runs[0].writes == []
        assert "2.18" in runs[0].said, runs[0].text
        return

    assert [run.code for run in runs] == [0, 0], runs[0].text + runs[1].text
    assert set(orderer.list_certificates()) == {"acme"}
    assert orderer.list_certificates_by_domain() == dict.fromkeys(ACME["assign"], "acme")
    assert (runs[1].writes, orderer.list_challenges()) == ([], [])
