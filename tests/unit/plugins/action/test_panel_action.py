"""The two ways of running a module.

In the controller's process where that is the same, else as a module; and that it is the same.
"""

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
import yaml
from ansible import constants
from ansible.errors import AnsibleConnectionFailure
from jinja2 import UndefinedError

from ansible_collections.hosting.panel.plugins.module_utils._http import request_library
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import (
    TIME_IS_OVER,
    PanelSession,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import (
    Handover,
    LocalHandover,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import (
    Operation,
    Outcome,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible import module_process
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible.plain_values import as_plain
from ansible_collections.hosting.panel.plugins.plugin_utils._run import in_process
from ansible_collections.hosting.panel.plugins.plugin_utils._run import panel_action as action
from ansible_collections.hosting.panel.plugins.plugin_utils._run.module_call import ModuleCall
from tests.support.module_process import as_ansible_reads_it, execute_module
from tests.support.tasks import forget, make_action
from tests.support.transcript import make_connection
from tools.layout import ROOT

KEY = "prefix01.Zm9vYmFyYmF6cXV4"
CONNECTION = {"api_url": "https://panel.example", "api_key": KEY}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Each test is a run of its own, and what the action plugin keeps for the process it runs in is
    forgotten at its end."""
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    yield
    forget()
    in_process.load_operation.cache_clear()


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ways that tasks took, instead of going them."""
    ways_taken: list[str] = []

    def run_here(_self: Any, _call: Any) -> dict[str, Any]:
        ways_taken.append("in process")
        return {"changed": False}

    def as_module(_self: Any, **_named: Any) -> dict[str, Any]:
        ways_taken.append("module")
        return {"changed": False}

    monkeypatch.setattr(action.ModuleAction, "_run_here", run_here)
    monkeypatch.setattr(action.ModuleAction, "_execute_module", as_module)
    monkeypatch.setattr(action.ModuleAction, "_remove_tmp_path", lambda _self, _path: None)

    return ways_taken


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
def test_it_runs_in_process_only_where_that_is_the_same(
    ways: list[str], named: dict[str, Any], way: str
) -> None:
    make_action(dict(CONNECTION), **named).run(task_vars={})
    assert ways[-1:] == [way]


def test_without_requests_on_the_controller_and_where_the_environment_says_so_a_module_runs(
    ways: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = make_action(dict(CONNECTION))
    plugin._task.become = True
    plugin.run(task_vars={})

    with monkeypatch.context() as patch:
        patch.setattr(request_library, "HAS_REQUESTS", False)
        make_action(dict(CONNECTION)).run(task_vars={})

    monkeypatch.setenv("PANEL_IN_PROCESS", "0")

    make_action(dict(CONNECTION)).run(task_vars={})

    assert ways == ["module"] * 3


def test_what_a_module_gets_in_this_process_alone_is_never_left_out_by_a_process(
    ways: list[str],
) -> None:
    users_action = make_action(dict(CONNECTION), become=object())
    local = LocalHandover(before_writes=lambda _names: None)
    call = users_action.make_call()._replace(local=local)

    action.ActionOfCall(users_action, call).run(task_vars={})

    assert ways == ["in process"]


@pytest.mark.parametrize("in_process_allowed", ["1", "0"], ids=["in process", "as a module"])
def test_a_module_gets_what_its_call_says_in_both_ways(
    monkeypatch: pytest.MonkeyPatch, in_process_allowed: str
) -> None:
    imported: list[str] = []
    runs: list[tuple[Any, ...]] = []

    def run(params: Any, task: Any) -> Outcome:
        runs.append((params["name"], task.check_mode, task.handover.reports))
        return Outcome(False, {})

    def import_module(name: str) -> Any:
        imported.append(name.rpartition(".")[2])
        return SimpleNamespace(OPERATION=make_operation(run))

    monkeypatch.setenv("PANEL_IN_PROCESS", in_process_allowed)
    monkeypatch.setattr(in_process.importlib, "import_module", import_module)
    monkeypatch.setattr(action.ModuleAction, "_execute_module", execute_module)
    monkeypatch.setattr(action.ModuleAction, "_remove_tmp_path", lambda _self, _path: None)
    call = ModuleCall(
        "hosting.panel.panel_domain",
        {**CONNECTION, "name": "of the call"},
        check_mode=True,
        handover=Handover(reports=["passwords"]),
    )

    class CallsAnother(action.ModuleAction):
        """An action whose call differs from its task."""

        def make_call(self) -> ModuleCall:
            """Return the call."""
            return call

    options = {**CONNECTION, "name": "of the task"}
    make_action(options, plugin=CallsAnother, check_mode=True).run(task_vars={})
    action.ActionOfCall(make_action(options), call).run(task_vars={})

    assert imported[0] == "panel_domain"
    assert runs == [("of the call", True, ["passwords"])] * 2
    assert options["name"] == "of the task"


def test_a_call_for_a_task_keeps_the_names_of_its_options(ways: list[str]) -> None:
    users_action = make_action({**CONNECTION, "username": "acme"})
    users_action.run(task_vars={"__panel_option_names": {"username": "panel_username"}})
    called = action.ActionOfCall(users_action, users_action.make_call())

    called.run(task_vars={})

    assert called.name_option("username") == "panel_username"
    assert ways == ["in process"] * 2


def test_async_is_wrapped_where_the_connection_does_not_do_it_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrapped: list[bool] = []

    def as_module(_self: Any, wrap_async: bool, **_named: Any) -> dict[str, Any]:
        wrapped.append(wrap_async)
        return {"started": 1}

    removed: list[str] = []
    monkeypatch.setattr(action.ModuleAction, "_execute_module", as_module)
    monkeypatch.setattr(
        action.ModuleAction, "_remove_tmp_path", lambda _self, path: removed.append(path)
    )
    monkeypatch.setattr(action.ModuleAction, "_run_here", lambda _self, _call: {"changed": False})

    assert make_action(dict(CONNECTION), async_val=60).run(task_vars={})["started"] == 1
    # The folder is the running module's own until it ends.
    assert wrapped == [True]
    assert removed == []

    make_action(dict(CONNECTION), transport="ssh").run(task_vars={})
    assert wrapped == [True, False]
    assert removed == ["/nowhere"]


# The environment.


def make_operation(run: Any) -> Operation:
    """Make an operation of two options that does what a function says."""
    return Operation({"name": {"type": "str"}, "body": {"type": "dict"}}, run)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options and variables that an operation in process gets to see."""
    runs: list[dict[str, Any]] = []

    def run(params: Any, task: Any) -> Outcome:
        runs.append(
            {"params": dict(params), "environment": dict(os.environ), "check_mode": task.check_mode}
        )
        if params["name"] == "fails":
            raise KeyError("name")
        return Outcome(True, {"thing": 1}, before={"a": 1}, after={"a": 2})

    module = SimpleNamespace(OPERATION=make_operation(run))
    monkeypatch.setattr(in_process.importlib, "import_module", lambda _name: module)

    return runs


@pytest.mark.parametrize("name", ["works", "fails"])
def test_the_tasks_environment_holds_for_the_task_only(
    seen: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("KEPT", "before")
    monkeypatch.setenv("PANEL_TIMEOUT", "7")
    before = dict(os.environ)
    variables = [
        {"PANEL_API_URL": "panel.example", "PANEL_API_KEY": KEY},
        {"KEPT": "inside", "NUMBER": 5},
    ]

    make_action({"name": name}, environment=variables).run(task_vars={})

    assert dict(os.environ) == before

    inside = seen[0]["environment"]
    assert inside["KEPT"] == "inside"
    assert inside["NUMBER"] == "5"
    assert seen[0]["params"]["api_url"] == "panel.example"
    assert seen[0]["params"]["timeout"] == 7


# As a module.


def collect_types(value: Any) -> set[type]:
    """Return the types of a value and of all that it holds."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, list):
        inner = value
    return {type(value)}.union(*map(collect_types, inner))


RESULT = {
    "changed": True,
    "thing": {"name": "x", "list": ["{{ text }}", 5, 1.5, None, True, {"in": "a text"}]},
    "warnings": ["one {{ warning }}", "and another"],
}


@pytest.mark.parametrize(
    "further", [{}, {"failed": True, "msg": "No.", "error": {"type": "Refused"}}], ids=str
)
def test_what_a_module_returns_is_the_same_as_in_process_on_each_release(
    further: dict[str, Any],
) -> None:
    result = {**RESULT, "failed": False, **further}
    read = as_ansible_reads_it(make_action({}), result)
    done = {
        name: value
        for name, value in module_process.as_in_process(read).items()
        if not name.startswith("_ansible")
    }

    assert {"failed": False, **done} == result
    assert collect_types(done) <= {dict, list, str, int, float, bool, type(None)}


def test_what_ended_a_module_before_it_could_report_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = {"failed": True, "msg": "MODULE FAILURE", "exception": "Traceback: no such interpreter"}
    monkeypatch.setattr(action.ModuleAction, "_execute_module", lambda _self, **_named: crash)
    monkeypatch.setattr(action.ModuleAction, "_remove_tmp_path", lambda _self, _path: None)

    assert (
        make_action(dict(CONNECTION), transport="ssh").run(task_vars={})["exception"]
        == crash["exception"]
    )


@pytest.mark.parametrize(
    "error", [KeyError("hunter2 value"), ValueError("hunter2"), RecursionError("hunter2")]
)
def test_a_mistake_of_the_collection_itself_is_told_without_the_values_in_it(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_self: Any, **_named: Any) -> Any:
        raise error

    monkeypatch.setattr(action.ModuleAction, "_execute_module", fail)

    result = make_action(dict(CONNECTION), transport="ssh").run(task_vars={})

    assert result["failed"] is True
    assert result["error"]["type"] == "Defect"
    assert f"{type(error).__name__} in run_process (module_process.py:" in result["msg"]
    assert "hunter2" not in str(result)


def test_a_defect_of_the_action_is_logged_where_the_environment_of_the_task_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_self: Any, **_named: Any) -> Any:
        raise ValueError("hunter2")

    monkeypatch.setattr(action.ModuleAction, "_execute_module", fail)
    file = tmp_path / "panel.log"
    task = make_action(dict(CONNECTION), transport="ssh", environment=[{"PANEL_LOG": str(file)}])

    task.run(task_vars={})
    text = file.read_text(encoding="utf-8")

    assert "defect ValueError at plugins/plugin_utils/_run/panel_action.py line " in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    "error", [AnsibleConnectionFailure("no route to host"), UndefinedError("no variable")]
)
def test_what_ansible_itself_cannot_do_is_told_by_ansible(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_self: Any, **_named: Any) -> Any:
        raise error

    monkeypatch.setattr(action.ModuleAction, "_execute_module", fail)

    with pytest.raises(type(error)):
        make_action(dict(CONNECTION), transport="ssh").run(task_vars={})


# In process.


def test_options_arrive_as_plain_values_as_they_do_in_a_module(seen: list[dict[str, Any]]) -> None:
    class Tagged(str):
        """What ansible-core 2.19 makes of every text."""

    body = {
        "day": datetime.date(2026, 12, 31),
        "text": Tagged("x"),
        7: ("a", Tagged("b")),
        "none": None,
    }
    args = {**CONNECTION, "name": Tagged("n"), "body": body}
    before = copy.deepcopy(args)

    make_action(args).run(task_vars={})
    params = seen[0]["params"]

    assert params["body"] == {"day": "2026-12-31", "text": "x", "7": ["a", "b"], "none": None}
    assert params["name"].__class__ is str
    assert args == before


def test_a_name_of_a_field_that_is_a_date_is_refused_and_no_defect() -> None:
    body = {"days": [{datetime.date(2026, 12, 31): "x"}]}

    result = make_action({**CONNECTION, "name": "n", "body": body}).run(task_vars={})

    assert result["msg"] == (
        "body.days[0]: has a field whose name is no string; put the name in quotes. "
        "Nothing was sent."
    )


def test_a_name_that_is_a_date_is_plain_as_a_text() -> None:
    body = {"days": [{datetime.date(2026, 12, 31): "x", 7: None}]}
    assert as_plain(body) == {"days": [{"2026-12-31": "x", "7": None}]}


def test_a_task_keeps_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "perform_call", lambda *_arguments: {"changed": False})
    options = {**CONNECTION, "resources": {"emails": [{"email": "info@acme.example"}]}}
    plugin = make_action(options, "hosting.panel.panel_resources")

    plugin.run(task_vars={})

    assert plugin._task.args is options
    assert options["resources"] == {"emails": [{"email": "info@acme.example"}]}


@pytest.mark.parametrize(
    ("file", "is_read"),
    [
        ("playbooks/site.yml", False),
        ("roles/rotate/tasks/main.yml", False),
        ("../panel_plays/site.yml", True),
        ("playbooks_of_shop/site.yml", True),
    ],
)
def test_options_are_read_as_written_in_every_file_but_those_of_the_collection(
    monkeypatch: pytest.MonkeyPatch, file: str, is_read: bool
) -> None:
    tasks_read: list[Any] = []

    def read_options(_templar: Any, task: Any, options: dict[str, Any]) -> dict[str, Any]:
        tasks_read.append(task)
        return options

    collection = Path(action.__file__).parents[3]
    monkeypatch.setattr(action, "with_option_types", read_options)
    monkeypatch.setattr(in_process, "perform_call", lambda *_arguments: {"changed": False})
    path = os.path.normpath(collection / file)
    plugin = make_action(dict(CONNECTION), get_path=lambda: f"{path}:7")

    plugin.run(task_vars={})

    assert tasks_read == ([plugin._task] if is_read else [])


def test_an_unknown_option_of_module_defaults_is_named_with_its_group() -> None:
    options = {**CONNECTION, "email": "info@acme.example", "credentials_fil": "x.yml"}
    group = "group/hosting.panel.panel_passwords"
    defaults = [{group: {"credentials_fil": "x.yml"}, "group/hosting.panel.panel": CONNECTION}]
    plugin = make_action(options, "hosting.panel.panel_email", module_defaults=defaults)

    result = plugin.run(task_vars={})

    assert result["msg"].startswith(f"credentials_fil (module_defaults of {group}): ")


MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("panel_*.py"))


