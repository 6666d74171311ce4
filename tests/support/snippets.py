"""Follows a Markdown page as a reader would.

What its blocks show is written, run and compared, in their order.

The convention, also in CONTRIBUTING.md. A comment in the line before a block says what is not plain
from the block itself:

(no comment) ``shell`` is run; ``yaml`` is run if it is a playbook or a list of tasks; ``text`` is
what the block run before it has printed: its lines occur there in this order, ``...`` stands for
anything <!-- snippet: file=NAME --> the block is the content of this file; a ``diff`` is a change
of it <!-- snippet: from=PATH --> the block is copied word for word from this file of the repository
<!-- snippet: fails --> the block has to fail <!-- snippet: not run: WHY --> it cannot be run here
<!-- snippet: panel=NAME --> anywhere: from here on the panel holds what tests/docs/panels.yml has
as NAME, and nothing else; with `` at HOST`` behind the name, the panel of this host; its
``settings`` are those of the simulator <!-- snippet: fleet --> anywhere: from here on the fleet of
``make play`` runs, and every word is typed as it is printed, but for the Vault password and ports
of the page's own <!-- snippet: checkout --> anywhere: from here on the reader is in a checkout of
the repository, with an environment for development <!-- snippet: installed=NAME --> anywhere: from
here on the reader has what the page has shown how to install, see ``INSTALLED``

What stands for the reader's own panel and secrets is replaced: see ``Reader.adapt_text``.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import yaml

from tests.support.loaded_ansible import find_loaded_ansible
from tests.support.needed import find_nsd_programs
from tests.support.needed import find_program_folders as rulebook_commands
from tests.support.pebble import find_free_ports, find_pebble_or_skip, make_collections_folder
from tests.support.playbook import IN_PROCESS, make_environment, write_inventory
from tests.support.simulator import API_KEY, Simulator
from tools.environments import prepare_pinned_interpreter
from tools.layout import LOCKS, ROOT, copy_to, link_collection
from tools.processes import MarkedCommand

PANELS = ROOT / "tests" / "docs" / "panels.yml"
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)$")
COMMENT = re.compile(r"^ *<!-- snippet: (?P<words>.*?) -->$")
SECONDS = 180.0
# Of the simulator and of what pages start beside it.
FLEET_PORTS = ("18101", "18102", "18103")
PORTS = ("18080", "18081", "18053", "18014", "18015", "18016", "18017", *FLEET_PORTS)
VAULT_PASSWORD = "the Vault password of a reader"
HOST = "panel.example"
ADDRESS = re.compile(r"https://((?:[a-z0-9-]+\.)+example)\b")
# Prints what a shell has set and not exported, in words for a shell, of values on one line.
VARIABLES = r"""declare -p | grep -E "^declare -- [A-Za-z]\w*=\"[^\"]*\"$" || :"""
VAULT_VARIABLE = re.compile(r"\bvault_\w+")
KEYS_FILE = "vault.yml"


def _find_zone_tools() -> Path:
    return prepare_pinned_interpreter("zones", LOCKS / "zones.txt", Path(sys.executable)).parent


CHANGES = ("checkout", "fleet", "installed", "panel")
"""What changes between blocks."""


class Installed(NamedTuple):
    """Folders: of programs that are found by their names, of collections, and what stands for
    /usr/sbin, which is in no user's PATH."""

    programs: tuple[Path, ...]
    collections: Path | None = None
    administration: Path | None = None


INSTALLED: dict[str, Callable[[], Installed]] = {
    "authority": lambda: Installed(
        (find_pebble_or_skip().parent,), collections=make_collections_folder()
    ),
    "rulebooks": lambda: Installed(tuple(map(Path, rulebook_commands()))),
    "zone tools": lambda: Installed((_find_zone_tools(),), administration=find_nsd_programs()),
}


class SnippetFailure(AssertionError):
    """A block does not do what its page says; the message names page, line and what happened."""


