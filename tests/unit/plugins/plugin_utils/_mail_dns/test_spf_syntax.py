# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The syntax of SPF records: what RFC 7208 allows is read, and each mistake is named."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.spf_syntax import (
    composed,
    is_spf,
    looks_like_spf,
    mended,
    read_spf,
)

# The words of RFC 7208, sections 5 to 7 and appendix A, with names and addresses of our own.
RIGHT = [
    "all",
    "+all",
    "-all",
    "~all",
    "?all",
    "-ALL",
    "include:acme.example",
    "?include:_spf.acme.example",
    "include:%{d}.acme.example",
    "a",
    "mx",
    "a/24",
    "mx/30",
    "a//64",
    "a/24//64",
    "a:acme.example",
    "-a:acme.example/28",
    "mx:acme.example//120",
    "A:ACME.example.",
    "mx/0",
    "a/32//128",
    "a:x--y.acme.example",
    "a:1.acme.example",
    "a:acme.x-1",
    "a:acme.1x",
    "a:acme.%{d}",
    "ptr",
    "ptr:acme.example",
    "?ptr",
    "ip4:192.0.2.1",
    "-ip4:192.0.2.0/24",
    "ip4:0.0.0.0/0",
    "IP4:192.0.2.1/32",
    "ip6:2001:db8::1",
    "~ip6:2001:db8::/32",
    "ip6:::1",
    "ip6:::ffff:192.0.2.1/96",
    "ip6:2001:DB8::/0",
    "exists:%{ir}.%{v}._spf.%{d2}",
    "exists:%{l1r+-}.%{o}.acme.example",
    "exists:%{s}%%.%{h}%_.%{p}%-.acme.example",
    "exists:%{I}.acme.example",
    "redirect=_spf.acme.example",
    "redirect=%{d}",
    "exp=explain._spf.%{d}",
    "Redirect=acme.example",
    "moo=bar",
    "moo.x-1_y=%{c}%{t}!",
    "unknown=",
]
WRONG = {
    "al": "there is no mechanism al",
    "all:acme.example": "all takes nothing behind it",
    "-all.": "there is no mechanism all.",
    "include": "include needs a colon and the name of a domain",
    "include:": "include needs a colon and the name of a domain",
    "include:acme": "what stands behind the name is not a domain",
    "include:acme.example/24": "what stands behind the name is not a domain",
    "include:münchen.example": "names are written in punycode there",
    "include:acme..example": "acme..example is not the name of a domain",
    "include=acme.example": "include needs a colon; with = receivers pass over it",
    "a:192.0.2.1": "what stands behind the name is not a domain or a length of a network",
    "a/33": "what stands behind the name is not a domain or a length of a network",
    "a/024": "what stands behind the name is not a domain or a length of a network",
    "mx//129": "what stands behind the name is not a domain or a length of a network",
    "mx/24/64": "what stands behind the name is not a domain or a length of a network",
    "a:%{x}.acme.example": "what stands behind the name is not a domain or a length of a network",
    "a:%{c}.acme.example": "what stands behind the name is not a domain or a length of a network",
    "a:%{d0}.acme.example": "what stands behind the name is not a domain or a length of a network",
    "a:100%.acme.example": "what stands behind the name is not a domain or a length of a network",
    "ptr/24": "what stands behind the name is not a domain",
    "exists": "exists needs a colon and the name of a domain",
    "ip4": "ip4 needs a colon and an address or network of IPv4",
    "ip4:192.0.2": "192.0.2 is not an address of IPv4",
    "ip4:192.0.2.256": "192.0.2.256 is not an address of IPv4",
    "ip4:192.0.2.0/33": "ip4 needs a colon and an address or network of IPv4",
    "ip4:2001:db8::1": "ip4 needs a colon and an address or network of IPv4",
    "ip6:192.0.2.1": "192.0.2.1 is not an address of IPv6",
    "ip6:2001:db8::1%25eth0": "ip6 needs a colon and an address or network of IPv6",
    "ip6:2001:db8::/129": "ip6 needs a colon and an address or network of IPv6",
    "ipv4:192.0.2.1": "there is no mechanism ipv4",
    "redirect=": "redirect needs the name of a domain",
    "redirect=acme": "redirect needs the name of a domain",
    "redirect:acme.example": "there is no mechanism redirect",
    "exp=explain": "exp needs the name of a domain",
    "-moo=bar": "a modifier has no sign before it",
    "moo=100%": "its value is not written as macros are",
    "moo=ü": "its value is not written as macros are",
    "192.0.2.1": "it is neither a mechanism nor a modifier",
    "--all": "it is neither a mechanism nor a modifier",
    "a\tmx": "what stands behind the name is not a domain or a length of a network",
    "<b>": "it is neither a mechanism nor a modifier",
}


