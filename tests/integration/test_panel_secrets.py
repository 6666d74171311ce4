"""panel_secrets in real runs.

At no verbosity it shows what it keeps, and with alone one ansible-playbook waits for another.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.roles.operators import Operator
from tests.support.killing import Process, end_workers, kill_group, start_playbook
from tests.support.playbook import IN_PROCESS
from tests.support.simulator import Simulator
from tools.layout import ROOT

SECRET = "a-very-secret-value"
ACTIONS = ROOT / "plugins" / "action"
KEEP: dict[str, Any] = {
    "hosting.panel.panel_secrets": {"path": "keys.yml", "values": {"key": SECRET}},
    "diff": True,
}
ALONE: dict[str, Any] = {
    "hosting.panel.panel_secrets": {"path": "keys.yml", "alone": "{{ seconds | int }}"}
}
MARK: dict[str, Any] = {
    "ansible.builtin.copy": {"dest": "{{ playbook_dir }}/alone", "content": "", "mode": "0600"}
}
PAUSE: dict[str, Any] = {"ansible.builtin.command": "sleep {{ pause }}"}


def make_plays(*tasks: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a play on localhost with these tasks."""
    return [{"name": "Play", "hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}]


@pytest.fixture
def operator(tmp_path: Path, simulator: Simulator) -> Operator:
    """Return an operator with a folder of their own."""
    return Operator(tmp_path / "folder", simulator)


def test_no_verbosity_shows_a_value_and_a_failure_is_shown(operator: Operator) -> None:
    check = {"ansible.builtin.assert": {"that": f"kept.secrets.key == '{SECRET}'", "quiet": True}}
    run = operator.run(make_plays({**KEEP, "register": "kept"}, check), {}, "-vvvvv", "--diff")

    assert (run.code, run.recap["changed"]) == (0, 1), run.text
    assert SECRET not in run.text

    (operator.folder / "keys.yml").write_text(f"key: {SECRET}\n", encoding="utf-8")
    failed = operator.run(make_plays(KEEP), {}, "-vvvvv")

    assert failed.code != 0
    assert (
        "the file is not encrypted with Ansible Vault. Encrypt it, or move it away." in failed.said
    )
    assert SECRET not in failed.text


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "panel_secrets": (
        {"path": "s.yml", "values": {"key": "{{ p }}"}, "alone": "x"},
        "alone: 'x' is not accepted; ",
    ),
    "panel_secrets ": ({"path": "s.yml", "values": ["{{ p }}"]}, "values: must be a dictionary. "),
    "panel_export": (
        {"dirr": "x", "api_key": "{{ p }}"},
        "dirr: there is no such option; did you mean dir? ",
    ),
    "panel_import": (
        {"source": "froxlor", "dir": "x", "source_password": "{{ p }}", "mapping": "{{ p }}"},
        "mapping: must be a dictionary. ",
    ),
    "panel_lock": ({"path": "x", "pass": "{{ p }}"}, "pass: there is no such option; "),
    "panel_archive": ({"username": "a", "api_key": "{{ p }}"}, "dir: missing; "),
    "panel_verify": (
        {"api_key": "{{ p }}", "wait_timeout": "x"},
        "wait_timeout: 'x' is not accepted; ",
    ),
    "panel_report": ({"file": "x.html", "api_key": "{{ p }}", "months": "x"}, "months"),
    "panel_email": ({"email": "a@b.example", "password": "{{ p }}", "clint": "x"}, "clint"),
}


def test_no_action_shows_a_secret_beside_a_wrong_option(operator: Operator) -> None:
    tasks = []

    for name, (options, message) in WRONG.items():
        conditions = {
            "that": [
                "__done is failed",
                "__done.error.type == 'OptionError'",
                f"{message!r} in __done.msg",
            ],
            "quiet": True,
        }
        tasks.append(
            {f"hosting.panel.{name.strip()}": options, "register": "__done", "ignore_errors": True}
        )
        tasks.append({"ansible.builtin.assert": conditions})

    run = operator.run(
        [{**make_plays(*tasks)[0], "vars": {"p": "{{ q }}"}}], {"q": SECRET}, "-vvvvv"
    )

    assert run.code == 0, run.text
    assert SECRET not in run.text
    assert {path.stem for path in ACTIONS.glob("panel_*.py")} <= WRONG.keys()


def test_a_run_waits_until_the_one_that_has_the_file_ended_and_takes_over_from_a_killed_one(
    operator: Operator,
) -> None:
    first = _start_run(operator, pause=30)

    try:
        busy = operator.run(make_plays(ALONE), {"seconds": 1})
        assert busy.code != 0
        assert (
            f"keys.yml: another ansible-playbook (process {first.pid}) still uses the file after 1 s."
            in busy.said
        )
        assert operator.run(make_plays(ALONE), {"seconds": 0}, "--check").code == 0
    finally:
        kill_group(first)
        end_workers(operator.folder)

    assert operator.run(make_plays(ALONE), {"seconds": 0}).code == 0

    begin = time.monotonic()
    second = _start_run(operator, pause=3)

    assert operator.run(make_plays(ALONE), {"seconds": 60}).code == 0
    assert time.monotonic() - begin >= 3
    assert second.wait(10) == 0


def _start_run(operator: Operator, pause: int) -> Process:
    """Start a run that has the file for itself, and pauses for so many seconds."""
    mark = operator.folder / "alone"
    mark.unlink(missing_ok=True)
    arguments, environment = operator.make_command_line(
        make_plays(ALONE, MARK, PAUSE), {"seconds": 60, "pause": pause}
    )
    process = start_playbook(arguments, operator.folder, IN_PROCESS, environment)

    while not mark.exists():
        assert process.poll() is None
        time.sleep(0.05)

    return process
