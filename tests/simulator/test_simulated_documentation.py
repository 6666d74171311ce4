# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README names everything there is."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import dns.message
import dns.query
import dns.rcode
import pytest
import yaml

from panel_simulator.__main__ import parse_arguments
from panel_simulator.control import OPERATIONS
from panel_simulator.faults import COMMON, FAULTS
from panel_simulator.settings import SETTINGS
from tests.support.simulator import FILES, Simulator

README = (FILES / "README.md").read_text(encoding="utf-8")


def test_every_setting_has_its_row_with_default_and_meaning() -> None:
    for name, setting in SETTINGS.items():
        default = "all that the panel has" if name == "languages" else f"`{json.dumps(setting.default)}`"
        assert f"| `{name}` | {default} | {setting.meaning} |\n" in README


def test_every_fault_and_its_members_are_named() -> None:
    for kind, options in FAULTS.items():
        row = next(line for line in README.splitlines() if line.startswith(f"| `{kind}` |"))
        assert all(f"`{name}`" in row for name in options)
    assert all(f"\n| `{name}` |" in README for name in COMMON)


def test_every_control_request_is_named() -> None:
    assert all(
        f"`{method} /_simulator{path}" in README or f"/_simulator{path}`, `{method}`" in README
        for method, path in OPERATIONS
    )


def test_every_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--help"])
    options = {word.strip("[],") for word in capsys.readouterr().out.split() if word.strip("[],").startswith("--")}
    assert "--api-key" in options
    assert {option for option in options if f"`{option}" not in README} == {"--help"}


# Its commands


def commands() -> list[str]:
    """Every line of a shell on the page, without what is said about it."""
    blocks = re.findall(r"(?ms)^```shell\n(.*?)^```$", README)
    return [line.partition("  #")[0].rstrip(" &") for block in blocks for line in block.splitlines()]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    one = Shell(tmp_path)
    yield one
    one.end()


class Shell:
    """Runs commands of the page in a folder, on ports that are free."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._started = folder, list[subprocess.Popen[bytes]]()
        self._instead = {str(port): str(_free_port()) for port in (5353, 8080, 8083)}
        self._environment = {**os.environ, "PYTHONPATH": str(FILES), "NO_PROXY": "127.0.0.1"}

    def words(self, command: str) -> list[str]:
        for name, other in self._instead.items():
            command = command.replace(name, other)
        first, *others = shlex.split(command)
        return [{"python": sys.executable}.get(first, first), *others]

    def do(self, command: str) -> str:
        """What a command that ends prints."""
        words = [*self.words(command), *(["-sSf"] if command.startswith("curl") else [])]
        done = subprocess.run(
            words, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, command: str) -> None:
        """A command that goes on; it listens when it has said where."""
        words = [*self.words(command), "--parent", str(os.getpid())]
        process = subprocess.Popen(words, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE)
        self._started.append(process)
        assert process.stdout is not None
        assert b"http://127.0.0.1:" in process.stdout.readline()

    def end(self) -> None:
        for process in self._started:
            process.terminate()
            process.communicate(timeout=20)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def test_every_command_of_the_page_works(shell: Shell, tmp_path: Path) -> None:
    profile = next(block for block in re.findall(r"(?ms)^```yaml\n(.*?)^```$", README) if "dates:" in block)
    (tmp_path / "profile.yml").write_text(profile, encoding="utf-8")
    printed: dict[str, str] = {}
    for command in commands():
        if command.startswith("dig "):
            assert asked_for(shell.words(command)) == dns.rcode.REFUSED  # the panel of the page has no domain
        elif command.startswith("python -m panel_simulator "):
            shell.start(command)
        else:
            printed[command] = shell.do(command)
    assert all(printed.values())
    assert (tmp_path / "tls" / "certificate.pem").is_file()


def asked_for(words: Sequence[str]) -> int:
    """What a name server answers to this command, for which dig itself need not be there."""
    _dig, server, _option, port, name, kind = words
    query = dns.message.make_query(name, kind)
    return dns.query.udp(query, server.removeprefix("@"), timeout=10, port=int(port)).rcode()


def test_the_seed_of_the_page_can_be_planted(simulator: Simulator) -> None:
    seed = next(block for block in re.findall(r"(?ms)^```yaml\n(.*?)^```$", README) if "emails:" in block)
    wanted = yaml.safe_load(seed)
    assert {kind: len(items) for kind, items in wanted.items()}.items() <= simulator.seed(wanted).items()
