"""A panel with 20,000 mailboxes and 5,000 domains; and twenty plays at once against one panel that fails at random.

The large panel is read with the info modules, single objects of it are changed, and all of it is managed by one task, in real plays: every
result is compared with the panel, every request and write counted. Each of the twenty plays onboards a customer with single modules and with
`panel_resources` while a tenth of all requests meets a 503, before or after its effect, and the panel reloads after every few writes: all have
to end well, with every object once, every generated password the right one, and nothing left to do for a second run.
"""

from __future__ import annotations

import copy
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.bulk import UNLIMITED, Resources, apply, count
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, Recording, Run, defaults, play, task
from tests.support.simulator import Simulator
from tools.reliability.figures import Row, Size

MAILBOXES = {Size.SLICE: 1_000, Size.FULL: 20_000}
DOMAINS = {Size.SLICE: 250, Size.FULL: 5_000}
BULK_WAYS = {Size.SLICE: (IN_PROCESS,), Size.FULL: (IN_PROCESS, MODULE)}
PLAYS = {Size.SLICE: 4, Size.FULL: 20}
AT_ONCE = {Size.SLICE: 4, Size.FULL: 20}
RANDOM_SEED = 20260803
# Of the requests that a play sends; each of the faults strikes one of them.
REQUESTS_OF_A_PLAY = 60
FAULTS_OF_A_PLAY = 6
CLIENTS = 50


@dataclass
class Checks:
    """What was tried, and what was not as it should be."""

    tried: int = 0
    wrong: list[str] = field(default_factory=list)

    def check(self, name: str, is_right: bool, shown: object = "") -> None:
        """Notes one of them."""
        self.tried += 1
        if not is_right:
            self.wrong.append(f"{name}: {str(shown)[:500]}")


def run(size: Size) -> list[Row]:
    """One row for the large panel, one for the plays."""
    return [_large_panel(size), _many_plays(size)]


# A large panel


def _large(size: Size) -> Resources:
    """All objects of the large panel, as they are right on it."""
    clients = [f"client-{number:02}" for number in range(CLIENTS)]
    domains = [f"domain-{number:04}.example" for number in range(DOMAINS[size])]
    return {
        "plans": [{"name": "Business", "resources": UNLIMITED}],
        "clients": [{"username": name, "hosting_plan": "Business"} for name in clients],
        "domains": [{"domain": name, "client": clients[number % CLIENTS]} for number, name in enumerate(domains)],
        "emails": [
            {"email": f"box{number}@{domains[number % len(domains)]}", "max_size": 1024**3}
            for number in range(MAILBOXES[size])
        ],
    }


def _large_panel(size: Size) -> Row:
    begin = time.monotonic()
    resources = _large(size)
    changed = copy.deepcopy(resources)
    for item in changed["emails"][::100]:
        item["max_size"] = 2 * 1024**3
    checks = Checks()
    seconds: dict[str, float] = {}
    with (
        Simulator.start(settings={"status_delay": 0.0}, max_seconds=3600) as simulator,
        tempfile.TemporaryDirectory() as folder,
    ):
        for way in BULK_WAYS[size]:
            simulator.reset()
            simulator.seed(resources)
            ended = play(
                _tasks_on(resources, changed), simulator, Path(folder, way), way, keywords=_defaults(simulator)
            )
            for recording in ended.recordings:
                seconds[f"{recording.name}, {way}"] = recording.seconds
            _check_large(checks, way, ended, resources, changed)
            sizes = [item["max_size"] for item in simulator.objects("emails")]
            checks.check(
                f"{way}: every mailbox is what it should be", sizes == [item["max_size"] for item in changed["emails"]]
            )
    slowest = "; ".join(f"{name}: {value:.1f} s" for name, value in seconds.items() if name.startswith("all"))
    return Row(
        experiment="load, large panel",
        what=f"{MAILBOXES[size]:,} mailboxes and {DOMAINS[size]:,} domains: single tasks, info, bulk of all",
        tried=checks.tried,
        survived=checks.tried - len(checks.wrong),
        seconds=time.monotonic() - begin,
        remark=slowest,
        wrong=checks.wrong,
    )


