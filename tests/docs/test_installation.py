"""The line that installs the collection in a checkout installs what belongs to it, as often as it
is typed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.snippets import has_snippet, list_snippets
from tools.artifact import WRITTEN_BY_BUILD
from tools.layout import ROOT, copy_to, list_guides, make_environment

PAGES = [ROOT / "README.md", ROOT / "docs" / "getting_started.md"]
IN_A_CHECKOUT = re.compile(r"ansible-galaxy collection install --force \.")
# What the pages make without showing it.
MADE = {"maple.password", "passwords.yml", "vault-password", "report.html", "plan.md", "renew.log"}
# A repository of playbooks may have its own beside those of the collection.
IN_FOLDERS_OF_OURS = ("changelogs", "docs", "extensions", "meta", "playbooks", "plugins", "roles")


def find_install_line(page: Path) -> str:
    """Return the line of a page that installs the collection in a checkout."""
    lines = IN_A_CHECKOUT.findall(page.read_text(encoding="utf-8"))
    assert len(lines) == 1, page.name
    return lines[0]


def list_saved_files() -> set[str]:
    """Return what readers of the guides save in the folder in which they are."""
    pages = [page for page in list_guides() if not has_snippet(page, "checkout")]
    values = [snippet.find_value("file") for page in pages for snippet in list_snippets(page)]
    names = {*MADE, *filter(None, values)}
    return {name for name in names if not name.startswith(IN_FOLDERS_OF_OURS)}


def run_install_line(line: str, checkout: Path, home: Path) -> dict[str, bytes]:
    """Run the line in a checkout, and return the files that it installs, with their content."""
    collections = home / ".ansible" / "collections"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=checkout,
        env=make_environment(
            Path(sys.executable).parent, HOME=str(home), ANSIBLE_COLLECTIONS_PATH=str(collections)
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    folder = collections / "ansible_collections" / "hosting" / "panel"
    paths = (path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}

    return {name: content for name, content in files.items() if name not in WRITTEN_BY_BUILD}


def test_what_the_readme_writes_into_a_file_of_requirements_names_the_collection_and_a_release(
    tmp_path: Path,
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [entry] = re.findall(
        r"list `(\{.+?\})` under `collections` in `requirements.yml` for `install -r`", readme
    )
    requirements = tmp_path / "requirements.yml"
    requirements.write_text(f"collections:\n  - {entry}\n", encoding="utf-8")
    copy_to(tmp_path / "checkout")
    home = tmp_path / "home"
    run_install_line(find_install_line(ROOT / "README.md"), tmp_path / "checkout", home)

    # What is installed in this release needs nothing of a server.
    line = f"ansible-galaxy collection install --offline -r {requirements}"
    run_install_line(line, tmp_path / "checkout", home)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_it_installs_a_later_state_too_leaves_the_checkout_as_it_is_and_takes_nothing_that_somebody_saved_there(
    page: Path, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    tracked = set(copy_to(checkout))

    first = run_install_line(find_install_line(page), checkout, tmp_path / "home")

    assert {
        path.relative_to(checkout).as_posix() for path in checkout.rglob("*") if not path.is_dir()
    } == tracked

    for name in list_saved_files():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("somebody's own", encoding="utf-8")

    with (checkout / "SECURITY.md").open("a", encoding="utf-8") as page_of_ours:
        page_of_ours.write("later\n")

    later = run_install_line(find_install_line(page), checkout, tmp_path / "home")

    assert later.pop("SECURITY.md") == first.pop("SECURITY.md") + b"later\n"
    assert later == first
