"""Which doveadm is ended because it only computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import busy_watch
from ansible_collections.hosting.panel.plugins.module_utils._content.busy_watch import ENDED
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import run_command
from ansible_collections.hosting.panel.plugins.module_utils._content.watched_command import (
    run_watched,
)

ENDLESS = "while :; do :; done"
# Computes for a second, and then ends.
COMPUTING = "i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done"
# Computes for a second, in which it writes now and then.
WRITING = "i=0; while [ $i -lt 300 ]; do j=0; while [ $j -lt 3000 ]; do j=$((j+1)); done; i=$((i+1)); echo $i; done"


@pytest.fixture(autouse=True)
def doveadm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a shell that is called doveadm, which is watched for less than a second."""
    monkeypatch.setattr(busy_watch, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(busy_watch, "_PAUSE", 0.02)
    program = tmp_path / "doveadm"
    program.symlink_to("/bin/sh")
    return str(program)


def test_doveadm_that_only_computes_is_ended_and_says_why(doveadm: str) -> None:
    ended = run_command([doveadm, "-c", f"echo begun; {ENDLESS}"])
    assert (ended.code, ended.output, ended.errors) == (-9, b"begun\n", ENDED)


def test_doveadm_is_ended_where_others_have_started_it(doveadm: str) -> None:
    ended = run_watched(["sh", "-c", f"{doveadm} -c '{ENDLESS}'; echo after it"])
    assert (ended.code, ended.output, ended.errors) == (0, b"after it\n", ENDED)
    assert run_watched([doveadm, "-c", ENDLESS]).code == 128 + 9


def test_doveadm_that_writes_may_compute_for_any_time(doveadm: str) -> None:
    ended = run_command([doveadm, "-c", WRITING])
    assert (ended.code, ended.errors) == (0, b"")


def test_doveadm_that_waits_may_take_any_time(doveadm: str) -> None:
    assert run_command([doveadm, "-c", "sleep 0.6; exit 3"]).code == 3


def test_another_tool_may_compute_for_any_time() -> None:
    ended = run_command(["sh", "-c", f"{COMPUTING} > /dev/null"])
    assert (ended.code, ended.errors) == (0, b"")


def test_tool_whose_reads_and_writes_nobody_counts_is_left_alone() -> None:
    assert busy_watch._read_activity(2**22 + 7) is None
    assert list(busy_watch._list_family(2**22 + 7)) == [2**22 + 7]
