# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what is open as a verify reads it, against what the simulator takes as a profile."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.answers import Exchange
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.evidence import Evidence
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import read_points
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verdicts import observed
from panel_simulator.errors import Invalid
from panel_simulator.open_points import POINTS as OF_THE_SIMULATOR
from tests.support.verifying_in_memory import Blow, Panel, at

POINTS = read_points()
VALUES: list[Any] = ["otherwise", "json_200", 201, 302, 399, 400, 401, 422, 599, 600, [], {}, 0, 2]


@pytest.mark.parametrize("name", POINTS)
def test_a_value_that_counts_as_one_of_a_point_is_taken_in_a_profile(name: str) -> None:
    point, theirs = POINTS[name], OF_THE_SIMULATOR[name]
    assert point.default == theirs.default
    for value in (point.default, *theirs.tried):
        assert point.fits(value)
    for value in VALUES:
        with contextlib.suppress(Invalid):
            theirs.check(value)
            continue
        assert not point.fits(value), value


@pytest.mark.parametrize("status", [201, 302, 204])
def test_a_panel_that_takes_a_name_twice_is_none_that_a_profile_can_describe(status: int) -> None:
    found = observed(Evidence(replies={"mailbox again": Exchange(status)}), POINTS)
    assert found["duplicates"] in ("otherwise", None)


def test_a_status_that_nobody_knows_for_an_unknown_path_is_otherwise() -> None:
    checks = Panel().verify(at("GET", "^/hosting-panel-verify$", Blow(418)), writes=False).checks
    assert [check["found"] for check in checks if check["id"] == "unknown_path"] == ["otherwise"]
