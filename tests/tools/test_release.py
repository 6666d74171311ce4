"""A release is made out of a clean checkout, and nothing is published.

On a copy of the repository.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tools.layout import copy_to, environment

pytestmark = pytest.mark.release

JUDGES = "return max(_importer(judges, archive), _linter(judges, archive))"
AUTHOR = {
    f"GIT_{who}_{field}": "nobody@panel.example"
    for who in ("AUTHOR", "COMMITTER")
    for field in ("NAME", "EMAIL")
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a clean checkout with one commit."""
    folder = tmp_path_factory.mktemp("release") / "checkout"
    copy_to(folder)
    galaxy = folder / "galaxy.yml"
    galaxy.write_text(
        galaxy.read_text(encoding="utf-8").replace("hosting-panel.example", "git.panel.test"),
        encoding="utf-8",
    )
    # The session `artifact` judges the archive of this checkout, and takes a minute for it.
    artifact = folder / "tools" / "artifact.py"
    text = artifact.read_text(encoding="utf-8")
    assert JUDGES in text
    artifact.write_text(text.replace(JUDGES, "return 0"), encoding="utf-8")
    fragment = folder / "changelogs" / "fragments" / "tried.yml"
    fragment.parent.mkdir(exist_ok=True)
    fragment.write_text("minor_changes:\n  - panel_email - tried.\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Everything"]):
        git(folder, *arguments)

    yield folder

    git(folder, "status")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return what it prints."""
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **AUTHOR},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def release(folder: Path, version: str) -> tuple[int, str]:
    """Run the playbook in a checkout, with the environment of this one.

    Return its code and what it printed.
    """
    command = [
        sys.executable,
        "-m",
        "ansible",
        "playbook",
        "tools/release.yml",
        "-e",
        f"release_version={version}",
    ]
    variables = environment(Path(sys.executable).parent)
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300
    )

    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("version", "file", "message"),
    [
        (
            "one",
            "",
            "The version has to be three numbers, such as 1.1.0, not one. Nothing was changed.",
        ),
        ("9.0.0", "README.md", "These files are not committed: M README.md. Nothing was changed."),
    ],
)
def test_what_cannot_be_released_is_refused_before_anything_changes(
    checkout: Path, version: str, file: str, message: str
) -> None:
    if file:
        (checkout / file).write_text("changed", encoding="utf-8")

    code, text = release(checkout, version)
    if file:
        git(checkout, "checkout", "--", file)

    assert code
    assert message in text
    assert git(checkout, "status", "--porcelain") == ""


def test_a_release_that_would_have_the_placeholders_as_addresses_is_refused(checkout: Path) -> None:
    galaxy = checkout / "galaxy.yml"
    galaxy.write_text(
        galaxy.read_text(encoding="utf-8").replace("git.panel.test", "hosting-panel.example"),
        encoding="utf-8",
    )
    code, text = release(checkout, "9.0.0")
    changed = git(checkout, "status", "--porcelain")

    git(checkout, "checkout", "--", "galaxy.yml")

    assert code
    assert (
        "galaxy.yml has no addresses to publish with: https://hosting-panel.example/hosting.panel, "
        in text
    )
    assert "commit. Nothing was changed." in text
    assert changed == " M galaxy.yml\n"


def test_a_release_is_a_checked_archive_with_its_version_and_changelog(checkout: Path) -> None:
    code, text = release(checkout, "9.0.0")
    assert code == 0, text

    archive = checkout / "dist" / "hosting-panel-9.0.0.tar.gz"
    assert f"sha256 {hashlib.sha256(archive.read_bytes()).hexdigest()}" in text
    assert (
        yaml.safe_load((checkout / "galaxy.yml").read_text(encoding="utf-8"))["version"] == "9.0.0"
    )
    assert "\nv9.0.0\n======\n" in (checkout / "CHANGELOG.rst").read_text(encoding="utf-8")

    changed = {line[3:] for line in git(checkout, "status", "--porcelain").splitlines()}
    fragments = {name for name in changed if name.startswith("changelogs/fragments/")}

    assert fragments
    assert changed - fragments == {"CHANGELOG.rst", "changelogs/changelog.yaml", "galaxy.yml"}

    code, text = release(checkout, "9.0.0")
    assert code
    assert "There is a release that is not older than 9.0.0: 9.0.0. Nothing was changed." in text
