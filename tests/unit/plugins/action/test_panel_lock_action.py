"""panel_lock gives a path to one ansible-playbook, and says which other one has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.action import panel_lock
from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from tests.support.in_memory import InMemory


def run(path: Path, **options: Any) -> dict[str, Any]:
    """Run panel_lock for the path."""
    return InMemory().run("panel_lock", path=str(path), **options)


def test_a_path_is_taken_by_every_link_and_nothing_is_made_there(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "state.json")

    taken = run(link)

    assert (taken["changed"], taken["path"]) == (False, str(tmp_path / "state.json"))
    assert run(tmp_path / "state.json")["changed"] is False
    assert list(tmp_path.iterdir()) == [link]


def test_a_path_of_another_run_is_an_error_that_names_option_and_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []

    def wait(path: str, seconds: int, _say: Any) -> str:
        waits.append(seconds)
        return "77" if path == str(tmp_path / "state.json") else ""

    monkeypatch.setattr(panel_lock, "wait_for_path", wait)
    names = {"__panel_option_names": {"path": "content_state_dir"}}

    refused = run(tmp_path / "state.json", task_vars=names)

    assert refused["error"]["type"] == "OptionError"
    assert refused["msg"] == (
        f"content_state_dir: another ansible-playbook (process 77) uses {tmp_path}/state.json. "
        "Nothing was read or written. Wait until it has ended, or name another one."
    )
    assert run(tmp_path / "other", wait_timeout=60)["changed"] is False
    assert waits == [0, 60]


def test_check_mode_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel_lock, "wait_for_path", lambda *_arguments: "77")

    assert run(tmp_path / "state.json", check_mode=True)["changed"] is False


def test_a_path_that_cannot_be_taken_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, *_arguments: Any) -> str:
        raise PanelError(f"{path}: ansible-playbook has ended.")

    monkeypatch.setattr(panel_lock, "wait_for_path", fail)

    refused = run(tmp_path / "state.json")

    assert refused["failed"] is True
    assert refused["msg"] == f"{tmp_path}/state.json: ansible-playbook has ended."


@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
def test_a_time_to_wait_below_zero_is_refused(tmp_path: Path, check_mode: bool) -> None:
    refused = run(tmp_path / "state.json", wait_timeout=-1, check_mode=check_mode)

    cause = "wait_timeout: -1 is not accepted; it must be a number of seconds, 0 or more."
    assert refused["msg"] == f"{cause} Nothing was read or written."
