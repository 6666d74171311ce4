# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module apart from how Ansible starts it."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation, Outcome, Task
from tests.support.transcript import Transcript, connection


def test_the_client_is_made_on_first_use_and_once() -> None:
    made: list[PanelClient] = []

    def connect() -> PanelClient:
        made.append(PanelClient(connection(), session=Transcript()))
        return made[-1]

    task = Task(check_mode=False, connect=connect)
    assert made == []
    assert task.client is task.client
    assert len(made) == 1


def test_warnings_are_kept_in_their_order() -> None:
    task = Task(check_mode=True, connect=lambda: pytest.fail("nothing is sent"))
    task.warn("first")
    task.warn("second")
    assert task.warnings == ["first", "second"]


def test_an_operation_takes_the_connection_options_and_its_own() -> None:
    options = {"name": {"type": "str"}}
    operation = Operation(options, lambda _params, _task: Outcome(False, {}), {"required_one_of": [["name"]]})
    arguments = operation.arguments()
    assert arguments["argument_spec"] == {**connection_argument_spec(), "name": {"type": "str"}}
    assert arguments["required_one_of"] == [["name"]]
    # Ansible writes into what it is given; the next task must not see that.
    arguments["argument_spec"]["name"]["type"] = "changed"
    arguments["argument_spec"]["api_key"]["type"] = "changed"
    assert operation.arguments()["argument_spec"]["name"]["type"] == "str"
    assert operation.arguments()["argument_spec"]["api_key"]["type"] == "str"
