"""A controller's folder with its panels.

It lays an operation out, runs it as often as needed, and describes the result as a picture: a list
of lines, one for each object, record and password of the panels, and for each line of the files,
decrypted where Ansible Vault has encrypted them. Ids, times, keys and made passwords are masked,
since they are different in every run.
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
from tests.support.bulk import read_panel
from tests.support.killing import (
    Process,
    end_workers,
    is_running,
    kill_with_children,
    start_playbook,
)
from tests.support.loaded_ansible import HOOK
from tests.support.marked_secrets import list_printed_forms
from tests.support.pebble import Pebble, run_pebble
from tests.support.playbook import IN_PROCESS, write_inventory
from tests.support.simulator import WRITES, Simulator
from tools.reliability.operations import PlayOperation, list_host_names

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
    plural: tuple(row.name for row in kind.key if not row.name.startswith("id_"))
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
    """One run of ansible-playbook that came to its end.

    writes: how many arrived at the panels meanwhile, whatever became of them.
    """

    code: int
    text: str
    writes: int

    @property
    def said(self) -> str:
        """On one line, what it printed of what went wrong."""
        text = " ".join(self.text.split())
        start = max(text.find("fatal: "), text.find("ERROR"))
        if start < 0:
            return text[-600:]

        return text[start:][:600]


@dataclass(frozen=True)
class Known:
    """What an operation does when nothing disturbs it.

    touched: how many files it opens for writing or renames. sizes: of those that it writes.
    """

    writes: int = 0
    touched: int = 0
    sizes: Mapping[Path, int] = field(default_factory=dict)
    picture: Picture = field(default_factory=Counter)


class Place:
    """One folder, two panels and an authority for certificates, used for one run after the other."""

    def __init__(self, folder: Path, panels: Sequence[Simulator], authority: Pebble | None) -> None:
        self.folder = folder / "controller"
        self.aside = folder / "aside"
        self.panels = panels
        self.authority = authority

    def lay_out(self, operation: PlayOperation, **settings: Any) -> None:
        """Bring panels and files to where they are before the operation."""
        for panel, seed in zip(self.panels, (*operation.seeds, {}), strict=False):
            panel.reset()
            panel.change_settings({"status_delay": 0.0, **settings})
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
        options: Sequence[str],
        hook: Mapping[str, str],
        output: str,
    ) -> Process:
        """Start a run of an operation.

        Args:
            operation: the playbook and its variables.
            way: in process, or as modules in processes of their own.
            hosts: how many beside localhost.
            options: more of the command line.
            hook: the variables that `hooked` returns.
            output: the name of the file that gets what the run prints.
        """
        variables = json.loads(self._fill(json.dumps(operation.variables)))
        operator = Operator(self.folder, self.panels[0])
        line, environment = operator.make_command_line(operation.playbook, variables, *options)
        local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        write_inventory(self.folder, hosts=dict.fromkeys(list_host_names(hosts), local))
        environment |= {"PANEL_RETRY_TIME": str(RETRY_TIME), **hook}
        if operation.authority:
            environment |= orderers.make_environment()

        with (self.folder / output).open("wb") as printed_to:
            return start_playbook(line, self.folder, way, environment, printed_to)

    def _fill(self, variables: str) -> str:
        """Fill in the folder, the panels and the authority for their names in angle brackets."""
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
        options: Sequence[str] = (),
        hook: Mapping[str, str] | None = None,
        times: int = 1,
    ) -> list[Ended]:
        """Run an operation to its end, so many times at once; each result has the writes of all.

        The arguments are those of `start`.
        """
        writes_before = self.count_writes()
        outputs = [f"output {number}" for number in range(times)]
        running: list[Process] = []

        try:
            # One after the other: if a start fails, those before it are ended.
            running.extend(
                self.start(operation, way, hosts, options, hook or {}, output) for output in outputs
            )
            codes = [process.wait(LONGEST_RUN) for process in running]
        finally:
            for process in running:
                self.end(process)

        texts = [(self.folder / output).read_text(encoding="utf-8") for output in outputs]
        writes = self.count_writes() - writes_before
        return [Ended(code, text, writes) for code, text in zip(codes, texts, strict=True)]

    def end(self, process: Process) -> None:
        """Kill a run and everything that it has started."""
        if is_running(process):
            kill_with_children(process)

        end_workers(self.folder)

    def make_hooked_environment(self, **variables: str) -> dict[str, str]:
        """Return the environment in which files are watched; see `hook/sitecustomize.py`."""
        shutil.rmtree(self.aside, ignore_errors=True)
        self.aside.mkdir()
        watched = {"PROOF_FOLDER": str(self.folder), "PROOF_ASIDE": str(self.aside)}
        return {"PYTHONPATH": str(HOOK), **watched, **variables}

    def queue_fault(self, fault: dict[str, Any]) -> None:
        """Give each panel a fault: all writes of an operation go to one of them, whichever it is."""
        for panel in self.panels:
            panel.queue_fault(fault)

    def clear_faults(self) -> None:
        """Take the faults from the panels, which go on where they stood still."""
        for panel in self.panels:
            panel.clear_faults()

    def is_stalled(self) -> bool:
        """Return whether a panel or the hook stands still."""
        if (self.aside / "stalled").exists():
            return True
        return any(panel.get_counters()["stalled"] for panel in self.panels)

    def let_a_day_pass(self) -> None:
        """Make what a killed run has left a day old, so that no other run can be at it."""
        moment = time.time() - 86400
        for path in self.folder.rglob(".*"):
            os.utime(path, (moment, moment))

    def count_writes(self) -> int:
        """Return how many writes have arrived at all panels."""
        total = 0
        for panel in self.panels:
            counts = panel.get_counters()["by_method"]
            total += sum(counts.get(method, 0) for method in WRITES)

        return total

    def count_authority_requests(self) -> int:
        """Return how often the authority was asked for something."""
        if self.authority is None:
            return 0
        return self.authority.count(" -> calling handler()")

    def run_without_fault(self, operation: PlayOperation, hosts: int) -> Known:
        """Run an operation without a fault, where hosts come one after the other.

        Raises: RuntimeError if that does not end well.
        """
        self.lay_out(operation)
        [ended] = self.run(
            operation, IN_PROCESS, hosts, ("--forks", "1"), self.make_hooked_environment()
        )
        if ended.code:
            raise RuntimeError(f"{operation.name} fails without any fault: {ended.said}")

        file = self.aside / "touched"
        touched: list[str] = []
        if file.exists():
            touched = file.read_text(encoding="utf-8").splitlines()

        opened = " ".join(line for line in touched if line.startswith("open "))
        written = [path for path in self._list_files() if path.name in opened]
        sizes = {path.relative_to(self.folder): path.stat().st_size for path in written}
        return Known(ended.writes, len(touched), sizes, self.take_picture(operation))

    def take_picture(self, operation: PlayOperation) -> Picture:
        """Return what panels and files hold now."""
        texts, passwords = self._list_readable_files()
        written_by_operator = json.dumps(
            [operation.playbook, operation.variables, operation.files], ensure_ascii=False
        )
        lines: list[str] = []
        for number, panel in enumerate(self.panels, 1):
            lines += _describe_panel(number, panel, written_by_operator, passwords)

        for path, text in texts.items():
            lines.append(f"file {path}: is there")
            lines += [f"file {path}: {line}" for line in self._mask(text).splitlines()]

        return Counter(self._mask(line) for line in lines)

    def _list_readable_files(self) -> tuple[dict[Path, str], Passwords]:
        """Return the texts of all files, decrypted, and the passwords in encrypted ones."""
        operator = Operator(self.folder, self.panels[0])
        texts: dict[Path, str] = {}
        passwords: Passwords = {}

        for path in self._list_files():
            content = path.read_bytes()
            if content.startswith(b"$ANSIBLE_VAULT;"):
                passwords |= operator.read_passwords(path)
                plain = VAULT.decrypt(content)
                content = re.sub(rb"(?m)^( *(?:- )?password: ).*", rb"\1(a password)", plain)

            texts[path.relative_to(self.folder)] = content.decode("utf-8", "replace")

        return texts, passwords

    def _mask(self, text: str) -> str:
        """Return a text without what is different in every run."""
        # The folder as it is, and as Markdown has it.
        folder = str(self.folder)
        for spelling in (folder, folder.replace("_", "\\_")):
            text = text.replace(spelling, "FOLDER")

        for number, panel in enumerate(self.panels):
            text = mask_port(text, panel.url.rpartition(":")[2], number)

        if self.authority:
            text = text.replace(self.authority.directory, "AUTHORITY")

        for name, expression in _MASKS.items():
            text = re.sub(expression, name, text, flags=re.DOTALL)

        return text

    def _list_files(self) -> list[Path]:
        """Return every file of the operation, also hidden ones."""
        files = []
        for path in sorted(self.folder.rglob("*")):
            first_part = path.relative_to(self.folder).parts[0]
            if path.is_file() and first_part not in _OURS:
                files.append(path)
        return files

    def find_leaks(self, text: str) -> list[str]:
        """Return whose keys and passwords are in what a run printed."""
        secrets: Passwords = {}
        for number, panel in enumerate(self.panels):
            secrets["api_key", str(number)] = panel.api_key

        for panel in self.panels:
            for name, password in list_passwords(panel).items():
                # Shorter ones are words that anything may hold.
                if len(password) >= SHORTEST_SECRET:
                    secrets[name] = password

        return [" ".join(name) for name, secret in secrets.items() if _is_in(secret, text)]

    def read_plain_files(self, operation: PlayOperation) -> str:
        """Return all that is in files which are not encrypted, without what the operator wrote."""
        of_operator = (*_OURS[1:], *operation.files)
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return "\n".join(
            path.read_text("utf-8", "replace")
            for path in files
            if path.relative_to(self.folder).as_posix() not in of_operator
        )


def mask_port(text: str, port: str, number: int) -> str:
    """Return a text without the port of a panel, as it stands in addresses and names of files."""
    return re.sub(rf"(?<=[:_]){port}(?!\d)", f"PORT{number}", text)


def _is_in(secret: str, text: str) -> bool:
    """Return whether a text has a secret, in any form in which it may be printed."""
    return any(form in text for form in list_printed_forms(secret))


def _describe_panel(
    number: int, panel: Simulator, written_by_operator: str, passwords: Passwords
) -> Iterator[str]:
    """Yield a line for each object, zone, record and password of a panel.

    passwords: those in encrypted files.
    """
    state = panel.get_state()
    for kind, items in read_panel(panel).items():
        for item in items:
            yield f"panel {number} {kind}: {_write_sorted(item)}"

    domains = {}
    for item in state["objects"]["domains"]:
        domains[item["id"]] = item["data"]["domain"]
    for identifier, zone in state["zones"].items():
        domain = domains.get(int(identifier))
        subject = f"panel {number} zone {domain}"
        soa = _write_sorted(zone["soa"])
        yield f"{subject}: {zone['is_disabled']} {soa}"
        for record in zone["other"]:
            yield f"{subject}: {_write_sorted(record)}"

    for name, password in list_passwords(panel).items():
        kind, key = name
        origin = "given" if _is_written(password, written_by_operator) else "made"
        location = _describe_location(passwords.get(name), password)
        yield f"panel {number} password of {kind} {key}: {origin}, {location}"


def _write_sorted(value: Any) -> str:
    """Return a value as JSON that is the same whatever the order of its fields."""
    return json.dumps(value, sort_keys=True)


def _is_written(password: str, written_by_operator: str) -> bool:
    """Return whether an operator wrote a password, also in JSON within JSON."""
    in_text = json.dumps(password, ensure_ascii=False)
    in_json = json.dumps(json.dumps(password))
    # Without their quotes.
    forms = (in_text[1:-1], in_json[2:-2])
    return any(form in written_by_operator for form in forms)


def _describe_location(in_file: str | None, password: str) -> str:
    """Return where a password is kept, by what the file has for its object."""
    if in_file == password:
        return "in the file"
    if in_file:
        return "another one in the file"
    return "in no file"


def list_passwords(panel: Simulator) -> Passwords:
    """Return the passwords that log in, by kind and by what names their objects."""
    objects = panel.get_state()["objects"]
    passwords = {}

    for kind, names in NAMES.items():
        for item in objects[kind]:
            password = item["hidden"].get("password")
            if password:
                parts = [str(item["data"].get(name)) for name in names]
                key = ":".join(parts)
                passwords[kind, key] = str(password)

    return passwords


@contextlib.contextmanager
def make_place(with_authority: bool) -> Iterator[Place]:
    """Yield a place with its own panels, which end with the block."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        panels = [
            Simulator.start(f"k{number}234567.proof", max_seconds=7200, dns=with_authority)
            for number in (0, 1)
        ]
        for panel in panels:
            stack.enter_context(panel)
        authority = None
        if with_authority:
            server = run_pebble(panels[0].dns_port, folder / "pebble", max_seconds=7200)
            authority = stack.enter_context(server)

        yield Place(folder, panels, authority)
