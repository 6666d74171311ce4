"""What a run about many has written is reported as written, with the password that the panel has
generated, whatever fails after it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._sources.snapshot_source import (
    SnapshotObjects,
)
from tests.support.memory import MemoryPlace

WORLD: dict[str, Any] = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}
ITEMS: dict[str, dict[str, Any]] = {
    "admins": {"username": "ops", "email": "ops@panel.example"},
    "clients": {"username": "other", "email": "it@other.example"},
    "emails": {"email": "info@acme.example"},
    "databases": {"client": "acme", "database_name": "acme_shop"},
    "ftp_users": {"client": "acme", "username": "acme_web"},
    "directory_protections": {
        "client": "acme",
        "path": "/admin",
        "username": "anna",
        "auth_name": "Staff",
    },
}


@pytest.fixture
def failing_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it fail to note an object after a write."""
    has_written = False
    put = SnapshotObjects.put
    call = PanelSession.call

    def put_before_writes(self: SnapshotObjects, item: dict[str, Any]) -> None:
        if has_written:
            raise ZeroDivisionError
        put(self, item)

    def call_and_remember(self: PanelSession, method: str, *arguments: Any, **options: Any) -> Any:
        nonlocal has_written
        answer = call(self, method, *arguments, **options)
        has_written = has_written or method != "GET"
        return answer

    monkeypatch.setattr(SnapshotObjects, "put", put_before_writes)
    monkeypatch.setattr(PanelSession, "call", call_and_remember)


def run_items(panel: MemoryPlace, kind: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a run for one item."""
    options = {"resources": {kind: [item]}}
    return dict(panel.run(kind, "panel_resources", options).result)


@pytest.fixture
def panel() -> MemoryPlace:
    """Return a panel with a client and a domain."""
    return MemoryPlace(WORLD, {"status_delay": 0.0})


def test_all_kinds_with_passwords_are_tried() -> None:
    assert ITEMS.keys() == {plural for plural, kind in KINDS.items() if kind.password}


@pytest.mark.parametrize("kind", ITEMS)
def test_a_defect_after_a_creation_loses_no_generated_password(
    kind: str, panel: MemoryPlace, failing_note: None
) -> None:
    check_defect_after_write(run_items(panel, kind, ITEMS[kind]))


@pytest.mark.parametrize("kind", ITEMS)
def test_a_defect_after_a_change_loses_no_generated_password(
    kind: str, panel: MemoryPlace, request: pytest.FixtureRequest
) -> None:
    assert run_items(panel, kind, ITEMS[kind])["changed"]
    request.getfixturevalue("failing_note")

    check_defect_after_write(run_items(panel, kind, {**ITEMS[kind], "regenerate_password": True}))


def check_defect_after_write(task_result: dict[str, Any]) -> None:
    """Assert that a result has the new password, and what failed after the write."""
    (written,) = task_result["results"]
    assert written["error"] == {"type": "Defect", "written": True}, task_result["msg"]
    (generated,) = task_result["generated_passwords"]
    assert generated["password"]
    assert task_result["changed"]
    assert "1 was written" in task_result["msg"]
