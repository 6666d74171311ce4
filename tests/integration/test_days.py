# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A day and an instant settle after one write, whatever a panel makes of them; and so does the day after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.playbook import IN_PROCESS, PRELOADED, Run, play, task
from tests.support.simulator import Simulator

DATES = ("as_declared", "utc", "local", "winter", "west", "date")
# In winter, in summer, and where the year changes.
DAYS = ("2026-11-30", "2026-12-01", "2027-06-30", "2027-07-01", "2026-12-31", "2027-01-01")
INSTANTS = ("2027-06-30T12:30:00+02:00", "2027-07-01T12:30:00+02:00")
# The panel's own offset is not known, so what it would make of this could not be compared.
WITHOUT_OFFSET = "2027-12-31T23:30:00"
OBJECTS = (
    ("panel_client", "clients", {"username": "acme"}, "suspend_on"),
    ("panel_client", "clients", {"username": "acme"}, "delete_on"),
    ("panel_domain", "domains", {"domain": "acme.example"}, "delete_on"),
)


def tasks() -> Iterator[dict[str, object]]:
    seed = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
    for dates in DATES:
        before = [["POST", "/reset", None], ["POST", "/seed", seed], ["POST", "/settings", {"dates": dates}]]
        for module, plural, key, member in OBJECTS:
            for number, day in enumerate((*DAYS, *INSTANTS)):
                name = f"{dates} {plural} {member} {day}"
                options = {**key, member: day}
                items = {"resources": {plural: [options]}}
                alone = number % 2 == 0
                how = (module, options) if alone else ("panel_resources", items)
                yield task(f"{name} written", *how, before)
                before = []
                yield task(f"{name} alone", module, options)
                yield task(f"{name} together", "panel_resources", items)
        for module, plural, key, member in OBJECTS:
            options = {**key, member: WITHOUT_OFFSET}
            yield task(f"{dates} {plural} {member} refused alone", module, options)
            yield task(
                f"{dates} {plural} {member} refused together", "panel_resources", {"resources": {plural: [options]}}
            )
        yield task(f"{dates} export", "panel_resources_info", register="exported")
        again = {"resources": "{{ exported.resources }}"}
        yield task(f"{dates} apply", "panel_resources", again, check_mode=True)


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    yield play(tasks(), simulator, tmp_path_factory.mktemp("days"), IN_PROCESS, variables=PRELOADED)
    simulator.settings({"dates": "as_declared"})


OF_EACH = [(dates, plural, member) for dates in DATES for _module, plural, _key, member in OBJECTS]


@pytest.mark.parametrize(("dates", "plural", "member"), OF_EACH)
def test_each_day_is_written_once(run: Run, dates: str, plural: str, member: str) -> None:
    for day in (*DAYS, *INSTANTS):
        written, *settled = (
            run[f"{dates} {plural} {member} {day} {step}"] for step in ("written", "alone", "together")
        )
        assert (written.changed, [request["body"] for request in written.writes]) == (True, [{member: day}]), day
        assert [(one.outcome, one.changed, one.writes) for one in settled] == [("ok", False, [])] * 2, day


@pytest.mark.parametrize(("dates", "plural", "member"), OF_EACH)
def test_a_time_without_an_offset_is_a_mistake_that_names_the_forms(
    run: Run, dates: str, plural: str, member: str
) -> None:
    for how in ("alone", "together"):
        recording = run[f"{dates} {plural} {member} refused {how}"]
        assert (recording.outcome, recording.calls) == ("failed", [])
        assert (
            f"'{WITHOUT_OFFSET}' is not accepted; it must be a date YYYY-MM-DD or a date with time and offset such as"
            in recording.msg
        )


@pytest.mark.parametrize("dates", DATES)
def test_an_export_changes_nothing(run: Run, dates: str) -> None:
    recording = run[f"{dates} apply"]
    assert (recording.outcome, recording.changed) == ("ok", False)
