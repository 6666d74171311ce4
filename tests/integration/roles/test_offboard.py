"""The role hosting.panel.offboard: from the first look at a customer to the day after the deletion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, RoleRun, assert_failed, plays_of
from tests.support import pem
from tests.support.mixed_panel import mixed_panel

RESULT = {"name": "Show", "ansible.builtin.debug": {"msg": "exists {{ offboard_result.exists }}"}}
PLAYS = plays_of("offboard", post_tasks=[RESULT])
CLIENT = "client-001"
TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'echo evaluated') }}"
DELETE = {"offboard_action": "delete", "offboard_confirm": CLIENT}


@pytest.fixture(scope="module")
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    made = make_operator("offboarding")
    made.simulator.settings({"status_delay": 0})
    seed = mixed_panel(pem.texts(), clients=3)
    task = {"client": CLIENT, "description": TEMPLATE, "type": "http", "command": "https://a.example"}
    seed["scheduled_tasks"].append(task)
    made.simulator.seed(seed)
    return made


def _run(operator: Operator, *words: str, **variables: Any) -> RoleRun:
    usual = {"offboard_client": CLIENT, "offboard_archive_dir": str(operator.folder / "archives")}
    return operator.run(PLAYS, {**usual, **variables}, *words, vault=False)


def _files(operator: Operator) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (operator.folder / "archives").rglob("*") if path.is_file()}


def _client(operator: Operator) -> dict[str, Any]:
    return next(item for item in operator.simulator.objects("clients") if item["username"] == CLIENT)


def _email_appears(operator: Operator, skip: int) -> None:
    """A mailbox that the panel shows of the client from this reading on."""
    path = f"/clients/{_client(operator)['id']}/resources"
    owned = operator.simulator.request("GET", path).json()
    more = {**owned["emails"][0], "id": 999, "email": f"new@{CLIENT}.example"}
    late = {"kind": "body", "path": f"^{path}$", "method": "GET", "skip": skip, "times": 0}
    operator.simulator.fault({**late, "body": {**owned, "emails": [*owned["emails"], more]}})


def test_a_customer_is_archived_then_suspended_then_deleted_with_what_was_archived(operator: Operator) -> None:
    before = operator.simulator.state()["objects"]
    number = _client(operator)["id"]

    check = _run(operator, "--check", **DELETE)
    assert (check.code, check.writes, _files(operator)) == (0, [], {}), check.text
    assert "client-001: would be deleted. Archive (not written in check mode):" in check.said
    assert check.recap["changed"] == 2

    first = _run(operator)
    assert (first.code, first.writes) == (0, [f"PUT /clients/{number}"]), first.text
    assert "client-001: suspended. Archive:" in first.said
    archive = _files(operator)

    again = _run(operator)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0), again.text
    assert _files(operator) == archive
    assert "already suspended" in again.said

    unconfirmed = _run(operator, offboard_action="delete", offboard_confirm="client-002")
    said = "this would delete client client-001, certificates: 1, domains: 5, emails: 3, databases: 2"
    assert_failed(unconfirmed, said, "Set offboard_confirm to client-001")

    delete = _run(operator, **DELETE)
    assert (delete.code, delete.writes) == (0, [f"DELETE /clients/{number}"]), delete.text
    assert "exists False" in delete.text
    assert ":evaluated" not in delete.text
    after = operator.simulator.state()["objects"]
    for kind, items in before.items():
        own = number if kind != "clients" else CLIENT
        kept = {one["id"] for one in items if one["data"].get("id_user" if kind != "clients" else "username") != own}
        assert {one["id"] for one in after[kind]} == kept

    gone = _run(operator, **DELETE)
    assert (gone.code, gone.writes, gone.recap["changed"]) == (0, [], 0), gone.text
    assert "client-001: already deleted. Archive:" in gone.said

    rebuild = {"panel_dir": str(next(iter(archive)).parent), "panel_passwords_file": str(operator.credentials)}
    way_back = operator.run("hosting.panel.apply", rebuild, "--check")
    assert way_back.code == 0 and "client-001_shop" in way_back.text, way_back.text


@pytest.mark.parametrize("typed", [f" {CLIENT} ", f"{CLIENT}\n", f'"{CLIENT}"'], ids=["blanks", "line end", "quotes"])
def test_a_confirmation_counts_however_it_is_typed(mishap: Operator, typed: str) -> None:
    """Predict a deletion that is confirmed as a survey hands it on."""
    predicted = _run(mishap, "--check", offboard_action="delete", offboard_confirm=typed)
    assert predicted.code == 0, predicted.text
    assert f"{CLIENT}: would be deleted." in predicted.said


@pytest.fixture
def mishap(operator: Operator) -> Operator:
    operator.simulator.reset()
    operator.simulator.settings({"status_delay": 0})
    operator.simulator.seed(mixed_panel(pem.texts(), clients=2))
    return operator


# What the client has is read for the plan, for the archive, and for the deletion.
@pytest.mark.parametrize(
    ("reading", "said"), [(1, f"new@{CLIENT}.example (id 999) was added"), (2, "expected_checksum")]
)
def test_what_came_after_the_plan_is_neither_archived_nor_deleted(mishap: Operator, reading: int, said: str) -> None:
    _email_appears(mishap, reading)
    assert_failed(_run(mishap, **DELETE), said)


def test_a_client_that_was_made_again_since_the_archive_is_not_suspended(mishap: Operator) -> None:
    again = [{**one, "id": one["id"] + 900} for one in mishap.simulator.request("GET", "/clients").json()]
    mishap.simulator.fault({"kind": "body", "path": "^/clients$", "method": "GET", "skip": 2, "body": again})
    assert_failed(_run(mishap), f"no client with id {_client(mishap)['id']}")
