# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a verify: what a fuller run of the same version has written is not lost to one that saw less."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify.files import is_fuller, written
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import read_points
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.texts import extent_line, page, profile_text
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verdicts import checks, profile

POINTS = read_points()
READ = frozenset({"read"})
Texts = tuple[str, str]


def _texts(number: int, version: str = "26.0", was_finished: bool = True, numbers: str = "texts") -> Texts:
    """Page and profile of a run that saw so many points."""
    found = {name: point.default for name, point in list(POINTS.items())[:number]}
    made = checks({**found, "numbers": numbers}, POINTS, READ)
    shown = page(made, POINTS, version, "hosting.panel 1.0.0", [], None, was_finished)
    return shown, profile_text(profile(made), version, extent_line(made, was_finished))


# By what is there and what comes, whether what is there stays.
CASES = {
    "less, of the same version": (_texts(40), _texts(8), True),
    "as much": (_texts(8), _texts(8, numbers="numbers"), False),
    "more": (_texts(8), _texts(40), False),
    "another version": (_texts(40), _texts(8, "26.1"), False),
    "a version that was not told": (_texts(40, ""), _texts(8, ""), True),
    "not finished after finished": (_texts(8), _texts(40, was_finished=False), True),
    "finished after not finished": (_texts(40, was_finished=False), _texts(8), False),
    "not finished twice, the second with less": (
        _texts(40, was_finished=False),
        _texts(8, was_finished=False),
        True,
    ),
    "something of somebody's": (("# Notes\n", "numbers: texts\n"), _texts(8), False),
}


@pytest.mark.parametrize("name", CASES)
def test_what_saw_more_of_a_version_stays_and_both_files_are_of_one_run(name: str, tmp_path: Path) -> None:
    before, texts, stays = CASES[name]
    files = (tmp_path / "panel.md", tmp_path / "panel.yml")
    for file, text in zip(files, before, strict=True):
        file.write_text(text, encoding="utf-8")
    changed, kept, problems = written((files[0], texts[0]), (files[1], texts[1]), (), False, True)
    assert tuple(file.read_text(encoding="utf-8") for file in files) == (before if stays else texts)
    assert (changed, kept) == (([], list(map(str, files))) if stays else (list(map(str, files)), []))
    assert problems == []
    assert [is_fuller(old, new) for old, new in zip(before, texts, strict=True)] == [stays, stays]


def test_a_file_alone_that_saw_more_keeps_the_other_one_from_being_written(tmp_path: Path) -> None:
    fuller, less = _texts(40), _texts(8)
    (tmp_path / "panel.yml").write_text(fuller[1], encoding="utf-8")
    found = written((tmp_path / "panel.md", less[0]), (tmp_path / "panel.yml", less[1]), (), False, True)
    assert found == ([], [str(tmp_path / "panel.yml")], [])
    assert not (tmp_path / "panel.md").exists()


def test_a_page_that_stays_is_told_once_what_a_later_run_has_left_and_keeps_its_row(tmp_path: Path) -> None:
    fuller, less = _texts(40), _texts(8, was_finished=False)
    page_file, profile_file = tmp_path / "panel.md", tmp_path / "panel.yml"
    page_file.write_text(fuller[0], encoding="utf-8")
    profile_file.write_text(fuller[1], encoding="utf-8")
    for changed in ([str(page_file)], []):
        found = written((page_file, less[0]), (profile_file, less[1]), ("It was interrupted.",), False, True)
        assert found == (changed, [str(page_file), str(profile_file)], [])
    lines = page_file.read_text(encoding="utf-8").splitlines()
    assert lines[:4] == ["# What this panel does", "", "**A later verify: It was interrupted.**", ""]
    assert lines[4:] == fuller[0].splitlines()[2:]
    assert profile_file.read_text(encoding="utf-8") == fuller[1]


def test_what_would_come_is_not_known_in_check_mode_with_writes_so_that_nothing_stays(tmp_path: Path) -> None:
    file = tmp_path / "panel.md"
    file.write_text(_texts(40)[0], encoding="utf-8")
    assert written((file, _texts(8)[0]), (None, ""), (), True, False) == ([str(file)], [], [])
    assert file.read_text(encoding="utf-8") == _texts(40)[0]


def test_a_run_that_was_not_finished_says_so_at_the_top_and_has_no_row_for_others() -> None:
    shown, text = _texts(8, was_finished=False)
    assert shown.splitlines()[2].startswith("**Not finished: run it again")
    assert "table of verified panels in the README" not in shown
    assert not shown.splitlines()[-1].startswith("| 26.0")
    assert "which was not finished, and saw " in text.splitlines()[0]
