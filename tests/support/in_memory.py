"""The simulator's panel in this process, and tasks of any module that run against it as functions.

    panel = InMemory({"clients": [{"username": "acme"}]})
    panel.run("panel_client", username="acme", notes="x")
    assert panel.writes == ["PUT /clients/2"]

A task goes through the action plugin of its module, as in a worker of Ansible: the durable write,
folders and archives included. Values of options are plain ones; nothing is templated.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from ansible import constants
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._http import panel_session
from tests.support.memory import Loss, MemoryPlace, Session
from tests.support.tasks import CONNECTION, forget, make_action

ACTIONS = "ansible_collections.hosting.panel.plugins.action"
# Modules that ask no panel of ours.
WITHOUT_CONNECTION = ("panel_import", "panel_lock", "panel_secrets")
VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])


class InMemory(MemoryPlace):
    """One panel; ``log`` has every request of all tasks, ``loss`` the answers that the next task
    loses."""

    def __init__(self, seed: Mapping[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(seed or {}, {"status_delay": 0.0, **settings})
        self.log: list[dict[str, Any]] = []
        self.loss: Loss | None = None
        # Other panels that a task can ask, by the addresses of their APIs.
        self.others: dict[str, InMemory] = {}

    @property
    def writes(self) -> list[str]:
        """Return method and path of every request that writes, in their order."""
        return [
            f"{request['method']} {request['path']}"
            for request in self.log
            if request["method"] != "GET"
        ]

    def run(  # type: ignore[override]  # a task of a playbook, in place of an operation
        self,
        module: str,
        /,
        *,
        check_mode: bool = False,
        diff: bool = False,
        vault: VaultLib = VAULT,
        task_vars: Mapping[str, Any] | None = None,
        task: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return the result of one task, as the controller gets it.

        task: further fields of it, such as ``async_val`` and ``transport``.
        """
        action_name = f"{ACTIONS}.{module}"
        plugin = importlib.import_module(
            action_name if importlib.util.find_spec(action_name) else f"{ACTIONS}.panel"
        ).ActionModule
        connection = {} if module in WITHOUT_CONNECTION else CONNECTION
        action = make_action(
            {**connection, **options},
            f"hosting.panel.{module}",
            plugin=plugin,
            check_mode=check_mode,
            diff=diff,
            **(task or {}),
        )
        action._loader = SimpleNamespace(
            _vault=vault,
            get_basedir=lambda: "/nowhere",
            path_dwim=lambda path: str(Path(path).absolute()),
        )

        is_asked = module not in WITHOUT_CONNECTION
        with self.as_panel() if is_asked else contextlib.nullcontext():
            done: dict[str, Any] = json.loads(
                json.dumps(action.run(task_vars=dict(task_vars or {})))
            )

        return done

    @contextlib.contextmanager
    def as_panel(self) -> Iterator[None]:
        """Yield whatever asks a panel asks this one."""
        session = Session(self.panel, self._clock, self.loss)
        self.loss = None

        try:
            with _replace_session(session, self.others):
                yield
        finally:
            self.log += session.log
            session.end()


@contextlib.contextmanager
def _replace_session(session: Session, panels: Mapping[str, InMemory]) -> Iterator[None]:
    """Let whoever makes a session get this one, with the key that it has, or that of another
    panel."""

    def make_http_session(connection: Any) -> Session:
        if connection.base_url in panels:
            panel = panels[connection.base_url]
            other_session = Session(panel.panel, panel._clock, None)
            other_session.key = connection.api_key
            return other_session
        if connection.api_key == session.key:
            return session
        copied_session = copy.copy(session)
        copied_session.key = connection.api_key

        return copied_session

    forget()
    with mock.patch.object(panel_session, "make_http_session", make_http_session):
        yield
    forget()


@contextlib.contextmanager
def make_folder_of_run(folder: Path) -> Iterator[None]:
    """Yield a folder in which the temporary files of a run of Ansible lie."""
    with mock.patch.object(constants, "DEFAULT_LOCAL_TMP", str(folder)):
        yield
