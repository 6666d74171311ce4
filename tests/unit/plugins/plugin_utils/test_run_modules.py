# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told when a module that an action runs fails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import run_modules
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.run_modules import ModuleFailed, ModuleRuns


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("PlanChanged", "The panel changed while this was planned. Nothing was written to it; run again."),
        ("Refused", "approve that"),
    ],
)
def test_nobody_is_to_approve_a_plan_that_only_the_task_has_seen(
    monkeypatch: pytest.MonkeyPatch, error: str, told: str
) -> None:
    failed = {"failed": True, "msg": "approve that", "error": {"type": error}}
    inner = SimpleNamespace(run=lambda task_vars: failed)
    monkeypatch.setattr(run_modules, "inner_module", lambda *_arguments: inner)
    action: Any = None
    runs = ModuleRuns(action, None, {}, "On the target: ")
    with pytest.raises(ModuleFailed, match=f"^On the target: {told}$"):
        runs.succeed("panel_resources", {"expected_checksum": "of its own plan"})
