"""What whole runs of ansible-playbook do.

That is what operations.yml has, and playbooks of every writing module, from the samples of the tests.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.integration.roles.operators import make_customer, make_plays
from tests.support import pem
from tests.support.bulk import make_completing_options, make_customers, make_different_customers
from tests.support.mixed_panel import make_mixed_objects
from tests.support.operations import (
    CHANGE,
    CREATE,
    CREATE_WITH_PASSWORD,
    DELETE,
    Operation,
    list_operations,
    make_world,
    start_simulator,
)  # fmt: skip

Seed = Mapping[str, Any]
LIST: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
)
# More hosts than localhost.
ON_HOSTS = {"hosts": "all:!localhost"}
_VERBS = {"create": (CREATE, CREATE_WITH_PASSWORD), "change": (CHANGE,), "delete": (DELETE,)}


@dataclass(frozen=True)
class PlayOperation:
    """One playbook with its variables; operations.yml says what each field means.

    existing: what is added to the first panel's seed.
    """

    name: str
    playbook: str | list[dict[str, Any]]
    variables: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ({},)
    files: Mapping[str, str] = field(default_factory=dict)
    existing: Seed = field(default_factory=dict)
    may_fail: bool = False
    authority: bool = False


@functools.cache
def select_group(group: str) -> tuple[PlayOperation, ...]:
    """Return the operations of a group of operations.yml.

    Among those that run alone are also those of modules.
    """
    if group == "shared":
        return tuple(_read_operation(described, ON_HOSTS) for described in LIST[group])

    listed = [_read_operation(described, {}) for described in LIST[group]]
    return (*_list_module_operations(), *listed)


def list_host_names(number: int) -> list[str]:
    """Return the hosts of a play."""
    return [f"customer-{number:02}" for number in range(number)]


def _read_operation(described: Mapping[str, Any], keywords: Mapping[str, Any]) -> PlayOperation:
    """Return an operation of operations.yml.

    keywords: more keywords of its plays, for a role or tasks.
    """
    flags = {name: described[name] for name in ("may_fail", "authority") if name in described}
    variables: dict[str, Any] = {}
    if described.get("customer"):
        variables = {**make_customer(None)}

    variables |= described.get("variables", {})
    files = {path: _make_file_text(content) for path, content in described.get("files", {}).items()}
    seeds = tuple(_seed(panel) for panel in described.get("seeds", [{}]))
    return PlayOperation(
        name=described["name"],
        playbook=_make_playbook(described, keywords),
        variables=variables,
        seeds=seeds,
        files=files,
        **flags,
    )


def _make_playbook(described: Mapping[str, Any], keywords: Mapping[str, Any]) -> Any:
    if "playbook" in described:
        return f"hosting.panel.{described['playbook']}"
    if "role" in described:
        return make_plays(described["role"], **keywords)
    return _make_play(described["tasks"], **keywords)


def _make_file_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return json.dumps(content)


def _seed(described: Mapping[str, Any]) -> Seed:
    """Return the seed of a panel: a mixed panel, clients for hosts, and objects by kind."""
    seeds: list[Seed] = []
    if "mixed" in described:
        seeds.append(make_mixed_objects(pem.make_texts(), described["mixed"]))

    names = list_host_names(described.get("hosts", 0))
    seeds.append({"clients": [{"username": name} for name in names]})
    seeds.append({kind: described[kind] for kind in described if kind not in ("mixed", "hosts")})
    return _merge(seeds)


def _merge(seeds: Iterable[Seed]) -> Seed:
    merged: dict[str, list[Any]] = {}
    for seed in seeds:
        for kind, items in seed.items():
            merged.setdefault(kind, []).extend(items)

    return merged


def _make_play(tasks: list[dict[str, Any]], **keywords: Any) -> list[dict[str, Any]]:
    return [
        {"name": "Manage", "hosts": "localhost", "gather_facts": False, **keywords, "tasks": tasks}
    ]


def _list_module_operations() -> Iterator[PlayOperation]:
    """Yield a playbook for each verb, with a task for each kind, and one for many objects."""
    with start_simulator({"status_delay": 0.0}, make_world()) as simulator:
        all_operations = list_operations(simulator)

    for verb, verbs in _VERBS.items():
        chosen = _choose_by_kind(
            operation for operation in all_operations if operation.verb in verbs
        )
        tasks = [_make_task(operation) for operation in chosen]
        if verb == "delete":
            tasks.reverse()
        existing = _merge(operation.existing for operation in chosen)
        yield PlayOperation(
            f"single modules, {verb}", _make_play(tasks), seeds=(make_world(),), existing=existing
        )

    deleted = {
        "clients": [{"username": "gone"}],
        "emails": [{"email": "old@customer-001.example"}],
    }
    task = {
        "name": "Apply",
        "hosting.panel.panel_resources": make_completing_options(make_customers(3, mailboxes=2)),
    }
    seed = _merge([make_different_customers(2), deleted])
    yield PlayOperation("panel_resources", _make_play([task]), seeds=(seed,))


def _choose_by_kind(candidates: Iterable[Operation]) -> list[Operation]:
    """Return an operation for each kind, with a given password where the kind takes one.

    Nobody is left to be told a password that the panel made.
    """
    chosen: dict[str, Operation] = {}
    for operation in candidates:
        if not operation.kind:
            continue
        if operation.kind not in chosen or chosen[operation.kind].generates:
            chosen[operation.kind] = operation

    return list(chosen.values())


def _make_task(operation: Operation) -> dict[str, Any]:
    return {"name": operation.name, f"hosting.panel.{operation.module}": dict(operation.options)}
