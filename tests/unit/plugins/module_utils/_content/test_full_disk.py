"""Which disk a message names."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.full_disk import name_full_disk

ERROR = ContentError("It failed.", "dest", "Nothing was written.", "Run it again.")


def advise(monkeypatch: pytest.MonkeyPatch, needed: int = 0, **disk: int) -> str:
    """Return the advice of an error on such a disk."""
    values = {"f_bavail": 1025, "f_frsize": 1024, "f_files": 9, "f_favail": 1, **disk}
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(**values))
    error = name_full_disk(ERROR, "/var/mail", needed)
    assert (error.problem, error.option, error.effect) == (
        *("It failed.", "dest", "Nothing was written."),
    )
    return error.advice


def test_error_stays_as_it_is_where_the_disk_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    assert advise(monkeypatch) == "Run it again."
    assert advise(monkeypatch, f_files=0, f_favail=0) == "Run it again."


def test_disk_without_room_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert advise(monkeypatch, f_bavail=12) == (
        "The disk of /var/mail has 12 KiB left: make room there, and run the task again."
    )
    assert "has no room for another file:" in advise(monkeypatch, f_favail=0)


def test_disk_with_less_room_than_is_still_needed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has 1025 KiB left:" in advise(monkeypatch, needed=2000)


def test_disk_that_nobody_knows_is_not_named(tmp_path: Path) -> None:
    assert name_full_disk(ERROR, str(tmp_path / "missing")) is ERROR
