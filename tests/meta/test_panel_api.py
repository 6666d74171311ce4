"""The page about what the code expects of the panel's API, and the comments that cite it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.meta.modules import list_tracked_files
from tests.meta.test_architecture import is_defined_in, is_there, list_names_in_files
from tools.layout import ROOT

PAGE = "docs/panel_api.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
LABELS = ["Source", "Confidence", "Used in", "If a panel differs"]
OPEN_POINTS = "Open points"
POINTS = ROOT / "roles/simulator/files/panel_simulator/open_points.yml"

# Beside names of the code, advice quotes values of JSON and of Python.
WORDS_OF_OTHERS = frozenset({"application/json", "false", "null", "False", "True"})

# The documentation names the form of a citation, and this file names wrong ones.
FILES_WITH_CITATIONS = re.compile(
    r"(plugins|roles|playbooks|extensions|tests|tools)/.+\.(py|yml|j2)|noxfile\.py"
)
CITATION = re.compile(r"docs/panel_api\.md#([\w-]*)")
# A source that no reader of the repository has, or the page without an anchor.
VAGUE_SOURCE = re.compile(
    r"facts\.md|panel_api\.md(?!#)|\bthe interface\b|\(interface\b|\binterface document\b",
    re.IGNORECASE,
)


def _make_anchor(heading: str) -> str:
    """Return the anchor that hosts of repositories and the site make of a heading."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


def _read_facts() -> dict[str, dict[str, str]]:
    """Return the labelled lines of each fact by its anchor."""
    facts = {}
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        facts[_make_anchor(heading)] = dict(
            re.findall(r"^- ([A-Z][a-z ]+): (.+)$", body, re.MULTILINE)
        )

    return facts


def _list_defined_terms(heading: str) -> list[str]:
    """Return the first column of the table with this heading, without the line below it."""
    table = TEXT.partition(f"| {heading} | meaning |\n")[2].partition("\n\n")[0]
    return re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]


def _list_names_in_code(line: str) -> list[str]:
    """Return what is set as code in a line of a fact."""
    return re.findall(r"`([^`]+)`", line)


def _read_citations() -> dict[str, set[str]]:
    """Return the anchors that each file cites."""
    citations = {}
    for path in list_tracked_files():
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
    sources = "|".join(map(re.escape, _list_defined_terms("source")))

    assert [label for label in fact if label != OPEN_POINTS] == LABELS
    assert re.search(rf"\b(?:{sources})\b", fact["Source"], re.IGNORECASE)
    assert fact["Confidence"] in _list_defined_terms("confidence")


@pytest.mark.parametrize("anchor", FACTS)
def test_the_open_points_of_a_fact_exist(anchor: str) -> None:
    points = yaml.safe_load(POINTS.read_text(encoding="utf-8"))
    assert set(_list_names_in_code(FACTS[anchor].get(OPEN_POINTS, ""))) <= points.keys()


def _list_names_of_code(advice: str) -> list[str]:
    """Return what advice names of the code; of `change=Mutability.FREE` the argument and value."""
    names = [code_name for quoted in _list_names_in_code(advice) for code_name in quoted.split("=")]
    return [name for name in names if name not in WORDS_OF_OTHERS]


@pytest.mark.parametrize("anchor", FACTS)
def test_the_code_that_the_advice_of_a_fact_names_exists(anchor: str) -> None:
    advice = FACTS[anchor]["If a panel differs"]
    assert [name for name in _list_names_of_code(advice) if not is_there(name)] == []
    assert [pair for pair in list_names_in_files(advice) if not is_defined_in(*pair)] == []


def test_code_that_is_gone_or_elsewhere_would_be_noticed_in_advice() -> None:
    advice = "Pass `no_such_option=True` to `ByteSize` in `_dns/planning.py`, or send `null`."

    assert [name for name in _list_names_of_code(advice) if not is_there(name)] == [
        "no_such_option"
    ]
    assert [pair for pair in list_names_in_files(advice) if not is_defined_in(*pair)] == [
        ("ByteSize", "_dns/planning.py")
    ]


