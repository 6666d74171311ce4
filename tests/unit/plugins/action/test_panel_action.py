"""The two ways of running a module: in the controller's process where that is the same, else as a module; and that it is the same."""

from __future__ import annotations

import copy
import datetime
import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.module_utils.common.parameters import PASS_VARS

from ansible_collections.hosting.panel.plugins.module_utils._http import panel_client
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation, Outcome
from ansible_collections.hosting.panel.plugins.plugin_utils._run import in_process
from ansible_collections.hosting.panel.plugins.plugin_utils._run import panel_action as action
from tests.support.memory_panel import MemoryPanel, served
from tests.support.module_process import run_modules
from tests.support.transcript import connection
from tests.support.worker import action_of, forget

KEY = "prefix01.Zm9vYmFyYmF6cXV4"
CONNECTION = {"api_url": "https://panel.example", "api_key": KEY}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Each test is a run of its own, and what the action plugin keeps for the process it runs in is forgotten at its end."""
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    yield
    forget()
    in_process.operation_of.cache_clear()


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ways that tasks took, instead of going them."""
    taken: list[str] = []

    def in_process(_self: Any) -> dict[str, Any]:
        taken.append("in process")
        return {"changed": False}

    def as_module(_self: Any, **_named: Any) -> dict[str, Any]:
        taken.append("module")
        return {"changed": False}

    monkeypatch.setattr(action.ModuleAction, "_run_in_process", in_process)
    monkeypatch.setattr(action.ModuleAction, "_execute_module", as_module)
    monkeypatch.setattr(action.ModuleAction, "_remove_tmp_path", lambda _self, _path: None)
    return taken


# The decision.


@pytest.mark.parametrize(
    ("named", "way"),
    [
        ({}, "in process"),
        ({"become": object()}, "module"),
        ({"transport": "ssh"}, "module"),
        ({"async_val": 60}, "module"),
        ({"environment": [{"PANEL_IN_PROCESS": "0"}]}, "module"),
        ({"environment": [{"OTHER": "0"}, {}, None]}, "in process"),
    ],
)
def test_it_runs_in_process_only_where_that_is_the_same(ways: list[str], named: dict[str, Any], way: str) -> None:
    action_of(dict(CONNECTION), **named).run(task_vars={})
    assert ways[-1:] == [way]


