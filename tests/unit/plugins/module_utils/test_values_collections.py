# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists that are sets, and members that are compared as they are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._values.collections import SetOf, contains
from ansible_collections.hosting.panel.plugins.module_utils._values.names import EmailAddress
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import Text, parsed

ADDRESSES = SetOf(EmailAddress())
A, B, C = "a@shop.example", "b@shop.example", "c@shop.example"


@pytest.mark.parametrize("current", [[A, B, C], [C, B, A], [A, B, C, A], ["A@Shop.Example", B, C]])
def test_order_case_and_repetition_do_not_count(current: list[str]) -> None:
    assert ADDRESSES.same([A, B, C], current)


@pytest.mark.parametrize("current", [[A, B], [A, B, C, "d@shop.example"], [], None, A, {}, 7, [A, B, None]])
def test_a_longer_or_shorter_list_is_another_set(current: Any) -> None:
    assert not ADDRESSES.same([A, B, C], current)


def test_the_same_address_twice_is_sent_once_and_in_the_given_order() -> None:
    assert ADDRESSES.parse([B, "A@shop.example", A, "a@SHOP.example."]) == [B, A]


@pytest.mark.parametrize("written", [[], "", [""]])
def test_empty_clears(written: Any) -> None:
    assert ADDRESSES.parse(written) == []
    assert ADDRESSES.same([], None)
    assert ADDRESSES.same([], [])
    assert not ADDRESSES.same([], [A])


def test_one_text_is_a_list_of_one() -> None:
    assert ADDRESSES.parse(A) == [A]


@pytest.mark.parametrize("written", [[A, "none"], [A, None], [A, [B]], {"a": A}, 7, True, [A, ""]])
def test_a_wrong_entry_is_an_error_that_names_the_form(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(ADDRESSES, "aliases", written)
    assert caught.value.option == "aliases"
    assert "each entry must be an e-mail address" in caught.value.message


def test_ansible_is_told_the_type_of_the_entries() -> None:
    assert SetOf(Text()).argument() == {"type": "list", "elements": "str"}


@given(st.lists(st.sampled_from([A, B, C, "Ä@Müller.example", "ä@xn--mller-kva.example"])), st.randoms())
def test_a_parsed_list_parses_to_itself_in_any_order(written: list[str], random: Any) -> None:
    sent = ADDRESSES.parse(written)
    assert ADDRESSES.parse(sent) == sent
    shuffled = list(written)
    random.shuffle(shuffled)
    assert ADDRESSES.same(sent, shuffled)


# Members of extra.


@pytest.mark.parametrize(
    ("wanted", "current", "is_contained"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, True),
        ({"a": {"x": 1}}, {"a": {"x": 2, "y": 2}}, False),
        ({"a": 1}, {"b": 2}, False),
        ({"a": None}, {}, False),
        ({"a": None}, {"a": None}, True),
        ({}, {"a": 1}, True),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        (1, 1, True),
        (1, "1", False),
        (1, True, False),
        (True, 1, False),
        (0, None, False),
        ("", None, False),
        ({"a": 1}, None, False),
        ({"a": [{"x": 1}]}, {"a": [{"x": 1}]}, True),
    ],
)
def test_a_wanted_value_is_there_only_as_it_is(wanted: Any, current: Any, is_contained: bool) -> None:
    assert contains(current, wanted) is is_contained
