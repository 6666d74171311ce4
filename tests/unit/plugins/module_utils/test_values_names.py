# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain names and e-mail addresses: punycode and UTF-8 in any case are the same name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import MissingLibrary, OptionError
from ansible_collections.hosting.panel.plugins.module_utils._kinds.directory_protection import DIRECTORY_PROTECTION
from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import Target
from ansible_collections.hosting.panel.plugins.module_utils._kinds.owner import ClientName
from ansible_collections.hosting.panel.plugins.module_utils._kinds.plan import PLAN
from ansible_collections.hosting.panel.plugins.module_utils._kinds.scheduled_task import SCHEDULED_TASK, CronField
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._values import names
from ansible_collections.hosting.panel.plugins.module_utils._values.names import (
    DomainName,
    EmailAddress,
    Name,
    ascii_domain,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.paths import Directory
from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import ByteSize
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import parsed
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

SAME_DOMAIN = [
    "müller.example",
    "MÜLLER.example",
    "MÜLLER.EXAMPLE.",
    "xn--mller-kva.example",
    "XN--MLLER-KVA.Example.",
    " müller.example ",
    "mu\u0308ller.example",  # u and a combining diaeresis
    "müller。example",  # the dot of East Asian keyboards
]


@pytest.mark.parametrize("written", SAME_DOMAIN)
def test_all_spellings_of_a_domain_become_its_stored_form(written: str) -> None:
    assert DomainName().parse(written) == "xn--mller-kva.example"
    assert DomainName().same("xn--mller-kva.example", written)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Shop.Example", "shop.example"),
        ("a.b.c.shop.example", "a.b.c.shop.example"),
        ("_dmarc.shop.example", "_dmarc.shop.example"),
        ("4.shop.example", "4.shop.example"),
        ("日本.example", "xn--wgv71a.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("a" * 63 + ".example", "a" * 63 + ".example"),
    ],
)
def test_these_are_domains(written: str, stored: str) -> None:
    assert DomainName().parse(written) == stored


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        ".",
        "example",
        "example.",
        "a..example",
        ".shop.example",
        "-a.example",
        "a-.example",
        "a b.example",
        "a" * 64 + ".example",
        "ü" * 64 + ".example",
        ".".join(["a" * 50] * 6),
        "shop.example/x",
        "https://shop.example",
        "user@shop.example",
        "*.shop.example",
        "shop.example:80",
        "ü..example",
        "-ü.example",
        None,
        7,
        True,
        [],
        {},
    ],
)
def test_these_are_none(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(DomainName(), "domain", written)
    assert "shop.example.com, in punycode or UTF-8" in caught.value.message


@pytest.mark.parametrize("current", ["shop.example", "", None, 7, [], "a b"])
def test_another_domain_is_not_the_same(current: Any) -> None:
    assert not DomainName().same("xn--mller-kva.example", current)


def test_without_idna_only_names_outside_ascii_fail_and_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "idna", None)
    ascii_domain.cache_clear()
    assert DomainName().parse("Shop.example") == "shop.example"
    with pytest.raises(MissingLibrary, match="idna"):
        DomainName().parse("müller.example")
    assert not DomainName().same("shop.example", "müller.example")


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("info@shop.example", "info@shop.example"),
        ("Info@Shop.Example", "info@shop.example"),
        ("INFO@MÜLLER.example", "info@xn--mller-kva.example"),
        ("info@xn--mller-kva.example.", "info@xn--mller-kva.example"),
        (" info+tag@shop.example ", "info+tag@shop.example"),
        ("o'brien@shop.example", "o'brien@shop.example"),
    ],
)
def test_all_spellings_of_an_address_become_its_stored_form(written: str, stored: str) -> None:
    assert EmailAddress().parse(written) == stored
    assert EmailAddress().same(stored, written)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "info",
        "@shop.example",
        "info@",
        "info@localhost",
        "info@shop.",
        "a@b@shop.example",
        "in fo@shop.example",
        "info @shop.example",
        "info@ shop.example",
        "Info <info@shop.example>",
        "a@shop.example,b@shop.example",
        '"a b"@shop.example',
        "a\nb@shop.example",
        "info@shop..example",
        None,
        7,
        [],
        {},
    ],
)
def test_these_are_no_addresses(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(EmailAddress(), "email", written)
    assert "info@example.com" in caught.value.message


def test_an_address_can_be_cleared_only_where_the_panel_takes_it() -> None:
    assert EmailAddress(clearable=True).parse("") == ""
    assert EmailAddress(clearable=True).same("", None)
    assert EmailAddress(clearable=True).same("", "")
    assert not EmailAddress(clearable=True).same("", "info@shop.example")
    assert "empty text" in EmailAddress(clearable=True).form
    assert "empty text" not in EmailAddress().form


LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)


@given(st.lists(LABEL, min_size=2, max_size=4), st.booleans(), st.booleans())
def test_a_parsed_domain_parses_to_itself(labels: list[str], is_upper: bool, has_dot: bool) -> None:
    written = ".".join(labels)
    try:
        stored = DomainName().parse(written.upper() if is_upper else written + "." * has_dot)
    except ValueError:
        return
    assert DomainName().parse(stored) == stored == DomainName().comparable(stored)


