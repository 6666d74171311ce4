"""Every operation that writes, generated from the collection's tables and the sample values of
their tests."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, TABLES
from tests.support import pem
from tests.support.grid import Behaviour, list_behaviours
from tests.support.grid_checks import make_resolver
from tests.support.memory import MemoryPlace
from tests.support.samples import read_samples, resolve_value
from tests.support.simulator import Simulator

CREATE = "create"
CREATE_WITH_PASSWORD = "create with a password"
CHANGE = "change"
DELETE = "delete"
REGENERATE = "regenerate a password"
UNCHANGED = "nothing to do"
REBOOT = "reboot"
# Nothing says that the panel refuses a second one of these.
DOUBLED_BY_THE_PANEL = tuple(plural for plural, kind in TABLES.items() if not kind.traits.is_unique)
# By the title of a behaviour; a change is the first behaviour that changes something.
_VERBS = {
    "created with every member": CREATE,
    "created with a password": CREATE_WITH_PASSWORD,
    "deleted": DELETE,
    "password generated anew": REGENERATE,
    "every member right already": UNCHANGED,
}
SETTINGS = {"status_delay": 0.0, "reboot_delay": 0.2, "reboot_down_time": 2.6}
LONGEST = 3600
_ZONE = "acme.example"
_RECORDS = [{"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.77"}]


@dataclass(frozen=True)
class Operation:
    """One task that writes at most once.

    kind: plural, the key in panel_resources; empty where that has none. existing: what is on the
    panel beside the world of the samples.
    """

    verb: str
    module: str
    kind: str
    options: Mapping[str, Any]
    existing: Mapping[str, Any] = field(default_factory=dict)
    generates: bool = False

    @property
    def name(self) -> str:
        """Return the verb and what it is about."""
        return f"{self.kind or self.module}: {self.verb}"


def make_world() -> dict[str, Any]:
    """Return the seed of every panel."""
    no_ids: dict[str, int] = {}
    seed: dict[str, Any] = resolve_value(
        read_samples()["world"], no_ids.__getitem__, pem.make_texts()
    )
    return seed


def list_operations(panel: Simulator | MemoryPlace) -> list[Operation]:
    """Return all operations, in a fixed order.

    panel: one with the world, which tells the ids that its objects get.
    """
    fill = make_resolver(panel.reset, panel.seed, panel.list_objects, pem.make_texts())
    return [
        *(_make_operation(behaviour, verb, fill) for behaviour, verb in _choose_behaviours()),
        *_list_zone_operations(),
        _reboot(),
    ]


def _choose_behaviours() -> Iterator[tuple[Behaviour, str]]:
    plurals = set(TABLES)
    changed: set[str] = set()

    for behaviour in list_behaviours():
        plural = behaviour.kind.plural
        if plural not in plurals:
            continue
        verb = _VERBS.get(behaviour.title)
        if (
            verb is None
            and plural not in changed
            and behaviour.write
            and behaviour.title.endswith(" changed")
        ):
            changed.add(plural)
            verb = CHANGE
        if verb is not None:
            yield behaviour, verb


def _make_operation(behaviour: Behaviour, verb: str, fill: Callable[[Any], Any]) -> Operation:
    kind = behaviour.kind

    return Operation(
        verb=verb,
        module=kind.module,
        kind=kind.plural,
        options=fill(behaviour.options),
        existing={} if behaviour.existing is None else {kind.plural: [fill(behaviour.existing)]},
        generates=behaviour.generates,
    )


def _list_zone_operations() -> Iterator[Operation]:
    custom = {
        DNS: [
            {
                "domain": _ZONE,
                "records": [{"host": "@", "type": "A", "ttl": 60, "value": "192.0.2.9"}],
            }
        ]
    }
    for verb, options, existing in (
        (CHANGE, {"records": _RECORDS}, custom),
        (CREATE, {"records": _RECORDS}, {}),
        ("disable", {"is_dns_disabled": True}, custom),
        (DELETE, {"state": "default"}, custom),
    ):
        yield Operation(verb, "panel_dns", DNS, {"domain": _ZONE, **options}, existing)


def _reboot() -> Operation:
    return Operation(REBOOT, "panel_reboot", "", {"wait_timeout": 9})


def start_simulator(settings: Mapping[str, Any], seed: Mapping[str, Any]) -> Simulator:
    """Return a simulator that has this seed after every reset."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(seed, file)
        file.flush()
        return Simulator.start(
            settings=dict(settings), arguments=["--seed", file.name], max_seconds=LONGEST
        )
