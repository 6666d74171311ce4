# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel that puts a mark into every place of its answers; only the marks of a short list may appear in anything that is shown.

Every module runs against whole answers with wrong types, cut ones, warnings of PHP ahead of them, pages, error bodies of every status,
redirects, headers that are none, and messages that repeat passwords in many forms: while it reads, while it writes, and in check mode.
Then real runs of Ansible at -vvvv: with each kind of answer, a playbook of tasks at reads in process and at writes as modules, or the other way
round, the inventory, and two of all roles and playbooks by turns; what they print, log and leave in files is looked through.
The panel's answers to what the interface leaves open change from one case to the next.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support.bulk import panel_client
from tests.support.grid import key_options
from tests.support.inventory import listing, write_source
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, PRELOADED, play
from tests.support.simulator import WRITES, Simulator
from tests.support.tainted_panel import (
    ECHOES,
    GENERATED,
    SHAPES,
    UNDERSTOOD,
    UNTOLD,
    TaintedPanel,
    echoes_in,
    tainted_panel,
)
from tests.support.tasks import run_task
from tools.reliability.canary_tasks import creation, world
from tools.reliability.figures import Row, Size
from tools.reliability.fuzz_options import DEFECT, operations
from tools.reliability.lanes import Lane, in_lanes
from tools.reliability.matrix import SECRETS
from tools.reliability.open_points import PANELS, settings_of
from tools.reliability.places import Place, keeps_passwords
from tools.reliability.play_operations import PlayOperation, operation_named, play_operations

WORD, CODE = "word", "code"
# What may be shown: of places that messages quote plain words, of members that results consist of everything.
MAY_APPEAR: Mapping[str, frozenset[str]] = {
    "message": frozenset([WORD]),
    "code": frozenset([WORD]),
    "title": frozenset([WORD]),
    "member": frozenset([WORD, CODE]),
}
# Results that consist of secrets, for whoever asked for them.
MEANT_TO_BE_SHOWN = ("generated_password", "generated_passwords", "login_url")
SECRET = "wurdelfimpast"
LANES = {Size.SLICE: 2, Size.FULL: 4}
_SECRETS = (SECRET, GENERATED, UNTOLD)
SETTINGS = {"status_delay": 0, "password_hashes": "written_and_shown"}
WHEN: Mapping[str, Callable[[str], bool]] = {
    "writes": lambda method: method in WRITES,
    "reads": lambda method: method == "GET",
}
_OURS = ("playbook.yml", "recording.jsonl", "variables.yml", "given.yml", "hosts.yml", "vault password")


