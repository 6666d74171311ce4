# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what is open as a verify reads it, against what the simulator takes as a profile."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify.members import expected, unknown
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import read_points
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.texts import profile_text
from panel_simulator.errors import Invalid
from panel_simulator.known import KNOWN
from panel_simulator.open_points import POINTS as OF_THE_SIMULATOR
from panel_simulator.profiles import read_profile
from tests.support.verifying import canonical
from tests.support.verifying_in_memory import Blow, Panel, at

POINTS = read_points()
VALUES: list[Any] = ["otherwise", "json_200", 201, 302, 399, 400, 401, 422, 599, 600, [], {}, 0, 2]


@pytest.mark.parametrize("name", POINTS)
def test_a_value_that_counts_as_one_of_a_point_is_taken_in_a_profile(name: str) -> None:
    point, theirs = POINTS[name], OF_THE_SIMULATOR[name]
    assert point.default == theirs.default
    for value in (point.default, *theirs.tried):
        assert point.fits(value)
    for value in VALUES:
        with contextlib.suppress(Invalid):
            theirs.check(value, KNOWN)
            continue
        assert not point.fits(value), value


@pytest.mark.parametrize("status", [201, 302, 204])
def test_a_panel_that_takes_a_name_twice_is_none_that_a_profile_can_describe(status: int) -> None:
    taken = Blow(status, body='{"id": 99, "email": "again"}')
    checks = Panel().verify(at("POST", "^/emails$", taken, skip=3, times=2)).checks
    assert [check["found"] for check in checks if check["id"] == "duplicates"] == [
        "otherwise" if status < 300 else None
    ]


def test_a_status_that_nobody_knows_for_an_unknown_path_is_otherwise() -> None:
    checks = Panel().verify(at("GET", "^/hosting-panel-verify$", Blow(418), times=0), writes=False).checks
    assert [check["found"] for check in checks if check["id"] == "unknown_path"] == ["otherwise"]


# The profile as a file.

OF_ORDER = [name for name, point in OF_THE_SIMULATOR.items() if point.form and not isinstance(point.default, int)]
TRIED = [(name, value) for name in OF_ORDER for value in OF_THE_SIMULATOR[name].tried]


def turned(value: Any) -> Any:
    """The other way round, for what has no order."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(list(value))}
    return value[::-1] if isinstance(value, list) else value


def as_a_file(profile: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "profile.yml"
    file.write_text(profile_text(profile, "", ""), encoding="utf-8")
    return read_profile(file)


@pytest.mark.parametrize(("name", "value"), TRIED, ids=[f"{name}: {json.dumps(value)}" for name, value in TRIED])
def test_what_a_verify_tells_of_a_panel_is_the_profile_that_the_simulator_has(
    name: str, value: Any, tmp_path: Path
) -> None:
    found = Panel(**{name: turned(value)}).verify().profile
    assert json.dumps(found) == json.dumps(canonical({name: value}))
    assert as_a_file(found, tmp_path) == found


VALUES_OF_MEMBERS = {
    "a_text": "blue",
    "b_list": ["x"],
    "c_group": {"x": 1},
    "d_switch": True,
    "e_number": 5,
    "f_null": None,
}


def test_of_members_that_only_the_panel_knows_the_names_of_scalars_are_told_and_of_the_rest_no_more_than_the_kind(
    tmp_path: Path,
) -> None:
    found = Panel(extra_members={"clients": VALUES_OF_MEMBERS, "dns": {"colour": "blue"}}).verify().profile
    empty = {"(a list)": [], "(an object)": {}, "a_text": "", "d_switch": False, "e_number": 0, "f_null": None}
    assert json.dumps(found) == json.dumps({"extra_members": {"clients": empty, "dns": {"colour": ""}}})
    assert as_a_file(found, tmp_path) == found


AS_SUCH, AS_TWO, NOT_AT_ALL = range(3)


@pytest.mark.parametrize(
    ("kind", "member", "other", "seen"),
    [
        ("domains", "id_user", "id_client", AS_SUCH),
        ("domains", "dkim_record", "dkim", AS_SUCH),
        ("clients", "resource_limits", "resources", AS_SUCH),
        ("clients", "notes", "text", AS_TWO),
        ("clients", "language", "locale", AS_TWO),
        ("emails", "description", "comment", AS_TWO),
        # Without its owner nothing can be made of the kind.
        ("domains", "id_user", "owner", NOT_AT_ALL),
        ("databases", "id_user", "owner", NOT_AT_ALL),
    ],
)
def test_another_name_of_a_member_is_told_as_such_or_as_a_hidden_and_a_new_one(
    kind: str, member: str, other: str, seen: int, tmp_path: Path
) -> None:
    found = Panel(renamed_members={kind: {member: other}}).verify().profile
    wanted: dict[int, dict[str, Any]] = {
        AS_SUCH: {"renamed_members": {kind: {member: other}}},
        AS_TWO: {"extra_members": {kind: {other: ""}}, "hidden_members": {kind: [member]}},
    }
    assert found == wanted.get(seen, {})
    assert as_a_file(found, tmp_path) == found


# No admin is looked at.
@pytest.mark.parametrize("kind", [kind for kind in KNOWN.shown if kind != "admins"])
def test_what_a_verify_may_tell_of_members_is_what_the_simulator_takes(kind: str) -> None:
    of_both = [name for name in KNOWN.taken[kind] - {"id", "status"} if "." not in name]
    assert unknown(kind, dict.fromkeys(of_both)) == []
    assert set(expected(kind)) <= set(KNOWN.shown[kind])
