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
from ansible_collections.hosting.panel.plugins.module_utils._options import parsed
from ansible_collections.hosting.panel.plugins.module_utils._values.dates import Day


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("2026-12-31", "2026-12-31"),
        (" 2026-12-31 ", "2026-12-31"),
        ("2028-02-29", "2028-02-29"),
        ("2099-12-31", "2099-12-31"),
        ("2026-12-31T22:00:00+01:00", "2026-12-31T22:00:00+01:00"),
        ("2026-12-31T22:00:00+0100", "2026-12-31T22:00:00+01:00"),
        ("2026-12-31 22:00", "2026-12-31T22:00:00"),
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
        ("2026-12-31T22:00:00", "2026-12-31T22:00:00+02:00"),
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
        ("2026-12-31T22:00:00", "2026-12-31T22:00:01+02:00"),
        ("2026-12-31T22:00:00+00:00", "soon"),
    ],
)
def test_other_instants_are_not(wanted: str, current: str) -> None:
    assert not Day().same(wanted, current)


@pytest.mark.parametrize(
    ("current", "is_same"), [(None, True), ("", True), ("2026-12-31", False), ("2026-12-31T00:00:00+02:00", False)]
)
def test_clearing_is_the_same_only_where_there_is_no_date(current: str | None, is_same: bool) -> None:
    assert Day().same(None, current) is is_same


DATES = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(2099, 12, 30))


@given(DATES, st.sampled_from([-12, -1, 0, 2, 14, None]), st.sampled_from(["T", " "]), st.booleans())
def test_a_parsed_instant_parses_to_itself(
    instant: datetime.datetime, hours: int | None, separator: str, has_colon: bool
) -> None:
    offset = "" if hours is None else f"{hours:+03d}{':' if has_colon else ''}00"
    written = instant.replace(microsecond=0).isoformat(sep=separator) + offset
    sent = Day().parse(written)
    assert Day().parse(sent) == sent
    assert Day().same(sent, written)
    assert Day().same(sent[:10], written)


EXTREMES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "0000-00-00", "0000-00-00 00:00:00", "x" * 500]


@given(
    st.sampled_from(["2026-12-31", "2026-12-31T22:00:00", "2026-12-31T22:00:00+01:00", None]),
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text()), st.sampled_from(EXTREMES)),
)
def test_comparing_never_fails(wanted: str | None, current: Any) -> None:
    Day().same(wanted, current)
