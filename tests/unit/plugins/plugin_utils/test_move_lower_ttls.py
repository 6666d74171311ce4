# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused before the times to live are lowered."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.lower_ttls import check_lowering
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
