"""The filter panel_move_mistakes: what the role move refuses before it asks a panel."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_move_mistakes import panel_move_mistakes

SETTINGS: dict[str, Any] = {
    "move_client": "acme",
    "move_step": "copy",
    "move_ttl": 300,
    "move_content": False,
}
NAMES = {
    name: f"other_{name}"
    for name in (
        "move_client", "move_step", "move_ttl", "move_content", "move_source", "move_target",
        "move_passwords_from", "move_profile_file",
    )
}  # fmt: skip
ZONES = {"path": "/moves/zones.json", "panel": "https://a.example/", "source": "a.example"}
PROFILE = {"path": "/moves/panel.yml", "is_file": True, "mistake": ""}
HOSTS: dict[str, Any] = {"source": "", "target": "", "known": ["web-1", "web-2"]}


def find_mistakes(
    settings: dict[str, Any] | None = None,
    zones: dict[str, Any] | None = None,
    profile: dict[str, Any] | None = None,
    hosts: dict[str, Any] | None = None,
) -> list[str]:
    """Return the mistakes of a right move with some other values."""
    return panel_move_mistakes(
        {**SETTINGS, **(settings or {})},
        NAMES,
        {**ZONES, **(zones or {})},
        {**PROFILE, **(profile or {})},
        {**HOSTS, **(hosts or {})},
    )


def test_right_variables_have_no_mistake() -> None:
    assert find_mistakes() == []
    assert find_mistakes({"move_content": True}, hosts={"source": "web-1", "target": "web-2"}) == []
    assert find_mistakes({"move_passwords_from": "hashes"}) == []


@pytest.mark.parametrize("client", ["../acme", ".acme", "", "acme\n", "a/b"])
def test_a_client_that_is_no_username_is_refused(client: str) -> None:
    assert find_mistakes({"move_client": client}) == ["other_move_client: this is no username."]


@pytest.mark.parametrize(
    ("ttl", "is_refused"), [(29, True), (30, False), (86400, False), (86401, True)]
)
def test_a_ttl_is_from_half_a_minute_to_a_day(ttl: int, is_refused: bool) -> None:
    sentence = f"other_move_ttl: {ttl} is not accepted. Give 30 to 86400 seconds."
    assert find_mistakes({"move_ttl": ttl}) == ([sentence] if is_refused else [])


def test_zones_of_another_panel_are_those_of_another_move() -> None:
    assert find_mistakes(zones={"source": "b.example"}) == [
        "/moves/zones.json: it has zones of https://a.example/, from another move. Move the file away."
    ]


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        (
            {"path": "", "is_file": False},
            "missing. With other_move_passwords_from, name the profile that the playbook verify wrote.",
        ),
        ({"is_file": False}, "there is no file /moves/panel.yml."),
        ({"mistake": "this is no YAML."}, "this is no YAML."),
    ],
)
def test_passwords_by_hashes_need_a_profile(profile: dict[str, Any], reason: str) -> None:
    assert find_mistakes({"move_passwords_from": "hashes"}, profile=profile) == [
        f"other_move_profile_file: {reason}"
    ]
    assert find_mistakes(profile=profile) == []


@pytest.mark.parametrize("step", ["final", "late"])
def test_a_step_of_the_content_needs_the_content(step: str) -> None:
    assert find_mistakes({"move_step": step}) == [
        f"other_move_step: {step} needs other_move_content: true."
    ]


def test_the_content_needs_two_hosts_of_the_inventory() -> None:
    missing = "missing, or no host of the inventory. It is needed with other_move_content."
    settings = {"move_content": True}
    assert find_mistakes(settings) == [
        f"other_move_source.host: {missing}",
        f"other_move_target.host: {missing}",
    ]
    assert find_mistakes(settings, hosts={"source": "web-1", "target": "web-3"}) == [
        f"other_move_target.host: {missing}"
    ]


def test_the_content_never_goes_to_the_host_where_it_is() -> None:
    assert find_mistakes({"move_content": True}, hosts={"source": "web-1", "target": "web-1"}) == [
        "other_move_target.host: this is the host of other_move_source too. Name the new server."
    ]
