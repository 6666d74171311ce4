"""The role hosting.panel.offboard.

From the first look at a customer to the day after the deletion.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.roles.operators import (
    Operator,
    RoleRun,
    assert_failed,
    assert_refused,
    make_plays,
)
from tests.support import pem
from tests.support.mixed_panel import make_mixed_objects

RESULT = {"name": "Show", "ansible.builtin.debug": {"msg": "exists {{ offboard_result.exists }}"}}
PLAYS = make_plays("offboard", post_tasks=[RESULT])
CLIENT = "client-001"
TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'echo evaluated') }}"
DELETE = {"offboard_action": "delete", "offboard_confirm": CLIENT}


@pytest.fixture(scope="module")
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    """Return an operator whose panel has three clients, one with a scheduled task."""
    new_operator = make_operator("offboarding")
    new_operator.simulator.change_settings({"status_delay": 0})
    seed = make_mixed_objects(pem.make_texts(), clients=3)
    task = {
        "client": CLIENT,
        "description": TEMPLATE,
        "type": "http",
        "command": "https://a.example",
    }
    seed["scheduled_tasks"].append(task)
    new_operator.simulator.seed(seed)

    return new_operator


def _run(operator: Operator, *arguments: str, **variables: Any) -> RoleRun:
    """Run the role for the client that leaves."""
    usual = {"offboard_client": CLIENT, "offboard_archive_dir": str(operator.folder / "archives")}
    return operator.run(PLAYS, {**usual, **variables}, *arguments, vault=False)


def _read_files(operator: Operator) -> dict[Path, bytes]:
    """Return the files of the archives with their content."""
    return {
        path: path.read_bytes()
        for path in (operator.folder / "archives").rglob("*")
        if path.is_file()
    }


def _get_client(operator: Operator) -> dict[str, Any]:
    """Return the client that leaves, as the panel has it."""
    return next(
        item for item in operator.simulator.list_objects("clients") if item["username"] == CLIENT
    )


def _let_email_appear(operator: Operator, skip: int) -> None:
    """Add a mailbox of the client from this reading on."""
    path = f"/clients/{_get_client(operator)['id']}/resources"
    owned = operator.simulator.request("GET", path).json()
    more = {**owned["emails"][0], "id": 999, "email": f"new@{CLIENT}.example"}
    late = {"kind": "body", "path": f"^{path}$", "method": "GET", "skip": skip, "times": 0}
    operator.simulator.queue_fault({**late, "body": {**owned, "emails": [*owned["emails"], more]}})


def test_a_customer_is_archived_then_suspended_then_deleted_with_what_was_archived(
    operator: Operator,
) -> None:
    before = operator.simulator.get_state()["objects"]
    number = _get_client(operator)["id"]

    check = _run(operator, "--check", **DELETE)

    assert (check.code, check.writes, _read_files(operator)) == (0, [], {}), check.text
    assert "client-001: would be deleted. Archive (not written in check mode):" in check.said
    assert check.recap["changed"] == 2

    first = _run(operator)
    assert (first.code, first.writes) == (0, [f"PUT /clients/{number}"]), first.text
    assert "client-001: suspended. Archive:" in first.said

    archive = _read_files(operator)

    second_run = _run(operator)

    assert (second_run.code, second_run.writes, second_run.recap["changed"]) == (0, [], 0), (
        second_run.text
    )
    assert _read_files(operator) == archive
    assert "already suspended" in second_run.said

    unconfirmed = _run(operator, offboard_action="delete", offboard_confirm="client-002")
    message = (
        "offboard_confirm: 'client-002' is not the name of the client; "
        "this would delete client client-001, certificates: 1, domains: 5, emails: 3, databases: 2"
    )
    assert_failed(unconfirmed, message, "Set offboard_confirm to client-001")

    delete = _run(operator, **DELETE)

    assert (delete.code, delete.writes) == (0, [f"DELETE /clients/{number}"]), delete.text
    assert "exists False" in delete.text
    assert ":evaluated" not in delete.text

    after = operator.simulator.get_state()["objects"]
    for kind, items in before.items():
        owner = number if kind != "clients" else CLIENT
        kept = {
            entry["id"]
            for entry in items
            if entry["data"].get("id_user" if kind != "clients" else "username") != owner
        }
        assert {entry["id"] for entry in after[kind]} == kept

    third_run = _run(operator, **DELETE)
    assert (third_run.code, third_run.writes, third_run.recap["changed"]) == (0, [], 0), (
        third_run.text
    )
    assert "client-001: already deleted. Archive:" in third_run.said

    rebuild = {
        "panel_dir": str(next(iter(archive)).parent),
        "panel_passwords_file": str(operator.credentials),
    }
    way_back = operator.run("hosting.panel.apply", rebuild, "--check")

    assert way_back.code == 0 and "client-001_shop" in way_back.text, way_back.text


@pytest.mark.parametrize(
    "typed", [f" {CLIENT} ", f"{CLIENT}\n", f'"{CLIENT}"'], ids=["blanks", "line end", "quotes"]
)
def test_a_confirmation_counts_however_it_is_typed(mishap: Operator, typed: str) -> None:
    """Predict a deletion that is confirmed as a survey hands it on."""
    predicted = _run(mishap, "--check", offboard_action="delete", offboard_confirm=typed)
    assert predicted.code == 0, predicted.text
    assert f"{CLIENT}: would be deleted." in predicted.said


def test_what_can_be_no_username_is_told_by_the_variable_that_has_it(mishap: Operator) -> None:
    run = _run(mishap, offboard_client="Acme Ltd")

    assert_refused(run, "offboard_client: 'Acme Ltd' is not accepted; it must be the name of")
    assert "clients[0]" not in run.said


@pytest.fixture
def mishap(operator: Operator) -> Operator:
    """Return an operator whose panel is as at the beginning."""
    operator.simulator.reset()
    operator.simulator.change_settings({"status_delay": 0})
    operator.simulator.seed(make_mixed_objects(pem.make_texts(), clients=2))
    return operator


# What the client has is read for the plan, for the archive, and for the deletion.
@pytest.mark.parametrize(
    ("reading", "message"),
    [(1, f"new@{CLIENT}.example (id 999) was added"), (2, "expected_checksum")],
)
def test_what_came_after_the_plan_is_neither_archived_nor_deleted(
    mishap: Operator, reading: int, message: str
) -> None:
    _let_email_appear(mishap, reading)
    assert_failed(_run(mishap, **DELETE), message)


def test_a_client_that_was_made_again_since_the_archive_is_not_suspended(mishap: Operator) -> None:
    recreated = [
        {**client, "id": client["id"] + 900}
        for client in mishap.simulator.request("GET", "/clients").json()
    ]
    mishap.simulator.queue_fault(
        {"kind": "body", "path": "^/clients$", "method": "GET", "skip": 2, "body": recreated}
    )
    assert_failed(_run(mishap), f"no client with id {_get_client(mishap)['id']}")
