"""hosting.panel.panel_path_mistakes: paths in variables of the playbooks that lead to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_path_mistakes import panel_path_mistakes

MISSING = "panel_dir: missing. Set it to the directory of the files."
NO_DIRECTORY = "panel_dir: there is no directory {folder}/none. Correct the path."
NO_FILE = "panel_after_apply: there is no file {folder}/none. Correct the path."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with a file of tasks, which the environment and a link name too."""
    (tmp_path / "tasks.yml").touch()
    (tmp_path / "link").symlink_to(tmp_path / "none")
    monkeypatch.setenv("FOLDER", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("settings", "mistakes"),
    [
        ({"panel_dir": "."}, []),
        ({"panel_dir": "$FOLDER"}, []),
        ({"panel_dir": "~"}, []),
        ({"panel_dir": "none"}, [NO_DIRECTORY]),
        ({"panel_dir": "$FOLDER/none"}, [NO_DIRECTORY]),
        ({"panel_dir": "~/link"}, [NO_DIRECTORY]),
        ({}, [MISSING]),
        ({"panel_after_apply": "tasks.yml", "panel_dir": "."}, []),
        ({"panel_after_apply": "none", "panel_dir": "."}, [NO_FILE]),
        ({"panel_after_apply": "~/none"}, [NO_FILE, MISSING]),
        ({"panel_after_apply": "link", "panel_dir": "none"}, [NO_FILE, NO_DIRECTORY]),
    ],
)
def test_a_path_that_leads_to_nothing_is_a_mistake(
    folder: Path, settings: dict[str, Any], mistakes: list[str]
) -> None:
    expected = [mistake.format(folder=folder) for mistake in mistakes]

    assert panel_path_mistakes(settings, list(settings), True, True) == expected


@pytest.mark.usefixtures("folder")
def test_a_directory_is_no_file_of_tasks() -> None:
    (mistake,) = panel_path_mistakes({"panel_after_apply": "."}, [], False, False)

    assert mistake.startswith("panel_after_apply: there is no file /")


def test_a_directory_whose_value_is_a_mistake_is_not_missing() -> None:
    assert panel_path_mistakes({}, ["panel_dir"], True, True) == []


@pytest.mark.usefixtures("folder")
def test_a_playbook_that_writes_the_directory_may_make_it() -> None:
    assert panel_path_mistakes({"panel_dir": "none"}, ["panel_dir"], True, False) == []


def test_a_playbook_without_a_directory_needs_none() -> None:
    assert panel_path_mistakes({}, [], False, False) == []
