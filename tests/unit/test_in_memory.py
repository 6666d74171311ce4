"""A task that runs in memory is the task that a playbook runs."""

from __future__ import annotations

from typing import Any

from tools.reliability.memory import RESET, Loss

SEED = {"clients": [{"username": "acme", "email": "it@acme.example"}]}


def test_a_task_writes_to_the_panel_in_memory(in_memory: Any) -> None:
    panel = in_memory(SEED)
    first = panel.run("panel_client", username="acme", notes="x")
    second = panel.run("panel_client", username="acme", notes="x")
    assert (first["changed"], second["changed"]) == (True, False)
    assert panel.objects("clients")[0]["notes"] == "x"
    assert len(panel.writes) == 1


def test_check_mode_writes_nothing(in_memory: Any) -> None:
    panel = in_memory(SEED)
    assert panel.run("panel_client", check_mode=True, diff=True, username="acme", state="absent")["changed"]
    assert panel.writes == []


def test_an_answer_can_be_lost(in_memory: Any) -> None:
    panel = in_memory(SEED)
    panel.loss = Loss(RESET, after=0.0)
    done = panel.run("panel_email", email="info@acme.example", client="acme", password="Abcdefgh1-2x", state="absent")
    assert not done.get("failed")
