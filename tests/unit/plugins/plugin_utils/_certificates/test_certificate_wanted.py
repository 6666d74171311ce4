# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be asked for in certificates, and the one sentence about each thing that may not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import (
    Wanted,
    mistakes_in_options,
    read_wanted,
)

USUAL: dict[str, Any] = {"name": "a", "client": "acme", "domains": ["acme.example"]}
NAME = (
    "must be a name, not empty and without blanks around it or characters that nobody sees, of at most 253 characters."
)
DOMAIN = (
    "must be a domain name such as shop.example.com or *.example.com, in punycode or UTF-8, of letters, digits and hyphens, and of at most "
    "237 characters."
)
LIST = "items: must be a list of dictionaries with name, client and domains."
LONGEST = ".".join(letter * 59 for letter in "abc") + "." + "d" * 57


def test_names_are_read_in_either_spelling_and_once() -> None:
    item = {
        "name": "Müller",
        "client": "beta",
        "domains": ["MÜLLER.example", "*.müller.example", "xn--mller-kva.example"],
        "assign": ["Shop.müller.example", "under_score.xn--mller-kva.example"],
    }
    wanted, mistakes = read_wanted([item])
    assert mistakes == []
    names = ("xn--mller-kva.example", "*.xn--mller-kva.example")
    assert wanted == [
        Wanted("Müller", "beta", names, ("shop.xn--mller-kva.example", "under_score.xn--mller-kva.example"))
    ]


def test_an_item_without_domains_to_assign_may_say_so_or_nothing() -> None:
    assert read_wanted([USUAL]) == read_wanted([{**USUAL, "assign": None}]) == read_wanted([{**USUAL, "assign": []}])
    assert read_wanted([USUAL]) == ([Wanted("a", "acme", ("acme.example",), ())], [])


@pytest.mark.parametrize(
    ("items", "mistakes"),
    [
        ("acme.example", [LIST]),
        (USUAL, [LIST]),
        (None, [LIST]),
        (7, [LIST]),
        (
            ["acme.example", None],
            [f"items[{number}]: must be a dictionary with name, client and domains." for number in (0, 1)],
        ),
        ([{}], ["items[0]: name: missing.", "items[0]: client: missing.", "items[0]: domains: missing."]),
        (
            [{"name": None, "client": None, "domains": None}],
            ["items[0]: name: missing.", "items[0]: client: missing.", "items[0]: domains: missing."],
        ),
        (
            [{**USUAL, "domain": "acme.example"}],
            ["items[0] (a): domain: there is no such member; did you mean domains?"],
        ),
        ([{**USUAL, "domains": "acme.example"}], ["items[0] (a): domains: must be a list."]),
        ([{**USUAL, "domains": {"acme.example": None}}], ["items[0] (a): domains: must be a list."]),
        ([{**USUAL, "assign": "acme.example"}], ["items[0] (a): assign: must be a list."]),
        ([{**USUAL, "assign": False}], ["items[0] (a): assign: must be a list."]),
        ([{**USUAL, "name": 7}], [f"items[0]: name: {NAME}"]),
        ([{**USUAL, "name": "a\nb"}], [f"items[0]: name: {NAME}"]),
        ([{**USUAL, "name": "a" * 254}], [f"items[0]: name: {NAME}"]),
        ([{**USUAL, "client": " acme"}], [f"items[0] (a): client: {NAME}"]),
        ([{**USUAL, "client": ["acme"]}], [f"items[0] (a): client: {NAME}"]),
        ([{**USUAL, "name": "a" * 253}], []),
        (
            [{**USUAL, "assign": ["*.acme.example", None]}],
            [
                f"items[0] (a): assign[{number}]: must be a domain name such as shop.example.com, in punycode or UTF-8."
                for number in (0, 1)
            ],
        ),
        (
            [
                {
                    **USUAL,
                    "domains": ["*.acme.example"],
                    "assign": ["acme.example", "a.b.acme.example", "b.acme.example"],
                }
            ],
            [
                f"items[0] (a): assign: {name} is not covered by the certificate; add it to domains."
                for name in ("acme.example", "a.b.acme.example")
            ],
        ),
        (
            [{**USUAL, "domains": ["*.acme.example", "acme.example", "b.acme.example", "a.b.acme.example"]}],
            [
                "items[0] (a): domains: b.acme.example is covered by *.acme.example as well, which authorities refuse; leave one of the two out."
            ],
        ),
        (
            [{**USUAL, "domains": [f"{number}.acme.example" for number in range(101)]}],
            ["items[0] (a): domains: are 101 names, and a certificate is for 100 at most; make several of it."],
        ),
        ([{**USUAL, "domains": [f"{number}.acme.example" for number in range(100)]}], []),
        (
            [{}, {**USUAL, "assign": ["acme.example"]}, {**USUAL, "assign": ["acme.example"]}],
            [
                "items[0]: name: missing.",
                "items[0]: client: missing.",
                "items[0]: domains: missing.",
                "items[2] (a): name: a is in another item too.",
                "items[2] (a): assign: acme.example is in another item too.",
            ],
        ),
    ],
)
def test_every_mistake_in_the_items_is_told_with_its_place(items: Any, mistakes: list[str]) -> None:
    assert read_wanted(items)[1] == mistakes


