"""The fleet of fleet.py as running simulators, with a folder in which an operator reports on them."""

from __future__ import annotations

import contextlib
import datetime
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import pem
from tests.support.fleet import CLIENTS, fleet
from tests.support.playbook import IN_PROCESS, ansible
from tests.support.simulator import Simulator

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
DISKS = {"web-1": "4T", "web-2": "2T", "web-3": "2T"}
FILES = {
    "report_file": "report.html",
    "report_json_file": "report.json",
    "report_metrics_file": "report.prom",
    "report_time": NOW.isoformat(),
}


@dataclass(frozen=True)
class ReportedFleet:
    """Panels by name, and the folder, which has an inventory of them, ``panels.json``."""

    panels: dict[str, Simulator]
    folder: Path

    def run(self, plays: list[Any], *words: str) -> subprocess.CompletedProcess[str]:
        """Runs plays against the inventory; what it printed is in ``stdout``."""
        (self.folder / "plays.json").write_text(json.dumps(plays), encoding="utf-8")
        return ansible("playbook", ["-i", "panels.json", *words, "plays.json"], self.folder, IN_PROCESS)

    def export(self) -> dict[str, Any]:
        """The play that exports every panel into ``exports/NAME``."""
        return {"ansible.builtin.import_playbook": "hosting.panel.export", "vars": {"panel_hosts": "all"}}

    def report(self, **variables: Any) -> dict[str, Any]:
        """A play that makes ``report.html`` and ``report.json``, at the time of the fleet."""
        wanted, roles = {**FILES, **variables}, ["hosting.panel.report"]
        return {"name": "Report", "hosts": "all", "gather_facts": False, "vars": wanted, "roles": roles}

    def report_playbook(self, **variables: Any) -> dict[str, Any]:
        """The same through the collection's playbook."""
        wanted = {"panel_hosts": "all", **FILES, **variables}
        return {"ansible.builtin.import_playbook": "hosting.panel.report", "vars": wanted}

    def drift(self) -> None:
        """Changes something on the first panel by hand, as people do."""
        panel = self.panels["web-1"]
        clients, emails = panel.objects("clients"), panel.objects("emails")
        panel.request("PUT", f"/clients/{clients[2]['id']}", {"notes": "Called about the bill"})
        panel.request("PUT", f"/emails/{emails[6]['id']}", {"max_size": "5G"})
        panel.request("DELETE", f"/emails/{emails[9]['id']}")
        panel.request("POST", "/databases", {"id_user": clients[4]["id"], "database_name": "shop_test"})


@contextlib.contextmanager
def reported_fleet(folder: Path, clients: int = CLIENTS) -> Iterator[ReportedFleet]:
    """Starts the fleet, and stops it afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as running:
        panels = {}
        for name, seed in fleet(NOW, pem.texts(), clients).items():
            settings = {"hostname": f"{name}.hosting.example", "status_delay": 0}
            panels[name] = running.enter_context(Simulator.start(settings=settings))
            panels[name].seed(seed)
        hosts = {
            name: {
                "panel_api_url": panel.url,
                "panel_api_key": panel.api_key,
                "panel_retry_time": 1,
                "panel_disk_space": DISKS[name],
                "panel_dir": f"exports/{name}",
            }
            for name, panel in panels.items()
        }
        (folder / "panels.json").write_text(json.dumps({"all": {"hosts": hosts}}), encoding="utf-8")
        yield ReportedFleet(panels, folder)
