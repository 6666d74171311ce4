"""A controller's folder with its panels: lays an operation out, runs it as often as needed, and compares what is there with what should be.

What is there is a list of lines: one for each object, record and password of the panels, and for each line of the files, decrypted where Ansible
Vault has encrypted them. Ids, times, keys and made passwords are masked, since they are different in every run.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.integration.roles import orderers
from tests.integration.roles.operators import VAULT, Operator, Passwords
from tests.support.bulk import panel_of
from tests.support.killing import (
    Process,
    end_workers,
    is_running,
    kill_with_children,
    start_playbook,
)
from tests.support.loaded_ansible import HOOK
from tests.support.marked_secrets import printed
from tests.support.pebble import Pebble, pebble
from tests.support.playbook import IN_PROCESS, write_inventory
from tests.support.simulator import WRITES, Simulator
from tools.reliability.operations import PlayOperation, host_names

LONGEST_RUN = 600.0
RETRY_TIME = 10
SHORTEST_SECRET = 6
_OURS = (
    "home",
    "hosts.yml",
    "playbook.yml",
    "variables.yml",
    "vault password",
    "output 0",
    "output 1",
)
NAMES = {
    plural: [row.name for row in kind.key if not row.name.startswith("id_")]
    for plural, kind in KINDS.items()
    if kind.password
}
_MASKS = {
    "PEM": r"-----BEGIN [^-]+-----.*?-----END [^-]+-----",
    "TIME": r"\d{4}-?\d\d-?\d\d([T ]\d\d:?\d\d(:?\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?",
    "ISSUER": r"Pebble Intermediate CA \w+",
    "KEY": r"[A-Za-z0-9+/]{40,}={0,2}",
    r"\1N": r"(\bid\w*\W{1,4}|/)\d+",
}
Picture = Counter[str]


@dataclass(frozen=True)
class Ended:
    """One run of ansible-playbook that came to its end. writes: how many arrived at the panels meanwhile, whatever became of them."""

    code: int
    text: str
    writes: int

    @property
    def said(self) -> str:
        """On one line, what it printed of what went wrong."""
        words = " ".join(self.text.split())
        place = max(words.find("fatal: "), words.find("ERROR"))
        return words[place:][:600] if place >= 0 else words[-600:]


@dataclass(frozen=True)
class Known:
    """What an operation does when nothing disturbs it. touched: how many files it opens for writing or renames. sizes: of those that it writes."""

    writes: int = 0
    touched: int = 0
    sizes: Mapping[Path, int] = field(default_factory=dict)
    picture: Picture = field(default_factory=Counter)


class Place:
    """One folder, two panels and an authority for certificates, used for one run after the other."""

    def __init__(self, folder: Path, panels: Sequence[Simulator], authority: Pebble | None) -> None:
        self.folder, self.aside = folder / "controller", folder / "aside"
        self.panels, self.authority = panels, authority

    def lay_out(self, operation: PlayOperation, **settings: Any) -> None:
        """Panels and files as they are before the operation."""
        for panel, seed in zip(self.panels, (*operation.seeds, {}), strict=False):
            panel.reset()
            panel.settings({"status_delay": 0.0, **settings})
            panel.seed(dict(seed))
        self.panels[0].seed(dict(operation.existing))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, text in operation.files.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def start(
        self,
        operation: PlayOperation,
        way: str,
        hosts: int,
        words: Sequence[str],
        hook: Mapping[str, str],
        output: str,
    ) -> Process:
        """One run; what it prints goes into a file. hosts: how many beside localhost. words: more of the command line. hook: see ``hooked``."""
        filled = json.loads(self._filled(json.dumps(operation.variables)))
        line, environment = Operator(self.folder, self.panels[0]).words(
            operation.playbook, filled, *words
        )
        local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        write_inventory(self.folder, hosts=dict.fromkeys(host_names(hosts), local))
        environment |= {"PANEL_RETRY_TIME": str(RETRY_TIME), **hook}
        if operation.authority:
            environment |= orderers.surroundings()
        with (self.folder / output).open("wb") as printed_to:
            return start_playbook(line, self.folder, way, environment, printed_to)

    def _filled(self, variables: str) -> str:
        """With the folder, the panels and the authority in place of their names in angle brackets."""
        filled = variables.replace("<folder>", str(self.folder))
        for name, panel in zip(("<source>", "<target>"), self.panels, strict=True):
            connection = {"api_url": panel.url, "api_key": panel.api_key, "retry_time": RETRY_TIME}
            filled = filled.replace(json.dumps(name), json.dumps(connection))
        if self.authority:
            filled = filled.replace("<authority>", self.authority.directory)
            filled = filled.replace("<authority's certificate>", str(self.authority.ca_file))
        return filled.replace("<name server>", f"127.0.0.1:{self.panels[0].dns_port}")

    def run(
        self,
        operation: PlayOperation,
        way: str = IN_PROCESS,
        hosts: int = 0,
        words: Sequence[str] = (),
        hook: Mapping[str, str] | None = None,
        times: int = 1,
    ) -> list[Ended]:
        """So many runs of it at the same time, to their ends, each with the writes of all."""
        before = self.writes()
        outputs = [f"output {number}" for number in range(times)]
        running: list[Process] = []
        try:
            running += (
                self.start(operation, way, hosts, words, hook or {}, output) for output in outputs
            )
            codes = [process.wait(LONGEST_RUN) for process in running]
        finally:
            for process in running:
                self.end(process)
        texts = [(self.folder / output).read_text(encoding="utf-8") for output in outputs]
        return [
            Ended(code, text, self.writes() - before)
            for code, text in zip(codes, texts, strict=True)
        ]

    def end(self, process: Process) -> None:
        """Kills a run and everything that it has started."""
        if is_running(process):
            kill_with_children(process)
        end_workers(self.folder)

    def hooked(self, **variables: str) -> dict[str, str]:
        """The environment in which files are watched; see `hook/sitecustomize.py`."""
        shutil.rmtree(self.aside, ignore_errors=True)
        self.aside.mkdir()
        watched = {"PROOF_FOLDER": str(self.folder), "PROOF_ASIDE": str(self.aside)}
        return {"PYTHONPATH": str(HOOK), **watched, **variables}

    def fault(self, fault: dict[str, Any]) -> None:
        """On each panel: all writes of an operation go to one of them, whichever it is."""
        for panel in self.panels:
            panel.fault(fault)

    def clear_faults(self) -> None:
        """Panels without faults, which go on where they stood still."""
        for panel in self.panels:
            panel.clear_faults()

    def is_stalled(self) -> bool:
        """Whether a panel or the hook stands still."""
        return (self.aside / "stalled").exists() or any(
            panel.counters()["stalled"] for panel in self.panels
        )

    def a_day_passes(self) -> None:
        """What a killed run has left is a day old, and no other run can be at it."""
        moment = time.time() - 86400
        for path in self.folder.rglob(".*"):
            os.utime(path, (moment, moment))

    def writes(self) -> int:
        """How many writes have arrived at all panels."""
        counted = (panel.counters()["by_method"] for panel in self.panels)
        return sum(counts.get(method, 0) for counts in counted for method in WRITES)

    def asked(self) -> int:
        """How often the authority was asked for something."""
        return self.authority.count(" -> calling handler()") if self.authority else 0

    def known(self, operation: PlayOperation, hosts: int) -> Known:
        """One run without a fault, where hosts come one after the other; raises RuntimeError where that does not end well."""
        self.lay_out(operation)
        [ended] = self.run(operation, IN_PROCESS, hosts, ("--forks", "1"), self.hooked())
        if ended.code:
            raise RuntimeError(f"{operation.name} fails without any fault: {ended.said}")
        file = self.aside / "touched"
        touched = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        opened = " ".join(line for line in touched if line.startswith("open "))
        sizes = {
            path.relative_to(self.folder): path.stat().st_size
            for path in self._files()
            if path.name in opened
        }
        return Known(ended.writes, len(touched), sizes, self.picture(operation))

    def picture(self, operation: PlayOperation) -> Picture:
        """What is there now."""
        operator = Operator(self.folder, self.panels[0])
        texts: dict[Path, str] = {}
        kept: Passwords = {}
        for path in self._files():
            content = path.read_bytes()
            if content.startswith(b"$ANSIBLE_VAULT;"):
                kept |= operator.passwords(path)
                content = re.sub(
                    rb"(?m)^( *(?:- )?password: ).*", rb"\1(a password)", VAULT.decrypt(content)
                )
            texts[path.relative_to(self.folder)] = content.decode("utf-8", "replace")
        given = json.dumps(
            [operation.playbook, operation.variables, operation.files], ensure_ascii=False
        )
        found = [
            line
            for number, panel in enumerate(self.panels, 1)
            for line in _of_panel(number, panel, given, kept)
        ]
        for path, text in texts.items():
            found += (
                f"file {path}: {line}" for line in ("is there", *self._masked(text).splitlines())
            )
        return Counter(map(self._masked, found))

    def _masked(self, text: str) -> str:
        # The folder as it is, and as Markdown has it.
        text = text.replace(str(self.folder), "FOLDER").replace(
            str(self.folder).replace("_", "\\_"), "FOLDER"
        )
        for number, panel in enumerate(self.panels):
            text = text.replace(panel.url.rpartition(":")[2], f"PORT{number}")
        if self.authority:
            text = text.replace(self.authority.directory, "AUTHORITY")
        for name, expression in _MASKS.items():
            text = re.sub(expression, name, text, flags=re.DOTALL)
        return text

    def _files(self) -> list[Path]:
        """Every file of the operation, also hidden ones."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return [path for path in found if path.relative_to(self.folder).parts[0] not in _OURS]

    def leaks(self, text: str) -> list[str]:
        """Whose keys and passwords are in what a run printed."""
        secrets = {
            ("api_key", str(number)): panel.api_key for number, panel in enumerate(self.panels)
        }
        for panel in self.panels:
            # Shorter ones are words that anything may hold.
            secrets |= {
                name: one
                for name, one in passwords_of(panel).items()
                if len(one) >= SHORTEST_SECRET
            }
        return [
            " ".join(name)
            for name, one in secrets.items()
            if any(form in text for form in printed(one))
        ]

    def left(self, operation: PlayOperation) -> str:
        """All that is in files which are not encrypted, without what the operator wrote."""
        given = (*_OURS[1:], *operation.files)
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return "\n".join(
            path.read_text("utf-8", "replace")
            for path in found
            if path.relative_to(self.folder).as_posix() not in given
        )


