"""Canaries in every secret option, on the panel and in key files, looked for in everything that Ansible prints and leaves behind.

Every task of `canary_tasks.py` runs at -vvvv with a log, a cache of facts and reports of results. Then whole runs, where the panel generates
passwords too: the role site with its credentials file, a folder for the playbook apply, an export of it, async. Generated passwords go into
encrypted files and into nothing else; only a task of a module of its own returns its password, once.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.integration.roles.operators import VAULT, Operator, RoleRun, customer
from tests.support import pem
from tests.support.marked_secrets import found_in, found_in_files, lines_of_key, printed, secret, texts_in
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, PRELOADED, WAYS, Run, defaults, play, task
from tests.support.simulator import Simulator
from tools.reliability.canary_tasks import API_KEY, SETTINGS, Case, cases, holds_secret, many
from tools.reliability.figures import LEAKED, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.places import passwords_of

# What the experiment itself writes: the tasks, their secrets, and what reached the panel.
OURS = ("playbook.yml", "recording.jsonl", "secrets.json", "variables.yml", "given.yml")
LOUD = ("-vvvv", "--diff")
DEFECT = "A defect in the collection"
LONGEST_CLEARING = 15.0
INTERVAL = 0.05


@contextlib.contextmanager
def watching() -> Iterator[set[str]]:
    """Collects the arguments of all processes, which every user of this machine can read, until the block ends; without /proc there are none."""
    seen: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.wait(INTERVAL):
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


class Search:
    """What was looked at, and what was found. Lines of the private keys are looked for too."""

    def __init__(self) -> None:
        self.tried: list[Tried] = []
        self.characters = self.files = 0
        keys = (text for name, text in pem.texts().items() if name.endswith("private_key"))
        self._lines = [line for key in keys for line in lines_of_key(key)]

    def judge(
        self,
        name: str,
        is_well: bool = True,
        text: str = "",
        folder: Path | None = None,
        more: Iterable[str] = (),
        wrong: str = "",
    ) -> None:
        """One case. more: further secrets of it."""
        secrets = [*self._lines, *more]
        files = [path for path in folder.rglob("*") if path.is_file() and path.name not in OURS] if folder else []
        self.files += len(files)
        self.characters += len(text) + sum(path.stat().st_size for path in files)
        problems: list[Problem] = [(LEAKED, found) for found in found_in(text, secrets)]
        holding = found_in_files(folder, OURS, secrets) if folder else {}
        problems += ((LEAKED, f"{path}: {one}") for path, found in holding.items() for one in found)
        self.tried.append(Tried(name, is_well, [*problems, *([(WRONG, wrong)] if wrong else [])]))


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    search = Search()
    every = list(cases())
    few = one_of_each(every)
    with (
        Simulator.start(api_key=API_KEY, settings=SETTINGS) as simulator,
        tempfile.TemporaryDirectory(prefix="canary-") as temporary,
        watching() as commands,
    ):
        folder = Path(temporary)
        is_full = size is Size.FULL
        plays = {"json": (IN_PROCESS, every if is_full else few), "module": (MODULE, every if is_full else few[::3])}
        plays |= {"yaml": (IN_PROCESS, every), "yaml module": (MODULE, few)} if is_full else {}
        for name, (way, chosen) in plays.items():
            _play(search, simulator, folder / name, way, chosen)
        # First, because Ansible clears up after it in the background, some seconds later.
        background = _background(simulator, folder / "async")
        for way in WAYS if is_full else (IN_PROCESS,):
            _role(search, simulator, folder / f"role {way}", way, size)
            _folder(search, simulator, folder / f"folder {way}", way, size)
            _generated(search, simulator, folder / f"generated {way}", way)
        deadline = time.monotonic() + LONGEST_CLEARING
        while time.monotonic() < deadline and any((folder / "async" / "home" / "remote").iterdir()):
            time.sleep(0.1)
        one = background["in the background"]
        search.judge("async", True, background.text, folder / "async", wrong="" if one.outcome == "ok" else one.msg)
    for command in sorted(commands):
        # The panel's side is started with the key that it is to know.
        if found_in(command) and "panel_simulator" not in command:
            search.judge("the arguments of a process", text=command[:300])
    what = "secrets in every option, answer and file, looked for in all output and files"
    remark = f"searched: {search.characters / 1e6:.1f} MB of output, {search.files} files, {len(commands)} commands"
    return [row_of("canary", what, search.tried, begin, remark)]


def one_of_each(every: Sequence[Case]) -> list[Case]:
    """Each behaviour once, each time with another kind."""
    chosen: list[Case] = []
    for number, title in enumerate(dict.fromkeys(case.name for case in every)):
        having = [case for case in every if case.name == title]
        chosen.append(having[number % len(having)])
    return chosen


# Tasks


def _play(search: Search, simulator: Simulator, folder: Path, way: str, chosen: Sequence[Case]) -> None:
    """Plays the tasks, and one that puts all their results into the cache of facts."""
    secrets: dict[str, str] = {}
    tasks = [{**case.task(), "register": f"result_{number}"} for number, case in enumerate(chosen)]
    names = ", ".join(f"result_{number}" for number in range(len(chosen)))
    keep = {"name": "keep", "ansible.builtin.set_fact": {"kept": f"{{{{ [{names}] }}}}", "cacheable": True}}
    variables = {
        **PRELOADED,
        **({"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"} if folder.name.startswith("yaml") else {}),
        "ANSIBLE_LOG_PATH": str(folder / "ansible.log"),
        "ANSIBLE_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(folder / "facts"),
        "ANSIBLE_CALLBACKS_ENABLED": "tree,junit",
        "ANSIBLE_CALLBACK_TREE_DIR": str(folder / "tree"),
        "JUNIT_OUTPUT_DIR": str(folder / "junit"),
        "ANSIBLE_KEEP_REMOTE_FILES": "0",
        "ANSIBLE_DISPLAY_ARGS_TO_STDOUT": "1",
    }
    keywords = {"module_defaults": {GROUP: _taken_out(defaults(simulator), secrets)}}
    tasks = [*(_taken_out(one, secrets) for one in tasks), keep]
    folder.mkdir(parents=True)
    (folder / "secrets.json").write_text(json.dumps({name: one for one, name in secrets.items()}), encoding="utf-8")
    words = [*LOUD, "--extra-vars", f"@{folder / 'secrets.json'}"]
    ended = play(tasks, simulator, folder, way, words, variables, keywords)
    search.judge(f"output and files, {folder.name}", True, ended.text, folder)
    for case in chosen:
        one = ended[case.task()["name"]]
        is_expected = one.outcome == case.outcome and DEFECT not in one.msg
        wrong = "" if is_expected else f"{one.outcome} instead of {case.outcome}: {one.msg[:300]}"
        text = "\n".join(texts_in(one.result))
        search.judge(f"{folder.name}: {one.name}", case.outcome == "ok", text, wrong=wrong)


def _taken_out(value: Any, secrets: dict[str, str]) -> Any:
    """A copy with names of variables for secrets, as operators keep them: Ansible's own callbacks show options as the playbook has them.

    What the simulator is told stays as it is.
    """
    if isinstance(value, Mapping):
        return {name: one if name == "simulator" else _taken_out(one, secrets) for name, one in value.items()}
    if isinstance(value, list):
        return [_taken_out(one, secrets) for one in value]
    if isinstance(value, str) and holds_secret(value):
        return f"{{{{ {secrets.setdefault(value, f'secret_{len(secrets)}')} }}}}"
    return value


# Whole runs


def _operator(simulator: Simulator, folder: Path) -> Operator:
    simulator.reset()
    simulator.settings(SETTINGS)
    return Operator(folder, simulator)


def _role(search: Search, simulator: Simulator, folder: Path, way: str, size: Size) -> None:
    operator = _operator(simulator, folder)
    variables = customer(str(operator.credentials))
    for number, mailbox in enumerate(variables["site_emails"][1:]):
        mailbox["password"] = secret(f"mailbox{number}")
    variables["site_ftp_users"][1]["password"] = secret("ftp")
    key = variables["site_certificates"][0]["components"]["private_key"]
    runs = [operator.site(variables, *LOUD, way=way)]
    if size is Size.FULL:
        runs += [operator.site(variables, *LOUD, way=way), operator.site(variables, *LOUD, "--check", way=way)]
        variables["site_emails"][1]["max_size"] = "1.5G"
        runs.append(operator.site(variables, *LOUD, way=way))
    made = [*operator.passwords().values(), *passwords_of(simulator).values()]
    # The last one has to fail.
    _judge_runs(search, f"role, {way}", runs[:3], folder, made, lines_of_key(key), [one.text for one in runs[3:]])


def _folder(search: Search, simulator: Simulator, folder: Path, way: str, size: Size) -> None:
    operator = _operator(simulator, folder)
    panel = folder / "panel"
    panel.mkdir()
    resources = {kind: items for kind, items in many("folder").items() if kind != "certificates"}
    # Not made by the command ansible-vault, which would have the text among its arguments.
    vaulted = VAULT.encrypt(secret("vaulted").encode()).decode().replace("\n", "\n        ").rstrip()
    (panel / "given.yml").write_text(json.dumps(resources), encoding="utf-8")
    (panel / "more.yml").write_text(_MORE.format(vaulted=vaulted), encoding="utf-8")
    simulator.seed({"plans": [{"name": "Business"}], "clients": [{"username": "globex"}]})
    variables = {
        "panel_dir": "panel",
        "panel_passwords_file": "panel/passwords.yml",
        "panel_plan_file": "plan.md",
        "panel_confirm": False,
    }
    runs = [operator.run("hosting.panel.apply", variables, *LOUD, way=way)]
    if size is Size.FULL:
        runs.append(operator.run("hosting.panel.apply", variables, *LOUD, "--check", way=way))
    runs.append(operator.run("hosting.panel.export", {"panel_dir": "exported"}, *LOUD, way=way, vault=False))
    (folder / "exported" / "clients" / "acme.yml").unlink()
    differences = {"panel_dir": "exported", "panel_plan_file": "drift.md"}
    drift = operator.run("hosting.panel.drift", differences, *LOUD, way=way, vault=False)
    kept = panel / "passwords.yml"
    made = [*(operator.passwords(kept).values() if kept.exists() else ()), *passwords_of(simulator).values()]
    pages = [(folder / name).read_text(encoding="utf-8") for name in ("plan.md", "drift.md")]
    _judge_runs(search, f"folder, {way}", runs, folder, made, (), [drift.text, *pages])


_MORE = """\
clients:
  - {{username: acme}}
