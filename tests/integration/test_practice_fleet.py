"""The practice fleet: three panels that a terminal finds by one line, also in a directory of any name."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.playbook import IN_PROCESS, surroundings
from tests.support.played_fleet import play, played_fleet


def test_a_terminal_finds_three_panels_and_nothing_is_left_of_them_at_the_end(tmp_path: Path) -> None:
    variables = surroundings(tmp_path, IN_PROCESS)
    directory = tmp_path / "o'clock play"
    with played_fleet(directory, variables) as text:
        assert "Tell your terminal about the panels: . " in text
        modes = {path.name: path.stat().st_mode & 0o777 for path in (directory / "keys").iterdir()}
        assert modes == dict.fromkeys(("web-1", "web-2", "web-3"), 0o600)
        words = ["sh", "-c", '. "$1" && ansible-playbook hosting.panel.ping -e panel_hosts=panels', "sh"]
        done = subprocess.run(
            [*words, str(directory / "environment")],
            env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (directory / "mine.yml").touch()
    assert [path.name for path in directory.iterdir()] == ["mine.yml"]


def test_stopping_a_fleet_that_does_not_run_changes_nothing(tmp_path: Path) -> None:
    variables = surroundings(tmp_path, IN_PROCESS)
    assert "The panels are stopped." in play(tmp_path / "play", variables, state="stopped")
    assert not (tmp_path / "play").exists()
