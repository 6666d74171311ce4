"""Mailboxes, forwards and catch-alls of another panel, as objects of this one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    CatchAll,
    Customer,
    FieldLeftOut,
    Forward,
    Limits,
    Mailbox,
    MailDomain,
    Origin,
    Record,
    Source,
    Zone,
)

_LOST = (FieldLeftOut("spam", "The panel has no filters of spam."),)
_ELSEWHERE = "post@elsewhere.example"


def _make_origin(number: int) -> Origin:
    return Origin("row", str(number))


def _map(**objects: Any) -> MappedSource:
    """Return what becomes of objects of anna, who has a mail domain, as bert has."""
    source = Source(
        customers=(
            Customer(_make_origin(1), "anna", "", Limits()),
            Customer(_make_origin(2), "bert", "", Limits()),
        ),
        mail_domains=(
            MailDomain(_make_origin(3), "anna", "anna.example"),
            MailDomain(_make_origin(4), "bert", "bert.example"),
        ),
        **objects,
    )
    return map_source(source, read_mapping(None))


def _list_reasons(mapped: MappedSource, number: int) -> list[tuple[str, str]]:
    """Return field and reason of what is left out of a row; no field for a whole one."""
    return [
        (entry.get("field", ""), entry["why"])
        for entry in mapped.left_out
        if entry["source"] == str(_make_origin(number))
    ]


def _list_mail(mapped: MappedSource) -> list[dict[str, Any]]:
    return mapped.resources["anna"].get("emails", [])


@pytest.mark.parametrize(
    "objects",
    [
        {"mailboxes": (Mailbox(_make_origin(9), "anna", "info@bert.example", -1),)},
        {"forwards": (Forward(_make_origin(9), "anna", "info@bert.example", (_ELSEWHERE,)),)},
        {"catch_alls": (CatchAll(_make_origin(9), "anna", "bert.example", (_ELSEWHERE,)),)},
    ],
    ids=["mailbox", "forward", "catch-all"],
)
def test_mail_in_the_domain_of_another_customer_is_left_out(objects: dict[str, Any]) -> None:
    mapped = _map(**objects)

    reason = "The domain bert.example belongs to another customer."
    assert _list_reasons(mapped, 9) == [("", reason)]
    assert _list_mail(mapped) == []


@pytest.mark.parametrize(
    "objects",
    [
        {
            "forwards": (
                Forward(_make_origin(9), "anna", "a@anna.example", (_ELSEWHERE,), fields_left_out=_LOST),
            )
        },
        {
            "mailboxes": (Mailbox(_make_origin(8), "anna", "info@anna.example", -1),),
            "forwards": (
                Forward(
                    _make_origin(9), "anna", "a@anna.example", ("info@anna.example",), is_alias=True,
                    fields_left_out=_LOST,
                ),
            ),
        },
        {
            "catch_alls": (
                CatchAll(_make_origin(9), "anna", "anna.example", (_ELSEWHERE,), fields_left_out=_LOST),
            )
        },
    ],
    ids=["forward", "alias", "catch-all"],
)  # fmt: skip
def test_what_a_reader_leaves_out_of_a_part_of_an_object_is_named(objects: dict[str, Any]) -> None:
    assert ("spam", _LOST[0].reason) in _list_reasons(_map(**objects), 9)


def test_what_a_reader_leaves_out_of_a_zone_is_named() -> None:
    record = Record(_make_origin(8), "@", "TXT", "key=1", 300)
    omitted = (FieldLeftOut("dnssec_wanted", "No DNSSEC."),)
    zone = Zone(
        _make_origin(9), "anna", "anna.example", (record,), is_whole=True, fields_left_out=omitted
    )

    assert _list_reasons(_map(zones=(zone,)), 9) == [("dnssec_wanted", "No DNSSEC.")]


def test_a_mailbox_and_a_forward_of_one_address_are_one_object() -> None:
    box = Mailbox(_make_origin(8), "anna", "info@anna.example", 1024**3)
    forward = Forward(
        _make_origin(9), "anna", "Info@anna.example", (_ELSEWHERE, "info@anna.example")
    )

    mapped = _map(mailboxes=(box,), forwards=(forward,))

    assert _list_mail(mapped) == [
        {
            "email": "info@anna.example",
            "client": "anna",
            "max_size": 1024**3,
            "store_forwarded_emails": True,
            "forwardings": [_ELSEWHERE],
        }
    ]
    carried = {entry["source"]: entry["key"] for entry in mapped.carried}
    assert carried["row:8"] == carried["row:9"] == "info@anna.example"


def test_a_catch_all_to_elsewhere_keeps_the_address_and_the_description_of_the_source() -> None:
    row = CatchAll(
        _make_origin(9),
        "anna",
        "anna.example",
        (_ELSEWHERE,),
        "all@anna.example",
        "Everything else",
    )

    assert _list_mail(_map(catch_alls=(row,))) == [
        {
            "email": "all@anna.example",
            "client": "anna",
            "description": "Everything else",
            "catch_all": True,
            "store_forwarded_emails": False,
            "forwardings": [_ELSEWHERE],
        }
    ]


def test_a_catch_all_gets_an_address_of_its_own_where_the_one_of_the_source_is_taken() -> None:
    row = CatchAll(_make_origin(9), "anna", "anna.example", (_ELSEWHERE,), "all@anna.example")
    box = Mailbox(_make_origin(8), "anna", "all@anna.example", -1)

    mail = _list_mail(_map(mailboxes=(box,), catch_alls=(row,)))

    assert [item["email"] for item in mail] == ["all@anna.example", "catch-all@anna.example"]


def test_a_catch_all_never_leads_to_an_address_that_would_lead_back_to_it() -> None:
    box = Mailbox(_make_origin(8), "anna", "off@anna.example", -1, is_active=False)
    whole = CatchAll(
        _make_origin(9), "anna", "anna.example", ("off@anna.example",), "off@anna.example"
    )
    mapped = _map(mailboxes=(box,), catch_alls=(whole,))

    assert _list_mail(mapped) == []
    reason = "It leads to off@anna.example, which does not arrive."
    assert _list_reasons(mapped, 9) == [("", reason)]

    half = CatchAll(_make_origin(9), "anna", "anna.example", ("off@anna.example", _ELSEWHERE))
    mapped = _map(mailboxes=(box,), catch_alls=(half,))

    assert [item["forwardings"] for item in _list_mail(mapped)] == [[_ELSEWHERE]]
    assert _list_reasons(mapped, 9) == [("forwardings", reason)]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("|/opt/hook.sh Geheim99", "'|hook.sh'"),
        ('"|/opt/hook.sh Geheim99"', "'|hook.sh'"),
        ("| A=Geheim99 /opt/hook.sh", "'|hook.sh'"),
        ("/opt/box Geheim99", "'/opt/box' …"),
        (":fail: Geheim99", "':fail:' …"),
        ("nobody", "'nobody'"),
    ],
)
def test_a_target_that_is_no_address_is_named_without_what_may_be_a_password(
    target: str, name: str
) -> None:
    mapped = _map(forwards=(Forward(_make_origin(5), "anna", "a@anna.example", (target,)),))

    ((_field, reason),) = _list_reasons(mapped, 5)
    assert f"not to {name}." in reason
    assert "Geheim99" not in repr(mapped)
