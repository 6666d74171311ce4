"""When an import is stopped because the disk of the server becomes full."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database import disk_watch
from ansible_collections.hosting.panel.plugins.module_utils._content.database.disk_watch import (
    ROOM,
    DiskWatch,
)

LONGEST_WAIT = 20.0


class Disk:
    """A disk of which the test says how much room it has."""

    def __init__(self) -> None:
        self.free = 2 * ROOM

    def show(self, _path: str) -> SimpleNamespace:
        """Return what the kernel says of it."""
        return SimpleNamespace(f_bavail=self.free // 1024, f_frsize=1024, f_files=0, f_favail=0)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """Return a disk with room, which is looked at often."""
    disk = Disk()
    monkeypatch.setattr(os, "statvfs", disk.show)
    monkeypatch.setattr(disk_watch, "_PAUSE", 0.01)
    return disk


def _make_stop(stopped: threading.Event, error: str = "") -> Callable[[], None]:
    def stop() -> None:
        stopped.set()
        if error:
            raise ContentError(error)

    return stop


def test_import_on_a_disk_with_room_is_not_stopped(disk: Disk) -> None:
    stopped = threading.Event()
    with DiskWatch("/var/lib/mysql", _make_stop(stopped)) as watch:
        assert not stopped.wait(0.1)
    assert watch.make_error() is None


@pytest.mark.parametrize("error", ["", "the server refuses"])
def test_import_is_stopped_while_some_room_is_left(disk: Disk, error: str) -> None:
    stopped = threading.Event()
    with DiskWatch("/var/lib/mysql", _make_stop(stopped, error)) as watch:
        disk.free = 40 * 2**20
        assert stopped.wait(LONGEST_WAIT)
    disk.free = 2 * ROOM
    raised = watch.make_error()
    assert raised is not None
    assert (raised.problem, raised.advice) == (
        "the import was stopped before the disk of the database server was full.",
        "The disk of /var/lib/mysql has 40960 KiB left: make room there, and run the task again.",
    )


def test_import_does_not_begin_on_a_disk_that_is_nearly_full(disk: Disk) -> None:
    stopped = threading.Event()
    disk.free = 3 * 2**20
    with pytest.raises(ContentError) as raised, DiskWatch("/var/lib/mysql", _make_stop(stopped)):
        pass
    assert raised.value.compose() == (
        "the disk of the database server of this host is nearly full. Nothing was written. The disk of"
        " /var/lib/mysql has 3072 KiB left: make room there, and run the task again."
    )
    assert not stopped.is_set()
