"""Runs tasks as a worker of Ansible does, with the action plugin of all modules, and without an ``ansible-playbook`` around them.

In process the plugin does the work in the test's own process; as a module it starts the module's file, in a process that is forked from
one that is ready for it. What Ansible itself adds (templates, loops, callbacks, the way of a module to its process) is for playbooks.
"""

from __future__ import annotations

import contextlib
import functools
import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants

from ansible_collections.hosting.panel.plugins.action.panel import ActionModule
from ansible_collections.hosting.panel.plugins.plugin_utils._run import in_process
from tests.support.module_process import ModuleServer
from tests.support.playbook import MODULE, Recording, Run, defaults
from tests.support.simulator import Simulator
from tests.support.transcript import SimulatedTime

_PREFIX = "hosting.panel."
# How many seconds of a task's waiting pass in one, in process.
HASTE = 20


class FakeTask(SimpleNamespace):
    """A task of a playbook."""

    def copy(self) -> FakeTask:
        return FakeTask(**vars(self))


def action_of(
    args: dict[str, Any],
    module: str = "hosting.panel.panel_client",
    transport: str = "local",
    become: Any = None,
    environment: Any = None,
    plugin: type[ActionModule] = ActionModule,
    **task: Any,
) -> ActionModule:
    """The action plugin as Ansible makes it for a task."""
    fields = {"async_val": 0, "become": False, "check_mode": False, "delegate_to": None, "diff": False, **task}
    shell = SimpleNamespace(tmpdir="/nowhere", env_prefix=lambda **_variables: "")
    fake_connection = SimpleNamespace(
        transport=transport, become=become, has_native_async=False, _shell=shell, set_option=lambda _name, _value: None
    )
    return plugin(
        task=FakeTask(args=args, action=module, environment=environment, **fields),
        connection=fake_connection,
        play_context=SimpleNamespace(),
        loader=None,
        templar=SimpleNamespace(template=lambda value: value),
        shared_loader_obj=None,
    )


class Worker:
    """Runs one task after the other against a simulator; ``folder`` is that of the run, which knows what keys were refused."""

    def __init__(self, simulator: Simulator, folder: Path, way: str, modules: ModuleServer | None = None) -> None:
        self._simulator, self._folder, self._way, self._modules = simulator, folder, way, modules

    def run(self, task: Mapping[str, Any]) -> Recording:
        """What a task as ``task`` of playbook.py makes it does, with what it tells the simulator before and after."""
        hooks = (task.get("vars") or {}).get("simulator") or {}
        for request in hooks.get("before", ()):
            self._simulator.control(*request)
            if request[1] == "/reset":
                shutil.rmtree(self._folder / "hosting.panel", ignore_errors=True)
        # Every task has a worker of its own.
        forget()
        module = next(name for name in task if name.startswith(_PREFIX))
        first, begin = self._simulator.last_number(), time.monotonic()
        result = self._result(module, {**defaults(self._simulator), **task[module]}, task)
        seconds = time.monotonic() - begin
        outcome = "failed" if result.get("failed") else "skipped" if result.get("skipped") else "ok"
        requests = self._simulator.log(first)
        observed = [self._simulator.control(*request) for request in hooks.get("after", ())]
        return Recording(str(task["name"]), outcome, result, requests, observed, seconds)

    def _result(self, module: str, options: dict[str, Any], task: Mapping[str, Any]) -> dict[str, Any]:
        fields = {"check_mode": bool(task.get("check_mode")), "diff": bool(task.get("diff"))}
        environment = [{"PANEL_IN_PROCESS": "0" if self._way == MODULE else "1"}, dict(task.get("environment") or {})]
        plugin = functools.partial(_Forking, self._modules) if self._way == MODULE else ActionModule
        action = action_of(options, module, environment=environment, plugin=plugin, **fields)  # type: ignore[arg-type]
        # As the result goes from the worker to the controller.
        result: dict[str, Any] = json.loads(json.dumps(action.run(task_vars={})))
        return result


class _Forking(ActionModule):
    """Starts modules in another way than Ansible, which makes an archive of each."""

    def __init__(self, modules: ModuleServer, **fields: Any) -> None:
        super().__init__(**fields)
        self._modules = modules

    def _execute_module(self, module_args: Any = None, **_named: Any) -> dict[str, Any]:
        name = str(self._task.action)
        told = {"check_mode": self._task.check_mode, "diff": self._task.diff, "module_name": name}
        args = {**(module_args or self._task.args), **{f"_ansible_{one}": value for one, value in told.items()}}
        return self._modules.run(name.removeprefix(_PREFIX), args)

    def _remove_tmp_path(self, _path: str, force: bool = False) -> None:
        """There is none."""


@contextlib.contextmanager
def working(simulator: Simulator, folder: Path, way: str) -> Iterator[Worker]:
    """A worker for the tasks of one run."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        folder.mkdir(parents=True, exist_ok=True)
        patch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
        patch.setattr(in_process, "Patience", lambda retry_time: _Hasty().patience(retry_time))
        modules = stack.enter_context(ModuleServer()) if way == MODULE else None
        stack.callback(forget)
        yield Worker(simulator, folder, way, modules)


def work(tasks: Iterable[Mapping[str, Any]], simulator: Simulator, folder: Path, way: str) -> Run:
    """The same as ``play`` for tasks that need nothing of Ansible itself; nothing is printed."""
    with working(simulator, folder, way) as worker:
        return Run(0, "", [worker.run(task) for task in tasks], folder)


class _Hasty(SimulatedTime):
    """Goes on when somebody sleeps, which is over in a fraction of the time."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        time.sleep(seconds / HASTE)


def forget() -> None:
    """Takes from this process what the action plugin keeps in it for the items of a loop."""
    for client in in_process._clients.values():
        client.close()
    in_process._clients.clear()
