"""The filter hosting.panel.panel_suspend_rows, whose job is in _suspend."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_suspend_rows import panel_suspend_rows

ENTRY = {"username": "acme", "due": "2026-11-10", "reason": "", "place": "unpaid.csv: line 2"}


@pytest.mark.parametrize("grace_days", [14, "14"])
def test_days_of_grace_may_be_the_text_that_a_template_makes_of_a_number(
    grace_days: Any,
) -> None:
    clients = [{"id": 2, "username": "acme"}]

    result = panel_suspend_rows([ENTRY], clients, "2026-11-21", grace_days=grace_days)

    assert [(row["outcome"], row["until"]) for row in result["rows"]] == [("waits", "2026-11-24")]