@dataclass(frozen=True)
class Snippet:
    """One block of a page, or what changes between blocks.

    For a change, ``language`` is the first word of the comment and ``text`` the name.
    """

    page: Path
    line: int
    language: str
    text: str
    directive: str = ""

    @property
    def location(self) -> str:
        """Return where the block is, for a message."""
        return f"{self.page.name}:{self.line}"

    def find_value(self, name: str) -> str | None:
        """Return what the directive gives for ``name=``."""
        return self._find_text_after(f"{name}=")

    def _find_text_after(self, prefix: str) -> str | None:
        if not self.directive.startswith(prefix):
            return None
        return self.directive.removeprefix(prefix)

    @property
    def reason(self) -> str | None:
        """Return why the block is not run."""
        return self._find_text_after("not run: ")


def list_snippets(page: Path) -> list[Snippet]:
    """Return the blocks of a page, in their order.

    Raises:
        SnippetFailure: A fence has no language or no end.
    """
    return list(_read(page, page.read_text(encoding="utf-8").splitlines()))


def has_snippet(page: Path, language: str) -> bool:
    """Return whether a page has a block in a language."""
    return any(snippet.language == language for snippet in list_snippets(page))


def _read(page: Path, lines: list[str]) -> Iterator[Snippet]:
    """Yield the blocks of a page, and the changes that its comments ask for."""
    directive = ""
    numbered = enumerate(lines, 1)

    for number, line in numbered:
        comment = COMMENT.match(line)
        if comment:
            directive = comment["words"]
            kind, _sign, name = directive.partition("=")
            if kind in CHANGES:
                yield Snippet(page, number, kind, name)
                directive = ""
            continue

        if fence := FENCE.match(line):
            body = _read_rest_of_block(numbered, fence["indent"])
            if body is None or not fence["language"]:
                raise SnippetFailure(f"{page.name}:{number}: a block needs a language and an end")
            yield Snippet(page, number, fence["language"], body, directive)
        # A comment is about the block that follows it, at once or after blank lines.
        if line.strip():
            directive = ""


def _read_rest_of_block(numbered: Iterator[tuple[int, str]], indent: str) -> str | None:
    """Read the lines of a block up to its end; None where it has no end."""
    body = []
    for _number, line in numbered:
        if line.strip() == "```":
            return "".join(body)
        body.append(f"{line.removeprefix(indent)}\n")

    return None


