# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts, whole numbers, switches and choices."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    Boolean,
    Choice,
    Integer,
    OptionalInteger,
    Text,
    ValueType,
)

# Texts.


@pytest.mark.parametrize(("written", "sent"), [("a", "a"), ("", ""), (7, "7"), ("a\nb\n", "a\nb\n"), (" a ", " a ")])
def test_a_text_is_sent_as_it_is_written(written: Any, sent: str) -> None:
    assert Text().parse(written) == sent


@pytest.mark.parametrize("written", [["a"], {"a": 1}])
def test_lists_and_dictionaries_are_no_text(written: Any) -> None:
    with pytest.raises(ValueError):
        Text().parse(written)


def test_an_empty_text_clears_where_the_panel_takes_it() -> None:
    assert Text(empty_is_null=True).parse("") is None
    with pytest.raises(ValueError):
        Text(clearable=False).parse("")
    assert "not empty" in Text(clearable=False).form


@pytest.mark.parametrize(
    ("wanted", "current"),
    [("a", "a"), ("", None), (None, ""), (None, None), ("7", 7), ("a\nb", "a\r\nb\r\n"), ("a\n", "a"), ("1.5", 1.5)],
)
def test_these_texts_are_the_same(wanted: str | None, current: Any) -> None:
    assert Text().same(wanted, current)


@pytest.mark.parametrize(
    ("wanted", "current"), [("a", "A"), ("a", "a "), ("a", None), ("", "a"), ("a", ["a"]), ("True", True), ("1", True)]
)
def test_these_texts_are_not(wanted: str, current: Any) -> None:
    assert not Text().same(wanted, current)


# Whole numbers.


@pytest.mark.parametrize(("written", "number"), [(7, 7), ("7", 7), (" 7 ", 7), (0, 0), ("0", 0)])
def test_these_are_whole_numbers(written: Any, number: int) -> None:
    assert Integer().parse(written) == number


@pytest.mark.parametrize("written", [-1, "-1", "", "a", 1.5, "1.5", True, None, [], "9" * 5000])
def test_these_are_none(written: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        Integer().parse(written)


def test_bounds_are_kept_and_named() -> None:
    number = Integer(1, 10, unlimited=True)
    assert [number.parse(value) for value in (1, 10, -1)] == [1, 10, -1]
    for value in (0, 11, -2):
        with pytest.raises(ValueError):
            number.parse(value)
    assert number.form == "a whole number from 1 to 10, or -1 for unlimited"


@pytest.mark.parametrize(
    ("wanted", "current", "is_same"),
    [
        (7, 7, True),
        (7, "7", True),
        (7, 7.0, True),
        (-1, "-1", True),
        (7, 8, False),
        (7, None, False),
        (7, "x", False),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        (0, "", False),
        (7, [7], False),
    ],
)
def test_numbers_compare_by_value_and_not_with_switches(wanted: int, current: Any, is_same: bool) -> None:
    assert Integer().same(wanted, current) is is_same


def test_an_optional_number_is_cleared_by_an_empty_text() -> None:
    optional = OptionalInteger(1)
    assert optional.parse("") is None
    assert optional.parse("3") == 3
    assert "empty text" in optional.form
    for current in (None, ""):
        assert optional.same(None, current)
    for other in (0, 3, "3"):
        assert not optional.same(None, other)
    assert optional.argument() == {"type": "raw"}
    with pytest.raises(ValueError):
        optional.parse(0)


# Switches.


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (True, True),
        (False, False),
        ("yes", True),
        ("No", False),
        ("ON", True),
        ("off", False),
        (1, True),
        (0, False),
        ("1", True),
        ("0", False),
        ("true", True),
        ("False", False),
    ],
)
def test_these_are_switches(written: Any, value: bool) -> None:
    assert Boolean().parse(written) is value


@pytest.mark.parametrize("written", ["", "maybe", 2, -1, None, [], {}])
def test_these_are_no_switches(written: Any) -> None:
    with pytest.raises(ValueError):
        Boolean().parse(written)


@pytest.mark.parametrize("current", [True, 1, "1", "true", "True", 1.0])
def test_older_panels_say_1_for_true(current: Any) -> None:
    assert Boolean().same(True, current)
    assert not Boolean().same(False, current)


@pytest.mark.parametrize("current", [False, 0, "0", "false", "no", 0.0])
def test_older_panels_say_0_for_false(current: Any) -> None:
    assert Boolean().same(False, current)
    assert not Boolean().same(True, current)


@pytest.mark.parametrize("current", [None, "", 2, "maybe", [], {}])
def test_what_is_no_switch_is_neither(current: Any) -> None:
    assert not Boolean().same(True, current)
    assert not Boolean().same(False, current)


# Choices.


def test_a_choice_is_one_of_its_words_or_numbers() -> None:
    assert Choice("static", "dynamic").parse("dynamic") == "dynamic"
    assert Choice(301, 302).parse("301") == 301
    assert Choice(301, 302).argument() == {"type": "int", "choices": [301, 302]}
    assert Choice("static").argument() == {"type": "str", "choices": ["static"]}
    assert Choice("a", "b").form == "one of a, b"


@pytest.mark.parametrize("written", ["Static", "", None, 1, True])
def test_anything_else_is_none(written: Any) -> None:
    with pytest.raises(ValueError):
        Choice("static", 1 if isinstance(written, bool) else "dynamic").parse(written)


@pytest.mark.parametrize(("current", "is_same"), [(301, True), ("301", True), (302, False), (None, False)])
def test_choices_compare_as_texts(current: Any, is_same: bool) -> None:
    assert Choice(301, 302).same(301, current) is is_same


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=5,
)
TYPES = [Text(), Text(clearable=False), Integer(), OptionalInteger(), Boolean(), Choice("a", "b"), Choice(1, 2)]


@settings(max_examples=30)
@pytest.mark.parametrize("value_type", TYPES, ids=lambda each: type(each).__name__)
@given(written=ANYTHING, current=ANYTHING)
def test_what_is_accepted_is_stable_and_comparing_never_fails(
    value_type: ValueType, written: Any, current: Any
) -> None:
    try:
        sent = value_type.parse(written)
    except (ValueError, TypeError, ArithmeticError):
        sent = None
    else:
        again = value_type.parse("" if sent is None else sent)
        assert value_type.same(again, sent)
        assert again == sent
    value_type.same(sent, current)


def test_the_type_of_an_option_is_the_type_of_its_values() -> None:
    assert [each.argument()["type"] for each in (Text(), Integer(), Boolean())] == ["str", "int", "bool"]


@pytest.mark.parametrize(
    ("value_type", "shown", "typed"),
    [
        (Integer(), "17", 17),
        (Integer(), "many", "many"),
        (OptionalInteger(), "", None),
        (Boolean(), "1", True),
        (Boolean(), 0, False),
        (Boolean(), None, None),
        (Choice(301, 302), "302", 302),
        (Choice(301, 302), "307", "307"),
        (Text(), 17, "17"),
        (Text(), "17\r\n", "17\r\n"),
        (Text(), None, None),
    ],
)
def test_what_the_panel_shows_is_sent_back_in_its_own_type(value_type: ValueType, shown: Any, typed: Any) -> None:
    sent = value_type.typed(shown)
    assert (sent, type(sent)) == (typed, type(typed))
