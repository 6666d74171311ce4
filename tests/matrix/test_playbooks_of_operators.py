"""What the head of each playbook shows, in the order of an operator's day, on every supported
ansible-core, in process and as a module.

The playbooks demo and play start panels of their own, and certificates needs an authority: these
have tests of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.playbook import IN_PROCESS, MODULE, run_ansible
from tests.support.simulator import Simulator
from tools.layout import ROOT

WITH_OTHER_TESTS = {"certificates", "demo", "play"}
CUSTOMER = {
    "site_client": {"username": "mueller", "email": "inge@mueller.example"},
    "site_plan": {
        "name": "Business",
        "resources": {"disk_space": "10G", "email_accounts": 5, "domains": 5},
    },
    "site_domains": [{"domain": "mueller.example"}],
    "site_emails": [{"email": "info@mueller.example", "max_size": "1G"}],
    "site_login_url": True,
    "site_mail_dns": True,
    "site_credentials_file": "mueller.credentials.yml",
    "onboard_summary_file": "summary.txt",
}


class Step(NamedTuple):
    """One command.

    message: a part of what it prints. code: with which it ends. variables: of its command line.
    """

    playbook: str
    variables: dict[str, Any]
    message: str
    code: int = 0


DIRECTORY = {"panel_dir": "panel"}
APPROVED = {**DIRECTORY, "panel_passwords_file": "passwords.yml", "panel_confirm": False}
STEPS = {
    "the panel answers": Step("ping", {}, "KeyHelp"),
    "a customer comes": Step("onboard", CUSTOMER, "mueller: "),
    "the customer is there": Step("onboard", CUSTOMER, "nothing to change"),
    "the panel becomes files": Step("export", DIRECTORY, "Files in panel"),
    "they are the panel": Step("drift", DIRECTORY, "matches the files in panel"),
    "a change is planned": Step(
        "plan", {**DIRECTORY, "panel_passwords_file": "passwords.yml"}, "1 to create"
    ),
    "a change is found": Step("drift", DIRECTORY, "differs from", code=2),
    "a change is applied": Step("apply", APPROVED, "1 of 1 changes written"),
    "nothing is left to apply": Step("apply", APPROVED, "nothing to do"),
    "a client is in order": Step("retry", {"panel_retry_client": "mueller"}, "OK."),
    "customers of another panel become files": Step(
        "import",
        {"import_source": "froxlor", "import_path": "froxlor.sql", "panel_dir": "imported"},
        "Files in imported: 4 written",
    ),
    "a page is written": Step(
        "report", {"report_file": "report.html", "report_json_file": "report.json"}, "report"
    ),
    "the panel is verified": Step("verify", {"panel_verify_report_file": "panel.md"}, "confirmed"),
}
NEW_MAILBOX = "emails:\n  - email: new@mueller.example\n"


class Day(NamedTuple):
    """What each step printed and how it ended, and the folder of the operator."""

    codes: dict[str, int]
    printed: dict[str, str]
    folder: Path


def run_day(simulator: Simulator, folder: Path, way: str) -> Day:
    """Run the playbooks of a day, one after the other, on one panel."""
    (folder / "vault").write_text("secret", encoding="utf-8")
    (folder / "panel").mkdir()
    (folder / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    day_run = Day({}, {}, folder)

    for name, step in STEPS.items():
        if name == "a change is planned":
            (folder / "panel" / "new.yml").write_text(NEW_MAILBOX, encoding="utf-8")
        arguments = [f"hosting.panel.{step.playbook}", "--vault-password-file", "vault"]
        arguments += ["--extra-vars", json.dumps(step.variables)]
        variables = simulator.environment
        done = run_ansible("playbook", arguments, folder, way, variables)
        day_run.codes[name] = done.returncode
        day_run.printed[name] = " ".join(done.stdout.split())

    return day_run


@pytest.fixture(
    scope="module", params=[pytest.param(IN_PROCESS, marks=pytest.mark.release), MODULE]
)
def worked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Day]:
    """Yield the day of an operator in one of the ways to run tasks."""
    with Simulator.start(settings={"status_delay": 0.0}) as simulator:
        yield run_day(simulator, tmp_path_factory.mktemp("day"), request.param)


@pytest.mark.parametrize("name", STEPS)
def test_a_step_of_the_day_ends_as_its_playbook_says(worked: Day, name: str) -> None:
    step = STEPS[name]
    printed = worked.printed[name]

    assert (worked.codes[name], step.message in printed) == (step.code, True), printed
    assert "Traceback" not in printed and "Unexpected failure" not in printed


def test_the_files_of_the_day_are_there(worked: Day) -> None:
    names = (
        "mueller.credentials.yml",
        "passwords.yml",
        "summary.txt",
        "report.html",
        "report.json",
        "panel.md",
    )
    assert [name for name in names if not (worked.folder / name).is_file()] == []


def test_every_playbook_has_its_step() -> None:
    playbooks = {path.stem for path in (ROOT / "playbooks").glob("*.yml")}
    assert {step.playbook for step in STEPS.values()} | WITH_OTHER_TESTS == playbooks
