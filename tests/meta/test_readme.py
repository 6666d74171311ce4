"""The README is as Galaxy and Automation Hub want it, and the addresses in it are those of
galaxy.yml."""

from __future__ import annotations

import re

import yaml

from tools import generated
from tools.environments import CONTROLLER_PYTHON, OLDEST_CORE, TARGET_PYTHONS
from tools.layout import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
HEADINGS = (
    "Description",
    "Requirements",
    "Installation",
    "Use Cases",
    "Testing",
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


def test_its_links_are_whole_addresses_or_lead_to_one_of_its_headings() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    headings = {
        heading.lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    }

    assert [
        target
        for target in targets
        if not target.startswith("https://") and target.removeprefix("#") not in headings
    ] == []


def test_a_link_to_a_file_leads_to_one_that_is_there() -> None:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in generated.pages()]
    paths = [link["path"] for text in texts for link in generated.OF_A_FILE.finditer(text)]

    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_nobody_is_asked_to_install_ansible_with_pip() -> None:
    assert re.findall(r"pip install[^#\n]*ansible.*", README) == []


def test_it_is_short_and_its_first_lines_name_the_panel_and_show_a_report() -> None:
    assert len(README.splitlines()) <= MOST_LINES

    first = README[:900]
    assert "KeyHelp" in first
    assert f"]({generated.find_address_of_file('docs/images/report.png')})" in first


def test_what_it_says_of_versions_is_what_is_tested() -> None:
    table = dict(re.findall(r"^\| (2\.\d+[^|]*) \| (3\.\d+) \|$", README, re.MULTILINE))
    assert {
        core: python for cores, python in table.items() for core in cores.split(", ")
    } == CONTROLLER_PYTHON
    assert f"modules need Python {TARGET_PYTHONS[0]} or newer" in README
    assert f"\n- ansible-core {OLDEST_CORE} or newer" in README

    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    assert runtime["requires_ansible"] == f">={OLDEST_CORE}.0"


def test_the_requirements_are_those_of_the_file_that_execution_environments_read() -> None:
    for name, version in re.findall(
        r"^([\w-]+)>=(\S+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE
    ):
        assert f"`{name}` {version} or newer" in README
        assert re.search(rf"pip install .*\b{name}\b", README)
