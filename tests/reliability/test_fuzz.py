# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever options come: no traceback, and no write in check mode or behind a failure that says there was none."""

from __future__ import annotations

from tools.reliability import fuzz
from tools.reliability.figures import Size
from tools.reliability.fuzz_options import operations


def test_nothing_unforeseen_comes_of_unforeseen_options() -> None:
    (options,) = fuzz.run(Size.SLICE)

    assert options.wrong == []
    assert (options.tried, options.survived) > (300, 50)


def test_the_options_of_every_module_are_tried() -> None:
    assert {"panel_client", "panel_dns", "panel_resources", "panel_resources_info", "panel_api"} <= operations().keys()
    assert len(operations()) >= 25
