# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Byte quantities (interface, "Byte values")."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import ByteSize
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import parsed


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("1", 1),
        ("1073741824", 1073741824),
        (1073741824, 1073741824),
        ("1K", 1024),
        ("1M", 1024**2),
        ("1G", 1073741824),
        ("3T", 3 * 1024**4),
        ("2P", 2 * 1024**5),
        (" 10G ", 10 * 1024**3),
        ("-1", -1),
        (-1, -1),
    ],
)
def test_these_are_sizes(written: Any, size: int) -> None:
    assert ByteSize().parse(written) == size


@pytest.mark.parametrize(
    "written",
    [
        "1.5G",
        "1.0",
        1.5,
        1e9,
        "1e9",
        "1g",
        "1k",
        "1GB",
        "1GiB",
        "1 G",
        "G",
        "",
        " ",
        "+1",
        "-2",
        "-1G",
        "-1K",
        "0x10",
        "1_000",
        "１",
        "ten",
        None,
        True,
        [],
        {},
        0,
        "0",
        "0G",
        -5,
    ],
)
def test_these_are_none(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(ByteSize(), "max_size", written)
    assert caught.value.option == "max_size"
    assert "1G is 1073741824" in caught.value.message
    assert "decimals are not allowed" in caught.value.message
    assert "-1 is unlimited" in caught.value.message


def test_zero_counts_where_the_panel_takes_it() -> None:
    assert ByteSize(least=0).parse("0") == 0
    assert ByteSize(least=0).parse("0G") == 0


def test_unlimited_counts_only_where_the_panel_takes_it() -> None:
    with pytest.raises(ValueError):
        ByteSize(unlimited=False).parse("-1")
    assert "unlimited" not in ByteSize(unlimited=False).form


@pytest.mark.parametrize("current", [1073741824, "1073741824", "1G", "1024M", " 1G ", 1073741824.0])
def test_one_size_in_all_its_forms_is_the_same(current: Any) -> None:
    assert ByteSize().same(1073741824, current)


@pytest.mark.parametrize("current", [None, "", 0, -1, "-1", 1073741825, "1.5G", True, [], {}, "unlimited"])
def test_another_size_is_not(current: Any) -> None:
    assert not ByteSize().same(1073741824, current)


def test_unlimited_is_not_another_size() -> None:
    assert ByteSize().same(-1, "-1")
    assert not ByteSize().same(-1, 1)
    assert not ByteSize().same(1, True)


@given(st.integers(1, 8191), st.sampled_from(["", "K", "M", "G", "T", "P"]))
def test_a_parsed_size_parses_to_itself(number: int, unit: str) -> None:
    size = ByteSize().parse(f"{number}{unit}")
    assert ByteSize().parse(size) == size
    assert ByteSize().parse(str(size)) == size
    assert ByteSize().same(size, f"{number}{unit}")


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())))
def test_comparing_never_fails(current: Any) -> None:
    ByteSize().same(1024, current)
