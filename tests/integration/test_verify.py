"""panel_verify over a socket: what only a process, a signal or Ansible itself can show false.

The rest is in tests/unit.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.action import panel_verify
from tests.support.killing import count_writes, is_child_running, start_function, wait_for_writes
from tests.support.playbook import Run, run_playbook
from tests.support.simulator import Simulator
from tests.support.tasks import make_action
from tools.layout import ROOT

NAME = "hpverifyabcdef"
MOST_LINES = 20


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    """Yield a panel for all tests."""
    with Simulator.start() as running:
        yield running


@pytest.fixture(autouse=True)
def reset(panel: Simulator) -> None:
    """Reset the panel before each test."""
    panel.reset()


def verify(panel: Simulator, **options: Any) -> dict[str, Any]:
    """Verify the panel, and return the result of the action."""
    args = {"api_url": panel.url, "api_key": panel.api_key, **options}
    action = make_action(args, "hosting.panel.panel_verify", plugin=panel_verify.ActionModule)
    result: dict[str, Any] = action.run(task_vars={})
    return result


def list_leftover_kinds(panel: Simulator) -> list[str]:
    """Return the kinds of the objects that a verification left on the panel."""
    objects = panel.get_state()["objects"]
    return [
        kind
        for kind, entries in objects.items()
        for entry in entries
        if "hpverify" in str(entry["data"])
    ]


def test_a_panel_over_a_socket_confirms_everything_and_has_nothing_left(panel: Simulator) -> None:
    result = verify(panel, writes=True, wrong_key=True)
    assert (result["profile"], result["left"], list_leftover_kinds(panel)) == ({}, [], [])
    # The description is asked for at another address, which the log does not have.
    assert result["requests"] == len(panel.read_log()) + 1 < 150
    assert {check["id"] for check in result["checks"] if check["verdict"] != "confirmed"} == {
        "api_disabled",
        "foreign_certificates",
    }


def test_a_process_that_is_told_to_end_removes_what_it_has_made(panel: Simulator) -> None:
    child = start_function(lambda: verify(panel, writes=True, client=NAME))
    assert wait_for_writes(panel, count_writes(panel) + 12, lambda: is_child_running(child))

    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)

    assert list_leftover_kinds(panel) == []


@pytest.mark.parametrize(
    "faults",
    [
        [
            {
                "kind": "status",
                "method": "GET",
                "path": "^/clients$",
                "status": 500,
                "body": "json",
                "times": 2,
            }
        ],
        [{"kind": "body", "method": "GET", "path": "^/clients$", "body": {"data": []}, "times": 2}],
        [{"kind": "truncate", "method": "GET", "path": "^/clients$", "times": 2}],
        [],
    ],
    ids=["fails", "in an envelope", "cut off", "whole"],
)
def test_a_customer_of_the_given_name_is_never_deleted(
    panel: Simulator, faults: list[dict[str, Any]]
) -> None:
    panel.seed(
        {
            "clients": [{"username": "victim"}],
            "domains": [{"domain": "victim.example", "client": "victim"}],
        }
    )
    before = panel.get_state()["objects"]
    panel.queue_fault(
        [*faults, {"kind": "reset", "method": "POST", "path": "^/clients$", "when": "before"}]
    )

    result = verify(panel, writes=True, client="victim", retry_time=1)

    assert (result["failed"], result["left"], panel.get_state()["objects"]) == (True, [], before)
    assert [entry for entry in panel.read_log() if entry["method"] != "GET"] == []


# The playbook.


def play(panel: Simulator, folder: Path, *extra_variables: str, **more: Any) -> Run:
    """Run the playbook that verifies the panel."""
    variables = (
        {} if "hosts" in more else {"PANEL_API_URL": panel.url, "PANEL_API_KEY": panel.api_key}
    )
    arguments = [argument for variable in extra_variables for argument in ("-e", variable)]
    return run_playbook(
        ROOT / "playbooks" / "verify.yml",
        panel,
        folder,
        arguments=arguments,
        variables=variables,
        **more,
    )


def test_the_playbook_replaces_no_file_of_another_variable(
    panel: Simulator, tmp_path: Path
) -> None:
    before = panel.get_last_number()
    passwords = tmp_path / "pw.yml"
    variables = [f"panel_verify_report_file={passwords}", f"panel_passwords_file={passwords}"]

    run = play(panel, tmp_path, *variables)

    assert run.code != 0
    assert "panel_passwords_file, panel_verify_report_file: both are one file, " in " ".join(
        run.text.split()
    )
    assert (panel.read_log(before), passwords.exists()) == ([], False)


def test_the_playbook_says_in_a_few_lines_what_it_found(panel: Simulator, tmp_path: Path) -> None:
    panel.change_settings({"dates": "utc"})
    run = play(
        panel,
        tmp_path,
        f"panel_verify_report_file={tmp_path}/report.md",
        "panel_verify_writes=true",
    )

    assert run.code == 0, run.text
    assert "contradicted   dates: utc." in run.text
    assert (tmp_path / "report.md").is_file()
    assert list_leftover_kinds(panel) == []
    assert panel.api_key not in run.text
    assert len([line for line in run.text.splitlines() if line.strip()]) <= MOST_LINES, run.text
