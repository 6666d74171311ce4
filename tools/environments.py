"""What is supported and tested, and its virtual environments: made from lock files once, used again while lock and interpreter stay the same.

`python -m tools.development tools.environments` makes the lock files again; with `--kept` it only adds what an `.in` file newly asks for, and with
`--patches` it also takes the newest patch of each ansible-core.
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

from tools.layout import (
    BUILD,
    DEVELOPMENT,
    LOCKS,
    ROOT,
    find_user_home,
    make_install_variables,
    run_and_read_output,
    search_path,
)

# Releases of ansible-core, each on one Python.
CONTROLLER_PYTHON = {"2.16": "3.12", "2.18": "3.12", "2.19": "3.11", "2.20": "3.12", "2.21": "3.13"}
OLDEST_CORE, *_BETWEEN, NEWEST_CORE = CONTROLLER_PYTHON
# Not tested here, but what its ansible-test needs to know is in the archive.
COMING_CORE = "2.22"
TARGET_PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
# The first that is not tested, on a controller or a target.
COMING_PYTHON = "3.14"
OLDEST_CONTROLLER_PYTHON = min(CONTROLLER_PYTHON.values())
# ansible-core 2.16 ends at this target Python.
NEWEST_TARGET_PYTHON = {"2.16": "3.12"}
OLDEST_TARGET_PYTHON = TARGET_PYTHONS[0]
CERTIFICATION_PYTHON = "3.12"

STAMP = ".made-from"
DEMO_LOCK = LOCKS / "demo.txt"
DEVELOPMENT_LOCK = LOCKS / "dev.txt"
DOCS_LOCK = LOCKS / "docs.txt"
EDA_LOCK = LOCKS / "eda.txt"
CERTIFICATION_LOCK = LOCKS / "certification.txt"
TARGET_LOCK = LOCKS / "target.txt"
OLDEST_LIBRARIES_LOCK = LOCKS / "oldest.txt"
NOT_RUN = 77
"""The exit code that automake's test harness gave this meaning."""


class EnvironmentFailure(Exception):
    """An environment could not be made; the message says what was tried."""


class NotRun(Exception):
    """A step cannot be run on this machine, which is no failure; the message says what is missing."""


def call_and_report(function: Callable[..., int], *arguments: str) -> int:
    """Call a step's function and turn its exceptions into a last line of output and an exit code."""
    try:
        return function(*arguments)
    except (NotRun, EnvironmentFailure) as reason:
        print(reason)
        return NOT_RUN if isinstance(reason, NotRun) else 1


def find_core_lock(core: str) -> Path:
    """Return the lock file of one release of ansible-core but the newest, which the developers have."""
    return LOCKS / f"core-{core}.txt"


def list_target_pythons(core: str) -> list[str]:
    """Return the target Pythons that this release of ansible-core knows."""
    newest = NEWEST_TARGET_PYTHON.get(core, TARGET_PYTHONS[-1])
    return list(TARGET_PYTHONS[: TARGET_PYTHONS.index(newest) + 1])


# Interpreters


@cache
def find_interpreter(version: str) -> Path | None:
    """Return an interpreter of a version (`3.12`) that really runs, or None.

    It is on PATH, or installed by pyenv.
    """
    check = f"import sys, ensurepip, ssl; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    for candidate in _list_candidates(version):
        if candidate.is_file() and _try_command(candidate, check):
            return candidate

    return None


def require_interpreter(version: str) -> Path:
    """Return an interpreter of this version, or raise NotRun."""
    python = find_interpreter(version)
    if python is None:
        raise NotRun(
            f"Python {version} was not found on this machine, neither on PATH nor among pyenv's "
            "versions"
        )

    return python


def _list_candidates(version: str) -> Iterator[Path]:
    for name in search_path():
        yield Path(name, f"python{version}")

    for versions in (*_list_pyenv_versions(), Path(sys.base_prefix).parent):
        for folder in sorted(versions.glob(f"{version}.*"), key=_patch, reverse=True):
            yield folder / "bin" / f"python{version}"


def _list_pyenv_versions() -> list[Path]:
    """Return where pyenv keeps its versions, also if HOME is not the one of its installation."""
    folders = []
    root = os.environ.get("PYENV_ROOT")
    if root:
        folders.append(Path(root))

    folders.append(find_user_home() / ".pyenv")
    for name in os.environ.get("PATH", "").split(os.pathsep):
        path = Path(name)
        if path.name == "shims":
            folders.append(path.parent)

    return [folder / "versions" for folder in folders]


