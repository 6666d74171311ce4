# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A day and an instant settle after one write, whatever a panel makes of them; and so does the day after."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import Recording
from tools.reliability.memory import MemoryPlace

DATES = ("as_declared", "utc", "local", "local_with_winter", "west", "date")
# In winter, in summer, and where the year changes.
DAYS = ("2026-11-30", "2026-12-01", "2027-06-30", "2027-07-01", "2026-12-31", "2027-01-01")
INSTANTS = ("2027-06-30T12:30:00+02:00", "2027-07-01T12:30:00+02:00")
# The panel's own offset is not known, so what it would make of this could not be compared.
WITHOUT_OFFSET = "2027-12-31T23:30:00"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
KEYS: dict[str, dict[str, Any]] = {"client": {"username": "acme"}, "domain": {"domain": "acme.example"}}
MEMBERS = (("client", "suspend_on"), ("client", "delete_on"), ("domain", "delete_on"))
ALONE, TOGETHER = False, True

OF_EACH = pytest.mark.parametrize(
    ("dates", "kind", "member"), [(dates, kind, member) for dates in DATES for kind, member in MEMBERS]
)


def panel(dates: str) -> MemoryPlace:
    """A panel that makes this of dates."""
    return MemoryPlace(SEED, {"dates": dates, "status_delay": 0.0})


def given(place: MemoryPlace, kind: str, member: str, day: str, together: bool) -> Recording:
    """One task with this day, of the kind's own module or of many objects."""
    options = {**KEYS[kind], member: day}
    if together:
        return place.run(day, "panel_resources", {"resources": {f"{kind}s": [options]}})
    return place.run(day, f"panel_{kind}", options)


@OF_EACH
def test_each_day_is_written_once(dates: str, kind: str, member: str) -> None:
    place = panel(dates)
    for number, day in enumerate((*DAYS, *INSTANTS)):
        written = given(place, kind, member, day, together=bool(number % 2))
        assert (written.changed, [request["body"] for request in written.writes]) == (True, [{member: day}]), day
        settled = [given(place, kind, member, day, together) for together in (ALONE, TOGETHER)]
        assert [(one.outcome, one.changed, one.writes) for one in settled] == [("ok", False, [])] * 2, day


@OF_EACH
def test_a_time_without_an_offset_is_a_mistake_that_names_the_forms(dates: str, kind: str, member: str) -> None:
    for together in (ALONE, TOGETHER):
        refused = given(panel(dates), kind, member, WITHOUT_OFFSET, together)
        assert (refused.outcome, refused.calls) == ("failed", [])
        assert (
            f"'{WITHOUT_OFFSET}' is not accepted; it must be a date YYYY-MM-DD or a date with time and offset such as"
            in refused.msg
        )


@pytest.mark.parametrize("dates", DATES)
def test_an_export_changes_nothing(dates: str) -> None:
    place = panel(dates)
    for kind, member in MEMBERS:
        given(place, kind, member, INSTANTS[-1], ALONE)
    exported = place.run("export", "panel_resources_info", {}).result["resources"]
    again = place.run("apply", "panel_resources", {"resources": exported}, check_mode=True)
    assert (again.outcome, again.changed) == ("ok", False)
