"""Files on the controller.

Only regular ones, replaced as a whole, and nothing is left beside them, also after a run that was
killed.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible.alarm import (
    note_alarm,
    time_is_over,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run import unfinished
from ansible_collections.hosting.panel.plugins.plugin_utils._run.controller_files import (
    ANY_NUMBER,
    check_place,
    describe_reason,
    limit_mode,
    read_regular,
    replace_file,
    try_to_write,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.job import JobAction
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_action import PanelAction
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_connections import (
    get_panel_host,
    refuse_panel_of_another,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.unfinished import (
    remove_left_over_files,
)
from tools.layout import ROOT

NAME = "cust1.yml"
WRITING = f".{NAME}.abcdefgh.hosting-panel-unfinished"


def list_names(folder: Path) -> list[str]:
    """Return the names in a directory."""
    return sorted(path.name for path in folder.iterdir())


def kill_before_replacing(path: Path) -> None:
    """Another process writes the file and is killed when only the old name is missing."""
    child = os.fork()
    if not child:
        os.replace = lambda *_paths: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        replace_file(path, b"of a killed run", 0o600)
        os._exit(1)

    _child, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.fixture(autouse=True)
def a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a run of its own, and long after the one before."""
    remove_left_over_files.cache_clear()
    monkeypatch.setattr(unfinished, "_SECONDS_BEFORE_LOCK", -1)


def test_what_a_killed_run_left_in_a_folder_is_removed_by_the_next_one_that_writes_into_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / NAME
    replace_file(path, b"first", 0o640)
    kill_before_replacing(path)

    kill_before_replacing(tmp_path / "other.yml")

    assert len(list_names(tmp_path)) > 1
    assert path.read_bytes() == b"first"
    assert path.stat().st_mode & 0o777 == 0o640

    remove_left_over_files.cache_clear()
    replace_file(path, b"second", 0o600)

    try_to_write(path, 100)

    assert list_names(tmp_path) == [NAME]
    assert path.read_bytes() == b"second"


def test_the_content_is_on_the_disk_before_the_name_is_and_the_name_before_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result: list[str] = []
    fsync = os.fsync
    replace = os.replace

    def note_flush(descriptor: int) -> None:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        result.append(
            f"flushed {os.fstat(descriptor).st_size} bytes" if is_file else "flushed the folder"
        )
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(os, "replace", lambda *paths: (result.append("named"), replace(*paths)))

    replace_file(tmp_path / NAME, b"first", 0o600)

    assert result == ["flushed 5 bytes", "named", "flushed the folder"]


def test_what_another_run_is_writing_and_what_is_not_ours_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f".{NAME}.backup12").touch()
    all_names = sorted([f".{NAME}.backup12", WRITING, NAME])

    with (tmp_path / WRITING).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        replace_file(tmp_path / NAME, b"first", 0o600)
        assert list_names(tmp_path) == all_names

    # It is not locked yet, but new.
    monkeypatch.setattr(unfinished, "_SECONDS_BEFORE_LOCK", 60)
    remove_left_over_files.cache_clear()

    replace_file(tmp_path / NAME, b"second", 0o600)

    assert list_names(tmp_path) == all_names


@pytest.mark.parametrize(
    ("path", "missing", "reason"),
    [
        ("new/deep/report.html", ANY_NUMBER, ""),
        ("new/report.html", 1, ""),
        ("new/deep/report.html", 1, "the directory {}/new does not exist; create it"),
        (".", ANY_NUMBER, "that is no regular file; name one that is"),
        (
            "file/report.html",
            ANY_NUMBER,
            "{}/file is no directory; move it away, or name another place",
        ),
    ],
)
def test_why_a_file_cannot_be_written_is_known_beforehand(
    tmp_path: Path, path: str, missing: int, reason: str
) -> None:
    (tmp_path / "file").touch()
    actual = ""

    try:
        check_place(tmp_path / path, missing)
    except OSError as error:
        actual = describe_reason(error)

    assert actual == reason.format(tmp_path)
    assert list_names(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["pipe", "link"])