@dataclass(frozen=True)
class Case:
    """An operation with options. spare: how many writes are answered well before; seed: more objects on the panel."""

    name: str
    module: str
    options: Mapping[str, Any]
    is_check: bool = False
    spare: int = 0
    seed: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Findings:
    tried: int = 0
    covered: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    characters: int = 0
    places: set[str] = field(default_factory=set)
    leaks: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Those of another process too."""
        self.tried += other.tried
        self.covered += other.covered
        self.failed += other.failed
        self.characters += other.characters
        self.places |= other.places
        self.leaks += other.leaks
        self.wrong += other.wrong

    def look_at(self, where: str, text: str, panel: TaintedPanel, secrets: Iterable[str]) -> None:
        """Notes every mark that may not be shown, and every secret in whatever form."""
        self.characters += len(text)
        for place, kinds in panel.marks.found_in(text).items():
            self.leaks += [
                f"{where}: the {kind} of {place}" for kind in sorted(kinds - MAY_APPEAR.get(place, frozenset()))
            ]
        for secret in secrets:
            self.leaks += [f"{where}: {secret} {how}" for how in echoes_in(text, secret)]
        if DEFECT in text:
            self.wrong.append(f"{where}: {text[text.index(DEFECT) :][:150]}")


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    started = time.monotonic()
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="taint-") as folder:
        _jobs[:] = [*_of_modules(size), *_of_ansible(size, Path(folder))]
        for found in in_lanes(_done, len(_jobs), LANES[size], SETTINGS, world()):
            findings.add(found)
    return [
        Row(
            experiment="taint",
            what="a mark in every place of every answer, looked for in results, output, logs and files",
            tried=findings.tried,
            survived=max(0, findings.tried - findings.failed - len(findings.wrong) - len(findings.leaks)),
            failed_loudly=findings.failed,
            leaked=len(findings.leaks),
            seconds=time.monotonic() - started,
            remark=f"{len(SHAPES)} kinds of answers, {len(findings.places)} places, {findings.characters / 1e6:.1f} MB",
            wrong=[*findings.wrong, *findings.leaks],
            promise=SECRETS,
            covered=findings.covered,
        )
    ]


Job = Callable[[Findings, TaintedPanel], None]
# Where a copy of this process finds what its numbers stand for, and the panel that it keeps.
_jobs: list[Job] = []
_panels: list[TaintedPanel] = []
_open = contextlib.ExitStack()


def _done(lane: Lane, number: int) -> Findings:
    if not _panels:
        _panels.append(_open.enter_context(tainted_panel(lane.simulator)))
    findings = Findings()
    _jobs[number](findings, _panels[0])
    findings.places.update(_panels[0].marks.places)
    return findings


def _of_modules(size: Size) -> Iterator[Job]:
    """Every case with every shape; of a slice each shape with a few cases, and each case with a few shapes."""
    every = list(cases())
    for number, (shape, when) in enumerate(itertools.product(SHAPES, WHEN)):
        chosen = [
            case
            for case in (every if size is Size.FULL else every[number % 7 :: 7])
            if when == "reads" or any(one in case.name for one in ("created", "changed", "deleted", "written", "many"))
        ]
        yield partial(_try_all, number, chosen, when, shape)


def _try_all(
    first: int, chosen: Sequence[Case], when: str, shape: str, findings: Findings, panel: TaintedPanel
) -> None:
    # Each case meets other panels with each shape.
    for number, case in enumerate(chosen, first):
        _try(findings, panel, case, when, shape, _panel(number))


def _panel(number: int) -> str:
    return list(PANELS)[number % len(PANELS)]


def cases() -> Iterator[Case]:
    """Every operation."""
    for plural, kind in TABLES.items():
        secret = {"password": SECRET} if kind.password is not None else {}
        options = {**creation(kind), **secret}
        module = kind.module
        yield Case("created", module, options)
        yield Case("created in check mode", module, options, is_check=True)
        seed = {plural: [creation(kind)]} if plural in ("emails", "clients", "databases") else {}
        if seed:
            yield Case("changed", module, {**options, **({"update_password": "always"} if secret else {})}, seed=seed)
            yield Case("deleted", module, {**key_options(kind), "state": "absent"}, seed=seed)
        if secret:
            yield Case("created with a generated password", module, creation(kind))
        yield Case("read", f"{module}_info", {})
        yield Case("one read", f"{module}_info", _key_of_info(kind))
    yield Case("zone written", "panel_dns", _ZONE)
    yield Case("zone read", "panel_dns_info", {"domain": "acme.example"})
    emails = [{"email": "first@acme.example"}, {"email": "second@acme.example", "password": SECRET}]
    yield Case("many", "panel_resources", {"resources": {"emails": emails}, "concurrency": 1})
    yield Case(
        "many, the first of them answered",
        "panel_resources",
        {"resources": {"emails": emails}, "concurrency": 1},
        spare=1,
    )
    yield Case("many in check mode", "panel_resources", {"resources": {"emails": emails}}, is_check=True)
    yield Case("many read", "panel_resources_info", {})
    yield Case("pinged", "panel_ping", {})
    yield Case("login", "panel_login_info", {"username": "acme"})
    yield Case("server", "panel_server_info", {})
    for path in ("/clients", "/login/name/acme", "/nothing"):
        yield Case(f"called {path}", "panel_api", {"path": path})
        yield Case(
            f"called {path}, accepted", "panel_api", {"path": path, "status": [200, 400, 404, 409, 422, 429, 500, 503]}
        )
    body = {"notes": "x", "newPassword": SECRET, "pwd": SECRET}
    yield Case("called and written", "panel_api", {"method": "PUT", "path": "/clients/name/acme", "body": body})


_ZONE = {
    "domain": "acme.example",
    "append": True,
    "records": [{"host": "x", "type": "A", "ttl": 3600, "value": "192.0.2.9"}],
}


def _key_of_info(kind: Any) -> dict[str, Any]:
    return {name: value for name, value in key_options(kind).items() if name not in ("client",)}


def _try(findings: Findings, panel: TaintedPanel, case: Case, when: str, shape: str, which: str) -> None:
    panel.simulator.reset()
    panel.simulator.settings(settings_of(which))
    if case.seed:
        panel.simulator.seed(dict(case.seed))
    panel.taint(shape, WHEN[when], case.spare)
    client = panel_client(panel, retry_time=0)  # type: ignore[arg-type]
    where = f"{case.module}, {case.name}, {shape} at {when}, panel {which}"
    try:
        result = run_task(_operation(case.module), client, dict(case.options), case.is_check)
    except Exception as error:
        findings.wrong.append(f"{where}: {type(error).__name__}: {str(error)[:200]}")
        return
    finally:
        client.close()
    findings.tried += 1
    findings.covered[f"module {case.module}"] += 1
    findings.failed += bool(result.get("failed"))
    shown = {name: value for name, value in result.items() if name not in MEANT_TO_BE_SHOWN}
    findings.look_at(where, json.dumps(shown, ensure_ascii=False), panel, _SECRETS)


def _operation(module: str) -> Operation:
    return operations()[module]


# Real runs.

_OF_A_SLICE = ["headers", "whole JSON as HTML", "a warning ahead", "400"]
_PLAYS_OF_A_SLICE = ["role site", "playbook apply", "role move, copy", "role offboard, suspend"]
# By turns, so that each shape meets both ways and both moments.
_TURNS = (
    ((IN_PROCESS, "reads"), (MODULE, "writes")),
    ((MODULE, "reads"), (IN_PROCESS, "writes")),
)


def _of_ansible(size: Size, folder: Path) -> Iterator[Job]:
    for number, shape in enumerate(SHAPES if size is Size.FULL else _OF_A_SLICE):
        turns = _TURNS[number % 2]
        for way, when in turns if size is Size.FULL else turns[number // 2 % 2 :][:1]:
            yield partial(_tasks, folder / f"{way} {number} {when}", way, shape, when, _panel(number))
        if size is Size.FULL or not number:
            yield partial(_inventory, folder / f"inventory {number}", shape, _panel(number + 1))
        every = play_operations()
        names = [every[(number + step) % len(every)].name for step in (0, 7)]
        for turn, name in enumerate(names if size is Size.FULL else _PLAYS_OF_A_SLICE[number : number + 1], 2):
            when = list(WHEN)[number // len(every) % 2]
            way = MODULE if number % 4 == 1 else IN_PROCESS
            yield partial(_whole, folder, operation_named(name), way, shape, when, _panel(number + turn * 7))


def _everything_written(folder: Path) -> dict[str, str]:
    return {"ANSIBLE_LOG_PATH": str(folder / "ansible.log"), "ANSIBLE_DISPLAY_ARGS_TO_STDOUT": "0"}


def _fresh(panel: TaintedPanel, shape: str, when: str, which: str) -> None:
    panel.simulator.reset()
    panel.simulator.settings(settings_of(which))
    panel.taint(shape, WHEN[when])


def _tasks(folder: Path, way: str, shape: str, when: str, which: str, findings: Findings, panel: TaintedPanel) -> None:
    """A few tasks of each sort in one playbook, with everything that Ansible can print."""
    _fresh(panel, shape, when, which)
    defaults = {GROUP: {"api_url": panel.url, "api_key": panel.api_key, "retry_time": 0}}
    tasks: list[dict[str, Any]] = [
        # First: what the panel may repeat to it is not the secret of another task, which it cannot know.
        {"name": "zone", "hosting.panel.panel_dns": _ZONE, "diff": True},
        {
            "name": "mailbox",
            "hosting.panel.panel_email": {"email": "a@acme.example", "password": "{{ secret }}"},
            "diff": True,
        },
        {"name": "clients", "hosting.panel.panel_client_info": {}},
        {"name": "api", "hosting.panel.panel_api": {"path": "/clients/name/acme"}},
        {"name": "login", "hosting.panel.panel_api": {"path": "/login/name/acme"}},
        {
            "name": "many",
            "hosting.panel.panel_resources": {
                "resources": {"emails": [{"email": "b@acme.example", "password": "{{ secret }}"}]}
            },
        },
        {
            "name": "lookup",
            "ansible.builtin.set_fact": {"kept": _LOOKUP},
            "no_log": shape in UNDERSTOOD or when == "writes",
        },
    ]
    variables = {
        **PRELOADED,
        **_everything_written(folder),
        "PANEL_API_URL": panel.url,
        "PANEL_API_KEY": panel.api_key,
        "PANEL_RETRY_TIME": "0",
    }
    folder.mkdir(parents=True)
    (folder / "given.yml").write_text(json.dumps({"secret": SECRET}), encoding="utf-8")
    words = ["-vvvv", "--extra-vars", f"@{folder / 'given.yml'}"]
    run = play(tasks, None, folder, way, words, variables, {"module_defaults": defaults})
    where = f"tasks, {way}, {shape} at {when}, panel {which}"
    findings.tried += len(tasks)
    findings.covered.update(f"module {name.rpartition('.')[2]}" for one in tasks for name in one if ".panel." in name)
    findings.failed += sum(one.outcome == "failed" for one in run.recordings)
    if len(run.recordings) < len(tasks):
        findings.wrong.append(f"{where}: only {len(run.recordings)} of {len(tasks)} tasks ran: {run.text[-300:]}")
    findings.look_at(where, run.text, panel, [SECRET])
    _look_into(findings, where, folder, panel, [SECRET])


_LOOKUP = "{{ lookup('hosting.panel.panel_login_url', 'acme') }}"


def _look_into(findings: Findings, where: str, folder: Path, panel: TaintedPanel, secrets: Sequence[str]) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in _OURS:
            findings.look_at(
                f"{where}: {path.name}", path.read_text(encoding="utf-8", errors="replace"), panel, secrets
            )


def _inventory(folder: Path, shape: str, which: str, findings: Findings, panel: TaintedPanel) -> None:
    """The inventory with its cache."""
    folder.mkdir()
    _fresh(panel, shape, "reads", which)
    source = write_source(folder, "one", {"api_url": panel.url, "retry_time": 0})
    more = {
        "PANEL_API_KEY": panel.api_key,
        "ANSIBLE_INVENTORY_CACHE": "1",
        "ANSIBLE_INVENTORY_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_INVENTORY_CACHE_CONNECTION": str(folder / "cache"),
    }
    text = listing([source], folder, {**more, **_everything_written(folder)}, ["-vvvv"]).text
    findings.tried += 1
    findings.failed += "Failed to parse" in text
    findings.look_at(f"inventory, {shape}, panel {which}", text, panel, _SECRETS)
    _look_into(findings, f"inventory, {shape}, panel {which}", folder, panel, _SECRETS)


def _whole(
    folder: Path,
    operation: PlayOperation,
    way: str,
    shape: str,
    when: str,
    which: str,
    findings: Findings,
    _tainted: TaintedPanel,
) -> None:
    """One playbook or role, with everything that it writes."""
    place, doors = _place_in(folder)
    place.lay_out(operation, {**SETTINGS, **settings_of(which)})
    for door in doors:
        door.taint(shape, WHEN[when])
    loud = {"ANSIBLE_VERBOSITY": "4", "ANSIBLE_DIFF_ALWAYS": "1", **_everything_written(place.folder)}
    ended = place.run(operation, way, loud)
    where = f"{operation.name}, {way}, {shape} at {when}, panel {which}"
    findings.tried += 1
    findings.covered.update(operation.covers)
    findings.failed += bool(ended.code)
    findings.places.update(doors[0].marks.places)
    given = operation.given()
    # Without a file for them, passwords that were made are in the results, which are printed here.
    secrets = [
        one for door in doors for one in door.secrets if keeps_passwords(operation) or json.dumps(one)[1:-1] in given
    ]
    texts = {"": ended.text}
    for path in place.folder.rglob("*"):
        name = path.relative_to(place.folder).as_posix()
        if path.is_file() and path.name not in (*_OURS, "output") and name not in operation.files:
            texts[f": {name}"] = path.read_text(encoding="utf-8", errors="replace")
    for name, text in texts.items():
        findings.look_at(where + name, text, doors[0], ())
        findings.leaks += [
            f"{where}{name}: {one} {how}" for one in secrets for how, echo in ECHOES.items() if echo(one) in text
        ]


# Of this copy of the process.
_places: list[tuple[Place, list[TaintedPanel]]] = []


def _place_in(folder: Path) -> tuple[Place, list[TaintedPanel]]:
    """A place whose two panels are reached through tainted ones, with the same marks."""
    if not _places:
        panels = [_open.enter_context(Simulator.start(api_key=f"k{number}234567.taint")) for number in range(2)]
        doors = [_open.enter_context(tainted_panel(panel)) for panel in panels]
        doors[1].marks = doors[0].marks
        own = folder / f"place {os.getpid()}"
        own.mkdir()
        _places.append((Place(own, panels, doors, retry_time=0), doors))
    return _places[0]
