"""What is noted of the processes of dsync."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.dsync_notes import (
    DsyncNotes,
    DsyncProcess,
    begin_notes,
    note_process,
    read_notes,
    remove_notes,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation import process_status


@pytest.fixture
def notes_path(tmp_path: Path) -> Path:
    """Return the path of a file that is not there yet."""
    return tmp_path / "notes"


def run_noted(notes_path: Path, *command: str) -> int:
    """Run a command that is noted, and return its exit code."""
    return subprocess.run(note_process(command, str(notes_path)), check=False).returncode


def test_notes_have_each_process_in_order_and_what_was_there_twice_before(notes_path: Path) -> None:
    begin_notes(str(notes_path), {"digest 1", "digest 2"})
    earliest = int(time.time())
    numbers = []
    for _run in range(2):
        command = note_process(["true"], str(notes_path))
        with subprocess.Popen(command) as process:
            numbers.append(process.pid)
    notes = read_notes(str(notes_path))
    assert [process.number for process in notes.processes] == numbers
    assert all(earliest <= process.began <= time.time() for process in notes.processes)
    assert notes.repeated == {"digest 1", "digest 2"}
    assert notes.have_all_ended


def test_notes_of_a_killed_run_stay_as_they_are(notes_path: Path) -> None:
    begin_notes(str(notes_path), {"before"})
    run_noted(notes_path, "true")
    before = read_notes(str(notes_path))
    begin_notes(str(notes_path), {"later"})
    assert read_notes(str(notes_path)) == before


def test_notes_are_for_the_owner_alone(notes_path: Path) -> None:
    begin_notes(str(notes_path), frozenset())
    assert notes_path.stat().st_mode & 0o777 == 0o600


def test_there_are_no_notes_once_they_are_removed(notes_path: Path) -> None:
    begin_notes(str(notes_path), {"before"})
    for _run in range(2):
        remove_notes(str(notes_path))
        assert read_notes(str(notes_path)) == DsyncNotes()


def test_line_of_another_form_is_no_process(notes_path: Path) -> None:
    notes_path.write_bytes(b"12\n13 \n x 14\n15 1700000000\n\xff 1\n")
    assert [process.number for process in read_notes(str(notes_path)).processes] == [15]


def test_command_that_cannot_be_noted_is_not_run(notes_path: Path) -> None:
    notes_path.mkdir()
    assert run_noted(notes_path, "touch", str(notes_path / "run")) == 73
    assert not (notes_path / "run").exists()


@pytest.mark.parametrize(
    ("command", "state", "has_ended"),
    [
        (b"doveadm\0sync\0", "S", False),
        (b"", "R", False),
        (b"", "Z", True),
        (b"vim\0doveadm-notes\0", "S", False),
        (b"vim\0", "S", True),
    ],
    ids=["doveadm", "another program takes its place", "killed", "its name in words", "another"],
)
def test_a_process_has_ended_where_it_is_gone_or_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: bytes, state: str, has_ended: bool
) -> None:
    process = DsyncProcess(77, 0)
    monkeypatch.setattr(process_status, "PROCESSES", str(tmp_path))
    assert DsyncNotes((process,)).have_all_ended

    (tmp_path / "77").mkdir()
    (tmp_path / "77" / "cmdline").write_bytes(command)
    (tmp_path / "77" / "stat").write_text(f"77 (a) b) {state} 1 77", encoding="ascii")
    assert DsyncNotes((process,)).have_all_ended is has_ended