def _tasks_on(resources: Resources, changed: Resources) -> list[dict[str, Any]]:
    last = resources["emails"][-1]["email"]
    return [
        task("mailboxes", "panel_email_info"),
        task("domains", "panel_domain_info"),
        task("one mailbox", "panel_email", {"email": last, "description": "changed"}),
        task("one database", "panel_database", {"database_name": "first_shop", "client": "client-00"}),
        task("all, unchanged", "panel_resources", {"resources": resources}),
        task("all, one of a hundred mailboxes changed", "panel_resources", {"resources": changed}),
        task("all, again", "panel_resources", {"resources": changed}),
    ]


def _check_large(checks: Checks, way: str, ended: Run, resources: Resources, changed: Resources) -> None:
    found = {recording.name: recording for recording in ended.recordings}
    checks.check(f"{way}: all tasks ended well", ended.code == 0 and len(found) == 7, ended.text[-500:])
    if len(found) < 7:
        return
    changes = len(changed["emails"][::100])
    for name, plural, member in (("mailboxes", "emails", "email"), ("domains", "domains", "domain")):
        shown = [item[member] for item in found[name].result.get(plural, [])]
        checks.check(f"{way}: {name}", shown == [item[member] for item in resources[plural]], len(shown))
    for name, writes, reads in (
        ("one mailbox", 1, 1),
        ("one database", 1, 3),
        ("all, unchanged", 0, 4),
        ("all, one of a hundred mailboxes changed", changes, 4),
        ("all, again", 0, 4),
    ):
        recording = found[name]
        sent = (len(recording.writes), len(recording.requests) - len(recording.writes))
        checks.check(f"{way}: {name}: requests", sent == (writes, reads), sent)
        checks.check(
            f"{way}: {name}: result", recording.outcome == "ok" and recording.changed == bool(writes), recording.msg
        )
    summary = found["all, again"].result.get("plan", {}).get("summary", {})
    checks.check(f"{way}: the summary counts all", summary.get("unchanged") == count(resources), summary)


def _defaults(simulator: Simulator) -> dict[str, Any]:
    return {"module_defaults": {GROUP: {**defaults(simulator), "retry_time": 120}}}


# Many plays at once


def _many_plays(size: Size) -> Row:
    begin = time.monotonic()
    number = PLAYS[size]
    settings = {"status_delay": 0.0, "reload_every_writes": 9, "reload_milliseconds": 150}
    with Simulator.start(settings=settings, max_seconds=3600) as simulator, tempfile.TemporaryDirectory() as name:
        simulator.seed({"plans": [{"name": "Business", "resources": UNLIMITED}]})
        simulator.fault(list(_faults(number)))

        def onboard(customer: int) -> Run:
            keywords = {**_defaults(simulator), "ignore_errors": False}
            return play(_onboarding(customer), None, Path(name, str(customer)), keywords=keywords)

        with ThreadPoolExecutor(AT_ONCE[size]) as pool:
            runs = list(pool.map(onboard, range(number)))
        waiting = simulator.faults()
        requests = simulator.counters()["requests"]
        met = sum(1 for request in simulator.log() if request["fault"])
        simulator.clear_faults()
        simulator.settings({"reload_every_writes": 0})
        state = simulator.state()
        checks = Checks()
        for customer, ended in enumerate(runs):
            checks.check(f"play {customer}", ended.code == 0, ended.text[-1500:])
            _check_passwords(checks, customer, ended.recordings, state)
            again = apply(simulator, _wanted(customer))
            checks.check(
                f"play {customer}: nothing is left to do",
                again["changed"] is False,
                again.get("msg") or again["plan"]["summary"],
            )
        lost, doubled = _check_state(checks, state, number)
    return Row(
        experiment="load, many plays",
        what=f"{number} plays at once against one panel with random 503",
        tried=checks.tried,
        survived=checks.tried - len(checks.wrong),
        lost=lost,
        doubled=doubled,
        seconds=time.monotonic() - begin,
        remark=f"{met} of {requests} requests met a 503; {len(waiting)} faults were left over",
        wrong=checks.wrong,
    )


