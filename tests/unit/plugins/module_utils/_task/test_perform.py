"""What a person gets to see of a task: the result, the error, the diff, and never a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import API_CALL
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    OptionError,
    PanelError,
    Reached,
    Refused,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import TaskRequest
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import (
    Operation,
    Outcome,
    Task,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written
from ansible_collections.hosting.panel.plugins.module_utils._secrets.displayed_arguments import (
    OMITTED,
    display_arguments,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.secret_forms import MASK
from ansible_collections.hosting.panel.plugins.module_utils._task import perform as task_runner
from ansible_collections.hosting.panel.plugins.module_utils._task.perform import perform

SECRET = "hunter2-hünter2"
KEY = "prefix01.Zm9vYmFyYmF6cXV4"
OPTIONS: dict[str, Any] = {
    "name": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "update_password": {
        "type": "str",
        "choices": ["on_create", "always"],
        "default": "on_create",
        "no_log": False,
    },
    "extra": {"type": "dict"},
    "contact": {"type": "dict", "options": {"city": {"type": "str"}, "zip": {"type": "str"}}},
}
GIVEN = {"api_url": "https://panel.example", "api_key": KEY, "name": "acme", "password": SECRET}

Run = Callable[[Mapping[str, Any], Task], Outcome]


def perform_run(
    run: Run, diff_mode: bool = False, check_mode: bool = False, **options: Any
) -> dict[str, Any]:
    """Return the result of an operation that does what a function says."""
    request = TaskRequest({**GIVEN, **options}, check_mode, diff_mode)
    return perform(Operation(OPTIONS, run), request, refuse_connection)


def refuse_connection(_connection: Connection) -> PanelSession:
    """Fail the test, since nothing may be sent."""
    pytest.fail("a session was opened")


def return_outcome(**outcome: Any) -> Run:
    """Return what an operation does that has a result."""
    return lambda _params, _task: Outcome(**{"changed": False, "result": {}, **outcome})


def raise_error(error: Exception) -> Run:
    """Return what an operation does that fails."""

    def run(_params: Mapping[str, Any], _task: Task) -> Outcome:
        raise error

    return run


# Results.


def test_a_result_holds_its_own_keys_and_the_invocation() -> None:
    result = perform_run(return_outcome(changed=True, result={"client": {"id": 7}}))
    assert result == {
        "changed": True,
        "client": {"id": 7},
        "invocation": {
            "module_args": {
                **dict.fromkeys(("ca_path", "extra", "contact")),
                "api_url": "https://panel.example",
                "api_key": OMITTED,
                "validate_certs": True,
                "timeout": 30,
                "retry_time": 60,
                "name": "acme",
                "password": OMITTED,
                "update_password": "on_create",
            }
        },
    }


def test_a_generated_password_is_there_once_and_at_the_top() -> None:
    client = {"client": {"id": 7, "notes": "made-by-panel"}, "generated_password": "made-by-panel"}
    result = perform_run(return_outcome(changed=True, result=client), diff_mode=True)

    assert result.pop("generated_password") == "made-by-panel"
    assert "made-by-panel" not in str(result)


def test_no_known_secret_is_in_a_result_or_a_diff() -> None:
    run = return_outcome(
        changed=True, result={"client": {"notes": f"has {SECRET}"}}, after={"notes": SECRET}
    )
    result = perform_run(run, diff_mode=True, name=f"acme {KEY}")

    assert result["client"] == {"notes": f"has {MASK}"}
    assert result["diff"]["after"] == {"notes": MASK}
    assert SECRET not in str(result)
    assert KEY not in str(result)


def test_warnings_come_once_each_and_in_order_and_without_secrets() -> None:
    def run(_params: Mapping[str, Any], task: Task) -> Outcome:
        for text in ("b", "a", "b", f"the panel says {SECRET}"):
            task.warn(text)
        return Outcome(False, {})

    assert perform_run(run)["warnings"] == ["b", "a", f"the panel says {MASK}"]
    assert "warnings" not in perform_run(return_outcome())


def test_a_disabled_certificate_check_warns_each_time() -> None:
    result = perform_run(return_outcome(), validate_certs=False)
    assert len(result["warnings"]) == 1
    assert "validate_certs is false" in result["warnings"][0]
    assert "ca_path" in result["warnings"][0]


def test_the_operation_sees_an_empty_dictionary_and_an_omitted_one_apart() -> None:
    seen: list[Any] = []

    def run(params: Mapping[str, Any], task: Task) -> Outcome:
        seen.append((params["contact"], task.check_mode))
        return Outcome(False, {})

    for options in (
        {"contact": {}},
        {"contact": {"city": None}},
        {},
        {"contact": {"city": "Köln"}},
    ):
        perform_run(run, check_mode=True, **options)

    assert seen == [({}, True), (None, True), (None, True), ({"city": "Köln"}, True)]


# Failures.


def test_a_failure_has_a_message_and_an_error_to_branch_on() -> None:
    result = perform_run(raise_error(OptionError("is wrong.", option="name")))
    assert result.pop("invocation")
    assert result == {
        "failed": True,
        "changed": False,
        "msg": "name: is wrong.",
        "error": {"type": "OptionError", "option": "name"},
    }


def test_a_failing_request_is_described_without_secrets() -> None:
    details = {
        "method": "POST",
        "path": f"/x/{SECRET}",
        "attempts": 1,
        "status": 400,
        "message": f"bad {SECRET}",
    }
    result = perform_run(
        raise_error(Refused(f"POST /x was refused (400): bad {SECRET} and {KEY}.", **details))
    )

    assert result["msg"] == f"POST /x was refused (400): bad {MASK} and {MASK}."
    assert result["error"] == {
        "type": "Refused",
        "method": "POST",
        "path": f"/x/{MASK}",
        "attempts": 1,
        "status": 400,
        "message": f"bad {MASK}",
    }
    assert SECRET not in str(result)
    assert KEY not in str(result)


def test_a_failure_after_the_first_step_hands_over_what_was_reached() -> None:
    reached = Reached(is_changed=True, fields={"client": {"id": 7}}, password="made")
    result = perform_run(
        raise_error(PanelError("not applied.", written=Written.NOTHING, status=2, reached=reached))
    )

    assert result["msg"] == "not applied."
    assert result["failed"] is True
    assert result["changed"] is True
    assert result["client"] == {"id": 7}
    assert result["generated_password"] == "made"
    assert result["error"] == {"type": "PanelError", "status": 2}


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(KeyboardInterrupt(), id="interrupt"),
        pytest.param(SystemExit(1), id="exit"),
    ],
)
def test_what_ends_the_process_is_not_swallowed(error: Any) -> None:
    with pytest.raises(type(error)):
        perform_run(raise_error(error))  # type: ignore[arg-type]


# The invocation.


@pytest.mark.parametrize(
    ("written", "displayed"),
    [
        ("https://admin:pa:ss@panel.example", f"https://{MASK}@panel.example"),
        ("admin:pass@panel.example:8443", f"{MASK}@panel.example:8443"),
        ("https://panel.example/", "https://panel.example/"),
    ],
)
def test_the_invocation_masks_a_login_in_the_address(written: str, displayed: str) -> None:
    assert (
        perform_run(return_outcome(), api_url=written)["invocation"]["module_args"]["api_url"]
        == displayed
    )


@pytest.mark.parametrize(
    "body",
    [
        f'{{"password": "{SECRET}"',
        f"{{'password': '{SECRET}'}}",
        f'{{"password": "{SECRET}",}}',
        f"password: {SECRET}",
        f"password={SECRET}",
    ],
)
def test_a_secret_of_a_body_that_cannot_be_read_is_nowhere_in_the_result(body: str) -> None:
    call = {"method": "PUT", "path": f"/clients/name/{SECRET}", "body": body}
    options = {"api_url": "https://panel.example", "api_key": KEY, **call}

    result = perform(API_CALL, TaskRequest(options, False, False), refuse_connection)

    assert result["failed"]
    assert SECRET not in str(result)
    assert result["invocation"]["module_args"]["path"] == f"/clients/name/{MASK}"


def test_a_secret_from_the_environment_is_known_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEL_API_KEY", "another.key-from-outside")
    operation = Operation(
        OPTIONS, raise_error(PanelError("the key another.key-from-outside is wrong."))
    )
    options = {"api_url": "https://panel.example"}

    result = perform(operation, TaskRequest(options, False, False), refuse_connection)

    assert result["msg"] == f"the key {MASK} is wrong."
    assert result["invocation"]["module_args"]["api_key"] == OMITTED


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(KeyError(SECRET), id="key"),
        pytest.param(ValueError(f"cannot read {SECRET}"), id="value"),
        pytest.param(ZeroDivisionError(), id="without text"),
        pytest.param(RecursionError(SECRET), id="recursion"),
    ],
)
def test_a_defect_gives_no_traceback_and_no_value(error: Any) -> None:
    result = perform_run(raise_error(error))
    assert result["failed"] is True
    assert result["error"] == {"type": "Defect"}
    assert type(error).__name__ in result["msg"]
    assert "in _execute (perform.py:" in result["msg"]
    assert "Traceback" not in str(result)
    assert SECRET not in str(result)
    assert "please report" in result["msg"]


class BrokenSpecification(dict[str, Any]):
    """Stands in for a library that fails."""

    def get(self, _name: str, _default: Any = None) -> Any:
        """Fail with a value that must not be shown."""
        raise KeyError(SECRET)


def test_a_defect_in_a_library_names_the_line_of_the_collection_that_called_it() -> None:
    def display(_params: Mapping[str, Any], _task: Task) -> Outcome:
        return Outcome(False, display_arguments({"name": "acme"}, BrokenSpecification()))

    message = perform_run(display)["msg"]

    # Before Python 3.12 a comprehension is a function of its own.
    assert re.search(r"KeyError in (display_arguments|<dictcomp>) ", message)
    assert "(displayed_arguments.py:" in message


def fail_with_secret(*_arguments: Any, **_named: Any) -> Any:
    """Stand in for a function of the collection that has a mistake."""
    raise ValueError(f"cannot read {SECRET}")


@pytest.mark.parametrize(
    "function", ["check_options", "display_arguments", "collect_texts", "Task", "_redact"]
)
def test_a_defect_around_the_operation_gives_no_traceback_and_no_value(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, function: str
) -> None:
    file = tmp_path / "log"
    monkeypatch.setenv("PANEL_LOG", str(file))
    monkeypatch.setattr(task_runner, function, fail_with_secret)

    result = perform_run(return_outcome())

    assert (result["failed"], result["error"]) == (True, {"type": "Defect"})
    assert "ValueError in " in result["msg"] and "(perform.py:" in result["msg"]
    # Ansible would add the options of the task.
    assert result["invocation"] == {"module_args": {}}
    text = file.read_text(encoding="utf-8")
    assert "test_perform.py line" in text and "in fail_with_secret\n" in text
    assert SECRET not in text + str(result)
