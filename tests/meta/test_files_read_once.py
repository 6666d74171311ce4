"""A variable that reads a file is evaluated again wherever it stands, so one task evaluates it and names what it read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from tools.layout import ROOT

READING = re.compile(
    r"""(?:lookup|query)\('(?:ansible\.builtin\.(?:file|unvault)|hosting\.panel\.panel_\w+)'"""
)
# They read variables and names of files, and no file of an operator.
READING_VARIABLES = re.compile(
    r"hosting\.panel\.panel_(?:variables|unread_variables|file_conflicts)'"
)
SECTIONS = ("block", "rescue", "always")
ROLES = ("content", "move", "sites")


@dataclass(frozen=True)
class Role:
    """What may evaluate a variable of a role.

    variables: The text of each variable, without those that only check the others first.
    tasks: The text of each task and template.
    """

    variables: dict[str, str]
    tasks: list[str]

    def count_evaluations(self, variable: str) -> int:
        """Return how many tasks evaluate a variable, also by way of other variables."""
        named = re.compile(rf"\b{variable}\b")
        users = [name for name, text in self.variables.items() if named.search(text)]
        tasks = [text for text in self.tasks if named.search(text)]

        return len(tasks) + sum(map(self.count_evaluations, users))


def read_role(name: str) -> Role:
    """Return the variables, tasks and templates of a role."""
    folder = ROOT / "roles" / name
    variables = yaml.safe_load((folder / "vars" / "main.yml").read_text(encoding="utf-8"))
    task_files = sorted((folder / "tasks").glob("*.yml"))
    tasks = [
        str(task)
        for file in task_files
        for task in list_tasks(yaml.safe_load(file.read_text(encoding="utf-8")))
    ]
    templates = [
        file.read_text(encoding="utf-8") for file in sorted((folder / "templates").glob("*.j2"))
    ]

    return Role(
        {variable: str(value) for variable, value in variables.items() if not is_check(variable)},
        tasks + templates,
    )


def list_tasks(tasks: Any) -> Iterator[dict[str, Any]]:
    """Yield the tasks of a list and of its blocks, each without the tasks in it."""
    for task in tasks:
        yield {key: value for key, value in task.items() if key not in SECTIONS}
        for section in SECTIONS:
            yield from list_tasks(task.get(section, []))


def is_check(variable: str) -> bool:
    """Return whether a variable only serves the check of the others, which comes first."""
    return variable.endswith(("mistakes", "_to_check", "_wrong_values"))


def read_playbook(name: str) -> Role:
    """Return the variables and the tasks of a playbook with one play."""
    text = (ROOT / "playbooks" / f"{name}.yml").read_text(encoding="utf-8")
    (play,) = yaml.safe_load(text)
    variables = {variable: str(value) for variable, value in play["vars"].items()}

    return Role(variables, [str(task) for task in list_tasks(play["tasks"])])


def count_readings(role: Role) -> dict[str, int]:
    """Return for each variable that reads a file how many tasks evaluate it."""
    return {
        variable: role.count_evaluations(variable)
        for variable, text in role.variables.items()
        if READING.search(READING_VARIABLES.sub("", text))
    }


@pytest.mark.parametrize("name", ROLES)
def test_one_task_evaluates_a_variable_that_reads_a_file(name: str) -> None:
    counts = count_readings(read_role(name))

    assert set(counts.values()) == {1}, counts


def test_the_import_reads_the_file_of_decisions_once() -> None:
    assert count_readings(read_playbook("import")) == {"__import_decisions_read": 1}
