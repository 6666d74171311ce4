# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Days and instants (contract of the collection: a bare date compares with the date in the panel's own offset)."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._values.dates import Day
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import parsed


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("2026-12-31", "2026-12-31"),
        (" 2026-12-31 ", "2026-12-31"),
        ("2028-02-29", "2028-02-29"),
        ("2099-12-31", "2099-12-31"),
        ("2026-12-31T22:00:00+01:00", "2026-12-31T22:00:00+01:00"),
        ("2026-12-31T22:00:00+0100", "2026-12-31T22:00:00+01:00"),
        ("2026-12-31 22:00+01:00", "2026-12-31T22:00:00+01:00"),
        ("2026-12-31T22:00:00Z", "2026-12-31T22:00:00+00:00"),
        ("2026-12-31t22:00:00z", "2026-12-31T22:00:00+00:00"),
        ("2026-12-31T22:00:00.123+01:00", "2026-12-31T22:00:00+01:00"),
        ("", None),
        ("  ", None),
        (datetime.date(2026, 12, 31), "2026-12-31"),
    ],
)
def test_these_are_dates(written: Any, sent: str | None) -> None:
    assert Day().parse(written) == sent


@pytest.mark.parametrize(
    "written",
    [
        "2026-02-30",
        "2027-02-29",
        "2026-13-01",
        "2026-00-10",
        "31.12.2026",
        "12/31/2026",
        "2026-1-1",
        "20261231",
        "2100-01-01",
        "2100-01-01T00:00:00Z",
        "tomorrow",
        "2026-12-31T25:00:00Z",
        "2026-12-31T22:00:00+25:00",
        "2026-12-31T",
        "2026-12-31T22:00:00",
        "2026-12-31 22:00",
        datetime.datetime(2026, 12, 31, 22),
        "1798758000",
        0,
        True,
        None,
        [],
        {},
        "٢٠٢٦-12-31",
    ],
)
def test_these_are_none(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(Day(), "suspend_on", written)
    assert caught.value.option == "suspend_on"
    assert "YYYY-MM-DD" in caught.value.message
    assert "empty text to clear" in caught.value.message


@pytest.mark.parametrize(
    "current",
    [
        "2026-12-31",
        "2026-12-31T00:00:00+0000",
        "2026-12-31T00:00:00+02:00",
        "2026-12-31T23:59:59+02:00",
        "2026-12-31 00:00:00",
        "2026-12-31T00:00:00",
    ],
)
def test_a_bare_day_is_the_day_in_the_panels_own_offset(current: str) -> None:
    assert Day().same("2026-12-31", current)


@pytest.mark.parametrize("current", ["2026-12-30T23:30:00+00:00", "2027-01-01T00:00:00+02:00", "2026-12-30", None, ""])
def test_another_day_is_not_the_same(current: str | None) -> None:
    assert not Day().same("2026-12-31", current)


@pytest.mark.parametrize(
    ("wanted", "current"),
    [
        ("2026-12-31T22:00:00+00:00", "2026-12-31T22:00:00+0000"),
        ("2026-12-31T22:00:00+00:00", "2027-01-01T00:00:00+02:00"),
        ("2026-12-31T22:00:00+01:00", "2026-12-31T21:00:00Z"),
        ("2026-12-31T22:00:00+01:00", "2026-12-31T21:00:00.000Z"),
        ("2026-12-31T22:00:00+02:00", "2026-12-31 22:00:00"),
        ("2026-12-31T22:00:00+02:00", "2026-12-31"),
    ],
)
def test_instants_are_the_same_in_every_offset(wanted: str, current: str) -> None:
    assert Day().same(wanted, current)


@pytest.mark.parametrize(
    ("wanted", "current"),
    [
        ("2026-12-31T22:00:00+00:00", "2026-12-31T22:00:00+02:00"),
        ("2026-12-31T22:00:00+02:00", "2026-12-31T22:00:01+02:00"),
        ("2026-12-31T22:00:00+00:00", "soon"),
    ],
)
def test_other_instants_are_not(wanted: str, current: str) -> None:
    assert not Day().same(wanted, current)


INSTANT = "2027-01-01T00:00:00+01:00"


@pytest.mark.parametrize(
    ("current", "is_same"), [("2026-12-30", False), ("2026-12-31", True), ("2027-01-01", True), ("2027-01-02", False)]
)
def test_a_day_that_is_shown_is_that_of_an_instant_in_whichever_offset_the_panel_has(
    current: str, is_same: bool
) -> None:
    assert Day().same(INSTANT, current) is is_same


@given(
    st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2098, 1, 1)),
    st.integers(-12, 14),
    st.integers(-10, 13),
)
def test_an_instant_settles_where_only_its_day_in_another_offset_is_shown(
    moment: datetime.datetime, given_in: int, shown_in: int
) -> None:
    wanted, shown = (datetime.timezone(datetime.timedelta(hours=hours)) for hours in (given_in, shown_in))
    instant = moment.replace(microsecond=0, tzinfo=wanted)
    day = instant.astimezone(shown).date()
    assert Day().same(instant.isoformat(), day.isoformat())
    assert not Day().same(instant.isoformat(), (day + datetime.timedelta(days=3)).isoformat())


@pytest.mark.parametrize(("wanted", "current"), [("0001-01-01T00:00:00+14:00", "0001-01-01"), (INSTANT, "2027-13-01")])
def test_a_day_beyond_the_calendar_is_compared_without_failing(wanted: str, current: str) -> None:
    assert Day().same(wanted, current) is (wanted[:10] == current)


