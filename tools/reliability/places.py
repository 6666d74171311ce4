"""A controller's folder with its panels: lays an operation out, runs it as often as needed, and looks at everything that is there then."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support.bulk import panel_of
from tests.support.killing import Process, end_workers, is_running, kill_with_children
from tests.support.loaded_ansible import HOOK, loaded_for
from tests.support.playbook import IN_PROCESS, surroundings, write_inventory
from tests.support.simulator import WRITES, Simulator
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem
from tools.reliability.play_operations import FOLDER, SOURCE, TARGET, PlayOperation

VAULT_PASSWORD = "correct horse battery staple"
LONGEST_RUN = 600.0
MOST_REPEATS = 3
_KEYS = {plural: tuple(row.name for row in kind.key) for plural, kind in KINDS.items() if kind.password}
_OURS = ("home", "hosts.yml", "playbook.yml", "variables.yml", "vault password", "output", "output 2")
# What is another one in every run: times, numbers that the panel gives, keys of DKIM and checksums.
_TIME = re.compile(r"\d{4}-?\d\d-?\d\d([T ]\d\d:?\d\d(:?\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?")
_ID = re.compile(r"(\bid\w*\W{1,4}|/)\d+")
_KEY = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")


@dataclass(frozen=True)
class Ended:
    """One run of ansible-playbook that came to its end. writes: how many arrived at each panel, whatever became of them."""

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
class Picture:
    """Everything that is there after a run, without what is another in every run: panels, credentials, other files."""

    panels: Sequence[Mapping[str, Any]]
    credentials: Mapping[str, Any]
    files: Mapping[str, str]


class Door(Protocol):
    """Where a panel is reached."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def api_key(self) -> str:
        """What it is opened with."""


