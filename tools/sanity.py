"""Run `ansible-test sanity` of one release of ansible-core on a copy of the checkout: `python -m tools.sanity 2.16`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.environments import (
    CONTROLLER_PYTHON,
    NEWEST_CORE,
    OLDEST_CORE,
    reporting,
    target_pythons,
)
from tools.layout import (
    BUILD,
    NAME,
    NAMESPACE,
    SETTINGS_OF_INSTALLERS,
    copy_to,
    environment,
    installing,
    private_home,
    scratch_folder,
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
"""What a release between the oldest and the newest can judge otherwise than these two."""

WHEELS = BUILD / "wheels"
PIP = '''"""Installs pip by unpacking its wheel, in a tenth of a second; pip would take four to install itself."""

import sysconfig
import zipfile

zipfile.ZipFile({wheel!r}).extractall(sysconfig.get_path("purelib"))
'''


def run(core: str, whole: str = "") -> int:
    """Return 0 when ansible-test passes and really tested something.

    That is the product, with the oldest and the newest Python of targets; with a second word it is the whole checkout, with each of them.
    """
    python = environments.of_core(core)
    home = private_home(f"sanity-{core}/home", linked=SETTINGS_OF_INSTALLERS)
    provide_pip(python, home)
    # Outside the checkout: inside, ansible-test asks the checkout's repository, where .build is ignored, and skips
    # every target; and it takes real paths, which may hold a colon or a quote.
    copy = scratch_folder() / f"sanity-{core}" / "ansible_collections" / NAMESPACE / NAME
    copy_to(copy)
    is_between = core not in (OLDEST_CORE, NEWEST_CORE)
    known = target_pythons(core)
    versions = (
        [CONTROLLER_PYTHON[core]] if is_between else known if whole else [known[0], known[-1]]
    )
    targets = {
        version: found for version in versions if (found := environments.interpreter(version))
    }
    words = [str(python), str(python.parent / "ansible-test"), "sanity", "--local", "--color", "no"]
    words += (
        [] if whole else [word for directory in DEVELOPERS for word in ("--exclude", directory)]
    )
    if is_between:
        words += ["--python", CONTROLLER_PYTHON[core]]
        words += [word for test in OF_THE_RELEASE for word in ("--test", test)]
    variables = environment(python.parent, HOME=str(home))
    variables["PATH"] = os.pathsep.join(
        [variables["PATH"], *(str(target.parent) for target in targets.values())]
    )
    lines = []
    with subprocess.Popen(
        words,
        cwd=copy,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    return _verdict(
        process.returncode, lines, set(targets), len(OF_THE_RELEASE) if is_between else FEWEST_TESTS
    )


def provide_pip(python: Path, home: Path) -> None:
    """Give ansible-test the script with which it puts pip into its environments.

    It downloads that from a host of its own, which a closed network does not reach. It first looks into its cache below `home`, so the cache
    gets a stand-in for every version that it asks for, which unpacks the wheel; and that comes from the package index.
    """
    words = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    source = Path(packages, "ansible_test", "_internal", "python_requirements.py").read_text(
        encoding="utf-8"
    )
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in sorted(set(re.findall(r"pip(?:_version)?\s*=\s*'([\d.]+)'", source))):
        wheel = WHEELS / f"pip-{version}-py3-none-any.whl"
        if not wheel.exists():
            words = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-qq",
                "--disable-pip-version-check",
                "--no-deps",
            ]
            words += ["--only-binary", ":all:", "--dest", str(WHEELS), f"pip=={version}"]
            subprocess.run(words, stdin=subprocess.DEVNULL, env=installing(), check=True)
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        script.write_text(PIP.format(wheel=str(wheel)), encoding="utf-8")


def _verdict(code: int, lines: list[str], targets: set[str], fewest: int) -> int:
    started = [line for line in lines if line.startswith("Running sanity test")]
    tested = {
        version
        for version in targets
        if any(line.endswith(f"on Python {version}") for line in started)
    }
    if code:
        print(
            "The errors again:",
            *(line for line in lines if line.startswith(("ERROR", "FATAL"))),
            sep="\n",
        )
    print(
        f"{len(started)} sanity tests were started, on target Pythons {', '.join(sorted(tested))}."
    )
    if len(started) < fewest or any("All targets skipped" in line for line in lines):
        print(f"ansible-test found nothing to test: at least {fewest} tests were expected.")
        return 1
    if targets - tested:
        print(
            f"ansible-test left out target Python {', '.join(sorted(targets - tested))}, which this machine has."
        )
        return 1
    return code


if __name__ == "__main__":
    sys.exit(reporting(run, *sys.argv[1:]))
