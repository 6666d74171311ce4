"""Record what the core does, to compare it with what it does after a refactoring: temporary, deleted when that has ended.

    sh tools/with-python -m tools.development tools.record make DIR [--quick | --part NAME]
    sh tools/with-python -m tools.development tools.record compare OLD NEW [--most 20]

`make` runs the tests with this file as a plugin of pytest (`-p tools.record`, the folder in HOSTING_PANEL_RECORDING), and each of its workers
writes a file there: `unit`, then (without --quick) `long`, `matrix`, `integration` and `roles`, a folder each. What is recorded goes in and comes out
at the support of the tests: tasks in memory with the simulator or a written dialogue, everything else that asks such a panel, and the commands
of Ansible. A task is known by a checksum of what goes in, a command by its test or fixture and its number there. What comes out is the result or
the exception, and the requests with the status of their answers. What is random or the time is made the same by tools/recorded.py.

`compare` prints the common cases with another output, and counts; it ends with 1 for a difference.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from tools import recorded
from tools.layout import ROOT

VARIABLE = "HOSTING_PANEL_RECORDING"
ON_PUSH = ("-m", "not long and not release and not alone")
LONG_ROLES = ("certificate", "move", "playbooks", "simulator_role")
PARTS: dict[str, tuple[str, ...]] = {
    "unit": ("tests/unit", *ON_PUSH, "--dist=worksteal", "--numprocesses=2"),
    "long": (
        "tests/unit",
        "-m",
        "long and not release and not alone",
        "--dist=worksteal",
        "--numprocesses=2",
    ),
    "matrix": ("tests/matrix", *ON_PUSH),
    "integration": ("tests/integration", "--ignore=tests/integration/roles", *ON_PUSH),
    "roles": (
        "tests/integration/roles",
        *(f"--ignore=tests/integration/roles/test_{name}.py" for name in LONG_ROLES),
        *ON_PUSH,
    ),
}
SEVERAL_AT_ONCE = ("panel_resources", "panel_report")
# What the panel gives to whoever comes first.
_BY_ORDER = ("id", "id_user", "id_parent_domain", "id_hosting_plan", "id_certificate", "password")
_NUMBER_IN_PATH = re.compile(r"(?<!/)/\d+\b")
_HOST = re.compile(r"^https?://[^/]+(?:/api/v2)?")


# The plugin


def _whole(done: Any) -> Any:
    return done


@dataclass
class Recorder:
    """Writes what goes in and comes out, once for each pair of them. owner: the test or fixture that runs."""

    folder: Path
    form: recorded.Form
    owner: str = ""
    requests: list[list[Any]] | None = None
    places: list[Any] = field(default_factory=list)
    panels: list[Any] = field(default_factory=list)
    transcripts: list[Any] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)
    _known: set[tuple[str, str]] = field(default_factory=set)
    _states: dict[tuple[int, int], tuple[Any, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Open the file of this process."""
        name = f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{os.getpid()}"
        path = self.folder / f"{name}.jsonl.gz"
        self._file = gzip.open(path, "wt", encoding="utf-8", errors="surrogatepass")  # noqa: SIM115

    def close(self) -> None:
        """End the file."""
        self._file.close()

    @contextlib.contextmanager
    def owned_by(self, owner: str) -> Iterator[None]:
        """Everything belongs to this test or fixture, and its chances follow from its name."""
        before, self.owner = self.owner, owner
        recorded.start_chances(owner)
        try:
            yield
        finally:
            self.owner = before

    def start_test(self) -> None:
        """Forget the numbers and panels of the test before, and what it left on the panel that all tests share."""
        for place in self.places:
            place.panel.settings.reset()
            place.panel.reset_objects()
        self._numbers.clear()
        self._states.clear()
        self.panels.clear()
        self.transcripts.clear()

    def number(self, name: str) -> int:
        """Return how often that name came in this test, this time included."""
        self._numbers[name] += 1
        return self._numbers[name]

    def is_busy(self) -> bool:
        """Return whether a task is recorded already, or this is a thread of a test."""
        return (
            self.requests is not None or threading.current_thread() is not threading.main_thread()
        )

    def state(self, panel: Any) -> str:
        """Return a name of all that a simulated panel holds and how it is set."""
        state = importlib.import_module("panel_simulator.state")
        changes = (id(panel.store), panel.store.changes)
        # The store is kept, so that no other one has its address.
        store, text = self._states.get(changes, (None, ""))
        if store is not panel.store:
            text = recorded.digest(self.form.write(state.dump(panel)))
            self._states = {changes: (panel.store, text)}
        return recorded.digest(text + self.form.write(panel.settings.values))

    def surroundings(self) -> list[Any]:
        """Return what the panels of this test hold, and the written dialogues that are not at their end."""
        dialogues = [
            [
                [
                    call.method,
                    call.path,
                    repr(call.body),
                    call.query,
                    call.seconds,
                    _reply(call.reply),
                ]
                for call in transcript._calls
            ]
            for transcript in self.transcripts
        ]
        return [*map(self.state, self.panels[-1:]), *filter(None, dialogues)]

    def task(
        self,
        name: str,
        given: Any,
        run: Callable[[], Any],
        result: Callable[[Any], Any] = _whole,
        sort: bool = False,
    ) -> Any:
        """Run a task and record it.

        Args:
            name: what it is called in differences.
            given: all that goes in.
            run: runs it.
            result: takes what is recorded from what `run` returns.
            sort: whether its requests come in any order.
        """
        written = self.form.write(given)
        key = recorded.digest(written)
        recorded.start_chances(f"{key} {self.number(key)}")
        with self.recording() as requests:
            out: dict[str, Any] = {}
            try:
                done = run()
                out["result"] = result(done)
            except BaseException as error:
                out["raised"] = [type(error).__name__, str(error)]
                raise
            finally:
                out["requests"] = requests
                self.write(
                    "task",
                    key,
                    name,
                    written,
                    self.form.write(_without_order(out) if sort else out),
                )
        return done

    @contextlib.contextmanager
    def recording(self) -> Iterator[list[list[Any]]]:
        """Collect the requests of all sessions."""
        requests: list[list[Any]] = []
        self.requests = requests
        try:
            yield requests
        finally:
            self.requests = None

    def command(self, name: str, given: Any, out: Any) -> None:
        """Record a command of Ansible, or whatever else is known by its test."""
        owner = f"{self.owner} {name}"
        key = f"{owner} {self.number(owner)}"
        self.write("command", key, name, self.form.write(given, True), self.form.write(out, True))

    def write(self, part: str, key: str, name: str, given: str, out: str) -> None:
        """Write a line, unless it is written."""
        if (key, out) not in self._known:
            self._known.add((key, out))
            line = {
                "part": part,
                "key": key,
                "name": name,
                "test": self.owner,
                "in": given,
                "out": out,
            }
            self._file.write(json.dumps(line) + "\n")


