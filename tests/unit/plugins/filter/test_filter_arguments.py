"""A filter refuses an argument of another type in a sentence that names the filter and the argument."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleError
from jinja2 import Undefined

from tools.layout import ROOT

FILTERS = sorted(path.stem for path in ROOT.glob("plugins/filter/*.py"))
VALUES: dict[str, Any] = {
    "null": None,
    "empty": "",
    "text": "x",
    "number": 83,
    "switch": True,
    "list": ["x"],
    "list of null": [None],
    "list of numbers": [83],
    "empty dictionary": {},
    "dictionary": {"x": 1},
    "list of dictionaries": [{"x": 1}],
}
# By type, what fits it, for the arguments beside the one that is tried.
RIGHT: dict[str, Any] = {"dict": {}, "list": [], "str": "x", "int": 1, "bool": True, "raw": []}
PYTHON_TYPES: dict[str, Any] = {"dict": dict, "list": list, "str": str}
# Python's own words for a value of another type.
PYTHONS_WORDS = (
    "NoneType",
    "object is not",
    "object has no",
    "not iterable",
    "subscriptable",
    "literal",
)


def get_filter(name: str) -> tuple[Any, dict[str, Any]]:
    """Return a filter as Ansible gets it, and the rules of its arguments."""
    module = importlib.import_module(f"ansible_collections.hosting.panel.plugins.filter.{name}")
    return module.FilterModule().filters()[name], yaml.safe_load(module.DOCUMENTATION)["options"]


def list_cases() -> Iterator[tuple[str, str, str]]:
    """Yield each filter with each of its arguments and each value."""
    for name in FILTERS:
        for argument in get_filter(name)[1]:
            for value in VALUES:
                yield name, argument, value


UNPAID = {"clients": [{"username": "acme", "id": 1}], "today": "2026-11-01"}


@pytest.mark.parametrize(
    ("name", "argument", "options"),
    [
        ("panel_plan_lines", {"actions": [], "summary": None}, {}),
        ("panel_plan_markdown", {"plan": {"actions": [], "summary": None}}, {}),
        ("panel_suspend_rows", [{"username": "acme", "due": None}], UNPAID),
    ],
)
def test_an_argument_of_another_form_within_is_refused_without_the_words_of_python(
    name: str, argument: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(AnsibleError) as error:
        get_filter(name)[0](argument, **options)
    assert str(error.value) == (
        f"hosting.panel.{name}: an argument does not have the form that its documentation describes."
    )


@pytest.mark.parametrize(("name", "argument", "value"), list(list_cases()))
def test_an_argument_of_another_type_is_refused_by_name_and_never_in_the_words_of_python(
    name: str, argument: str, value: str
) -> None:
    filter_, rules = get_filter(name)
    arguments = {
        other: RIGHT[rule["type"]]
        for other, rule in rules.items()
        if rule.get("required") and other != argument
    }
    arguments[argument] = VALUES[value]
    label = "the input" if argument == "_input" else argument

    message = ""
    try:
        filter_(arguments.pop("_input"), **arguments)
    except AnsibleError as error:
        message = str(error)

    # Mistakes in customers have their places instead.
    assert not message or f"hosting.panel.{name}: " in message or "customers[0]" in message
    assert not any(words in message for words in PYTHONS_WORDS)

    expected = PYTHON_TYPES.get(rules[argument]["type"])
    is_missing = VALUES[value] is None and rules[argument].get("required")
    is_of_another_type = expected is not None and not isinstance(
        VALUES[value], (expected, type(None))
    )
    if is_missing or is_of_another_type:
        assert message.startswith(f"hosting.panel.{name}: {label}: ")


@pytest.mark.parametrize("name", FILTERS)
def test_an_argument_that_there_is_not_is_refused_by_name(name: str) -> None:
    filter_, rules = get_filter(name)
    with pytest.raises(AnsibleError, match=f"hosting.panel.{name}: colour: unknown"):
        filter_(None, colour="red")
    with pytest.raises(AnsibleError, match=f"hosting.panel.{name}: it has {len(rules)} arguments"):
        filter_(*range(len(rules) + 1))


def test_a_text_of_a_switch_or_a_number_is_read_as_one() -> None:
    filter_, _rules = get_filter("panel_zone_to_records")
    text = "$ORIGIN acme.example.\n@ 300 IN MX 10 mail\n"
    assert isinstance(filter_(text, as_zone="false"), list)
    assert isinstance(filter_(text, as_zone="yes"), dict)

    filter_, _rules = get_filter("panel_lower_ttls")
    assert filter_([], "300") == []
    assert filter_(iter(()), ttl="300") == []


def test_what_is_undefined_is_left_to_the_template() -> None:
    filter_, _rules = get_filter("panel_markdown_code")
    assert filter_(Undefined()) == filter_("")
