"""Runs playbooks with a real ``ansible-playbook`` against a simulator and returns what every task
did.

A task is a dictionary as in YAML. Many behaviours go into one playbook, because starting Ansible
costs more than forty tasks; each becomes a test of its own afterwards, which looks at its
recording.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support.loaded_ansible import CALLBACKS, find_loaded_ansible
from tests.support.simulator import Simulator
from tools.layout import link_collection
from tools.processes import MARK

IN_PROCESS = "in process"
MODULE = "module"
BECOME = "module of become"
WAYS = (IN_PROCESS, MODULE)
GROUP = "group/hosting.panel.panel"
# For long playbooks: loading the collection is more than half of what a task costs in process.
PRELOADED = {"PANEL_TEST_PRELOAD": "1"}
WRITES = ("POST", "PUT", "DELETE")
TIME_LIMIT = 1800


@dataclass(frozen=True)
class Recording:
    """What one task did.

    ``outcome``: ok, failed, skipped, unreachable or unprepared; ``requests``: as the simulator
    logged them.

    seconds: from its start to its result, with the time that Ansible itself takes.
    """

    name: str
    outcome: str
    result: dict[str, Any]
    requests: list[dict[str, Any]]
    observed: list[Any] = field(default_factory=list)
    seconds: float = 0.0
    host: str = ""

    @property
    def changed(self) -> bool:
        """Return whether the task changed something."""
        return bool(self.result.get("changed"))

    @property
    def msg(self) -> str:
        """Return the message of the task."""
        return str(self.result.get("msg", ""))

    @property
    def writes(self) -> list[dict[str, Any]]:
        """Return the requests of the task that write."""
        return [request for request in self.requests if request["method"] in WRITES]

    @property
    def calls(self) -> list[str]:
        """Return method and path of every request, in their order."""
        return [f"{request['method']} {request['path']}" for request in self.requests]


@dataclass(frozen=True)
class Run:
    """One run of ``ansible-playbook``. ``text`` is all that it printed."""

    code: int
    text: str
    recordings: list[Recording]
    folder: Path

    def __getitem__(self, name: str) -> Recording:
        for recording in self.recordings:
            if recording.name == name:
                return recording
        raise KeyError(
            f"No task named {name!r} was recorded. ansible-playbook ended with {self.code}:\n{self.text[-3000:]}"
        )


def play(
    tasks: Iterable[Mapping[str, Any]],
    simulator: Simulator | None,
    folder: Path,
    way: str = IN_PROCESS,
    arguments: Iterable[str] = (),
    variables: Mapping[str, str] | None = None,
    keywords: Mapping[str, Any] | None = None,
    interpreter: str = sys.executable,
    hosts: Mapping[str, Any] | None = None,
) -> Run:
    """Run a play with these tasks on localhost; a task that fails does not end it.

    arguments: more words on the command line. variables: more environment variables. keywords:
    keywords of the play that replace the usual ones; the usual ``module_defaults`` lead to the
    simulator. hosts: more hosts of the inventory. interpreter: the Python of modules.
    """
    usual: dict[str, Any] = {
        "name": "Behaviours",
        "hosts": "localhost",
        "gather_facts": False,
        "ignore_errors": True,
        "module_defaults": {GROUP: make_connection_options(simulator)} if simulator else {},
    }
    folder.mkdir(parents=True, exist_ok=True)
    playbook = folder / "playbook.yml"
    plays = [{**usual, **(keywords or {}), "tasks": list(tasks)}]
    playbook.write_text(write_yaml(plays), encoding="utf-8")

    return run_playbook(playbook, simulator, folder, way, arguments, variables, interpreter, hosts)


def write_yaml(plays: list[dict[str, Any]]) -> str:
    """Return the text of a playbook."""
    try:
        # JSON is YAML, and Ansible reads it faster.
        return json.dumps(plays, indent=1, allow_nan=False)
    except ValueError:
        # But an infinite number of JSON is a text in YAML.
        return yaml.safe_dump(plays, sort_keys=False)


def run_playbook(
    playbook: Path,
    simulator: Simulator | None,
    folder: Path,
    way: str = IN_PROCESS,
    arguments: Iterable[str] = (),
    variables: Mapping[str, str] | None = None,
    interpreter: str = sys.executable,
    hosts: Mapping[str, Any] | None = None,
) -> Run:
    """Run a playbook file in the same surroundings."""
    folder.mkdir(parents=True, exist_ok=True)
    recording = folder / "recording.jsonl"
    recording.unlink(missing_ok=True)
    more = {
        "ANSIBLE_STDOUT_CALLBACK": "panel_recorder",
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "PANEL_TEST_RECORDING": str(recording),
        "PANEL_TEST_SIMULATOR": simulator.url if simulator else "",
        **(variables or {}),
    }
    inventory = write_inventory(folder, interpreter, hosts)
    process = run_ansible(
        "playbook", ["-i", str(inventory), *arguments, str(playbook)], folder, way, more
    )
    lines = recording.read_text(encoding="utf-8").splitlines() if recording.exists() else []

    return Run(
        process.returncode,
        process.stdout,
        [Recording(**json.loads(line)) for line in lines],
        folder,
    )


def run_ansible(
    command: str,
    arguments: Iterable[str],
    folder: Path,
    way: str,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``ansible`` (``adhoc``) or ``ansible-playbook`` (``playbook``) of this interpreter.

    Stderr is in stdout.
    """
    environment = {**make_environment(folder, way), **(variables or {})}
    arguments = list(arguments)
    if loaded := find_loaded_ansible(environment):
        return loaded.run(command, arguments, folder, environment, TIME_LIMIT)

    return subprocess.run(
        [sys.executable, "-m", "ansible", command, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def make_environment(folder: Path, way: str) -> dict[str, str]:
    """Return all environment variables of a run.

    Nothing of the caller's settings, nothing outside of ``folder`` but temporary files.
    """
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "ansible.cfg"
    settings.touch()
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TMPDIR": tempfile.gettempdir(),
        "ANSIBLE_COLLECTIONS_PATH": str(link_collection()),
        "ANSIBLE_HOME": str(home / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(home / "local"),
        "ANSIBLE_REMOTE_TEMP": str(home / "remote"),
        "ANSIBLE_ASYNC_DIR": str(home / "async"),
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
        "ANSIBLE_NOCOLOR": "1",
        # As before ansible-core 2.21: a secret among the arguments would be seen.
        "ANSIBLE_INJECT_INVOCATION": "True",
        "ANSIBLE_CONFIG": str(settings),
    }
    if way == MODULE:
        variables["PANEL_IN_PROCESS"] = "0"

    if way == BECOME:
        # Root becomes root, which needs no password and no sudo.
        variables |= {"ANSIBLE_BECOME": "True", "ANSIBLE_BECOME_METHOD": "su"}

    if MARK in os.environ:
        # So that whoever runs the tests finds everything that they have started.
        variables[MARK] = os.environ[MARK]

    return variables


def write_inventory(
    folder: Path, interpreter: str = sys.executable, hosts: Mapping[str, Any] | None = None
) -> Path:
    """Return an inventory with localhost over a local connection."""
    localhost = {"ansible_connection": "local", "ansible_python_interpreter": interpreter}
    inventory = folder / "hosts.yml"
    inventory.write_text(
        json.dumps({"all": {"hosts": {"localhost": localhost, **(hosts or {})}}}), encoding="utf-8"
    )

    return inventory


def make_connection_options(simulator: Simulator) -> dict[str, Any]:
    """Return the connection options of a simulator."""
    return {"api_url": simulator.url, "api_key": simulator.api_key, "retry_time": 5}


def make_task(
    name: str,
    module: str,
    options: Mapping[str, Any] | None = None,
    before: Iterable[Any] = (),
    after: Iterable[Any] = (),
    **keywords: Any,
) -> dict[str, Any]:
    """Return a task of a module of the collection.

    ``before`` and ``after`` are requests to the simulator's control interface.
    """
    definition: dict[str, Any] = {
        "name": name,
        f"hosting.panel.{module}": dict(options or {}),
        "diff": True,
        **keywords,
    }
    hooks = {"before": list(before), "after": list(after)}
    if any(hooks.values()):
        definition["vars"] = {**definition.get("vars", {}), "simulator": hooks}

    return definition


@dataclass(frozen=True)
class Listing:
    """What ``ansible-inventory --list`` found.

    text: all that it printed. hosts: variables by name. groups: names of hosts by name.
    """

    code: int
    text: str
    hosts: dict[str, dict[str, Any]]
    groups: dict[str, list[str]]


def write_source(folder: Path, name: str, options: Mapping[str, Any]) -> Path:
    """Return an inventory file of the plugin; JSON is YAML."""
    path = folder / f"{name}.panel.yml"
    path.write_text(json.dumps({"plugin": "hosting.panel.panel", **options}), encoding="utf-8")
    return path


def list_hosts(
    sources: Iterable[Path],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    arguments: Iterable[str] = (),
) -> Listing:
    """List the hosts of these files together."""
    output = folder / "listing.json"
    output.unlink(missing_ok=True)
    chosen = [argument for source in sources for argument in ("-i", str(source))]
    # Otherwise Ansible tries a file that failed with its other plugins, and prints what each of
    # them says.
    more = {"ANSIBLE_INVENTORY_ENABLED": "hosting.panel.panel", **(variables or {})}
    done = run_ansible(
        "inventory",
        [*chosen, "--list", "--output", str(output), *arguments],
        folder,
        IN_PROCESS,
        more,
    )
    inventory = (
        _strip_marks(json.loads(output.read_text(encoding="utf-8")))
        if output.exists()
        else {"_meta": {"hostvars": {}}}
    )
    groups = {
        name: group.get("hosts", [])
        for name, group in inventory.items()
        if name not in ("_meta", "all")
    }

    return Listing(done.returncode, done.stdout, inventory["_meta"]["hostvars"], groups)


def _strip_marks(value: Any) -> Any:
    """Return a value without the marks of texts that are no templates."""
    if isinstance(value, dict):
        if set(value) == {"__ansible_unsafe"}:
            return value["__ansible_unsafe"]
        return {name: _strip_marks(member) for name, member in value.items()}
    return [_strip_marks(entry) for entry in value] if isinstance(value, list) else value
