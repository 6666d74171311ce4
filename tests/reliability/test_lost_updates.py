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

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import (
    resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_task import dns_operation
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from tests.support.operations import simulator_with
from tests.support.simulator import Simulator
from tests.support.tasks import run_task
from tests.support.transcript import connection

DOMAIN = "acme.example"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
OLD, NEW, THEIRS, *ADDED = (
    {"host": host, "type": "A", "ttl": 60, "value": f"192.0.2.{number}"}
    for number, host in enumerate(
        ["ours", "ours", "theirs", *(f"new-{change}" for change in range(6))]
    )
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
    with simulator_with({"status_delay": 0.0}, SEED) as running:
        yield running


def counted(records: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    return Counter((one["host"], one["type"], one["ttl"], one["value"]) for one in records)


def zone(simulator: Simulator) -> Counter[tuple[Any, ...]]:
    (only,) = simulator.state()["zones"].values()
    return counted(only["other"])


@pytest.mark.parametrize("in_bulk", [False, True], ids=["panel_dns", "panel_resources"])
@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_of_either_side_is_lost(
    simulator: Simulator, moment: str, name: str, in_bulk: bool
) -> None:
    options, added, removed = TASKS[name]
    own, moments = MOMENTS[moment]
    simulator.reset()
    simulator.seed({"dns": [{"domain": DOMAIN, "records": [OLD, THEIRS]}]})
    theirs = zone(simulator)
    faults = [
        {
            "kind": "mutate_dns",
            "path": "^/dns/",
            **one,
            "add": [ADDED[number]],
            "remove": [] if number else [THEIRS],
        }
        for number, one in enumerate(moments)
    ]
    simulator.fault([*own, *faults])
    wanted = {"domain": DOMAIN, **options}
    operation = resources_operation() if in_bulk else dns_operation()
    one = connection(
        base_url=simulator.api_url, api_key=simulator.api_key, is_loopback=True, retry_time=4
    )
    with contextlib.closing(PanelClient(one)) as client:
        result = run_task(
            operation, client, {"resources": {"dns": [wanted]}} if in_bulk else wanted
        )

    # Without the changes that the task did not live to see.
    waiting = str(simulator.faults())
    for fault in faults:
        if fault["add"][0]["host"] not in waiting:
            theirs = theirs + counted(fault["add"]) - counted(fault["remove"])
    both = theirs - counted(removed) + counted(added)
    found = zone(simulator)
    if moment == "unseen":
        assert found != both, "the experiment has to be able to see a loss"
    elif result.get("failed"):
        assert found in (theirs, both)
        assert found != both or "Nothing was written" not in result["msg"]
        assert result["error"]["type"] != "Defect"
        assert moment not in ("between two reads", "after the first read")
    else:
        assert found == both
        assert result["changed"]
