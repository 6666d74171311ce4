"""Build the collection, check what is in the archive, install it, use it, and judge it as certified content is judged."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from tools import environments
from tools.docs.__main__ import LINK
from tools.environments import CERTIFICATION_PYTHON, reporting
from tools.layout import (
    BUILD,
    NAME,
    NAMESPACE,
    PAGES_FOR_CONTRIBUTORS,
    copy_to,
    environment,
    guides,
    said,
    scratch_folder,
)

WORKSHOP = BUILD / "artifact"
SHIPPED = (
    "changelogs/", "docs/", "extensions/", "LICENSES/", "meta/", "playbooks/", "plugins/", "roles/", "tests/sanity/",
)  # fmt: skip
"""Folders of which every tracked file is in the archive."""
LEFT_OUT = re.compile(
    rf"changelogs/(?!changelog\.yaml)|docs/({'|'.join(PAGES_FOR_CONTRIBUTORS)}|images/)"
    r"|extensions/molecule/|roles/simulator/ruff\.toml"
)
"""What of these only a checkout needs."""
SHIPPED_FILES = {
    ".ansible-lint",
    "CHANGELOG.rst",
    "COPYING",
    "README.md",
    "SECURITY.md",
    "requirements.txt",
}
INDISPENSABLE = {
    "README.md",
    "meta/runtime.yml",
    "roles/simulator/files/panel_simulator/__main__.py",
}
WRITTEN_BY_BUILD = {"FILES.json", "MANIFEST.json"}
ANSIBLE = [sys.executable, "-m", "ansible"]
SIMULATOR = "roles/simulator/files"


def run() -> int:
    """Return 0 when the archive is complete, lean, installable and accepted."""
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    tracked = copy_to(WORKSHOP / "source")
    words = ["collection", "build", "--force", "--output-path", str(WORKSHOP)]
    subprocess.run([*ANSIBLE, "galaxy", *words], cwd=WORKSHOP / "source", check=True)
    archive = next(WORKSHOP.glob(f"{NAMESPACE}-{NAME}-*.tar.gz"))
    mistakes = (
        wrong_content(archive, tracked)
        + dead_links(archive)
        + _wrong_after_installation(archive, tracked)
    )
    for mistake in mistakes:
        print(mistake)
    if mistakes:
        return 1
    judges = environments.pinned(
        "certification",
        environments.CERTIFICATION_LOCK,
        environments.required(CERTIFICATION_PYTHON),
    )
    # Not one "or": both are worth reading.
    return max(_importer(judges, archive), _linter(judges, archive))


def wrong_content(archive: Path, tracked: list[str]) -> list[str]:
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


def dead_links(archive: Path) -> list[str]:
    """Return a line for each link of a page in the archive to a file that is not in it, and that has no whole address."""
    dead = []
    with tarfile.open(archive) as content:
        names = {member.name for member in content.getmembers()}
        for page in sorted(name for name in names if name.endswith(".md")):
            file = content.extractfile(page)
            dead += [
                f"not in the archive: {target}, to which {page} links"
                for target in LINK.findall(file.read().decode() if file else "")
                if os.path.normpath(Path(page).parent / target) not in names
            ]
    return dead


def _wrong_after_installation(archive: Path, tracked: list[str]) -> list[str]:
    installed = WORKSHOP / "installed"
    variables = environment(Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=str(installed))
    words = [
        "collection",
        "install",
        "--offline",
        "--collections-path",
        str(installed),
        str(archive),
    ]
    subprocess.run([*ANSIBLE, "galaxy", *words], check=True, env=variables, cwd=WORKSHOP)
    words = [*ANSIBLE, "doc", "--type", "module", "--list", "--json", f"{NAMESPACE}.{NAME}"]
    listed = json.loads(
        subprocess.run(
            words, check=True, env=variables, cwd=WORKSHOP, stdout=subprocess.PIPE
        ).stdout
    )
    modules = {Path(path).stem for path in tracked if path.startswith("plugins/modules/panel_")}
    found = {name.rpartition(".")[2] for name in listed}
    mistakes = [
        f"ansible-doc does not list the installed module {name}" for name in sorted(modules - found)
    ]
    simulator = installed / "ansible_collections" / NAMESPACE / NAME / SIMULATOR
    words = [sys.executable, "-m", "panel_simulator", "--help"]
    if (
        not simulator.is_dir()
        or subprocess.run(words, cwd=simulator, stdout=subprocess.DEVNULL, check=False).returncode
    ):
        mistakes.append("the installed simulator does not start")
    return mistakes


def _importer(python: Path, archive: Path) -> int:
    # Its own call of the linter skips rules, see below.
    settings = {
        "CHECK_REQUIRED_TAGS": "true",
        "REQUIRE_V1_OR_GREATER": "true",
        "RUN_ANSIBLE_LINT": "false",
    }
    variables = environment(
        python.parent, **{f"GALAXY_IMPORTER_{name}": value for name, value in settings.items()}
    )
    code, lines = _said(
        [str(python), "-m", "galaxy_importer.main", str(archive)], WORKSHOP, variables
    )
    missing = (
        []
        if code
        else not_shown(json.loads((WORKSHOP / "importer_result.json").read_text(encoding="utf-8")))
    )
    for name in missing:
        print(f"Galaxy does not show the guide {name}")
    return code or int(bool(complaints(lines) or missing))


def not_shown(result: dict[str, Any]) -> list[str]:
    """Return the guides that Galaxy does not show: it takes Markdown files right in docs, and no others."""
    shown = {page["name"] for page in result["docs_blob"]["documentation_files"]}
    return [page.name for page in guides() if page.name not in shown]


def complaints(lines: list[str]) -> list[str]:
    """Return what the importer finds wrong: a warning does not make it fail. The exceptions of ansible-test are ours."""
    return [
        line
        for line in lines
        if line.startswith(("WARNING", "ERROR")) and "Ignore files skip" not in line
    ]


def _linter(python: Path, archive: Path) -> int:
    # Outside the checkout, whose repository ignores .build: the linter asks it which files there are.
    collections = scratch_folder() / "certification"
    folder = collections / "ansible_collections" / NAMESPACE / NAME
    shutil.rmtree(collections, ignore_errors=True)
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    variables = environment(python.parent, ANSIBLE_COLLECTIONS_PATH=str(collections))
    words = [str(python), "-m", "ansiblelint", "--profile", "production", "--offline", "--nocolor"]
    code, lines = _said(words, folder, variables)
    return code or int(linted_files(lines) < len(list(folder.rglob("*.yml"))))


def linted_files(lines: list[str]) -> int:
    """Return how many files the linter has looked at: it succeeds also where it finds none."""
    found = re.findall(r" on (\d+) files", "\n".join(lines))
    return int(found[-1]) if found else 0


def _said(words: list[str], folder: Path, variables: dict[str, str]) -> tuple[int, list[str]]:
    code, text = said(words, folder, variables)
    print(text, flush=True)
    return code, text.splitlines()


if __name__ == "__main__":
    sys.exit(reporting(run))
