"""Canaries in every secret option, on the panel and in key files.

They are searched in everything that Ansible prints and leaves behind. Each secret option of each
kind is in every task that handles it: accepted, refused by a panel that echoes it, misspelt, of a
wrong type. The tasks run at -vvvv with a log, a cache of facts and reports of results, as JSON in
process and as YAML in processes of their own.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    build_argument_spec,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support import marked_secrets as marked
from tests.support import pem
from tests.support.grid import SIMULATOR_KINDS, make_smallest_creation
from tests.support.marked_secrets import find_secrets, find_secrets_in_files, list_texts
from tests.support.marked_secrets import make_secret as canary
from tests.support.operations import make_world
from tests.support.playbook import (
    GROUP,
    IN_PROCESS,
    MODULE,
    PRELOADED,
    make_connection_options,
    make_task,
    play,
)
from tests.support.samples import read_kinds, resolve_value
from tests.support.simulator import Simulator
from tools.reliability.experiments import LEAKED, WRONG, Problem, Row, Tried, make_row

Options = dict[str, Any]
Table = dict[str, tuple[Options, str, Options]]
"""By title: the options of a task, what has to become of it, and more of its case."""
API_KEY = marked.make_secret_key("key")
# Fields that the panel has beside those of the tables, with names of secrets.
EXTRA = {
    "api_token": canary("extra"),
    "settings": {"client_secret": canary("nested"), "colour": "blue"},
}
SETTINGS: Options = {
    "status_delay": 0,
    "password_hashes": "written_and_shown",
    "shows_private_keys": True,
    "extra_members": {
        SIMULATOR_KINDS.get(kind.plural, kind.plural): {
            "api_token": canary("onpanel"),
            "settings": {},
        }
        for kind in read_kinds().values()
    },
}
OK = "ok"
FAILED = "failed"
CHECK = {"check_mode": True}
# What the experiment itself writes: the tasks, their secrets, and what reached the panel.
OURS = ("playbook.yml", "recording.jsonl", "secrets.json")


@dataclass(frozen=True)
class Case:
    """A task that handles secrets.

    outcome: what has to become of it; fresh: whether the panel is laid out for it.
    """

    name: str
    module: str
    options: Options
    outcome: str = OK
    fresh: bool = False
    faults: tuple[Mapping[str, Any], ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def make_task(self) -> dict[str, Any]:
        """Return the task, with the requests that prepare the panel for it."""
        before: list[Any] = [["DELETE", "/faults", None]]
        if self.fresh:
            before += [
                ["POST", "/reset", None],
                ["POST", "/settings", SETTINGS],
                ["POST", "/seed", make_world()],
            ]

        before += [["POST", "/faults", fault] for fault in self.faults]
        return make_task(self.name, f"panel_{self.module}", self.options, before, **self.keywords)


def run(name: str, is_slice: bool) -> Row:
    """Play all tasks both ways.

    is_slice: play each behaviour once, each time with another kind.
    """
    begin = time.monotonic()
    chosen = list(list_cases())
    if is_slice:
        chosen = _choose_for_each_title(chosen)

    results: list[Tried] = []
    with (
        Simulator.start(API_KEY, SETTINGS, max_seconds=7200) as simulator,
        tempfile.TemporaryDirectory(prefix="canary-") as folder,
        watch_arguments() as commands,
    ):
        results += _play(simulator, Path(folder, "json"), IN_PROCESS, chosen)
        results += _play(simulator, Path(folder, "yaml"), MODULE, chosen[::3])

    # The panel's side is started with the key that it is to know.
    leaking = [
        command
        for command in commands
        if find_secrets(command) and "panel_simulator" not in command
    ]
    problems = [(LEAKED, command[:300]) for command in leaking]
    results.append(Tried("arguments of processes", True, problems))
    description = "every secret option, in all output and files"
    return make_row(name, description, results, time.monotonic() - begin)


def _choose_for_each_title(every_case: list[Case]) -> list[Case]:
    """Return a case for each title, each time of another kind."""
    titles = dict.fromkeys(case.name.partition(": ")[2] for case in every_case)
    chosen = []

    for number, title in enumerate(titles):
        candidates = [case for case in every_case if case.name.endswith(f": {title}")]
        chosen.append(candidates[number % len(candidates)])

    return chosen


@contextlib.contextmanager
def watch_arguments() -> Iterator[set[str]]:
    """Collect the arguments of all processes, which every user of this machine can read.

    Yields: the set of them, which grows until the block ends.
    """
    commands: set[str] = set()
    over = threading.Event()

    def look() -> None:
        """Read the arguments of all processes again and again."""
        while not over.wait(0.05):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                # A process may end while its arguments are read.
                with contextlib.suppress(OSError):
                    content = file.read_bytes().replace(b"\0", b" ")
                    commands.add(content.decode("utf-8", "replace"))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()

    try:
        yield commands
    finally:
        over.set()
        thread.join(10)


def _play(simulator: Simulator, folder: Path, way: str, chosen: list[Case]) -> Iterator[Tried]:
    """Play the tasks, and one that puts all their results into the cache of facts."""
    secrets: dict[str, str] = {}
    keywords = {"module_defaults": {GROUP: _take_out(make_connection_options(simulator), secrets)}}
    tasks = _make_tasks(chosen, secrets)
    folder.mkdir()
    secrets_file = folder / "secrets.json"
    values = {name: secret for secret, name in secrets.items()}
    secrets_file.write_text(json.dumps(values), encoding="utf-8")
    options = ["-vvvv", "--diff", "--extra-vars", f"@{secrets_file}"]
    ended = play(
        tasks, simulator, folder, way, options, _make_variables(simulator, folder), keywords
    )
    _wait_for_background(folder)

    keys = _list_lines_of_keys()
    leaks = find_secrets(ended.text, keys)
    for path, secrets_in_file in find_secrets_in_files(folder, OURS, keys).items():
        leaks += [f"{path}: {secret}" for secret in secrets_in_file]

    yield Tried(f"output and files, {way}", True, [(LEAKED, leak) for leak in leaks])

    passwords = [
        recording.result["generated_password"]
        for recording in ended.recordings
        if "generated_password" in recording.result
    ]
    wrong_count = sum(_count_printed(password, ended.text) != 1 for password in passwords)
    problems: list[Problem] = [(LEAKED, "one is not printed once")] * wrong_count
    yield Tried(f"generated passwords, {way}", True, problems)

    for case in chosen:
        recording = ended[case.name]
        problems = _find_problems(recording, case.outcome, keys)
        yield Tried(f"{case.name}, {way}", case.outcome == OK, problems)


def _make_tasks(chosen: list[Case], secrets: dict[str, str]) -> list[dict[str, Any]]:
    """Return the tasks of the cases, with variables for secrets, and the one that caches all."""
    tasks = []
    names = []
    for number, case in enumerate(chosen):
        task = {**case.make_task(), "register": f"result_{number}"}
        tasks.append(_take_out(task, secrets))
        # What is registered of a generated password belongs to the operator.
        if not task["name"].startswith("generated"):
            names.append(task["register"])

    all_names = ", ".join(names)
    facts = {"kept": f"{{{{ [{all_names}] }}}}", "cacheable": True}
    return [*tasks, {"name": "keep", "ansible.builtin.set_fact": facts}]


def _make_variables(simulator: Simulator, folder: Path) -> dict[str, str]:
    """Return the environment: everything that can print or keep results does so."""
    return {
        **PRELOADED,
        "PANEL_API_URL": simulator.url,  # for the lookup, which has no defaults
        "ANSIBLE_CALLBACK_RESULT_FORMAT": folder.name,
        "ANSIBLE_LOG_PATH": str(folder / "ansible.log"),
        "ANSIBLE_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(folder / "facts"),
        "ANSIBLE_CALLBACKS_ENABLED": "tree,junit",
        "ANSIBLE_CALLBACK_TREE_DIR": str(folder / "tree"),
        "JUNIT_OUTPUT_DIR": str(folder / "junit"),
        "ANSIBLE_DISPLAY_ARGS_TO_STDOUT": "1",
    }


def _wait_for_background(folder: Path) -> None:
    """Wait until the process that clears away what ran in the background has done so."""
    deadline = time.monotonic() + 15.0
    while time.monotonic() < deadline and any((folder / "home" / "remote").glob("*")):
        time.sleep(0.1)


def _list_lines_of_keys() -> list[str]:
    lines: list[str] = []
    for text in pem.make_texts().values():
        if "PRIVATE" in text:
            lines += marked.list_lines_of_key(text)

    return lines


def _count_printed(password: str, text: str) -> int:
    """Return how often a text has a password, as it is and as JSON."""
    return sum(text.count(form) for form in {password, json.dumps(password)[1:-1]})


def _find_problems(recording: Any, outcome: str, keys: list[str]) -> list[Problem]:
    """Return the secrets in the result of a task, and whether it ended otherwise than expected."""
    result_text = "\n".join(list_texts(recording.result))
    problems: list[Problem] = [(LEAKED, leak) for leak in find_secrets(result_text, keys)]
    if recording.outcome != outcome or "A defect in the collection" in recording.msg:
        message = recording.msg[:300]
        problems.append((WRONG, f"{recording.outcome} instead of {outcome}: {message}"))

    return problems


def _take_out(value: Any, secrets: dict[str, str]) -> Any:
    """Return a copy with names of variables for secrets, as operators keep them.

    Ansible's callbacks print options as the playbook has them.
    """
    if isinstance(value, Mapping):
        copied = {}
        for name, item in value.items():
            copied[name] = item if name == "simulator" else _take_out(item, secrets)
        return copied
    if isinstance(value, list):
        return [_take_out(item, secrets) for item in value]
    if isinstance(value, str) and contains_secret(value):
        variable = secrets.setdefault(value, f"secret_{len(secrets)}")
        return f"{{{{ {variable} }}}}"

    return value


def contains_secret(text: str) -> bool:
    """Return whether a text is one of the secrets."""
    return marked.HEAD in text or "PRIVATE KEY" in text


def list_cases() -> Iterator[Case]:
    """Yield everything, kind by kind."""
    tables: dict[str, tuple[str, Table]] = {
        "key": ("ping", _list_cases_of_key()),
        "call": ("api", _list_cases_of_calls()),
    }
    resources: dict[str, list[Options]] = {}

    for kind in read_kinds().values():
        variants = make_secret_options(kind)
        resources[kind.plural] = [{**make_creation_options(kind), **variants[0]}]
        for number, secrets in enumerate(variants):
            tables[f"{kind.singular} {number}"] = (
                kind.singular,
                _list_cases_of_kind(kind, secrets),
            )
        tables[f"{kind.plural} read"] = (f"{kind.singular}_info", {"read": ({}, OK, {})})
        tables[f"{kind.plural} by path"] = ("api", {"read": ({"path": kind.path}, OK, {})})

    client = {"username": "made"}
    generated: Table = {
        "created": (client, OK, {"fresh": True}),
        "unchanged": (client, OK, {}),
    }
    tables["generated"] = ("client", generated)
    tables["many"] = ("resources", _list_cases_of_many(resources))
    tables["many read"] = ("resources_info", {"read": ({}, OK, {})})

    for about, (module, table) in tables.items():
        for title, (options, outcome, more) in table.items():
            yield Case(f"{about}: {title}", module, options, outcome, **more)


def make_creation_options(kind: Kind) -> Options:
    """Return the options of the smallest creation, without secrets."""
    options: Options = resolve_value(
        make_smallest_creation(kind)[0], dict[str, int]().__getitem__, pem.make_texts()
    )
    return options


def make_secret_options(kind: Kind) -> list[Options]:
    """Return the secret options of a kind; those that exclude each other are in separate items."""
    names = [name for name, spec in build_argument_spec(kind).items() if spec.get("no_log")]
    if kind.password is None:
        return [_make_canaries(kind, [name for name in names if name != "password_hash_os"])]

    variants = []
    for excluded in ("password_hash", "password"):
        omitted = {excluded}
        # What belongs to an excluded hash is left out with it.
        if excluded == "password_hash" or "password_hash" not in names:
            omitted.add("password_hash_os")
        variants.append(_make_canaries(kind, [name for name in names if name not in omitted]))

    return variants


def _make_canaries(kind: Kind, names: list[str]) -> Options:
    options: Options = {}
    for name in names:
        options[name] = canary(f"{kind.singular}{name}".replace("_", ""))

    return {**options, "extra": EXTRA}


def echo(options: Any, status: int, **more: Any) -> dict[str, Any]:
    """Return the fault of a panel that answers with the secrets that it was sent, in every form.

    With status 200 it answers as the page of a web server.
    """
    forms: list[str] = []
    for secret in (API_KEY, *filter(contains_secret, list_texts(options))):
        forms += sorted(marked.list_forms(secret))

    message = "Do not use " + " or ".join(forms)
    struck = {"method": ["POST", "PUT"], "when": "before", **more}
    if status == 200:
        return {"kind": "status", "status": 200, "message": message, **struck, "times": 0}

    body = {"code": f"{status} Refused", "message": message}
    return {"kind": "body", "status": status, "body": body, **struck}


def _list_cases_of_key() -> Table:
    quoted = quote(API_KEY, safe="")
    redirect = {
        "kind": "redirect",
        "location": f"https://{quoted}@elsewhere.example/?key={quote(API_KEY)}",
    }
    return {
        "accepted": ({}, OK, {"fresh": True}),
        "not accepted": ({"api_key": marked.make_secret_key("wrongkey")}, FAILED, {}),
        "in the address": ({"api_url": f"https://x:{quoted}@192.0.2.1"}, FAILED, {}),
        "in the query of the address": (
            {"api_url": f"https://192.0.2.1/?key={quote(API_KEY)}"},
            FAILED,
            {},
        ),
        "as a list": ({"api_key": [API_KEY]}, FAILED, {}),
        "with a line break": ({"api_key": f"{API_KEY}\n{API_KEY}"}, FAILED, {}),
        "in a redirect": ({}, FAILED, {"faults": (redirect,)}),
    }


def _list_cases_of_calls() -> Table:
    body = {"password": canary("body"), "api_token": canary("bodytoken"), "notes": "x"}
    looked_up = {"path": "{{ lookup('hosting.panel.panel_login_url', 'acme', api_key=key) }}"}
    echoed = {"faults": (echo({}, 400, method="GET"),), "keywords": {"vars": {"key": API_KEY}}}
    put_it = {"method": "PUT", "path": "/clients/name/acme", "body": body}
    return {
        "written": (put_it, OK, {"fresh": True}),
        "refused with an echo": (put_it, FAILED, {"faults": (echo(body, 400),)}),
        "an echo that is accepted": (
            {**put_it, "status": [400]},
            OK,
            {"faults": (echo(body, 400),)},
        ),
        "a lookup that is refused with an echo": (looked_up, FAILED, echoed),
        "a text as body": ({**put_it, "body": canary("textbody")}, FAILED, {}),
    }


def _list_cases_of_kind(kind: Kind, secrets: Options) -> Table:
    options = {**make_creation_options(kind), **secrets}
    changed = {**options, "extra": {**EXTRA, "api_token": canary("changed")}}
    if kind.password is not None:
        changed["update_password"] = "always"

    perhaps = {**options, "state": "perhaps"}
    lists = {f"a list as {name}": {name: [options[name]]} for name in secrets if name != "extra"}
    pairs = {
        f"a dictionary as {name}": {name: {"value": options[name]}}
        for name in secrets
        if name != "extra"
    }
    return {
        "created in check mode": (options, OK, {"fresh": True, "keywords": CHECK}),
        "refused with an echo": (options, FAILED, {"faults": (echo(options, 400),)}),
        "failed with an echo": (options, FAILED, {"faults": (echo(options, 500),)}),
        "a page with an echo": (
            {**options, "retry_time": 0},
            FAILED,
            {"fresh": True, "faults": (echo(options, 200),)},
        ),
        "created in a loop": (
            options,
            OK,
            {"fresh": True, "keywords": {"loop": [1, 2], "no_log": False}},
        ),
        "unchanged in the background": (
            options,
            OK,
            {"keywords": {"async": 60, "poll": 1, "diff": False}},
        ),
        "changed in check mode": (changed, OK, {"keywords": CHECK}),
        "changed": (changed, OK, {}),
        "an unknown option": ({**options, "passwort": canary("misspelt")}, FAILED, {}),
        "a wrong value beside it": (perhaps, FAILED, {}),
        "a wrong type beside it": ({**options, "extra": canary("notadictionary")}, FAILED, {}),
        **{title: ({**perhaps, **wrong}, FAILED, {}) for title, wrong in (lists | pairs).items()},
        "deleted": ({**options, "state": "absent"}, OK, {}),
    }


def _list_cases_of_many(resources: dict[str, list[Options]]) -> Table:
    """Return the tasks of panel_resources, with an object of every kind and its secrets."""
    misspelt = {}
    always = {}

    for plural, [item] in resources.items():
        misspelt[plural] = [{**item, "passwort": canary("misspelt")}]
        always[plural] = [dict(item)]
        if "password" in item:
            always[plural][0]["update_password"] = "always"

    # A panel that answers about each kind with the secrets of its only object.
    refused = tuple(
        echo(resources[kind.plural], 400, path=f"^{kind.path}", times=0)
        for kind in read_kinds().values()
    )
    usual = {"return_unchanged": True, "retry_time": 1}
    texts = {plural: [canary("item")] for plural in resources}
    return {
        "planned": ({"resources": resources, **usual}, OK, {"fresh": True, "keywords": CHECK}),
        "refused": ({"resources": resources, **usual}, FAILED, {"faults": refused}),
        "created": ({"resources": resources, **usual}, OK, {"fresh": True}),
        "changed": ({"resources": always, **usual}, OK, {}),
        "mistakes": ({"resources": misspelt}, FAILED, {}),
        "items that are texts": ({"resources": texts}, FAILED, {}),
    }
