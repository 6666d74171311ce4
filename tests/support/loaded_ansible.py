# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's commands in children of a process that has loaded Ansible and the collection once: a start costs a tenth of a new process's.

A command has a process, an environment, a folder and an output of its own, and Ansible reads its settings anew. What Python itself reads at
its start, a settings file with something in it and a terminal need a process from the beginning: see ``loaded_for``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tools.layout import LINK
from tools.steps import PLUGINS

CALLBACKS = Path(__file__).resolve().parent / "callback_plugins"
OF_LOADING = {"ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS), "ANSIBLE_COLLECTIONS_PATH": str(LINK)}
"""The variables that say where Ansible looks for plugins, with what it is loaded with."""
_LOADED: list[LoadedAnsible] = []


class LoadedAnsible:
    """The process that has loaded Ansible, which ends with the one that made this."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """environment: what Ansible is loaded with."""
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.loaded_ansible", str(theirs.fileno())],
                cwd=Path(__file__).resolve().parents[2],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def run(
        self, command: str, words: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``ansible-<command>`` and returns its code and output, both streams in one."""
        with self.start(command, words, folder, environment) as started:
            try:
                code = started.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                raise
            return subprocess.CompletedProcess([command, *words], code, started.text())

    def start(self, command: str, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Started:
        """Starts ``ansible-<command>`` in a process group of its own, as a shell does."""
        ours, theirs = socket.socketpair()
        output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the command
        with theirs, self._lock:
            socket.send_fds(self._socket, [b"."], [theirs.fileno(), output.fileno()])
        ours.sendall(json.dumps([command, [*words], str(folder), dict(environment)]).encode() + b"\n")
        return Started(ours, output)

    def stop(self) -> None:
        """Ends it."""
        self._socket.close()
        self._process.wait(10)


class Started:
    """A running command, with as much of ``subprocess.Popen`` as its users need."""

    def __init__(self, its_keeper: socket.socket, output: IO[bytes]) -> None:
        self._keeper, self._output = its_keeper, output
        self._code: int | None = None
        self.pid = self._number()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._keeper.close()
        self._output.close()

    def poll(self) -> int | None:
        """Its code, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, seconds: float) -> int:
        """Its code, as soon as it has ended."""
        if self._code is None:
            if not select.select([self._keeper], [], [], seconds)[0]:
                raise subprocess.TimeoutExpired("ansible", seconds)
            self._code = self._number()
            self._keeper.close()
        return self._code

    def text(self) -> str:
        """What it has printed."""
        self._output.seek(0)
        return self._output.read().decode("utf-8", "replace")

    def _number(self) -> int:
        digits = b""
        while not digits.endswith(b"\n"):
            digits += self._keeper.recv(1)
        return int(digits)


def loaded_for(environment: Mapping[str, str]) -> LoadedAnsible | None:
    """The one process that has loaded Ansible, unless a command with these variables would do something else there."""
    settings = Path(environment.get("ANSIBLE_CONFIG", os.devnull))
    paths = {name: value for name, value in environment.items() if name in OF_LOADING}
    is_usual = {**OF_LOADING, **paths} == OF_LOADING and not any(name.startswith("PYTHON") for name in environment)
    if not is_usual or settings.stat().st_size:
        return None
    if not _LOADED:
        # What it makes for itself outlives the folder of the first test.
        _LOADED.append(LoadedAnsible({**environment, **OF_LOADING, "ANSIBLE_LOCAL_TEMP": tempfile.gettempdir()}))
        atexit.register(_LOADED[0].stop)
    return _LOADED[0]


def _serve(control: socket.socket) -> None:
    """Forks for every command until the other side is closed."""
    while True:
        message, handles, _flags, _address = socket.recv_fds(control, 1, 2)
        if not message:
            break
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not os.fork():
            control.close()
            _keep(socket.socket(fileno=handles[0]), handles[1])
        for handle in handles:
            os.close(handle)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _keep(caller: socket.socket, output: int) -> None:
    """Runs one command in a child of this one, and says how it ended."""
    with caller.makefile("r", encoding="utf-8") as lines:
        command, words, folder, environment = json.loads(lines.readline())
    child = os.fork()
    if not child:
        caller.close()
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        _become(command, words, folder, environment)
    caller.sendall(b"%d\n" % child)
    _child, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        caller.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(command: str, words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Becomes the command, and never returns: the exception that ends it goes to the top of the interpreter."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [f"ansible-{command}", *words]
    tempfile.tempdir = None
    _read_settings()
    importlib.import_module(f"ansible.cli.{command}").main([command, *words])
    sys.exit(0)


def _read_settings() -> None:
    """Gives Ansible the settings of this process's environment, among them a folder for temporary files."""
    constants, manager = (importlib.import_module(f"ansible.{name}") for name in ("constants", "config.manager"))
    atexit.unregister(manager.cleanup_tmp_file)
    for name in constants.config.get_configuration_definitions():
        constants.set_constant(name, constants.config.get_config_value(name, variables=vars(constants)))


def _load() -> None:
    """Loads what most commands use."""
    for name in ("ansible.cli.inventory", "ansible.cli.playbook", "ansible.cli.vault", "requests"):
        importlib.import_module(name)
    loader = importlib.import_module("ansible.plugins.loader")
    loader.init_plugin_loader()
    # A command would warn that this has been done.
    vars(sys.modules["ansible.cli"])["init_plugin_loader"] = lambda *_paths: None
    data = importlib.import_module("ansible.parsing.dataloader").DataLoader()
    importlib.import_module("ansible.inventory.manager").InventoryManager(loader=data, sources=["localhost,"])
    for kind in ("action", "become", "callback", "connection", "filter", "shell", "strategy", "test", "vars"):
        list(vars(loader)[f"{kind}_loader"].all(class_only=True))
    package = importlib.import_module(PLUGINS)
    for module in pkgutil.walk_packages(package.__path__, f"{PLUGINS}."):
        importlib.import_module(module.name)


if __name__ == "__main__":
    _load()
    gc.collect()
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
