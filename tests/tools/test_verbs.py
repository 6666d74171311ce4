"""A function begins with a verb, and what only looks like a function is let alone."""

from __future__ import annotations

import pytest
import yaml

from tools import verbs

RULES = {
    "verbs": ["find", "is"],
    "conversions": ["with"],
    "public": ["panel"],
    "demanded": ["filters"],
    "returns": {"is": ["bool"], "refuse": [None]},
}


@pytest.mark.parametrize(
    "name", ["mistakes_in_zone", "_rows_of", "of", "told", "finding", "isolated", "Rows"]
)
def test_a_function_without_a_verb_is_named_with_its_line(name: str) -> None:
    source = f"\n\ndef {name}(zone):\n    return zone\n"

    assert list(verbs.find_misnamed(source, RULES)) == [(3, name)]


@pytest.mark.parametrize(
    "name", ["find_zone", "_is_empty", "with_fields", "filters", "find", "panel_place"]
)
def test_a_verb_a_conversion_or_a_name_that_others_demand_is_accepted(name: str) -> None:
    source = f"class Zone:\n    def {name}(self):\n        return self\n"

    assert list(verbs.find_misnamed(source, RULES)) == []


@pytest.mark.parametrize(
    "function",
    [
        "@property\ndef rows(self): ...",
        "@functools.cached_property\ndef rows(self): ...",
        "@pytest.fixture(name='zone')\ndef zone_of_client(): ...",
        "def test_rows_are_read(): ...",
        "def __enter__(self): ...",
        "@nox.session\ndef style(session): ...",
        "def pytest_configure(config): ...",
    ],
)
def test_values_tests_and_protocols_keep_their_names(function: str) -> None:
    assert list(verbs.list_functions(function)) == []


@pytest.mark.parametrize("nested", ["def find():\n    def rows():\n        return 1\n"])
def test_a_function_inside_of_another_one_is_read_too(nested: str) -> None:
    assert list(verbs.find_misnamed(nested, RULES)) == [(2, "rows")]


@pytest.mark.parametrize(
    ("function", "is_right"),
    [
        ("def is_empty(zone) -> bool: ...", True),
        ("def is_empty(zone) -> bool | None: ...", True),
        ("def is_empty(zone): ...", True),
        ("def _is_empty(zone) -> str: ...", False),
        ("def refuse_zone(zone) -> None: ...", True),
        ("def refuse_zone(zone) -> str: ...", False),
        ("def find_zone(zone) -> str: ...", True),
    ],
)
def test_a_function_returns_what_its_verb_says(function: str, is_right: bool) -> None:
    assert (list(verbs.find_mistyped(function, RULES)) == []) == is_right


def test_every_verb_of_the_list_is_used_and_stands_there_once() -> None:
    rules = yaml.safe_load(verbs.VERBS.read_text(encoding="utf-8"))
    names = [
        function.name
        for file in verbs.list_files()
        for function in verbs.list_functions(file.read_text(encoding="utf-8"))
    ]
    first_words = {name.lstrip("_").partition("_")[0].lower() for name in names}

    assert [verb for verb in rules["verbs"] if verb not in first_words] == []
    assert [name for name in rules["demanded"] if name not in names] == []
    assert sorted(set(rules["verbs"])) == rules["verbs"]
