"""Canaries in every secret option, on the panel and in key files, looked for in everything that Ansible prints and leaves behind."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import pem
from tests.support.marked_secrets import found_in, found_in_files, lines_of_key, texts_in
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, PRELOADED, Run, defaults, play
from tests.support.simulator import Simulator
from tools.reliability.arguments import watching
from tools.reliability.canary_playbooks import GIVEN, run_playbooks
from tools.reliability.canary_tasks import API_KEY, SETTINGS, Case, cases, holds_secret
from tools.reliability.figures import Row, Size

# What the experiment itself writes: the tasks, and what reached the panel.
OURS = ("playbook.yml", "recording.jsonl", "secrets.json")
JSON: dict[str, str] = {}
YAML = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
DEFECT = "A defect in the collection"


@dataclass
class Secrets:
    """Secrets in variables, as operators keep them: Ansible's own callbacks show the options as they are written in the playbook."""

    variables: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def taken_out(self, value: Any) -> Any:
        """A copy of options with names of variables for secrets; what the simulator is told stays as it is."""
        if isinstance(value, Mapping):
            return {name: member if name == "simulator" else self.taken_out(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.taken_out(entry) for entry in value]
        return f"{{{{ {self._name_of(value)} }}}}" if isinstance(value, str) and holds_secret(value) else value

    def _name_of(self, secret: str) -> str:
        name = self._names.setdefault(secret, f"secret_{len(self._names)}")
        self.variables[name] = secret
        return name


@dataclass
class Findings:
    """What was looked at, and what was found."""

    tasks: int = 0
    failed: int = 0
    characters: int = 0
    files: int = 0
    leaks: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def look_at(self, where: str, text: str, more: Iterable[str]) -> None:
        self.characters += len(text)
        self.leaks += [f"{where}: {found}" for found in found_in(text, more)]

    def look_into(self, where: str, folder: Path, ours: Sequence[str], more: Iterable[str]) -> None:
        files = [path for path in folder.rglob("*") if path.is_file() and path.name not in ours]
        self.files += len(files)
        self.characters += sum(path.stat().st_size for path in files)
        for path, found in found_in_files(folder, ours, more).items():
            self.leaks += [f"{where}: {path}: {one}" for one in found]


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    started = time.monotonic()
    findings = Findings()
    every = list(cases())
    with (
        Simulator.start(api_key=API_KEY, settings=SETTINGS) as simulator,
        tempfile.TemporaryDirectory(prefix="canary-") as temporary,
        watching() as processes,
    ):
        folder = Path(temporary)
        here, there = (every, every) if size is Size.FULL else (one_of_each(every), one_of_each(every)[::3])
        _play(findings, simulator, folder / "json", IN_PROCESS, here, JSON)
        _play(findings, simulator, folder / "module", MODULE, there, JSON)
        if size is Size.FULL:
            _play(findings, simulator, folder / "yaml", IN_PROCESS, every, YAML)
            _play(findings, simulator, folder / "yaml module", MODULE, one_of_each(every), YAML)
        for made in run_playbooks(simulator, folder / "playbooks", size):
            findings.tasks += made.runs
            findings.look_at(made.name, made.text, [*_key_lines(), *made.secrets])
            findings.look_into(made.name, made.folder, GIVEN, [*_key_lines(), *made.secrets])
            findings.wrong += made.wrong
    findings.leaks += [f"arguments of a process: {command}" for command in processes.found]
    row = Row(
        experiment="canary",
        what="secrets in every option, answer and file, looked for in all output and files",
        tried=findings.tasks,
        survived=max(0, findings.tasks - findings.failed - len(findings.wrong) - len(findings.leaks)),
        failed_loudly=findings.failed,
        leaked=len(findings.leaks),
        seconds=time.monotonic() - started,
        remark=f"searched: {findings.characters / 1e6:.1f} MB of output, {findings.files} files, {len(processes.seen)} commands",
        wrong=[*findings.wrong, *findings.leaks],
    )
    return [row]


def one_of_each(every: Sequence[Case]) -> list[Case]:
    """Each behaviour once, each time with another kind."""
    chosen: list[Case] = []
    for number, title in enumerate(dict.fromkeys(case.name for case in every)):
        having = [case for case in every if case.name == title]
        chosen.append(having[number % len(having)])
    return chosen


def _key_lines() -> list[str]:
    return [line for name, text in pem.texts().items() if name.endswith("private_key") for line in lines_of_key(text)]


def _play(
    findings: Findings, simulator: Simulator, folder: Path, way: str, chosen: Sequence[Case], shown: Mapping[str, str]
) -> None:
    variables = {**PRELOADED, **shown, **_everything_that_ansible_writes(folder)}
    secrets = Secrets()
    tasks = [secrets.taken_out(task) for task in _tasks(chosen)]
    # The defaults of the group hold the API key as they do in an operator's playbook: as the name of a variable.
    keywords = {"module_defaults": {GROUP: secrets.taken_out(defaults(simulator))}}
    folder.mkdir(parents=True)
    (folder / "secrets.json").write_text(json.dumps(secrets.variables), encoding="utf-8")
    words = ["-vvvv", "--diff", "--extra-vars", f"@{folder / 'secrets.json'}"]
    run = play(tasks, simulator, folder, way, words, variables, keywords)
    findings.look_at(f"output, {folder.name}", run.text, _key_lines())
    findings.look_into(f"files, {folder.name}", folder, OURS, _key_lines())
    _look_at_results(findings, run, chosen, folder.name)


def _everything_that_ansible_writes(folder: Path) -> dict[str, str]:
    return {
        "ANSIBLE_LOG_PATH": str(folder / "ansible.log"),
        "ANSIBLE_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(folder / "facts"),
        "ANSIBLE_CALLBACKS_ENABLED": "tree,junit",
        "ANSIBLE_CALLBACK_TREE_DIR": str(folder / "tree"),
        "JUNIT_OUTPUT_DIR": str(folder / "junit"),
        "ANSIBLE_KEEP_REMOTE_FILES": "0",
        "ANSIBLE_DISPLAY_ARGS_TO_STDOUT": "1",
    }


def _tasks(chosen: Sequence[Case]) -> list[dict[str, Any]]:
    """The tasks, and one that puts all their results into the cache of facts."""
    tasks = [{**case.task(), "register": f"result_{number}"} for number, case in enumerate(chosen)]
    names = ", ".join(f"result_{number}" for number in range(len(chosen)))
    keep = {"name": "keep", "ansible.builtin.set_fact": {"kept": f"{{{{ [{names}] }}}}", "cacheable": True}}
    return [*tasks, keep]


def _look_at_results(findings: Findings, run: Run, chosen: Sequence[Case], where: str) -> None:
    findings.tasks += len(chosen)
    for case in chosen:
        name = case.task()["name"]
        recording = run[name]
        findings.failed += recording.outcome == "failed" == case.outcome
        findings.look_at(f"result, {where}, {name}", "\n".join(texts_in(recording.result)), _key_lines())
        if recording.outcome != case.outcome:
            findings.wrong.append(
                f"{where}: {name}: {recording.outcome} instead of {case.outcome}: {recording.msg[:300]}"
            )
        elif DEFECT in recording.msg:
            findings.wrong.append(f"{where}: {name}: {recording.msg}")
