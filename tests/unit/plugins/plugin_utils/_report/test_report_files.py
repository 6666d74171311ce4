# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a file of a report is written."""

from __future__ import annotations

import datetime
import errno
import os
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_files import (
    FileFailure,
    fresh_text,
    text_for,
    write,
)
from tests.support.full_disk import room_for

MORNING = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
NOON = MORNING.replace(hour=12)


def made(text: str, then: datetime.datetime) -> str:
    return f'{{"generated_at": "{then.isoformat()}", "data": "{text}"}}'


def test_the_same_report_on_the_same_day_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    assert text_for(path, MORNING, lambda then: made("a", then)) == (made("a", MORNING), True)
    path.write_text(made("a", MORNING), encoding="utf-8")
    assert text_for(path, NOON, lambda then: made("a", then)) == (made("a", MORNING), False)


def test_another_report_another_day_and_a_file_without_a_time_are_written(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(made("a", MORNING), encoding="utf-8")
    tomorrow = MORNING + datetime.timedelta(days=1)
    assert text_for(path, NOON, lambda then: made("b", then)) == (made("b", NOON), True)
    assert text_for(path, tomorrow, lambda then: made("a", then)) == (made("a", tomorrow), True)
    for text in ("", "something", made("a", MORNING).replace("2026", "abcd"), '{"generated_at": "2026-11-20"}'):
        path.write_text(text, encoding="utf-8")
        assert text_for(path, NOON, lambda then: made("a", then)) == (made("a", NOON), True)


def test_metrics_are_always_fresh_and_are_changed_where_more_than_their_time_is_another(tmp_path: Path) -> None:
    path = tmp_path / "report.prom"

    def as_of(text: str) -> str:
        return text.partition(" at ")[0]

    assert fresh_text(path, "a at 6", as_of) == ("a at 6", True)
    path.write_text("a at 6", encoding="utf-8")
    assert fresh_text(path, "a at 7", as_of) == ("a at 7", False)
    assert fresh_text(path, "b at 7", as_of) == ("b at 7", True)


def test_a_file_is_replaced_as_a_whole_with_its_mode_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.html"
    for text in ("one", "two"):
        write(path, text, 0o640)
        assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == (text, 0o640)
    assert [found.name for found in path.parent.iterdir()] == ["report.html"]


def test_a_file_whose_folder_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileFailure, match="What was there is as it was"):
        write(tmp_path / "file" / "report.html", "text", 0o640)


def test_a_full_disk_leaves_the_older_file_and_says_which_ones_are_new(tmp_path: Path) -> None:
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    for path in (page, data):
        write(path, "older", 0o640)
    with room_for(4), pytest.raises(FileFailure) as caught:
        write(data, "newer text", 0o640, [page])
    reason = os.strerror(errno.EFBIG)
    assert str(caught.value) == (
        f"{data}: {reason}. What was there is as it was. {page} was written before it. Mend the cause and run again."
    )
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == dict.fromkeys(
        ["report.html", "report.json"], "older"
    )


def test_a_full_disk_at_the_first_file_says_that_nothing_is_new(tmp_path: Path) -> None:
    with room_for(4), pytest.raises(FileFailure, match=r"Nothing was written before it\."):
        write(tmp_path / "report.html", "newer text", 0o640)
    assert list(tmp_path.iterdir()) == []
