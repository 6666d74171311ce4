"""A checkout works in a folder of any name, and what `make` starts needs a Python and nothing else:
what it lacks, it installs for itself."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import LINK_TO_ROOT, ROOT, make_environment, make_plain_path


@pytest.fixture(autouse=True)
def _no_link_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the link that the process started with."""
    monkeypatch.delenv(LINK_TO_ROOT, raising=False)


@pytest.mark.parametrize(
    "name", ["with space", "o'clock", "a:b", "ümlaut", "{{ braces }}", "$HOME"]
)
def test_another_path_gets_a_plain_link_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOSTING_PANEL_USER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / name
    folder.mkdir()

    link = make_plain_path(folder)

    assert link.parent == tmp_path / "cache" / "hosting.panel"
    assert link.resolve() == folder
    assert make_plain_path(folder) == link


def test_a_second_run_that_ends_leaves_the_link_to_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    program = f"from pathlib import Path; from tools.layout import make_plain_path; print(make_plain_path(Path({str(folder)!r})))"
    # The cache's path is not plain either.
    variables = {**os.environ, "HOSTING_PANEL_USER_CACHE": str(folder), "TMPDIR": str(tmp_path)}
    links = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        )
        for _run in range(2)
    ]

    assert links[0].stdout == links[1].stdout
    assert Path(links[0].stdout.strip()).resolve() == folder


def test_something_else_in_the_place_of_the_link_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTING_PANEL_USER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "with space"
    folder.mkdir()
    link = make_plain_path(folder)
    link.unlink()

    link.symlink_to(tmp_path)
    monkeypatch.delenv(LINK_TO_ROOT)

    with pytest.raises(RuntimeError, match="is in the way"):
        make_plain_path(folder)


# What `make` starts


STARTED = sorted(
    set(re.findall(r"\$\(RUN\)\.(\w+)", (ROOT / "Makefile").read_text(encoding="utf-8")))
)


@pytest.mark.parametrize("name", STARTED)
def test_a_python_without_any_package_can_start_it(name: str) -> None:
    module = (
        f"tools.{name}" if (ROOT / "tools" / f"{name}.py").is_file() else f"tools.{name}.__main__"
    )
    # -S leaves out the packages that are installed.
    command = [sys.executable, "-S", "-c", f"import {module}"]

    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr


def test_the_experiments_start_where_only_the_checkout_is_at_hand() -> None:
    command = [sys.executable, "-m", "tools.reliability", "--help"]
    surroundings = make_environment(Path(sys.executable).parent)

    done = subprocess.run(
        command, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr


# A python that is a supported one, and calls itself another.
INTERPRETER = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = {version}; exec(sys.argv[1])' "$2"
"""


@pytest.mark.parametrize(
    ("version", "is_started"),
    [((3, 10, 9), False), ((3, 11, 0), True), ((3, 13, 9), True), ((3, 14, 0), False)],
)
def test_only_a_python_that_is_supported_is_started(
    tmp_path: Path, version: tuple[int, ...], is_started: bool
) -> None:
    interpreter = tmp_path / "python3"
    interpreter.write_text(
        INTERPRETER.format(python=shlex.quote(sys.executable), version=version), encoding="utf-8"
    )
    interpreter.chmod(0o755)
    command = ["/bin/sh", str(ROOT / "tools" / "with-python"), "-c", "print('started')"]

    run = subprocess.run(
        command,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    if is_started:
        assert (run.returncode, run.stdout) == (0, "started\n"), run.stderr
    else:
        assert run.returncode == 69
        assert "No Python 3.11, 3.12 or 3.13 was found on PATH" in run.stderr
