# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and environment variables of a run: all from scratch, nothing of the caller's."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from tools.bench.certificate import make
from tools.bench.mailboxes import wanted
from tools.bench.panels import KEY, BenchPanel
from tools.bench.rows import Row

HERE = Path(__file__).resolve().parent


class Workshop:
    """A folder with playbooks, variables and inventories; `collections` is where Ansible finds the collection."""

    def __init__(self, folder: Path, collections: Path) -> None:
        """Take a folder that is the benchmark's own."""
        self.folder, self.collections = folder, collections
        self.certificate = make(folder / "tls")
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.output = folder / "output.txt"
        self.result = folder / "result.json"
        (folder / "ansible.cfg").touch()

    def variables(self, row: Row, panels: list[BenchPanel]) -> dict[str, str]:
        """Return all environment variables of a run. They name the panel, unless there are several."""
        variables = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            "ANSIBLE_CONFIG": str(self.folder / "ansible.cfg"),
            "ANSIBLE_HOME": str(self.home / "ansible"),
            "ANSIBLE_LIBRARY": str(HERE / "library"),
            "ANSIBLE_PIPELINING": str(row.pipelining),
            # The panel's certificate is the only CA, for each way in its own words: cheaper than a system's hundred of CAs.
            "PANEL_CA_PATH": str(self.certificate.file),
            "REQUESTS_CA_BUNDLE": str(self.certificate.file),
        }
        if len(panels) == 1:
            variables.update(PANEL_API_URL=panels[0].url, PANEL_API_KEY=KEY)
        return variables if row.way.in_process else {**variables, "PANEL_IN_PROCESS": "0"}

    def words(self, row: Row, panels: list[BenchPanel]) -> list[str]:
        """Write what a row needs and return its command."""
        data = self._data(row, panels)
        if row.way.script:
            script = str(HERE / row.way.script)
            return [sys.executable, script, str(data), panels[0].url, str(row.concurrency)]
        play = HERE / "plays" / row.way.play if row.way.play else self._written_out(row)
        words = [sys.executable, str(Path(sys.executable).parent / "ansible-playbook"), "--forks", str(row.forks)]
        return [*words, "-i", str(self._inventory(row, panels)), "-e", f"@{data}", str(play)]

    def _data(self, row: Row, panels: list[BenchPanel]) -> Path:
        file = self.folder / f"variables-{row.name}.json"
        if not file.exists():
            mailboxes = wanted(row.count, with_passwords=row.passwords)
            if row.owners:
                mailboxes = panels[0].with_owners(mailboxes)
            _write(
                file,
                {
                    "panel_key": KEY,
                    "panel_ca": str(self.certificate.file),
                    "mailboxes": mailboxes,
                    "concurrency": row.concurrency,
                    "return_unchanged": row.return_unchanged,
                    "result_file": str(self.result),
                },
            )
        return file

    def _inventory(self, row: Row, panels: list[BenchPanel]) -> Path:
        common = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        hosts = {f"panel{number:02}": {"panel_url": panel.url} for number, panel in enumerate(panels, start=1)}
        return _write(self.folder / f"hosts-{row.name}.json", {"panels": {"vars": common, "hosts": hosts}})

    def _written_out(self, row: Row) -> Path:
        tasks = yaml.safe_load((HERE / "tasks" / row.way.tasks).read_text(encoding="utf-8"))
        play = {
            "name": "Tasks for each mailbox",
            "hosts": "panels",
            "gather_facts": False,
            "tasks": [
                {**task, "vars": {"mailbox": f"{{{{ mailboxes[{number}] }}}}"}}
                for number in range(row.count)
                for task in tasks
            ],
        }
        return _write(self.folder / f"play-{row.name}.yml", [play])


def _write(file: Path, content: Any) -> Path:
    # JSON is YAML too.
    file.write_text(json.dumps(content), encoding="utf-8")
    return file
