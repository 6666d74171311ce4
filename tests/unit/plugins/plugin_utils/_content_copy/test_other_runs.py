"""What a run says and removes of the keys that other runs have left."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_message import (
    panel_content_message,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_result import (
    panel_content_result,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._content_copy.other_runs import (
    describe_other_runs,
)
from tests.support.program_file import load_program

PROGRAM = Path(__file__).parents[5] / "roles" / "content" / "files" / "find_other_copies.py"
OWN, OTHER, LATER = (f"{number:016x}" for number in range(3))
RUN = ["new", "/moves/b"]


find_other_copies = load_program(PROGRAM)


def _print(*entries: dict[str, Any]) -> str:
    return f"Last login: today\nothers {json.dumps(entries)}\r\n"


def test_each_other_run_is_named_with_all_that_it_has_on_a_host() -> None:
    line = {"copy": OTHER, "path": "/keys/file", "expires": "20261210"}
    commands = {"copy": OTHER, "path": f"/var/copy-from-{OTHER}", "run": RUN}
    key = {"copy": LATER, "path": f"/var/copy-to-{LATER}", "run": []}
    leftovers = [
        {"host": "old", "printed": [_print(line), _print(commands)]},
        {"host": "new", "printed": ["", _print(key)]},
    ]

    state = {"run": {"done": {}, "failed": []}}
    result = panel_content_result([], state, "copy", {"leftovers": leftovers})

    assert result["other_runs"] == [
        (
            "old has a key of another run, or commands for one: /keys/file"
            f" (hosting.panel-content-{OTHER}, until 2026-12-10) and /var/copy-from-{OTHER}."
            " If that run has been killed, run it again for new with the state directory /moves/b,"
            " or remove what is named."
        ),
        (
            f"new has a key of another run, or commands for one: /var/copy-to-{LATER}."
            " If that run has been killed, remove what is named."
        ),
    ]
    assert result["failures"] == []
    message = panel_content_message({**result, "page": ""}, "new")
    assert message.endswith(" ".join(result["other_runs"]))


def test_hosts_that_have_nothing_are_not_named() -> None:
    leftovers = [{"host": "old", "printed": ["", _print()]}]

    assert describe_other_runs([]) == describe_other_runs(leftovers) == []


def _make(root: Path, name: str, days: int = 0) -> Path:
    path = root / name
    path.mkdir()
    (path / "file").write_text("", encoding="utf-8")
    when = time.time() - days * 24 * 60 * 60
    os.utime(path, (when, when))
    return path


def test_only_what_is_older_than_any_key_is_removed_and_the_rest_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = _make(tmp_path, f"copy-to-{LATER}", 9)
    younger = _make(tmp_path, f"copy-to-{OTHER}", 7)
    for name in (f"copy-to-{OWN}", f"copy-from-{OTHER}", "copy-to-somewhere"):
        _make(tmp_path, name, 9)
    (tmp_path / f"copy-to-{9:016x}").symlink_to(tmp_path / "copy-to-somewhere")

    assert find_other_copies.main(["", str(tmp_path), "copy-to", OWN]) == 0

    leftovers = [{"copy": OTHER, "path": str(younger), "run": []}]
    assert capsys.readouterr().out == f"others {json.dumps(leftovers)}\n"
    assert not old.exists()
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize(
    ("name", "content", "run"),
    [
        ("allowed.json", json.dumps({"commands": [], "run": RUN}), RUN),
        ("key.pub", f"ssh-ed25519 AAAA {json.dumps(RUN)}\n", RUN),
        ("key.pub", "ssh-ed25519 AAAA hosting.panel-content\n", []),
        ("key.pub", "ssh-ed25519 AAAA\n", []),
        ("allowed.json", '{"run": [1, 2]}', []),
        ("allowed.json", "[", []),
    ],
    ids=["source", "target", "a name", "none", "numbers", "cut off"],
)
def test_the_run_is_read_where_it_is_known(
    tmp_path: Path, name: str, content: str, run: list[str]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")

    assert find_other_copies.read_run(tmp_path) == run
