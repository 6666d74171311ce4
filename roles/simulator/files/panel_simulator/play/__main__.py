# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m panel_simulator.play: the fleet in the foreground, until Ctrl-C."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import yaml

from panel_simulator.play.written import environment_text, greeting, inventory_text, written_names
from panel_simulator.state import write_atomically

FLEET = Path(__file__).with_name("fleet.yml")
PORTS = (18101, 18102, 18103)
SECONDS_TO_START = 30.0
SECONDS_TO_END = 10.0
LOCK = ".running"


class CannotPlay(Exception):
    """The fleet cannot go on; the message says why."""


class Ended(Exception):
    """Somebody asked for the end."""


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; exits with a message when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m panel_simulator.play",
        description="Simulated panels with invented customers, until Ctrl-C. The guides can be followed on them word by word.",
    )
    parser.add_argument(
        "--directory", type=Path, default=Path.home() / "panel-play", help="folder for keys and inventory (%(default)s)"
    )
    parser.add_argument(
        "--ports",
        type=int,
        nargs=len(PORTS),
        default=PORTS,
        metavar="PORT",
        help="of the panels; 0: a free one (%(default)s)",
    )
    parser.add_argument(
        "--commands",
        type=Path,
        default=Path(sys.executable).parent,
        help="folder with Ansible's commands, which the terminal finds then (%(default)s)",
    )
    return parser.parse_args(arguments)


class Fleet:
    """The running panels, and what tells others about them. A context manager; everything of it ends with it."""

    def __init__(self, directory: Path, commands: Path, ports: Sequence[int]) -> None:
        """Take where its files go, where Ansible's commands are, and the ports of the panels."""
        self.directory = directory.absolute()
        self._commands, self._ports = commands, ports
        self._fleet: dict[str, Any] = yaml.safe_load(FLEET.read_text(encoding="utf-8"))
        self._panels: dict[str, subprocess.Popen[bytes]] = {}
        self._lock: int | None = None

    def __enter__(self) -> Fleet:
        """Start all of them; raise CannotPlay."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._refuse_to_lose()
        self._lock = os.open(self.directory / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise CannotPlay(f"A fleet is running already, with its files in {self.directory}.") from None
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        """End all of them."""
        self.stop()

    def _refuse_to_lose(self) -> None:
        """What is there already is a fleet's only beside its lock, which one that was killed leaves too."""
        if not (self.directory / LOCK).exists():
            there = [name for name in written_names(self._fleet) if (self.directory / name).exists()]
            if there:
                raise CannotPlay(
                    f"{self.directory} has {', '.join(there)} already, which a fleet would write over and remove. Nothing was started. "
                    "Name another folder with --directory, or move that away."
                )

    def _start(self) -> None:
        keys = self.directory / "keys"
        keys.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="panel-play-") as scratch:
            port_files = {name: Path(scratch, f"{name}.port") for name in self._fleet}
            for port, name in zip(self._ports, self._fleet, strict=True):
                _check_free(port, name)
            for port, (name, panel) in zip(self._ports, self._fleet.items(), strict=True):
                _write_for_owner(keys / name, f"{secrets.token_urlsafe(24)}\n")
                seed = Path(scratch, f"{name}.json")
                seed.write_text(json.dumps(panel["seed"]), encoding="utf-8")
                words = ["--port", str(port), "--port-file", str(port_files[name]), "--seed", str(seed)]
                words += ["--api-key-file", str(keys / name), "--settings", json.dumps(panel.get("settings", {}))]
                words += ["--parent", str(os.getpid())]
                self._panels[name] = subprocess.Popen(
                    [sys.executable, "-m", "panel_simulator", *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    # A terminal's Ctrl-C goes to a whole group, and one panel needs no second signal while it ends.
                    start_new_session=True,
                )
            deadline = time.monotonic() + SECONDS_TO_START
            while missing := [name for name, file in port_files.items() if not file.exists()]:
                self._check()
                if time.monotonic() > deadline:
                    raise CannotPlay(f"{missing[0]} did not start within {SECONDS_TO_START:.0f} seconds.")
                time.sleep(0.05)
            addresses = {name: f"http://127.0.0.1:{file.read_text().strip()}" for name, file in port_files.items()}
        _write_for_owner(self.directory / "hosts.yml", inventory_text(self.directory, addresses))
        collections = _collections()
        text = environment_text(self.directory, addresses, self._commands, collections)
        _write_for_owner(self.directory / "environment", text)
        clients = {name: [one["username"] for one in panel["seed"]["clients"]] for name, panel in self._fleet.items()}
        brings_ansible = collections is not None and (self._commands / "ansible-playbook").exists()
        print(greeting(self.directory, addresses, clients, brings_ansible, tuple(self._ports) == PORTS), flush=True)

    def _check(self) -> None:
        for name, process in self._panels.items():
            if process.poll() is not None:
                raise CannotPlay(f"The panel {name} has ended by itself. All others are stopped.")

    def wait(self) -> None:
        """Wait for an exception; raise CannotPlay when a panel ends."""
        while True:
            self._check()
            time.sleep(0.2)

    def stop(self) -> None:
        """End the panels and remove what was written for them; what else is in the folder stays."""
        for process in self._panels.values():
            if process.poll() is None:
                process.terminate()
        for process in self._panels.values():
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for name in [*written_names(self._fleet), LOCK]:
            (self.directory / name).unlink(missing_ok=True)
        for folder in (self.directory / "keys", self.directory):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _check_free(port: int, name: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CannotPlay(
                f"The panel {name} cannot listen on port {port} ({error.strerror}), perhaps since another fleet is running. "
                "End what does, or have other ports: --ports 18201 18202 18203."
            ) from None


def _write_for_owner(path: Path, text: str) -> None:
    write_atomically(path, text)
    path.chmod(0o600)


def _collections() -> Path | None:
    """The folder in which Ansible finds the collection that this program is part of, if it is installed as one."""
    places = Path(__file__).absolute().parents
    return next((place.parent for place in places if place.name == "ansible_collections"), None)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise Ended


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 after Ctrl-C, 1 when the fleet could not start or a panel ended."""
    options = parse_arguments(arguments)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        signal.signal(number, _end)
    fleet = Fleet(options.directory, options.commands, options.ports)
    try:
        with fleet:
            try:
                fleet.wait()
            finally:
                # A second Ctrl-C must not leave half of it behind.
                for number in signals:
                    signal.signal(number, signal.SIG_IGN)
    except Ended:
        left = f" What you have made in {fleet.directory} is still there." if fleet.directory.exists() else ""
        print(f"\nThe panels are stopped.{left}", flush=True)
        return 0
    except (CannotPlay, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