class Place:
    """One folder and up to two panels, used for one run after the other. doors: where runs reach the panels, unless at the panels themselves."""

    def __init__(
        self, folder: Path, panels: Sequence[Simulator], doors: Sequence[Door] = (), retry_time: int = 10
    ) -> None:
        self.folder, self.aside, self.panels = folder / "controller", folder / "aside", panels
        self._doors, self.retry_time = doors or panels, retry_time
        make_vault, make_secret = _untyped(VaultLib), _untyped(VaultSecret)
        self._there_before: frozenset[tuple[str, str]] = frozenset()
        self._vault = make_vault([("default", make_secret(VAULT_PASSWORD.encode()))])

    def lay_out(self, operation: PlayOperation, **settings: Any) -> None:
        """Panels and files as they are before the operation."""
        for panel, seed in zip(self.panels, (*operation.seeds, {}), strict=False):
            panel.reset()
            panel.settings({"status_delay": 0.0, **settings})
            if seed:
                panel.seed(dict(seed))
        if operation.existing:
            self.panels[0].seed(dict(operation.existing))
        self._there_before = frozenset(_passwords(self.panels[len(operation.seeds) - 1]))
        for folder in (self.folder, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name, text in operation.files.items():
            file = self.folder / name
            if name.endswith("/"):
                file.mkdir(parents=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def start(
        self,
        operation: PlayOperation,
        way: str,
        variables: Mapping[str, str] | None = None,
        hosts: Sequence[str] = (),
        forks: int = 5,
        output: str = "output",
    ) -> Process:
        """One run; what it prints goes into a file. hosts: more hosts than localhost. variables: more of the environment."""
        more = {name: {"ansible_connection": "local", "ansible_python_interpreter": sys.executable} for name in hosts}
        words = ["-i", str(write_inventory(self.folder, hosts=more)), "--forks", str(forks)]
        words += ["--vault-password-file", str(self._vault_password())]
        file = self.folder / "variables.yml"
        file.write_text(json.dumps(self._filled(operation.variables)), encoding="utf-8")
        words += ["--extra-vars", f"@{file}", self._playbook(operation)]
        connection = {"PANEL_API_URL": self._doors[0].url, "PANEL_API_KEY": self._doors[0].api_key}
        environment = {**surroundings(self.folder, way), **connection, **(variables or {})}
        environment.setdefault("PANEL_RETRY_TIME", str(self.retry_time))
        with (self.folder / output).open("wb") as printed:
            if loaded := loaded_for(environment):
                return loaded.start("playbook", words, self.folder, environment, printed)
            return subprocess.Popen(
                [sys.executable, "-m", "ansible", "playbook", *words],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(
        self,
        operation: PlayOperation,
        way: str = IN_PROCESS,
        variables: Mapping[str, str] | None = None,
        hosts: Sequence[str] = (),
        forks: int = 5,
    ) -> Ended:
        """One run to its end."""
        before = self.writes()
        process = self.start(operation, way, variables, hosts, forks)
        try:
            code = process.wait(LONGEST_RUN)
        finally:
            self.end(process)
        return Ended(code, (self.folder / "output").read_text(encoding="utf-8"), self.writes() - before)

    def run_twice_at_once(self, operation: PlayOperation, way: str) -> list[Ended]:
        """Two runs of it at the same time, each with the writes of both."""
        before = self.writes()
        running = {output: self.start(operation, way, output=output) for output in ("output", "output 2")}
        try:
            codes = {output: process.wait(LONGEST_RUN) for output, process in running.items()}
        finally:
            for process in running.values():
                self.end(process)
        writes = self.writes() - before
        return [
            Ended(code, (self.folder / output).read_text(encoding="utf-8"), writes) for output, code in codes.items()
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
        return {
            "PYTHONPATH": str(HOOK),
            "PROOF_FOLDER": str(self.folder),
            "PROOF_ASIDE": str(self.aside),
            **variables,
        }

    def a_day_passes(self) -> None:
        """What a killed run has left is a day old, and no other run can be at it."""
        moment = time.time() - 86400
        for path in self.folder.rglob(".*"):
            os.utime(path, (moment, moment))

    def touched(self) -> list[str]:
        """What the last run with `hooked` opened for writing or renamed."""
        file = self.aside / "touched"
        return [line.strip() for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def writes(self) -> int:
        """How many writes have arrived at all panels."""
        counted = (panel.counters()["by_method"] for panel in self.panels)
        return sum(counts.get(method, 0) for counts in counted for method in WRITES)

    def picture(self, operation: PlayOperation) -> Picture:
        """What is there now."""
        given = operation.given()
        credentials, files = {}, {}
        for path in self.files():
            name = self._masked(path.relative_to(self.folder).as_posix())
            content = self.decrypted(path)
            if content is None:
                files[name] = _ID.sub(r"\1N", self._masked(path.read_text(encoding="utf-8")))
            else:
                credentials[name] = _without_passwords(content)
        return Picture([_panel(panel, given) for panel in self.panels], credentials, files)

    def _masked(self, text: str) -> str:
        """Without times, and with other words for the folder and the port of each panel."""
        folder = str(self.folder)
        # As it is, and as Markdown has it.
        text = text.replace(folder, "FOLDER").replace(folder.replace("_", "\\_"), "FOLDER")
        for number, panel in enumerate(self.panels):
            text = text.replace(panel.url.rpartition(":")[2], f"PORT{number}")
        return _masked(text)

    def files(self) -> list[Path]:
        """Every file of the operation, also hidden ones."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return [path for path in found if path.relative_to(self.folder).parts[0] not in _OURS]

    def decrypted(self, path: Path) -> Any:
        """The content of a file that Ansible Vault has encrypted, None for any other one."""
        content = path.read_bytes()
        return yaml.safe_load(self._vault.decrypt(content)) if content.startswith(b"$ANSIBLE_VAULT;") else None

    def of_passwords(self, operation: PlayOperation) -> Iterator[Problem]:
        """Passwords that were made and are not in a file as the panel has them, and entries for something else."""
        given = operation.given()
        kept: dict[tuple[str, str], set[str]] = {}
        for path in self.files():
            for entry in (self.decrypted(path) or {}).get("generated_passwords", ()):
                kept.setdefault((entry["kind"], entry["key"]), set()).add(entry["password"])
        there = _passwords(self.panels[len(operation.seeds) - 1])
        for name, password in there.items():
            passwords = kept.pop(name, set())
            if passwords and passwords != {password}:
                yield LOST, f"the password of {' '.join(name)} in the file is not the panel's"
            elif (
                not passwords
                and not _is_given(password, given)
                and name not in self._there_before
                and keeps_passwords(operation)
            ):
                yield LOST, f"nobody knows the password of {' '.join(name)}"
        for name in kept:
            yield WRONG, f"the file has a password of {' '.join(name)}, which is not on the panel"

    def of_secrets(self, text: str) -> Iterator[Problem]:
        """Keys and passwords of the panels that were printed."""
        for panel in self.panels:
            for name, secret in {**_passwords(panel), ("api_key", ""): panel.api_key}.items():
                if secret and secret in text:
                    yield WRONG, f"printed {' '.join(name).strip()}: a secret"

    def _filled(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """With the connections of the panels."""
        filled = dict(variables)
        for name, value in variables.items():
            if value in (SOURCE, TARGET):
                door = self._doors[(SOURCE, TARGET).index(value)]
                filled[name] = {"api_url": door.url, "api_key": door.api_key, "retry_time": self.retry_time}
            elif isinstance(value, str):
                filled[name] = value.replace(FOLDER, str(self.folder))
        return filled

    def _playbook(self, operation: PlayOperation) -> str:
        if isinstance(operation.playbook, str):
            return operation.playbook
        file = self.folder / "playbook.yml"
        file.write_text(json.dumps(operation.playbook), encoding="utf-8")
        return str(file)

    def _vault_password(self) -> Path:
        file = self.folder / "vault password"
        file.write_text(VAULT_PASSWORD, encoding="utf-8")
        return file


def _untyped(thing: Any) -> Any:
    """Ansible has no annotations for these."""
    return thing


@contextlib.contextmanager
def places(number: int) -> Iterator[list[Place]]:
    """So many, each with panels of its own."""
    with contextlib.ExitStack() as stack:
        made = []
        for _number in range(number):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            panels = [
                stack.enter_context(Simulator.start(api_key=f"k{panel}234567.proof", max_seconds=7200))
                for panel in range(2)
            ]
            made.append(Place(folder, panels))
        yield made


# What is compared


def differences(wanted: Picture, found: Picture) -> Iterator[Problem]:
    """In what a place differs from how an undisturbed run leaves it."""
    for number, (one, other) in enumerate(zip(wanted.panels, found.panels, strict=True)):
        for kind in one:
            if one[kind] != other[kind]:
                more = len(other[kind]) - len(one[kind])
                what = DOUBLED if more > 0 else LOST
                yield what, f"panel {number + 1}: {_first_difference(kind, one[kind], other[kind])}"
    for name in sorted({*wanted.credentials, *found.credentials}):
        if wanted.credentials.get(name) != found.credentials.get(name):
            yield (
                WRONG,
                f"{name} holds {_short(found.credentials.get(name))} instead of {_short(wanted.credentials.get(name))}",
            )
    for name in sorted({*wanted.files, *found.files}):
        if name not in wanted.files:
            yield WRONG, f"the file {name} was left"
        elif name not in found.files:
            yield LOST, f"the file {name} is missing"
        elif wanted.files[name] != found.files[name]:
            yield WRONG, f"the file {name} is another one: {_first_line(wanted.files[name], found.files[name])}"


def _first_difference(kind: str, wanted: Iterable[Any], found: Iterable[Any]) -> str:
    missing = [item for item in wanted if item not in found]
    more = [item for item in found if item not in wanted]
    return f"{kind}: missing {_short(missing[:1])}, too many {_short(more[:1])}"


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:300]


def _first_line(wanted: str, found: str) -> str:
    pairs = zip([*wanted.splitlines(), ""], [*found.splitlines(), ""], strict=False)
    return next((f"{other[:150]!r} instead of {one[:150]!r}" for one, other in pairs if one != other), "its length")


def _masked(text: str) -> str:
    return _KEY.sub("KEY", _TIME.sub("TIME", text))


def _without_passwords(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {
            name: "(a password)" if name == "password" else _without_passwords(value)
            for name, value in content.items()
            # An empty list says as much as none.
            if value != [] and name != "panel"
        }
    if isinstance(content, list):
        return sorted((_without_passwords(entry) for entry in content), key=_short)
    return _masked(content) if isinstance(content, str) else content


def _panel(simulator: Simulator, given: str) -> Mapping[str, Any]:
    """All objects with names for ids, given passwords, and the records of all zones."""
    state = simulator.state()
    found: dict[str, Any] = dict(panel_of(simulator))
    found["passwords"] = sorted(
        f"{kind} {key}: {password if _is_given(password, given) else '(made)'}"
        for (kind, key), password in _passwords(simulator).items()
    )
    domains = {item["id"]: item["data"]["domain"] for item in state["objects"]["domains"]}
    found["zones"] = sorted(
        json.dumps([domains.get(int(number)), zone["is_disabled"], zone["soa"], sorted(map(_record, zone["other"]))])
        for number, zone in state["zones"].items()
    )
    return found


def _record(record: Mapping[str, Any]) -> str:
    value = "(DKIM)" if "v=DKIM1" in str(record["value"]) else record["value"]
    return f"{record['host']} {record['type']} {record['ttl']} {value}"


def _passwords(simulator: Simulator) -> dict[tuple[str, str], str]:
    """The passwords that log in, by kind and key."""
    state = simulator.state()["objects"]
    names = {item["id"]: item["data"]["username"] for item in state["clients"]}
    return {
        (
            kind,
            ":".join(str(names.get(item["data"][part]) if part == "id_user" else item["data"][part]) for part in key),
        ): str(item["hidden"].get("password") or "")
        for kind, key in _KEYS.items()
        for item in state[kind]
    }


def _is_given(password: str, given: str) -> bool:
    return (
        not password
        or json.dumps(password, ensure_ascii=False)[1:-1] in given
        or json.dumps(json.dumps(password))[2:-2] in given
    )


def keeps_passwords(operation: PlayOperation) -> bool:
    """Whether it has a file for the passwords that are made."""
    return any("credentials" in name or "passwords" in name for name in operation.variables)
