"""The folder of a simulator that runs in the background.

What is written into it and removed from it, and what is not.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panel_simulator import background
from panel_simulator.background import Background

OPTIONS = ["--max-seconds", "60"]
OWN = ["pid", "port", "api-key", "log", "panel_simulator.zip"]


def run(folder: Path, state: str, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    """Run what the role calls."""
    parent = ["--parent", str(os.getpid())]
    monkeypatch.setattr(
        sys, "argv", ["background", state, str(folder), "--", *OPTIONS, *parent, *options]
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("key\n"))

    return background.main()


def test_what_it_has_written_is_removed_with_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "simulator"
    assert run(folder, "started", monkeypatch, "--state", str(folder / "state.json")) == 0
    assert run(folder, "absent", monkeypatch) == 0
    assert not folder.exists()
    assert [json.loads(line)["changed"] for line in capsys.readouterr().out.splitlines()] == [
        True,
        True,
    ]


def test_files_of_the_operator_stay_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "simulator"
    assert run(folder, "started", monkeypatch) == 0

    (folder / "profile.yml").write_text("{}\n", encoding="utf-8")
    (folder / "notes").mkdir()

    for changed in (True, False):
        assert run(folder, "absent", monkeypatch) == 0
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["changed"] == changed
        assert {path.name for path in folder.iterdir()} == {"profile.yml", "notes"}


@pytest.mark.parametrize("name", ["api-key", "log", "port", "inventory.yml", ".vault"])
def test_a_folder_with_files_of_the_operator_is_refused_and_nothing_in_it_is_removed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("mine\n", encoding="utf-8")
    assert run(tmp_path, "started", monkeypatch) == 2

    message = (
        f"The directory {tmp_path} holds files that are not from a simulator ({name}); "
        "choose another simulator_directory.\n"
    )

    assert capsys.readouterr().err == message
    assert run(tmp_path, "absent", monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
        (name, "mine\n")
    ]


@given(st.sets(st.sampled_from([*OWN, "hosts.yml", "state.json", "keys"])), st.booleans())
def test_without_the_mark_a_folder_counts_only_if_it_holds_nothing_else(
    names: set[str], is_marked: bool
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        simulator = Background(Path("/nowhere"), [])
        patched.setattr(simulator, "_list_entries", lambda: names)
        patched.setattr(simulator, "_is_marked", lambda: is_marked)
        own_names = {path.name for path in simulator.list_own_files()}

    assert own_names <= set(OWN)

    if is_marked:
        assert own_names == names & set(OWN)
    elif not names <= set(OWN):
        assert own_names == set()
