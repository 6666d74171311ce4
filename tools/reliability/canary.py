"""Canaries in every secret option, on the panel and in key files, looked for in everything that Ansible prints and leaves behind.

Each secret option of each kind is in every task that handles it: accepted, refused by a panel that echoes it, misspelt, of a wrong type. The
tasks run at -vvvv with a log, a cache of facts and reports of results, as JSON in process and as YAML in processes of their own.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, argument_spec
from tests.support import marked_secrets as marked
from tests.support import pem
from tests.support.grid import SIMULATOR_KINDS, needed
from tests.support.marked_secrets import found_in, found_in_files, texts_in
from tests.support.marked_secrets import secret as canary
from tests.support.operations import world
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, PRELOADED, defaults, play, task
from tests.support.samples import kinds, resolved
from tests.support.simulator import Simulator
from tools.reliability.experiments import LEAKED, WRONG, Problem, Row, Tried, row_of

Options = dict[str, Any]
Table = dict[str, tuple[Options, str, Options]]
"""By title: the options of a task, what has to become of it, and more of its case."""
API_KEY = marked.secret_key("key")
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
        for kind in kinds().values()
    },
}
OK, FAILED = "ok", "failed"
CHECK = {"check_mode": True}
# What the experiment itself writes: the tasks, their secrets, and what reached the panel.
OURS = ("playbook.yml", "recording.jsonl", "secrets.json")


@dataclass(frozen=True)
class Case:
    """A task that handles secrets. outcome: what has to become of it; fresh: whether the panel is laid out for it."""

    name: str
    module: str
    options: Options
    outcome: str = OK
    fresh: bool = False
    faults: tuple[Mapping[str, Any], ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        before: list[Any] = [["DELETE", "/faults", None]]
        if self.fresh:
            before += [
                ["POST", "/reset", None],
                ["POST", "/settings", SETTINGS],
                ["POST", "/seed", world()],
            ]
        before += [["POST", "/faults", fault] for fault in self.faults]
        return task(self.name, f"panel_{self.module}", self.options, before, **self.keywords)


def run(name: str, is_slice: bool) -> Row:
    """All tasks both ways, or of a slice each behaviour once, each time with another kind."""
    begin = time.monotonic()
    every = list(cases())
    if is_slice:
        titles = list(dict.fromkeys(case.name.partition(": ")[2] for case in every))
        having = [[case for case in every if case.name.endswith(f": {title}")] for title in titles]
        every = [one[number % len(one)] for number, one in enumerate(having)]
    tried: list[Tried] = []
    with (
        Simulator.start(API_KEY, SETTINGS, max_seconds=7200) as simulator,
        tempfile.TemporaryDirectory(prefix="canary-") as folder,
        watching() as commands,
    ):
        tried += _played(simulator, Path(folder, "json"), IN_PROCESS, every)
        tried += _played(simulator, Path(folder, "yaml"), MODULE, every[::3])
    # The panel's side is started with the key that it is to know.
    shown = [one for one in commands if found_in(one) and "panel_simulator" not in one]
    tried.append(Tried("arguments of processes", True, [(LEAKED, one[:300]) for one in shown]))
    return row_of(
        name, "every secret option, in all output and files", tried, time.monotonic() - begin
    )


@contextlib.contextmanager
def watching() -> Iterator[set[str]]:
    """Collects the arguments of all processes, which every user of this machine can read, until the block ends."""
    seen: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                # A process may end while it is looked at.
                with contextlib.suppress(OSError):
                    seen.add(file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join(10)


def _played(simulator: Simulator, folder: Path, way: str, chosen: list[Case]) -> Iterator[Tried]:
    """Plays the tasks, and one that puts all their results into the cache of facts."""
    secrets: dict[str, str] = {}
    tasks = [{**case.task(), "register": f"result_{number}"} for number, case in enumerate(chosen)]
    # What is registered of a generated password is the operator's own.
    names = ", ".join(one["register"] for one in tasks if not one["name"].startswith("generated"))
    keep = {
        "name": "keep",
        "ansible.builtin.set_fact": {"kept": f"{{{{ [{names}] }}}}", "cacheable": True},
    }
    variables = {
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
    keywords = {"module_defaults": {GROUP: _taken_out(defaults(simulator), secrets)}}
    tasks = [*(_taken_out(one, secrets) for one in tasks), keep]
    folder.mkdir()
    (folder / "secrets.json").write_text(
        json.dumps({name: one for one, name in secrets.items()}), encoding="utf-8"
    )
    words = ["-vvvv", "--diff", "--extra-vars", f"@{folder / 'secrets.json'}"]
    ended = play(tasks, simulator, folder, way, words, variables, keywords)
    # What ran in the background is cleared away by a process of its own.
    deadline = time.monotonic() + 15.0
    while time.monotonic() < deadline and any((folder / "home" / "remote").glob("*")):
        time.sleep(0.1)
    keys = [
        line
        for text in pem.texts().values()
        if "PRIVATE" in text
        for line in marked.lines_of_key(text)
    ]
    left = [
        f"{path}: {one}"
        for path, found in found_in_files(folder, OURS, keys).items()
        for one in found
    ]
    yield Tried(
        f"output and files, {way}",
        True,
        [(LEAKED, one) for one in found_in(ended.text, keys) + left],
    )
    made = [
        one.result["generated_password"]
        for one in ended.recordings
        if "generated_password" in one.result
    ]
    often = [
        one
        for one in made
        if sum(ended.text.count(form) for form in {one, json.dumps(one)[1:-1]}) != 1
    ]
    yield Tried(
        f"generated passwords, {way}", True, [(LEAKED, "one is not printed once")] * len(often)
    )
    for case in chosen:
        one = ended[case.name]
        problems: list[Problem] = [
            (LEAKED, text) for text in found_in("\n".join(texts_in(one.result)), keys)
        ]
        if one.outcome != case.outcome or "A defect in the collection" in one.msg:
            problems.append((WRONG, f"{one.outcome} instead of {case.outcome}: {one.msg[:300]}"))
        yield Tried(f"{case.name}, {way}", case.outcome == OK, problems)


def _taken_out(value: Any, secrets: dict[str, str]) -> Any:
    """A copy with names of variables for secrets, as operators keep them: Ansible's own callbacks show options as the playbook has them."""
    if isinstance(value, Mapping):
        return {
            name: one if name == "simulator" else _taken_out(one, secrets)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_taken_out(one, secrets) for one in value]
    if isinstance(value, str) and holds_secret(value):
        return f"{{{{ {secrets.setdefault(value, f'secret_{len(secrets)}')} }}}}"
    return value