class Reader:
    """Somebody who follows one page, in a folder and with panels of their own.

    A context manager; everything ends with it.
    """

    def __init__(self, folder: Path, way: str = IN_PROCESS) -> None:
        """way: how tasks run, as of tests/support/playbook.py."""
        self.folder = folder
        self._way = way
        self.printed = ""
        self._panels: dict[str, Simulator] = {}
        self._tasks: list[Any] = []
        self._vault_variables: set[str] = set()
        self._commands: list[MarkedCommand] = []
        self._fleet: ExitStack | None = None
        (folder / "home").mkdir(parents=True, exist_ok=True)
        self._work = folder / "work"
        (self._work / "srv").mkdir(parents=True)
        self._state = folder / "state.sh"
        self._state.touch()
        self._vault_password = folder / "vault-password"
        self._vault_password.write_text(VAULT_PASSWORD + "\n", encoding="utf-8")
        self._changes: dict[str, Callable[[Snippet], None]] = {
            "checkout": self._check_out,
            "fleet": self._play_on_fleet,
            "installed": self._install,
            "panel": self._fill_panel,
        }
        self._installed: list[Installed] = []
        self._ports = dict(zip(PORTS, map(str, find_free_ports(len(PORTS))), strict=True))

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for command in self._commands:
            command.stop_everything()

        if self._fleet is not None:
            self._fleet.close()

        for panel in self._panels.values():
            panel.stop()

    def get_panel(self, host: str = HOST) -> Simulator:
        """Return the simulator that stands for this host, started when it is first asked for."""
        if host not in self._panels:
            self._panels[host] = Simulator.start(settings={"status_delay": 0.0}, max_seconds=600)
        return self._panels[host]

    def adapt_text(self, text: str) -> str:
        """Return the text as the reader types it.

        With a simulator where the page has the reader's panel, and with the test's secrets.
        """
        if self._fleet is None:
            self._vault_variables.update(VAULT_VARIABLE.findall(text))
            text = ADDRESS.sub(lambda match: self.get_panel(match[1]).url, text)
            text = text.replace("/srv/", f"{self._work}/srv/")

        for installed in self._installed:
            if installed.administration:
                text = text.replace("/usr/sbin", str(installed.administration))

        secret = f"--vault-password-file {shlex.quote(str(self._vault_password))}"
        text = text.replace("--ask-vault-pass", secret).replace(
            "ansible-vault view ", f"ansible-vault view {secret} "
        )
        text = text.replace(
            "sh tools/with-python -m tools.development", f"{shlex.quote(sys.executable)} -m"
        )
        # A reader is at a terminal, and types yes.
        text = re.sub(
            r"hosting\.panel\.apply(?= -e panel_dir)(?!.*(?:--check|_checksum))",
            r"\g<0> -e panel_confirm=false",
            text,
        )

        return re.sub("|".join(PORTS), lambda match: self._ports[match[0]], text)

    def follow(self, page: Path) -> None:
        """Do everything that the page shows.

        Raises SnippetFailure at the first block that does not hold.
        """
        for snippet in list_snippets(page):
            self.do(snippet)

        self._run_tasks()

    def do(self, snippet: Snippet) -> None:
        """Do one block; raises SnippetFailure."""
        if snippet.reason:
            return

        change = self._changes.get(snippet.language)
        source = snippet.find_value("from")
        name = snippet.find_value("file")

        if change:
            change(snippet)
        elif source:
            _compare_with_source(snippet, source)
        elif name:
            self._write(snippet, self._get_directory() / name)
        else:
            self._follow_by_language(snippet)

    def _follow_by_language(self, snippet: Snippet) -> None:
        """Type a command, compare an output, or run tasks; raises SnippetFailure."""
        if snippet.language == "shell":
            self._run_tasks()
            self._run(self.adapt_text(snippet.text), snippet)
        elif snippet.language == "text":
            self._run_tasks()
            self._compare_with_output(snippet)
        elif snippet.language == "yaml" and self._fleet is None:
            self._collect(snippet)
        else:
            raise SnippetFailure(
                f"{snippet.location}: nobody runs a block in {snippet.language}; "
                "say file=, from= or not run:"
            )

    def _compare_with_output(self, snippet: Snippet) -> None:
        missing = find_missing_line(self.adapt_text(snippet.text), self.printed)
        if missing is not None:
            raise SnippetFailure(
                f"{snippet.location}: {missing!r} was not printed, or not there:\n{self.printed}"
            )

    def _install(self, snippet: Snippet) -> None:
        installed = INSTALLED[snippet.text]()
        self._installed.append(installed)
        if self._fleet is None:
            return

        # The terminal has read the fleet's folders.
        self._extend("PATH", installed.programs)
        collections = [installed.collections] if installed.collections else []
        self._extend("ANSIBLE_COLLECTIONS_PATH", collections)

    def _extend(self, name: str, folders: Sequence[Path]) -> None:
        """Add folders to a variable of the reader's terminal."""
        quoted = [shlex.quote(str(folder)) for folder in folders]
        with self._state.open("a", encoding="utf-8") as state:
            state.write(f"export {name}={':'.join([f'${name}', *quoted])}\n")

    def _play_on_fleet(self, _snippet: Snippet) -> None:
        if self._fleet is not None:
            return

        self._fleet = ExitStack()
        directory = self.folder / "home" / "panel-play"
        variables = self._make_variables()
        ports = [int(self._ports[port]) for port in FLEET_PORTS]
        self._fleet.enter_context(_play_fleet(directory, variables, ports))

        if loaded := find_loaded_ansible(variables):
            with (directory / "environment").open("a", encoding="utf-8") as file:
                file.write(f'export PATH={shlex.quote(str(loaded.commands))}:"$PATH"\n')

    def _get_directory(self) -> Path:
        """Return the folder of the reader's terminal."""
        file = self.folder / "where"
        if not file.exists():
            return self._work
        return Path(file.read_text(encoding="utf-8").rstrip("\n"))

    def _fill_panel(self, snippet: Snippet) -> None:
        self._run_tasks()
        name, _at, host = snippet.text.partition(" at ")
        seed = yaml.safe_load(PANELS.read_text(encoding="utf-8"))[name]
        panel = self.get_panel(host or HOST)
        panel.reset()
        panel.change_settings(seed.pop("settings", {}))
        panel.seed(seed)

    def _check_out(self, _snippet: Snippet) -> None:
        self._run_tasks()
        self._work /= "checkout"
        copy_to(self._work)
        subprocess.run(["git", "init", "--quiet"], cwd=self._work, check=True)
        link_collection(self._work)
        self._state.write_text(f"cd {shlex.quote(str(self._work))}\n", encoding="utf-8")
        (self.folder / "where").write_text(str(self._work), encoding="utf-8")

    def _write(self, snippet: Snippet, file: Path) -> None:
        self._run_tasks()
        text = self.adapt_text(snippet.text)
        if snippet.language == "diff":
            text = apply_diff(file.read_text(encoding="utf-8"), text, snippet.location)

        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def _collect(self, snippet: Snippet) -> None:
        content = yaml.safe_load(self.adapt_text(snippet.text))
        if not isinstance(content, list) or not all(isinstance(item, dict) for item in content):
            raise SnippetFailure(
                f"{snippet.location}: neither a playbook nor a list of tasks; say file=, from= or not run:"
            )

        if any("hosts" in item for item in content):
            self._run_tasks()
            self._play(content, snippet)
        elif snippet.directive == "fails":
            self._run_tasks()
            self._play([_make_play(content)], snippet)
        else:
            # Starting Ansible costs more than the tasks: those that follow each other are run
            # together.
            self._tasks += [(snippet, task) for task in content]

    def _run_tasks(self) -> None:
        if self._tasks:
            collected = self._tasks
            self._tasks = []
            self._play([_make_play([task for _snippet, task in collected])], collected[0][0])

    def _play(self, plays: list[dict[str, Any]], snippet: Snippet) -> None:
        playbook = self._get_directory() / ".snippet.yml"
        playbook.write_text(
            yaml.safe_dump(plays, sort_keys=False, allow_unicode=True), encoding="utf-8"
        )
        variables = f"ANSIBLE_VAULT_PASSWORD_FILE={shlex.quote(str(self._vault_password))}"
        variables += (
            f" PANEL_API_URL={self.get_panel().url} PANEL_API_KEY={self.get_panel().api_key}"
        )
        # A block without a name is a part of a playbook of the reader, which loads the keys.
        keys = f" -e @{KEYS_FILE}" if self._vault_variables else ""
        self._run(f"{variables} ansible-playbook {playbook.name}{keys}", snippet)

    def _run(self, script: str, snippet: Snippet) -> None:
        self._write_keys()
        # What a block exports or sets, and where it went, holds for the next, as in the reader's
        # terminal.
        state = shlex.quote(str(self._state))
        directory = shlex.quote(str(self.folder / "where"))
        variables = f'export -p; {VARIABLES}; echo cd $(printf %q "$PWD");'
        keep = f"trap '{{ {variables} }} > {state}; pwd > {directory}' EXIT"
        arguments = ["bash", "-c", f"set -e -o pipefail\n. {state}\n{keep}\n{script}"]
        log = self.folder / "printed"
        command = MarkedCommand(arguments, variables=self._make_variables(), folder=self._work)
        self._commands.append(command)

        with log.open("wb") as output:
            try:
                code = command.start(output).wait(SECONDS)
            except subprocess.TimeoutExpired:
                command.stop_everything()
                code = -1

        self.printed = log.read_text(encoding="utf-8", errors="replace")

        if (code != 0) != (snippet.directive == "fails"):
            expected = "should have failed" if code == 0 else f"ended with {code}"
            raise SnippetFailure(
                f"{snippet.location}: {expected}:\n{script}\n--- printed\n{self.printed}"
            )

    def _make_variables(self) -> dict[str, str]:
        """Return the environment of a reader who has just installed Ansible and git.

        No setting of the machine is in it.
        """
        inventory = self._write_inventory()
        variables = make_environment(self.folder, self._way)
        # The collection is installed, as far as the reader is concerned, and so are Ansible's
        # commands.
        collections = [variables["ANSIBLE_COLLECTIONS_PATH"]]
        programs = [str(Path(sys.executable).parent), variables["PATH"]]

        for installed in self._installed:
            if installed.collections:
                collections.append(str(installed.collections))
            programs += [str(folder) for folder in installed.programs]

        variables["ANSIBLE_COLLECTIONS_PATH"] = os.pathsep.join(collections)
        loaded = find_loaded_ansible(variables)
        if loaded:
            programs.insert(0, str(loaded.commands))

        variables["PATH"] = os.pathsep.join(programs)
        if HOST in self._panels:
            variables |= {
                "PANEL_API_URL": self.get_panel().url,
                "PANEL_API_KEY": self.get_panel().api_key,
            }

        variables["ANSIBLE_INVENTORY"] = str(inventory / "hosts.yml")
        variables |= {"GIT_AUTHOR_NAME": "Reader", "GIT_AUTHOR_EMAIL": "reader@panel.example"}

        return variables | {
            "GIT_COMMITTER_NAME": "Reader",
            "GIT_COMMITTER_EMAIL": "reader@panel.example",
        }

    def _write_inventory(self) -> Path:
        """Write the reader's inventory."""
        inventory = self.folder / "inventory"
        if not inventory.exists():
            inventory.mkdir()
            write_inventory(inventory)

        return inventory

    def _write_keys(self) -> None:
        """Write a key for each variable of Vault that pages name, where the reader keeps them.

        A command has to load this file: no inventory has the keys.
        """
        if self._vault_variables:
            keys = dict.fromkeys(sorted(self._vault_variables), API_KEY)
            file = self._get_directory() / KEYS_FILE
            file.write_text(yaml.safe_dump(keys), encoding="utf-8")