@pytest.mark.parametrize("word", RIGHT)
def test_every_word_that_is_allowed_is_read(word: str) -> None:
    read = read_spf(f"v=spf1 {word}")
    assert (read.wrong, [term.text for term in read.terms]) == ((), [word])


@pytest.mark.parametrize("word", WRONG)
def test_every_mistake_is_named(word: str) -> None:
    assert read_spf(f"v=spf1 a {word} -all").wrong == ((word, WRONG[word]),)


@pytest.mark.parametrize("name", ["redirect", "exp"])
def test_a_modifier_that_may_be_there_once_is_wrong_twice(name: str) -> None:
    read = read_spf(f"v=spf1 {name}=a.acme.example {name}=b.acme.example")
    assert read.wrong == ((f"{name}=b.acme.example", f"{name} may be there only once"),)


@pytest.mark.parametrize(
    ("text", "is_one", "is_meant"),
    [
        ("v=spf1", True, False),
        ("v=spf1 -all", True, False),
        ("V=SPF1  a", True, False),
        ("v=spf10 -all", False, True),
        ("v=spf1;-all", False, True),
        ("v = spf1 -all", False, True),
        (" v=spf1 -all", False, True),
        ("v=spf2.0/mfrom -all", False, True),
        ("spf2.0/mfrom -all", False, False),
        ("spf1 -all", False, True),
        ("v: spf1 -all", False, True),
        ('"v=spf1" -all', False, True),
        ("spf-verification=abc", False, False),
        ("google-site-verification=abc", False, False),
        ("", False, False),
    ],
)
def test_what_begins_like_a_record_is_one_and_nothing_else(text: str, is_one: bool, is_meant: bool) -> None:
    assert (is_spf(text), looks_like_spf(text)) == (is_one, is_meant)


def test_what_stands_behind_all_is_not_read() -> None:
    read = read_spf("v=spf1 a -all mx redirect=acme.example exp=acme.example")
    assert [term.text for term in read.read] == ["a"]
    assert read.redirect is None
    assert [term.text for term in read.behind_the_end] == ["mx", "redirect=acme.example"]
    assert [term.text for term in read_spf("v=spf1 redirect=acme.example a -all").behind_the_end] == [
        "redirect=acme.example"
    ]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("ipv4:192.0.2.1", "ip4:192.0.2.1"),
        ("-ipv6:2001:db8::/32", "-ip6:2001:db8::/32"),
        ("ip4=192.0.2.0/24", "ip4:192.0.2.0/24"),
        ("ip4:2001:db8::1", "ip6:2001:db8::1"),
        ("a:192.0.2.1", "ip4:192.0.2.1"),
        ("include=acme.example", "include:acme.example"),
        ("include:münchen.example", "include:xn--mnchen-3ya.example"),
        ("-a:BÜCHER.acme.example/24", "-a:xn--bcher-kva.acme.example/24"),
        ("include:mü_nchen.example", ""),
        ("ip4:192.0.2", ""),
        ("all.", ""),
        ("nonsense", ""),
        ("--", ""),
    ],
)
def test_a_mistake_that_many_make_is_mended(word: str, meant: str) -> None:
    assert mended(word) == meant


def test_a_record_is_put_together_with_each_word_once_and_all_before_the_modifiers() -> None:
    words = ["a", "exp=e.acme.example", "A", "+a", "-a", "mx"]
    assert composed(words, "~") == "v=spf1 a -a mx ~all exp=e.acme.example"
    assert composed(["redirect=acme.example"], "") == "v=spf1 redirect=acme.example"


@given(st.text(alphabet=string.printable, max_size=80))
def test_no_text_makes_it_fail_and_what_is_mended_is_right(text: str) -> None:
    read = read_spf(f"v=spf1 {text}")
    assert len(read.terms) + len(read.wrong) == len([word for word in text.split(" ") if word])
    for word, _reason in read.wrong:
        meant = mended(word)
        assert not meant or read_spf(f"v=spf1 {meant}").wrong == ()


def test_a_long_record_is_read_at_once() -> None:
    for word in ("a:" + "a." * 20_000, "exists:" + "%{d}" * 10_000 + "/", "a:" + "1" * 40_000, "moo=" + "%{" * 20_000):
        assert len(read_spf(f"v=spf1 {word}").wrong) == 1
