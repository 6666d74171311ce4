"""The check of the archive's content notices what is missing and what does not belong there."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
import yaml

from tools import links
from tools.artifact import (
    INDISPENSABLE,
    WRITTEN_BY_BUILD,
    count_linted_files,
    find_complaints,
    find_dead_links,
    find_wrong_content,
    list_not_shown,
)
from tools.environments import COMING_CORE, CONTROLLER_PYTHON
from tools.layout import PAGES_FOR_CONTRIBUTORS, ROOT, list_guides

TRACKED = [*sorted(INDISPENSABLE), "plugins/modules/panel_client.py", "tools/demo.py", "Makefile"]
FOR_CONTRIBUTORS = [
    "CONTRIBUTING.md",
    "changelogs/fragments/1.0.0.yml",
    *(f"docs/{name}" for name in PAGES_FOR_CONTRIBUTORS),
    "docs/images/report.png",
    "extensions/molecule/default/molecule.yml",
]


def _write_archive(folder: Path, names: set[str]) -> Path:
    """Write an archive with files of these names."""
    archive = folder / "hosting-panel-1.0.0.tar.gz"
    with tarfile.open(archive, "w:gz") as content:
        for name in sorted(names):
            content.addfile(tarfile.TarInfo(name))

    return archive


def _list_right_names() -> set[str]:
    """Return the names of an archive without a mistake."""
    return INDISPENSABLE | WRITTEN_BY_BUILD | {"plugins/modules/panel_client.py"}


@pytest.mark.parametrize(
    ("missing", "more", "mistakes"),
    [
        ([], [], []),
        (["meta/runtime.yml"], [], ["missing in the archive: meta/runtime.yml"]),
        (
            [],
            ["tests/x.py", "tools/demo.py"],
            [f"needless in the archive: {name}" for name in ("tests/x.py", "tools/demo.py")],
        ),
    ],
)
def test_a_file_for_developers_is_named(
    tmp_path: Path, missing: list[str], more: list[str], mistakes: list[str]
) -> None:
    assert (
        find_wrong_content(
            _write_archive(tmp_path, _list_right_names() - {*missing} | {*more}), TRACKED
        )
        == mistakes
    )


@pytest.mark.parametrize("path", FOR_CONTRIBUTORS)
def test_what_only_contributors_read_is_needless(tmp_path: Path, path: str) -> None:
    tracked = [*TRACKED, *FOR_CONTRIBUTORS]

    assert find_wrong_content(_write_archive(tmp_path, _list_right_names()), tracked) == []
    assert find_wrong_content(_write_archive(tmp_path, _list_right_names() | {path}), tracked) == [
        f"needless in the archive: {path}"
    ]


@pytest.mark.parametrize("page", PAGES_FOR_CONTRIBUTORS)
def test_the_build_leaves_out_a_page_for_contributors(page: str) -> None:
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))

    assert f"docs/{page}" in galaxy["build_ignore"]


def test_a_link_of_the_archive_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    archive = tmp_path / "hosting-panel-1.0.0.tar.gz"
    galaxy = links.read_galaxy()
    branch = galaxy["documentation"].removesuffix("docs/README.md")
    files = branch.replace("/blob/main/", f"/blob/{galaxy['version']}/")
    text = f"[behaviour]({files}docs/behaviour.md) [zones]({files}docs/no.md) [dns](dns.md)"

    with tarfile.open(archive, "w:gz") as content:
        member = tarfile.TarInfo("docs/behaviour.md")
        member.size = len(text)
        content.addfile(member, io.BytesIO(text.encode()))

    assert find_dead_links(archive) == [
        f"dead link in the archive: docs/behaviour.md: {files}docs/no.md: no such file",
        "dead link in the archive: docs/behaviour.md: dns.md: not a whole address",
    ]


def test_a_warning_of_the_importer_is_a_mistake_unless_it_only_counts_exceptions() -> None:
    lines = [
        "Loading role site",
        "WARNING: Ignore files skip ansible-test sanity tests, found ignore-2.16.txt",
        "done",
    ]

    assert find_complaints(lines) == []
    assert find_complaints([*lines, "WARNING: No changelog found."]) == [
        "WARNING: No changelog found."
    ]


@pytest.mark.parametrize(
    ("line", "number"),
    [("Passed: 0 failure(s), 0 warning(s) on 704 files.", 704), ("No files", 0), ("", 0)],
)
def test_the_files_that_the_linter_has_looked_at_are_counted(line: str, number: int) -> None:
    assert count_linted_files(["WARNING  Something", line]) == number


@pytest.mark.parametrize("core", [*CONTROLLER_PYTHON, COMING_CORE])
def test_every_release_of_ansible_core_up_to_the_next_one_knows_the_exceptions(core: str) -> None:
    folder = ROOT / "tests" / "sanity"

    assert (folder / f"ignore-{core}.txt").read_bytes() == (
        folder / f"ignore-{max(CONTROLLER_PYTHON)}.txt"
    ).read_bytes()


def test_a_guide_that_galaxy_does_not_show_is_named() -> None:
    displayed = [{"name": page.name} for page in list_guides() if page.name != "dns.md"]

    assert list_not_shown({"docs_blob": {"documentation_files": displayed}}) == ["dns.md"]
