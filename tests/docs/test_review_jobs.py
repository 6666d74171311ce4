"""The jobs that put a plan into a merge request run what the page about them runs, and put no
secret on a command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.support.snippets import list_snippets
from tools.layout import ROOT

PAGE = ROOT / "docs" / "reviews.md"
JOBS = ROOT / "extensions" / "ci"
GITLAB: dict[str, Any] = yaml.safe_load((JOBS / "gitlab.yml").read_text(encoding="utf-8"))["plan"]
GITHUB: dict[Any, Any] = yaml.safe_load((JOBS / "github.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = GITHUB["jobs"]["plan"]["steps"]
COMMANDS = [snippet.text.strip() for snippet in list_snippets(PAGE) if snippet.language == "shell"]
SECRETS = re.compile(r"secrets[.]|PANEL_API_KEY")


def test_both_jobs_plan_as_the_page_does() -> None:
    (planned,) = {
        command.partition("\n")[0]
        for command in COMMANDS
        if "hosting.panel.plan" in command and "--ask" in command
    }
    command = planned.removesuffix(" --ask-vault-pass")

    assert GITLAB["script"] == [command]
    assert [step["run"] for step in STEPS if step.get("name") == "Plan"] == [command]


def test_both_jobs_are_for_branches_of_the_repository_only_and_comment_after_a_refused_plan_too() -> (
    None
):
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in GITLAB["rules"][0]["if"]
    assert (
        GITHUB["jobs"]["plan"]["if"]
        == "github.event.pull_request.head.repo.full_name == github.repository"
    )
    assert GITHUB["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert list(GITHUB["on"]) == ["pull_request"]  # pull_request_target would hand secrets to forks
    assert STEPS[-1]["if"].startswith("always() && ")
    assert "after_script" in GITLAB


def test_no_command_of_a_job_has_a_secret_or_a_text_of_the_merge_request_in_it() -> None:
    for step in STEPS:
        assert not SECRETS.search(step.get("run", ""))
        assert "${{" not in step.get("run", "")
    assert not any(
        SECRETS.search(line)
        for line in [*GITLAB["script"], *GITLAB["before_script"], *GITLAB["after_script"]]
    )


def test_the_note_of_gitlab_has_the_page_as_it_is_and_the_token_in_no_word_of_a_command(
    tmp_path: Path,
) -> None:
    recorder = tmp_path / "curl"
    recorder.write_text(
        "#!/usr/bin/env python3\nimport json, sys\njson.dump([sys.argv[1:], sys.stdin.read()], open('called', 'w'))\n",
        encoding="utf-8",
    )
    recorder.chmod(0o755)
    gitlab_variables = {
        "PANEL_NOTES_TOKEN": "t0ken",
        "CI_API_V4_URL": "https://git.example/api/v4",
        "CI_PROJECT_ID": "7",
    }
    environment = {
        **gitlab_variables,
        "CI_MERGE_REQUEST_IID": "3",
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    }
    script = "\n".join(GITLAB["after_script"])

    subprocess.run(["sh", "-ec", script], cwd=tmp_path, env=environment, check=True)

    assert not (
        tmp_path / "called"
    ).exists()  # there is no page after a run that could not even begin

    (tmp_path / "plan.md").write_text("# Plan", encoding="utf-8")
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, env=environment, check=True)
    arguments, header = json.loads((tmp_path / "called").read_text(encoding="utf-8"))

    assert header == "PRIVATE-TOKEN: t0ken"
    assert "t0ken" not in " ".join(arguments)
    assert "body@plan.md" in arguments
    assert "https://git.example/api/v4/projects/7/merge_requests/3/notes" in arguments