@pytest.mark.parametrize("module", MODULES)
def test_a_file_of_passwords_in_the_defaults_of_all_modules_is_sent_to_the_group_for_it(
    module: str,
) -> None:
    text = (ROOT / "plugins" / "modules" / f"{module}.py").read_text(encoding="utf-8")
    options = yaml.safe_load(text.split('DOCUMENTATION = r"""')[1].split('"""')[0])
    has_file = "credentials_file" in options.get("options", {}) or (
        "hosting.panel.password" in options.get("extends_documentation_fragment", [])
    )
    defaults = [{"group/hosting.panel.panel": {**CONNECTION, "credentials_file": "x.yml"}}]
    options_of_task = {**CONNECTION, "credentials_file": "x.yml"}
    plugin = make_action(options_of_task, f"hosting.panel.{module}", module_defaults=defaults)

    name = plugin._collect_option_names({})["credentials_file"]

    advice = ", which belongs under group/hosting.panel.panel_passwords"
    assert name == (
        f"credentials_file (module_defaults of group/hosting.panel.panel{'' if has_file else advice})"
    )


# What is kept for the items of a loop.


def test_the_items_of_a_loop_share_a_client_and_no_other_task_and_no_process_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = in_process._get_session(make_connection())
    used = kept.retry_budget

    assert isinstance(kept, PanelSession)
    assert in_process._get_session(make_connection()) is kept
    assert kept.retry_budget is not used
    assert in_process._get_session(make_connection(timeout=5)) is not kept

    monkeypatch.setattr(in_process.os, "getpid", lambda: -1)
    assert in_process._get_session(make_connection()) is not kept


