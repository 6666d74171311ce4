"""The arguments of the filter hosting.panel.panel_suspend_rows."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_suspend_rows import panel_suspend_rows

CLIENTS = [{"id": 2, "username": "acme"}]


@pytest.mark.parametrize("grace_days", [14, "14"])
def test_days_of_grace_may_be_a_text_as_templates_make_it(grace_days: Any) -> None:
    entry = {"username": "acme", "due": "2026-11-08", "reason": "", "place": "clients[0]"}
    result = panel_suspend_rows([entry], CLIENTS, "2026-11-21", grace_days=grace_days)

    assert result["rows"][0]["until"] == "2026-11-22"
    assert result["mistakes"] == []


def test_the_state_the_limit_the_exceptions_and_the_result_of_a_run_decide() -> None:
    entries = [
        {"username": name, "due": "", "reason": "", "place": "clients[0]"}
        for name in ("acme", "beta")
    ]
    clients = [*CLIENTS, {"id": 3, "username": "beta"}]
    done = {"plan": {"actions": [{"key": "acme"}]}, "results": []}
    result = panel_suspend_rows(
        entries, clients, "2026-11-21", "released", excepted=["beta"], limit=0, done=done
    )

    assert [row["outcome"] for row in result["rows"]] == ["released", "excepted"]
    assert result["changes"] == [{"id": 2, "is_suspended": False}]
    assert result["mistakes"] == ["suspend_max: 1 client would be released, and the limit is 0."]
