# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks hosting.panel.plan and drift, and what hosting.panel.apply does with the checksum of an approved plan."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, RoleRun, assert_failed, assert_refused

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}
FOLDER = {"panel_dir": "panel"}


@pytest.fixture(scope="module")
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    """An operator of a small panel, who has exported it and then wants larger mailboxes."""
    made = make_operator("plans")
    made.simulator.settings({"status_delay": 0})
    made.simulator.seed(SEED)
    run = made.run("hosting.panel.export", FOLDER, vault=False)
    assert run.code == 0, run.text
    return made


def run(operator: Operator, name: str, *words: str, vault: bool = False, **variables: Any) -> RoleRun:
    environment = {"ANSIBLE_SHOW_CUSTOM_STATS": "true"}
    return operator.run(f"hosting.panel.{name}", {**FOLDER, **variables}, *words, vault=vault, environment=environment)


def handed_over(done: RoleRun) -> dict[str, Any]:
    """What the run hands to the jobs that follow it."""
    found = re.search(r"^\s*RUN: (\{.*\})$", done.text, re.MULTILINE)
    assert found, done.text
    statistics: dict[str, Any] = json.loads(found[1])
    return statistics


def set_mailbox(operator: Operator, size: str) -> None:
    file = operator.folder / "panel" / "clients" / "acme.yml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"max_size: \w+", f"max_size: {size}", text), encoding="utf-8")


def test_nothing_has_drifted_after_an_export(operator: Operator) -> None:
    done = run(operator, "drift")
    assert (done.code, done.writes) == (0, []), done.text
    assert "The panel is as the files in panel say." in done.said


def test_an_approved_plan_is_applied_without_a_question_and_another_one_is_not(operator: Operator) -> None:
    set_mailbox(operator, "2G")
    planned = run(operator, "plan")
    assert (planned.code, planned.writes, planned.recap["changed"]) == (0, [], 1), planned.text
    assert "update emails info@acme.example: max_size 1G -> 2G" in planned.said
    assert handed_over(planned)["panel_planned_changes"] == {"localhost": 1}
    approved = handed_over(planned)["panel_expected_checksums"]
    assert re.fullmatch("[0-9a-f]{64}", approved["localhost"])
    assert (
        "ansible-playbook hosting.panel.apply -e panel_dir=panel -e panel_expected_checksum=" + approved["localhost"]
    ) in planned.said

    set_mailbox(operator, "3G")
    for words in ((), ("--check",)):
        refused = run(operator, "apply", *words, panel_expected_checksums=approved)
        assert_failed(
            refused, "have changed since the plan was approved; the plan is now the one above. Nothing was written"
        )
    unnamed = run(operator, "apply", panel_expected_checksums={"another": approved["localhost"]})
    assert_failed(unnamed, "No plan for this panel was approved")

    # Its terminal would let a job of AWX wait for an answer until it is cancelled.
    in_awx = run(operator, "apply", awx_job_id=7, panel_confirm=True)
    assert_failed(in_awx, "TASK [Ask for approval] *", "Nobody typed yes. Nothing was written.")

    set_mailbox(operator, "2G")
    # A question would fail this run, since nobody would answer yes.
    done = run(operator, "apply", panel_expected_checksum=approved["localhost"], panel_confirm=True)
    assert done.code == 0, done.text
    assert [line.rpartition("/")[0] for line in done.writes] == ["PUT /emails"]
    again = run(operator, "apply", panel_expected_checksum=approved["localhost"])
    assert_failed(again, "There is nothing left to do: the panel is as the files say")
    assert "have changed since" not in again.said
    nothing = run(operator, "plan")
    assert handed_over(nothing)["panel_planned_changes"] == {"localhost": 0}
    assert "hosting.panel.apply" not in nothing.text


def test_a_plan_that_would_generate_passwords_needs_a_file_for_them(operator: Operator) -> None:
    file = operator.folder / "panel" / "new.yml"
    file.write_text("emails: [{email: new@acme.example}]\n", encoding="utf-8")
    refused = run(operator, "plan")
    assert refused.code != 0
    assert "for emails new@acme.example. Name a file for them in panel_passwords_file" in refused.said
    planned = run(operator, "plan", vault=True, panel_passwords_file="passwords.yml")
    assert (planned.code, planned.writes) == (0, []), planned.text
    assert not (operator.folder / "passwords.yml").exists()
    file.unlink()


