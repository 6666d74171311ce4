"""What a template of ansible-core before 2.19 cannot hand on is a mistake of its variable."""

from __future__ import annotations

import ast
import datetime
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._values.nesting import DEEPEST
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible import types_of_templates
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.rule import read_variables
from tests.support.odd_values import make_nested
from tools.layout import ROOT

TABLE_FILES = [
    *sorted(ROOT.glob("roles/*/vars/main.yml")),
    ROOT / "playbooks" / "vars" / "panel.yml",
    ROOT / "extensions" / "awx" / "objects" / "variables.yml",
    ROOT / "extensions" / "awx" / "project" / "vars" / "panels.yml",
]


# By name a value, and whether a template can hand it on.
VALUES: dict[str, tuple[Any, bool]] = {
    "infinite": (math.inf, False),
    "infinite and negative": (-math.inf, False),
    "no number": (math.nan, False),
    "number of 5000 digits": (16**5000, False),
    "negative number of 5000 digits": (-(16**5000), False),
    "300 lists": (make_nested(300), False),
    "iterator": (iter(()), False),
    "span of time": (datetime.timedelta(1), False),
    "keys": ({}.keys(), False),
    "infinite key": ({math.inf: 1}, False),
    "infinite number in a key": ({(1, math.nan): 1}, False),
    "infinite number in a set": ({math.inf}, False),
    "dictionary of 300": ({"a": make_nested(300)}, False),
    "finite": (1e300, True),
    "number of 900 digits": (10**899, True),
    "20 lists": (make_nested(20), True),
    "date": (datetime.date(2026, 11, 30), True),
    "date as a key": ({datetime.date(2026, 11, 30): 1}, True),
    "date in a set": ({datetime.date(2026, 11, 30)}, True),
    "date in a key": ({(datetime.date(2026, 11, 30),): 1}, True),
    "bytes": (b"\0\xff", True),
    "empty set": (set(), True),
    "half of a character in a text": (["a\ud800b"], True),
    "NUL in a text": ({"a\0": "\0"}, True),
    "quotes": (["'\"\n\\{{ a }}"], True),
}


def list_variables() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the rules of each variable of each table."""
    for path in TABLE_FILES:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for title, table in content.items():
            if title.endswith("_variables"):
                yield from table.items()


def place_value(value: Any, rules: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a value for a variable, with the odd one everywhere where its rules may hold one."""
    yield value
    yield from ([value], {"a": value}, [{"a": value}], {"a": [{"b": value}]})
    for name, inner_rules in rules.get("options", {}).items():
        for inner in place_value(value, inner_rules):
            yield from ({name: inner}, [{name: inner}])


def hand_on(content: Any) -> Any:
    """Return what a template of ansible-core 2.16 makes of a list or dictionary."""
    return ast.literal_eval(ast.parse(str(content), mode="eval"))


@pytest.fixture(autouse=True)
def old_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have dates handed on as ansible-core before 2.19 does."""
    monkeypatch.setattr(types_of_templates, "_TEMPLATES_MAKE_TEXTS", True)


def check_reading(name: str, value: Any, rules: Mapping[str, Any], is_fit: bool) -> None:
    """Assert that what is read can be handed on, and that a value that cannot has a mistake."""
    reading = read_variables({name: value}, {name: rules})
    content = {
        "settings": types_of_templates.without_dates(reading.settings),
        "mistakes": reading.mistakes,
        "names": reading.names,
    }

    assert hand_on({"result": content}) == {"result": content}
    if not is_fit:
        assert (name in reading.settings, len(reading.mistakes) > 0) == (False, True)
        assert all(mistake.startswith(name) for mistake in reading.mistakes)


def test_every_table_is_tried() -> None:
    files = [
        path
        for folder in ("roles", "playbooks", "extensions")
        for path in (ROOT / folder).rglob("*.yml")
        if "_variables:\n" in path.read_text(encoding="utf-8")
    ]
    assert sorted(files) == sorted(TABLE_FILES)


@pytest.mark.parametrize("value_name", VALUES)
def test_no_variable_of_any_table_hands_on_what_a_template_cannot(value_name: str) -> None:
    value, is_fit = VALUES[value_name]
    for name, rules in list_variables():
        for placed in place_value(value, rules):
            check_reading(name, placed, rules, is_fit)


@pytest.mark.parametrize("kind", ["raw", "mapping"])
def test_a_value_is_as_deep_as_the_limit_and_no_deeper(kind: str) -> None:
    rules = {"type": kind}
    for levels, is_fit in ((DEEPEST, True), (DEEPEST + 1, False), (199, False), (5000, False)):
        check_reading("panel_protect", {"emails": make_nested(levels)}, rules, is_fit)


ODD = st.floats() | st.binary() | st.dates() | st.datetimes() | st.text() | st.integers()
ODD |= st.none() | st.booleans() | st.sampled_from(list(VALUES)).map(lambda name: VALUES[name][0])
ANYTHING = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.floats() | st.dates(), inner, max_size=3)
        | st.tuples(inner)
    ),
    max_leaves=6,
)


@given(value=ANYTHING, empty=st.sampled_from(["kept", "refused", ""]))
def test_whatever_is_read_can_be_handed_on(value: Any, empty: str) -> None:
    check_reading("panel_protect", value, {"type": "raw", "empty": empty}, True)


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        (math.inf, ": it is infinite, or no number at all (.inf, .nan). "),
        ({"emails": ["a", math.nan]}, ".emails[1]: it is infinite, or no number at all"),
        ({math.inf: 1}, ": a key: it is infinite"),
        ({"a": {(1, math.inf): 1}}, ".a: a key[1]: it is infinite"),
        ([16**5000], "[0]: it is a number of more than 1000 digits. Put it in quotes."),
        (
            [make_nested(300)],
            f": lists and dictionaries lie in one another more than {DEEPEST} times.",
        ),
        ({"x" * 20_000: iter(())}, f".{'x' * 60}…: it is no text, number, switch, date, "),
    ],
)
def test_a_mistake_names_the_variable_the_place_and_the_reason(value: Any, mistake: str) -> None:
    reading = read_variables({"panel_protect": value}, {"panel_protect": {"type": "raw"}})
    (sentence,) = reading.mistakes
    assert sentence.startswith("panel_protect")
    assert mistake in sentence
    assert len(sentence) < 400


def test_an_option_of_an_entry_is_named_alone() -> None:
    table = {"panels": {"type": "list", "options": {"disk_space": {"type": "raw"}}}}
    reading = read_variables({"panels": [{"disk_space": math.inf}]}, table)
    assert [mistake.partition(": ")[0] for mistake in reading.mistakes] == ["panels[0].disk_space"]
