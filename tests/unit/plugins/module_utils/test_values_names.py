# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Domain names and e-mail addresses: punycode and UTF-8 in any case are the same name."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import MissingLibrary, OptionError
from ansible_collections.hosting.panel.plugins.module_utils._options import parsed
from ansible_collections.hosting.panel.plugins.module_utils._values.names import DomainName, EmailAddress, ascii_domain

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
    monkeypatch.setitem(sys.modules, "idna", None)
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