@pytest.mark.parametrize(
    ("name", "is_accepted"),
    [
        ("www.acme.example", True),
        ("*.acme.example", True),
        ("a--b.acme.example", True),
        ("straße.example", True),
        ("xn--p1ai.xn--p1ai", True),
        (LONGEST, True),
        (f"{LONGEST}d", False),
        (f"*.{LONGEST}", True),
        ("*.*.acme.example", False),
        ("www.*.acme.example", False),
        ("*.", False),
        ("localhost", False),
        ("_foo.acme.example", False),
        ("under_score.acme.example", False),
        ("-a.acme.example", False),
        ("xn--.acme.example", False),
        ("xn--a.acme.example", False),
        ("xn--99999999999.acme.example", False),
        ("ab--c.acme.example", False),
        (" acme.example", False),
        ("acme.example\n", False),
        ("acme .example", False),
        ("", False),
        (None, False),
        (7, False),
    ],
)
def test_names_are_those_that_authorities_issue_certificates_for(name: Any, is_accepted: bool) -> None:
    _wanted, mistakes = read_wanted([{**USUAL, "domains": ["acme.example", name]}])
    assert mistakes == ([] if is_accepted else [f"items[0] (a): domains[1]: {DOMAIN}"])


OPTIONS: dict[str, Any] = {
    "terms_agreed": True,
    "acme_directory": "https://ca.example/dir",
    "account_email": None,
    "renew_days": 30,
    "dns_timeout": 300,
    "order_timeout": 300,
    "nameservers": [],
}
DIRECTORY = (
    "acme_directory: must be the address of a directory, such as https://acme-v02.api.letsencrypt.org/directory, without a user name or "
    "password in it."
)


TERMS = (
    "terms_agreed: is false; an authority issues certificates only to those who agree to its terms of service. Read them, and set it to "
    "true."
)


def number(option: str, value: str, most: int) -> str:
    return f"{option}: {value} is not accepted; it must be a whole number from 1 to {most}."


def server(index: int) -> str:
    form = "the address of a name server such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
    return f"nameservers[{index}]: must be the name of a name server, or {form}."


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({}, []),
        ({"account_email": ""}, []),
        ({"account_email": "hostmaster@provider.example"}, []),
        (
            {"account_email": "hostmaster"},
            [
                "account_email: 'hostmaster' is not accepted; it must be an e-mail address such as info@example.com, in punycode or UTF-8."
            ],
        ),
        ({"acme_directory": "https://127.0.0.1:14000/dir?x=1"}, []),
        *(
            ({"acme_directory": address}, [DIRECTORY])
            for address in (
                "http://ca.example/dir",
                "ca.example/dir",
                "https://",
                "https:///dir",
                "https://ca.example:0/dir",
                "https://ca.example:99999/dir",
                "https://somebody:geheim@ca.example/dir",
                "https://somebody@ca.example/dir",
                "https://ca.example/d ir",
                "https://ca.example/dir\n",
                "https://[::1/dir",
            )
        ),
        ({"renew_days": 398, "dns_timeout": 86400, "order_timeout": 1}, []),
        ({"renew_days": 0}, [number("renew_days", "0", 398)]),
        ({"renew_days": 10**30}, [number("renew_days", str(10**30), 398)]),
        ({"dns_timeout": -1}, [number("dns_timeout", "-1", 86400)]),
        ({"order_timeout": 10**400}, [number("order_timeout", "1" + "0" * 76 + "...", 86400)]),
        ({"nameservers": ["ns1.acme.example", "ns1", "127.0.0.1:5353", "::1", "[::1]:5353"]}, []),
        (
            {"nameservers": [None, "127.0.0.1:99999", "ns1.acme.example:53", "192.0.2.300", "", 53, "a b"]},
            [server(index) for index in range(7)],
        ),
        (
            {"terms_agreed": False, "renew_days": 0},
            [
                TERMS,
                number("renew_days", "0", 398),
            ],
        ),
    ],
)
def test_every_mistake_in_the_options_is_told(changes: dict[str, Any], mistakes: list[str]) -> None:
    assert list(mistakes_in_options({**OPTIONS, **changes})) == mistakes
