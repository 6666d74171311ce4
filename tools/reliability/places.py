"""A controller's folder with its panels: lays an operation out, runs it as often as needed, and looks at everything that is there then."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.integration.roles.operators import VAULT, Operator
from tests.support.bulk import panel_of
from tests.support.killing import Process, end_workers, is_running, kill_with_children, start_playbook
from tests.support.loaded_ansible import HOOK
from tests.support.playbook import IN_PROCESS, write_inventory
from tests.support.simulator import WRITES, Simulator
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem
from tools.reliability.play_operations import FOLDER, SOURCE, TARGET, PlayOperation

LONGEST_RUN = 600.0
MOST_REPEATS = 3
RETRY_TIME = 10
_OURS = ("home", "hosts.yml", "playbook.yml", "variables.yml", "vault password", "output 0", "output 1")
Where = TypeVar("Where")
One = TypeVar("One")
Other = TypeVar("Other")
_KEYS = {plural: tuple(row.name for row in kind.key) for plural, kind in KINDS.items() if kind.password}
# What is another one in every run: times, keys of DKIM and checksums, numbers that the panel gives.
_TIME = re.compile(r"\d{4}-?\d\d-?\d\d([T ]\d\d:?\d\d(:?\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?")
_KEY = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_ID = re.compile(r"(\bid\w*\W{1,4}|/)\d+")


@dataclass(frozen=True)
class Picture:
    """Everything that is there after a run: panels, credentials, other files."""

    panels: Sequence[Mapping[str, Any]]
    credentials: Mapping[str, Any]
    files: Mapping[str, str]


def masked(text: str, ids: bool = False) -> str:
    """A text without times and keys, and with ``ids`` without numbers of objects."""
    text = _KEY.sub("KEY", _TIME.sub("TIME", text))
    return _ID.sub(r"\1N", text) if ids else text


def without_passwords(content: Any) -> Any:
    """What a credentials file holds."""
    if isinstance(content, Mapping):
        return {
            name: "(a password)" if name == "password" else without_passwords(value)
            for name, value in content.items()
            # An empty list says as much as none.
            if value != [] and name != "panel"
        }
    if isinstance(content, list):
        return sorted(map(without_passwords, content), key=_short)
    return masked(content) if isinstance(content, str) else content


def panel_picture(simulator: Simulator, given: str) -> Mapping[str, Any]:
    """All objects with names for ids, given passwords, and the records of all zones."""
    state = simulator.state()
    found: dict[str, Any] = dict(panel_of(simulator))
    found["passwords"] = sorted(
        f"{kind} {key}: {password if is_given(password, given) else '(made)'}"
        for (kind, key), password in passwords_of(simulator).items()
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


def passwords_of(simulator: Simulator) -> dict[tuple[str, str], str]:
    """The passwords that log in, by kind and key."""
    state = simulator.state()["objects"]
    names = {item["id"]: item["data"]["username"] for item in state["clients"]}

    def key_of(kind: str, data: Mapping[str, Any]) -> str:
        return ":".join(str(names.get(data[part]) if part == "id_user" else data[part]) for part in _KEYS[kind])

    return {
        (kind, key_of(kind, item["data"])): str(item["hidden"].get("password") or "")
        for kind in _KEYS
        for item in state[kind]
    }


def is_given(password: str, given: str) -> bool:
    """Whether the operator wrote it, once or within another text."""
    in_text = json.dumps(password, ensure_ascii=False)[1:-1]
    return not password or in_text in given or json.dumps(json.dumps(password))[2:-2] in given


def differences(wanted: Picture, found: Picture) -> Iterator[Problem]:
    """In what a place differs from how an undisturbed run leaves it."""
    for number, (one, other) in enumerate(zip(wanted.panels, found.panels, strict=True)):
        for kind in one:
            if one[kind] != other[kind]:
                missing = [item for item in one[kind] if item not in other[kind]][:1]
                more = [item for item in other[kind] if item not in one[kind]][:1]
                text = f"panel {number + 1}: {kind}: missing {_short(missing)}, too many {_short(more)}"
                yield DOUBLED if len(other[kind]) > len(one[kind]) else LOST, text
    for name in sorted({*wanted.credentials, *found.credentials}):
        is_there, should_be = found.credentials.get(name), wanted.credentials.get(name)
        if is_there != should_be:
            yield WRONG, f"{name} holds {_short(is_there)} instead of {_short(should_be)}"
    for name in sorted({*wanted.files, *found.files}):
        if name not in wanted.files:
            yield WRONG, f"the file {name} was left"
        elif name not in found.files:
            yield LOST, f"the file {name} is missing"
        elif wanted.files[name] != found.files[name]:
            yield WRONG, f"the file {name} is another one: {_first_line(wanted.files[name], found.files[name])}"


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:300]


def _first_line(wanted: str, found: str) -> str:
    pairs = zip([*wanted.splitlines(), ""], [*found.splitlines(), ""], strict=False)
    return next((f"{other[:150]!r} instead of {one[:150]!r}" for one, other in pairs if one != other), "its length")


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
class Undisturbed:
    """What an operation does when nothing disturbs it. touched: what it opens for writing or renames, in order."""

    writes: int
    touched: Sequence[str]
    sizes: Mapping[Path, int]
    picture: Picture
    problems: Sequence[Problem]


class Place:
    """One folder and two panels, used for one run after the other."""

    def __init__(self, folder: Path, panels: Sequence[Simulator]) -> None:
        self.folder, self.aside, self.panels = folder / "controller", folder / "aside", panels
        self._there_before: frozenset[tuple[str, str]] = frozenset()

    def lay_out(self, operation: PlayOperation, **settings: Any) -> None:
        """Panels and files as they are before the operation."""
        for panel, seed in zip(self.panels, (*operation.seeds, {}), strict=False):
            panel.reset()
            panel.settings({"status_delay": 0.0, **settings})
            panel.seed(dict(seed))
        self.panels[0].seed(dict(operation.existing))
        self._there_before = frozenset(passwords_of(self._changed(operation)))
        for folder in (self.folder, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name, text in operation.files.items():
            file = self.folder / name
            (file if name.endswith("/") else file.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                file.write_text(text, encoding="utf-8")

    def _changed(self, operation: PlayOperation) -> Simulator:
        """The panel to which an operation writes."""
        return self.panels[len(operation.seeds) - 1]

    def start(
        self,
        operation: PlayOperation,
        way: str,
        variables: Mapping[str, str] | None = None,
        hosts: Sequence[str] = (),
        forks: int = 5,
        output: str = "output 0",
    ) -> Process:
        """One run; what it prints goes into a file. hosts: more hosts than localhost. variables: more of the environment."""
        filled = self._filled(operation.variables)
        operator = Operator(self.folder, self.panels[0])
        words, environment = operator.words(operation.playbook, filled, "--forks", str(forks))
        local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        write_inventory(self.folder, hosts=dict.fromkeys(hosts, local))
        environment |= {"PANEL_RETRY_TIME": str(RETRY_TIME), **(variables or {})}
        with (self.folder / output).open("wb") as printed:
            return start_playbook(words, self.folder, way, environment, printed)

    def _filled(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """With the connections of the panels, and the folder."""
        filled = dict(variables)
        for name, value in variables.items():
            if value in (SOURCE, TARGET):
                panel = self.panels[(SOURCE, TARGET).index(value)]
                filled[name] = {"api_url": panel.url, "api_key": panel.api_key, "retry_time": RETRY_TIME}
            elif isinstance(value, str):
                filled[name] = value.replace(FOLDER, str(self.folder))
        return filled

    def run(self, operation: PlayOperation, way: str = IN_PROCESS, **more: Any) -> Ended:
        """One run to its end. more: as ``start`` takes it."""
        return self.run_at_once(operation, way, 1, **more)[0]

    def run_at_once(self, operation: PlayOperation, way: str, times: int, **more: Any) -> list[Ended]:
        """So many runs of it at the same time, each with the writes of all."""
        before = self.writes()
        outputs = [f"output {number}" for number in range(times)]
        running: list[Process] = []
        try:
            running += (self.start(operation, way, output=output, **more) for output in outputs)
            codes = [process.wait(LONGEST_RUN) for process in running]
        finally:
            for process in running:
                self.end(process)
        texts = [(self.folder / output).read_text(encoding="utf-8") for output in outputs]
        return [Ended(code, text, self.writes() - before) for code, text in zip(codes, texts, strict=True)]

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

    def a_day_passes(self) -> None:
        """What a killed run has left is a day old, and no other run can be at it."""
        moment = time.time() - 86400
        for path in self.folder.rglob(".*"):
            os.utime(path, (moment, moment))

    def writes(self) -> int:
        """How many writes have arrived at all panels."""
        counted = (panel.counters()["by_method"] for panel in self.panels)
        return sum(counts.get(method, 0) for counts in counted for method in WRITES)

    def undisturbed(self, operation: PlayOperation) -> Undisturbed:
        """One run without a fault; raises RuntimeError where that does not end well."""
        self.lay_out(operation)
        ended = self.run(operation, variables=self.hooked())
        if ended.code:
            raise RuntimeError(f"{operation.name} fails without any fault: {ended.said}")
        file = self.aside / "touched"
        touched = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        opened = " ".join(line for line in touched if line.startswith("open "))
        sizes = {path.relative_to(self.folder): path.stat().st_size for path in self.files() if path.name in opened}
        return Undisturbed(ended.writes, touched, sizes, self.picture(operation), list(self.of_passwords(operation)))

    def picture(self, operation: PlayOperation) -> Picture:
        """What is there now."""
        given = operation.given()
        credentials, files = {}, {}
        for path in self.files():
            name = self._masked(path.relative_to(self.folder).as_posix())
            content = self.decrypted(path)
            if content is None:
                files[name] = masked(self._masked(path.read_text(encoding="utf-8")), ids=True)
            else:
                credentials[name] = without_passwords(content)
        return Picture([panel_picture(panel, given) for panel in self.panels], credentials, files)

    def _masked(self, text: str) -> str:
        """Without times, and with other words for the folder and the port of each panel."""
        # As it is, and as Markdown has it.
        text = text.replace(str(self.folder), "FOLDER").replace(str(self.folder).replace("_", "\\_"), "FOLDER")
        for number, panel in enumerate(self.panels):
            text = text.replace(panel.url.rpartition(":")[2], f"PORT{number}")
        return masked(text)

    def files(self) -> list[Path]:
        """Every file of the operation, also hidden ones."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return [path for path in found if path.relative_to(self.folder).parts[0] not in _OURS]

    def decrypted(self, path: Path) -> Any:
        """The content of a file that Ansible Vault has encrypted, None for any other one."""
        content = path.read_bytes()
        return yaml.safe_load(VAULT.decrypt(content)) if content.startswith(b"$ANSIBLE_VAULT;") else None

    def of_passwords(self, operation: PlayOperation) -> Iterator[Problem]:
        """Passwords that were made and are not in a file as the panel has them, and entries for something else."""
        given = operation.given()
        has_file = any("credentials" in name or "passwords" in name for name in operation.variables)
        kept: dict[tuple[str, str], set[str]] = {}
        for path in self.files():
            for entry in (self.decrypted(path) or {}).get("generated_passwords", ()):
                kept.setdefault((entry["kind"], entry["key"]), set()).add(entry["password"])
        for name, password in passwords_of(self._changed(operation)).items():
            passwords = kept.pop(name, set())
            if passwords and passwords != {password}:
                yield LOST, f"the password of {' '.join(name)} in the file is not the panel's"
            is_made = not is_given(password, given) and name not in self._there_before
            if has_file and is_made and not passwords:
                yield LOST, f"nobody knows the password of {' '.join(name)}"
        for name in kept:
            yield WRONG, f"the file has a password of {' '.join(name)}, which is not on the panel"

    def of_secrets(self, text: str) -> Iterator[Problem]:
        """Keys and passwords of the panels that were printed."""
        for panel in self.panels:
            for name, secret in {**passwords_of(panel), ("api_key", ""): panel.api_key}.items():
                if secret and secret in text:
                    yield WRONG, f"printed {' '.join(name).strip()}: a secret"

    def completed(self, operation: PlayOperation, way: str, wanted: Picture) -> Iterator[Problem]:
        """What is wrong after so many repeats as it takes to end well, and one more run."""
        for _repeat in range(MOST_REPEATS):
            ended = self.run(operation, way)
            if not ended.code:
                break
        else:
            yield LOST, f"the next {MOST_REPEATS} runs fail: {ended.said}"
            return
        yield from self.as_wanted(operation, wanted, way)

    def as_wanted(self, operation: PlayOperation, wanted: Picture, way: str, **more: Any) -> Iterator[Problem]:
        """What is wrong with what is there, and with one more run, which has nothing to write."""
        yield from differences(wanted, self.picture(operation))
        yield from self.of_passwords(operation)
        again = self.run(operation, way, **more)
        if again.code or again.writes:
            yield WRONG, f"one more run writes {again.writes} times{f' and fails: {again.said}' if again.code else ''}"


_known: dict[str, Undisturbed] = {}


def known_of(place: Place, operation: PlayOperation) -> Undisturbed:
    """What the operation does when nothing disturbs it."""
    if operation.name not in _known:
        _known[operation.name] = place.undisturbed(operation)
    return _known[operation.name]


@contextlib.contextmanager
def places(number: int) -> Iterator[list[Place]]:
    """So many, each with panels of its own."""
    with contextlib.ExitStack() as stack:
        made = []
        for _number in range(number):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            keys = [f"k{panel}234567.proof" for panel in range(2)]
            made.append(Place(folder, [stack.enter_context(Simulator.start(key, max_seconds=7200)) for key in keys]))
        yield made


def in_places(lanes: Sequence[Where], items: Sequence[One], function: Callable[[Where, One], Other]) -> list[Other]:
    """What the function returns for each item, in their order, with as many at once as there are places."""
    free: queue.SimpleQueue[Where] = queue.SimpleQueue()
    for place in lanes:
        free.put(place)

    def call(item: One) -> Other:
        place = free.get()
        try:
            return function(place, item)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(lanes)) as pool:
        return list(pool.map(call, items))
