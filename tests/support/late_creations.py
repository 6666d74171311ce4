"""Creations whose answer is lost, and which take effect seconds later: for unit tests that try some, and those that try all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.late_panel import LatePanel
from tests.support.memory_panel import MemoryPanel
from tests.support.simulated_time import SimulatedTime
from tests.support.tasks import run_task
from tests.support.transcript import Reply, answer, page, read_timeout, reset

WORLD = {
    "/clients": [{"id": 1, "username": "acme", "email": "it@acme.example"}],
    "/domains": [{"id": 2, "domain": "acme.example", "id_user": 1, "id_parent_domain": 0}],
}
WANTED: dict[str, dict[str, Any]] = {
    "plans": {"name": "Gold"},
    "admins": {"username": "chief", "email": "chief@panel.example"},
    "clients": {"username": "shop", "email": "it@shop.example"},
    "domains": {"domain": "shop.example", "client": "acme"},
    "certificates": {
        "name": "old",
        "client": "acme",
        "components": {
            "private_key": "-----BEGIN PRIVATE KEY-----\nYQ==\n-----END PRIVATE KEY-----",
            "certificate": "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----",
        },
    },
    "emails": {"email": "info@acme.example"},
    "databases": {"database_name": "acme_shop", "client": "acme"},
    "ftp_users": {"username": "acme_ftp", "client": "acme"},
    "directory_protections": {"client": "acme", "path": "/shop", "username": "boss"},
    "scheduled_tasks": {"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"},
}
RETRY_TIMES = (0, 1, 2, 3, 5, 10, 30, 60)
# None: it never takes effect.
LATE = (None, 0.4, 2.0, 4.0, 10.0)
CASES = tuple(itertools.product(RETRY_TIMES, LATE, (False, True)))
"""retry_time, how late, and whether the panel reserves the name meanwhile."""
LOST: dict[str, Callable[[], Reply | Exception]] = {
    "reset": reset,
    "silence": read_timeout,
    "502": lambda: page(502),
    "500": lambda: page(500),
    "500 with JSON": lambda: answer(500, {"code": "500 Internal Server Error", "message": "It failed."}),
    "503 with JSON": lambda: answer(503, {"code": "503 Service Unavailable", "message": "Later."}),
}
Ran = tuple[dict[str, Any], Any]


def run(panel: LatePanel, plural: str, retry_time: float, in_bulk: bool) -> Ran:
    """The result of a task that creates the object, and the password that it returned."""
    client, options = panel.client(retry_time), WANTED[plural]
    if in_bulk:
        result = run_task(resources_operation(), client, {"resources": {plural: [options]}, "concurrency": 1})
        return result, (result.get("generated_passwords") or [{}])[0].get("password")
    result = run_task(resource_operation(TABLES[plural]), client, options)
    return result, result.get("generated_password")


def made(panel: LatePanel, plural: str) -> list[dict[str, Any]]:
    """The objects of the kind that were not there before."""
    path = TABLES[plural].path
    return [item for item in panel.memory.objects.get(path, []) if item not in WORLD.get(path, [])]


def check_creations(plural: str, lost: str, in_bulk: bool, cases: Iterable[tuple[float, float | None, bool]]) -> None:
    """One object and a known password, or a failure that says what to do, whatever of ``CASES`` is the case."""
    for retry_time, late, reserves in cases:
        panel = LatePanel(MemoryPanel(WORLD), SimulatedTime(), LOST[lost], late, reserves=reserves)
        result, password = run(panel, plural, retry_time, in_bulk)
        panel.settle()
        where = f"retry_time {retry_time}, {late} s late, reserves: {reserves}: {result.get('msg')}"
        assert len(made(panel, plural)) <= 1, where
        _check(panel, plural, result, password, where)
        again, _password = run(panel, plural, 5, in_bulk)
        assert not again.get("failed"), where
        assert len(made(panel, plural)) == 1, where


def _check(panel: LatePanel, plural: str, result: dict[str, Any], password: Any, where: str) -> None:
    path, has_password = TABLES[plural].path, TABLES[plural].password is not None
    if result.get("failed"):
        msg = result["msg"]
        assert "un the task again" in msg, where
        assert "Nothing was written" not in msg, where
        assert ("regenerate_password: true" in msg) == has_password, where
        return
    (created,) = made(panel, plural)
    assert result["changed"], where
    if has_password:
        assert {"password": password} == panel.memory.passwords[path, created["id"]], where