def test_an_item_of_a_loop_leaves_nothing_of_its_task_to_the_next() -> None:
    kept = in_process._get_session(make_connection())
    lines: list[str] = []
    kept.say = lines.append
    kept.why_over = "something of this task ended"

    next_session = in_process._get_session(make_connection())
    next_session.say("a line of the next task")

    assert next_session is kept
    assert lines == []
    assert next_session.why_over == TIME_IS_OVER


SECRET = 'hunter2"hü\\nter/2+'


@pytest.mark.parametrize(("shows", "shown_keys"), [(True, {"invocation"}), (False, set())])
def test_the_invocation_is_shown_where_ansible_shows_it(
    seen: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, shows: bool, shown_keys: set[str]
) -> None:
    monkeypatch.setattr(action, "shows_invocation", lambda _task_vars: shows)
    assert set(make_action({**CONNECTION, "name": "n"}).run(task_vars={})) == {
        "changed",
        "thing",
        *shown_keys,
    }


def run_module_here(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], internal: dict[str, Any] | None = None
) -> list[str]:
    """Run an operation as a module in this process.

    Return what it sends to the log of the system.
    """
    from ansible.module_utils import basic

    from ansible_collections.hosting.panel.plugins.module_utils._task import module

    logged: list[str] = []
    sent = {**options, **(internal or {})}
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": sent}).encode())
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    monkeypatch.setattr(
        basic.AnsibleModule,
        "log",
        lambda _self, msg, log_args=None: logged.append(f"{msg}{log_args}"),
    )

    with pytest.raises(SystemExit):
        module.run_as_module(
            make_operation(lambda params, _task: Outcome(False, {"thing": dict(params)}))
        )

    return logged