def _compare_with_source(snippet: Snippet, source: str) -> None:
    if snippet.text not in (ROOT / source).read_text(encoding="utf-8"):
        raise SnippetFailure(
            f"{snippet.location}: {source} does not hold this text:\n{snippet.text}"
        )


def _make_play(tasks: list[Any]) -> dict[str, Any]:
    return {"hosts": "localhost", "gather_facts": False, "tasks": tasks}


def find_missing_line(expected: str, printed: str) -> str | None:
    """Return the first expected line that is not printed after the lines before it, or None.

    White space and the length of rows of asterisks do not count; ``...`` stands for anything
    within a line, and alone for any lines.
    """
    lines = [_normalize_line(line) for line in printed.splitlines()]
    start = 0

    for line in expected.splitlines():
        plain_line = _normalize_line(line)
        if plain_line in ("", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(piece) for piece in plain_line.split("...")))
        numbers = [
            number for number in range(start, len(lines)) if pattern.fullmatch(lines[number])
        ]
        if not numbers:
            return line
        start = numbers[0] + 1

    return None


def _normalize_line(line: str) -> str:
    return " ".join(re.sub(r"\*{3,}", "***", line).split())


def apply_diff(text: str, change: str, location: str) -> str:
    """Return the text after a diff without headers.

    Each run of lines between ``@@`` has to occur exactly once.
    """
    for hunk in re.split(r"^@@.*\n", change, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        if before == after:
            continue
        if text.count(before) != 1:
            raise SnippetFailure(
                f"{location}: these lines are there {text.count(before)} times:\n{before}--- in\n{text}"
            )

        text = text.replace(before, after)

    return text


@contextmanager
def _play_fleet(
    directory: Path, variables: Mapping[str, str], ports: Sequence[int]
) -> Iterator[None]:
    """Run the fleet of ``make play`` on these ports until the end of the block.

    Its files are in this folder; nothing is left of its keys at the end.
    """
    play_ports = dict(zip(("web-1", "web-2", "web-3"), ports, strict=True))

    def play(state: str) -> None:
        """Bring the fleet into a state."""
        extra_variables = {
            "play_directory": str(directory),
            "play_ports": play_ports,
            "play_state": state,
        }
        command = ["ansible-playbook", "hosting.panel.play", "--extra-vars"]
        process = subprocess.run(
            [*command, json.dumps(extra_variables)],
            env=dict(variables),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=directory.parent,
        )
        assert process.returncode == 0, process.stdout + process.stderr

    try:
        play("started")
        assert {path.stat().st_mode & 0o777 for path in (directory / "keys").iterdir()} == {0o600}
        yield
    finally:
        play("stopped")

    assert not (directory / "keys").exists()
