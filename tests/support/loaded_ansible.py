"""Ansible's commands in children of a process that has loaded Ansible and the collection once.

A start costs a tenth of a new process's.

A command has a process, an environment, a folder and an output of its own, and Ansible reads its
settings anew. What Python itself reads at its start but the hook of the experiments, a settings
file with something in it and a terminal need a process from the beginning: see ``find_loaded_ansible``.
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
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tests.support import ansible_command
from tests.support.ansible_command import ADDRESS, ask, is_usual
from tools.layout import LINK, PLUGINS, ROOT

CALLBACKS = Path(__file__).resolve().parent / "callback_plugins"
HOOK = ROOT / "tools" / "reliability" / "hook"
"""What an experiment has Python import at its start."""
COMMANDS = ("ansible", "ansible-inventory", "ansible-playbook", "ansible-vault")
_LOADED: dict[str, LoadedAnsible] = {}
_LOADING = threading.Lock()


class LoadedAnsible:
    """The process that has loaded Ansible, which ends with the one that made this.

    commands: a folder of programs that stand for Ansible's.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """environment: what Ansible is loaded with."""
        self.environment = dict(environment)
        self._folder = tempfile.TemporaryDirectory(prefix="ansible-")
        self.commands = Path(self._folder.name)
        self._address = str(self.commands / ADDRESS)

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen(128)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.loaded_ansible", str(listener.fileno())],
                cwd=Path(__file__).resolve().parents[2],
                env=self.environment,
                stdin=subprocess.PIPE,
                pass_fds=[listener.fileno()],
            )

        (self.commands / "loaded.json").write_text(json.dumps(self.environment), encoding="utf-8")
        stand_in = shlex.join([sys.executable, "-E", "-s", "-S", ansible_command.__file__])

        for name in COMMANDS:
            program = self.commands / name
            program.write_text(f'#!/bin/sh\nexec {stand_in} "$0" "$@"\n', encoding="utf-8")
            program.chmod(0o700)

    def run(
        self,
        command: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        seconds: float,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``ansible-<command>`` and returns its code and output, both streams in one."""
        with (
            tempfile.TemporaryFile() as output,
            self.start(command, arguments, folder, environment, output) as started,
        ):
            code = started.wait(seconds)
            output.seek(0)
            return subprocess.CompletedProcess(
                [command, *arguments], code, output.read().decode("utf-8", "replace")
            )

    def start(
        self,
        command: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        output: IO[bytes] | None = None,
    ) -> Started:
        """Start ``ansible-<command>`` in a process group of its own, as a shell does.

        output: where both streams go.
        """
        with Path(os.devnull).open("r+b") as nothing:
            printed = (output or nothing).fileno()
            streams = (nothing.fileno(), printed, printed)
            return Started(
                ask(self._address, command, arguments, str(folder), environment, streams)
            )

    def stop(self) -> None:
        """End it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(10)
        self._folder.cleanup()


class Started:
    """A running command, with as much of ``subprocess.Popen`` as its users need."""

    def __init__(self, its_keeper: socket.socket) -> None:
        self._keeper = its_keeper
        self._code: int | None = None
        self.pid = self._read_number()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._keeper.close()

    def poll(self) -> int | None:
        """Return its code, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, seconds: float) -> int:
        """Return its code, as soon as it has ended."""
        if self._code is None:
            if not select.select([self._keeper], [], [], seconds)[0]:
                raise subprocess.TimeoutExpired("ansible", seconds)
            self._code = self._read_number()
            self._keeper.close()
        return self._code

    def _read_number(self) -> int:
        digits = b""
        while not digits.endswith(b"\n"):
            digits += self._keeper.recv(1)
        return int(digits)


def find_loaded_ansible(environment: Mapping[str, str]) -> LoadedAnsible | None:
    """Return the process that has loaded Ansible with these collections.

    None where a command with these variables would do something else there.
    """
    collections = environment.get("ANSIBLE_COLLECTIONS_PATH", str(LINK))
    usual = {"ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS), "ANSIBLE_COLLECTIONS_PATH": collections}

    if collections.partition(os.pathsep)[0] != str(LINK) or not is_usual(
        environment, {**usual, "PYTHONPATH": str(HOOK)}
    ):
        return None

    with _LOADING:
        if collections not in _LOADED:
            variables = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
            # What it makes for itself outlives the folder of the first test.
            _LOADED[collections] = LoadedAnsible(
                {**variables, **usual, "ANSIBLE_LOCAL_TEMP": tempfile.gettempdir()}
            )
            atexit.register(_LOADED[collections].stop)
        return _LOADED[collections]


def _serve(listener: socket.socket) -> None:
    """Fork for every command until the one who has started this has gone."""
    its_end = sys.stdin.fileno()
    while its_end not in select.select([listener.fileno(), its_end], [], [])[0]:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        caller = listener.accept()[0]
        if not os.fork():
            listener.close()
            _keep(caller)
        caller.close()

    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _keep(caller: socket.socket) -> None:
    """Run one command in a child of this one, and says how it ended."""
    streams = socket.recv_fds(caller, 1, 3)[1]
    with caller.makefile("r", encoding="utf-8") as lines:
        command, arguments, folder, environment = json.loads(lines.readline())
    child = os.fork()

    if not child:
        caller.close()
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _become(command, arguments, folder, environment)

    for stream in streams:
        os.close(stream)
    caller.sendall(b"%d\n" % child)

    if caller.fileno() in select.select([caller.fileno(), os.pidfd_open(child)], [], [])[0]:
        # Nobody waits for it any more.
        os.killpg(child, signal.SIGKILL)

    _child, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        caller.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(command: str, arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Become the command, and never return.

    The exception that ends it goes to the top of the interpreter.
    """
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [f"ansible-{command}", *arguments]
    tempfile.tempdir = None

    if "PYTHONPATH" in environment:
        sys.path.insert(0, environment["PYTHONPATH"])
        sys.modules.pop("sitecustomize", None)
        importlib.import_module("sitecustomize")

    _read_settings()
    importlib.import_module(f"ansible.cli.{command}").main([command, *arguments])
    sys.exit(0)


def _read_settings() -> None:
    """Give Ansible the settings of this process's environment.

    Among them a folder for temporary files.
    """
    constants, manager = (
        importlib.import_module(f"ansible.{name}") for name in ("constants", "config.manager")
    )
    atexit.unregister(manager.cleanup_tmp_file)

    for name in constants.config.get_configuration_definitions():
        constants.set_constant(
            name, constants.config.get_config_value(name, variables=vars(constants))
        )


def _load() -> None:
    """Load what most commands use."""
    for name in ("ansible.cli.inventory", "ansible.cli.playbook", "ansible.cli.vault", "requests"):
        importlib.import_module(name)
    loader = importlib.import_module("ansible.plugins.loader")
    loader.init_plugin_loader()
    # A command would warn that this has been done.
    vars(sys.modules["ansible.cli"])["init_plugin_loader"] = lambda *_paths: None
    data = importlib.import_module("ansible.parsing.dataloader").DataLoader()
    importlib.import_module("ansible.inventory.manager").InventoryManager(
        loader=data, sources=["localhost,"]
    )

    # Plugins of variables are left out: loaded ahead, they are never asked.
    for kind in (
        "action",
        "become",
        "callback",
        "connection",
        "filter",
        "shell",
        "strategy",
        "test",
    ):
        list(vars(loader)[f"{kind}_loader"].all(class_only=True))

    package = importlib.import_module(PLUGINS)
    for module in pkgutil.walk_packages(package.__path__, f"{PLUGINS}."):
        importlib.import_module(module.name)


if __name__ == "__main__":
    _load()
    gc.collect()
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