def test_without_requests_on_the_controller_and_where_the_environment_says_so_a_module_runs(
    ways: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = action_of(dict(CONNECTION))
    plugin._task.become = True
    plugin.run(task_vars={})
    with monkeypatch.context() as patch:
        patch.setattr(panel_client, "HAS_REQUESTS", False)
        action_of(dict(CONNECTION)).run(task_vars={})
    monkeypatch.setenv("PANEL_IN_PROCESS", "0")
    action_of(dict(CONNECTION)).run(task_vars={})
    assert ways == ["module"] * 3


def test_async_is_wrapped_where_the_connection_does_not_do_it_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped: list[bool] = []

    def as_module(_self: Any, task_vars: Any, wrap_async: bool) -> dict[str, Any]:
        wrapped.append(wrap_async)
        return {"started": 1}

    removed: list[str] = []
    monkeypatch.setattr(action.ModuleAction, "_execute_module", as_module)
    monkeypatch.setattr(action.ModuleAction, "_remove_tmp_path", lambda _self, path: removed.append(path))
    monkeypatch.setattr(action.ModuleAction, "_run_in_process", lambda _self: {"changed": False})
    assert action_of(dict(CONNECTION), async_val=60).run(task_vars={})["started"] == 1
    # The folder is the running module's own until it ends.
    assert (wrapped, removed) == ([True], [])
    action_of(dict(CONNECTION), transport="ssh").run(task_vars={})
    assert (wrapped, removed) == ([True, False], ["/nowhere"])


# The environment.


def operation(run: Any) -> Operation:
    return Operation({"name": {"type": "str"}, "body": {"type": "dict"}}, run)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options and variables that an operation in process gets to see."""
    found: list[dict[str, Any]] = []

    def run(params: Any, task: Any) -> Outcome:
        found.append({"params": dict(params), "environment": dict(os.environ), "check_mode": task.check_mode})
        if params["name"] == "fails":
            raise KeyError("name")
        return Outcome(True, {"thing": 1}, before={"a": 1}, after={"a": 2})

    module = SimpleNamespace(OPERATION=operation(run))
    monkeypatch.setattr(in_process.importlib, "import_module", lambda _name: module)
    return found


@pytest.mark.parametrize("name", ["works", "fails"])
def test_the_tasks_environment_holds_for_the_task_only(
    seen: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("KEPT", "before")
    monkeypatch.setenv("PANEL_TIMEOUT", "7")
    before = dict(os.environ)
    variables = [{"PANEL_API_URL": "panel.example", "PANEL_API_KEY": KEY}, {"KEPT": "inside", "NUMBER": 5}]
    action_of({"name": name}, environment=variables).run(task_vars={})
    assert dict(os.environ) == before
    inside = seen[0]["environment"]
    assert (inside["KEPT"], inside["NUMBER"]) == ("inside", "5")
    assert (seen[0]["params"]["api_url"], seen[0]["params"]["timeout"]) == ("panel.example", 7)


# In process.


def test_options_arrive_as_plain_values_as_they_do_in_a_module(seen: list[dict[str, Any]]) -> None:
    class Tagged(str):
        """What ansible-core 2.19 makes of every text."""

    body = {"day": datetime.date(2026, 12, 31), "text": Tagged("x"), 7: ("a", Tagged("b")), "none": None}
    args = {**CONNECTION, "name": Tagged("n"), "body": body}
    before = copy.deepcopy(args)
    action_of(args).run(task_vars={})
    params = seen[0]["params"]
    assert params["body"] == {"day": "2026-12-31", "text": "x", "7": ["a", "b"], "none": None}
    assert params["name"].__class__ is str
    assert args == before


@pytest.mark.parametrize(
    ("again", "kept"), [({}, {"emails": "1 item"}), ({"until": ["x"]}, None), ({"retries": 2}, None)]
)
def test_items_do_not_travel_back_unless_the_task_may_run_again(
    monkeypatch: pytest.MonkeyPatch, again: dict[str, Any], kept: Any
) -> None:
    monkeypatch.setattr(in_process, "run_in_process", lambda *_arguments: {"changed": False})
    given = {"emails": [{"email": "info@acme.example", "password": "s3cret-s3cret"}]}
    action = action_of({**CONNECTION, "resources": given}, "hosting.panel.panel_resources", **again)
    action.run(task_vars={})
    assert action._task.args["resources"] == (kept or given)


# What is kept for the items of a loop.


def test_the_items_of_a_loop_share_a_client_and_no_other_task_and_no_process_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = in_process._kept_client(connection())
    used = kept.patience
    assert isinstance(kept, PanelClient)
    assert in_process._kept_client(connection()) is kept
    assert kept.patience is not used
    assert in_process._kept_client(connection(timeout=5)) is not kept
    monkeypatch.setattr(in_process.os, "getpid", lambda: -1)
    assert in_process._kept_client(connection()) is not kept


def test_in_process_a_refused_key_is_not_sent_again_by_the_same_loop() -> None:
    with served({KEY: MemoryPanel()}) as url:
        args = {"api_url": url, "api_key": "prefix01.wrong-key", "retry_time": 0}
        results = [action_of({**args, "username": name}).run(task_vars={}) for name in ("a", "b")]
        good = action_of({"api_url": url, "api_key": KEY, "username": "a", "state": "absent"}).run(task_vars={})
    # Nobody listens any more: the second answer came from memory, and so does a third.
    results.append(action_of({**args, "username": "c"}).run(task_vars={}))
    assert [(result["error"]["type"], result["error"]["status"]) for result in results] == [("Denied", 401)] * 3
    assert good["changed"] is False


# Both ways, compared. The options come with an api_url, an api_key and a panel of their own.

ACME = {"id": 7, "username": "acme", "email": "it@acme.example", "notes": "old", "status": 1, "password_hash": "$6$old"}
SECRET = 'hunter2"hü\\nter/2+'
CASES: dict[str, dict[str, Any]] = {
    "creates": {"username": "new", "email": "IT@Müller.example", "contact_data": {"city": "Köln"}},
    "changes": {"username": "acme", "notes": "new", "contact_data": {}},
    "changes nothing": {"username": "acme", "notes": "old"},
    "predicts": {"username": "acme", "notes": "new", "_ansible_check_mode": True, "_ansible_diff": True},
    "deletes": {"username": "acme", "state": "absent", "_ansible_diff": True},
    "renews the password": {"username": "acme", "regenerate_password": True},
    "sets the password": {"username": "acme", "password": SECRET, "update_password": "always", "_ansible_diff": True},
    "sends both hashes": {
        "username": "acme",
        "password_hash": "$6$a",
        "password_hash_os": "$6$b",
        "update_password": "always",
        "_ansible_diff": True,
    },
    "has extra": {"username": "acme", "extra": {"api_token": SECRET, "colour": "blue", "deep": {"password": "x"}}},
    "takes texts for other types": {"id": "7", "is_suspended": "yes", "timeout": "5", "extra": '{"colour": "blue"}'},
    "knows no such plan": {"username": "acme", "hosting_plan": "none"},
    "has a wrong value": {"username": "acme", "email": "nobody"},
    "has an empty password": {"username": "acme", "password": ""},
    "has an unknown option": {"usename": "acme", "username": "acme"},
    "has a password and a hash": {"username": "acme", "password": SECRET, "password_hash": SECRET},
    "has a text for a dictionary": {"username": "acme", "contact_data": "Köln"},
    "has a wrong address": {"username": "acme", "api_url": "http://admin:pass@panel.example"},
    "has no key": {"username": "acme", "api_key": ""},
    "is denied": {"username": "acme", "api_key": "prefix01.wrong-key"},
}


def panel_of_a_case() -> MemoryPanel:
    return MemoryPanel({"/clients": [ACME], "/hosting-plans": []})


@pytest.fixture(scope="module")
def both_ways() -> dict[str, tuple[dict[str, Any], dict[str, Any], Any, Any]]:
    """By case: the result in process, the result of the module, and the requests of each."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("PANEL_"):
                patch.delenv(name)
        # Where secrets are hidden has to be seen, also on the cores that do not show it by default.
        patch.setenv("ANSIBLE_INJECT_INVOCATION", "true")
        keys = {name: (f"prefix01.in-process-{n}", f"prefix01.as-a-module-{n}") for n, name in enumerate(CASES)}
        panels = {key: panel_of_a_case() for pair in keys.values() for key in pair}
        with served(panels) as url:
            given = {
                name: [{"api_url": url, "api_key": key, **options} for key in keys[name]]
                for name, options in CASES.items()
            }
            in_process = {name: _result_in_process(pair[0]) for name, pair in given.items()}
            names: dict[str, Any] = {"_ansible_module_name": "hosting.panel.panel_client"}
            if "inject_invocation" in PASS_VARS:
                names["_ansible_inject_invocation"] = True
            printed = run_modules(("panel_client", {**pair[1], **names}) for pair in given.values())
        return {
            name: (in_process[name], printed[number], panels[keys[name][0]].calls, panels[keys[name][1]].calls)
            for number, name in enumerate(CASES)
        }


def _result_in_process(options: dict[str, Any]) -> dict[str, Any]:
    args = {name: value for name, value in options.items() if not name.startswith("_ansible")}
    plugin = action_of(
        args, check_mode=options.get("_ansible_check_mode", False), diff=options.get("_ansible_diff", False)
    )
    # As the result goes from the worker to the controller.
    result: dict[str, Any] = json.loads(json.dumps(plugin.run(task_vars={})))
    return result


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """A result with warnings as texts, as Ansible shows them, and without a list whose order Ansible leaves to chance."""
    shown = dict(result)
    if "warnings" in shown:
        shown["warnings"] = [one if isinstance(one, str) else one["event"]["msg"] for one in shown["warnings"]]
    if "msg" in shown:
        shown["msg"] = shown["msg"].partition("Valid booleans include")[0]
    return shown


# All cases in each test: ansible-test gives every test a process of its own, which would run all of them for one.
def test_both_ways_send_the_same_and_say_the_same(both_ways: Any) -> None:
    in_process = {case: (calls, comparable(result)) for case, (result, _result, calls, _calls) in both_ways.items()}
    as_module = {case: (calls, comparable(result)) for case, (_result, result, _calls, calls) in both_ways.items()}
    assert in_process == as_module
    texts = {case: str(results[:2]) for case, results in both_ways.items()}
    assert [case for case, text in texts.items() if "Traceback" in text or "Defect" in text] == []


def test_neither_way_shows_a_secret(both_ways: Any) -> None:
    texts = {case: json.dumps(results[:2], ensure_ascii=False) for case, results in both_ways.items()}
    secrets = ("prefix01.", "hunter2", "$6$", "admin:pass")
    assert [(case, secret) for case, text in texts.items() for secret in secrets if secret in text] == []


def test_the_cases_do_what_they_say(both_ways: Any) -> None:
    results = {name: pair[0] for name, pair in both_ways.items()}
    assert {name for name, result in results.items() if result.get("failed")} == {
        name for name in CASES if name.startswith(("has ", "is denied", "knows no")) and name != "has extra"
    }
    assert results["creates"]["generated_password"]
    assert results["renews the password"]["generated_password"]
    assert not results["changes nothing"]["changed"]
    writes = {name: [call for call in pair[2] if call[0] != "GET"] for name, pair in both_ways.items()}
    assert writes["changes"] == [("PUT", "/clients/7", {"notes": "new"})]
    assert writes["predicts"] == writes["changes nothing"] == []


@pytest.mark.parametrize(("shows", "shown"), [(True, {"invocation"}), (False, set())])
def test_the_invocation_is_shown_where_ansible_shows_it(
    seen: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, shows: bool, shown: set[str]
) -> None:
    monkeypatch.setattr(action, "_shows_invocation", lambda _task_vars: shows)
    assert set(action_of({**CONNECTION, "name": "n"}).run(task_vars={})) == {"changed", "thing", *shown}


@pytest.mark.parametrize("name", ["hosting.panel.panel_client", "panel_client"])
def test_a_module_is_named_as_the_task_names_it(name: str) -> None:
    options = {**CONNECTION, "usename": "acme", "username": "acme"}
    in_process = action_of(options, module=name).run(task_vars={})["msg"]
    as_module = run_modules([("panel_client", {**options, "_ansible_module_name": name})])[0]["msg"]
    assert in_process == as_module
    assert in_process.startswith(f"Unsupported parameters for ({name}) module: usename. Supported ")


def test_the_systems_log_gets_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible.module_utils import basic

    from ansible_collections.hosting.panel.plugins.module_utils._task import module

    options = {**CONNECTION, "name": "n", "body": {"api_token": SECRET, "deep": {"password": SECRET}}}
    logged: list[str] = []
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": options}).encode())
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    monkeypatch.setattr(module._Module, "log", lambda _self, msg, log_args=None: logged.append(f"{msg}{log_args}"))
    with pytest.raises(SystemExit):
        module.run_as_module(operation(lambda _params, _task: Outcome(False, {})))
    assert len(logged) == 1
    assert logged[0].startswith("Invoked with ")
    assert "name=n" in logged[0]
    assert "hunter2" not in logged[0]
    assert KEY not in logged[0]


def test_progress_shows_a_nasty_name_without_obeying_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(action.display, "display", said.append)
    action_of({}).say("1 of 2: acme:x\n\x1b[2J")
    assert said == [r"hosting.panel.panel_client: 1 of 2: acme:x\n\x1b[2J"]


# What goes with a client


SEED = {
    "clients": [{"username": "acme"}, {"username": "other"}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "other.example", "client": "other"}],
    "emails": [{"email": "b@acme.example"}, {"email": "a@acme.example"}, {"email": "a@other.example"}],
    "scheduled_tasks": [{"client": "acme", "description": "Backup", "type": "exec", "command": "/bin/true"}],
}


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_deletion_names_what_goes_with_the_client_by_kind_and_without_zones(in_memory: Any, check_mode: bool) -> None:
    panel = in_memory(SEED)
    done = panel.run("panel_client", check_mode=check_mode, diff=True, username="acme", state="absent")
    assert done["removed"] == {
        "domains": ["acme.example"],
        "emails": ["a@acme.example", "b@acme.example"],
        "scheduled_tasks": ["acme:Backup"],
    }
    assert done["diff"]["before"]["removed"] == done["removed"]
    assert (done["client"], panel.writes) == (None, [] if check_mode else ["DELETE /clients/2"])


def test_with_a_client_that_is_not_there_nothing_goes_and_no_other_state_says_so(in_memory: Any) -> None:
    panel = in_memory(SEED)
    gone = panel.run("panel_client", diff=True, username="nobody", state="absent")
    assert (gone["changed"], gone["removed"], "removed" in gone["diff"]["before"]) == (False, {}, False)
    assert "removed" not in panel.run("panel_client", username="acme", notes="x")
