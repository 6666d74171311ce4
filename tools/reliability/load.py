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
from pathlib import Path
from typing import Any

from tests.support.bulk import UNLIMITED, Resources, apply, count
from tests.support.playbook import GROUP, IN_PROCESS, WAYS, Run, defaults, play, task
from tests.support.simulator import Simulator
from tools.reliability.figures import DOUBLED, LOST, WRONG, Row, Size, Tried, row_of

MAILBOXES = {Size.SLICE: 1_000, Size.FULL: 20_000}
DOMAINS = {Size.SLICE: 250, Size.FULL: 5_000}
BULK_WAYS = {Size.SLICE: (IN_PROCESS,), Size.FULL: WAYS}
PLAYS = {Size.SLICE: 4, Size.FULL: 20}
RANDOM_SEED = 20260803
# Of the requests that a play sends; each of the faults strikes one of them.
REQUESTS_OF_A_PLAY = 60
FAULTS_OF_A_PLAY = 6
CLIENTS = 50


def run(size: Size) -> list[Row]:
    """One row for the large panel, one for the plays."""
    return [_large_panel(size), _many_plays(size)]


def _check(name: str, is_right: bool, shown: object = "", kind: str = WRONG) -> Tried:
    return Tried(name, True, [] if is_right else [(kind, str(shown)[:1500])])


def _defaults(simulator: Simulator) -> dict[str, Any]:
    return {"module_defaults": {GROUP: {**defaults(simulator), "retry_time": 120}}}


# A large panel


def _large_panel(size: Size) -> Row:
    begin = time.monotonic()
    names = [f"client-{number:02}" for number in range(CLIENTS)]
    domains = [f"domain-{number:04}.example" for number in range(DOMAINS[size])]
    boxes = [f"box{number}@{domains[number % len(domains)]}" for number in range(MAILBOXES[size])]
    resources: Resources = {
        "plans": [{"name": "Business", "resources": UNLIMITED}],
        "clients": [{"username": name, "hosting_plan": "Business"} for name in names],
        "domains": [{"domain": name, "client": names[number % CLIENTS]} for number, name in enumerate(domains)],
        "emails": [{"email": name, "max_size": 1024**3} for name in boxes],
    }
    changed = copy.deepcopy(resources)
    for item in changed["emails"][::100]:
        item["max_size"] = 2 * 1024**3
    database = {"database_name": "first_shop", "client": "client-00"}
    info = {"mailboxes": ("panel_email_info", "emails", "email"), "domains": ("panel_domain_info", "domains", "domain")}
    # Module, options, and how many writes and reads there have to be.
    tasks: dict[str, tuple[str, dict[str, Any], int, int]] = {
        **{name: (module, {}, 0, 1) for name, (module, _plural, _field) in info.items()},
        "one mailbox": ("panel_email", {"email": boxes[-1], "description": "changed"}, 1, 1),
        "one database": ("panel_database", database, 1, 3),
        "all, unchanged": ("panel_resources", {"resources": resources}, 0, 4),
        "all, one of a hundred mailboxes changed": ("panel_resources", {"resources": changed}, len(boxes[::100]), 4),
        "all, again": ("panel_resources", {"resources": changed}, 0, 4),
    }
    cases: list[Tried] = []
    seconds = []
    settings = {"status_delay": 0.0}
    with Simulator.start(settings=settings, max_seconds=3600) as simulator, tempfile.TemporaryDirectory() as folder:
        for way in BULK_WAYS[size]:
            simulator.reset()
            simulator.seed(resources)
            plays = [task(name, module, options) for name, (module, options, _writes, _reads) in tasks.items()]
            ended = play(plays, simulator, Path(folder, way), way, keywords=_defaults(simulator))
            checks: dict[str, tuple[object, object]] = {"all tasks ended well": (ended.code, 0)}
            for name, (_module, _options, writes, reads) in tasks.items():
                one = ended[name]
                checks[f"{name}: requests"] = ((len(one.writes), len(one.requests)), (writes, writes + reads))
                checks[f"{name}: result"] = ((one.outcome, one.changed), ("ok", bool(writes)))
                seconds += [f"{name}, {way}: {one.seconds:.1f} s"] if name.startswith("all") else []
            for name, (_module, plural, field) in info.items():
                shown = [item[field] for item in ended[name].result.get(plural, [])]
                checks[name] = (shown, [item[field] for item in resources[plural]])
            summary = ended["all, again"].result.get("plan", {}).get("summary", {})
            checks["the summary counts all"] = (summary.get("unchanged"), count(resources))
            sizes = [item["max_size"] for item in simulator.objects("emails")]
            checks["every mailbox is what it should be"] = (sizes, [item["max_size"] for item in changed["emails"]])
            cases += (_check(f"{way}: {name}", found == wanted, found) for name, (found, wanted) in checks.items())
    what = f"{len(boxes):,} mailboxes and {len(domains):,} domains: single tasks, info, bulk of all"
    return row_of("load, large panel", what, cases, begin, "; ".join(seconds))


