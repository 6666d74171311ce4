# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's day on a fleet: inventory, report, drift and plan of 1, 10 and 100 panels, and what they would take of 10,000."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.simulator import API_KEY, Simulator
from tools.bench import process
from tools.bench.certificate import Certificate, make
from tools.bench.fleet_panels import fleet_panels, requests_of
from tools.bench.load import ForeignLoad

HERE = Path(__file__).resolve().parent
NAME, TITLE = "panels", "Inventory, report, drift and plan of 1, 10 and 100 panels"
SIZES, CLIENTS = (1, 10, 100), 200
QUICK_SIZES, QUICK_CLIENTS = (1, 5), 20
FORKS = (5, 20, 50)
MONTHS = 6
# Of the role report.
PANELS_AT_ONCE, REQUESTS_AT_ONCE = 8, 4
# Seldom enough that it does not disturb the times.
SECONDS_OF_WATCH = 0.5
# A report of 100 panels makes 160,000 requests, and all of its panels share this machine.
TIME_LIMIT = 1800.0
NOW = datetime.datetime(2026, 11, 20, 6, tzinfo=datetime.UTC)


@dataclass(frozen=True)
class Run:
    """One run. wall and cpu: seconds, cpu of the whole tree without the panels. memory: peak in bytes, None where it was not watched."""

    operation: str
    panels: int
    forks: int | None
    wall: float
    cpu: float
    memory: int | None
    requests: int
    mistake: str


@dataclass(frozen=True)
class Measured:
    """All runs of an experiment. foreign: how many processors others kept busy, the panels among them."""

    clients: int
    runs: list[Run]
    foreign: float | None


def measure(folder: Path, collections: Path, sizes: Sequence[int], clients: int) -> Measured:
    """Measure all operations on fleets of each size; the panels of the largest one are those of the smaller ones too."""
    runs = []
    certificate = make(folder / "tls")
    with fleet_panels(max(sizes), clients, NOW, certificate) as panels:
        load = ForeignLoad()
        for size in sizes:
            for run in _Fleet(folder / str(size), collections, panels[:size], certificate).runs():
                print(f"{NAME}: {run.operation}, {size} panels, {run.wall:.1f} s {run.mistake}", flush=True)
                runs.append(run)
        # While the panels run: ended children count as our own.
        return Measured(clients, runs, load.processors())


class _Fleet:
    """Some of the panels, and the folder from which an operator looks after them."""

    def __init__(self, folder: Path, collections: Path, panels: Sequence[Simulator], certificate: Certificate) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "home").mkdir(parents=True)
        self._folder, self._panels = folder, panels
        self._variables = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(folder / "home"),
            "LANG": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_LOCALHOST_WARNING": "False",
            "PANEL_API_KEY": API_KEY,
            "PANEL_CA_PATH": str(certificate.file),
        }
        named = [(f"panel{number:03}", panel) for number, panel in enumerate(panels)]
        hosts = {name: {"panel_api_url": panel.url, "panel_api_key": API_KEY} for name, panel in named}
        self._write("hosts.json", {"all": {"hosts": hosts}})
        connections = [{"name": name, "api_url": panel.url, "api_key": API_KEY} for name, panel in named]
        self._write("fleet.panel.yml", {"plugin": "hosting.panel.panel", "panels": connections})
        months = [f"2026-{month:02}" for month in range(12 - MONTHS, 12)]
        wish = {
            "panels": [panel.url for panel in panels],
            "key": API_KEY,
            "ca": str(certificate.file),
            "months": months,
        }
        self._write("wish.json", {**wish, "panels_at_once": PANELS_AT_ONCE, "requests_at_once": REQUESTS_AT_ONCE})

    def runs(self) -> Iterator[Run]:
        """Each operation, with numbers of forks where hosts are worked on."""
        python, programs = sys.executable, Path(sys.executable).parent
        numbers = [forks for forks in FORKS if forks <= len(self._panels)] or [FORKS[0]]
        yield self._run("ping", self._playbook("ping", numbers[0]), numbers[0])
        yield self._run("inventory", [python, str(programs / "ansible-inventory"), "-i", "fleet.panel.yml", "--list"])
        yield self._run("report script", [python, str(HERE / "report_script.py"), "wish.json"])
        report = [f"report_time={NOW.isoformat()}", "report_json_file=report.json", f"report_months={MONTHS}"]
        yield self._run("report", self._playbook("report", None, "report_file=report.html", *report))
        yield self._run("report again", self._playbook("report", None, "report_file=report.html", *report))
        folder = "panel_dir=exports/{{ inventory_hostname }}"
        yield self._run("export", self._playbook("export", numbers[-1], folder), numbers[-1])
        for operation in ("plan", "drift"):
            for forks in numbers:
                yield self._run(operation, self._playbook(operation, forks, folder), forks)

    def _playbook(self, name: str, forks: int | None, *variables: str) -> list[str]:
        words = [sys.executable, str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.json"]
        words += ["--forks", str(forks)] if forks else []
        for variable in ("panel_hosts=all", *variables):
            words += ["-e", variable]
        return [*words, f"hosting.panel.{name}"]

    def _run(self, operation: str, words: list[str], forks: int | None = None) -> Run:
        output = self._folder / f"{operation}-{forks}.txt"
        before = requests_of(self._panels)
        ended = process.run(
            words,
            self._variables,
            self._folder,
            output,
            watch_memory=True,
            interval=SECONDS_OF_WATCH,
            time_limit=TIME_LIMIT,
        )
        requests = requests_of(self._panels) - before
        said = output.read_text(encoding="utf-8", errors="replace")
        mistakes = [f"it ended with {ended.code}: {said[-300:]}"] * bool(ended.code)
        mistakes += [f"it wrote: {dict(requests)}"] * bool(set(requests) - {"GET"})
        return Run(
            operation,
            len(self._panels),
            forks,
            ended.wall,
            ended.cpu,
            ended.memory,
            requests.total(),
            "; ".join(mistakes),
        )

    def _write(self, name: str, content: object) -> None:
        (self._folder / name).write_text(json.dumps(content), encoding="utf-8")
