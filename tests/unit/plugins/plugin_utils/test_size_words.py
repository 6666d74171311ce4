# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How bytes read."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._words.sizes import size_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1024**3, "1.0 GiB"), (25 * 1024**3, "25.0 GiB"),
     (150 * 1024**2, "150 MiB"), (1023 * 1024**3, "1.0 TiB"), (5000 * 1024**5, "5000 PiB"), (-2048, "-2.0 KiB")],
)  # fmt: skip
def test_sizes_have_three_digits_at_most(value: int | None, text: str) -> None:
    assert size_text(value).replace("\u00a0", " ") == text
