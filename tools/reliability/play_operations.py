"""What whole runs of ansible-playbook do, as data: every writing module, role and playbook, with the panels and files that it begins with."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.integration.roles.operators import customer, plays_of
from tests.support import pem
from tests.support.bulk import completing, customers, there_and_different
from tests.support.mixed_panel import mixed_panel
from tests.support.operations import (
    CHANGE,
    CREATE,
    CREATE_WITH_PASSWORD,
    DELETE,
    DOUBLED_BY_THE_PANEL,
    Operation,
    operations,
    simulator_with,
    world,
)  # fmt: skip

Seed = Mapping[str, Any]
# In the variables of an operation: the connection options of its first panel and of its second one.
SOURCE, TARGET = "<source>", "<target>"
# In texts of the variables: the folder that it runs in, where a relative path would lead elsewhere.
FOLDER = "<folder>"
# More hosts than localhost.
_HOSTS = "all:!localhost"
_LIST = Path(__file__).with_suffix(".yml")


@dataclass(frozen=True)
class PlayOperation:
    """One playbook with its variables.

    playbook: its name, or plays. seeds: what is on each panel before it. existing: what is added to that on the first panel. files: what is
    in the folder before it, by path. has_own_files: not so where another operation writes the same files in the same way.
    """

    name: str
    playbook: str | list[dict[str, Any]]
    variables: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ({},)
    files: Mapping[str, str] = field(default_factory=dict)
    existing: Seed = field(default_factory=dict)
    has_own_files: bool = True

    def given(self) -> str:
        """Everything that the operator wrote, to tell given passwords from made ones."""
        return json.dumps([self.playbook, self.variables, self.files], ensure_ascii=False)


@functools.cache
def play_operations() -> tuple[PlayOperation, ...]:
    """All of them, in a fixed order."""
    return (*_of_modules(), *_of_sites(), *_listed("alone"))


@functools.cache
def shared_operations() -> tuple[PlayOperation, ...]:
    """What several hosts of one play do at once, beside localhost."""
    every = next(operation for operation in play_operations() if operation.name == "single modules, create")
    tasks = [task for play in every.playbook if isinstance(play, dict) for task in play["tasks"]]
    return (
        *_listed("shared"),
        *_of_hosts(every, "one object of every kind", tasks),
        *_of_what_is_doubled(every, tasks),
    )


def _listed(group: str) -> Iterator[PlayOperation]:
    """Those of the list."""
    keywords = {"hosts": _HOSTS} if group == "shared" else {}
    for one in yaml.safe_load(_LIST.read_text(encoding="utf-8"))[group]:
        name = one["name"]
        yield PlayOperation(
            name=name,
            playbook=f"hosting.panel.{one['playbook']}"
            if "playbook" in one
            else plays_of(one["role"], **keywords)
            if "role" in one
            else _play([{"name": name, **one["task"]}], **keywords),
            variables=one.get("variables", {}),
            seeds=tuple(map(_seed, one.get("seeds", [{}]))),
            files={path: text if isinstance(text, str) else json.dumps(text) for path, text in one.get("files", {}).items()},
            has_own_files=one.get("has_own_files", True),
        )  # fmt: skip


def _seed(described: Mapping[str, Any]) -> Seed:
    """mixed: the panel of so many clients with objects of every kind. hosts: a client for each of so many hosts."""
    own = {kind: items for kind, items in described.items() if kind not in ("mixed", "hosts")}
    named = {"clients": [{"username": name} for name in host_names(described.get("hosts", 0))]}
    mixed = mixed_panel(pem.texts(), described["mixed"]) if "mixed" in described else {}
    return _merged([mixed, named, own])


def host_names(number: int) -> list[str]:
    """The hosts of a play."""
    return [f"customer-{number:02}" for number in range(number)]


def _merged(seeds: Iterable[Seed]) -> Seed:
    merged: dict[str, list[Any]] = {}
    for seed in seeds:
        for kind, items in seed.items():
            merged.setdefault(kind, []).extend(items)
    return merged


def _play(tasks: list[dict[str, Any]], **keywords: Any) -> list[dict[str, Any]]:
    return [{"name": "Manage", "hosts": "localhost", "gather_facts": False, **keywords, "tasks": tasks}]


def _of_modules() -> Iterator[PlayOperation]:
    """One playbook for each verb, with a task for each kind: what one task is to do is made of the samples of the grid. And four requests at once."""
    with simulator_with({"status_delay": 0.0}, world()) as simulator:
        every = operations(simulator)
    for verb, verbs in (("create", (CREATE, CREATE_WITH_PASSWORD)), ("change", (CHANGE,)), ("delete", (DELETE,))):
        chosen: dict[str, Operation] = {}
        for one in every:
            # With a given password where a kind takes one: nobody is left to be told one that the panel made.
            if one.verb in verbs and one.kind and (one.kind not in chosen or chosen[one.kind].generates):
                chosen[one.kind] = one
        tasks = [{"name": one.name, f"hosting.panel.{one.module}": dict(one.options)} for one in chosen.values()]
        if verb == "delete":
            tasks.reverse()
        existing = _merged(one.existing for one in chosen.values())
        yield PlayOperation(f"single modules, {verb}", _play(tasks), seeds=(world(),), existing=existing)
    gone = {"clients": [{"username": "gone"}], "emails": [{"email": "old@customer-001.example"}]}
    task = {"name": "Apply", "hosting.panel.panel_resources": completing(customers(3, mailboxes=2))}
    yield PlayOperation("panel_resources", _play([task]), seeds=(_merged([there_and_different(2), gone]),))


def _of_sites() -> Iterator[PlayOperation]:
    site = customer("credentials.yml")
    yield PlayOperation("role site", plays_of("site"), site)
    onboarded = {**site, "onboard_summary_file": f"{FOLDER}/summary.txt"}
    yield PlayOperation("playbook onboard", "hosting.panel.onboard", onboarded, has_own_files=False)
    first = {name.removeprefix("site_"): value for name, value in site.items() if name != "site_credentials_file"}
    second = {
        "client": {"username": "acme", "password": "Correct-horse-7"},
        "plan": first["plan"],
        "domains": [{"domain": "acme.example"}],
        "emails": [{"email": "info@acme.example"}, {"email": "sales@acme.example"}],
    }
    variables = {"sites": [first, second], "sites_credentials_dir": "credentials"}
    yield PlayOperation("role sites", plays_of("sites"), variables, files={"credentials/": ""})


def _of_hosts(every: PlayOperation, name: str, tasks: list[dict[str, Any]]) -> Iterator[PlayOperation]:
    yield PlayOperation(name, _play(tasks, hosts=_HOSTS), {}, every.seeds, existing=every.existing)


def _of_what_is_doubled(every: PlayOperation, tasks: list[dict[str, Any]]) -> Iterator[PlayOperation]:
    """The panel refuses no second one of these. Each host makes all of them in bulk, one by one, or some hosts so and some so."""
    modules = {f"hosting.panel.{TABLES[kind].module}": kind for kind in DOUBLED_BY_THE_PANEL}
    single = [task for task in tasks if modules.keys() & task]
    resources = {kind: [task[name]] for task in single for name, kind in modules.items() if name in task}
    bulk = {"name": "Make all", "hosting.panel.panel_resources": {"resources": resources}}
    turn = "{{ groups['all'].index(inventory_hostname) % 2 == %s }}"
    by_turns = [
        {**bulk, "when": turn.replace("%s", "1")},
        *({**one, "when": turn.replace("%s", "0")} for one in single),
    ]
    yield from _of_hosts(every, "tasks and protections one by one", single)
    yield from _of_hosts(every, "tasks and protections in bulk", [bulk])
    yield from _of_hosts(every, "tasks and protections both ways", by_turns)
