"""What the deletion of a client says that goes with it."""

from __future__ import annotations

from typing import Any

import pytest

SEED = {
    "clients": [{"username": "acme"}, {"username": "other"}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "other.example", "client": "other"}],
    "emails": [{"email": "b@acme.example"}, {"email": "a@acme.example"}, {"email": "a@other.example"}],
    "scheduled_tasks": [{"client": "acme", "description": "Backup", "type": "exec", "command": "/bin/true"}],
}


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_deletion_names_what_goes_with_the_client_by_kind_and_without_zones(in_memory: Any, check_mode: bool) -> None:
    panel = in_memory(SEED)
    done = panel.run("panel_client", check_mode=check_mode, diff=True, username="acme", state="absent")
    assert done["removed"] == {
        "domains": ["acme.example"],
        "emails": ["a@acme.example", "b@acme.example"],
        "scheduled_tasks": ["acme:Backup"],
    }
    assert done["diff"]["before"]["removed"] == done["removed"]
    assert (done["client"], panel.writes) == (None, [] if check_mode else ["DELETE /clients/2"])


def test_with_a_client_that_is_not_there_nothing_goes_and_no_other_state_says_so(in_memory: Any) -> None:
    panel = in_memory(SEED)
    gone = panel.run("panel_client", diff=True, username="nobody", state="absent")
    assert (gone["changed"], gone["removed"], "removed" in gone["diff"]["before"]) == (False, {}, False)
    assert "removed" not in panel.run("panel_client", username="acme", notes="x")
