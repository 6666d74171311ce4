# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""In check mode a mailbox counts on the domain that an earlier task of the run would create, in both ways of execution, and on no other."""

from __future__ import annotations

from pathlib import Path

from tests.support.playbook import task
from tests.support.simulator import Simulator
from tests.support.worker import work


def test_a_mailbox_counts_on_what_earlier_tasks_would_create(simulator: Simulator, tmp_path: Path, way: str) -> None:
    simulator.reset()
    bulk = {"resources": {"domains": [{"domain": "bulk.example", "client": "new"}]}}
    clients = {"resources": {"clients": [{"username": "new"}], **bulk["resources"]}}
    tasks = [
        task("client", "panel_client", {"username": "new"}),
        task("domain", "panel_domain", {"domain": "new.example", "client": "new"}),
        task("mailbox", "panel_email", {"email": "info@new.example"}),
        task("its own", "panel_email", {"email": "own@New.example", "client": "new"}),
        task("together", "panel_resources", clients),
        task("in bulk", "panel_email", {"email": "info@bulk.example", "client": "new"}),
        task("with system", "panel_client", {"username": "sys", "create_system_domain": True}),
        task("of the system", "panel_email", {"email": "info@sys.server.panel.example"}),
        task("of its client", "panel_email", {"email": "own@sys.server.panel.example", "client": "sys"}),
        task(
            "systems",
            "panel_resources",
            {"resources": {"clients": [{"username": "sys2", "create_system_domain": True}]}},
        ),
        task(
            "of the bulk's", "panel_resources", {"resources": {"emails": [{"email": "info@sys2.server.panel.example"}]}}
        ),
        task("after all", "panel_resources", {"resources": {"emails": [{"email": "bulk@new.example"}]}}),
        task("without system", "panel_email", {"email": "info@new.server.panel.example"}),
        task("mistyped", "panel_email", {"email": "info@nix.example"}),
    ]
    run = work([{**one, "check_mode": True} for one in tasks], simulator, tmp_path, way)
    outcomes = {recording.name: (recording.outcome, recording.changed) for recording in run.recordings}
    for name in ("mistyped", "without system"):
        assert outcomes.pop(name) == ("failed", False)
    assert run["mistyped"].msg.startswith("email: there is no domain nix.example on this panel.")
    assert outcomes == dict.fromkeys(outcomes, ("ok", True))
    assert [recording.writes for recording in run.recordings] == [[]] * len(tasks)
