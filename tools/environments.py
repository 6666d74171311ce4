"""What is supported and tested, and its virtual environments: made from lock files once, used again while lock and interpreter stay the same.

`python -m tools.development tools.environments` makes the lock files again; with `--kept` it only adds what an `.in` file newly asks for.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tools.layout import BUILD, DEVELOPMENT, LOCKS, ROOT, installing, said, search_path, user_home

# Releases of ansible-core, each on one Python.
CONTROLLER_PYTHON = {"2.16": "3.12", "2.18": "3.12", "2.19": "3.11", "2.20": "3.12", "2.21": "3.13"}
OLDEST_CORE, *_BETWEEN, NEWEST_CORE = CONTROLLER_PYTHON
# Not tested here, but what its ansible-test needs to know is in the archive.
COMING_CORE = "2.22"
TARGET_PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
# ansible-core 2.16 ends at this target Python.
NEWEST_TARGET_PYTHON = {"2.16": "3.12"}
OLDEST_TARGET_PYTHON = TARGET_PYTHONS[0]
CERTIFICATION_PYTHON = "3.12"

STAMP = ".made-from"
DEMO_LOCK, DEVELOPMENT_LOCK = LOCKS / "demo.txt", LOCKS / "dev.txt"
DOCS_LOCK, EDA_LOCK = LOCKS / "docs.txt", LOCKS / "eda.txt"
CERTIFICATION_LOCK, TARGET_LOCK = LOCKS / "certification.txt", LOCKS / "target.txt"
NOT_RUN = 77
"""The exit code that automake's test harness gave this meaning."""


class EnvironmentFailure(Exception):
    """An environment could not be made; the message says what was tried."""


class NotRun(Exception):
    """A step cannot be run on this machine, which is no failure; the message says what is missing."""


def reporting(function: Callable[..., int], *arguments: str) -> int:
    """Call a step's function and turn its exceptions into a last line of output and an exit code."""
    try:
        return function(*arguments)
    except (NotRun, EnvironmentFailure) as reason:
        print(reason)
        return NOT_RUN if isinstance(reason, NotRun) else 1


def core_lock(core: str) -> Path:
    """Return the lock file of one release of ansible-core but the newest, which the developers have."""
    return LOCKS / f"core-{core}.txt"


def target_pythons(core: str) -> list[str]:
    """Return the target Pythons that this release of ansible-core knows."""
    newest = NEWEST_TARGET_PYTHON.get(core, TARGET_PYTHONS[-1])
    return list(TARGET_PYTHONS[: TARGET_PYTHONS.index(newest) + 1])


# Interpreters


@cache
def interpreter(version: str) -> Path | None:
    """Return an interpreter of this version (`3.12`), on PATH or installed by pyenv, that really runs, or None."""
    check = f"import sys, ensurepip, ssl; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    found = (one for one in _candidates(version) if one.is_file() and _succeeds(one, check))
    return next(found, None)


def required(version: str) -> Path:
    """Return an interpreter of this version, or raise NotRun."""
    found = interpreter(version)
    if found is None:
        raise NotRun(
            f"Python {version} was not found on this machine, neither on PATH nor among pyenv's versions"
        )
    return found


def _candidates(version: str) -> Iterator[Path]:
    for name in search_path():
        yield Path(name, f"python{version}")
    # Where pyenv keeps its versions, also where HOME is not the one that it was installed in.
    pyenv = [Path(os.environ["PYENV_ROOT"])] if os.environ.get("PYENV_ROOT") else []
    paths = map(Path, os.environ.get("PATH", "").split(os.pathsep))
    pyenv += [user_home() / ".pyenv", *(path.parent for path in paths if path.name == "shims")]
    for versions in (*(folder / "versions" for folder in pyenv), Path(sys.base_prefix).parent):
        for folder in sorted(versions.glob(f"{version}.*"), key=_patch, reverse=True):
            yield folder / "bin" / f"python{version}"


def _patch(folder: Path) -> int:
    patch = folder.name.rsplit(".", 1)[-1]
    return int(patch) if patch.isdigit() else -1


