"""Patterns of hosts that the inventory lacks are named (hosting.panel.panel_unknown_hosts)."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_unknown_hosts import panel_unknown_hosts

GROUPS = {"all": ["web-1", "web-2", "2001:db8::1"], "ungrouped": [], "panels": ["web-1", "web-2"]}
NO_HOST = "panel_hosts names no host of the inventory."


def find_unknown(*patterns: str, hosts: tuple[str, ...] = ("web-1",)) -> list[str]:
    """Return what is wrong with patterns that these hosts fit."""
    return panel_unknown_hosts(list(patterns), "panel_hosts", GROUPS, list(hosts))


@pytest.mark.parametrize(
    ("pattern", "ending"),
    [
        ("panles", "panles; did you mean panels?"),
        ("web-1,web-3", "web-3; did you mean web-2?"),
        ("panels:panles", "panles; did you mean panels?"),
        ("nothing", "nothing."),
    ],
)
def test_a_host_or_group_that_there_is_not_is_named_with_the_nearest(
    pattern: str, ending: str
) -> None:
    assert find_unknown(pattern) == [f"panel_hosts: the inventory has no host or group {ending}"]


@pytest.mark.parametrize(
    "pattern",
    ["web-1", "panels", "all", "localhost", "web*", "web-[1:2]", "~web.*", "panels:&web*:!web-2",
     "2001:db8::1", "web-1, web-2", "panels:!gone", "127.0.0.1"],
)  # fmt: skip
def test_a_pattern_that_describes_names_or_names_what_there_is_is_right(pattern: str) -> None:
    assert find_unknown(pattern) == []


@pytest.mark.parametrize("patterns", [(), ("web-x*",), ("~nothing",)])
def test_patterns_that_no_host_fits_are_refused(patterns: tuple[str, ...]) -> None:
    assert find_unknown(*patterns, hosts=()) == [NO_HOST]


def test_the_controller_itself_needs_no_inventory() -> None:
    assert find_unknown("localhost", hosts=()) == []


def test_without_an_inventory_it_says_how_to_pass_one() -> None:
    groups: dict[str, list[str]] = {"all": [], "ungrouped": []}
    assert panel_unknown_hosts(["panels"], "panel_hosts", groups, []) == [
        "panel_hosts: the inventory has no host or group panels.",
        "No inventory was read: pass -i FILE or set ANSIBLE_INVENTORY.",
    ]
