"""GitHub and GitLab run the whole check, and ask for what a report of a bug needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.environments import CONTROLLER_PYTHON, TARGET_PYTHONS
from tools.layout import ROOT

CHECK = ".ci/run"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
PAGES = sorted((ROOT / ".gitlab" / "issue_templates").glob("*.md"))
ASKED = ("collection", "ansible --version", "panel")


def read(path: str) -> Any:
    """Return the content of a YAML file of the repository."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_a_push_to_github_runs_the_whole_check_on_every_python() -> None:
    workflow = read(".github/workflows/check.yml")
    steps = workflow["jobs"]["check"]["steps"]
    versions = [step["with"]["python-version"] for step in steps if "python-version" in str(step)]

    assert steps[-1] == {"run": CHECK}
    assert versions[0].split() == [*TARGET_PYTHONS]
    assert {*CONTROLLER_PYTHON.values()} <= {*TARGET_PYTHONS}
    # YAML reads the key `on` as true.
    assert {"pull_request", "push", "schedule"} == set(workflow[True])


def test_a_push_to_gitlab_runs_the_whole_check_on_every_python() -> None:
    job = read(".gitlab-ci.yml")["check"]
    in_image = job["image"].removeprefix("python:")

    assert job["script"] == [CHECK]
    assert [*job["variables"]["PYTHONS"].split(), in_image] == [*TARGET_PYTHONS]


def test_the_check_is_a_program() -> None:
    assert (ROOT / CHECK).stat().st_mode & 0o111


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_is_one_that_github_takes(path: Path) -> None:
    form = read(path.relative_to(ROOT).as_posix())
    fields = [field for field in form["body"] if field["type"] != "markdown"]

    assert form["name"] and form["description"]
    assert {field["type"] for field in fields} <= {"input", "textarea"}
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


@pytest.mark.parametrize("folder", [FORMS, PAGES], ids=["GitHub", "GitLab"])
def test_a_report_of_a_bug_says_what_was_run_and_warns_of_secrets(folder: list[Path]) -> None:
    text = next(path for path in folder if path.stem.lower() == "bug").read_text(encoding="utf-8")

    assert "SECURITY.md" in text and "Replace keys, passwords" in text
    assert [phrase for phrase in ASKED if phrase not in text.lower()] == []


def test_both_hosts_ask_the_same_of_a_change() -> None:
    on_github = ROOT / ".github" / "pull_request_template.md"
    on_gitlab = ROOT / ".gitlab" / "merge_request_templates" / "Default.md"
    text = on_github.read_text(encoding="utf-8")

    assert on_gitlab.read_text(encoding="utf-8") == text
    assert len(re.findall(r"^- \[ \] ", text, re.MULTILINE)) == 4
