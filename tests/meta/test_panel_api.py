"""The page about what the code expects of the panel's API, and the comments that cite it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.meta.modules import tracked
from tools.layout import ROOT

PAGE = "docs/panel_api.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
LABELS = ["Source", "Confidence", "Used in", "If a panel differs"]
OPEN_POINTS = "Open points"
POINTS = ROOT / "roles/simulator/files/panel_simulator/open_points.yml"

# The documentation names the form of a citation, and this file names wrong ones.
FILES_WITH_CITATIONS = re.compile(r"(plugins|roles|playbooks|extensions|tests|tools)/.+\.(py|yml|j2)|noxfile\.py")
CITATION = re.compile(r"docs/panel_api\.md#([\w-]*)")


def _anchor(heading: str) -> str:
    """Return the anchor that hosts of repositories and the site make of a heading."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


def _read_facts() -> dict[str, dict[str, str]]:
    """Return the labelled lines of each fact by its anchor."""
    facts = {}
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        facts[_anchor(heading)] = dict(re.findall(r"^- ([A-Z][a-z ]+): (.+)$", body, re.MULTILINE))
    return facts


def _defined_words(heading: str) -> list[str]:
    """Return the first column of the table with this heading, without the line below it."""
    table = TEXT.partition(f"| {heading} | meaning |\n")[2].partition("\n\n")[0]
    return re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]


def _names_in_code(line: str) -> list[str]:
    """Return what is set as code in a line of a fact."""
    return re.findall(r"`([^`]+)`", line)


def _read_citations() -> dict[str, set[str]]:
    """Return the anchors that each file cites."""
    citations = {}
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if FILES_WITH_CITATIONS.fullmatch(name) and path.name != Path(__file__).name:
            anchors = set(CITATION.findall(path.read_text(encoding="utf-8")))
            if anchors:
                citations[name] = anchors
    return citations


FACTS = _read_facts()
CITATIONS = _read_citations()


@pytest.mark.parametrize("anchor", FACTS)
def test_a_fact_has_a_source_a_confidence_a_use_and_advice(anchor: str) -> None:
    fact = FACTS[anchor]
    sources = "|".join(map(re.escape, _defined_words("source")))
    assert [label for label in fact if label != OPEN_POINTS] == LABELS
    assert re.search(rf"\b(?:{sources})\b", fact["Source"], re.IGNORECASE)
    assert fact["Confidence"] in _defined_words("confidence")


@pytest.mark.parametrize("anchor", FACTS)
def test_the_open_points_of_a_fact_exist(anchor: str) -> None:
    points = yaml.safe_load(POINTS.read_text(encoding="utf-8"))
    assert set(_names_in_code(FACTS[anchor].get(OPEN_POINTS, ""))) <= points.keys()


def test_no_two_facts_have_one_anchor() -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    anchors = [_anchor(heading) for heading in headings]
    assert sorted(set(anchors)) == sorted(anchors)


def test_every_citation_leads_to_a_fact() -> None:
    dead = {name: anchors - FACTS.keys() for name, anchors in CITATIONS.items()}
    assert {name: sorted(anchors) for name, anchors in dead.items() if anchors} == {}