def test_drift_names_the_files_and_shows_what_differs(operator: Operator) -> None:
    before = (operator.folder / "panel" / "clients" / "acme.yml").read_bytes()
    operator.simulator.seed({"clients": [{"username": "beta"}]})
    set_mailbox(operator, "4G")
    done = run(operator, "drift")
    assert_failed(
        done,
        "The panel differs from panel in 2 files: panel/clients/acme.yml, panel/clients/beta.yml.",
        "- max_size: 4G",
        "+++ panel/clients/beta.yml",
    )
    assert done.recap["changed"] == 0, done.text
    assert not (operator.folder / "panel" / "clients" / "beta.yml").exists()
    set_mailbox(operator, "2G")
    assert before == (operator.folder / "panel" / "clients" / "acme.yml").read_bytes()


@pytest.mark.parametrize(
    ("name", "variables", "message"),
    [
        ("plan", {"panel_dir": "nowhere"}, "nowhere: there is no such folder. Nothing was written."),
        ("drift", {"panel_dir": "nowhere"}, "there is no folder nowhere. Nothing was read from the panel."),
    ],
)
def test_a_folder_that_is_not_there_is_named_before_anything_is_read(
    operator: Operator, name: str, variables: dict[str, Any], message: str
) -> None:
    done = run(operator, name, **variables)
    assert_refused(done)
    assert message in done.said


@pytest.mark.parametrize(
    ("name", "words"),
    [("drift", ()), ("export", ("--diff",)), ("plan", ()), ("apply", ()), ("apply", ("--check", "--diff"))],
)
def test_a_plain_password_in_an_exported_file_is_refused_with_its_line_and_neither_shown_nor_removed(
    operator: Operator, name: str, words: tuple[str, ...]
) -> None:
    file = operator.folder / "panel" / "clients" / "acme.yml"
    before = file.read_text(encoding="utf-8")
    line = before[: before.index("  - email:")].count("\n") + 1
    spoilt = before.replace("  - email:", "  - password: hunter2-of-acme # token: t0ken-of-acme\n    email:")
    file.write_text(spoilt, encoding="utf-8")
    done = run(operator, name, "-vvvv", *words, panel_confirm=False)
    assert_failed(done, f"acme.yml: line {line}: password is a secret in plain text")
    assert [secret for secret in ("hunter2", "t0ken") if secret in done.text] == []
    assert file.read_text(encoding="utf-8") == spoilt
    file.write_text(before, encoding="utf-8")


def test_a_comment_that_an_export_removes_is_shown_without_its_secret(operator: Operator) -> None:
    file = operator.folder / "panel" / "clients" / "acme.yml"
    before = file.read_text(encoding="utf-8")
    file.write_text(f"{before}# password: hunter2-of-acme\n", encoding="utf-8")
    done = run(operator, "export", "--diff", "-vvvv")
    assert done.code == 0
    assert "-# password: ********" in done.text
    assert "hunter2" not in done.text


def test_the_command_that_applies_a_plan_names_the_host_of_a_fleet(operator: Operator) -> None:
    (operator.folder / "panel" / "new.yml").unlink(missing_ok=True)
    set_mailbox(operator, "5G")
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    fleet = operator.folder / "fleet.json"
    fleet.write_text(json.dumps({"panels": {"hosts": {"web1": panel}}}), encoding="utf-8")
    planned = run(operator, "plan", "-i", str(fleet), panel_hosts="panels")
    assert planned.code == 0, planned.text
    approved = re.search(r"hosting\.panel\.apply -e panel_hosts=web1 -e panel_dir=panel (-e \S+=)(\w+)", planned.said)
    assert approved, planned.text
    given = {"panel_hosts": "web1", "panel_expected_checksum": approved[2]}
    done = run(operator, "apply", "-i", str(fleet), **given)
    assert (done.code, [line.rpartition("/")[0] for line in done.writes]) == (0, ["PUT /emails"]), done.text
