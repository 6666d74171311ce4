# SPDX-License-Identifier: GPL-3.0-or-later
"""Which views use functions with the rights of their readers, in the texts of a server."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.views_query import (
    Function,
    View,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.views import (
    find_reached,
    uses_function,
)

FUNCTION = Function("FUNCTION", "a", "f")
PACKAGE = Function("PACKAGE BODY", "b", "p")


@pytest.mark.parametrize(
    ("database", "text", "function"),
    [
        ("a", "select `f`() AS `x`", FUNCTION),
        ("a", "select `F`(1) AS `x`", FUNCTION),
        ("b", "select substr('x',`a`.`f`()) AS `x`", FUNCTION),
        ("a", "select `b`.`p`.`g`() AS `x`", PACKAGE),
        ("b", "select `p`.`g`() AS `x`", PACKAGE),
        ("b", "select `a`.`f``x`() AS `x`", Function("FUNCTION", "a", "f`x")),
    ],
)
def test_a_function_is_found_by_its_name(database: str, text: str, function: Function) -> None:
    assert uses_function(View(database, "v", text), function)


@pytest.mark.parametrize(
    ("database", "text", "function"),
    [
        ("b", "select `f`() AS `x`", FUNCTION),
        ("a", "select `f` AS `x` from `a`.`f`", FUNCTION),
        ("a", "select `ff`() AS `x`", FUNCTION),
        ("b", "select `c`.`f`() AS `x`", FUNCTION),
        ("b", "select `pp`.`g`() AS `x`", PACKAGE),
        ("a", "select `p`.`g`() AS `x`", PACKAGE),
    ],
)
def test_another_function_is_none(database: str, text: str, function: Function) -> None:
    assert not uses_function(View(database, "v", text), function)


def test_views_lead_to_views_of_other_databases() -> None:
    first = View("a", "v", "select 1 from `b`.`x``y`")
    second = View("b", "x`y", "select 1 from `c`.`Z`")
    third = View("c", "z", "select 1 from `b`.`x``y` join `a`.`v`")
    unrelated = View("b", "w", "select 1 from `a`.`v`")

    assert list(find_reached([unrelated, third, second, first], "a")) == [first, second, third]


def test_views_that_lead_to_each_other_are_read_once() -> None:
    first = View("a", "v", "select 1 from `b`.`w`")
    second = View("b", "w", "select 1 from `a`.`v`")

    assert list(find_reached([first, second], "a")) == [first, second]
