"""GitHub and GitLab run the whole check, and ask for what a report of a bug needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.environments import (
    COMING_CORE,
    CONTROLLER_PYTHON,
    NEWEST_CORE,
    OLDEST_CORE,
    TARGET_PYTHONS,
)
from tools.layout import ROOT

CHECK = ".ci/run"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
PAGES = sorted((ROOT / ".gitlab" / "issue_templates").glob("*.md"))
ASKED = ("collection", "ansible --version", "panel")
IMAGE = re.compile(r"python:(3\.\d+)-trixie")
"""An image of the Debian release that has the Node.js which the browser of the tests needs."""
BROWSER = "apt-get install --yes nodejs npm"
PATCHES = "sh tools/with-python -m tools.development tools.environments --patches"
WHEN_SCHEDULED = 'if [ "$CI_PIPELINE_SOURCE" = schedule ]; then {}; fi'
"""A command of GitLab that only the weekly run runs; on GitHub the step has a condition."""
COMING = "coming"
"""The job that tries what comes with the next ansible-core."""


def read(path: str) -> Any:
    """Return the content of a YAML file of the repository."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def list_commands(job: Any) -> list[str]:
    """Return the command lines of a job of GitHub."""
    return [step["run"] for step in job["steps"] if "run" in step]


def list_commands_as_on_gitlab(job: Any) -> list[str]:
    """Return the command lines of a job of GitHub as GitLab would write them."""
    commands = []
    for step in job["steps"]:
        if "run" not in step:
            continue
        command = step["run"].replace("${{ matrix.core }}", "$CORE")
        condition = step.get("if")
        if condition is not None:
            assert condition == "github.event_name == 'schedule'"
            command = WHEN_SCHEDULED.format(command)
        commands.append(command)

    return commands


def list_jobs_of_the_collection() -> dict[str, Any]:
    """Return the jobs of GitHub that run the tests with what the collection supports."""
    jobs = read(".github/workflows/check.yml")["jobs"]
    return {name: job for name, job in jobs.items() if name != COMING}


def test_a_push_to_github_runs_the_whole_check_on_every_python_as_root() -> None:
    workflow = read(".github/workflows/check.yml")
    check = workflow["jobs"]["check"]

    assert list_commands(check)[-2:] == [BROWSER, CHECK]
    # To put the programs of another Debian in place, which a test does, root has to mount.
    assert check["container"]["options"] == "--privileged"
    assert {*CONTROLLER_PYTHON.values()} <= {*TARGET_PYTHONS}
    # YAML reads the key `on` as true.
    assert {"pull_request", "push", "schedule", "workflow_dispatch"} == set(workflow[True])
    for job in list_jobs_of_the_collection().values():
        lines = list_commands(job)
        # Only root can install the tools of a host and be several users, and is root in an image.
        in_image = IMAGE.fullmatch(job["container"]["image"])[1]
        [installed] = [line for line in lines if line.startswith("uv python install ")]
        assert [*installed.split()[3:], in_image] == [*TARGET_PYTHONS]
        # Its checkout belongs to another user, which git does not take without this.
        assert 'git config --system --add safe.directory "$PWD"' in lines


def test_a_push_to_gitlab_runs_the_whole_check_on_every_python() -> None:
    pipeline = read(".gitlab-ci.yml")
    job = pipeline[pipeline["check"]["extends"]] | pipeline["check"]
    in_image = IMAGE.fullmatch(job["image"])[1]

    assert job["script"] == [BROWSER, CHECK]
    assert [*job["variables"]["PYTHONS"].split(), in_image] == [*TARGET_PYTHONS]


def test_both_hosts_run_the_tests_of_the_other_releases_of_ansible_core_beside_the_check() -> None:
    on_github = read(".github/workflows/check.yml")["jobs"]
    on_gitlab = read(".gitlab-ci.yml")
    between = [core for core in CONTROLLER_PYTHON if core not in (OLDEST_CORE, NEWEST_CORE)]

    assert on_github["cores"]["strategy"]["matrix"]["core"] == between
    assert on_gitlab["cores"]["parallel"]["matrix"] == [{"CORE": between}]
    commands = [
        command
        for command in list_commands_as_on_gitlab(on_github["cores"])
        if "tools.test" in command
    ]
    assert on_gitlab["cores"]["script"] == commands
    assert on_gitlab["cores"]["extends"] == on_gitlab["check"]["extends"]
    assert commands == ['sh tools/with-python -m tools.test "core($CORE)"']