def _patch(folder: Path) -> int:
    patch = folder.name.rsplit(".", 1)[-1]
    if not patch.isdigit():
        return -1
    return int(patch)


def _try_command(python: Path, program: str) -> bool:
    command = [str(python), "-c", program]
    process = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return process.returncode == 0


# Environments


def find_python(folder: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return folder / "bin" / "python"


def prepare_demo_interpreter() -> Path:
    """Return the interpreter of the demonstration's environment, made with nothing but pip."""
    return _make_ready(BUILD / "demo-environment", DEMO_LOCK, Path(sys.executable), _fill_with_pip)


def prepare_development_interpreter() -> Path:
    """Return the interpreter of `.venv`.

    It has every tool of the developers, and the newest ansible-core that this machine can run.
    """
    base = find_interpreter(CONTROLLER_PYTHON[NEWEST_CORE]) or Path(sys.executable)
    if _is_usable(DEVELOPMENT, base):
        base = find_python(DEVELOPMENT)
    return _make_ready(DEVELOPMENT, DEVELOPMENT_LOCK, base, _fill_development)


def prepare_pinned_interpreter(name: str, lock: Path, base: Path) -> Path:
    """Return the interpreter of `.build/<name>`, made from `lock` with uv on the given interpreter."""
    prepare_development_interpreter()
    return _make_ready(BUILD / name, lock, base, _fill_with_uv)


def prepare_core_interpreter(core: str) -> Path:
    """Return the interpreter of an environment with a release of ansible-core, on its Python.

    The newest release is in `.venv`.
    """
    base = require_interpreter(CONTROLLER_PYTHON[core])
    if core == NEWEST_CORE:
        return prepare_development_interpreter()
    return prepare_pinned_interpreter(f"core-{core}", find_core_lock(core), base)


def _make_ready(
    folder: Path, lock: Path, base: Path, fill: Callable[[Path, Path, Path], None]
) -> Path:
    """Return the interpreter of an environment, which is filled unless it fits its lock."""
    python = find_python(folder)
    with _hold_lock(folder.name):
        version = _read_output([base, "-c", "import sys; print(sys.version)"])
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()
        expected = f"{folder}\n{version}\n{digest}\n"
        stamp = folder / STAMP
        if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == expected:
            return python

        names = f"{folder.relative_to(ROOT)} from {lock.relative_to(ROOT)}"
        print(f"Making the environment {names} ...", flush=True)
        stamp.unlink(missing_ok=True)
        fill(folder, lock, base)
        stamp.write_text(expected, encoding="utf-8")

    return python


def _fill_with_pip(folder: Path, lock: Path, base: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _run([base, "-m", "venv", folder])
    _install_by_pip(find_python(folder), lock)


def _fill_development(folder: Path, lock: Path, base: Path) -> None:
    python = find_python(folder)
    # A usable .venv is brought to the lock in place: a developer's shell may be using it.
    if base != python:
        shutil.rmtree(folder, ignore_errors=True)
        _run([base, "-m", "venv", folder])

    bootstrap = BUILD / "uv.txt"
    bootstrap.write_text(read_entry("uv", lock), encoding="utf-8")
    _install_by_pip(python, bootstrap)
    _install_by_uv(python, python, lock)


def _fill_with_uv(folder: Path, lock: Path, base: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with_uv = find_python(DEVELOPMENT)
    options: list[str | Path] = ["--quiet", "--no-project", "--python", base, folder]
    _run([with_uv, "-m", "uv", "--no-progress", "venv", *options])
    _install_by_uv(with_uv, find_python(folder), lock)


def _is_usable(folder: Path, base: Path) -> bool:
    """Return whether an environment has the version of an interpreter, and pip."""
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8").partition("\n")[0] != str(folder):
        return False  # the checkout was moved: the environment's commands name its old place

    version = _read_output([base, "-c", "import sys; print(sys.version_info[:2])"])
    check = f"import sys, pip; sys.exit(sys.version_info[:2] != {version})"
    python = find_python(folder)
    return python.exists() and _try_command(python, check)


def read_entry(package: str, lock: Path) -> str:
    """Return the lines of one package of a lock file, with its hashes."""
    pattern = rf"^{re.escape(package)}==(?:.*\\\n)*.*\n"
    match = re.search(pattern, lock.read_text(encoding="utf-8"), re.MULTILINE)
    if not match:
        raise EnvironmentFailure(
            f"{lock.name} does not pin {package}; make it again with `make lock`."
        )

    return match[0]


def _install_by_pip(python: Path, lock: Path) -> None:
    options = ["-qq", "--disable-pip-version-check", "--require-hashes", "--requirement"]
    _run([python, "-m", "pip", "install", *options, lock])


def _install_by_uv(with_uv: Path, python: Path, lock: Path) -> None:
    """Install a lock file with the uv of one interpreter for another.

    Without an option, uv checks only the hashes that there are.
    """
    command: list[str | Path] = [with_uv, "-m", "uv", "--no-progress", "pip", "install", "--quiet"]
    command += ["--require-hashes", "--python", python, "--requirement", lock]
    _run(command)


def _run(command: list[str | Path]) -> None:
    process = subprocess.run(
        command, stdin=subprocess.DEVNULL, cwd=ROOT, env=make_install_variables(), check=False
    )
    if process.returncode:
        raise EnvironmentFailure("This command failed: " + " ".join(map(str, command)))


def _read_output(command: list[str | Path]) -> str:
    process = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


@contextmanager
def _hold_lock(name: str) -> Iterator[None]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / f"{name.lstrip('.')}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# Lock files


OLDEST_DEVELOPMENT_PYTHON = "3.11"
# The oldest Python of a lock, where it is not that of the developers.
PYTHONS = {find_core_lock(core): python for core, python in CONTROLLER_PYTHON.items()} | {
    TARGET_LOCK: OLDEST_TARGET_PYTHON,
    CERTIFICATION_LOCK: CERTIFICATION_PYTHON,
    OLDEST_LIBRARIES_LOCK: OLDEST_CONTROLLER_PYTHON,
}
FORM = (
    "--generate-hashes",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
)


# What of a lock file is brought to the newest release that its `.in` file allows, by the word on the command line.
UPGRADES: dict[str, tuple[str, ...]] = {
    "": ("--upgrade",),
    "--kept": (),
    "--patches": ("--upgrade-package", "ansible-core"),
}


def make_locks(upgrade: str) -> None:
    """Write every lock file, with hashes and without any host.

    upgrade: one of UPGRADES.
    """
    for lock in sorted(LOCKS.glob("*.txt")):
        source = lock.with_suffix(".in")
        python = PYTHONS.get(lock, OLDEST_DEVELOPMENT_PYTHON)
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet"]
        command += ["--python-version", python, *FORM]
        if lock == CERTIFICATION_LOCK:
            # The ansible-lint of certification cannot be had for Windows.
            command += ["--python-platform", "linux"]
        else:
            command.append("--universal")

        command += UPGRADES[upgrade]
        command += ["--output-file", str(lock), str(source)]
        subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
        )
        pins = lock.read_text(encoding="utf-8")
        header = f"# Made by `make lock` from {source.name}; do not edit.\n"
        lock.write_text(header + pins, encoding="utf-8")
        print(f"{lock.relative_to(ROOT)}: {pins.count('==')} packages")


# Programs of Debian packages, for tests


DEBIAN = BUILD / "debian"
SECONDS_FOR_A_PACKAGE = 300


def find_debian_program(name: str, package: str, path: str = "usr/bin") -> Path:
    """Return a program of a Debian package, installed or unpacked.

    path: the folder of the program inside the package.
    Raises: NotRun, which names what is missing, if there is no way to the package either.
    """
    installed = shutil.which(name)
    if installed:
        return Path(installed)
    return find_debian_package(package) / path / name


def find_debian_package(package: str, *libraries: str) -> Path:
    """Return the folder with what a package, and the libraries that it needs, hold.

    Raises: NotRun as `find_debian_program` does.
    """
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


def _run_for(package: str, command: list[str], folder: str) -> None:
    try:
        code, text = run_and_read_output(command, Path(folder), seconds=SECONDS_FOR_A_PACKAGE)
    except (OSError, subprocess.TimeoutExpired) as error:
        code = 1
        text = str(error)

    if code:
        last_line = text.strip().rpartition("\n")[2]
        raise NotRun(
            f"the Debian package {package} is not installed, and {command[0]} could not bring it: "
            f"{last_line}"
        )


if __name__ == "__main__":
    make_locks(" ".join(sys.argv[1:]))