# With options, and the one that the failure names.
WITH_SECRETS = {
    "misspelt": ({"pasword": SECRET}, "pasword"),
    "of another type": ({"body": SECRET}, "body"),
    "with the prefix of Ansible": ({"_ansible_token": SECRET}, "_ansible_token"),
    "in a dictionary": ({"body": {"api_token": SECRET, "deep": {"password": SECRET}}}, ""),
}


@pytest.mark.parametrize(("further", "refused"), WITH_SECRETS.values(), ids=WITH_SECRETS)
def test_neither_the_log_of_the_system_nor_the_result_of_a_module_shows_a_secret(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    further: dict[str, Any],
    refused: str,
) -> None:
    # From 2.21 on results show the options only where a setting asks for it.
    internal_options = (
        {"_ansible_inject_invocation": True} if "INJECT_INVOCATION" in dir(constants) else {}
    )
    logged = run_module_here(monkeypatch, {**CONNECTION, "name": "n", **further}, internal_options)

    printed = capsys.readouterr()

    for text in (str(logged), printed.out, printed.err):
        assert "hunter2" not in text
        assert KEY not in text

    result = json.loads(printed.out)
    assert result["invocation"]["module_args"]["name"] == "n"
    assert result.get("error", {}).get("option", "") == refused


def test_a_module_gets_the_options_as_they_were_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_module_here(
        monkeypatch,
        {**CONNECTION, "name": None, "body": {"a": [1, "1", True, None]}},
        {"_ansible_diff": True},
    )
    result = json.loads(capsys.readouterr().out)

    assert result["thing"]["body"] == {"a": [1, "1", True, None]}
    assert "diff" in result
    assert "_ansible_diff" not in str(result)


