"""What is wrong with the mail DNS of domains, and which record is missing, by the zones of a
panel."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.judge import list_findings

RSA_ENCRYPTION = "06092a864886f70d010101"
RSA_PSS = "06092a864886f70d01010a"
ELLIPTIC_CURVE = "06072a8648ce3d0201"


def encode_part(tag: int, content: bytes) -> bytes:
    """Return a part of DER, whose length is written in two bytes."""
    return bytes([tag, 0x82]) + len(content).to_bytes(2, "big") + content


def encode_numbers(bits: int) -> bytes:
    """Return the modulus, of so many bits, and the exponent of a key of RSA."""
    modulus = (1 << (bits - 1)).to_bytes(bits // 8 + 1, "big")
    return encode_part(0x02, modulus) + encode_part(0x02, b"\x01\x00\x01")


def encode_public_key(bits: int = 1024, algorithm: str = RSA_ENCRYPTION) -> str:
    """Return a public key behind its algorithm, in base64."""
    key = encode_part(0x03, b"\x00" + encode_part(0x30, encode_numbers(bits)))
    whole = encode_part(0x30, encode_part(0x30, bytes.fromhex(algorithm)) + key)
    return base64.b64encode(whole).decode("ascii")


def encode_bare_key(version: bytes = b"") -> str:
    """Return a key of RSA without its algorithm, in base64: a private one if it has a version."""
    first = encode_part(0x02, version) if version else b""
    return base64.b64encode(encode_part(0x30, first + encode_numbers(1024))).decode("ascii")


PUBLIC_KEY = encode_public_key()
KEY = f"v=DKIM1; k=rsa; p={PUBLIC_KEY}"
OTHER_KEY = f"v=DKIM1; k=rsa; p={encode_public_key(2048)}"
DKIM = f'default._domainkey IN TXT ( "{KEY[:30]}" "{KEY[30:]}" )'
REJECT = "v=DMARC1; p=reject"
SPF = "v=spf1 a mx ~all"
DMARC = "v=DMARC1; p=none"
RIGHT = {
    "@ A": ["192.0.2.10"],
    "mail A": ["192.0.2.10"],
    "mail AAAA": ["2001:db8::10"],
    "@ MX": ["10 mail.acme.example."],
    "@ TXT": [SPF, "google-site-verification=abc"],
    "default._domainkey TXT": [f'"{KEY[:40]}" "{KEY[40:]}"'],
    "_dmarc TXT": ["v=DMARC1; p=quarantine"],
}
TEN = " ".join(f"include:_{number}.acme.example" for number in range(10))
OTHERS = {
    **{f"_{number} TXT": ["v=spf1 ip4:192.0.2.1 -all"] for number in range(11)},
    "_two TXT": ["v=spf1 a", "v=spf1 mx"],
    "_wrong TXT": ["v=spf1 ip4:192.0.2"],
    "_loop TXT": ["v=spf1 include:acme.example -all"],
    "_all TXT": ["v=spf1 +all"],
    "_net TXT": ["v=spf1 ip4:192.0.2.1/0 -all"],
    "_half TXT": ["v=spf1 ip4:10.0.0.0/1 -all"],
    "_quarter TXT": ["v=spf1 ip4:128.0.0.0/2 -all"],
    "_to_all TXT": ["v=spf1 redirect=_all.acme.example"],
    "_void TXT": ["v=spf1 a:gone.acme.example -all"],
    "_many MX": [f"10 mx{number}.elsewhere.example." for number in range(11)],
    "_eleven TXT": [f"v=spf1 {TEN} -all"],
    "_seven TXT": [
        "v=spf1 " + " ".join(f"include:_{number}.acme.example" for number in range(7)) + " -all"
    ],
}


def make_zone(
    changes: dict[str, list[str]] | None = None, name: str = "acme.example", **fields: Any
) -> dict[str, Any]:
    """A zone that is right but for changes: by host and type the values, none to leave them out."""
    records = [
        {"host": key.split()[0], "type": key.split()[1], "ttl": 3600, "value": value}
        for key, values in {**RIGHT, **(changes or {})}.items()
        for value in values
    ]
    usual = {"domain": name, "is_custom_dns": True, "is_dns_disabled": False, "dkim_record": DKIM}
    return {**usual, "records": {"soa": {}, "other": records}, **fields}


def summarize_findings(zones: Any, *domains: Any) -> list[tuple[str, str, str]]:
    """About, problem and level."""
    return [
        (finding["about"], finding["problem"], finding["level"])
        for finding in list_findings(zones, *domains)
    ]


def list_missing_records(zones: Any, *domains: Any) -> list[str]:
    """The records that are missing, as ``host type value``."""
    return [
        " ".join(finding["record"].values())
        for finding in list_findings(zones, *domains)
        if finding["record"]
    ]


def test_a_zone_that_is_right_has_no_findings() -> None:
    assert (
        list_findings([make_zone(), make_zone(name="beta.example", changes={"@ MX": ["10 mail"]})])
        == []
    )


# By the problem and its level the records that have it and no other (RFC 7208).
OF_SPF: dict[tuple[str, str], list[str]] = {
    ("", ""): [
        "a:x.acme.example a:y.acme.example -all",
        "-all exp=x.acme.example foo=bar",
        # What receivers pass over may have each macro (section 6).
        "a foo=%{c}.example.com bar=%{R}%{t2r} -all",
        *(
            "ip4:0.0.0.0/2 ip4:192.0.2.0/24 ip4:64.0.0.0/3 -all",
            "ip4:0.0.0.0/2 ip4:1.0.0.0/2 a/3 -all",
            "ip6:2000::/5 ip6:4000::/2 ip6:fc00::/7 -all",
            "~ip4:0.0.0.0/1 ?ip4:128.0.0.0/1 ~include:_half.acme.example -all",
        ),
        *(
            "a -all",
            "mx/30 mx:acme.example/30 -all",
            "redirect=_1.acme.example",
            "exists:%{ir}.%{l1r+-}._spf.%{d} ~all",
        ),
        # What lies in no zone of the panel is unknown.
        *("~include:_all.acme.example -all", "include:elsewhere.example -all"),
        *("~include:_net.acme.example -all", "-include:_all.acme.example ~all"),
        # Ten look-ups in all, those of other records too.
        *(f"{TEN} -all", "a mx include:_seven.acme.example -all"),
    ],
    ("allows_everyone", "bad"): [
        "+all",
        "a all",
        "redirect=_all.acme.example",
        *("include:_all.acme.example -all", "a +include:_net.acme.example -all"),
        *("redirect=_net.acme.example", "include:_to_all.acme.example -all"),
        "ip4:192.0.2.1/0 -all",
        "+ip6:2001:db8::/0 -all",
        "a/0 -all",
        "a/24//0 -all",
        # Together, or nearly (the lower half has all addresses of IPv6 that are given out).
        *("ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", "ip4:128.0.0.0/2 a ip4:9.9.9.9/2 -all"),
        *("ip6:2000::/3 -all", "ip6:::/1 -all", "ip6:2001:db8::/5 ip6:2800::/5 -all"),
        *("a/1 -all", "a:mail.acme.example//3 -all", "mx/2 ip4:0.0.0.0/2 -all"),
        *("include:_half.acme.example -all", "ip4:0.0.0.0/2 redirect=_quarter.acme.example"),
    ],
    ("open_end", "near"): ["a mx", "", "a ?all"],
    # What has no effect because of all (sections 5.1 and 6.1).
    ("ignored", "near"): [
        *(
            "-all a:x.acme.example a:y.acme.example a:z.acme.example",
            "-all ip4:192.0.2.1",
            "~all -all",
            "a -all include:_1.acme.example",
        ),
        *(
            "a redirect=nothing.acme.example -all",
            "a -all redirect=nothing.acme.example",
            "-all exp=x.acme.example foo=bar a",
        ),
    ],
    # A record with a mistake lets nobody through, whatever its end.
    ("syntax", "bad"): [
        *(
            "a ipv4:192.0.2.1 -all",
            "nonsense +all",
            "include:münchen.example -all",
            "ip4:192.0.2 -all",
        ),
        *(
            "include=acme.example -all",
            "a - all",
            "all. -all",
            "redirect=acme -all",
            "ip6:192.0.2.1 -all",
        ),
        *(
            "include:else..where.example -all",
            "a:x..acme.example a:y.acme.example a:z.acme.example -all",
        ),
    ],
    ("broken_include", "bad"): [
        *(
            "redirect=nothing.acme.example",
            "include:_two.acme.example -all",
            "include:_wrong.acme.example a -all",
        ),
        *("include:acme.example -all", "include:_loop.acme.example -all"),
        *("include:https://elsewhere.example -all", "mx:_many.acme.example -all"),
    ],
    ("look_ups", "bad"): [
        f"{TEN} a -all",
        f"{TEN} a a -all",
        f"{TEN} exists:%{{i}}.acme.example -all",
        "include:_eleven.acme.example -all",
    ],
    # What is not there may be asked for twice (section 4.6.4).
    ("void", "bad"): [
        "a:x.acme.example mx:y.acme.example exists:z.acme.example -all",
        "a:x.acme.example a:x.acme.example include:_void.acme.example -all",
    ],
}


@pytest.mark.parametrize(
    ("expected", "text"), [(finding, text) for finding, texts in OF_SPF.items() for text in texts]
)
def test_an_spf_record_is_judged_and_never_repaired(expected: tuple[str, str], text: str) -> None:
    given_zone = make_zone({**OTHERS, "@ TXT": [f"v=spf1 {text}".strip(), "something else"]})
    assert summarize_findings(given_zone) == ([("spf", *expected)] if expected[0] else [])
    assert list_missing_records(given_zone) == []


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["something else", "spf2.0/mfrom -all", "spf-verification=abc"], "missing"),
        ([SPF, "v=spf1 mx -all"], "several"),
        *(
            ([text], "syntax")
            for text in (
                "v=spf1;-all",
                "spf1 include:_1.acme.example -all",
                "v = spf1 -all",
                '"v=spf1" -all',
                "v=spf mx ~all",
            )
        ),
    ],
    ids=str,
)
def test_there_has_to_be_one_spf_record(texts: list[str], problem: str) -> None:
    assert summarize_findings(make_zone({**OTHERS, "@ TXT": texts})) == [("spf", problem, "bad")], (
        texts
    )
    missing = [f"@ TXT {SPF}"] if problem == "missing" else []
    assert list_missing_records(make_zone({**OTHERS, "@ TXT": texts})) == missing, texts


@pytest.mark.parametrize(
    ("texts", "problem", "level"),
    [
        ([KEY], "", ""),
        (
            [f"k=rsa; p={PUBLIC_KEY}; t=s; s=email; h=sha1:sha256; n=note"],
            "",
            "",
        ),
        (["<DKIM_RECORD_VALUE>"], "", ""),
        ([], "missing", "bad"),
        ([KEY, OTHER_KEY], "several", "bad"),
        ([OTHER_KEY], "other_key", "bad"),
        *(
            ([text], "syntax", "bad")
            for text in (
                "k=rsa; p=MIIB; v=DKIM1",
                "v=DKIM1; k=rsa",
                "v=DKIM1; p=MII*",
                "v=DKIM1;; p=MIIB",
                "v=DKIM1; p=MIIB; p=MIIB",
            )
        ),
    ],
    ids=str,
)
def test_the_dkim_record_holds_the_key_that_the_panel_signs_with(
    texts: list[str], problem: str, level: str
) -> None:
    given_zone = make_zone({"default._domainkey TXT": texts})
    assert summarize_findings(given_zone) == ([("dkim", problem, level)] if problem else []), texts
    missing = [f"default._domainkey TXT {KEY}"] if problem == "missing" else []
    assert list_missing_records(given_zone) == missing, texts


ED25519 = base64.b64encode(bytes(32)).decode("ascii")
# By case the tags of a record that no receiver takes, and what is wrong with it.
UNUSABLE = {
    "one sign": ("p=A", "p is cut off or no public key"),
    "a beginning": ("p=MIIB", "p is cut off or no public key"),
    "cut at 100 characters": (f"p={PUBLIC_KEY[:100]}", "p is cut off or no public key"),
    "text before it": (f"p=AAAA{PUBLIC_KEY}", "p is cut off or no public key"),
    "another type than its key": (f"k=ed25519; p={PUBLIC_KEY}", "p is cut off or no public key"),
    "the algorithm of elliptic curves": (
        f"p={encode_public_key(algorithm=ELLIPTIC_CURVE)}",
        "p is no public key of RSA",
    ),
    "the algorithm RSASSA-PSS": (
        f"p={encode_public_key(algorithm=RSA_PSS)}",
        "p is no public key of RSA",
    ),
    "an empty sequence": ("p=MAA=", "p is no public key of RSA"),
    "no algorithm": ("p=MAYwAAMCADA=", "p is no public key of RSA"),
    "a private key": (f"p={encode_bare_key(version=bytes(1))}", "p is a private key"),
    "too short a key": (f"p={encode_public_key(1016)}", "it has 1016 bits, and needs 1024"),
    "an unknown type": (f"k=foo; p={PUBLIC_KEY}", "k is foo, and must be rsa or ed25519"),
    "a type in capitals": (f"k=RSA; p={PUBLIC_KEY}", "k is RSA, and must be rsa or ed25519"),
    "a service in capitals": (f"s=EMAIL; p={PUBLIC_KEY}", "s has neither email nor *"),
    "a hash in capitals": (f"h=SHA256; p={PUBLIC_KEY}", "h lacks sha256"),
    "no type": (f"k=; p={PUBLIC_KEY}", "k is empty, and must be rsa or ed25519"),
    "another service": (f"s=tlsrpt; p={PUBLIC_KEY}", "s has neither email nor *"),
    "an old hash": (f"h=md5; p={PUBLIC_KEY}", "h lacks sha256"),
}


@pytest.mark.parametrize(("tags", "flaw"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_key_that_no_receiver_takes_is_judged_where_the_panel_shows_none(
    tags: str, flaw: str
) -> None:
    given_zone = make_zone({"default._domainkey TXT": [f"v=DKIM1; {tags}"]}, dkim_record=None)
    (finding,) = list_findings(given_zone)

    assert (finding["problem"], finding["level"]) == ("unusable", "near")
    assert flaw in finding["message"]

    domain = {"domain": "acme.example", "dkim_selector": "default", "is_email_domain": True}
    assert summarize_findings(given_zone, [domain]) == [("dkim", "unusable", "bad")]


@pytest.mark.parametrize("tags", ["s=tlsrpt", "h=sha1"])
def test_the_key_of_the_panel_is_judged_by_what_it_is_for(tags: str) -> None:
    given_zone = make_zone({"default._domainkey TXT": [f"{KEY}; {tags}"]})
    assert summarize_findings(given_zone) == [("dkim", "unusable", "bad")]


@pytest.mark.parametrize(
    "tags",
    [
        f"k=ed25519; p={ED25519}",
        f"s=tlsrpt:email; p={PUBLIC_KEY}",
        f"s=*; h=sha256; p={PUBLIC_KEY}",
        f"p={encode_public_key(4096)}",
        f"p={encode_bare_key()}",
    ],
)
def test_a_key_that_receivers_take_is_no_finding(tags: str) -> None:
    given_zone = make_zone({"default._domainkey TXT": [f"v=DKIM1; {tags}"]}, dkim_record=None)
    assert summarize_findings(given_zone) == []


REVOKED = ["v=DKIM1; p=", "v=DKIM1; k=rsa; p=", "p=", "v=DKIM1;p=;", "v=DKIM1; t=s; p= ; n=gone"]


@pytest.mark.parametrize("text", REVOKED)
def test_a_key_whose_p_is_empty_is_revoked_and_is_no_fault_beside_a_valid_one(text: str) -> None:
    keyless = {"dkim_record": None}
    old = {"old._domainkey TXT": [text]}
    none = {"default._domainkey TXT": []}

    # The panel signs with the one that is revoked.
    assert summarize_findings(make_zone({"default._domainkey TXT": [text]})) == [
        ("dkim", "revoked", "bad")
    ]
    assert summarize_findings(
        make_zone({"default._domainkey TXT": [text], "new._domainkey TXT": [KEY]})
    ) == [("dkim", "revoked", "bad")]
    # It signs with another one, or does not say with which.
    assert summarize_findings(make_zone(old)) == []
    assert summarize_findings(make_zone(old, **keyless)) == [("dkim", "revoked", "fine")]

    elsewhere = {"new._domainkey CNAME": ["key.elsewhere.example."]}
    assert summarize_findings(make_zone({**old, **none, **elsewhere}, **keyless)) == [
        ("dkim", "revoked", "fine")
    ]
    assert summarize_findings(make_zone({**old, **none}, **keyless)) == [
        ("dkim", "revoked", "near")
    ]

    domain = {"domain": "acme.example", "dkim_selector": "old", "is_email_domain": True}
    assert summarize_findings(make_zone({**old, **none}, **keyless), [domain]) == [
        ("dkim", "revoked", "bad")
    ]
    assert list_missing_records(make_zone({**old, **none}, **keyless)) == []


@pytest.mark.parametrize(
    "host",
    [
        "_adsp._domainkey",
        "_policy._domainkey",
        "_ssp._domainkey",
        "x._adsp._domainkey",
        "_domainkey",
    ],
)
@pytest.mark.parametrize(
    "text", ["dkim=all", "dkim=unknown", "o=~; r=it@acme.example", "v=DKIM1; p="]
)
def test_a_policy_below_domainkey_is_no_key(host: str, text: str) -> None:
    policy = {f"{host} TXT": [text]}
    assert summarize_findings(make_zone(policy)) == []
    assert summarize_findings(make_zone(policy, dkim_record=None)) == []
    assert summarize_findings(
        make_zone({**policy, "default._domainkey TXT": []}, dkim_record=None)
    ) == [("dkim", "missing", "near")]

    # The panel's placeholder stands for the only key, which a policy is not.
    placeholder = {**policy, "s1._domainkey TXT": ["<DKIM_RECORD_VALUE>"]}
    assert summarize_findings(make_zone(placeholder, dkim_record=None)) == []


@pytest.mark.parametrize(
    "host",
    [
        "_report._dmarc",
        "*._report._dmarc",
        "other.example._report._dmarc",
        "_smtp._tls",
        "_mta-sts",
        "default._bimi",
    ],
)
def test_what_other_services_keep_under_such_names_is_no_policy(host: str) -> None:
    other_records = {f"{host} TXT": ["v=DMARC1"]}
    assert summarize_findings(make_zone(other_records)) == []

    findings = list_findings(make_zone({**other_records, "_dmarc TXT": []}))
    assert [(finding["about"], finding["problem"]) for finding in findings] == [
        ("dmarc", "missing")
    ]


def test_the_selector_of_the_domain_counts_and_an_alias_is_followed() -> None:
    domain = {"domain": "acme.example", "dkim_selector": "s2", "is_email_domain": True}
    given_zone = make_zone(dkim_record=None)

    assert summarize_findings(given_zone, [domain]) == [("dkim", "missing", "bad")]
    assert list_missing_records(given_zone, [domain]) == []

    domain_of_panel = {**domain, "dkim_record": DKIM.replace("default", "s2")}
    assert list_missing_records(given_zone, [domain_of_panel]) == [f"s2._domainkey TXT {KEY}"]
    assert (
        summarize_findings(
            make_zone({"s2._domainkey CNAME": ["default._domainkey"]}), [domain_of_panel]
        )
        == []
    )


@pytest.mark.parametrize(
    ("texts", "problem", "level"),
    [
        # RFC 7489, appendix B, with names of our own
        (["v=DMARC1; p=none; rua=mailto:dmarc@acme.example"], "no_policy", "fine"),
        (
            [
                f"{REJECT}; rua=mailto:a@acme.example!10m, mailto:b@else.example; ruf=mailto:c@acme.example"
            ],
            "",
            "",
        ),
        (
            [
                "v=DMARC1 ; p=Quarantine ; sp=none ; adkim=s ; fo=0:d:s ; rf=afrf ; pct=100 ;",
                "something else",
            ],
            "",
            "",
        ),
        ([REJECT, '"v=DMARC1; " "p=reject"'], "", ""),
        (["v=DMARC1; p=quarantine; pct=25; aspf=s"], "", ""),
        ([f"{REJECT}; adkim=R; fo=1 : d; ri=86400; rua=mailto:a@x.example!10"], "", ""),
        (["something else"], "missing", "near"),
        ([REJECT, DMARC], "several", "bad"),
        *(
            ([text], "syntax", "bad")
            for text in (
                "v=MARC1; p=reject",
                "p=reject",
                "v=dmarc1; p=none",
                '" v=DMARC1; p=none"',
                '"\tv=DMARC1; p=none"',
                "p=reject; v=DMARC1",
                "v=DMARC1",
                "v=DMARC1; p=reject; sp=quarantin",
                "v=DMARC1; p=none; p=reject",
                "v=DMARC1; p=reject; pct=5; pct=50",
                "v=DMARC1; p=monitor; rua=dmarc@acme.example",
                "v=DMARC1; p=none; p=none; rua=mailto:a@x.example",
            )
        ),
        # RFC 7489, 6.6.3: with an address for reports, these count as p=none.
        *(
            ([f"v=DMARC1; {text}"], "syntax", "near")
            for text in (
                "rua=mailto:a@x.example",
                "p=; rua=mailto:a@x.example",
                "p=monitor; rua=nobody, mailto:a@x.example!10m",
                "p=reject; sp=quarantin; rua=mailto:a@x.example",
            )
        ),
        *(
            ([f"v=DMARC1; {text}"], "syntax", "near")
            for text in (
                "p=reject; adkim=strict",
                "p=reject; aspf=relaxed",
                "p=reject; fo=2",
                "p=reject; fo=",
                "p=reject; ri=abc",
                "p=reject; rua=mailto:a@x.example!10x",
                "p=reject; rua=mailto:a@x.example!",
                "p=reject; more",
                "p=reject; rua=dmarc@acme.example",
                "p=reject; pct=120",
            )
        ),
    ],
    ids=str,
)
def test_the_dmarc_record_is_judged_and_never_repaired(
    texts: list[str], problem: str, level: str
) -> None:
    given_zone = make_zone({"_dmarc TXT": texts})
    assert summarize_findings(given_zone) == ([("dmarc", problem, level)] if problem else []), texts
    missing = [f"_dmarc TXT {DMARC}"] if problem == "missing" else []
    assert list_missing_records(given_zone) == missing, texts


@pytest.mark.parametrize(
    ("name", "above", "expected"),
    [
        # A main domain below another one of the panel has its record, as a subdomain has.
        pytest.param(
            "shop.acme.example", {"_dmarc TXT": [REJECT]}, None, id="policy of the domain"
        ),
        pytest.param(
            "a.shop.acme.example",
            {"_dmarc TXT": [], "_dmarc.shop TXT": [REJECT]},
            None,
            id="policy of a subdomain",
        ),
        pytest.param(
            "shop.acme.example",
            {"_dmarc TXT": [], "_dmarc CNAME": ["acme.dmarc.else.example."]},
            None,
            id="alias",
        ),
        pytest.param(
            "shop.acme.example",
            {"_dmarc TXT": ["no record"]},
            [f"_dmarc TXT {DMARC}"],
            id="no policy",
        ),
        # The zones do not say what is above.
        pytest.param("shop.acme.example", None, [], id="no zone"),
        pytest.param("acme.co.example", None, [], id="other domain"),
    ],
)
def test_the_dmarc_record_of_a_domain_above_counts(
    name: str, above: dict[str, Any] | None, expected: list[Any] | None
) -> None:
    zones = [
        make_zone({"_dmarc TXT": []}, name=name),
        *([] if above is None else [make_zone(above)]),
    ]
    assert summarize_findings(zones, [{"domain": name}]) == (
        [] if expected is None else [("dmarc", "missing", "near")]
    ), above
    assert list_missing_records(zones, [{"domain": name}]) == (expected or []), above


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"@ MX": ["10 mail"]}, ()),
        ({"@ MX": ["10 mx.elsewhere.example."]}, ()),
        ({"@ MX": ["10 mx"], "* A": ["192.0.2.9"]}, ()),
        ({"@ MX": ["10 a.sub"], "sub NS": ["ns.elsewhere.example."]}, ()),
        ({"@ MX": ["10 mx"], "mx ALIAS": ["host.elsewhere.example."]}, ()),
        ({"@ MX": []}, ("missing", "bad", "10 mail.acme.example.")),
        ({"@ MX": [], "mail A": [], "mail AAAA": []}, ("missing", "bad", "10 acme.example.")),
        ({"@ MX": [], "mail A": [], "mail AAAA": [], "@ A": []}, ("missing", "bad")),
        ({"@ MX": ["5 mial.acme.example."]}, ("no_address", "bad")),
        ({"@ MX": ["10 mail", "20 two"]}, ("no_address", "near")),
        ({"@ MX": ["10 mx"], "mx CNAME": ["mail"]}, ("alias", "near")),
        *(
            ({"@ MX": [text]}, ("syntax", "bad"))
            for text in (
                "mail.acme.example.",
                "10 mail..acme.example.",
                "10 192.0.2.10",
                "1 [IPv6:::1]",
            )
        ),
    ],
    ids=str,
)
def test_mx_records_point_to_names_with_an_address(
    changes: dict[str, list[str]], expected: tuple[str, ...]
) -> None:
    given_zone = make_zone({**changes, "@ TXT": ["v=spf1 ip4:192.0.2.10 ~all"]})
    assert summarize_findings(given_zone) == ([("mx", *expected[:2])] if expected else []), changes
    assert list_missing_records(given_zone) == [f"@ MX {value}" for value in expected[2:]], changes


MAIN: dict[str, Any] = {"domain": "acme.example", "is_email_domain": True}
BELOW: dict[str, Any] = {
    "domain": "shop.acme.example",
    "is_email_domain": True,
    "is_subdomain": True,
}


@pytest.mark.parametrize(
    ("changes", "about", "in_the_way"),
    [
        # A name that a wildcard answers for does not exist by itself (RFC 4592).
        # Any record ends what it has.
        pytest.param(
            {"* A": ["192.0.2.10"]},
            "spf",
            "What *.acme.example answers for shop.acme.example",
            id="SPF below a wildcard",
        ),
        pytest.param(
            {"* A": ["192.0.2.10"]},
            "mx",
            "What *.acme.example answers for shop.acme.example",
            id="MX below a wildcard",
        ),
        pytest.param(
            {"* A": ["192.0.2.10"], "shop A": ["192.0.2.11"]}, "spf", "", id="SPF of a host"
        ),
        # No one asks the name of a service for an address.
        pytest.param(
            {"* A": ["192.0.2.10"], "_dmarc TXT": []},
            "dmarc",
            "",
            id="DMARC beside a wildcard address",
        ),
        pytest.param(
            {"* TXT": ["something"], "_dmarc TXT": []},
            "dmarc",
            "What *.acme.example answers for _dmarc.acme.example",
            id="DMARC below a wildcard text",
        ),
        pytest.param(
            {"* CNAME": ["@"], "_dmarc TXT": []}, "dmarc", "", id="DMARC below a wildcard alias"
        ),
        # Beside an alias nothing may stand.
        pytest.param(
            {"shop CNAME": ["@"], "@ TXT": []},
            "spf",
            "shop.acme.example is an alias for acme.example",
            id="SPF of an alias",
        ),
        pytest.param(
            {"_dmarc TXT": [], "_dmarc CNAME": ["old"]},
            "dmarc",
            "_dmarc.acme.example is an alias for old.acme.example",
            id="DMARC of an alias",
        ),
    ],
)
def test_no_record_is_given_beside_an_alias_or_where_it_hides_a_wildcard(
    changes: dict[str, Any], about: str, in_the_way: str
) -> None:
    findings = [
        finding
        for finding in list_findings(make_zone(changes), [MAIN, BELOW])
        if finding["about"] == about
    ]

    assert findings, (changes, about)

    hindered = [finding for finding in findings if finding["record"] is None]
    assert bool(hindered) == bool(in_the_way), (changes, about)
    assert all(finding["advice"].startswith(in_the_way) for finding in hindered), (
        changes,
        about,
    )


BARE_ZONE = {"domain": "acme.example", "records": [], "dkim_record": DKIM}


def test_a_domain_that_only_sends_needs_no_mx() -> None:
    sending = {**MAIN, "is_email_sending_only": True}
    assert [finding[:2] for finding in summarize_findings(BARE_ZONE, [sending])] == [
        ("spf", "missing"),
        ("dkim", "missing"),
        ("dmarc", "missing"),
    ]


@pytest.mark.parametrize(
    "domain",
    [
        pytest.param({**MAIN, "is_email_domain": False}, id="no mail"),
        pytest.param({**MAIN, "is_system_domain": True}, id="system domain"),
    ],
)
def test_a_domain_without_mail_needs_nothing(domain: dict[str, Any]) -> None:
    assert (
        summarize_findings(BARE_ZONE, [domain, {"domain": "b.example", "is_email_domain": 0}]) == []
    )


def test_a_subdomain_with_mail_has_its_records_in_the_zone_of_its_main_domain() -> None:
    findings = list_findings(make_zone({"_dmarc TXT": []}), [MAIN, BELOW])
    assert {finding["zone"] for finding in findings} == {"acme.example"}
    # One record at the main domain is for both.
    assert list_missing_records(make_zone({"_dmarc TXT": []}), [MAIN, BELOW]) == [
        f"_dmarc TXT {DMARC}",
        f"shop TXT {SPF}",
        f"_dmarc TXT {DMARC}",
        "shop MX 10 mail.acme.example.",
    ]

    domain_of_panel = {**BELOW, "dkim_record": DKIM.replace("default", "s1")}
    changes = {
        "shop TXT": ["v=spf1 mx -all"],
        "shop MX": ["10 mail"],
        "s1._domainkey.shop TXT": [OTHER_KEY],
    }

    assert summarize_findings(make_zone(changes), [MAIN, domain_of_panel]) == [
        ("dkim", "other_key", "bad")
    ]


@pytest.mark.parametrize(
    "zones",
    [
        pytest.param(make_zone()["records"]["other"], id="list of records"),
        pytest.param({"records": make_zone()["records"]["other"]}, id="zone with a list"),
        pytest.param(make_zone()["records"], id="records of a zone"),
        pytest.param([{**make_zone(), "domain": None}], id="zone without a name"),
    ],
)
def test_records_and_zones_without_a_name_need_an_origin(zones: Any) -> None:
    with pytest.raises(OptionError, match=r"origin: missing; give the name of the zone"):
        list_findings(zones)

    assert list_findings(zones, origin="ACME.example.") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"zones": "text"}, "zones: must be a list of zones", id="text"),
        pytest.param({"zones": [1]}, "zones: must be a list of zones", id="list of numbers"),
        pytest.param(
            {"zones": {"domain": "acme.example", "records": "x"}},
            "the records of acme.example: must be a list",
            id="records that are a text",
        ),
        pytest.param(
            {"zones": [], "domains": {"domain": "acme.example"}},
            "domains: must be a list",
            id="domains that are a dictionary",
        ),
        pytest.param({"zones": [make_zone(name="no name")]}, "origin: ", id="zone without a name"),
        *(
            pytest.param(
                {"zones": zones, "origin": "acme.example"},
                "zones: must be a list of zones",
                id=f"nothing: {zones}",
            )
            for zones in ({}, [{}], [{"host": "@"}], {"domain": "acme.example"}, [make_zone(), {}])
        ),
        *(
            pytest.param(
                {"zones": {"domain": "acme.example", "records": records}},
                "the records of acme.example: must be a list of records, each with host, type",
                id=f"no records: {records}",
            )
            for records in (None, "", 0, False, {}, {"soa": {}}, {"other": None}, {"other": {}})
        ),
        *(
            pytest.param(
                {
                    "zones": {
                        "domain": "acme.example",
                        "records": [{"host": "@", "type": "TXT", "value": "x", field: value}],
                    }
                },
                "the records of acme.example: must be a list of records, each with host, type",
                id=f"{field}: {value}",
            )
            for field in ("host", "type", "value")
            for value in (None, 1, [], {})
        ),
        pytest.param(
            {"zones": {"domain": "acme.example", "records": [{}]}},
            "the records of acme.example: must be a list of records, each with host, type",
            id="an empty record",
        ),
    ],
)
def test_what_is_no_zone_is_refused_in_a_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        list_findings(**arguments)


@pytest.mark.parametrize("fields", [{}, {"records": None}, {"records": {}}])
def test_a_zone_that_answers_nothing_needs_no_records(fields: dict[str, Any]) -> None:
    disabled = {"domain": "acme.example", "is_dns_disabled": True, **fields}
    assert [finding["problem"] for finding in list_findings(disabled)] == ["not_here"]

    assert list_findings([{"domain": "acme.example", "state": "absent", **fields}]) == []


GOOD = f"v=DKIM1; p={PUBLIC_KEY}"


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ([GOOD, f"{GOOD};"], "several"),
        (["v=DKIM1; p="], "revoked"),
        (["v=DKIM2; p=x"], "syntax"),
        ([f"{GOOD}; s=tlsrpt"], "unusable"),
    ],
)
@pytest.mark.parametrize("selector", ["", "google"])
def test_no_advice_names_a_key_that_the_panel_does_not_show(
    selector: str, texts: list[str], problem: str
) -> None:
    changes = {"default._domainkey TXT": [], "google._domainkey TXT": texts}
    domain = {"domain": "acme.example", "dkim_selector": selector, "is_email_domain": True}

    (finding,) = list_findings(make_zone(changes, dkim_record=None), [domain])

    assert (finding["about"], finding["problem"]) == ("dkim", problem)
    assert "the service that signs" in finding["advice"]
    assert "panel" not in finding["advice"]


@pytest.mark.parametrize(
    "written", ["münchen.example", "xn--mnchen-3ya.example", "MÜNCHEN.example."]
)
def test_names_are_looked_up_in_punycode_and_shown_as_people_write_them(written: str) -> None:
    wrong = {
        "@ MX": [f"10 mx.{written}"],
        "@ TXT": ["v=spf1 include:_spf.xn--mnchen-3ya.example -all"],
    }
    findings = list_findings(make_zone(wrong, name=written), [{"domain": written}])

    assert {(finding["domain"], finding["zone"]) for finding in findings} == {
        ("xn--mnchen-3ya.example",) * 2
    }

    messages = " ".join(finding["message"] for finding in findings)
    assert "_spf.münchen.example, which" in messages
    assert "mx.münchen.example, which" in messages
