"""Run `ansible-test sanity` of one release of ansible-core on a copy of the checkout: `python -m tools.sanity 2.16`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools import environments, interpreters, pip_bootstrap
from tools.collection_copy import copy_to
from tools.layout import BUILD, NAME, NAMESPACE
from tools.not_run import reporting
from tools.supported import CONTROLLER_PYTHON, NEWEST_CORE, OLDEST_CORE, target_pythons
from tools.surroundings import SETTINGS_OF_INSTALLERS, environment, private_home, scratch_folder

FEWEST_TESTS = 20
"""ansible-test succeeds without a word when it finds nothing to test, so the tests that it names are counted."""

OF_THE_RELEASE = ("action-plugin-docs", "ansible-doc", "compile", "import", "runtime-metadata", "validate-modules")
"""What a release between the oldest and the newest can judge otherwise than these two; it looks at the product alone."""


def run(core: str) -> int:
    """Return 0 when ansible-test passes and really tested something."""
    python = environments.of_core(core)
    home = private_home(f"sanity-{core}/home", linked=SETTINGS_OF_INSTALLERS)
    pip_bootstrap.provide(_site_packages(python), home, BUILD / "wheels")
    # Outside the checkout: inside, ansible-test asks the checkout's repository, where .build is ignored, and skips
    # every target; and it takes real paths, which may hold a colon or a quote.
    copy = scratch_folder() / f"sanity-{core}" / "ansible_collections" / NAMESPACE / NAME
    copy_to(copy)
    targets = {version: found for version in _targets(core) if (found := interpreters.find(version))}
    output = _ansible_test(core, python, copy, home, list(targets.values()))
    return _verdict(output, set(targets), FEWEST_TESTS if _looks_at_everything(core) else len(OF_THE_RELEASE))


def _looks_at_everything(core: str) -> bool:
    return core in (OLDEST_CORE, NEWEST_CORE)


def _targets(core: str) -> list[str]:
    return target_pythons(core) if _looks_at_everything(core) else [CONTROLLER_PYTHON[core]]


def _ansible_test(core: str, python: Path, copy: Path, home: Path, targets: list[Path]) -> tuple[int, list[str]]:
    variables = environment(python.parent, HOME=str(home))
    variables["PATH"] = os.pathsep.join([variables["PATH"], *(str(target.parent) for target in targets)])
    words = [str(python), str(python.parent / "ansible-test"), "sanity", "--local", "--color", "no"]
    if not _looks_at_everything(core):
        words += ["--exclude", "tests/", "--exclude", "tools/", "--python", CONTROLLER_PYTHON[core]]
        words += [word for test in OF_THE_RELEASE for word in ("--test", test)]
    process = subprocess.Popen(
        words,
        cwd=copy,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line.rstrip())
    return process.wait(), lines


def _verdict(output: tuple[int, list[str]], targets: set[str], fewest: int) -> int:
    code, lines = output
    started = [line for line in lines if line.startswith("Running sanity test")]
    tested = {version for version in targets if any(line.endswith(f"on Python {version}") for line in started)}
    if code:
        print("The errors once more:", *(line for line in lines if line.startswith(("ERROR", "FATAL"))), sep="\n")
    print(f"{len(started)} sanity tests were started, on target Pythons {', '.join(sorted(tested))}.")
    if len(started) < fewest or any("All targets skipped" in line for line in lines):
        print(f"ansible-test found nothing to test: at least {fewest} tests were expected.")
        return 1
    if targets - tested:
        print(f"ansible-test left out target Python {', '.join(sorted(targets - tested))}, which this machine has.")
        return 1
    return code


def _site_packages(python: Path) -> Path:
    words = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())


if __name__ == "__main__":
    sys.exit(reporting(run, *sys.argv[1:]))