@pytest.mark.parametrize(
    ("current", "is_same"), [(None, True), ("", True), ("2026-12-31", False), ("2026-12-31T00:00:00+02:00", False)]
)
def test_clearing_is_the_same_only_where_there_is_no_date(current: str | None, is_same: bool) -> None:
    assert Day().same(None, current) is is_same


DATES = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(2099, 12, 30))


@given(DATES, st.sampled_from([-12, -1, 0, 2, 14]), st.sampled_from(["T", " "]), st.booleans())
def test_a_parsed_instant_parses_to_itself(
    instant: datetime.datetime, hours: int, separator: str, has_colon: bool
) -> None:
    offset = f"{hours:+03d}{':' if has_colon else ''}00"
    written = instant.replace(microsecond=0).isoformat(sep=separator) + offset
    sent = Day().parse(written)
    assert Day().parse(sent) == sent
    assert Day().same(sent, written)


EXTREMES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "0000-00-00", "0000-00-00 00:00:00", "x" * 500]


@given(
    st.sampled_from(["2026-12-31", "2026-12-31T22:00:00+01:00", None]),
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text()), st.sampled_from(EXTREMES)),
)
def test_comparing_never_fails(wanted: str | None, current: Any) -> None:
    Day().same(wanted, current)


# Two days, each as panels may show it that keep the midnight at its beginning in another offset.
SHIFTED = [
    ("2026-12-30T22:00:00+0000", "2026-12-31"),  # of +02:00
    ("2026-12-30T23:00:00Z", "2026-12-31"),  # of +01:00
    ("2026-12-30T18:30:00+00:00", "2026-12-31"),  # of +05:30
    ("2026-12-30T11:00:00+00:00", "2026-12-31"),  # of +13:00
    ("2026-12-31T05:00:00+00:00", "2026-12-31"),  # of -05:00
    ("2026-12-31T10:00:00+00:00", "2026-12-31"),  # of -10:00
    ("2026-12-30T19:00:00-05:00", "2026-12-31"),  # of UTC
    ("2026-12-31T02:00:00+02:00", "2026-12-31"),  # of UTC
    ("2026-12-30T17:00:00-05:00", "2026-12-31"),  # of +02:00
    ("2026-12-30T18:00:00-05:00", "2026-12-31"),  # of +01:00
    ("2026-12-31T03:00:00-05:00", "2026-12-31"),  # of -08:00
    ("2026-06-30T23:00:00+01:00", "2026-07-01"),  # of summer
    ("2026-12-31T01:00:00+02:00", "2026-12-31"),  # of winter
    ("2026-12-31T22:00:00+01:00", "2026-12-31"),  # of none: the day in the offset that is shown
    ("2026-12-30T23:30:00+00:00", "2026-12-30"),
]


@pytest.mark.parametrize(("current", "day"), SHIFTED)
def test_a_midnight_in_another_offset_is_the_day_that_begins_with_it_and_no_other(current: str, day: str) -> None:
    of = datetime.date.fromisoformat(day)
    days = [(of + datetime.timedelta(days=number)).isoformat() for number in (-1, 0, 1)]
    assert [Day().same(one, current) for one in days] == [False, True, False]


@given(st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2098, 1, 1)), st.integers(-12 * 4, 14 * 4))
def test_an_instant_stands_for_exactly_one_day(moment: datetime.datetime, quarters: int) -> None:
    zone = datetime.timezone(datetime.timedelta(minutes=15 * quarters))
    shown = moment.replace(microsecond=0, tzinfo=zone).isoformat()
    days = [(moment.date() + datetime.timedelta(days=number)).isoformat() for number in range(-2, 3)]
    assert sum(Day().same(day, shown) for day in days) == 1


@given(st.dates(datetime.date(2020, 1, 1), datetime.date(2098, 1, 1)), st.integers(-10, 13), st.integers(-10, 0))
def test_a_day_that_is_kept_as_a_midnight_of_any_zone_and_shown_in_utc_or_west_of_it_settles(
    day: datetime.date, hours: int, shown: int
) -> None:
    zone, west = (datetime.timezone(datetime.timedelta(hours=number)) for number in (hours, shown))
    kept = datetime.datetime.combine(day, datetime.time(), zone).astimezone(west)
    assert Day().same(day.isoformat(), kept.isoformat())
    assert not Day().same((day + datetime.timedelta(days=1)).isoformat(), kept.isoformat())
    assert not Day().same((day - datetime.timedelta(days=1)).isoformat(), kept.isoformat())


@pytest.mark.parametrize("shown", ["9999-12-31T23:00:00+00:00", "9999-12-31T22:59:59Z", "9999-12-31T23:30:00+02:00"])
def test_what_a_panel_shows_for_never_is_compared_like_any_other_day(shown: str) -> None:
    """In another offset it would be in a year that there is not."""
    assert not Day().same("2026-12-31", shown)
    assert Day().same("9999-12-31", shown)


@pytest.mark.parametrize("shown", ["0001-01-01T00:30:00+00:00", "0001-01-01T00:30:00+01:00"])
def test_the_first_day_of_all_is_compared_like_any_other(shown: str) -> None:
    assert not Day().same("2026-12-31", shown)
    assert Day().same("0001-01-01", shown)