def _faults(plays: int) -> Iterator[dict[str, Any]]:
    """Faults at random requests, half of them after the effect."""
    dice = random.Random(RANDOM_SEED)
    for _number in range(FAULTS_OF_A_PLAY * plays):
        when, skip = dice.choice(("before", "after")), dice.randrange(REQUESTS_OF_A_PLAY * plays)
        yield {"kind": "status", "status": dice.choice((500, 503)), "when": when, "skip": skip}


def _onboarding(customer: int) -> list[dict[str, Any]]:
    name, domain = f"customer-{customer:02}", f"customer-{customer:02}.example"
    owner = {"client": name}
    record = {"host": "shop", "type": "A", "ttl": 300, "value": "192.0.2.20"}
    return [
        task("client", "panel_client", {"username": name, "hosting_plan": "Business", "email": f"it@{domain}"}),
        task("domain", "panel_domain", {"domain": domain, **owner}),
        *(task(f"mailbox {box}", "panel_email", {"email": f"box{box}@{domain}", "max_size": "1G"}) for box in range(4)),
        task("zone", "panel_dns", {"domain": domain, "records": [record]}),
        task(
            "nightly", "panel_scheduled_task", {**owner, "description": "Nightly", "type": "exec", "command": "/bin/a"}
        ),
        task("protected", "panel_directory_protection", {**owner, "path": "/intern", "username": "anna"}),
        task("bulk", "panel_resources", {"resources": _wanted(customer)}),
        task("mailbox gone", "panel_email", {"email": f"box0@{domain}", "state": "absent"}),
    ]


def _wanted(customer: int) -> Resources:
    """What `panel_resources` manages of a customer, beside what the single modules do."""
    name, domain = f"customer-{customer:02}", f"customer-{customer:02}.example"
    return {
        "clients": [{"username": name, "hosting_plan": "Business"}],
        "domains": [
            {"domain": domain, "client": name},
            {"domain": f"two.{domain}", "parent_domain": domain, "client": name},
        ],
        "dns": [{"domain": domain, "records": [{"host": "shop", "type": "A", "ttl": 300, "value": "192.0.2.20"}]}],
        "emails": [{"email": f"bulk{box}@{domain}", "max_size": 1024**3} for box in range(6)],
        "databases": [{"database_name": f"customer{customer:02}_{part}", "client": name} for part in ("shop", "blog")],
        "scheduled_tasks": [
            {"client": name, "description": f"Task {part}", "type": "exec", "command": "/bin/b"} for part in range(3)
        ],
    }


# How many objects of each kind one play makes.
_OBJECTS_OF_A_PLAY = {
    "clients": 1,
    "domains": 2,
    "emails": 9,
    "databases": 2,
    "scheduled_tasks": 4,
    "directory_protections": 1,
}


def _check_passwords(checks: Checks, customer: int, recordings: list[Recording], state: Mapping[str, Any]) -> None:
    """Every password that the panel generated is the one that was returned."""
    kept = {item["hidden"].get("password") for items in state["objects"].values() for item in items}
    gone = f"box0@customer-{customer:02}.example"
    shown = [
        recording.result["generated_password"]
        for recording in recordings
        if "generated_password" in recording.result and gone not in str(recording.result)
    ]
    shown += [
        entry["password"] for recording in recordings for entry in recording.result.get("generated_passwords", [])
    ]
    # A client, three mailboxes that stay and a protected directory alone; six mailboxes and two databases together.
    checks.check(f"play {customer}: passwords", len(shown) == 13 and set(shown) <= kept, f"{len(shown)} were returned")


def _check_state(checks: Checks, state: Mapping[str, Any], plays: int) -> tuple[int, int]:
    """(objects that are missing, objects that are too many)."""
    lost = doubled = 0
    for kind, of_a_play in _OBJECTS_OF_A_PLAY.items():
        found, wanted = len(state["objects"][kind]), of_a_play * plays
        lost, doubled = lost + max(0, wanted - found), doubled + max(0, found - wanted)
        checks.check(f"{kind} on the panel", found == wanted, f"{found} instead of {wanted}")
    return lost, doubled
