"""panel_resources says whether a task has done all that it planned, wherever a failure comes
from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from tests.support.in_memory import InMemory

SEED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}
MAILBOX = {"email": "info@acme.example", "password": "a-password-of-the-test"}


@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
def test_a_task_that_does_everything_is_complete(check_mode: bool) -> None:
    panel = InMemory(SEED)

    written = panel.run("panel_resources", resources={"emails": [MAILBOX]}, check_mode=check_mode)
    unchanged = panel.run("panel_resources", resources={"clients": SEED["clients"]})

    assert (written["changed"], written["is_complete"]) == (True, True)
    assert (unchanged["changed"], unchanged["is_complete"]) == (False, True)


# Each with options, and whether the failure has a plan.
FAILURES: dict[str, tuple[dict[str, Any], bool]] = {
    "wrong objects": ({"resources": {"emails": [{"email": "no address"}]}}, False),
    "no objects": ({}, False),
    "another plan": ({"resources": {"emails": [MAILBOX]}, "expected_checksum": "0" * 64}, True),
    "too many deletions": (
        {"resources": {"clients": [{"username": "acme", "state": "absent"}]}},
        True,
    ),
    "no directory": ({"resources_dir": "/dev/null/panel"}, False),
}


@pytest.mark.parametrize(("options", "has_plan"), FAILURES.values(), ids=FAILURES)
def test_a_task_that_fails_before_it_writes_is_not_complete(
    options: dict[str, Any], has_plan: bool
) -> None:
    failed = InMemory(SEED).run("panel_resources", **options)

    assert failed["failed"] is True
    assert ("plan" in failed) is has_plan
    assert failed["is_complete"] is False


def test_a_task_some_of_whose_objects_fail_is_not_complete() -> None:
    panel = InMemory(SEED)
    (client,) = panel.panel.store.list_all("clients")
    client.data["resource_limits"]["email_accounts"] = 0

    failed = panel.run("panel_resources", resources={"emails": [MAILBOX]})

    assert [outcome["result"] for outcome in failed["results"]] == ["failed"]
    assert failed["is_complete"] is False


def test_a_task_whose_passwords_cannot_be_kept_is_not_complete(tmp_path: Path) -> None:
    mailbox = {"email": "info@acme.example"}
    failed = InMemory(SEED).run(
        "panel_resources",
        resources={"emails": [mailbox]},
        credentials_file=str(tmp_path / "passwords.yml"),
        vault=VaultLib([]),
    )

    assert failed["failed"] is True
    assert failed["is_complete"] is False


def test_a_module_for_one_object_says_nothing_of_completeness() -> None:
    panel = InMemory(SEED)

    assert "is_complete" not in panel.run("panel_email", email="no address")
    assert "is_complete" not in panel.run("panel_email", **MAILBOX)
