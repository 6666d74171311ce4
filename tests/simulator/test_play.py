# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet of ``make play`` is there until Ctrl-C, tells terminals about itself, and leaves nothing but what others have made."""

from __future__ import annotations

import re
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
import requests
import yaml

from tests.support.played_fleet import SECONDS, fleet_command, played_fleet

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def processes(directory: Path) -> list[str]:
    """The commands of processes with this folder in their words."""
    words = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [line for line in words if str(directory) in line]


def test_a_terminal_that_reads_the_environment_finds_the_panels_and_no_key_is_on_a_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "folder with spaces"
    with played_fleet(folder):
        script = '. "$0"; echo "$PANEL_API_URL"; echo "$PANEL_API_KEY"; echo "$ANSIBLE_INVENTORY"'
        said = subprocess.run(
            ["sh", "-ec", script, str(folder / "environment")], capture_output=True, text=True, check=True
        )
        address, key, inventory = said.stdout.splitlines()
        hosts = yaml.safe_load(Path(inventory).read_text(encoding="utf-8"))["panels"]["hosts"]
        assert list(hosts) == ["web-1", "web-2", "web-3"]
        assert hosts["web-1"] == {"panel_api_url": address}
        for name, host in hosts.items():
            own = (folder / "keys" / name).read_text(encoding="utf-8").strip()
            answer = requests.get(f"{host['panel_api_url']}/api/v2/clients", headers={"X-API-Key": own}, timeout=20)
            assert answer.status_code == 200
            assert len(answer.json()) >= 1
            assert own not in " ".join(processes(folder))
        assert key == (folder / "keys" / "web-1").read_text(encoding="utf-8").strip()
        secret = [*(folder / "keys").iterdir(), folder / "environment", folder / "hosts.yml"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in secret} == {0o600}
        assert not any(
            key in path.read_text(encoding="utf-8") for path in (folder / "environment", folder / "hosts.yml")
        )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_end_leaves_nothing_but_what_others_have_made(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "play"
    with played_fleet(folder) as command:
        (folder / "mine.yml").write_text("mine", encoding="utf-8")
        assert len(processes(folder)) == 4
        command.send_signal(number)
        said, _nothing = command.communicate(timeout=SECONDS)
        assert (command.returncode, "Traceback" in said) == (0, False)
        assert said.endswith(f"The panels are stopped. What you have made in {folder} is still there.\n")
    assert [path.name for path in folder.iterdir()] == ["mine.yml"]
    assert processes(folder) == []


def test_what_it_prints_has_the_panels_and_what_to_export(tmp_path: Path) -> None:
    with played_fleet(tmp_path / "play") as command:
        (tmp_path / "environment").write_text((tmp_path / "play" / "environment").read_text(encoding="utf-8"))
        command.send_signal(signal.SIGINT)
        said, _nothing = command.communicate(timeout=SECONDS)
    assert re.search(r"^  web-1  http://127\.0\.0\.1:\d+  clients: acme, ", said, re.MULTILINE)
    assert f"\n  . {tmp_path}/play/environment\n" in said
    for line in (tmp_path / "environment").read_text(encoding="utf-8").splitlines()[1:4]:
        assert f"\n  {line}\n" in said
    assert not (tmp_path / "play").exists()


def test_a_second_fleet_in_the_same_folder_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    with played_fleet(tmp_path):
        second = fleet_command(tmp_path)
        said, _nothing = second.communicate(timeout=SECONDS)
        assert (second.returncode, said) == (1, f"A fleet is running already, with its files in {tmp_path}.\n")
        assert (tmp_path / "environment").exists()


@pytest.mark.parametrize("name", ["hosts.yml", "environment", "keys/web-2"])
def test_a_file_of_somebody_else_is_never_written_over(tmp_path: Path, name: str) -> None:
    theirs = tmp_path / name
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("theirs", encoding="utf-8")
    command = fleet_command(tmp_path)
    said, _nothing = command.communicate(timeout=SECONDS)
    assert command.returncode == 1
    assert said.startswith(
        f"{tmp_path} has {name} already, which a fleet would write over and remove. Nothing was started."
    )
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [theirs]
    assert theirs.read_text(encoding="utf-8") == "theirs"


def test_a_panel_that_ends_by_itself_ends_the_fleet_with_a_word(tmp_path: Path) -> None:
    with played_fleet(tmp_path) as command:
        (number,) = [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if path.exists() and f"{tmp_path}/keys/web-2".encode() in path.read_bytes()
        ]
        subprocess.run(["kill", "-9", str(number)], check=True)
        said, _nothing = command.communicate(timeout=SECONDS)
        assert command.returncode == 1
        assert said.endswith("The panel web-2 has ended by itself. All others are stopped.\n")
    assert processes(tmp_path) == []


def test_panels_do_not_outlive_a_fleet_that_was_killed_and_it_can_be_started_again(tmp_path: Path) -> None:
    with played_fleet(tmp_path) as command:
        command.kill()
        command.communicate(timeout=SECONDS)
    end = time.monotonic() + SECONDS
    while processes(tmp_path):
        assert time.monotonic() < end
        time.sleep(0.1)
    (tmp_path / "environment").unlink()
    with played_fleet(tmp_path):
        assert ADDRESS.search((tmp_path / "environment").read_text(encoding="utf-8"))
