"""The examples of the filters of the role content have all that they need, and are run."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.playbook import Run, play
from tools.layout import ROOT


def list_examples(path: Path) -> list[dict[str, Any]]:
    """Return the tasks in the EXAMPLES of a filter."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            assert isinstance(node.value, ast.Constant)
            return list(yaml.safe_load(str(node.value.value)))
    raise AssertionError(f"{path.name} has no EXAMPLES")


EXAMPLES = {
    f"{path.stem}: {task['name']}": task
    for path in sorted(ROOT.glob("plugins/filter/panel_content_*.py"))
    for task in list_examples(path)
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return all examples in one playbook."""
    tasks = [{**task, "name": name} for name, task in EXAMPLES.items()]
    return play(tasks, None, tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_filter_is_run(run: Run, name: str) -> None:
    recording = run[name]

    assert recording.outcome == "ok", recording.msg
    assert recording.msg != ""
