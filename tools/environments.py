"""Virtual environments from lock files: made once, used again while the lock and the interpreter stay the same."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import interpreters
from tools.layout import BUILD, DEVELOPMENT, LOCKS, ROOT
from tools.supported import CONTROLLER_PYTHON, NEWEST_CORE, core_lock
from tools.surroundings import installing

STAMP = ".made-from"
DEMO_LOCK = LOCKS / "demo.txt"
DEVELOPMENT_LOCK = LOCKS / "dev.txt"
DOCS_LOCK = LOCKS / "docs.txt"
EDA_LOCK = LOCKS / "eda.txt"
SIGN_LOCK = LOCKS / "sign.txt"


class EnvironmentFailure(Exception):
    """An environment could not be made; the message says what was tried."""


def python_of(folder: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return folder / "bin" / "python"


def demo() -> Path:
    """Return the interpreter of the demonstration's environment, made with nothing but pip."""
    return _ready(BUILD / "demo-environment", DEMO_LOCK, Path(sys.executable), _fill_with_pip)


def development() -> Path:
    """Return the interpreter of `.venv`, which has every tool of the developers, and the newest ansible-core that this machine can run."""
    newest = interpreters.find(CONTROLLER_PYTHON[NEWEST_CORE]) or Path(sys.executable)
    interpreter = python_of(DEVELOPMENT) if _is_usable(DEVELOPMENT, newest) else newest
    return _ready(DEVELOPMENT, DEVELOPMENT_LOCK, interpreter, _fill_development)


def pinned(name: str, lock: Path, interpreter: Path) -> Path:
    """Return the interpreter of `.build/<name>`, made from `lock` with uv on the given interpreter."""
    development()
    return _ready(BUILD / name, lock, interpreter, _fill_with_uv)


def of_core(core: str) -> Path:
    """Return the interpreter of an environment with this release of ansible-core, on its Python; the newest is in `.venv`."""
    interpreter = interpreters.required(CONTROLLER_PYTHON[core])
    return development() if core == NEWEST_CORE else pinned(f"core-{core}", core_lock(core), interpreter)


def _ready(folder: Path, lock: Path, interpreter: Path, fill: Callable[[Path, Path, Path], None]) -> Path:
    python = python_of(folder)
    with _locked(folder.name):
        wanted = _description(folder, lock, interpreter)
        stamp = folder / STAMP
        if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return python
        print(f"Making the environment {folder.relative_to(ROOT)} from {lock.relative_to(ROOT)} ...", flush=True)
        stamp.unlink(missing_ok=True)
        fill(folder, lock, interpreter)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def _description(folder: Path, lock: Path, interpreter: Path) -> str:
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    version = _output([interpreter, "-c", "import sys; print(sys.version)"])
    return f"{folder}\n{version}\n{digest}\n"


def _fill_with_pip(folder: Path, lock: Path, interpreter: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _run([interpreter, "-m", "venv", folder])
    _pip_install(python_of(folder), lock)


def _fill_development(folder: Path, lock: Path, interpreter: Path) -> None:
    python = python_of(folder)
    # A usable .venv is brought to the lock in place: a developer's shell may be using it.
    if interpreter != python:
        shutil.rmtree(folder, ignore_errors=True)
        _run([interpreter, "-m", "venv", folder])
    bootstrap = BUILD / "uv.txt"
    bootstrap.write_text(entry_of("uv", lock), encoding="utf-8")
    _pip_install(python, bootstrap)
    _uv_install(python, python, lock)


def _fill_with_uv(folder: Path, lock: Path, interpreter: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    uv_python = python_of(DEVELOPMENT)
    _uv(uv_python, "venv", "--quiet", "--no-project", "--python", interpreter, folder)
    _uv_install(uv_python, python_of(folder), lock)


def _is_usable(folder: Path, wanted: Path) -> bool:
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8").partition("\n")[0] != str(folder):
        return False  # the checkout was moved: the environment's commands name its old place
    version = _output([wanted, "-c", "import sys; print(sys.version_info[:2])"])
    check = f"import sys, pip; sys.exit(sys.version_info[:2] != {version})"
    return (
        python_of(folder).exists()
        and subprocess.run([python_of(folder), "-c", check], capture_output=True, check=False).returncode == 0
    )


def entry_of(package: str, lock: Path) -> str:
    """Return the lines of one package of a lock file, with its hashes."""
    match = re.search(rf"^{re.escape(package)}==(?:.*\\\n)*.*\n", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if not match:
        raise EnvironmentFailure(f"{lock.name} does not pin {package}; make it again with `make lock`.")
    return match[0]


def _pip_install(python: Path, lock: Path) -> None:
    words: list[str | Path] = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--require-hashes"]
    _run([*words, "--requirement", lock])


def _uv_install(uv_python: Path, python: Path, lock: Path) -> None:
    """Install a lock file with the uv of one interpreter for another; uv on its own only checks the hashes that there are."""
    _uv(uv_python, "pip", "install", "--quiet", "--require-hashes", "--python", python, "--requirement", lock)


def _uv(python: Path, *arguments: str | Path) -> None:
    _run([python, "-m", "uv", "--no-progress", *arguments])


def _run(command: list[str | Path]) -> None:
    if subprocess.run(command, stdin=subprocess.DEVNULL, cwd=ROOT, env=installing(), check=False).returncode:
        raise EnvironmentFailure("This command failed: " + " ".join(str(word) for word in command))


def _output(command: list[str | Path]) -> str:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def _locked(name: str) -> Iterator[None]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / f"{name.lstrip('.')}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