def holds_secret(text: str) -> bool:
    """Whether a text is one of the secrets."""
    return marked.HEAD in text or "PRIVATE KEY" in text


def cases() -> Iterator[Case]:
    """Everything, kind by kind."""
    tables: dict[str, tuple[str, Table]] = {
        "key": ("ping", _of_the_key()),
        "call": ("api", _of_calls()),
    }
    resources: dict[str, list[Options]] = {}
    for kind in kinds().values():
        variants = secrets_of(kind)
        resources[kind.plural] = [{**creation(kind), **variants[0]}]
        tables |= {
            f"{kind.singular} {at}": (kind.singular, _of_kind(kind, one))
            for at, one in enumerate(variants)
        }
        tables[f"{kind.plural} read"] = (f"{kind.singular}_info", {"read": ({}, OK, {})})
        tables[f"{kind.plural} by path"] = ("api", {"read": ({"path": kind.path}, OK, {})})
    made = {"username": "made"}
    tables["generated"] = (
        "client",
        {"created": (made, OK, {"fresh": True}), "unchanged": (made, OK, {})},
    )
    tables["many"] = ("resources", _of_many(resources))
    tables["many read"] = ("resources_info", {"read": ({}, OK, {})})
    for about, (module, table) in tables.items():
        for title, (options, outcome, more) in table.items():
            yield Case(f"{about}: {title}", module, options, outcome, **more)


def creation(kind: Kind) -> Options:
    """The options of the smallest creation, without secrets."""
    options: Options = resolved(needed(kind)[0], dict[str, int]().__getitem__, pem.texts())
    return options


def secrets_of(kind: Kind) -> list[Options]:
    """The secret options of a kind, those that exclude each other apart from each other."""
    names = [name for name, spec in argument_spec(kind).items() if spec.get("no_log")]
    exclusive = [["password", "password_hash"]] if kind.password is not None else []
    variants = []
    for left in itertools.product(*exclusive):
        out = set().union(*exclusive) - set(left)
        # What belongs to an excluded hash is left out with it.
        out |= (
            {"password_hash_os"}
            if "password_hash" in out or "password_hash" not in names
            else set()
        )
        secrets = {
            name: canary(f"{kind.singular}{name}".replace("_", ""))
            for name in names
            if name not in out
        }
        variants.append({**secrets, "extra": EXTRA})
    return variants


def echo(options: Any, status: int, **more: Any) -> dict[str, Any]:
    """The fault of a panel that answers with the secrets that it was sent, in every form; with status 200 as the page of a web server."""
    secrets = [API_KEY, *filter(holds_secret, texts_in(options))]
    message = "Do not use " + " or ".join(
        form for secret in secrets for form in sorted(marked.forms(secret))
    )
    struck = {"method": ["POST", "PUT"], "when": "before", **more}
    if status == 200:
        return {"kind": "status", "status": 200, "message": message, **struck, "times": 0}
    return {
        "kind": "body",
        "status": status,
        "body": {"code": f"{status} Refused", "message": message},
        **struck,
    }


def _of_the_key() -> Table:
    quoted = quote(API_KEY, safe="")
    redirect = {
        "kind": "redirect",
        "location": f"https://{quoted}@elsewhere.example/?key={quote(API_KEY)}",
    }
    return {
        "accepted": ({}, OK, {"fresh": True}),
        "not accepted": ({"api_key": marked.secret_key("wrongkey")}, FAILED, {}),
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


def _of_calls() -> Table:
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


def _of_kind(kind: Kind, secrets: Options) -> Table:
    options = {**creation(kind), **secrets}
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


def _of_many(resources: dict[str, list[Options]]) -> Table:
    """An object of every kind with its secrets, for panel_resources."""
    each = {
        plural: [{**item, "passwort": canary("misspelt")}] for plural, [item] in resources.items()
    }
    always = {
        plural: [{**item, **({"update_password": "always"} if "password" in item else {})}]
        for plural, [item] in resources.items()
    }
    # A panel that answers about each kind with the secrets of its only object.
    echoes = ((f"^{kind.path}", resources[kind.plural]) for kind in kinds().values())
    refused = tuple(echo(items, 400, path=path, times=0) for path, items in echoes)
    usual = {"return_unchanged": True, "retry_time": 1}
    return {
        "planned": ({"resources": resources, **usual}, OK, {"fresh": True, "keywords": CHECK}),
        "refused": ({"resources": resources, **usual}, FAILED, {"faults": refused}),
        "created": ({"resources": resources, **usual}, OK, {"fresh": True}),
        "changed": ({"resources": always, **usual}, OK, {}),
        "mistakes": ({"resources": each}, FAILED, {}),
        "items that are texts": (
            {"resources": {plural: [canary("item")] for plural in resources}},
            FAILED,
            {},
        ),
    }
