"""Whoever sets PANEL_LOG follows the stages of a task in a file, which has no secret and never
fails the task."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _log as log
from ansible_collections.hosting.panel.plugins.module_utils._errors import Unreachable
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    read_connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.modules.panel_client_info import OPERATION
from tests.support.memory import RESET, Loss
from tests.support.tasks import CONNECTION, run_task
from tests.support.transcript import Dialogue, call, make_answer

SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}
PASSWORD = "x7-Secret-of-mine"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d (\d+) (.+)")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Switch the log on, into a file of the test."""
    path = tmp_path / "log"
    monkeypatch.setenv(log.VARIABLE, str(path))
    return path


def list_stages(file: Path) -> list[str]:
    """Return what the lines say, without times, lengths and the number of the process."""
    texts = []
    for line in file.read_text(encoding="utf-8").splitlines():
        match = LINE.fullmatch(line)
        assert match, line
        assert match[1] == str(os.getpid())
        texts.append(re.sub(r"\d+ bytes, \d+\.\d{3} s|\d+\.\d{3} s", "...", match[2]))

    return texts


def test_a_change_is_followed_from_its_start_to_its_end(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_client", username="acme", notes="hello")
    assert list_stages(file) == [
        "task starts",
        "request GET /clients/name/acme attempt 1",
        "answer GET /clients/name/acme status 200, ...",
        "resolve client acme: exists, id 2",
        "plan client acme: update notes",
        "request PUT /clients/2 attempt 1",
        "answer PUT /clients/2 status 200, ...",
        "task ends: changed",
    ]


def test_a_task_that_finds_everything_right_says_so(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_client", check_mode=True, username="acme")
    assert list_stages(file)[0] == "task starts, in check mode"
    assert list_stages(file)[-2:] == [
        "plan client acme: nothing to change",
        "task ends: not changed",
    ]


def test_a_zone_and_many_objects_are_followed_too(in_memory: Any, file: Path) -> None:
    panel = in_memory(SEED)
    panel.run(
        "panel_dns",
        domain="acme.example",
        records=[{"host": "www", "type": "A", "value": "192.0.2.1"}],
        append=True,
    )

    panel.run("panel_resources", resources={"emails": [{"email": "info@acme.example"}]})
    plans = [text for text in list_stages(file) if text.startswith(("plan", "resolve"))]

    assert plans == [
        "resolve zone acme.example: exists",
        "plan zone acme.example: change",
        "plan all items: 1 to create, 0 to update, 0 to delete, 0 unchanged",
    ]


def test_the_names_of_a_query_are_there_and_not_its_values(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_api", method="GET", path="/clients", query={"sort": "a-value"})
    text = file.read_text(encoding="utf-8")

    assert "request GET /clients attempt 1 query sort" in text
    assert "a-value" not in text


@pytest.mark.parametrize("is_logged", [False, True])
def test_a_result_is_the_same_with_a_log_and_without_one(
    dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_logged: bool
) -> None:
    if is_logged:
        monkeypatch.setenv(log.VARIABLE, str(tmp_path / "log"))
    client = {"id": 7, "username": "acme", "notes": f"x {PASSWORD}", "password": PASSWORD}
    panel = dialogue(call("GET", "/clients/name/acme", make_answer(200, client)))

    result = run_task(OPERATION, panel, {"username": "acme"})

    assert result["clients"][0]["notes"] == f"x {PASSWORD}"
    assert "password" not in result["clients"][0]


def test_a_query_in_a_path_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="hosting.panel"):
        log.log_request("GET", "/clients?token=hidden", None, 1)
        log.log_answer("GET", "/clients?token=hidden", 200, 5, 0.1)
        log.log_repeat("GET", "/clients?token=hidden", 1, "busy", is_repeated=False)

    assert len(caplog.messages) == 3
    assert "hidden" not in caplog.text


def test_a_task_that_fails_names_the_type_of_its_error(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_email", email="info@nowhere.example", client="nobody")
    assert list_stages(file)[-1] == "task fails: UnknownReference"


def test_a_defect_shows_all_lines_of_code_behind_it_and_no_value(
    in_memory: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_self: Any, *_arguments: Any, **_named: Any) -> Any:
        try:
            return {}[PASSWORD]
        except KeyError as error:
            raise ValueError(PASSWORD) from error

    monkeypatch.setattr(PanelSession, "get", read)
    in_memory(SEED).run("panel_client", username="acme", notes="hello")

    lines = [line.replace(".py line ", " ") for line in list_stages(file)]
    numbered = [re.sub(r" \d+ in ", " in ", line) for line in lines]

    assert numbered[0] == "task starts"
    assert re.fullmatch(r"defect KeyError at \w+/test_log in read", numbered[1])
    assert numbered[2] == "defect ValueError at plugins/module_utils/_task/perform in _execute"
    assert re.fullmatch(r"defect ValueError at \w+/test_log in read", numbered[-2])
    assert numbered[-1] == "task fails: Defect"
    assert PASSWORD not in file.read_text(encoding="utf-8")


def test_a_lost_answer_shows_the_decision_about_a_repeat(in_memory: Any, file: Path) -> None:
    panel = in_memory(SEED)
    panel.loss = Loss(RESET, None)

    panel.run("panel_client", username="acme", notes="hello")

    assert list_stages(file)[5:10] == [
        "request PUT /clients/2 attempt 1",
        "answer PUT /clients/2 none, ...",
        "repeat PUT /clients/2 after attempt 1, lost answer: send it again",
        "request PUT /clients/2 attempt 2",
        "answer PUT /clients/2 status 200, ...",
    ]


def test_a_panel_that_does_not_answer_shows_when_the_task_gives_up(file: Path) -> None:
    options = {
        "api_url": "http://127.0.0.1:9",
        "api_key": "0123456789",
        "timeout": 1,
        "retry_time": 0,
    }
    session = PanelSession(read_connection({"validate_certs": True, "ca_path": None, **options}))
    with log.log_into_file(str, pytest.fail), pytest.raises(Unreachable):
        session.get("/clients")

    assert list_stages(file) == [
        "request GET /clients attempt 1",
        "answer GET /clients none, ...",
        "repeat GET /clients after attempt 1, not sent: give up",
    ]


def test_no_secret_is_in_the_log(in_memory: Any, file: Path) -> None:
    panel = in_memory(SEED)
    panel.run("panel_client", username="new", email="new@acme.example", password=PASSWORD)
    panel.run("panel_login_info", username="acme")

    panel.run("panel_client", username=PASSWORD, password=PASSWORD)
    text = file.read_text(encoding="utf-8")

    assert "plan client new: create" in text

    for secret in (PASSWORD, CONNECTION["api_key"], "https://"):
        assert secret not in text


def test_a_known_secret_in_a_name_is_masked(in_memory: Any, file: Path) -> None:
    key = CONNECTION["api_key"]
    in_memory(SEED).run("panel_api", method="GET", path=f"/clients/name/{key}")

    assert list_stages(file)[1] == "request GET /clients/name/******** attempt 1"
    assert key not in file.read_text(encoding="utf-8")


def test_each_stage_is_one_line(file: Path) -> None:
    with log.log_into_file(str, pytest.fail):
        log.log_plan("client a\nb\x1b[2J", "update", ["notes"])
    assert list_stages(file) == [r"plan client a\nb\x1b[2J: update notes"]


def test_only_its_owner_reads_the_log_also_where_it_was_there(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_client", username="acme")
    assert file.stat().st_mode & 0o777 == 0o600

    before = file.read_text(encoding="utf-8")
    file.chmod(0o644)

    in_memory(SEED).run("panel_client", username="acme")

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text(encoding="utf-8").startswith(before)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2 * len(before.splitlines())


def make_pipe(path: Path) -> None:
    """Put a pipe where the log would be."""
    os.mkfifo(path)


def make_link(path: Path) -> None:
    """Put a link where the log would be."""
    path.symlink_to(path.with_name("other"))


def make_folder(path: Path) -> None:
    """Put a directory where the log would be."""
    path.mkdir()


@pytest.mark.parametrize("spoil", [make_pipe, make_link, make_folder])
def test_a_log_that_cannot_be_written_is_a_warning(
    in_memory: Any, file: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(file)
    result = in_memory(SEED).run("panel_client", username="acme", notes="hello")

    assert result["changed"] is True
    assert result.get("failed", False) is False

    (warning,) = result["warnings"]
    assert warning.startswith(f"PANEL_LOG: {file}: ")
    assert warning.endswith(". The task was not logged.")
    assert not file.with_name("other").exists()


def test_a_pipe_that_someone_reads_gets_nothing(in_memory: Any, file: Path) -> None:
    make_pipe(file)
    reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)

    try:
        result = in_memory(SEED).run("panel_client", username="acme")
        assert result["warnings"] == [
            f"PANEL_LOG: {file}: is not a regular file. The task was not logged."
        ]
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_a_relative_path_is_a_warning(in_memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(log.VARIABLE, "panel.log")
    result = in_memory(SEED).run("panel_client", username="acme")

    assert result["warnings"] == [
        "PANEL_LOG: panel.log: is not an absolute path. The task was not logged."
    ]


def test_a_disk_that_gets_full_is_a_warning(
    in_memory: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _line: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log.os, "write", refuse)

    result = in_memory(SEED).run("panel_client", username="acme", notes="hello")

    assert result["changed"]
    assert result["warnings"] == [
        f"PANEL_LOG: {file}: No space left on device. The log of the task is incomplete."
    ]


@pytest.mark.parametrize("path", [None, ""])
def test_without_the_variable_nothing_is_logged(
    in_memory: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    path: str | None,
) -> None:
    monkeypatch.delenv(log.VARIABLE, raising=False)
    if path is not None:
        monkeypatch.setenv(log.VARIABLE, path)

    result = in_memory(SEED).run("panel_client", username="acme")

    assert "warnings" not in result
    assert caplog.records == []


def test_a_task_leaves_the_logger_as_it_was(in_memory: Any, file: Path) -> None:
    in_memory(SEED).run("panel_client", username="acme")
    assert file.exists()
    assert log.LOGGER.handlers == []
    assert log.LOGGER.level == logging.NOTSET
    assert log.LOGGER.propagate is True


def test_a_program_of_python_gets_the_stages_by_the_logger(
    in_memory: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="hosting.panel"):
        in_memory(SEED).run("panel_client", username="acme", notes="hello")
    assert "plan client acme: update notes" in caplog.messages
