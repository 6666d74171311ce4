# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which months traffic is asked for."""

from __future__ import annotations

from datetime import date

from ansible_collections.hosting.panel.plugins.plugin_utils._words.months import months_until


def test_months_end_with_that_of_the_day_and_go_back_over_the_year() -> None:
    assert months_until(date(2026, 2, 28), 4) == ["2025-11", "2025-12", "2026-01", "2026-02"]
    twelve = months_until(date(2026, 3, 31), 12)
    assert (len(twelve), twelve[0], twelve[-1]) == (12, "2025-04", "2026-03")
    assert months_until(date(2026, 11, 20), 0) == []
