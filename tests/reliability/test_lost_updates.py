"""Another writer changes a zone while a task changes it.

Nothing of either side is lost, or the task fails and says so.

The panel replaces a zone as a whole and knows no versions. One moment is left: a change that comes
within the one request between the last read and the write, in which no client can see it.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_task import (
    build_dns_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._http import late_writes
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from tests.support.operations import start_simulator
from tests.support.simulator import Simulator
from tests.support.tasks import run_task
from tests.support.transcript import make_connection

DOMAIN = "acme.example"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
HOSTS = ["ours", "ours", "theirs", "new-0", "new-1", "new-2", "new-3", "new-4", "new-5"]
OLD, NEW, THEIRS, *ADDED = (
    {"host": host, "type": "A", "ttl": 60, "value": f"192.0.2.{number}"}
    for number, host in enumerate(HOSTS)
)
# What is wanted, the records that this adds, and those that it removes.
TASKS: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "append": ({"records": [NEW], "append": True}, [NEW], []),
    "set": ({"records": [NEW]}, [NEW], [OLD]),
    "remove": ({"records": [OLD], "state": "absent"}, [], [OLD]),
}
# What becomes of the task's own write, and where the other writer comes in.
BETWEEN = [{"method": "GET", "skip": 2, "when": "before"}]
MOMENTS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "between two reads": ([], [{"method": "GET", "skip": 1, "when": "before"}]),
    "between all reads": (
        [],
        [{"method": "GET", "skip": skip, "when": "before"} for skip in range(1, 7)],
    ),
    "after the first read": ([], [{"method": "GET", "when": "after"}]),
    "before a write is repeated": (
        [{"kind": "status", "status": 503, "method": "PUT", "when": "before"}],
        BETWEEN,
    ),
    "on top of a lost answer": ([{"kind": "reset", "method": "PUT", "when": "after"}], BETWEEN),
    "after the write": ([], [{"method": "PUT", "when": "after"}]),
    "unseen": ([], [{"method": "PUT", "when": "before"}]),
}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Yield a simulator with a zone, on which nothing is delayed."""
    with start_simulator({"status_delay": 0.0}, SEED) as running:
        yield running


def count_records(records: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Count each record by what identifies it."""
    return Counter(
        (record["host"], record["type"], record["ttl"], record["value"]) for record in records
    )


def count_records_of_zone(simulator: Simulator) -> Counter[tuple[Any, ...]]:
    """Return the records of the one zone, counted."""
    (only,) = simulator.get_state()["zones"].values()
    return count_records(only["other"])


def make_changes_of_another_writer(moments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return faults that add a record at each moment; the first one removes a record too."""
    change = {"kind": "mutate_dns", "path": "^/dns/"}
    faults = [
        {**change, **moment, "add": [added], "remove": []}
        for moment, added in zip(moments, ADDED, strict=False)
    ]
    if faults:
        faults[0]["remove"] = [THEIRS]

    return faults


@pytest.mark.parametrize("in_bulk", [False, True], ids=["panel_dns", "panel_resources"])
@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_of_either_side_is_lost(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, moment: str, name: str, in_bulk: bool
) -> None:
    # Nothing comes late here.
    monkeypatch.setattr(late_writes, "LATEST_EFFECT", 0)
    options, added, removed = TASKS[name]
    own_faults, moments = MOMENTS[moment]
    simulator.reset()
    simulator.seed({"dns": [{"domain": DOMAIN, "records": [OLD, THEIRS]}]})
    theirs = count_records_of_zone(simulator)
    faults = make_changes_of_another_writer(moments)
    simulator.queue_fault([*own_faults, *faults])
    wanted = {"domain": DOMAIN, **options}
    operation = build_resources_operation() if in_bulk else build_dns_operation()
    settings = make_connection(
        base_url=simulator.api_url, api_key=simulator.api_key, is_loopback=True, retry_time=4
    )

    with contextlib.closing(PanelSession(settings)) as session:
        result = run_task(
            operation, session, {"resources": {"dns": [wanted]}} if in_bulk else wanted
        )

    # Without the changes that the task did not live to see.
    waiting = str(simulator.list_faults())

    for fault in faults:
        if fault["add"][0]["host"] not in waiting:
            theirs = theirs + count_records(fault["add"]) - count_records(fault["remove"])

    merged = theirs - count_records(removed) + count_records(added)
    actual = count_records_of_zone(simulator)

    if moment == "unseen":
        assert actual != merged, "the experiment has to be able to see a loss"
    elif result.get("failed"):
        assert actual in (theirs, merged)
        assert actual != merged or "Nothing was written" not in result["msg"]
        assert result["error"]["type"] != "Defect"
        assert moment not in ("between two reads", "after the first read")
    else:
        assert actual == merged
        assert result["changed"]
