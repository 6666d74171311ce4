# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with the page of a plan: about this run in any case, and an error where it cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.drift_page import (
    page_of_drift,
    page_of_unknown_drift,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.plan_file import (
    PlanFile,
    page_of_failure,
    page_of_plan,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import JobFailed
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.plan_page import PAGES, Page
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.vaulted import RunVault
from tests.support.full_disk import room_for

PLAN = {
    "summary": {"create": 1, "update": 0, "delete": 0, "unchanged": 3},
    "actions": [{"action": "create", "kind": "emails", "key": "a@acme.example", "client": "acme", "after": {}}],
    "checksum": "c0ffee",
}
NOTHING = {"summary": {"create": 0, "update": 0, "delete": 0, "unchanged": 3}, "actions": [], "checksum": "c0ffee"}


def file_of(path: Path | None) -> PlanFile:
    job: Any = SimpleNamespace(arguments={"plan_file": None if path is None else str(path)}, vault=RunVault(None))
    return PlanFile(job)


@pytest.mark.parametrize(
    ("planned", "new", "has_file", "words"),
    [
        (
            {"plan": PLAN},
            [],
            False,
            "`hosting.panel.apply` with `panel_expected_checksum` `c0ffee` does exactly this, or nothing.",
        ),
        ({"plan": PLAN}, ["emails a@acme.example"], True, "The new passwords of 1 object go into the encrypted file."),
        (
            {"plan": PLAN},
            ["a", "b"],
            False,
            "**This plan cannot be applied:** nobody would know the passwords of 2 objects.",
        ),
        ({"plan": NOTHING}, [], False, "There is nothing to do."),
        (
            {"plan": PLAN, "failed": True, "msg": "max_deletes: no."},
            [],
            False,
            "**This plan cannot be applied:**\n\n```text\nmax_deletes: no.\n```",
        ),
        (
            {"failed": True, "msg": "GET /emails answered 401."},
            [],
            False,
            "There is none, because:\n\n```text\nGET /emails answered 401.\n```",
        ),
        ({"plan": PLAN, "warnings": ["[x](y)"]}, [], False, "Warning: `[x](y)`"),
        ({"plan": PLAN, "warnings": ["w"] * 13}, [], False, "And 3 more warnings."),
    ],
)
def test_the_page_says_what_can_be_done_with_the_plan(
    planned: dict[str, Any], new: list[str], has_file: bool, words: str
) -> None:
    text = page_of_plan("web1", planned, new, has_file).text()
    assert text.startswith("# Plan for `web1`\n" if "plan" in planned else "# No plan for `web1`\n")
    assert words in text
    if "cannot be applied" in words:
        assert "c0ffee" not in text  # nobody shall approve it


def test_every_page_is_known_as_one_by_the_next_run(tmp_path: Path) -> None:
    changed = (tmp_path / "panel.yml", "plans: []\n", "plans: [{name: x}]\n")
    pages = [
        page_of_plan("web1", {"plan": PLAN}, [], False),
        page_of_failure("web1", "It failed."),
        page_of_drift(tmp_path, [], {}),
        page_of_drift(tmp_path, [changed], {}),
        page_of_unknown_drift(tmp_path, "It failed."),
    ]
    assert [page.title for page in pages if not PAGES.may_replace(page.text().encode())] == []
    assert len({page.text().split("`")[0] for page in pages}) == len(pages)


def test_the_file_is_replaced_as_a_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("# Plan for `another`, on an older page that is longer", encoding="utf-8")
    path.chmod(0o640)
    file_of(path).write(Page("New", [], []))
    assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == ("# New\n", 0o640)
    assert [one.name for one in tmp_path.iterdir()] == ["plan.md"]


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(None).write(Page("New", [], []))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_older_page_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("# Plan for `older`", encoding="utf-8")
    with room_for(4), pytest.raises(JobFailed) as caught:
        file_of(path).write(page_of_failure("web1", "no"))
    assert [(one, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [(path, "# Plan for `older`")]
    assert str(caught.value) == (
        f"plan_file: {path}: cannot be written: {os.strerror(errno.EFBIG)}. A page that is there is of an earlier run. "
        "Nothing was written to the panel. Make room, or name another file, and run again."
    )
