"""Which tools are ended because they only compute."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import busy_watch
from ansible_collections.hosting.panel.plugins.module_utils._content.busy_watch import ENDED
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import (
    Ended,
    run_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.watched_command import (
    run_watched,
)

ENDLESS = "while :; do :; done"
# Computes for a second, in which it writes now and then.
WRITING = "i=0; while [ $i -lt 300 ]; do j=0; while [ $j -lt 3000 ]; do j=$((j+1)); done; i=$((i+1)); echo $i; done"


@pytest.fixture(autouse=True)
def fast_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a tool be watched for less than a second."""
    monkeypatch.setattr(busy_watch, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(busy_watch, "_PAUSE", 0.02)


def run_tool(script: str) -> Ended:
    """Run a program of the shell."""
    return run_command(["sh", "-c", script])


def test_tool_that_only_computes_is_ended_and_says_why() -> None:
    ended = run_tool(f"echo begun; {ENDLESS}")
    assert (ended.code, ended.output, ended.errors) == (-9, b"begun\n", ENDED)


def test_tool_is_ended_where_others_have_started_it() -> None:
    ended = run_watched(["sh", "-c", f"sh -c '{ENDLESS}'; echo after it"])
    assert (ended.code, ended.output, ended.errors) == (0, b"after it\n", ENDED)
    assert run_watched(["sh", "-c", ENDLESS]).code == 128 + 9


def test_tool_that_writes_may_compute_for_any_time() -> None:
    ended = run_tool(WRITING)
    assert (ended.code, ended.errors) == (0, b"")


def test_tool_that_waits_may_take_any_time() -> None:
    assert run_tool("sleep 0.6").code == 0


def test_tool_whose_reads_and_writes_nobody_counts_is_left_alone() -> None:
    assert busy_watch._read_activity(2**22 + 7) is None
    assert list(busy_watch._list_family(2**22 + 7)) == [2**22 + 7]
