"""Build the documentation as one searchable site in `.build/docs/site`.

Ansible's own tools make the pages of modules, plugins and roles; the Markdown files of the repository are pages as they are, in
their own folders, so that a link between two of them is right in the site as it is on a host of git repositories.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.addresses import without_addresses
from tools.collection_copy import tracked_paths
from tools.docs import api_coverage
from tools.docs.changes import write_changes
from tools.docs.inventory import write_inventory
from tools.layout import BUILD, NAME, NAMESPACE, ROOT, link_collection
from tools.surroundings import environment

WORKSHOP = BUILD / "docs"
SOURCE = WORKSHOP / "source"
SITE = WORKSHOP / "site"
HERE = Path(__file__).resolve().parent
PAGES = re.compile(
    r"(README|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\.md|CHANGELOG\.rst|docs/.*\.md|roles/\w+/(files/)?README\.md"
)
LINK = re.compile(r"\]\(((?!\w+:|#)[^)#\s]+)")


def build() -> int:
    """Return 0 when the site was built without a warning."""
    python = environments.pinned("docs-environment", environments.DOCS_LOCK, Path(sys.executable))
    link_collection()
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    lay_out(SOURCE)
    return (
        write_changes(python, WORKSHOP / "changes", SOURCE / "CHANGELOG.rst")
        or _write_reference(python)
        or _write_site(python)
    )


def _write_reference(python: Path) -> int:
    folder = SOURCE / "reference"
    folder.mkdir(mode=0o755)
    words: list[str | Path] = [
        "antsibull_docs.cli.antsibull_docs",
        "--config-file",
        HERE / "antsibull-docs.cfg",
        "collection",
    ]
    words += ["--use-current", "--squash-hierarchy", "--fail-on-error", "--dest-dir", folder]
    code = _run(python, *words, f"{NAMESPACE}.{NAME}")
    write_inventory(folder)
    return code


def _write_site(python: Path) -> int:
    words: list[str | Path] = [
        "sphinx",
        "-W",
        "--keep-going",
        "--quiet",
        "-b",
        "html",
        "-c",
        HERE,
        "-d",
        WORKSHOP / "trees",
    ]
    return _run(python, *words, SOURCE, SITE)


def lay_out(source: Path) -> None:
    """Put the pages of the repository, and the files that they show or link to, where Sphinx reads them."""
    paths = [path for path in tracked_paths() if PAGES.fullmatch(path)]
    for path in paths:
        text = without_addresses((ROOT / path).read_text(encoding="utf-8"), str(Path(path).parent))
        for target in linked(text, path):
            if not PAGES.fullmatch(target) and (ROOT / target).is_file():
                _copy(ROOT / target, source / target)
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    (source / api_coverage.PAGE).write_text(api_coverage.page(), encoding="utf-8")
    _copy(HERE / "front.md", source / "index.md")
    for page in ("modules.md", "roles.md"):
        _copy(HERE / page, source / page)


def linked(text: str, path: str) -> list[str]:
    """Return the targets of a page's relative links, as paths of the repository."""
    folder = (ROOT / path).parent
    targets = [(folder / target).resolve() for target in LINK.findall(text)]
    return [
        target.relative_to(ROOT.resolve()).as_posix() for target in targets if target.is_relative_to(ROOT.resolve())
    ]


def _copy(file: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)


def _run(python: Path, *words: str | Path) -> int:
    command = [str(python), "-m", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env=environment(python.parent, PYTHONPATH=str(ROOT)), stdin=subprocess.DEVNULL, check=False
    ).returncode


if __name__ == "__main__":
    try:
        failed = build()
    except environments.EnvironmentFailure as failure:
        sys.exit(str(failure))
    if not failed:
        print(f"The site is in {SITE.relative_to(ROOT)}; its first page is index.html.")
    sys.exit(failed)
