"""What has happened on a panel between two readings."""

from __future__ import annotations

import datetime
import json
import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._events.detect_events import (
    TYPES,
    Memory,
    detect_events,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._events.plain_texts import (
    without_templates,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
ALL = {"events": TYPES, "certificate_days": [30, 14, 7, 1], "limit_percent": 90}
ACME = {"id": 1, "username": "acme", "status": 1, "is_suspended": False}
BETA = {"id": 2, "username": "beta", "status": 1, "is_suspended": False}
MAILBOX = {
    "id": 7,
    "email": "info@acme.example",
    "id_user": 1,
    "status": 1,
    "size": 10,
    "max_size": 100,
}
USED = {
    "id": 4,
    "domain": "acme.example",
    "id_user": 1,
    "status": 1,
    "security": {"id_certificate": 5},
}
GONE = PanelReading("web-1", "", failure="GET /clients was not answered")


def make_reading(stats: Mapping[int, Any] | None = None, **objects: Any) -> PanelReading:
    """Return what one reading of the panel shows."""
    return PanelReading(
        "web-1", "", objects={"clients": [ACME, BETA], **objects}, stats=stats or {}
    )


def shorten_events(events: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return type, kind and key of each event."""
    return [(event["type"], event["kind"], event["key"]) for event in events]


def make_ending_certificate(days: int) -> dict[str, Any]:
    """Return a certificate that ends in so many days."""
    ends = (NOW + datetime.timedelta(days=days)).isoformat()
    return {"id": 5, "name": "acme", "id_user": 1, "valid_till": ends, "components": {}}


def list_events(
    *readings: PanelReading, options: Mapping[str, Any] | None = None
) -> list[list[Any]]:
    """Of each reading the events, as the state file would carry the memory over."""
    memory: Memory | None = None
    story_events = []

    for panel_reading in readings:
        events, memory = detect_events(memory, panel_reading, options or ALL, NOW)
        memory = json.loads(json.dumps(memory))
        story_events.append([event["panel"] for event in events])

    return story_events


FAILED = {**ACME, "status": 2}
IN_NEED = {**MAILBOX, "status": 2, "size": 95}
SUSPENDED = {**BETA, "is_suspended": True}
CREATED, DELETED = (("client_" + change, "clients", "beta") for change in ("created", "deleted"))
HELD, RELEASED = (("client_" + change, "clients", "beta") for change in ("suspended", "released"))
BROKEN, MENDED = (("object_" + change, "clients", "acme") for change in ("failed", "recovered"))
MAIL_FAILED, FULL = (
    (event_type, "emails", "info@acme.example") for event_type in ("object_failed", "limit_reached")
)
ENDING = ("certificate_expiring", "certificates", "acme")
AWAY, BACK = (("panel_" + change, "panels", "web-1") for change in ("unreachable", "back"))
NEW_BETA = {**BETA, "id": 9}
NAMELESS, OTHER_NAMELESS = ({**ACME, "id": number, "username": None} for number in (11, 12))


def make_client_readings(*of_each: list[Any]) -> list[PanelReading]:
    """Return readings that show different clients."""
    return [make_reading(clients=listed) for listed in of_each]


CASES: dict[str, tuple[list[PanelReading], list[list[tuple[str, str, str]]]]] = {
    "what was there before the first reading is no event": (
        [make_reading(emails=[MAILBOX])] * 2,
        [[], []],
    ),
    "a deletion is told when the next list does not have it either": (
        make_client_readings([ACME], [ACME, BETA], *[[ACME]] * 3),
        [[], [CREATED], [], [DELETED], []],
    ),
    "a client that is deleted and created again in between is two events, in this order": (
        make_client_readings([BETA], *[[NEW_BETA]] * 3),
        [[], [DELETED, CREATED], [], []],
    ),
    "a client that is created again before its deletion was told is two events, in this order": (
        make_client_readings([ACME, BETA], [ACME], *[[ACME, NEW_BETA]] * 2),
        [[], [], [DELETED, CREATED], []],
    ),
    "a client that one list does not have is not deleted, and what has become of it is told": (
        make_client_readings([BETA], [], [SUSPENDED], [], [BETA]),
        [[], [], [HELD], [], [RELEASED]],
    ),
    "a client that was created and suspended, or is in error, between two readings is two events": (
        make_client_readings([], [SUSPENDED], [FAILED, BETA]),
        [[], [CREATED, HELD], [("client_created", "clients", "acme"), RELEASED, BROKEN]],
    ),
    "a client without a name is not replaced by another one without a name": (
        make_client_readings(
            [NAMELESS, OTHER_NAMELESS], [OTHER_NAMELESS], [NAMELESS, OTHER_NAMELESS]
        ),
        [[], [], []],
    ),
    "a failure is told once, also of the first reading": (
        make_client_readings([FAILED], [FAILED]),
        [[BROKEN], []],
    ),
    "a failure that the panel is at is none that is over, and no new one when it fails again": (
        make_client_readings([FAILED], [{**ACME, "status": 4}], [FAILED], [ACME]),
        [[BROKEN], [], [], [MENDED]],
    ),
    "a failure after a recovery is told again": (
        make_client_readings([FAILED], [ACME], [FAILED]),
        [[BROKEN], [MENDED], [BROKEN]],
    ),
    "an object in error that is deleted has not recovered": (
        make_client_readings([FAILED], *[[]] * 3)[:2],
        [[BROKEN], []],
    ),
    "what one list lacks, or what is not read, is not told again": (
        [
            make_reading(emails=[IN_NEED]),
            make_reading(emails=[]),
            make_reading(),
            make_reading(emails=[IN_NEED]),
        ],
        [[MAIL_FAILED, FULL], [], [], []],
    ),
    "a client in error that one list lacks is not told again": (
        make_client_readings([FAILED], [], [FAILED]),
        [[BROKEN], [], []],
    ),
    "a certificate that one list lacks is not told again": (
        [
            make_reading(certificates=certificates, domains=[USED])
            for certificates in ([make_ending_certificate(5)], [], [make_ending_certificate(5)])
        ],
        [[ENDING], [], []],
    ),
    "a composite key is joined with colons, and names the client": (
        [
            make_reading(
                scheduled_tasks=[{"id": 3, "id_user": 2, "description": "nightly", "status": 2}]
            )
        ],
        [[("object_failed", "scheduled_tasks", "beta:nightly")]],
    ),
    "a renewed certificate is told when it ends in its turn": (
        [
            make_reading(certificates=[make_ending_certificate(days)], domains=[USED])
            for days in (5, 80, 6)
        ],
        [[ENDING], [], [ENDING]],
    ),
    "of two certificates the one in use is told, and not the one that is left out": (
        [
            make_reading(
                certificates=[
                    {**make_ending_certificate(1), "id": 6, "name": "unused"},
                    make_ending_certificate(1),
                ],
                domains=[USED],
            )
        ],
        [[ENDING]],
    ),
    "a certificate that no domain uses may end": (
        [make_reading(certificates=[make_ending_certificate(1)], domains=[])],
        [[]],
    ),
    "a mailbox is full once, until it was emptied": (
        [make_reading(emails=[{**MAILBOX, "size": size}]) for size in (89, 90, 95, 86, 91, 84, 92)],
        [[], [FULL], [], [], [], [], [FULL]],
    ),
    "a panel that is away is one event, and what happened meanwhile is told when it is back": (
        [make_reading(), GONE, GONE, *make_client_readings([ACME], [ACME])],
        [[], [AWAY], [], [BACK], [DELETED]],
    ),
    "a panel that is away from the start": ([GONE, make_reading()], [[AWAY], [BACK]]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_events_of_a_story(name: str) -> None:
    readings, expected = CASES[name]
    assert [shorten_events(events) for events in list_events(*readings)] == expected


def test_a_certificate_is_told_once_for_each_of_its_days() -> None:
    memory: Memory | None = None
    due = []

    for days in (31, 30, 20, 14, 5, 5, 0, -3):
        panel_reading = make_reading(certificates=[make_ending_certificate(100)], domains=[USED])
        events, memory = detect_events(
            memory, panel_reading, ALL, NOW + datetime.timedelta(days=100 - days)
        )
        due += [(days, event["panel"]["object"]["days"]) for event in events]

    assert due == [(30, 30), (14, 14), (5, 5), (0, 0)]


def test_an_event_says_what_where_when_and_shows_the_object() -> None:
    mailbox = {**IN_NEED, "description": "private words"}
    panel_reading = make_reading(
        certificates=[make_ending_certificate(6)], domains=[USED], emails=[mailbox]
    )
    events, memory = detect_events(None, panel_reading, ALL, NOW)
    failed, expiring, full = (event["panel"] for event in events)

    assert failed == {
        "type": "object_failed",
        "panel": "web-1",
        "kind": "emails",
        "key": "info@acme.example",
        "at": "2026-11-20T05:00:00Z",
        "object": {**mailbox, "client": "acme"},
    }

    certificate = expiring["object"]
    assert certificate["days"] == 6
    assert certificate["used_by"] == ["acme.example"]
    assert certificate["client"] == "acme"
    assert "components" not in certificate
    assert full["object"]["limit"] == {"name": "max_size", "value": 95, "max": 100, "percent": 95.0}

    # Each event has its own number, the same in each run; the memory holds what tells objects
    # apart, and nothing else.
    numbers = [event["meta"]["uuid"] for event in events]
    assert len(set(numbers)) == len(numbers)
    assert numbers == [
        event["meta"]["uuid"] for event in detect_events(None, panel_reading, ALL, NOW)[0]
    ]
    assert "private words" not in json.dumps(memory)


def test_the_use_of_a_client_is_judged_as_in_the_report_and_only_where_it_was_read() -> None:
    def make_use(space: int, accounts: int) -> PanelReading:
        stats = {
            "disk_space": {"value": space, "max": 100},
            "email_accounts": {"value": accounts, "max": 2},
        }
        return make_reading({1: stats})

    events_by_reading = list_events(
        make_use(95, 2),
        make_use(95, 3),
        make_reading(),
        make_use(95, 3),
        make_use(10, 2),
        make_use(95, 2),
    )
    # All mailboxes that were paid for are in use, which is well; more than those is not.
    names = [[event["object"]["limit"]["name"] for event in events] for events in events_by_reading]

    assert names == [["disk_space"], ["email_accounts"], [], [], [], ["disk_space"]]
    assert shorten_events(events_by_reading[0]) == [("limit_reached", "clients", "acme")]


@pytest.mark.parametrize("hostile", ["{{ lookup('pipe', 'id') }}", "{%raw%}", "{#{{{x"])
def test_nothing_that_a_customer_wrote_begins_a_template(hostile: str) -> None:
    mailbox = {
        **MAILBOX,
        "email": hostile,
        "status": 2,
        "aliases": [hostile, "a {b} c"],
        hostile: 1,
    }
    ((event,),) = list_events(make_reading(emails=[mailbox]))

    assert [
        mark for mark in ("{{", "{%", "{#") if mark in json.dumps(event).replace('{"', "")
    ] == []
    assert event["object"]["aliases"] == [event["key"], "a ❴b} c"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{{ x }}", "❴❴ x }}"),
        ("{% x %}", "❴% x %}"),
        ("{# x #}", "❴# x #}"),
        ("{{{ x", "❴❴❴ x"),
        # A playbook takes blanks and other signs away, and joins texts.
        ("{ { x } }", "❴ ❴ x } }"),
        ("{-{ x }-}", "❴-❴ x }-}"),
        ("{", "❴"),
        ("#jinja2: trim_blocks:True", "♯jinja2꞉ trim_blocks꞉True"),
        ("#jinja2:", "♯jinja2꞉"),
        ("# jin-ja2:", "♯ jin-ja2꞉"),
        ("#jinja", "♯jinja"),
        ("#", "♯"),
        ("", ""),
        ("# 1 {a} {", "# 1 ❴a} ❴"),
        # A playbook may take away what is before a header.
        ("a #jinja2: b", "a ♯jinja2꞉ b"),
        ("a|#jinja2:\n[[ x ]]", "a|♯jinja2꞉\n[[ x ]]"),
        # A rulebook may write the hash itself.
        ("jinja2: trim_blocks:True\n[[ x ]]", "jinja2꞉ trim_blocks꞉True\n[[ x ]]"),
        ("JINJA2:", "JINJA2꞉"),
        ("https://acme.example", "https://acme.example"),
        ("C#", "C♯"),
        ("#1 of #2", "#1 of #2"),
        # A playbook writes it in lower case.
        ("#Jinja2: b", "♯Jinja2꞉ b"),
        ("#JIN", "♯JIN"),
        (" \n#jinja2: b", " \n♯jinja2꞉ b"),
        ("#jinja2: ", "♯jinja2꞉ "),
        # As a list of Python, these would be templates.
        ('["\\x7b\\173 x"]', '["∖x7b∖173 x"]'),
        ('["{" "{ x"]', '["❴" "❴ x"]'),
        ("['{\\\n{ x']", "['❴∖\n❴ x']"),
        ("C:\\ ^(.*)\\.html$", "C:∖ ^(.*)∖.html$"),
        ("a\\", "a∖"),
    ],
)
def test_a_template_in_a_text_is_broken_and_every_other_text_stays(
    written: str, expected: str
) -> None:
    failed = {**ACME, "status": 2, "notes": written, written or "name": [written]}
    [[event]] = list_events(
        make_reading(clients=[failed]), options={**ALL, "events": ["object_failed"]}
    )

    assert event["object"]["notes"] == expected
    assert event["object"][expected or "name"] == [expected]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize(
    "written",
    [
        "{{ x }} {% y %} #jinja2: z ['\\x7b']",
        "\uff5b\ufe5b\ufe37 x \uff03jinja2: \uff3cx7b\ufe68x7b",
        "\ufe5f\uff4a\uff49\uff4e\uff4a\uff41\uff12: x",
        "\ufe5f",
        "jinja2\uff1a x jinja2\ufe55",
    ],
)
def test_no_form_of_unicode_makes_a_template_of_a_text(form: Any, written: str) -> None:
    normalized = unicodedata.normalize(form, without_templates(written))
    assert not set("{\\#:") & set(normalized)
