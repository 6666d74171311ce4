"""Locks between the tasks of one user on one machine."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.module_utils._operation import locks
from ansible_collections.hosting.panel.plugins.module_utils._operation.locks import Busy, hold_lock

processes = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the locks of the test into a directory of their own."""
    monkeypatch.setattr(locks, "_TEMPORARY", str(tmp_path))
    return tmp_path / f"hosting.panel-{os.geteuid()}"


def _hold(name: str, holds: Event, ends: Event | None = None) -> None:
    with hold_lock(name, "a zone", 10):
        holds.set()
        time.sleep(60) if ends is None else ends.wait(60)


@pytest.fixture
def holder() -> Iterator[int]:
    """The process that holds the lock ``zone``."""
    holds = processes.Event()
    process = processes.Process(target=_hold, args=("zone", holds))
    process.start()
    assert holds.wait(20)
    assert process.pid is not None

    yield process.pid

    process.kill()
    process.join(20)


@pytest.mark.usefixtures("holder")
def test_a_lock_that_another_process_keeps_for_too_long_is_an_error_that_says_where_to_look(
    folder: Path,
) -> None:
    with pytest.raises(Busy) as caught, hold_lock("zone", "zone acme.example", 0.2):
        pytest.fail("the other process holds it")
    assert str(caught.value) == (
        "zone acme.example: another task on this machine has been writing it for more than 0.2 s. Nothing was written. "
        f"Look for a process that hangs (fuser {next(folder.iterdir())} names it), and run the task again."
    )


def test_a_file_that_its_holder_unlinks_between_its_opening_and_its_lock_is_no_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One process ends, and a second one has the lock by a new file, before this one locks the file
    that it has opened."""
    held = processes.Event()
    ends = processes.Event()
    held_again = processes.Event()
    first = processes.Process(target=_hold, args=("zone", held, ends))
    second = processes.Process(target=_hold, args=("zone", held_again, ends))

    first.start()

    assert held.wait(20)

    flock = locks.fcntl.flock
    is_first = [True]

    def lock_late(descriptor: int, how: int) -> None:
        if is_first.pop() if is_first else False:
            ends.set()
            first.join(20)
            ends.clear()
            second.start()
            assert held_again.wait(20)
        flock(descriptor, how)

    monkeypatch.setattr(locks.fcntl, "flock", lock_late)

    try:
        with pytest.raises(Busy), hold_lock("zone", "a zone", 0.2):
            pytest.fail("the second process holds it")
    finally:
        ends.set()
        second.join(20)


def test_a_task_whose_ansible_was_killed_waits_no_longer(
    holder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parents = iter([os.getppid()])
    monkeypatch.setattr(os, "getppid", lambda: next(parents, 1))
    monkeypatch.setattr(time, "sleep", lambda _seconds: pytest.fail("it waits"))

    with pytest.raises(Busy), hold_lock("zone", "a zone", 1):
        pytest.fail("the other process holds it")


def test_a_process_that_is_killed_lets_go(holder: int, folder: Path) -> None:
    os.kill(holder, signal.SIGKILL)
    with hold_lock("zone", "a zone", 5):
        pass

    assert list(folder.iterdir()) == []


def _count(file: Path, times: int) -> None:
    for _time in range(times):
        with hold_lock("counter", "a file", 60):
            number = int(file.read_text(encoding="ascii"))
            time.sleep(0.001)
            file.write_text(str(number + 1), encoding="ascii")


def test_many_processes_are_in_it_one_after_the_other(tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "counter"
    file.write_text("0", encoding="ascii")
    workers = [processes.Process(target=_count, args=(file, 10)) for _worker in range(12)]
    for worker in workers:
        worker.start()

    for worker in workers:
        worker.join(60)

    assert file.read_text(encoding="ascii") == "120"
    assert list(folder.iterdir()) == []


def test_the_folder_is_the_users_own_and_does_not_depend_on_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/nowhere")

    with hold_lock("zone", "a zone", 1):
        assert len(list(folder.iterdir())) == 1
        assert "zone" not in next(folder.iterdir()).name
        assert next(folder.iterdir()).suffix == ".lock"

    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("trap", ["link", "file", "open to others"])
def test_a_folder_that_somebody_else_may_have_made_is_not_used(
    trap: str, folder: Path, tmp_path: Path
) -> None:
    if trap == "link":
        target = tmp_path / "target"
        target.mkdir(mode=0o700)
        folder.symlink_to(target)
    elif trap == "file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)

    with pytest.raises(PanelError) as caught, hold_lock("zone", "a zone", 1):
        pytest.fail("the folder is a trap")

    assert str(caught.value) == (
        f"{folder}: must be a directory of this user alone (mode 0700), for the locks of tasks that write. Nothing was written. "
        "Find out who made it, and remove it."
    )


@pytest.mark.parametrize("call", ["mkdir", "open"])
def test_a_file_that_cannot_be_locked_is_an_error_before_anything_is_written(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_disk_full(*_arguments: Any, **_named: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    monkeypatch.setattr(os, call, raise_disk_full)

    with pytest.raises(PanelError) as caught, hold_lock("zone", "zone acme.example", 1):
        pytest.fail("nothing is locked")

    assert str(caught.value) == (
        f"{folder}: cannot lock a file there while zone acme.example is written: No space left on device. Nothing was written. "
        "Correct the cause and run the task again."
    )


def test_a_task_whose_lock_was_removed_does_not_remove_that_of_another_task(folder: Path) -> None:
    first, second = hold_lock("zone", "a zone", 1), hold_lock("zone", "a zone", 1)

    with first:
        next(folder.iterdir()).unlink()  # as what cleans /tmp does
        second.__enter__()

    with pytest.raises(Busy), hold_lock("zone", "a zone", 0.2):
        pytest.fail("the second task holds it")

    second.__exit__(None, None, None)
    assert list(folder.iterdir()) == []