def _succeeds(python: Path, program: str) -> bool:
    words = [str(python), "-c", program]
    return not subprocess.run(
        words, capture_output=True, stdin=subprocess.DEVNULL, check=False
    ).returncode


# Environments


def python_of(folder: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return folder / "bin" / "python"


def demo() -> Path:
    """Return the interpreter of the demonstration's environment, made with nothing but pip."""
    return _ready(BUILD / "demo-environment", DEMO_LOCK, Path(sys.executable), _fill_with_pip)


def development() -> Path:
    """Return the interpreter of `.venv`, which has every tool of the developers, and the newest ansible-core that this machine can run."""
    newest = interpreter(CONTROLLER_PYTHON[NEWEST_CORE]) or Path(sys.executable)
    chosen = python_of(DEVELOPMENT) if _is_usable(DEVELOPMENT, newest) else newest
    return _ready(DEVELOPMENT, DEVELOPMENT_LOCK, chosen, _fill_development)


def pinned(name: str, lock: Path, base: Path) -> Path:
    """Return the interpreter of `.build/<name>`, made from `lock` with uv on the given interpreter."""
    development()
    return _ready(BUILD / name, lock, base, _fill_with_uv)


def of_core(core: str) -> Path:
    """Return the interpreter of an environment with this release of ansible-core, on its Python; the newest is in `.venv`."""
    base = required(CONTROLLER_PYTHON[core])
    return development() if core == NEWEST_CORE else pinned(f"core-{core}", core_lock(core), base)


def _ready(folder: Path, lock: Path, base: Path, fill: Callable[[Path, Path, Path], None]) -> Path:
    python = python_of(folder)
    with _locked(folder.name):
        version = _output([base, "-c", "import sys; print(sys.version)"])
        wanted = f"{folder}\n{version}\n{hashlib.sha256(lock.read_bytes()).hexdigest()}\n"
        stamp = folder / STAMP
        if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return python
        print(
            f"Making the environment {folder.relative_to(ROOT)} from {lock.relative_to(ROOT)} ...",
            flush=True,
        )
        stamp.unlink(missing_ok=True)
        fill(folder, lock, base)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def _fill_with_pip(folder: Path, lock: Path, base: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _run([base, "-m", "venv", folder])
    _pip_install(python_of(folder), lock)


def _fill_development(folder: Path, lock: Path, base: Path) -> None:
    python = python_of(folder)
    # A usable .venv is brought to the lock in place: a developer's shell may be using it.
    if base != python:
        shutil.rmtree(folder, ignore_errors=True)
        _run([base, "-m", "venv", folder])
    bootstrap = BUILD / "uv.txt"
    bootstrap.write_text(entry_of("uv", lock), encoding="utf-8")
    _pip_install(python, bootstrap)
    _uv_install(python, python, lock)


def _fill_with_uv(folder: Path, lock: Path, base: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with_uv = python_of(DEVELOPMENT)
    _run(
        [
            with_uv,
            "-m",
            "uv",
            "--no-progress",
            "venv",
            "--quiet",
            "--no-project",
            "--python",
            base,
            folder,
        ]
    )
    _uv_install(with_uv, python_of(folder), lock)


def _is_usable(folder: Path, wanted: Path) -> bool:
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8").partition("\n")[0] != str(folder):
        return False  # the checkout was moved: the environment's commands name its old place
    version = _output([wanted, "-c", "import sys; print(sys.version_info[:2])"])
    python = python_of(folder)
    return python.exists() and _succeeds(
        python, f"import sys, pip; sys.exit(sys.version_info[:2] != {version})"
    )


def entry_of(package: str, lock: Path) -> str:
    """Return the lines of one package of a lock file, with its hashes."""
    match = re.search(
        rf"^{re.escape(package)}==(?:.*\\\n)*.*\n", lock.read_text(encoding="utf-8"), re.MULTILINE
    )
    if not match:
        raise EnvironmentFailure(
            f"{lock.name} does not pin {package}; make it again with `make lock`."
        )
    return match[0]


def _pip_install(python: Path, lock: Path) -> None:
    words = [
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        "--require-hashes",
        "--requirement",
    ]
    _run([python, "-m", *words, lock])


def _uv_install(with_uv: Path, python: Path, lock: Path) -> None:
    """Install a lock file with the uv of one interpreter for another; uv on its own only checks the hashes that there are."""
    words = ["uv", "--no-progress", "pip", "install", "--quiet", "--require-hashes"]
    _run([with_uv, "-m", *words, "--python", python, "--requirement", lock])


def _run(command: list[str | Path]) -> None:
    if subprocess.run(
        command, stdin=subprocess.DEVNULL, cwd=ROOT, env=installing(), check=False
    ).returncode:
        raise EnvironmentFailure("This command failed: " + " ".join(map(str, command)))


def _output(command: list[str | Path]) -> str:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout.strip()


@contextmanager
def _locked(name: str) -> Iterator[None]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / f"{name.lstrip('.')}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# Lock files


OLDEST_DEVELOPMENT_PYTHON = "3.11"
# The oldest Python of a lock, where it is not that of the developers.
PYTHONS = {core_lock(core): python for core, python in CONTROLLER_PYTHON.items()} | {
    TARGET_LOCK: OLDEST_TARGET_PYTHON,
    CERTIFICATION_LOCK: CERTIFICATION_PYTHON,
}
FORM = (
    "--generate-hashes",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
)


def make_locks(kept: bool) -> None:
    """Write every lock file, with the newest releases that its `.in` file allows, or those that it has: with hashes, without any host."""
    for lock in sorted(LOCKS.glob("*.txt")):
        source = lock.with_suffix(".in")
        python = PYTHONS.get(lock, OLDEST_DEVELOPMENT_PYTHON)
        words = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "compile",
            "--quiet",
            "--python-version",
            python,
            *FORM,
        ]
        # The ansible-lint of certification cannot be had for Windows.
        words += ["--python-platform", "linux"] if lock == CERTIFICATION_LOCK else ["--universal"]
        words += [*([] if kept else ["--upgrade"]), "--output-file", str(lock), str(source)]
        subprocess.run(
            words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
        )
        pins = lock.read_text(encoding="utf-8")
        lock.write_text(
            f"# Made by `make lock` from {source.name}; do not edit.\n{pins}", encoding="utf-8"
        )
        print(f"{lock.relative_to(ROOT)}: {pins.count('==')} packages")


# Programs of Debian packages, for tests


DEBIAN = BUILD / "debian"
SECONDS_FOR_A_PACKAGE = 300


def debian_program(name: str, package: str, path: str = "usr/bin") -> Path:
    """Return the program; raise NotRun, saying what is missing, where the machine has neither it nor a way to the package.

    path: the folder of the program inside the package.
    """
    installed = shutil.which(name)
    return Path(installed) if installed else debian_package(package) / path / name


def debian_package(package: str, *libraries: str) -> Path:
    """Return the folder with what the package holds, and the packages that it needs; raise NotRun as ``program`` does."""
    folder = DEBIAN / package
    DEBIAN.mkdir(parents=True, exist_ok=True)
    with (DEBIAN / f"{package}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        with tempfile.TemporaryDirectory(dir=DEBIAN) as scratch:
            # As nobody in particular, apt cannot drop its rights, and says so on stderr.
            _run_for(package, ["apt-get", "download", package, *libraries], scratch)
            for archive in Path(scratch).glob("*.deb"):
                _run_for(package, ["dpkg-deb", "--extract", archive.name, "unpacked"], scratch)
            Path(scratch, "unpacked").rename(folder)
    return folder


def _run_for(package: str, words: list[str], folder: str) -> None:
    try:
        code, text = said(words, Path(folder), seconds=SECONDS_FOR_A_PACKAGE)
    except (OSError, subprocess.TimeoutExpired) as error:
        code, text = 1, str(error)
    if code:
        end = text.strip().rpartition("\n")[2]
        raise NotRun(
            f"the Debian package {package} is not installed, and {words[0]} could not bring it: {end}"
        )


if __name__ == "__main__":
    make_locks("--kept" in sys.argv[1:])