domains:
  - {{domain: acme.example, client: acme}}
emails:
  - email: vaulted@acme.example
    password: !vault |
        {vaulted}
  - email: generated@acme.example
"""


def _generated(search: Search, simulator: Simulator, folder: Path, way: str) -> None:
    """A password is returned once by the task for which it was made, and kept out of what the next ones say."""
    _operator(simulator, folder)
    tasks = [
        task("created", "panel_client", {"username": "initech"}, register="created"),
        {"name": "the object", "ansible.builtin.debug": {"var": "created.client"}},
        task("again", "panel_client", {"username": "initech"}),
        task("listed", "panel_client_info"),
    ]
    ended = play(tasks, simulator, folder, way, LOUD)
    password = ended["created"].result["generated_password"]
    shown = sum(ended.text.count(form) for form in sorted({password, json.dumps(password)[1:-1]}))
    wrong = "" if shown == 1 else f"a generated password was printed {shown} times"
    search.judge(f"generated, {way}", True, ended.text.replace(password, ""), folder, wrong=wrong)


def _background(simulator: Simulator, folder: Path) -> Run:
    """A module that Ansible starts in the background, with its options in a file and its result in another."""
    _operator(simulator, folder)
    options = {"username": "globex", "password": "{{ background }}"}
    keywords = {"vars": {"background": secret("background")}}
    one = {**task("in the background", "panel_client", options), "async": 60, "poll": 1}
    return play([one], simulator, folder, IN_PROCESS, LOUD, keywords=keywords)


def _judge_runs(
    search: Search,
    name: str,
    runs: Sequence[RoleRun],
    folder: Path,
    made: Iterable[str],
    lines: Iterable[str],
    pages: Iterable[str] = (),
) -> None:
    """made: passwords that were generated, in every form in which they may be printed."""
    secrets = {form for password in made if len(password) > 5 for form in printed(password)}
    failures = " ".join(f"run {number} failed: {one.text[-600:]}" for number, one in enumerate(runs) if one.code)
    search.judge(name, True, "\n".join([*(one.text for one in runs), *pages]), folder, [*lines, *secrets], failures)