def test_every_open_point_belongs_to_a_fact() -> None:
    points = yaml.safe_load(POINTS.read_text(encoding="utf-8"))
    named = {
        name for fact in FACTS.values() for name in _list_names_in_code(fact.get(OPEN_POINTS, ""))
    }

    assert sorted(points.keys() - named) == []


def test_no_two_facts_have_one_anchor() -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    anchors = [_make_anchor(heading) for heading in headings]

    assert sorted(set(anchors)) == sorted(anchors)


def test_every_citation_leads_to_a_fact() -> None:
    dead = {name: anchors - FACTS.keys() for name, anchors in CITATIONS.items()}
    assert {name: sorted(anchors) for name, anchors in dead.items() if anchors} == {}


def _is_within(name: str, path: str) -> bool:
    """Return whether a file is the one at a path or lies below it."""
    return Path(name).is_relative_to(path)


@pytest.mark.parametrize("anchor", FACTS)
def test_a_fact_names_the_places_that_cite_it_and_no_others(anchor: str) -> None:
    places = _list_names_in_code(FACTS[anchor]["Used in"])
    citing = [name for name, anchors in CITATIONS.items() if anchor in anchors]
    citations = [(name, path) for name in citing for path in places if _is_within(name, path)]
    unlisted = set(citing) - {name for name, _path in citations}
    without_citation = set(places) - {path for _name, path in citations}

    assert citing != [], f"nothing cites {PAGE}#{anchor}"
    assert (unlisted, without_citation) == (set(), set())


@pytest.mark.parametrize(
    ("code", "is_vague"),
    [
        pytest.param(
            "# Sizes are bytes (facts.md section 9).", True, id="a file that no reader has"
        ),
        pytest.param(
            "# The interface says nothing of pages.", True, id="an interface without an anchor"
        ),
        pytest.param(
            '"""What the interface leaves open."""', True, id="a docstring without an anchor"
        ),
        pytest.param(
            "# The interface says so: docs/panel_api.md#ping.", False, id="with an anchor"
        ),
        pytest.param(
            "# Bytes\n# as facts.md\n\n# docs/panel_api.md#ping",
            True,
            id="an anchor in another comment",
        ),
        pytest.param("# The network interface has an address.", False, id="another interface"),
        pytest.param('print("the interface says")', False, id="a string that is no docstring"),
    ],
)
def test_a_comment_that_names_its_source_vaguely_is_noticed(code: str, is_vague: bool) -> None:
    assert bool(list(_find_vague_comments(_list_python_comments(code)))) is is_vague


def test_a_comment_about_the_api_cites_a_fact() -> None:
    vague = []

    for path in list_tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if FILES_WITH_CITATIONS.fullmatch(name):
            text = path.read_text(encoding="utf-8")
            # To parse every file would take seconds.
            if VAGUE_SOURCE.search(text):
                comments = (
                    _list_python_comments(text)
                    if path.suffix == ".py"
                    else _list_yaml_comments(text)
                )
                vague += [f"{name}: {comment}" for comment in _find_vague_comments(comments)]

    assert vague == []


def _find_vague_comments(comments: Iterator[str]) -> Iterator[str]:
    """Yield the comments that name a source, and not where a reader finds it."""
    for comment in comments:
        if VAGUE_SOURCE.search(comment) and not CITATION.search(comment):
            yield comment


def _list_python_comments(code: str) -> Iterator[str]:
    """Yield each docstring, and each comment with the lines that follow it directly."""
    for node in ast.walk(ast.parse(code)):
        # A string alone is a docstring, or describes the constant above it.
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield " ".join(node.value.value.split())

    block: list[str] = []
    last_line = 0

    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != last_line + 1:
            yield " ".join(block)
            block = []
        block.append(token.string.lstrip("# "))
        last_line = token.start[0]

    yield " ".join(block)


def _list_yaml_comments(text: str) -> Iterator[str]:
    """Yield each comment with the lines that follow it directly."""
    for block in re.findall(r"(?:^[ ]*#.*\n?)+", text, re.MULTILINE):
        yield " ".join(line.strip("# ") for line in block.splitlines())