def test_both_hosts_run_all_sanity_tests_on_every_ansible_core_for_every_request() -> None:
    on_github = read(".github/workflows/check.yml")["jobs"]["sanity"]
    on_gitlab = read(".gitlab-ci.yml")
    cores = [*CONTROLLER_PYTHON]
    expected = 'sh tools/with-python -m tools.test "sanity_whole($CORE)"'

    # No condition: it runs whenever the check does.
    assert "if" not in on_github
    assert on_github["strategy"]["matrix"]["core"] == cores
    assert list_commands_as_on_gitlab(on_github)[-1] == expected
    assert "rules" not in on_gitlab["sanity"]
    assert on_gitlab["sanity"]["parallel"]["matrix"] == [{"CORE": cores}]
    assert on_gitlab["sanity"]["script"] == [expected]
    assert on_gitlab["sanity"]["extends"] == on_gitlab["check"]["extends"]


def test_the_weekly_run_of_both_hosts_takes_the_newest_patch_of_each_ansible_core() -> None:
    on_gitlab = read(".gitlab-ci.yml")
    expected = WHEN_SCHEDULED.format(PATCHES)

    assert on_gitlab[".with every Python"]["before_script"][-1] == expected
    for job in list_jobs_of_the_collection().values():
        commands = list_commands_as_on_gitlab(job)
        tests = [
            number for number, line in enumerate(commands) if line == CHECK or "tools.test" in line
        ]
        assert commands.index(expected) < min(tests)


def test_only_the_weekly_run_of_both_hosts_tries_the_coming_ansible_core_and_fails_with_it() -> (
    None
):
    on_github = read(".github/workflows/check.yml")["jobs"][COMING]
    on_gitlab = read(".gitlab-ci.yml")[COMING]

    assert on_github["if"] == "github.event_name == 'schedule'"
    assert on_gitlab["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "schedule"'}]
    assert "continue-on-error" not in on_github
    assert "allow_failure" not in on_gitlab
    assert on_github["container"]["image"] == on_gitlab["image"]
    assert list_commands(on_github) == on_gitlab["script"]
    minor = int(COMING_CORE.partition(".")[2])
    requirement = f"'ansible-core>={COMING_CORE}.0rc1,<2.{minor + 1}'"
    assert f"pip install --pre {requirement} " in on_gitlab["script"][0]
    for directory in ("tests/unit", "tests/matrix"):
        [command] = [line for line in on_gitlab["script"] if f"pytest {directory} " in line]
        assert '-m "not release and not alone"' in command
    assert "ansible-test sanity" in on_gitlab["script"][-1]


def test_a_job_runs_one_session_or_group_that_there_is() -> None:
    text = (ROOT / ".gitlab-ci.yml").read_text(encoding="utf-8")
    run = re.findall(r"tools\.test (.+?)(?:; fi)?$", text, re.MULTILINE)
    sessions = re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text(), re.MULTILINE)

    assert len(run) == 2
    for argument in run:
        assert re.fullmatch(r'"(\w+)\(\$CORE\)"', argument)[1] in sessions


def test_the_code_of_conduct_is_that_of_ansible_and_names_a_private_address() -> None:
    text = (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8")

    assert "(https://docs.ansible.com/ansible/latest/community/code_of_conduct.html)" in text
    assert "(SECURITY.md#report-a-vulnerability)" in text
    # Rules of another wording would be others.
    assert len(text.split()) < 100


def test_both_hosts_install_the_uv_of_the_lock_file() -> None:
    lock = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    [locked] = re.findall(r"^uv==\S+", lock, re.MULTILINE)
    expected = f"python -m pip install {locked}"
    on_gitlab = read(".gitlab-ci.yml")[".with every Python"]

    assert expected in on_gitlab["before_script"]
    for job in list_jobs_of_the_collection().values():
        assert expected in list_commands(job)


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


def test_github_sends_who_found_a_vulnerability_to_the_page_about_it() -> None:
    [contact] = read(".github/ISSUE_TEMPLATE/config.yml")["contact_links"]

    assert contact["url"] == f"{read('galaxy.yml')['repository']}/blob/main/SECURITY.md"
    assert {"name", "url", "about"} == contact.keys()


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
