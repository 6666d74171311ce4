"""Build the collection, check what is in the archive, install it, use it, and judge it as certified content is judged.

`python -m tools.artifact without-linter` leaves out the linter of certification, which takes
three quarters of the time.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from tools import environments, links
from tools.environments import CERTIFICATION_PYTHON, call_and_report
from tools.layout import (
    BUILD,
    NAME,
    NAMESPACE,
    PAGES_FOR_CONTRIBUTORS,
    copy_to,
    list_guides,
    make_environment,
    make_scratch_folder,
    run_and_read_output,
)

WORKSHOP = BUILD / "artifact"
SHIPPED = (
    "changelogs/", "docs/", "extensions/", "LICENSES/", "meta/", "playbooks/", "plugins/", "roles/", "tests/sanity/",
)  # fmt: skip
"""Folders of which every tracked file is in the archive."""
LEFT_OUT = re.compile(
    rf"changelogs/(?!changelog\.yaml)|docs/({'|'.join(PAGES_FOR_CONTRIBUTORS)}|images/)"
    r"|extensions/molecule/|(plugins/(module|plugin)_utils/_[a-z_]+|roles/simulator)/ruff\.toml"
)
"""What of these only a checkout needs."""
SHIPPED_FILES = {
    ".ansible-lint",
    "CHANGELOG.rst",
    "COPYING",
    "README.md",
    "REUSE.toml",
    "SECURITY.md",
    "requirements.txt",
    "tests/config.yml",
}
INDISPENSABLE = {
    "README.md",
    "meta/runtime.yml",
    "roles/simulator/files/panel_simulator/__main__.py",
}
WRITTEN_BY_BUILD = {"FILES.json", "MANIFEST.json"}
ANSIBLE = [sys.executable, "-m", "ansible"]
SIMULATOR = "roles/simulator/files"


def run(left_out: str = "") -> int:
    """Return 0 when the archive is complete, lean, installable and accepted.

    left_out: "without-linter", or nothing.
    """
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    tracked = copy_to(WORKSHOP / "source")
    links.write_release_addresses(WORKSHOP / "source")
    command = [*ANSIBLE, "galaxy", "collection", "build", "--force"]
    command += ["--output-path", str(WORKSHOP)]
    subprocess.run(command, cwd=WORKSHOP / "source", check=True)
    archive = next(WORKSHOP.glob(f"{NAMESPACE}-{NAME}-*.tar.gz"))

    mistakes = find_wrong_content(archive, tracked)
    mistakes += find_dead_links(archive)
    mistakes += _find_wrong_after_installation(archive, tracked)
    for mistake in mistakes:
        print(mistake)

    if mistakes:
        return 1

    judges = environments.prepare_pinned_interpreter(
        "certification",
        environments.CERTIFICATION_LOCK,
        environments.require_interpreter(CERTIFICATION_PYTHON),
    )
    if left_out == "without-linter":
        return _run_importer(judges, archive)

    # Both, whatever the first one finds: both are worth reading.
    return max(_run_importer(judges, archive), _run_linter(judges, archive))


def find_wrong_content(archive: Path, tracked: list[str]) -> list[str]:
    """Return a line for each file that the archive lacks, or has and should not have."""
    with tarfile.open(archive) as content:
        shipped = {member.name for member in content.getmembers() if not member.isdir()}

    wanted = {path for path in tracked if path.startswith(SHIPPED) and not LEFT_OUT.match(path)}
    wanted |= INDISPENSABLE | (SHIPPED_FILES & set(tracked))
    missing = [f"missing in the archive: {path}" for path in sorted(wanted - shipped)]
    needless = [
        f"needless in the archive: {path}" for path in sorted(shipped - wanted - WRITTEN_BY_BUILD)
    ]
    return missing + needless


def find_dead_links(archive: Path) -> list[str]:
    """Return a line for each link that leads nowhere from the pages of the archive.

    Galaxy shows a page without the files around it, so a link to a file has to be an address. It is
    followed in the checkout, which the tag of the release will have.
    """
    reader = links.read_archive(archive)
    address = links.Address.read_release(links.read_galaxy())
    followed, dead = links.list_dead(
        reader, links.read_repository(), address, is_published=True, has_files=False
    )
    print(f"{followed} links of the archive were followed, {len(dead)} are dead.")
    return [f"dead link in the archive: {line}" for line in dead]


def _find_wrong_after_installation(archive: Path, tracked: list[str]) -> list[str]:
    """Install the archive; return a line for each module that is missing, and for the simulator."""
    installed = WORKSHOP / "installed"
    variables = make_environment(
        Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=str(installed)
    )
    command = [*ANSIBLE, "galaxy", "collection", "install", "--offline"]
    command += ["--collections-path", str(installed), str(archive)]
    subprocess.run(command, check=True, env=variables, cwd=WORKSHOP)

    command = [*ANSIBLE, "doc", "--type", "module", "--list", "--json", f"{NAMESPACE}.{NAME}"]
    listing = subprocess.run(
        command, check=True, env=variables, cwd=WORKSHOP, stdout=subprocess.PIPE
    )
    listed = {name.rpartition(".")[2] for name in json.loads(listing.stdout)}
    modules = {Path(path).stem for path in tracked if path.startswith("plugins/modules/panel_")}
    mistakes = [
        f"ansible-doc does not list the installed module {name}"
        for name in sorted(modules - listed)
    ]
    simulator = installed / "ansible_collections" / NAMESPACE / NAME / SIMULATOR
    if not _try_to_start(simulator):
        mistakes.append("the installed simulator does not start")

    return mistakes


def _try_to_start(simulator: Path) -> bool:
    if not simulator.is_dir():
        return False

    command = [sys.executable, "-m", "panel_simulator", "--help"]
    process = subprocess.run(command, cwd=simulator, stdout=subprocess.DEVNULL, check=False)
    return process.returncode == 0


def _run_importer(python: Path, archive: Path) -> int:
    """Run the importer of Galaxy; return its exit status, 1 if it complains or omits a guide."""
    variables = make_environment(
        python.parent,
        GALAXY_IMPORTER_CHECK_REQUIRED_TAGS="true",
        GALAXY_IMPORTER_REQUIRE_V1_OR_GREATER="true",
        # Its call of the linter skips rules; _run_linter runs it without.
        GALAXY_IMPORTER_RUN_ANSIBLE_LINT="false",
    )
    command = [str(python), "-m", "galaxy_importer.main", str(archive)]
    code, lines = _run_aloud(command, WORKSHOP, variables)
    missing = []
    if not code:
        result = json.loads((WORKSHOP / "importer_result.json").read_text(encoding="utf-8"))
        missing = list_not_shown(result)

    for name in missing:
        print(f"Galaxy does not show the guide {name}")

    if find_complaints(lines) or missing:
        return code or 1

    return code


def list_not_shown(result: dict[str, Any]) -> list[str]:
    """Return the guides that Galaxy does not show.

    It takes Markdown files directly in docs, and no others.
    """
    listed = {page["name"] for page in result["docs_blob"]["documentation_files"]}
    return [page.name for page in list_guides() if page.name not in listed]


def find_complaints(lines: list[str]) -> list[str]:
    """Return what the importer finds wrong.

    A warning does not make it fail. The exceptions of ansible-test are ours.
    """
    return [
        line
        for line in lines
        if line.startswith(("WARNING", "ERROR")) and "Ignore files skip" not in line
    ]


def _run_linter(python: Path, archive: Path) -> int:
    """Run the linter; return its exit status, 1 if it has left out files."""
    # Outside the checkout, whose repository ignores .build: the linter asks it for the files.
    collections = make_scratch_folder() / "certification"
    folder = collections / "ansible_collections" / NAMESPACE / NAME
    shutil.rmtree(collections, ignore_errors=True)
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")

    variables = make_environment(python.parent, ANSIBLE_COLLECTIONS_PATH=str(collections))
    command = [str(python), "-m", "ansiblelint", "--profile", "production"]
    command += ["--offline", "--nocolor"]
    code, lines = _run_aloud(command, folder, variables)
    is_complete = count_linted_files(lines) >= len(list(folder.rglob("*.yml")))
    if is_complete:
        return code

    return code or 1


def count_linted_files(lines: list[str]) -> int:
    """Return how many files the linter has read: it succeeds also if there were none."""
    numbers = re.findall(r" on (\d+) files", "\n".join(lines))
    if not numbers:
        return 0
    return int(numbers[-1])


def _run_aloud(
    command: list[str], folder: Path, variables: dict[str, str]
) -> tuple[int, list[str]]:
    """Run a command and print its output; return its exit status and the lines."""
    code, text = run_and_read_output(command, folder, variables)
    print(text, flush=True)
    return code, text.splitlines()


if __name__ == "__main__":
    sys.exit(call_and_report(run, *sys.argv[1:]))