def _without_order(out: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came out of requests at once: in any order, and whoever comes first gets the lower id."""
    numbered = _without_ids(recorded.plain(out))
    return {**numbered, "requests": sorted(numbered["requests"], key=repr)}


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: f"<{name}>"
            if name in _BY_ORDER and isinstance(member, (int, str))
            else _without_ids(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [_without_ids(member) for member in value]
    return _NUMBER_IN_PATH.sub("/<id>", value) if isinstance(value, str) else value


def _reply(reply: Any) -> Any:
    if isinstance(reply, BaseException):
        return [type(reply).__name__, str(reply)]
    return [reply.status, reply.content.decode("utf-8", "replace"), reply.headers]


_RECORDERS: list[Recorder] = []


def _recorder() -> Recorder:
    return _RECORDERS[0]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Put the wrappers in their places, before the files of tests are read."""
    folder = os.environ.get(VARIABLE)
    if not folder or (
        not hasattr(session.config, "workerinput") and session.config.getoption("numprocesses", 0)
    ):
        return
    factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    _RECORDERS.append(Recorder(Path(folder), recorded.Form(str(factory.getbasetemp()))))
    recorded.fix_simulator()
    recorded.fix_chances()
    _wrap_tasks()
    _wrap_sessions()
    _wrap_commands()
    _wrap_processes()


def pytest_sessionfinish() -> None:
    """End the file."""
    for recorder in _RECORDERS:
        recorder.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Let everything that a test does belong to it."""
    if not _RECORDERS:
        return (yield)
    _recorder().start_test()
    with _recorder().owned_by(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Begin a test with its own chances, whatever its fixtures did."""
    if _RECORDERS:
        recorded.start_chances(item.nodeid)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Any:
    """Let what several tests share belong to the fixture, since any of them may come first."""
    if not _RECORDERS or fixturedef.scope == "function":
        return (yield)
    parameter = getattr(request, "param", "")
    text = recorded.digest(_recorder().form.write(parameter)) if parameter else ""
    with _recorder().owned_by(f"{fixturedef.baseid}::{fixturedef.argname}[{text}]"):
        made = yield
    if fixturedef.argname == "place":
        _recorder().places.append(made)
    return made


def _replace(module: str, name: str, wrapper: Callable[[Any], Any]) -> None:
    """Replace a function in the module that has it, and wherever it was imported from there."""
    original = getattr(importlib.import_module(module), name)
    replacement = wraps(original)(wrapper(original))
    for other in list(sys.modules.values()):
        if getattr(other, "__dict__", {}).get(name) is original:
            setattr(other, name, replacement)


def _replace_method(kind: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
    original = getattr(kind, name)
    setattr(kind, name, wraps(original)(wrapper(original)))


def _one_at_a_time(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with one request at a time, unless they say otherwise."""
    return {"concurrency": 1, **options}


def _is_bulk(options: Mapping[str, Any]) -> bool:
    """Return whether these are options of panel_resources; hosting plans have resources of another form."""
    resources = options.get("resources")
    return isinstance(resources, Mapping) and any(
        isinstance(items, list) for items in resources.values()
    )


def _is_spread(options: Mapping[str, Any]) -> bool:
    return bool(options.get("concurrency", 1) != 1)


def _run_task(original: Any) -> Any:
    def run(operation: Any, client: Any, options: dict[str, Any], check_mode: bool = False) -> Any:
        recorder = _recorder()
        if recorder.is_busy():
            return original(operation, client, options, check_mode)
        if _is_bulk(options):
            options = _one_at_a_time(options)
        given = ["run_task", options, check_mode, recorder.surroundings()]
        once = partial(original, operation, client, options, check_mode)
        return recorder.task("run_task", given, once, sort=_is_spread(options))

    return run


def _run_place(original: Any) -> Any:
    def run(
        self: Any,
        name: str,
        module: str,
        options: Any,
        loss: Any = None,
        retry_time: int = 60,
        check_mode: bool = False,
    ) -> Any:
        recorder = _recorder()
        if recorder.is_busy():
            return original(self, name, module, options, loss, retry_time, check_mode)
        if module in SEVERAL_AT_ONCE:
            options = _one_at_a_time(options)
        given = ["place", module, options, check_mode, loss, retry_time, recorder.state(self.panel)]
        once = partial(original, self, name, module, options, loss, retry_time, check_mode)
        return recorder.task(module, given, once, _outcome_of, _is_spread(options))

    return run


def _outcome_of(done: Any) -> list[Any]:
    return [done.outcome, done.result, round(done.seconds, 2)]


def _run_in_memory(original: Any) -> Any:
    def run(self: Any, module: str, /, **keywords: Any) -> Any:
        recorder = _recorder()
        if recorder.is_busy():
            return original(self, module, **keywords)
        if module in SEVERAL_AT_ONCE:
            keywords = _one_at_a_time(keywords)
        inputs = {name: value for name, value in keywords.items() if name != "vault"}
        given = ["in memory", module, inputs, self.loss, recorder.state(self.panel)]
        return recorder.task(
            module, given, partial(original, self, module, **keywords), sort=_is_spread(keywords)
        )

    return run


def _action_of(original: Any) -> Any:
    def make_action(
        args: Any, module: str = "hosting.panel.panel_client", *more: Any, **fields: Any
    ) -> Any:
        action = original(args, module, *more, **fields)
        run = action.run

        def run_recorded(*arguments: Any, **keywords: Any) -> Any:
            recorder = _recorder()
            if recorder.is_busy():
                return run(*arguments, **keywords)
            named = {name: value for name, value in fields.items() if name != "plugin"}
            given = ["action", module, args, more, named, recorder.surroundings()]
            return recorder.task(
                f"action of {module}",
                given,
                partial(run, *arguments, **keywords),
                sort=_is_spread(args),
            )

        action.run = run_recorded
        return action

    return make_action


def _as_panel(original: Any) -> Any:
    @contextlib.contextmanager
    def ask(self: Any) -> Iterator[None]:
        recorder = _recorder()
        if recorder.is_busy():
            with original(self):
                yield
            return
        state = recorder.state(self.panel)
        with recorder.recording() as requests:
            try:
                with original(self):
                    yield
            finally:
                recorder.command("as_panel", state, _without_order({"requests": requests}))

    return ask


def _seed(original: Any) -> Any:
    def seed(self: Any, objects: Any) -> None:
        # Whether the panel before was planted or taken from the cache of the tests.
        recorded.OF_SIMULATOR.start("seed")
        original(self, objects)

    return seed


def _wrap_tasks() -> None:
    _replace("tests.support.tasks", "action_of", _action_of)
    _replace("tests.support.tasks", "run_task", _run_task)
    memory = importlib.import_module("tests.support.memory").MemoryPlace
    in_memory = importlib.import_module("tests.support.in_memory").InMemory
    _replace_method(in_memory, "run", _run_in_memory)
    _replace_method(memory, "run", _run_place)
    _replace_method(memory, "seed", _seed)
    _replace_method(in_memory, "as_panel", _as_panel)


def _wrap_sessions() -> None:
    def request(original: Any) -> Any:
        def send(self: Any, method: str, url: str, **arguments: Any) -> Any:
            requests = _recorder().requests
            if requests is None:
                return original(self, method, url, **arguments)
            raw = arguments.get("data")
            body = json.loads(raw) if raw else None
            query = {
                str(name): str(value) for name, value in (arguments.get("params") or {}).items()
            }
            entry = [method, _HOST.sub("", url), query, body, None]
            requests.append(entry)
            try:
                response = original(self, method, url, **arguments)
                entry[-1] = response.status_code
            except BaseException as error:
                entry[-1] = type(error).__name__
                raise
            return response

        return send

    def noted(names: str) -> Callable[[Any], Any]:
        def wrapper(original: Any) -> Any:
            def init(self: Any, *arguments: Any, **keywords: Any) -> None:
                original(self, *arguments, **keywords)
                getattr(_recorder(), names).append(self._panel if names == "panels" else self)

            return init

        return wrapper

    session = importlib.import_module("tests.support.memory").Session
    transcript = importlib.import_module("tests.support.transcript").Transcript
    _replace_method(session, "request", request)
    _replace_method(transcript, "request", request)
    _replace_method(session, "__init__", noted("panels"))
    _replace_method(transcript, "__init__", noted("transcripts"))


def _wrap_commands() -> None:
    playbook = importlib.import_module("tests.support.playbook")
    nested: list[str] = []

    def outermost(name: str, taken: Callable[[Any], Any]) -> None:
        def wrapper(original: Any) -> Any:
            def run(*arguments: Any, **keywords: Any) -> Any:
                if nested or _recorder().is_busy():
                    return original(*arguments, **keywords)
                nested.append(name)
                try:
                    done = original(*arguments, **keywords)
                finally:
                    nested.pop()
                _recorder().command(name, [], taken(done))
                return done

            return run

        _replace(playbook.__name__, name, wrapper)

    outermost(
        "run_playbook", lambda run: [run.code, run.text, list(map(_of_recording, run.recordings))]
    )
    outermost("listing", lambda found: [found.code, found.text, found.hosts, found.groups])
    outermost("ansible", lambda process: [process.returncode, process.stdout])


def _of_recording(recording: Any) -> list[Any]:
    names = ("method", "path", "query", "body", "status", "fault")
    requests = [[request.get(name) for name in names] for request in recording.requests]
    arguments = (
        recording.result.get("invocation", {}).get("module_args", {}) if recording.result else {}
    )
    out = {"result": recorded.without_volatile(recording.result), "requests": requests}
    if _is_spread(arguments):
        out = _without_order(out)
    return [recording.name, recording.host, recording.outcome, out]


def _hook(function: str) -> str:
    """Return a folder for PYTHONPATH: each Python that starts with it calls that function of tools/recorded.py."""
    folder = Path(tempfile.mkdtemp(prefix="recording-"))
    text = f"import sys\nsys.path.append({str(ROOT)!r})\nfrom tools import recorded\nrecorded.{function}()\n"
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    return str(folder)


def _wrap_processes() -> None:
    """Let the processes of simulators and of Ansible start with the same chances and the same time."""
    simulator: Any = importlib.import_module("tests.support.simulator")
    loaded: Any = importlib.import_module("tests.support.loaded_ansible")
    of_simulator, of_ansible = _hook("fix_simulator"), _hook("fix_commands")

    def start(original: Any) -> Any:
        def init(self: Any, *arguments: Any, **keywords: Any) -> None:
            files = simulator.FILES
            simulator.FILES = f"{of_simulator}{os.pathsep}{files}"
            try:
                original(self, *arguments, **keywords)
            finally:
                simulator.FILES = files

        return init

    def load(original: Any) -> Any:
        def init(self: Any, environment: Mapping[str, str]) -> None:
            original(self, {**environment, "PYTHONPATH": of_ansible})

        return init

    _replace_method(simulator.Simulator, "__init__", start)
    _replace_method(loaded.LoadedAnsible, "__init__", load)


# The commands


def make(folder: Path, parts: Sequence[str]) -> int:
    """Record these parts; return 1 if a test failed."""
    code = 0
    for part in parts:
        target = folder / part
        target.mkdir(parents=True, exist_ok=True)
        for old in target.glob("*.jsonl.gz"):
            old.unlink()
        with tempfile.TemporaryDirectory(prefix="recorded-") as temporary:
            words = [sys.executable, "-m", "pytest", "-p", "tools.record", "-q", *PARTS[part]]
            words += [
                "-o",
                "faulthandler_timeout=0",
                "-o",
                f"cache_dir={temporary}/cache",
                f"--basetemp={temporary}/b",
            ]
            begin = time.monotonic()
            variables = {**os.environ, VARIABLE: str(target), "TMPDIR": temporary}
            with (target / "pytest.txt").open("wb") as output:
                process = subprocess.run(
                    words, cwd=ROOT, env=variables, stdout=output, stderr=output, check=False
                )
        cases = read(target)
        print(
            f"{part}: {len(cases)} cases, {time.monotonic() - begin:.0f} s, pytest ended with {process.returncode}",
            flush=True,
        )
        code = code or int(process.returncode != 0)
    return code


@dataclass
class Case:
    """One input; what came out of it, each with one test that shows it."""

    part: str
    name: str
    given: str
    outputs: dict[str, str] = field(default_factory=dict)


def read(folder: Path) -> dict[str, Case]:
    """Return the cases of a recording by their keys."""
    cases: dict[str, Case] = {}
    for path in sorted(folder.rglob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                case = cases.setdefault(line["key"], Case(line["part"], line["name"], line["in"]))
                case.outputs.setdefault(line["out"], line["test"])
    return cases


def compare(old: Mapping[str, Case], new: Mapping[str, Case], most: int) -> int:
    """Print the differences, at most so many in full, and counts; return 1 for a difference."""
    common = [key for key in old if key in new]
    different = [key for key in common if old[key].outputs.keys() != new[key].outputs.keys()]
    for key in different[:most]:
        _print_difference(old[key], new[key])
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for which, keys in (
        ("common", common),
        ("different", different),
        ("only in old", old.keys() - new.keys()),
        ("only in new", new.keys() - old.keys()),
    ):
        for key in keys:
            counts[(old.get(key) or new[key]).part][which] += 1
    for part, count in sorted(counts.items()):
        print(f"{part}: " + ", ".join(f"{number} {which}" for which, number in count.items()))
    print(f"{len(common)} common, {len(different)} of them different,", end=" ")
    print(f"{len(old) - len(common)} only in old, {len(new) - len(common)} only in new")
    return int(bool(different))


def _print_difference(old: Case, new: Case) -> None:
    only_old = [text for text in old.outputs if text not in new.outputs]
    only_new = [text for text in new.outputs if text not in old.outputs]
    tests = {
        case.outputs[text] for case, texts in ((old, only_old), (new, only_new)) for text in texts
    }
    print(f"=== {old.part} {old.name}: {', '.join(sorted(tests))}")
    before, after = (
        [line for text in sorted(texts) for line in _lines(text)] for texts in (only_old, only_new)
    )
    print(*difflib.unified_diff(before, after, "old", "new", lineterm="", n=2), sep="\n")


def _lines(text: str) -> list[str]:
    try:
        written = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        return [text]
    return [part for line in written.split("\n") for part in line.split("\\n")]


def main(arguments: Sequence[str]) -> int:
    """Make or compare recordings."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.record", description=__doc__.partition("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="record the code of this checkout")
    making.add_argument("folder", type=Path)
    making.add_argument("--quick", action="store_true", help="the unit tests alone")
    making.add_argument(
        "--part", action="append", choices=PARTS, help="this part alone; may be repeated"
    )
    comparing = commands.add_parser("compare", help="print what differs")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument(
        "--most", type=int, default=20, help="how many differences are printed in full"
    )
    options = parser.parse_args(arguments)
    if options.command == "make":
        return make(
            options.folder.resolve(), ["unit"] if options.quick else options.part or [*PARTS]
        )
    return compare(read(options.old), read(options.new), options.most)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