def test_ansible_masks_nothing_in_the_result_of_a_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_module_here(monkeypatch, {**CONNECTION, "name": "info@acme.example"})
    assert json.loads(capsys.readouterr().out)["thing"]["name"] == "info@acme.example"


def test_a_tool_that_sends_no_options_sees_those_of_the_documentation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ansible_collections.hosting.panel.plugins.module_utils._task import module

    described: dict[str, Any] = {}

    def refuse(**arguments: Any) -> Any:
        described.update(arguments["argument_spec"])
        raise SystemExit

    monkeypatch.setattr(module, "list_sent_names", list)
    monkeypatch.setattr(module, "AnsibleModule", refuse)

    with pytest.raises(SystemExit):
        module.run_as_module(make_operation(None))

    assert described["name"] == {"type": "str"}
    assert described["body"] == {"type": "dict"}


def test_progress_shows_a_nasty_name_without_obeying_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(action.display, "display", lines.append)

    make_action({}).say("1 of 2: acme:x\n\x1b[2J")

    assert lines == [r"hosting.panel.panel_client: 1 of 2: acme:x\n\x1b[2J"]


# What goes with a client


SEED = {
    "clients": [{"username": "acme"}, {"username": "other"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "other.example", "client": "other"},
    ],
    "emails": [
        {"email": "b@acme.example"},
        {"email": "a@acme.example"},
        {"email": "a@other.example"},
    ],
    "scheduled_tasks": [
        {"client": "acme", "description": "Backup", "type": "exec", "command": "/bin/true"}
    ],
}


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_deletion_names_what_goes_with_the_client_by_kind_and_without_zones(
    in_memory: Any, check_mode: bool
) -> None:
    panel = in_memory(SEED)
    result = panel.run(
        "panel_client", check_mode=check_mode, diff=True, username="acme", state="absent"
    )

    assert result["removed"] == {
        "domains": ["acme.example"],
        "emails": ["a@acme.example", "b@acme.example"],
        "scheduled_tasks": ["acme:Backup"],
    }
    assert result["diff"]["before"]["removed"] == result["removed"]
    assert result["client"] is None
    assert panel.writes == ([] if check_mode else ["DELETE /clients/2"])


def test_with_a_client_that_is_not_there_nothing_goes_and_no_other_state_says_so(
    in_memory: Any,
) -> None:
    panel = in_memory(SEED)
    deletion = panel.run("panel_client", diff=True, username="nobody", state="absent")

    assert deletion["changed"] is False
    assert deletion["removed"] == {}
    assert "removed" not in deletion["diff"]["before"]
    assert "removed" not in panel.run("panel_client", username="acme", notes="x")
