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
from tools.layout import (
    BUILD,
    NAME,
    NAMESPACE,
    ROOT,
    link_collection,
    list_tracked_paths,
    make_environment,
)

WORKSHOP = BUILD / "docs"
SOURCE = WORKSHOP / "source"
SITE = WORKSHOP / "site"
HERE = Path(__file__).resolve().parent
PAGES = re.compile(
    r"(README|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\.md|CHANGELOG\.rst|docs/.*\.md|roles/\w+/(files/)?README\.md"
)
LINK = re.compile(r"\]\(((?!\w+:|#)[^)#\s]+)")
# The contents of the site by topic, as paths without endings.
CONTENTS = {
    "Tutorials": "docs/getting_started, docs/first_hour, docs/adopting",
    "How-to: customers": "docs/onboard, docs/import, docs/moving, docs/place, docs/passwords, roles",
    "How-to: DNS and certificates": "docs/dns, docs/zones, docs/certificates",
    "How-to: whole panels": "docs/resources, docs/reviews, docs/inventory, docs/awx",
    "How-to: operations": (
        "docs/metrics, docs/billing, docs/events, docs/ad_hoc, docs/from_uri, docs/drift, "
        "docs/updating, docs/faults, docs/blocked, docs/going_back"
    ),
    "Reference": "Modules and roles <reference/index>, Changes <CHANGELOG>",
    "Explanation": "docs/behaviour, docs/reliability, SECURITY",
    "Project": (
        "README, All guides <docs/README>, docs/architecture, docs/panel_api, docs/host_tools, "
        "docs/write_a_reader, docs/performance, CONTRIBUTING, CODE_OF_CONDUCT"
    ),
}
ROLES = """\
# Roles

Each role has an example here. The [reference](reference/index.rst) lists all variables.

```{toctree}
:glob:

roles/*/README
roles/*/files/README
```
"""


def build() -> int:
    """Return 0 when the site was built without a warning."""
    python = environments.prepare_pinned_interpreter(
        "docs-environment", environments.DOCS_LOCK, Path(sys.executable)
    )
    link_collection()
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    lay_out(SOURCE)
    code = _build_reference(python, SOURCE / "reference")
    if code:
        return code

    options = ["-W", "--keep-going", "--quiet", "-b", "html"]
    return _run(python, "sphinx", *options, "-c", HERE, "-d", WORKSHOP / "trees", SOURCE, SITE)


def _build_reference(python: Path, folder: Path) -> int:
    """Write the pages of modules, plugins and roles; return the exit status."""
    folder.mkdir(mode=0o755)
    settings = ["--config-file", str(HERE / "antsibull-docs.cfg")]
    options = ["--use-current", "--squash-hierarchy", "--fail-on-error", "--dest-dir", str(folder)]
    program = "antsibull_docs.cli.antsibull_docs"
    return _run(python, program, *settings, "collection", *options, f"{NAMESPACE}.{NAME}")


def lay_out(source: Path) -> None:
    """Put the pages of the repository, and the files that they link to, where Sphinx reads them."""
    for path in list_tracked_paths():
        if PAGES.fullmatch(path):
            _lay_out_page(source, path)

    front = (HERE / "front.md").read_text(encoding="utf-8")
    contents = [_format_contents(title, names) for title, names in CONTENTS.items()]
    (source / "index.md").write_text(front + "".join(contents), encoding="utf-8")
    (source / "roles.md").write_text(ROLES, encoding="utf-8")


def _lay_out_page(source: Path, path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    for target in list_link_targets(text, path):
        if not PAGES.fullmatch(target) and (ROOT / target).is_file():
            _copy(ROOT / target, source / target)

    (source / path).parent.mkdir(parents=True, exist_ok=True)
    (source / path).write_text(text, encoding="utf-8")


def _format_contents(title: str, names: str) -> str:
    """Return the list of the pages of a topic, which only the sidebar shows."""
    entries = "\n".join(names.split(", "))
    return f'\n```{{toctree}}\n:hidden:\n:caption: "{title}"\n\n{entries}\n```\n'


def list_link_targets(text: str, path: str) -> list[str]:
    """Return the targets of a page's relative links, as paths of the repository."""
    targets = [((ROOT / path).parent / target).resolve() for target in LINK.findall(text)]
    root = ROOT.resolve()
    return [
        target.relative_to(root).as_posix() for target in targets if target.is_relative_to(root)
    ]


def _copy(file: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)


def _run(python: Path, *arguments: str | Path) -> int:
    command = [str(python), "-m", *map(str, arguments)]
    variables = make_environment(python.parent, PYTHONPATH=str(ROOT))
    process = subprocess.run(
        command, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, check=False
    )
    return process.returncode


if __name__ == "__main__":
    failed = environments.call_and_report(build)
    if not failed:
        print(f"The site is in {SITE.relative_to(ROOT)}; its first page is index.html.")
    sys.exit(failed)
