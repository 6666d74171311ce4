"""Run `ansible-test sanity` of one release of ansible-core on a copy of the checkout: `python -m tools.sanity 2.16`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.environments import CONTROLLER_PYTHON, NEWEST_CORE, call_and_report, list_target_pythons
from tools.layout import (
    BUILD,
    NAME,
    NAMESPACE,
    SETTINGS_OF_INSTALLERS,
    copy_to,
    make_environment,
    make_install_variables,
    make_private_home,
    make_scratch_folder,
)

FEWEST_TESTS = 20
"""ansible-test succeeds without a word when it finds nothing to test, so the tests that it names are counted."""

DEVELOPERS = ("tests/", "tools/")
"""What no archive has. Everything else is the product."""

OF_THE_RELEASE = (
    "action-plugin-docs",
    "ansible-doc",
    "compile",
    "import",
    "runtime-metadata",
    "validate-modules",
)
"""What an older release can judge otherwise than the newest.

The oldest one judges all else before a release.
"""

WHEELS = BUILD / "wheels"
PIP = '''"""Installs pip by unpacking its wheel, in a tenth of a second; pip would take four to install itself."""

import sysconfig
import zipfile

zipfile.ZipFile({wheel!r}).extractall(sysconfig.get_path("purelib"))
'''


def run(core: str, extent: str = "") -> int:
    """Run ansible-test, and return 0 when it passes and really tested something.

    Args:
        core: the release of ansible-core.
        extent: "whole" for the whole checkout and "product" for what an archive has, both with
            each Python of targets that this machine has. Empty for what a push needs: of the newest release the product,
            with the oldest and the newest of them; of another one what only itself can judge.
    """
    python = environments.prepare_core_interpreter(core)
    home = make_private_home(f"sanity-{core}/home", linked=SETTINGS_OF_INSTALLERS)
    provide_pip(python, home)
    # Outside the checkout: inside, ansible-test asks the checkout's repository, where .build is
    # ignored, and skips every target; and it takes real paths, which may hold a colon or a quote.
    copy = make_scratch_folder() / f"sanity-{core}" / "ansible_collections" / NAMESPACE / NAME
    copy_to(copy)

    is_part = core != NEWEST_CORE and not extent
    targets = {}

    for version in _list_versions(core, is_part, is_complete=bool(extent)):
        interpreter = environments.find_interpreter(version)
        if interpreter:
            targets[version] = interpreter

    variables = make_environment(python.parent, HOME=str(home))
    # Its test of imports looks for them there.
    folders = [str(interpreter.parent) for interpreter in targets.values()]
    variables["PATH"] = os.pathsep.join([variables["PATH"], *folders])
    command = [str(python), str(python.parent / "ansible-test")]
    command += _make_arguments(targets, is_part, is_whole=extent == "whole")
    code, lines = _run_aloud(command, copy, variables)
    fewest = len(OF_THE_RELEASE) if is_part else FEWEST_TESTS
    return _give_verdict(code, lines, set(targets), fewest)


def _list_versions(core: str, is_part: bool, is_complete: bool) -> list[str]:
    """Return the versions of Python of targets that are tested."""
    if is_part:
        return [CONTROLLER_PYTHON[core]]

    versions = list_target_pythons(core)
    if is_complete:
        return versions

    return [versions[0], versions[-1]]


def _make_arguments(targets: dict[str, Path], is_part: bool, is_whole: bool) -> list[str]:
    """Return the arguments of ansible-test.

    targets: interpreters by their versions. Without their names, it would try each that it finds.
    """
    arguments = ["sanity", "--color", "no"]
    for version, interpreter in targets.items():
        arguments += ["--target-python", f"{version}@{interpreter}"]

    if not is_whole:
        for directory in DEVELOPERS:
            arguments += ["--exclude", directory]

    if is_part:
        for test in OF_THE_RELEASE:
            arguments += ["--test", test]

    return arguments


def _run_aloud(
    command: list[str], folder: Path, variables: dict[str, str]
) -> tuple[int, list[str]]:
    """Run a command and print its lines as they come; return its exit status and the lines."""
    lines = []
    with subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())

    return process.returncode, lines


def provide_pip(python: Path, home: Path) -> None:
    """Give ansible-test the script with which it puts pip into its environments.

    It downloads the script from a host that a closed network does not reach. It first looks into
    its cache below `home`, so the cache gets a stand-in for every version that it asks for, which
    unpacks the wheel; and the wheel comes from the package index.
    """
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)

    for version in _list_versions_of_pip(python):
        wheel = WHEELS / f"pip-{version}-py3-none-any.whl"
        if not wheel.exists():
            _download_pip(version)
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        script.write_text(PIP.format(wheel=str(wheel)), encoding="utf-8")


def _list_versions_of_pip(python: Path) -> list[str]:
    """Return the versions of pip that ansible-test of this environment asks for."""
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    source = Path(packages, "ansible_test", "_internal", "python_requirements.py")
    text = source.read_text(encoding="utf-8")
    return sorted(set(re.findall(r"pip(?:_version)?\s*=\s*'([\d.]+)'", text)))


def _download_pip(version: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(WHEELS), f"pip=={version}"]
    subprocess.run(command, stdin=subprocess.DEVNULL, env=make_install_variables(), check=True)


def _give_verdict(code: int, lines: list[str], targets: set[str], fewest: int) -> int:
    """Print what was tested; return the exit status, 1 if that was too little."""
    started = [line for line in lines if line.startswith("Running sanity test")]
    tested = {version for version in targets if _names_python(started, version)}
    if code:
        errors = [line for line in lines if line.startswith(("ERROR", "FATAL"))]
        print("The errors again:", *errors, sep="\n")

    print(
        f"{len(started)} sanity tests were started, on target Pythons {', '.join(sorted(tested))}."
    )

    is_skipped = any("All targets skipped" in line for line in lines)
    if len(started) < fewest or is_skipped:
        print(f"ansible-test found nothing to test: at least {fewest} tests were expected.")
        return 1

    untested = ", ".join(sorted(targets - tested))
    if untested:
        print(f"ansible-test left out target Python {untested}, which this machine has.")
        return 1

    return code


def _names_python(lines: list[str], version: str) -> bool:
    return any(line.endswith(f"on Python {version}") for line in lines)


if __name__ == "__main__":
    sys.exit(call_and_report(run, *sys.argv[1:]))
