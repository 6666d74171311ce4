"""Types of values: what each sends for what a user writes, what it refuses, and what of the panel
is the same."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    MissingLibrary,
    OptionError,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT, TARGET
from ansible_collections.hosting.panel.plugins.module_utils._values import names, value_types
from ansible_collections.hosting.panel.plugins.module_utils._values.cron import CronField
from ansible_collections.hosting.panel.plugins.module_utils._values.days import Day, parse_time
from ansible_collections.hosting.panel.plugins.module_utils._values.names import (
    Directory,
    DomainName,
    EmailAddress,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import (
    ByteSize,
    format_size_as_option,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import Integer, Text

A, B = "a@shop.example", "b@shop.example"
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
USERNAME = CLIENT.key[0].type
HOUR = CronField(0, 23)
DAY_OF_WEEK = CronField(0, 7, ("sun", "mon", "tue", "wed"))


# For each type: what is written and sent, what is refused, and pairs of what is wanted and what the
# panel shows that are the same, or not.
SENT: list[tuple[value_types.ValueType, list[tuple[Any, Any]]]] = [
    (Text(), [("a", "a"), ("", ""), ("7", "7"), ("a\nb\n", "a\nb\n"), (" a ", " a ")]),
    (Text(empty_is_null=True), [("", None)]),
    (Integer(), [(7, 7), (" 7 ", 7), ("0", 0)]),
    (Integer(1, 10, unlimited=True), [(1, 1), (10, 10), (-1, -1)]),
    (Integer(1, clearable=True), [("", None), ("3", 3)]),
    (
        value_types.Boolean(),
        [
            (True, True),
            ("yes", True),
            ("No", False),
            ("ON", True),
            (1, True),
            ("0", False),
            ("False", False),
        ],
    ),
    (value_types.Choice("static", "dynamic"), [("dynamic", "dynamic")]),
    (value_types.Choice(301, 302), [("301", 301)]),
    (
        value_types.SetOf(EmailAddress()),
        [([B, "A@shop.example", A], [B, A]), ([], []), ("", []), (A, [A])],
    ),
    (
        ByteSize(),
        [
            ("1", 1),
            (1073741824, 2**30),
            ("1K", 1024),
            ("3T", 3 * 2**40),
            (" 10G ", 10 * 2**30),
            ("-1", -1),
        ],
    ),
    (ByteSize(), [(2**63 - 1, 2**63 - 1)]),
    (ByteSize(least=0), [("0", 0), ("0G", 0)]),
    (
        Day(),
        [("2026-12-31", "2026-12-31"), (" 2028-02-29 ", "2028-02-29"), ("", None), ("  ", None)],
    ),
    (
        Day(),
        [
            ("2026-12-31 22:00+0100", "2026-12-31T22:00:00+01:00"),
            (datetime.date(2026, 12, 31), "2026-12-31"),
        ],
    ),
    (
        Day(),
        [("2026-12-31t22:00:00.5z", "2026-12-31T22:00:00+00:00"), ("2099-12-31", "2099-12-31")],
    ),
    (
        DomainName(),
        [
            ("MÜLLER.EXAMPLE.", "xn--mller-kva.example"),
            (" mu\u0308ller.example ", "xn--mller-kva.example"),
        ],
    ),
    (
        DomainName(),
        [("müller。example", "xn--mller-kva.example"), ("_a.4.Shop.Example", "_a.4.shop.example")],
    ),
    (
        EmailAddress(),
        [
            ("INFO@MÜLLER.example", "info@xn--mller-kva.example"),
            (" o'b+tag@shop.example ", "o'b+tag@shop.example"),
        ],
    ),
    (EmailAddress(), [(f"{DECOMPOSED}@acme.example", f"{COMPOSED}@acme.example")]),
    (EmailAddress(), [(f"{'a' * 64}@shop.example", f"{'a' * 64}@shop.example")]),
    (EmailAddress(clearable=True), [("", "")]),
    # A joiner that the letters beside it need is no mistake.
    (
        DomainName(),
        [("\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.example", "xn--mgba3gch31f060k.example")],
    ),
    (names.Name(), [(DECOMPOSED, COMPOSED)]),
    # Line ends, and the joiners of scripts and of pictures, hide no other name.
    (
        names.ObjectName(),
        [
            (name, name)
            for name in (
                "Backup\n",
                "a\nb",
                "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc",
                "\u2764\ufe0f",
            )
        ],
    ),
    (
        Directory("/www"),
        [(DECOMPOSED, DECOMPOSED), (" /www/a ", "/www/a")],
    ),  # what it is called on the disk
    (
        names.REMOTE_HOST,
        [
            (host, host)
            for host in (
                "192.0.2.7",
                "192.0.2.%",
                "%",
                "2001:db8::7",
                "App.example.com",
                "10.0.0.0/255.0.0.0",
            )
        ],
    ),
    (
        HOUR,
        [
            ("05", "05"),
            (0, "0"),
            ("1, 2", "1,2"),
            ("*/10", "*/10"),
            ("0-20/5", "0-20/5"),
            ("5-5", "5-5"),
        ],
    ),
    (DAY_OF_WEEK, [("MON-wed", "MON-wed"), ("sun", "sun"), ("0,7", "0,7")]),
]
REFUSED: list[tuple[value_types.ValueType, list[Any]]] = [
    (Text(), [["a"], {"a": 1}, None, 7, 8.1, True]),
    (Text(clearable=False), [""]),
    (value_types.SetOf(EmailAddress()), [[""], [A, ""], [None], {}, True]),
    (Integer(), ["\uff13", "\uff1300", "1_0", "\u0661\u0660"]),
    (Integer(), [-1, "-1", "", "a", 1.5, "1.5", True, None, [], "9" * 5000]),
    (Integer(1, 10, unlimited=True), [0, 11, -2]),
    (Integer(1, clearable=True), [0]),
    (value_types.Boolean(), ["", "maybe", 2, -1, None, [], {}]),
    (value_types.Choice("static", "dynamic"), ["Static", "", None, 1]),
    (value_types.Choice(1, 2), [True]),
    (
        value_types.SetOf(EmailAddress()),
        [[A, "none"], [A, None], [A, [B]], {"a": A}, 7, True, [A, ""]],
    ),
    (
        ByteSize(),
        [
            "1.5G",
            1.5,
            1e9,
            "1e9",
            "1g",
            "1GB",
            "1 G",
            "G",
            "",
            "+1",
            "-2",
            "-1G",
            "１",
            None,
            True,
            0,
            "0G",
            2**63,
            "8192P",
        ],
    ),
    (ByteSize(unlimited=False), ["-1"]),
    (
        Day(),
        [
            "2026-02-30",
            "2027-02-29",
            "31.12.2026",
            "2026-1-1",
            "20261231",
            "2100-01-01",
            "tomorrow",
            0,
            True,
            None,
            [],
            {},
        ],
    ),
    (
        Day(),
        [
            "2026-12-31T25:00:00Z",
            "2026-12-31T22:00:00",
            "2100-01-01T00:00:00Z",
            "2026-12-31T22:00:00+25:00",
            "٢٠٢٦-12-31",
        ],
    ),
    (
        DomainName(),
        [
            "",
            ".",
            "example",
            "a..example",
            ".a.example",
            "-a.example",
            "a b.example",
            "a" * 64 + ".example",
            None,
            7,
            [],
            {},
        ],
    ),
    (
        DomainName(),
        [
            ".".join(["a" * 50] * 6),
            "shop.example/x",
            "https://shop.example",
            A,
            "*.shop.example",
            "shop.example:80",
        ],
    ),
    (
        EmailAddress(),
        [
            "",
            "info",
            "@shop.example",
            "info@",
            "info@localhost",
            "a@b@shop.example",
            "in fo@shop.example",
            None,
            7,
            [],
            {},
        ],
    ),
    (
        EmailAddress(),
        [
            "Info <info@shop.example>",
            f"{A},{B}",
            '"a b"@shop.example',
            "info@shop..example",
            "info@ shop.example",
        ],
    ),
    (
        EmailAddress(),
        [
            "in/../fo@shop.example",
            "a/b@shop.example",
            "a..b@shop.example",
            ".a@shop.example",
            "a.@shop.example",
        ],
    ),
    (DomainName(), ["sh\u200bop.example", "shop.example\ufeff", "s\u00adhop.m\u00fcller.example"]),
    (
        EmailAddress(),
        [
            "mailto:a@shop.example",
            "tel:1@shop.example",
            ":include:a@shop.example",
            "|a@shop.example",
        ],
    ),
    (
        EmailAddress(),
        [f"{'a' * 65}@shop.example", "a\u200b@shop.example", "\ufeffa@shop.example", f"{A}\u202e"],
    ),
    (
        USERNAME,
        [
            " beta",
            "beta ",
            "be\u200bta",
            "be\u202eta",
            "be\ufe0fta",
            "beta\u2800",
            "be\nta",
            "Beta",
            "",
        ],
    ),
    (Directory("/www"), ["../../etc", "/www/../..", "..", "", [], True]),
    (
        names.REMOTE_HOST,
        ["", "a b", "https://app.example.com", "app.example.com:3306", "*", True, [], None],
    ),
    (
        HOUR,
        [
            "",
            "24",
            75,
            "abc",
            "5-",
            "-5",
            "10-5",
            "1,10-5",
            "*/0",
            "0-9/00",
            "5/10",
            "*-5",
            "1,,2",
            "\uff11",
            "0 4 * * *",
            True,
            1.5,
        ],
    ),
    (DAY_OF_WEEK, ["8", "jan", "wed-mon"]),
]
SAME: list[tuple[value_types.ValueType, Any, list[Any]]] = [
    (Text(), "a\nb", ["a\r\nb\r\n", "a\nb\n"]),
    (Text(), "", [None, ""]),
    (Text(), "1.5", [1.5]),
    (Integer(), 7, ["7", 7.0]),
    (Integer(), -1, ["-1"]),
    (Integer(1, clearable=True), None, [None, ""]),
    (value_types.Boolean(), True, [1, "1", "true", "True", 1.0]),
    (value_types.Boolean(), False, [0, "0", "false", "no", 0.0]),
    (value_types.Choice(301, 302), 301, ["301"]),
    (value_types.SetOf(EmailAddress()), [A, B], [[B, A], [A, B, A], ["A@Shop.Example", B]]),
    (value_types.SetOf(EmailAddress()), [], [None]),
    (ByteSize(), 2**30, ["1073741824", "1G", "1024M", " 1G ", 1073741824.0]),
    (
        Day(),
        "2026-12-31",
        ["2026-12-31T00:00:00+0000", "2026-12-31T23:59:59+02:00", "2026-12-31 00:00:00"],
    ),
    (
        Day(),
        "2026-12-31T22:00:00+00:00",
        [
            "2026-12-31T22:00:00+0000",
            "2027-01-01T00:00:00+02:00",
            "2026-12-31 22:00:00",
            "2026-12-31",
        ],
    ),
    (DomainName(), "xn--mller-kva.example", ["müller.example", "XN--MLLER-KVA.Example."]),
    (EmailAddress(), "info@xn--mller-kva.example", ["Info@müller.example"]),
    (EmailAddress(clearable=True), "", [None, ""]),
    (names.Name(), COMPOSED, [DECOMPOSED]),
    (Directory("/www"), f"/www/{DECOMPOSED}", [f"www/{COMPOSED}/", f"//www//{COMPOSED}"]),
    (names.REMOTE_HOST, "App.example.com", ["app.example.com"]),
    (HOUR, "05", ["5", 5]),
    (HOUR, "*/05", ["*/5"]),
    (DAY_OF_WEEK, "MON-WED", ["mon-wed"]),
    (TARGET, "/", ["", "//"]),
]
OTHER: list[tuple[value_types.ValueType, Any, list[Any]]] = [
    (Text(), "a", ["A", "a ", None, ["a"]]),
    (Text(), "1", [True]),
    (Integer(), 7, [8, None, "x", [7]]),
    (Integer(), 1, [True]),
    (Integer(), 0, [False, None, ""]),
    (Integer(1, clearable=True), None, [0, 3, "3"]),
    (value_types.Boolean(), True, [None, "", 2, "maybe", [], {}, 0]),
    (value_types.Boolean(), False, [None, "", 2, "maybe", [], {}, 1]),
    (value_types.Choice(301, 302), 301, [302, None]),
    (value_types.SetOf(EmailAddress()), [A, B], [[A], [], None, A, {}, 7, [A, B, None]]),
    (ByteSize(), 2**30, [None, "", 0, -1, 2**30 + 1, "1.5G", True, [], {}]),
    (ByteSize(), 1, [True]),
    (
        Day(),
        "2026-12-31",
        ["2026-12-30T23:30:00+00:00", "2027-01-01T00:00:00+02:00", "2026-12-30", None, "", 7],
    ),
    (
        Day(),
        "2026-12-31T22:00:00+00:00",
        ["2026-12-31T22:00:00+02:00", "2026-12-31T22:00:01+00:00", "soon"],
    ),
    (Day(), None, ["2026-12-31"]),
    (DomainName(), "xn--mller-kva.example", ["shop.example", "", None, 7, [], "a b"]),
    (HOUR, "1", ["10", "*", "1-5", None]),
    (TARGET, "https://x.example", ["https://x.example/"]),
    (TARGET, "/shop", ["/Shop"]),
]


def list_cases(table: list[Any]) -> list[Any]:
    """Return a case for each entry of the last column, named by its type and what it is about."""
    return [
        pytest.param(value_type, *options, case, id=f"{type(value_type).__name__} {case!r}")
        for value_type, *options, value_cases in table
        for case in value_cases
    ]


@pytest.mark.parametrize(("value_type", "case"), list_cases(SENT))
def test_what_is_written_is_sent_so_and_means_the_same_again(value_type: Any, case: Any) -> None:
    written, sent = case
    parsed = value_type.parse(written)

    assert parsed == sent
    assert type(parsed) is type(sent)
    assert value_type.parse("" if sent is None else sent) == sent
    assert value_type.equals(sent, sent)


@pytest.mark.parametrize(("value_type", "written"), list_cases(REFUSED))
def test_what_is_refused_names_option_and_form(value_type: Any, written: Any) -> None:
    is_misread = value_type.is_text and isinstance(written, (int, float))

    with pytest.raises(OptionError, match=r"^here: ") as caught:
        value_types.parse_option(value_type, "here", written)

    assert ("in quotes" if is_misread else value_type.form) in str(caught.value)


@pytest.mark.parametrize(("value_type", "requested", "actual"), list_cases(SAME))
def test_a_value_that_the_panel_shows_in_another_spelling_is_the_same(
    value_type: Any, requested: Any, actual: Any
) -> None:
    assert value_type.equals(requested, actual)


@pytest.mark.parametrize(("value_type", "requested", "actual"), list_cases(OTHER))
def test_another_value_that_the_panel_shows_is_something_else(
    value_type: Any, requested: Any, actual: Any
) -> None:
    assert not value_type.equals(requested, actual)


def test_a_choice_that_the_panel_shows_is_sent_back_in_its_own_type() -> None:
    assert [value_types.Choice(301, 302).answer_form.read(text) for text in ("302", "307")] == [
        302,
        307,
    ]


def test_without_idna_only_names_outside_ascii_fail_and_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names, "idna", None)
    names.normalize_domain.cache_clear()

    assert DomainName().parse("Shop.example") == "shop.example"

    with pytest.raises(MissingLibrary, match="idna"):
        DomainName().parse("müller.example")

    assert not DomainName().equals("shop.example", "müller.example")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        pytest.param(10 * 2**30, "10G", id="whole unit"),
        pytest.param(1536, "1536 (1.5 KiB)", id="with a fraction"),
        pytest.param(1000, "1000", id="bytes"),
        pytest.param(-1, "unlimited", id="unlimited"),
    ],
)
def test_a_size_reads_as_people_write_it(size: Any, text: str) -> None:
    assert format_size_as_option(size) == text


@pytest.mark.parametrize(
    ("requested", "current", "is_contained"),
    [
        pytest.param({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, True, id="further field"),
        pytest.param({"a": {"x": 1}}, {"a": {"x": 2, "y": 2}}, False, id="other value"),
        pytest.param({"a": None}, {}, False, id="missing field"),
        pytest.param({"a": None}, {"a": None}, True, id="null"),
        pytest.param([1, 2], [2, 1], False, id="other order"),
        pytest.param(1, "1", False, id="text for a number"),
        pytest.param(1, True, False, id="switch for a number"),
        pytest.param("", None, False, id="null for an empty text"),
        pytest.param({"a": 1}, None, False, id="null for a dictionary"),
    ],
)
def test_a_wanted_value_is_there_only_as_it_is(
    requested: Any, current: Any, is_contained: bool
) -> None:
    assert value_types.contains(current, requested) is is_contained


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("2031-07-15T12:00:00+02:00", "+02:00"),
        ("2031-07-15 12:00:00+0200", "+02:00"),
        ("2031-07-15T12:00:00.000000Z", "+00:00"),
        (" 2031-07-15T12:00-0530 ", "-05:30"),
        ("2031-07-15T12:00", ""),
        ("2031-07-15", ""),
    ],
)
def test_a_time_is_read_with_the_offset_that_is_written(text: str, offset: str) -> None:
    time = parse_time(text)
    assert time is not None
    assert time.isoformat().removeprefix(time.replace(tzinfo=None).isoformat()) == offset


@pytest.mark.parametrize("text", ["", "x", "2031-13-01", "12:00", "2031-07-15T25:00", "20310715"])
def test_what_is_no_time_is_read_as_none(text: str) -> None:
    assert parse_time(text) is None