def _of_panel(number: int, panel: Simulator, given: str, kept: Passwords) -> Iterator[str]:
    """given: all that the operator wrote. kept: the passwords in encrypted files."""
    state = panel.state()
    for kind, items in panel_of(panel).items():
        yield from (f"panel {number} {kind}: {json.dumps(item, sort_keys=True)}" for item in items)
    domains = {item["id"]: item["data"]["domain"] for item in state["objects"]["domains"]}
    for identifier, zone in state["zones"].items():
        domain = domains.get(int(identifier))
        yield f"panel {number} zone {domain}: {zone['is_disabled']} {json.dumps(zone['soa'], sort_keys=True)}"
        yield from (
            f"panel {number} zone {domain}: {json.dumps(one, sort_keys=True)}"
            for one in zone["other"]
        )
    for (kind, key), password in passwords_of(panel).items():
        in_text = json.dumps(password, ensure_ascii=False)[1:-1]
        is_given = in_text in given or json.dumps(json.dumps(password))[2:-2] in given
        in_file = kept.get((kind, key))
        where = (
            "in the file"
            if in_file == password
            else "another one in the file"
            if in_file
            else "in no file"
        )
        yield f"panel {number} password of {kind} {key}: {'given' if is_given else 'made'}, {where}"


def passwords_of(panel: Simulator) -> Passwords:
    """The passwords that log in, by kind and by what names their objects."""
    return {
        (kind, ":".join(str(item["data"].get(name)) for name in names)): str(
            item["hidden"]["password"]
        )
        for kind, names in NAMES.items()
        for item in panel.state()["objects"][kind]
        if item["hidden"].get("password")
    }


@contextlib.contextmanager
def a_place(with_authority: bool) -> Iterator[Place]:
    """One with panels of its own."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        panels = [
            Simulator.start(f"k{number}234567.proof", max_seconds=7200, dns=with_authority)
            for number in (0, 1)
        ]
        for panel in panels:
            stack.enter_context(panel)
        asked = panels[0].dns_port
        authority = (
            stack.enter_context(pebble(asked, folder / "pebble", max_seconds=7200))
            if with_authority
            else None
        )
        yield Place(folder, panels, authority)
