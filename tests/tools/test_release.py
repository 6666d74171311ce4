"""A release is made out of a clean checkout, and nothing is published.

On a copy of the repository.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tools.layout import copy_to, make_environment

pytestmark = pytest.mark.release

JUDGES = "return max(_run_importer(judges, archive), _run_linter(judges, archive))"
SIGNER = "nobody@panel.example"
PLACEHOLDER = "security@hosting-panel.example"
# It has the version in the header of each request.
REQUESTS = "plugins/module_utils/_http/request_library.py"
SENTENCE = "Until the first release, this address is a placeholder"
# By page, what stands there before the first release, and after it.
UNRELEASED = {
    "README.md": {"No release exists yet": "A release exists", "the first release": "a release"},
    "CONTRIBUTING.md": {
        "before the first release": "early",
        "Before the first release": "Early",
        "Until the first release": "Until then",
        "Nothing has been released": "Soon",
    },
    ".github/pull_request_template.md": {"After the first release": "In each request"},
    ".gitlab/merge_request_templates/Default.md": {"After the first release": "In each request"},
    "docs/updating.md": {"until there is one": "or"},
}
AUTHOR = {
    f"GIT_{who}_{field}": SIGNER for who in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
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
    # As the message of a release that is refused for its addresses says.
    subprocess.run([sys.executable, "-m", "tools.generated"], cwd=folder, check=True)
    security = folder / "SECURITY.md"
    text = security.read_text(encoding="utf-8")
    assert SENTENCE in text
    beginning, _sentence, end = text.partition(SENTENCE)
    text = beginning + end.partition(".")[2]
    security.write_text(text.replace(PLACEHOLDER, "security@git.panel.test"), encoding="utf-8")
    for name, sentences in UNRELEASED.items():
        page = folder / name
        text = page.read_text(encoding="utf-8")
        for unreleased, released in sentences.items():
            assert unreleased in text
            text = text.replace(unreleased, released)
        page.write_text(text, encoding="utf-8")
    # The session `artifact` judges the archive of this checkout, and takes a minute for it.
    artifact = folder / "tools" / "artifact.py"
    text = artifact.read_text(encoding="utf-8")
    assert JUDGES in text
    artifact.write_text(text.replace(JUDGES, "return 0"), encoding="utf-8")
    fragment = folder / "changelogs" / "fragments" / "tried.yml"
    fragment.parent.mkdir(exist_ok=True)
    fragment.write_text("minor_changes:\n  - panel_email - tried.\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Everything"]):
        run_git(folder, *arguments)

    yield folder

    run_git(folder, "status")


def check_signatures(dist: Path, archive: Path, keys: str) -> None:
    """Check that a release has the checksums of its files, and two signatures that verify."""
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=dist, check=True)
    listed = (dist / "SHA256SUMS").read_text(encoding="utf-8").split()[1::2]
    assert listed == [archive.name, "hosting-panel-9.0.0.cdx.json"]

    with tarfile.open(archive) as content:
        content.extract("MANIFEST.json", dist, filter="data")

    variables = {**os.environ, "GNUPGHOME": keys}
    for signature, signed in (
        ("SHA256SUMS.asc", "SHA256SUMS"),
        ("hosting-panel-9.0.0.asc", "MANIFEST.json"),
    ):
        command = ["gpg", "--batch", "--verify", signature, signed]
        subprocess.run(command, cwd=dist, env=variables, capture_output=True, check=True)


def run_git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return what it prints."""
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **AUTHOR},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a folder of GPG with the key of SIGNER."""
    # A short path, as that of a socket has to be.
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "GNUPGHOME": folder}
        command = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", SIGNER]
        subprocess.run(command, env=variables, capture_output=True, check=True)
        yield folder
        subprocess.run(["gpgconf", "--kill", "all"], env=variables, check=False)


def release(folder: Path, version: str, key: str = "none", keys: str = "") -> tuple[int, str]:
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
        "-e",
        f"release_key={key}",
    ]
    variables = make_environment(Path(sys.executable).parent, GNUPGHOME=keys)
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300
    )

    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("version", "key", "message"),
    [
        ("one", "none", "The version has to be three numbers, such as 1.1.0, not one."),
        ("9.0.0", "", "No key signs the release. Set KEY to the id of a GPG key, or to none."),
        ("9.0.0", "no@panel.test", "gpg has no secret key no@panel.test."),
    ],
)
def test_a_release_without_a_version_or_a_key_is_refused_before_anything_changes(
    checkout: Path, keys: str, version: str, key: str, message: str
) -> None:
    code, text = release(checkout, version, key, keys)

    assert code
    assert f"{message} " in text
    assert "Nothing was changed." in text
    assert run_git(checkout, "status", "--porcelain") == ""


def test_a_change_that_is_not_committed_is_refused_before_anything_changes(checkout: Path) -> None:
    (checkout / "README.md").write_text("changed", encoding="utf-8")

    code, text = release(checkout, "9.0.0")
    run_git(checkout, "checkout", "--", "README.md")
    message = "These files are not committed: M README.md."

    assert code
    assert message in text
    assert "Nothing was changed." in text
    assert run_git(checkout, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("file", "address", "placeholder", "message"),
    [
        (
            "galaxy.yml",
            "git.panel.test",
            "hosting-panel.example",
            "galaxy.yml has no addresses to publish with: https://hosting-panel.example/hosting.",
        ),
        (
            "galaxy.yml",
            "git.panel.test",
            "moved.panel.test",
            "galaxy.yml and the tables have them: .github/ISSUE_TEMPLATE/config.yml, ",
        ),
        (
            "tools/docs/antsibull-docs.cfg",
            "  hosting.panel = ",
            "  hosting_panel = ",
            "tools/docs/antsibull-docs.cfg cannot be written: nothing in it matches ",
        ),
        (
            "SECURITY.md",
            "security@git.panel.test",
            PLACEHOLDER,
            "SECURITY.md has no address for private reports.",
        ),
        *(
            (page, released, unreleased, f'no release: {page} ("{unreleased}")')
            for page, sentences in UNRELEASED.items()
            for unreleased, released in sentences.items()
        ),
    ],
)
def test_a_release_that_would_have_a_placeholder_or_an_old_address_is_refused(
    checkout: Path, file: str, address: str, placeholder: str, message: str
) -> None:
    page = checkout / file
    text = page.read_text(encoding="utf-8")
    assert address in text
    page.write_text(text.replace(address, placeholder), encoding="utf-8")
    run_git(checkout, "commit", "-q", "-a", "-m", "Placeholders")

    code, text = release(checkout, "9.0.0")
    changed = run_git(checkout, "status", "--porcelain")
    run_git(checkout, "reset", "-q", "--hard", "HEAD^")

    assert code
    assert message in text
    assert "commit. Nothing was changed." in text
    assert changed == ""


def list_files_with(text: str, archive: Path, folder: Path) -> list[str]:
    """Unpack an archive into a folder, and return the names of its files that have a text."""
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


def test_a_release_is_a_checked_and_signed_archive_with_its_version_and_changelog(
    checkout: Path, keys: str, tmp_path: Path
) -> None:
    code, text = release(checkout, "9.0.0", SIGNER, keys)
    assert code == 0, text

    dist = checkout / "dist"
    archive = dist / "hosting-panel-9.0.0.tar.gz"
    check_signatures(dist, archive, keys)
    assert list_files_with("hosting-panel.example", archive, tmp_path) == []
    page = (tmp_path / "docs" / "README.md").read_text(encoding="utf-8")
    assert ("/blob/9.0.0/docs/" in page, "/blob/main/" in page) == (True, False)
    assert f"sha256 {hashlib.sha256(archive.read_bytes()).hexdigest()}" in text
    steps = (
        r"git commit|git push, and wait until the jobs check, cores and sanity have passed"
        r"|git tag -a 9.0.0|git push --follow-tags|publish dist"
    )
    assert re.findall(steps, text) == [
        "git commit",
        "git push, and wait until the jobs check, cores and sanity have passed",
        "git tag -a 9.0.0",
        "git push --follow-tags",
        "publish dist",
    ]
    assert (
        yaml.safe_load((checkout / "galaxy.yml").read_text(encoding="utf-8"))["version"] == "9.0.0"
    )
    assert '"hosting.panel/9.0.0 (' in (checkout / REQUESTS).read_text(encoding="utf-8")
    assert "\nv9.0.0\n======\n" in (checkout / "CHANGELOG.rst").read_text(encoding="utf-8")

    changed = {line[3:] for line in run_git(checkout, "status", "--porcelain").splitlines()}
    fragments = {name for name in changed if name.startswith("changelogs/fragments/")}

    assert fragments
    assert changed - fragments == {
        "CHANGELOG.rst",
        "changelogs/changelog.yaml",
        "galaxy.yml",
        REQUESTS,
    }

    code, text = release(checkout, "9.0.0")
    assert code
    assert "There is a release that is not older than 9.0.0: 9.0.0. Nothing was changed." in text
