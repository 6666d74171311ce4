"""The README is as Galaxy and Automation Hub want it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from tools.environments import (
    COMING_PYTHON,
    CONTROLLER_PYTHON,
    NEWEST_CORE,
    OLDEST_CORE,
    TARGET_PYTHONS,
)
from tools.layout import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
HEADINGS = (
    "Description",
    "Requirements",
    "Installation",
    "Use Cases",
    "Testing",
    "Communication",
    "Support",
    "Release Notes and Roadmap",
    "Related Information",
    "License Information",
)
MOST_LINES = 120


def test_it_has_the_headings_of_certified_content_in_their_order() -> None:
    assert [
        heading for heading in re.findall(r"^## (.+)$", README, re.MULTILINE) if heading in HEADINGS
    ] == [*HEADINGS]


def test_nobody_is_asked_to_install_ansible_with_pip() -> None:
    assert re.findall(r"pip install[^#\n]*ansible.*", README) == []


def test_it_is_short_and_its_first_lines_name_the_panel_and_show_a_report() -> None:
    assert len(README.splitlines()) <= MOST_LINES

    first = README[:900]
    assert "KeyHelp" in first
    assert "](docs/images/report.png)" in first
    assert first.index("make demo") < first.index("make test")


def test_what_it_says_of_versions_is_what_is_tested() -> None:
    table = dict(re.findall(r"^\| (2\.\d+[^|]*) \| (3\.\d+) \|$", README, re.MULTILINE))
    assert {
        core: python for cores, python in table.items() for core in cores.split(", ")
    } == CONTROLLER_PYTHON
    oldest, *_between, newest = TARGET_PYTHONS
    assert f"modules need Python {oldest} to {newest}" in README
    assert f"Controllers on Python 3.10, and Python {COMING_PYTHON}, are not supported" in README
    assert f"\n- ansible-core {OLDEST_CORE} to {NEWEST_CORE}" in README


def test_the_collection_says_that_it_supports_the_releases_that_are_tested_and_no_other() -> None:
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    supported = SpecifierSet(runtime["requires_ansible"])
    oldest, newest = (int(core.partition(".")[2]) for core in (OLDEST_CORE, NEWEST_CORE))
    releases = [f"2.{minor}" for minor in range(oldest - 1, newest + 3)]

    # Each with its first and a late patch: a range can end within a release.
    assert [
        core for core in releases if f"{core}.0" in supported and f"{core}.19" in supported
    ] == [*CONTROLLER_PYTHON]
    assert f"2.{newest + 1}.0rc1" not in supported
    left_out = [core for core in releases[1:-2] if core not in CONTROLLER_PYTHON]
    assert all(f", except {core}, which is not tested" in README for core in left_out)


@pytest.mark.parametrize("file", sorted(ROOT.glob("roles/*/meta/main.yml")), ids=str)
def test_a_role_names_a_tested_release_as_its_oldest(file: Path) -> None:
    galaxy_info = yaml.safe_load(file.read_text(encoding="utf-8"))["galaxy_info"]
    assert galaxy_info["min_ansible_version"] in CONTROLLER_PYTHON


def test_the_python_of_modules_is_that_which_their_documentation_names() -> None:
    settings = yaml.safe_load((ROOT / "tests" / "config.yml").read_text(encoding="utf-8"))
    expected = f">={TARGET_PYTHONS[0]},<{COMING_PYTHON}"
    assert settings["modules"]["python_requires"] == expected


def test_the_requirements_are_those_of_the_file_that_execution_environments_read() -> None:
    for name, version in re.findall(
        r"^([\w-]+)>=(\S+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE
    ):
        assert f"`{name}` {version} or newer" in README
        assert re.search(rf"pip install .*\b{name}\b", README)
