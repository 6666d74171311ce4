"""What whole runs of ansible-playbook do: those of operations.yml, and playbooks of every writing module, made of the samples of the tests."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.integration.roles.operators import customer, plays_of
from tests.support import pem
from tests.support.bulk import completing, customers, there_and_different
from tests.support.mixed_panel import mixed_panel
from tests.support.operations import (
    CHANGE,
    CREATE,
    CREATE_WITH_PASSWORD,
    DELETE,
    Operation,
    operations,
    simulator_with,
    world,
)  # fmt: skip

Seed = Mapping[str, Any]
LIST: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
)
# More hosts than localhost.
ON_HOSTS = {"hosts": "all:!localhost"}


@dataclass(frozen=True)
class PlayOperation:
    """One playbook with its variables; operations.yml says what each field means. existing: what is added to the first panel's seed."""

    name: str
    playbook: str | list[dict[str, Any]]
    variables: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ({},)
    files: Mapping[str, str] = field(default_factory=dict)
    existing: Seed = field(default_factory=dict)
    may_fail: bool = False
    authority: bool = False


@functools.cache
def of_group(group: str) -> tuple[PlayOperation, ...]:
    """The operations of a group of operations.yml; among those that run alone, also those of modules."""
    keywords = ON_HOSTS if group == "shared" else {}
    listed = (_listed(one, keywords) for one in LIST[group])
    return tuple(listed) if keywords else (*_of_modules(), *listed)


def host_names(number: int) -> list[str]:
    """The hosts of a play."""
    return [f"customer-{number:02}" for number in range(number)]


def _listed(one: Mapping[str, Any], keywords: Mapping[str, Any]) -> PlayOperation:
    playbook: Any = f"hosting.panel.{one['playbook']}" if "playbook" in one else None
    playbook = playbook or (
        plays_of(one["role"], **keywords) if "role" in one else _play(one["tasks"], **keywords)
    )
    rest = {name: one[name] for name in ("name", "may_fail", "authority") if name in one}
    variables = {**(customer(None) if one.get("customer") else {}), **one.get("variables", {})}
    files = {
        path: text if isinstance(text, str) else json.dumps(text)
        for path, text in one.get("files", {}).items()
    }
    seeds = tuple(map(_seed, one.get("seeds", [{}])))
    return PlayOperation(playbook=playbook, variables=variables, seeds=seeds, files=files, **rest)


def _seed(described: Mapping[str, Any]) -> Seed:
    own = {kind: items for kind, items in described.items() if kind not in ("mixed", "hosts")}
    named = {"clients": [{"username": name} for name in host_names(described.get("hosts", 0))]}
    mixed = mixed_panel(pem.texts(), described["mixed"]) if "mixed" in described else {}
    return _merged([mixed, named, own])


def _merged(seeds: Iterable[Seed]) -> Seed:
    merged: dict[str, list[Any]] = {}
    for seed in seeds:
        for kind, items in seed.items():
            merged.setdefault(kind, []).extend(items)
    return merged


def _play(tasks: list[dict[str, Any]], **keywords: Any) -> list[dict[str, Any]]:
    return [
        {"name": "Manage", "hosts": "localhost", "gather_facts": False, **keywords, "tasks": tasks}
    ]


def _of_modules() -> Iterator[PlayOperation]:
    """A playbook for each verb, with a task for each kind; and many objects at once."""
    with simulator_with({"status_delay": 0.0}, world()) as simulator:
        every = operations(simulator)
    for verb, verbs in (
        ("create", (CREATE, CREATE_WITH_PASSWORD)),
        ("change", (CHANGE,)),
        ("delete", (DELETE,)),
    ):
        chosen: dict[str, Operation] = {}
        for one in every:
            # With a given password where a kind takes one: nobody is left to be told one that the panel made.
            if (
                one.verb in verbs
                and one.kind
                and (one.kind not in chosen or chosen[one.kind].generates)
            ):
                chosen[one.kind] = one
        tasks = [
            {"name": one.name, f"hosting.panel.{one.module}": dict(one.options)}
            for one in chosen.values()
        ]
        if verb == "delete":
            tasks.reverse()
        existing = _merged(one.existing for one in chosen.values())
        yield PlayOperation(
            f"single modules, {verb}", _play(tasks), seeds=(world(),), existing=existing
        )
    gone = {"clients": [{"username": "gone"}], "emails": [{"email": "old@customer-001.example"}]}
    task = {"name": "Apply", "hosting.panel.panel_resources": completing(customers(3, mailboxes=2))}
    yield PlayOperation(
        "panel_resources", _play([task]), seeds=(_merged([there_and_different(2), gone]),)
    )