# Many plays at once


def _many_plays(size: Size) -> Row:
    begin = time.monotonic()
    number = PLAYS[size]
    settings = {"status_delay": 0.0, "reload_every_writes": 9, "reload_milliseconds": 150}
    cases: list[Tried] = []
    with Simulator.start(settings=settings, max_seconds=3600) as simulator, tempfile.TemporaryDirectory() as folder:
        simulator.seed({"plans": [{"name": "Business", "resources": UNLIMITED}]})
        simulator.fault(list(_faults(number)))

        def onboard(customer: int) -> Run:
            keywords = {**_defaults(simulator), "ignore_errors": False}
            return play(_onboarding(customer), None, Path(folder, str(customer)), keywords=keywords)

        with ThreadPoolExecutor(number) as pool:
            runs = list(pool.map(onboard, range(number)))
        waiting = len(simulator.faults())
        requests = simulator.counters()["requests"]
        met = sum(1 for request in simulator.log() if request["fault"])
        simulator.clear_faults()
        simulator.settings({"reload_every_writes": 0})
        state = simulator.state()
        for customer, ended in enumerate(runs):
            cases.append(_check(f"play {customer}", ended.code == 0, ended.text[-1500:]))
            cases.append(_passwords_are_kept(customer, ended, state))
            again = apply(simulator, _wanted(customer))
            what = again.get("msg") or again["plan"]["summary"]
            cases.append(_check(f"play {customer}: nothing is left to do", again["changed"] is False, what))
    for kind, of_a_play in _OBJECTS_OF_A_PLAY.items():
        found, wanted = len(state["objects"][kind]), of_a_play * number
        broken = LOST if found < wanted else DOUBLED
        cases.append(_check(f"{kind} on the panel", found == wanted, f"{found} instead of {wanted}", broken))
    remark = f"{met} of {requests} requests met a 503; {waiting} faults were left over"
    return row_of("load, many plays", f"{number} plays at once against one panel with random 503", cases, begin, remark)


def _faults(plays: int) -> Iterator[dict[str, Any]]:
    """Faults at random requests, half of them after the effect."""
    dice = random.Random(RANDOM_SEED)
    for _number in range(FAULTS_OF_A_PLAY * plays):
        when, skip = dice.choice(("before", "after")), dice.randrange(REQUESTS_OF_A_PLAY * plays)
        yield {"kind": "status", "status": dice.choice((500, 503)), "when": when, "skip": skip}


def _names(customer: int) -> tuple[str, str, dict[str, Any]]:
    """The username, the domain and a record of its zone."""
    name = f"customer-{customer:02}"
    return name, f"{name}.example", {"host": "shop", "type": "A", "ttl": 300, "value": "192.0.2.20"}


def _onboarding(customer: int) -> list[dict[str, Any]]:
    name, domain, record = _names(customer)
    job = {"client": name, "description": "Nightly", "type": "exec", "command": "/bin/a"}
    protected = {"client": name, "path": "/intern", "username": "anna"}
    return [
        task("client", "panel_client", {"username": name, "hosting_plan": "Business", "email": f"it@{domain}"}),
        task("domain", "panel_domain", {"domain": domain, "client": name}),
        *(task(f"mailbox {box}", "panel_email", {"email": f"box{box}@{domain}", "max_size": "1G"}) for box in range(4)),
        task("zone", "panel_dns", {"domain": domain, "records": [record]}),
        task("nightly", "panel_scheduled_task", job),
        task("protected", "panel_directory_protection", protected),
        task("bulk", "panel_resources", {"resources": _wanted(customer)}),
        task("mailbox gone", "panel_email", {"email": f"box0@{domain}", "state": "absent"}),
    ]


def _wanted(customer: int) -> Resources:
    """What `panel_resources` manages of a customer, beside what the single modules do."""
    name, domain, record = _names(customer)
    return {
        "clients": [{"username": name, "hosting_plan": "Business"}],
        "domains": [
            {"domain": domain, "client": name},
            {"domain": f"two.{domain}", "parent_domain": domain, "client": name},
        ],
        "dns": [{"domain": domain, "records": [record]}],
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


def _passwords_are_kept(customer: int, ended: Run, state: Mapping[str, Any]) -> Tried:
    """Every password that was generated is the one that was returned."""
    kept = {item["hidden"].get("password") for items in state["objects"].values() for item in items}
    gone = f"box0@{_names(customer)[1]}"
    results = [one.result for one in ended.recordings]
    shown = [one["generated_password"] for one in results if "generated_password" in one and gone not in str(one)]
    shown += [entry["password"] for one in results for entry in one.get("generated_passwords", [])]
    # A client, three mailboxes that stay and a protected directory alone; six mailboxes and two databases together.
    is_right = len(shown) == 13 and set(shown) <= kept
    return _check(f"play {customer}: passwords", is_right, f"{len(shown)} were returned")
