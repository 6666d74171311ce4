# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One mistake in many objects is told once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import WrongItems
from ansible_collections.hosting.panel.plugins.module_utils._items.wanted_items import read_items
from ansible_collections.hosting.panel.plugins.module_utils._task.mistakes import (
    Mistake,
    each_once,
    first_lines,
    first_of,
    told,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import resources_of


def _alike(count: int) -> list[str]:
    return [Mistake(f"emails[{index}] (m{index}@acme.example)", "max_size: is wrong.") for index in range(count)]


@pytest.mark.parametrize(
    ("names", "text", "lines"),
    [
        ([], "", []),
        (["a", "b"], "a, b", ["a", "b"]),
        (["a", "b", "c", "d"], "a, b and 2 more", ["a", "b", "and 2 more"]),
    ],
)
def test_of_many_names_the_first_are_told_and_the_others_counted(names: list[str], text: str, lines: list[str]) -> None:
    assert first_of(names, 2) == text
    assert first_of(names, 2, "; ") == text.replace(",", ";").replace(" and", "; and")
    assert first_lines(names, 2) == lines


@pytest.mark.parametrize("count", [1, 4])
def test_a_mistake_of_a_few_places_is_told_of_each(count: int) -> None:
    assert each_once(_alike(count)) == [
        f"emails[{index}] (m{index}@acme.example) max_size: is wrong." for index in range(count)
    ]


@pytest.mark.parametrize("count", [5, 500])
def test_the_same_mistake_of_many_places_is_told_once_with_the_first_of_them(count: int) -> None:
    places = "emails[1] (m1@acme.example), emails[2] (m2@acme.example), emails[3] (m3@acme.example)"
    assert each_once(_alike(count)) == [
        f"emails[0] (m0@acme.example) max_size: is wrong. The same at {places} and {count - 4} more."
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "email: 'nobody{}' is not accepted; it must be an address.",
        "email: 'it\\'s {}' is not accepted; it must be an address.",
        'email: "it\'s {}" is not accepted; it must be an address.',
        "description: '{}aaaaaaa... is not accepted; it must be a text.",
        "max_size: {} is not accepted; it must be a whole number.",
        "php_version: {}.5 stands there as a number with a fraction, which loses the zeros at its end;",
        "aliases[{}]: must be a name.",
        "hosting_plan: there is no hosting plan No such {} on this panel. Create it first.",
    ],
)
def test_mistakes_that_differ_in_the_value_only_are_one_sentence_with_the_first_places(sentence: str) -> None:
    found = [Mistake(f"emails[{number}]", sentence.format(number), ": ") for number in range(3000)]
    (once,) = each_once(found)
    places = ", ".join(f"emails[{number}]" for number in range(1, 20))
    assert once == f"emails[0]: {sentence.format(0)} The same with other values at {places} and 2980 more."
    assert len(each_once(found[:20])) == 20


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("email: 'a' is not accepted; it must be an address.", "max_size: 'a' is not accepted; it must be an address."),
        ("email: 'a' is not accepted; it must be an address.", "email: 'a' is not accepted; it must be a text."),
        ("client: there is no client a on this panel.", "domain: there is no domain a on this panel."),
    ],
)
def test_mistakes_that_differ_in_more_than_the_value_are_of_another_form(one: str, other: str) -> None:
    assert Mistake("a", one).form != Mistake("a", other).form


def test_what_many_places_have_from_outside_is_told_once_from_two_on() -> None:
    def alike(count: int) -> list[str]:
        return [Mistake(f"{index}.yml", "no Vault secret.", ": ", most_alike=1) for index in range(count)]

    assert each_once(alike(1)) == ["0.yml: no Vault secret."]
    assert each_once(alike(2)) == ["0.yml: no Vault secret. The same at 1 more."]
    assert each_once(alike(30)) == ["0.yml: no Vault secret. The same at 29 more."]


def test_different_mistakes_are_told_in_their_order() -> None:
    found = ["purge: no.", *_alike(9), Mistake("plans[0]", "name: is empty.", ": ")]
    assert [text.partition(" ")[0] for text in each_once(found)] == ["purge:", "emails[0]", "plans[0]:"]
    assert told(found).startswith("11 mistakes: purge: no. emails[0]")


def test_the_rest_of_many_different_mistakes_is_counted() -> None:
    text = told([f"{index}: wrong." for index in range(60)], "mistakes")
    assert text.endswith(" 49: wrong. And 10 more, which mistakes of this result has. Nothing was written.")


def _of_items() -> list[str]:
    return list(read_items({"clients": [{"username": f"c{index}", "emial": 1} for index in range(500)]}).mistakes)


def _of_customers() -> list[str]:
    return resources_of([{"client": {"username": f"c{index}"}, "mailboxes": []} for index in range(500)], None)[1]


@pytest.mark.parametrize("source", [_of_items, _of_customers])
def test_one_mistake_in_500_objects_is_one_sentence(source: Any) -> None:
    found = source()
    assert len(found) == 500
    (once,) = each_once(found)
    assert once.endswith(" and 496 more.")
    assert len(told(found)) < 1000


def test_an_error_has_each_mistake_once_and_as_a_plain_text() -> None:
    error = WrongItems(_of_items())
    assert len(error.all_mistakes) == 500
    assert len(error.details["mistakes"]) == 1
    assert not isinstance(error.details["mistakes"][0], Mistake)
    assert len(json.dumps(error.details)) < 1000