@given(st.text(alphabet="abcÄöß日.-_@ ", max_size=20))
def test_what_is_accepted_is_stable_and_in_ascii(written: str) -> None:
    for value_type in (DomainName(), EmailAddress()):
        try:
            stored = value_type.parse(written)
        except ValueError:
            continue
        assert value_type.parse(stored) == stored
        assert value_type.same(stored, written)
        assert stored.rpartition("@")[2].isascii()


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text())))
def test_comparing_never_fails(current: Any) -> None:
    DomainName().same("shop.example", current)
    EmailAddress().same("info@shop.example", current)


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_a_name_is_the_same_and_sent_the_same_in_every_form_of_unicode() -> None:
    assert Name().parse(DECOMPOSED) == COMPOSED
    assert Name().same(COMPOSED, DECOMPOSED)
    assert EmailAddress().parse(f"{DECOMPOSED}@acme.example") == f"{COMPOSED}@acme.example"
    assert EmailAddress().same(f"{COMPOSED}@acme.example", f"{DECOMPOSED}@acme.example")
    assert Directory("/www").same(f"/www/{DECOMPOSED}", f"www/{COMPOSED}/")
    # What a directory is called on the disk is left alone.
    assert Directory("/www").parse(DECOMPOSED) == DECOMPOSED


@pytest.mark.parametrize("kind", [PLAN, SCHEDULED_TASK])
@pytest.mark.parametrize(("kept", "written"), [(DECOMPOSED, COMPOSED), (COMPOSED, DECOMPOSED)])
def test_an_object_is_found_in_every_form_of_its_name_and_keeps_its_own(kind: Kind, kept: str, written: str) -> None:
    member = kind.name_member
    panel = MemoryPanel({kind.path: [{"id": 3, member: kept, "id_user": 0}]})
    options = {member: written, **({"id_user": 0} if kind is SCHEDULED_TASK else {})}
    single = run_task(resource_operation(kind), panel, options)
    together = run_task(resources_operation(), panel, {"resources": {kind.plural: [options]}})
    assert (single["changed"], together["changed"], panel.writes) == (False, False, [])


@pytest.mark.parametrize("name", [" beta", "beta ", "be\u200bta", "be\u202eta", "be\nta", "Beta", ""])
def test_a_name_of_a_client_has_nothing_that_nobody_sees(name: str) -> None:
    with pytest.raises(ValueError):
        ClientName().parse(name)


@pytest.mark.parametrize("path", ["../../etc", "/www/../..", ".."])
def test_a_directory_does_not_leave_the_clients_own(path: str) -> None:
    with pytest.raises(ValueError):
        Directory("/www").parse(path)


def test_more_bytes_than_a_panel_can_keep_are_a_mistake() -> None:
    assert ByteSize().parse(2**63 - 1) == 2**63 - 1
    for size in (2**63, "8192P", "99999999999P"):
        with pytest.raises(ValueError):
            ByteSize().parse(size)


@pytest.mark.parametrize("column", ["10-5", "1,10-5", "*/0", "0-59/00", "\uff11", "10-5/2"])
def test_a_column_that_no_cron_takes_is_a_mistake(column: str) -> None:
    with pytest.raises(ValueError):
        CronField().parse(column)


@pytest.mark.parametrize("column", ["5-10", "*/10", "0-59/15", "mon-fri", "jan", "1,2-3", "5-5", "2010-2030"])
def test_a_column_that_cron_takes_is_taken(column: str) -> None:
    assert CronField().parse(column) == column


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        ("0", 0),
        (0, "0"),
        (0, 0),
        ("0", "00"),
        ("5", "05"),
        ("*/5", "*/05"),
        ("1,2", "1, 2"),
        ("mon-fri", "MON-FRI"),
        ("100", "100"),
    ],
)
def test_columns_are_the_same_as_numbers_and_texts(shown: Any, written: Any) -> None:
    assert CronField().same(CronField().parse(written), shown)


@pytest.mark.parametrize(
    ("shown", "written"), [("10", 1), ("1", "10"), ("0", "*"), ("*/10", "*/1"), ("100", "10"), ("1-5", "1,5")]
)
def test_other_columns_are_not(shown: str, written: Any) -> None:
    assert not CronField().same(CronField().parse(written), shown)


@pytest.mark.parametrize(
    ("shown", "written", "is_same"),
    [
        ("https://x.example/", "https://x.example/", True),
        ("https://x.example/", "https://x.example", False),
        ("/Shop/", "/shop/", False),
        ("/", "", True),
        ("", "/", True),
    ],
)
def test_a_url_is_compared_as_it_is_written_and_a_directory_by_its_parts(
    shown: str, written: str, is_same: bool
) -> None:
    assert Target().same(Target().parse(written), shown) is is_same


def test_a_user_of_a_directory_has_no_colon() -> None:
    with pytest.raises(ValueError):
        DIRECTORY_PROTECTION.key[-1].type.parse("a:b")
