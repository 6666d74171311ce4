"""A task on content ends with a result or a failure as data, and can be followed in a log."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _log
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.content_task import (
    run_content_task,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.piped_commands import (
    pipe_commands,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.process import run_rsync
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import run_command
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import SourceHost
from ansible_collections.hosting.panel.plugins.module_utils._content.watched_command import (
    run_watched,
)

SECRET = "x7-Secret-of-mine"


class Module:
    """Stands for an AnsibleModule, and keeps what it is told."""

    check_mode = False

    def __init__(self) -> None:
        self.failure: dict[str, Any] = {}
        self.warnings: list[str] = []

    def fail_json(self, msg: str, **fields: Any) -> NoReturn:
        """Keep the failure, and end."""
        self.failure = {"msg": msg, **fields}
        raise SystemExit(1)

    def warn(self, warning: str) -> None:
        """Keep a warning."""
        self.warnings.append(warning)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Switch the log on, into a file of the test."""
    path = tmp_path / "log"
    monkeypatch.setenv(_log.VARIABLE, str(path))
    return path


def fail_in(work: Callable[[], Any]) -> dict[str, Any]:
    """Return the failure of a task."""
    module = Module()
    with pytest.raises(SystemExit):
        run_content_task(module, work)

    return module.failure


def read_stages(log: Path) -> list[str]:
    """Return what the lines say, without times."""
    lines = log.read_text(encoding="utf-8").splitlines()

    return [re.sub(r"\d+\.\d{3} s", "...", line.split(" ", 2)[2]) for line in lines]


def test_what_was_refused_is_a_message_and_the_fields_of_it() -> None:
    def refuse() -> None:
        raise ContentError("/a is gone.", "src", "Nothing was written.", "Mount it.")

    assert fail_in(refuse) == {
        "msg": "src: /a is gone. Nothing was written. Mount it.",
        "error": {
            "type": "ContentError",
            "option": "src",
            "problem": "/a is gone.",
            "effect": "Nothing was written.",
            "advice": "Mount it.",
        },
        "is_complete": False,
    }


def test_an_odd_answer_of_a_tool_is_a_defect_with_its_file_and_without_the_answer() -> None:
    answer = {SECRET: ""}

    failure = fail_in(lambda: {"tables": answer["columns " + SECRET]})

    assert failure["error"] == {"type": "Defect"}
    assert re.search(r"KeyError in \w+ \(content_task\.py:\d+\)\.", failure["msg"])
    assert "Please report this line." in failure["msg"]
    assert "panel, since" not in failure["msg"]
    assert SECRET not in failure["msg"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ContentError("it is gone."), "task fails: ContentError"),
        (OSError(28, "No space left"), "task fails: ContentError"),
        (KeyError("columns"), "task fails: Defect"),
    ],
    ids=["refused", "the host", "defect"],
)
def test_the_log_says_how_a_task_failed(log: Path, error: Exception, line: str) -> None:
    def do_work() -> None:
        raise error

    fail_in(do_work)

    stages = [stage for stage in read_stages(log) if not stage.startswith("defect ")]
    assert stages == ["task starts", line]


def test_each_command_is_in_the_log_with_its_exit_code_and_without_its_arguments(
    log: Path,
) -> None:
    run_content_task(Module(), lambda: run_command(["sh", "-c", "exit 3", SECRET]))

    assert read_stages(log) == [
        "task starts",
        "command sh on this host starts",
        "command sh on this host ends: exit code 3, ...",
        "task ends",
    ]


@pytest.mark.parametrize(
    "run",
    [
        lambda: run_watched(["env", "true", SECRET]),
        lambda: run_rsync(["env", "true", SECRET], b"", [].append),
        lambda: run_rsync(["env", "true", SECRET], b"", [].append, [].append),
        lambda: pipe_commands(["env", "true", SECRET], ["env", "true", SECRET], bool),
    ],
    ids=["watched", "rsync", "noted rsync", "piped"],
)
def test_the_log_has_the_end_of_each_command_that_it_has_the_start_of(
    log: Path, run: Callable[[], Any]
) -> None:
    run_content_task(Module(), run)

    stages = read_stages(log)
    starts = [stage for stage in stages if stage.endswith(" starts") and "command" in stage]
    ends = [stage for stage in stages if " ends: exit code " in stage]
    assert len(starts) == len(ends) > 0
    assert SECRET not in log.read_text(encoding="utf-8")


def test_a_command_on_the_source_is_named_by_its_tool_and_that_host(log: Path) -> None:
    source = SourceHost("127.0.0.1", 9, "root", "/nowhere/key", "/nowhere/hosts")
    remote = ["runuser", "-u", "acme", "--", "rsync", SECRET]

    run_content_task(Module(), lambda: run_command(source.make_command(remote)))

    assert read_stages(log)[1:3] == [
        "command rsync on 127.0.0.1 starts",
        "command rsync on 127.0.0.1 ends: exit code 255, ...",
    ]


def test_a_log_that_cannot_be_written_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_log.VARIABLE, "relative")
    module = Module()

    assert run_content_task(module, lambda: 3) == 3
    assert module.warnings == [
        "PANEL_LOG: relative: is not an absolute path. The task was not logged."
    ]
