# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which months traffic is asked for, and how bytes read."""

from __future__ import annotations

from datetime import date

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import size_text
from ansible_collections.hosting.panel.plugins.plugin_utils._report.reading import months_until


def test_months_end_with_that_of_the_day_and_go_back_over_the_year() -> None:
    assert months_until(date(2026, 2, 28), 4) == ["2025-11", "2025-12", "2026-01", "2026-02"]
    twelve = months_until(date(2026, 3, 31), 12)
    assert (len(twelve), twelve[0], twelve[-1]) == (12, "2025-04", "2026-03")
    assert months_until(date(2026, 11, 20), 0) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1024**3, "1.0 GiB"), (25 * 1024**3, "25.0 GiB"),
     (150 * 1024**2, "150 MiB"), (1023 * 1024**3, "1.0 TiB"), (5000 * 1024**5, "5000 PiB"), (-2048, "-2.0 KiB")],
)  # fmt: skip
def test_sizes_have_three_digits_at_most(value: int | None, text: str) -> None:
    assert size_text(value).replace("\u00a0", " ") == text
