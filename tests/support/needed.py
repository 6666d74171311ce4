"""What a test needs and a machine may lack.

Without it the test is skipped and says why; in CI it fails.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, make_environment, write_inventory
from tools import environments
from tools.environments import NotRun
from tools.processes import MarkedCommand


@contextmanager
def skip_where_not_run() -> Iterator[None]:
    """Skip the test where NotRun is raised inside."""
    try:
        yield
    except NotRun as reason:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(str(reason))


def require_content_tools(*programs: str) -> None:
    """Skip the test where it is not root's, or where programs of a host are missing.

    ``.ci/content_tools`` installs them.
    """
    with skip_where_not_run():
        check_content_tools(*programs)


def check_content_tools(*programs: str) -> None:
    """Check that this process is root's, and that a host has programs.

    Raises:
        NotRun: It is not, or one is missing.
    """
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    missing = [program for program in programs if shutil.which(program, path=path) is None]

    if os.geteuid() != 0:
        raise NotRun("Only root can be several users, as these tools need it.")
    if missing:
        raise NotRun(f"{', '.join(missing)}: .ci/content_tools installs what is missing.")


# What the package nsd of a Debian release needs beside itself.
LIBRARIES = ("libprotobuf-c1", "libfstrm0", "libevent-2.1-7")
PROGRAMS = ("nsd-checkzone",)


def find_nsd_programs() -> Path:
    """Return a folder with the programs, which stands for /usr/sbin."""
    paths = [shutil.which(name) for name in PROGRAMS]
    if all(paths):
        return Path(str(paths[0])).parent
    with skip_where_not_run():
        folder = environments.find_debian_package("nsd", *LIBRARIES)
    libraries = os.pathsep.join(
        sorted({str(library.parent) for library in folder.glob("usr/lib/**/*.so.*")})
    )
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)

    for name in PROGRAMS:
        command = shlex.join([f"LD_LIBRARY_PATH={libraries}", str(folder / "usr" / "sbin" / name)])
        # Whoever runs it meanwhile has the old one, which is the same.
        new = programs / f".{name}.{os.getpid()}"
        new.write_text(f'#!/bin/sh\nexec env {command} "$@"\n', encoding="utf-8")
        new.chmod(0o755)
        new.replace(programs / name)

    return programs


# Rulebooks with a real ansible-rulebook


SECONDS = 90.0


def find_program_folders() -> list[str]:
    """Return the folders of the programs; raises NotRun, which says what is missing."""
    java = environments.find_debian_program(
        "java", "openjdk-17-jre-headless", "usr/lib/jvm/java-17-openjdk-amd64/bin"
    ).resolve()
    python = environments.prepare_pinned_interpreter(
        "eda-environment", environments.EDA_LOCK, environments.prepare_development_interpreter()
    )
    return [str(python.parent), str(java.parent)]


class Rulebook:
    """One run of a rulebook, in a folder.

    A context manager; whatever is left of it ends with that.
    """

    def __init__(self, rulebook: str, folder: Path, programs: list[str], **variables: Any) -> None:
        """variables: what it is given as a file."""
        (folder / "variables.yml").write_text(json.dumps(variables), encoding="utf-8")
        self._log = folder / f"said.{len(list(folder.glob('said.*')))}"
        (folder / "inventory").mkdir(exist_ok=True)
        inventory = write_inventory(folder / "inventory", f"{programs[0]}/python")
        command = [
            "ansible-rulebook",
            "--inventory",
            str(inventory),
            "--rulebook",
            rulebook,
            "--vars",
            "variables.yml",
        ]
        environment = make_environment(folder, IN_PROCESS)
        environment["PATH"] = os.pathsep.join([*programs, environment["PATH"]])
        environment["JAVA_HOME"] = str(Path(programs[-1]).parent)
        self._words = command
        self._folder = folder
        self._environment = environment

    def start(self, **environment: str) -> Rulebook:
        """Start it, with more variables of the environment."""
        self._command = MarkedCommand(
            self._words, variables={**self._environment, **environment}, folder=self._folder
        )
        with self._log.open("wb") as output:
            self._process = self._command.start(output)
        return self

    def __enter__(self) -> Rulebook:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._command.stop_everything()

    @property
    def printed(self) -> str:
        """Return all that it has printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, expected: str) -> None:
        """Wait until it has said that."""
        end = time.monotonic() + SECONDS
        while expected not in self.printed:
            assert time.monotonic() < end, f"{expected!r} was not said:\n{self.printed}"
            assert self._process.poll() is None, (
                f"It has ended before it said {expected!r}:\n{self.printed}"
            )
            time.sleep(0.1)


def make_connection_environment(panel: Any, **more: str) -> Mapping[str, str]:
    """Return the environment that names a simulator."""
    return {
        "PANEL_API_URL": panel.url,
        "PANEL_API_KEY": panel.api_key,
        "PANEL_RETRY_TIME": "0",
        **more,
    }
