"""The filter panel_content_mistakes: what the role content refuses before it connects to a host."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_mistakes import (
    panel_content_mistakes,
)

NAMES = {
    name: f"other_{name}"
    for name in ("content_source", "content_target", "content_objects", "content_objects_file")
}
HOSTS: dict[str, Any] = {
    "source": "web-1",
    "target": "web-2",
    "own": "web-2",
    "known": ["web-1", "web-2"],
}
IN_VARIABLE: dict[str, Any] = {"content_objects": {}}
IN_FILE = {"content_objects_file": "objects.json"}
OBJECTS: dict[str, Any] = {"path": "", "is_file": False, "mistakes": []}
FILE: dict[str, Any] = {"path": "/etc/objects.json", "is_file": True, "mistakes": []}
SAME = (
    "other_content_source: this is the target itself. Run the role on the host that gets the "
    "content."
)


def find_mistakes_in_hosts(**hosts: Any) -> list[str]:
    """Return the mistakes of right variables with some other hosts."""
    return panel_content_mistakes(IN_VARIABLE, NAMES, {**HOSTS, **hosts}, OBJECTS)


def test_right_variables_have_no_mistake() -> None:
    assert panel_content_mistakes(IN_VARIABLE, NAMES, HOSTS, OBJECTS) == []
    assert panel_content_mistakes(IN_FILE, NAMES, HOSTS, FILE) == []


@pytest.mark.parametrize(
    ("hosts", "mistakes"),
    [
        ({"source": "web-9"}, ["other_content_source: web-9 is no host of the inventory."]),
        ({"target": "web-9"}, ["other_content_target: web-9 is no host of the inventory."]),
        ({"source": "web-2"}, [SAME]),
        (
            {"source": "web-9", "target": "web-9"},
            [
                "other_content_source: web-9 is no host of the inventory.",
                "other_content_target: web-9 is no host of the inventory.",
                SAME,
            ],
        ),
    ],
)
def test_a_host_that_is_unknown_or_both_is_refused(
    hosts: dict[str, str], mistakes: list[str]
) -> None:
    assert find_mistakes_in_hosts(**hosts) == mistakes


def test_the_role_may_run_on_a_host_that_no_inventory_has_and_copy_from_none() -> None:
    assert find_mistakes_in_hosts(target="localhost", own="localhost") == []
    assert find_mistakes_in_hosts(source="localhost", own="localhost") == [
        "other_content_source: localhost is no host of the inventory."
    ]


@pytest.mark.parametrize(
    ("settings", "objects", "mistake"),
    [
        pytest.param(
            {**IN_VARIABLE, **IN_FILE},
            FILE,
            "content_objects: give it or content_objects_file, and not both.",
            id="both",
        ),
        pytest.param(
            {}, OBJECTS, "content_objects: missing. Give it or content_objects_file.", id="none"
        ),
        pytest.param(
            IN_FILE,
            {**FILE, "is_file": False},
            "other_content_objects_file: there is no file /etc/objects.json.",
            id="no file",
        ),
    ],
)
def test_objects_are_in_one_place_and_nothing_else_is_told_of_them_otherwise(
    settings: dict[str, Any], objects: dict[str, Any], mistake: str
) -> None:
    objects = {**objects, "mistakes": ["content_objects: no object."]}
    assert panel_content_mistakes(settings, NAMES, HOSTS, objects) == [mistake]


def test_what_is_wrong_with_the_objects_stands_after_the_hosts() -> None:
    objects = {**OBJECTS, "mistakes": ["content_objects.trees[0].owner: missing."]}
    hosts = {**HOSTS, "source": "web-9"}
    assert panel_content_mistakes(IN_VARIABLE, NAMES, hosts, objects) == [
        "other_content_source: web-9 is no host of the inventory.",
        "content_objects.trees[0].owner: missing.",
    ]
