"""The page about what the code expects of the tools of a host, and the comments that cite it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.layout import ROOT

PAGE = "docs/host_tools.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
CITATION = re.compile(r"docs/host_tools\.md#([\w-]+)")
CONTENT_CODE = sorted((ROOT / "plugins/module_utils/_content").rglob("*.py"))


def _read_facts() -> dict[str, dict[str, str]]:
    """Return the labelled lines of each fact by its anchor."""
    facts = {}
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        anchor = heading.lower().replace(" ", "-")
        facts[anchor] = dict(re.findall(r"^- ([A-Z][a-z ]+): (.+)$", body, re.MULTILINE))

    return facts


def _read_citations() -> dict[str, set[str]]:
    """Return the files that cite each anchor."""
    citations: dict[str, set[str]] = {}
    for path in CONTENT_CODE:
        for anchor in CITATION.findall(path.read_text(encoding="utf-8")):
            citations.setdefault(anchor, set()).add(path.relative_to(ROOT).as_posix())

    return citations


def _read_names_of_tests() -> set[str]:
    """Return the names of all tests of content."""
    names: set[str] = set()
    for path in Path(ROOT / "tests/content").glob("test_*.py"):
        names.update(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))

    return names


FACTS = _read_facts()
CITATIONS = _read_citations()


def test_every_citation_of_a_host_tool_leads_to_a_fact() -> None:
    assert CITATIONS.keys() <= FACTS.keys()


@pytest.mark.parametrize("anchor", FACTS)
def test_a_fact_of_a_host_tool_names_the_files_that_cite_it_and_no_others(anchor: str) -> None:
    assert list(FACTS[anchor]) == ["Seen on", "Shown by", "Used in"]
    assert set(re.findall(r"`([^`]+)`", FACTS[anchor]["Used in"])) == CITATIONS.get(anchor, set())


@pytest.mark.parametrize("anchor", FACTS)
def test_a_fact_of_a_host_tool_names_tests_that_exist(anchor: str) -> None:
    names = set(re.findall(r"`([^`]+)`", FACTS[anchor]["Shown by"]))

    assert names
    assert names <= _read_names_of_tests()
