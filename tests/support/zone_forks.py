"""Hosts of one play that change one zone at once, and what became of what each of them reports.

The panel replaces a zone as a whole, so two that do not wait for each other lose each other's records.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.playbook import GROUP, Recording, Run, defaults, run_playbook
from tests.support.simulator import Simulator

DOMAIN = "acme.example"
ACTIONS = ("append", "set", "remove")
MODULES = ("panel_dns", "panel_resources")
_SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}


@dataclass(frozen=True)
class Writer:
    """A host that does one thing to the records of one name."""

    name: str
    module: str
    action: str

    @property
    def old(self) -> list[dict[str, Any]]:
        """What is there before for this name; nobody else touches it."""
        return [] if self.action == "append" else [self._record("192.0.2.1"), self._record("192.0.2.2")]

    @property
    def new(self) -> list[dict[str, Any]]:
        """What is there after the writer reported a change."""
        return [] if self.action == "remove" else [self._record("192.0.2.3")]

    def item(self) -> dict[str, Any]:
        """The options of panel_dns, or the item of panel_resources."""
        if self.action == "remove":
            return {"domain": DOMAIN, "records": self.old, "state": "absent"}
        return {"domain": DOMAIN, "records": self.new, "append": self.action == "append"}

    def _record(self, value: str) -> dict[str, Any]:
        return {"host": self.name, "type": "A", "ttl": 3600, "value": value}


@dataclass(frozen=True)
class Forks:
    """How it ended. lost: a line for each record that a host reported to have written and that is not there, and for each that others lost."""

    run: Run
    recordings: Mapping[str, Recording]
    lost: Sequence[str]


def writers(number: int, modules: Sequence[str] = ("panel_dns",), actions: Sequence[str] = ACTIONS) -> list[Writer]:
    """So many, with modules and actions in turn."""
    return [
        Writer(f"host-{place}", modules[place % len(modules)], actions[place // len(modules) % len(actions)])
        for place in range(number)
    ]


def write_at_once(
    simulator: Simulator,
    folder: Path,
    way: str,
    these: Sequence[Writer],
    latency: float = 50.0,
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] = ("127.0.0.1",),
) -> Forks:
    """Runs one play with a host and a fork for each of the writers.

    latency: milliseconds before each answer of the panel. names: of the panel in api_url, in turn.
    """
    before = [
        {"host": "@", "type": "NS", "ttl": 86400, "value": "ns1.panel.example."},
        *(record for writer in these for record in writer.old),
    ]
    simulator.reset()
    simulator.seed(_SEED)
    simulator.seed({"dns": [{"domain": DOMAIN, "records": before}]})
    simulator.settings({"latency": latency})
    python = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    addresses = itertools.cycle([simulator.url.replace("127.0.0.1", name) for name in names])
    hosts = {
        writer.name: {**python, "module": writer.module, "item": writer.item(), "address": address}
        for writer, address in zip(these, addresses, strict=False)
    }
    forks = ["--forks", str(len(these))]
    run = run_playbook(_playbook(simulator, folder, options or {}), simulator, folder, way, forks, hosts=hosts)
    simulator.settings({"latency": 0.0})
    recordings = {one.host: one for one in run.recordings if one.outcome != "skipped"}
    (zone,) = simulator.state()["zones"].values()
    return Forks(run, recordings, _lost(these, recordings, zone["other"]))


def _playbook(simulator: Simulator, folder: Path, options: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    members = {
        "domain": "{{ item.domain }}",
        "records": "{{ item.records }}",
        "append": "{{ item.append | default(omit) }}",
        "state": "{{ item.state | default(omit) }}",
    }
    play = {
        "hosts": "all:!localhost",
        # So that those with another module begin at the same time.
        "strategy": "free",
        "gather_facts": False,
        "ignore_errors": True,
        "module_defaults": {GROUP: {**defaults(simulator), "api_url": "{{ address }}", **options}},
        "tasks": [
            {"name": "One zone", "hosting.panel.panel_dns": members, "when": "module == 'panel_dns'"},
            {
                "name": "One zone of many objects",
                "hosting.panel.panel_resources": {"resources": {"dns": ["{{ item }}"]}},
                "when": "module == 'panel_resources'",
            },
        ],
    }
    playbook = folder / "playbook.yml"
    playbook.write_text(json.dumps([play], indent=1), encoding="utf-8")
    return playbook


def _lost(
    these: Sequence[Writer], recordings: Mapping[str, Recording], found: Sequence[Mapping[str, Any]]
) -> list[str]:
    there = {(record["host"], record["value"]) for record in found}
    lost = []
    for writer in these:
        recording = recordings.get(writer.name)
        is_done = recording is not None and recording.outcome == "ok" and recording.changed
        wanted = writer.new if is_done else writer.old
        if {(record["host"], record["value"]) for record in wanted} != {
            pair for pair in there if pair[0] == writer.name
        }:
            said = (
                "did not report"
                if recording is None
                else f"{recording.outcome}, changed={recording.changed} {recording.msg}"
            )
            lost.append(f"{writer.name}, {writer.module}, {writer.action}: {said}")
    return lost