@pytest.mark.parametrize(
    "use",
    [read_regular, check_place, lambda path: replace_file(path, b"", 0o600)],
    ids=["read", "check", "replace"],
)
def test_a_pipe_is_neither_waited_for_nor_replaced(
    tmp_path: Path, use: Callable[[Path], object], name: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")

    with pytest.raises(OSError, match="that is no regular file; name one that is"):
        use(tmp_path / name)

    assert (tmp_path / name).is_fifo()


# Arguments of tasks


SPECIFICATION: dict[str, Any] = {
    "file": {"type": "path"},
    "panels": {"type": "list", "elements": "dict", "options": {"ca_path": {"type": "path"}}},
    "word": {"type": "str"},
    "number": {"type": "int"},
}


NO_CHARACTER = ": a path cannot have a NUL character or half of a character."
UNUSABLE_PATHS = {
    "NUL": ("a\0b", NO_CHARACTER),
    "half of a character": ("\ud800", NO_CHARACTER),
    "a long name": ("x" * 256, "...: File name too long."),
    "a long path": ("x/" * 2100, "...: File name too long."),
}


def check(arguments: dict[str, Any]) -> dict[str, Any]:
    """Check the options of a task."""
    task = SimpleNamespace(args=arguments)
    action = SimpleNamespace(_task=task, get_task_environment=dict)
    return PanelAction.check_arguments(cast("Any", action), SPECIFICATION)


def test_every_empty_path_is_named_by_its_place() -> None:
    arguments = {"file": "", "panels": [{"ca_path": "x"}, {"ca_path": " "}], "word": ""}
    with pytest.raises(OptionError) as caught:
        check(arguments)

    advice = "is empty; give a path, or omit the option."
    assert str(caught.value) == (
        f"file: {advice} panels[1].ca_path: {advice} Nothing was read or written."
    )


@pytest.mark.parametrize("path, reason", UNUSABLE_PATHS.values(), ids=UNUSABLE_PATHS)
def test_a_path_that_the_system_does_not_take_is_a_mistake_of_its_option(
    path: str, reason: str
) -> None:
    with pytest.raises(OptionError) as caught:
        check({"file": path, "panels": [{"ca_path": path}]})

    first, second = (f"{name}: {path[:255]}{reason}" for name in ("file", "panels[0].ca_path"))
    assert str(caught.value) == f"{first} {second} Nothing was read or written."


def test_a_path_in_a_directory_of_another_user_is_a_mistake_of_its_option(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.stat", refuse)
    with pytest.raises(OptionError, match=r"^file: /srv/export: Permission denied\. Nothing"):
        check({"file": "/srv/export"})


def test_a_path_where_nothing_is_yet_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in ("new", "new/deep", "file", "file/below"):
        assert check({"file": str(tmp_path / path)})["file"] == str(tmp_path / path)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "plugins" / "action").glob("panel_*.py")), ids=lambda path: path.stem
)
def test_every_action_checks_its_arguments_so(path: Path) -> None:
    action = importlib.import_module(
        f"ansible_collections.hosting.panel.plugins.action.{path.stem}"
    )

    assert action.ActionModule.specification
    assert (
        getattr(action.ActionModule, "read_arguments", JobAction.read_arguments)
        is JobAction.read_arguments
    )


# The time of a task


class RangError(Exception):
    """What Ansible raises at the alarm, for these tests."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Fail a test that waits for a minute."""

    def ring(_number: int, _frame: object) -> None:
        raise RangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)

    yield

    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def ring() -> None:
    """As at the end of the time."""
    signal.alarm(0)
    signal.raise_signal(signal.SIGALRM)


@pytest.mark.usefixtures("alarm")
def test_an_alarm_is_noted_while_a_runs_and_is_ansibles_again_afterwards() -> None:
    with note_alarm():
        assert not time_is_over.is_set()
        ring()
        assert time_is_over.is_set()
    with pytest.raises(RangError):
        signal.raise_signal(signal.SIGALRM)


@pytest.mark.usefixtures("alarm")
def test_the_time_stays_over_for_the_other_modules_of_the_task_and_not_for_the_next_task() -> None:
    with note_alarm():
        ring()

    with note_alarm():
        assert time_is_over.is_set()

    signal.alarm(60)
    with note_alarm():
        assert not time_is_over.is_set()


# The name of a panel


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://Panel.example/api/v2", "panel.example"),
        ("panel.example:8443", "panel.example:8443"),
        ("https://panel.example:443/api/v2", "panel.example"),
        ("http://[::1]:7702", "[::1]:7702"),
    ],
)
def test_a_panel_is_known_by_the_host_in_its_address(address: str, host: str) -> None:
    assert get_panel_host({"api_url": address}, {}) == host
    assert get_panel_host({}, {"PANEL_API_URL": address}) == host


def test_a_task_that_would_go_to_another_panel_than_that_of_its_host_is_refused() -> None:
    with pytest.raises(
        OptionError, match=r"names one.example, and this host has two.example in panel_api_url"
    ):
        refuse_panel_of_another("https://two.example", {"PANEL_API_URL": "https://one.example"})


@pytest.mark.parametrize(
    ("mode", "narrowed"), [(0o644, 0o640), (0o777, 0o640), (0o640, 0o640), (0o600, 0o600)]
)
def test_a_mode_is_narrowed_and_never_widened(tmp_path: Path, mode: int, narrowed: int) -> None:
    path = tmp_path / "report.html"
    path.touch()
    path.chmod(mode)

    predicted = limit_mode(path, 0o640, check_mode=True)
    mode_after_prediction = path.stat().st_mode & 0o777
    has_changed = limit_mode(path, 0o640, check_mode=False)

    assert (predicted, mode_after_prediction, has_changed) == (mode != narrowed, mode, predicted)
    assert path.stat().st_mode & 0o777 == narrowed


def test_a_mode_that_this_user_or_file_system_cannot_change_is_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.touch(mode=0o644)

    def refuse(_path: Path, _mode: int) -> None:
        raise PermissionError

    for change in (refuse, lambda _path, _mode: None):
        monkeypatch.setattr(os, "chmod", change)
        assert not limit_mode(path, 0o640, check_mode=False)
