# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones in, findings out: each fault of SPF, DKIM, DMARC and MX with the record that mends it, and nothing where all is right."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._dns.zone import comparable_record
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.dmarc import is_dmarc
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.given_zones import MailDnsError, findings_of
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.names import Names, Zone
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.spf_syntax import is_spf, read_spf

KEY = "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
DKIM = f'default._domainkey IN TXT ( "{KEY[:30]}" "{KEY[30:]}" )'
DMARC = "v=DMARC1; p=quarantine"
RIGHT = {
    "@ A": ["192.0.2.10"],
    "mail A": ["192.0.2.10"],
    "mail AAAA": ["2001:db8::10"],
    "@ MX": ["10 mail.acme.example."],
    "@ TXT": ["v=spf1 a mx ~all", "google-site-verification=abc"],
    "default._domainkey TXT": [f'"{KEY[:40]}" "{KEY[40:]}"'],
    "_dmarc TXT": [DMARC],
}
LONG = " ".join(f"include:_{number}.acme.example" for number in range(11))
FRIENDS = {f"_{number} TXT": ["v=spf1 ip4:192.0.2.1 -all"] for number in range(20)}


def zone(changes: dict[str, list[str]] | None = None, name: str = "acme.example", **members: Any) -> dict[str, Any]:
    """A zone that is right but for changes: by host and type the values, none to leave them out."""
    sets = {**RIGHT, **(changes or {})}
    records = [
        {"host": key.split()[0], "type": key.split()[1], "ttl": 3600, "value": value}
        for key, values in sets.items()
        for value in values
    ]
    shown = {"domain": name, "is_custom_dns": True, "is_dns_disabled": False, "dkim_record": DKIM}
    return {**shown, "records": {"soa": {}, "other": records}, **members}


def found(zones: Any, **options: Any) -> list[tuple[str, str, str, str]]:
    """About, problem, level and the value of the record to set."""
    return [
        (one["about"], one["problem"], one["level"], one["record"]["value"] if one["record"] else "")
        for one in findings_of(zones, **options)
    ]


def test_a_zone_that_is_right_has_no_findings() -> None:
    assert findings_of(zone()) == []
    assert findings_of([zone(), zone(name="beta.example", changes={"@ MX": ["10 mail"]})]) == []


SPF = {
    # RFC 7208, appendix A, with names and addresses of our own
    "v=spf1 +all": [("allows_everyone", "bad", "")],
    "v=spf1 mx +all": [("allows_everyone", "bad", "v=spf1 mx ~all")],
    "v=spf1 a -all": [],
    "v=spf1 a:acme.example -all": [],
    "v=spf1 mx -all": [],
    "v=spf1 mx:acme.example -all": [],
    "v=spf1 mx/30 mx:acme.example/30 -all": [],
    "v=spf1 ptr -all": [("ptr", "near", "")],
    "v=spf1 ip4:192.0.2.128/28 -all": [],
    "v=spf1 redirect=_1.acme.example": [],
    "v=spf1 include:_1.acme.example ?include:_2.acme.example -all": [],
    "v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d} ~all": [],
    "V=SPF1 A MX -ALL": [],
    "v=spf1 a mx": [("open_end", "near", "v=spf1 a mx ~all")],
    "v=spf1": [("open_end", "near", "")],
    "v=spf1 ?all": [("open_end", "near", "")],
    "v=spf1 a ?all": [("open_end", "near", "v=spf1 a ~all")],
    "v=spf1 a all": [("allows_everyone", "bad", "v=spf1 a ~all")],
    "v=spf1 a -all mx": [("behind_the_end", "near", "v=spf1 a mx -all")],
    "v=spf1 a redirect=_1.acme.example -all": [("behind_the_end", "near", "v=spf1 a -all")],
    "v=spf1 a ipv4:192.0.2.1 -all": [("syntax", "bad", "v=spf1 a ip4:192.0.2.1 -all")],
    "v=spf1 a nonsense -all": [("syntax", "bad", "")],
    "v=spf1 -ipv4:192.0.2.1 ip4:192.0.2.0/24 -all": [
        ("syntax", "bad", "v=spf1 -ip4:192.0.2.1 ip4:192.0.2.0/24 -all")
    ],
    "v=spf1 include:münchen.example -all": [("syntax", "bad", "v=spf1 include:xn--mnchen-3ya.example -all")],
    "v=spf1 include:mü_nchen.example -all": [("syntax", "bad", "")],
    # What a wrong word was meant as, only the owner knows: without it its senders are shut out.
    "v=spf1 ip4:300.0.2.1 -all": [("syntax", "bad", "")],
    "v=spf1 inclde:_1.acme.example -all": [("syntax", "bad", "")],
    "v=spf1 ip4 192.0.2.1 -all": [("syntax", "bad", "")],
    "v=spf1 ip4:/33 -all": [("syntax", "bad", "")],
    "v=spf1 a/33 -all": [("syntax", "bad", "")],
    "v=spf1 ipv4:192.0.2.1": [("syntax", "bad", "v=spf1 ip4:192.0.2.1 ~all"), ("open_end", "near", "v=spf1 ip4:192.0.2.1 ~all")],
    "v=spf1 redirect=_1.acme.example redirect=_2.acme.example": [("syntax", "bad", "")],
    # Almost everybody, said in other words.
    "v=spf1 ip4:0.0.0.0/0 -all": [("allows_everyone", "bad", "")],
    "v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all": [("allows_everyone", "bad", "")],
    "v=spf1 ip6:::/0 -all": [("allows_everyone", "bad", "")],
    "v=spf1 ip6:2000::/3 -all": [("allows_everyone", "bad", "")],
    "v=spf1 a/0 -all": [("allows_everyone", "bad", "")],
    "v=spf1 mx//0 -all": [("allows_everyone", "bad", "")],
    "v=spf1 include:_all.acme.example -all": [("allows_everyone", "bad", "")],
    "v=spf1 include:_vast.acme.example -all": [("allows_everyone", "bad", "")],
    "v=spf1 redirect=_vast.acme.example": [("allows_everyone", "bad", "")],
    "v=spf1 ip4:10.0.0.0/8 ip6:2001::/16 a/8//16 -all": [],
    "v=spf1 -ip4:0.0.0.0/0 ~include:_all.acme.example ?include:_vast.acme.example -all": [],
    "v=spf1 -all ip4:0.0.0.0/0": [("behind_the_end", "near", "")],
    f"v=spf1 -all {LONG}": [("behind_the_end", "near", "")],
    "v=spf1; a -all": [("syntax", "bad", "v=spf1 a -all")],
    "v=spf1 redirect=nothing.acme.example": [("broken_include", "bad", "")],
    "v=spf1 include:nothing.acme.example -all": [("broken_include", "bad", "")],
    "v=spf1 include:_two.acme.example -all": [("broken_include", "bad", "")],
    "v=spf1 include:_wrong.acme.example a -all": [("broken_include", "bad", "")],
    "v=spf1 include:acme.example -all": [("broken_include", "bad", "")],
    "v=spf1 include:_loop.acme.example -all": [("broken_include", "bad", "")],
    "v=spf1 include:elsewhere.example -all": [],
    "v=spf1 redirect=elsewhere.example": [],
    "v=spf1 redirect=_open.acme.example": [("open_end", "near", "")],
    "v=spf1 redirect=_all.acme.example": [("allows_everyone", "bad", "")],
    "v=spf1 a:x.acme.example a:y.acme.example a:z.acme.example -all": [("in_vain", "bad", "")],
    "v=spf1 a:x.acme.example a:y.acme.example -all": [],
    # Addresses for a, and mail servers for mx, at most ten of them.
    "v=spf1 a:mail.acme.example a:_m.acme.example a:acme.example mx:_m.acme.example -all": [],
    "v=spf1 mx:_many.acme.example -all": [("broken_include", "bad", "")],
    f"v=spf1 {LONG} -all": [("look_ups", "bad", "")],
    f"v=spf1 {LONG.partition(' ')[2]} -all": [],
    # Addresses in place of names would be wrong from the day on which the server gets another one.
    f"v=spf1 {LONG.partition(' ')[2]} a -all": [("look_ups", "bad", "")],
    # A record with a mistake lets nobody through, whatever its end.
    "v=spf1 a - all": [("syntax", "bad", "")],
    "v=spf1 nonsense +all": [("syntax", "bad", "")],
    "v=spf1 nonsense redirect=_all.acme.example": [("syntax", "bad", "")],
    "v=spf1 nonsense ip4:0.0.0.0/0 -all": [("syntax", "bad", "")],
    "v=spf1 a include:_wrong_all.acme.example -all": [("broken_include", "bad", "")],
    "v=spf1 redirect=_wrong_all.acme.example": [("broken_include", "bad", "")],
    # Ten in all: three of its own, and the seven of another one.
    "v=spf1 a mx include:_seven.acme.example -all": [],
    "v=spf1 a include:_seven.acme.example exists:%{i}.acme.example -all": [],
}  # fmt: skip
OTHERS = {
    **FRIENDS,
    "_two TXT": ["v=spf1 a", "v=spf1 mx"],
    "_wrong TXT": ["v=spf1 ip4:192.0.2"],
    "_wrong_all TXT": ["v=spf1 ip4:0.0.0.0/0 - all"],
    "_loop TXT": ["v=spf1 include:acme.example -all"],
    "_m A": ["192.0.2.1"],
    "_m MX": ["10 mail"],
    "_many MX": [f"{number} mail" for number in range(11)],
    "_open TXT": ["v=spf1 a"],
    "_all TXT": ["v=spf1 +all"],
    "_vast TXT": ["v=spf1 ip4:0.0.0.0/0 -all"],
    "_seven TXT": ["v=spf1 " + " ".join(f"include:_{number}.acme.example" for number in range(7)) + " -all"],
}


@pytest.mark.parametrize("text", SPF)
def test_an_spf_record_is_judged_and_mended(text: str) -> None:
    given_zone = zone({**OTHERS, "@ TXT": [text, "something else"]})
    assert found(given_zone) == [("spf", *one) for one in SPF[text]]


@pytest.mark.parametrize("text", [text for text, findings in SPF.items() if any(value for *_rest, value in findings)])
def test_the_record_to_set_is_right_and_replaces_the_wrong_one_alone(text: str) -> None:
    for finding in findings_of(zone({**OTHERS, "@ TXT": [text]})):
        assert finding["replaces"] == [{"host": "@", "type": "TXT", "value": text}]
        assert findings_of(zone({**OTHERS, "@ TXT": [finding["record"]["value"]]})) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], ("missing", "bad", "v=spf1 a mx ~all")),
        (["something else"], ("missing", "bad", "v=spf1 a mx ~all")),
        (["v=spf1 a ~all", "v=spf1 mx ip4:192.0.2.1 -all"], ("several", "bad", "v=spf1 a mx ip4:192.0.2.1 ~all")),
        (["v=spf1 a -all", "v=spf1 mx -all"], ("several", "bad", "v=spf1 a mx -all")),
        (["v=spf1 a -all", "v=spf1 mx inclde:_1.acme.example -all"], ("several", "bad", "")),
        (["v=spf1 -a mx -all", "v=spf1 a -all"], ("several", "bad", "")),
        (["v=spf1 -all", "v=spf1  -all"], ("several", "bad", "")),
        (["v=spf1;include:_1.acme.example -all"], ("syntax", "bad", "v=spf1 include:_1.acme.example -all")),
        (["v=spf1;-all"], ("syntax", "bad", "")),
        # Not as if there were nothing: the usual one would shut out those that it names.
        (["spf1 include:_1.acme.example -all"], ("syntax", "bad", "v=spf1 include:_1.acme.example -all")),
        (["v:spf1 include:_1.acme.example -all"], ("syntax", "bad", "v=spf1 include:_1.acme.example -all")),
        (["\u201cv=spf1 include:_1.acme.example -all\u201d"], ("syntax", "bad", "")),
        (['"v=spf1 include:_1.acme.example" -all'], ("syntax", "bad", "")),
        (["v=spf1,a -all", "v=spf1,mx -all"], ("syntax", "bad", "v=spf1 a mx -all")),
        (["v=spf1 a ~all", "v=spf1 redirect=_1.acme.example"], ("several", "bad", "")),
        ([f"v=spf1 {LONG} -all", "v=spf1 a -all"], ("several", "bad", "")),
        (
            ["v=spf1 a exp=x.acme.example -all", "v=spf1 mx exp=z.acme.example -all"],
            ("several", "bad", "v=spf1 a mx -all exp=x.acme.example"),
        ),
    ],
)
def test_there_has_to_be_one_spf_record(texts: list[str], expected: tuple[str, str, str]) -> None:
    assert found(zone({**OTHERS, "@ TXT": texts})) == [("spf", *expected)]


def test_what_is_to_be_done_is_said_where_two_records_together_need_too_many_look_ups() -> None:
    (finding,) = findings_of(zone({**OTHERS, "@ TXT": [f"v=spf1 {LONG.partition(' ')[2]} -all", "v=spf1 a -all"]}))
    assert finding["record"] is None
    assert finding["advice"] == (
        "Leave one of them, which names all servers that send. Put together they would not do. "
        "It makes 11 look-ups, and receivers stop with an error behind 10. "
        "Take out services that do not send for the domain any more, or name servers by their addresses, with ip4 and ip6."
    )


def test_the_same_spf_record_twice_is_one() -> None:
    assert found(zone({"@ TXT": ["v=spf1 a -all", '"v=spf1 " "a -all"']})) == []


BROKEN = [
    *("a", "mx", "ip4:192.0.2.1", "-ip4:192.0.2.9", "include:_1.acme.example", "include:_seven.acme.example", "ptr"),
    *("a:x.acme.example", "a:y.acme.example", "a:z.acme.example", "mx:_many.acme.example", "include:acme.example"),
    *(
        "include:münchen.example",
        "inclde:_1.acme.example",
        "ip4:300.0.2.1",
        "a/33",
        "ip4",
        "ipv4:192.0.2.2",
        "a:192.0.2.3",
    ),
    *("+all", "-all", "~all", "?all", "all.", "ip4:0.0.0.0/0", "redirect=_1.acme.example", "exp=_1.acme.example"),
    *(
        "include:_all.acme.example",
        "include:_wrong.acme.example",
        "- all",
        "exp=_2.acme.example",
        "exists:%{i}.acme.example",
        "moo=x",
        "ü",
    ),
]
BEGINNINGS = st.sampled_from(
    ["v=spf1 ", "v=spf1 ", "v=spf1 ", "V=SPF1 ", "v=spf1; ", "v=spf1,", "v = spf1 ", "spf1 ", '"v=spf1 ']
)


@settings(max_examples=40)
@given(st.lists(st.builds(str.__add__, BEGINNINGS, st.lists(st.sampled_from(BROKEN)).map(" ".join)), max_size=3))
def test_an_spf_record_to_set_is_right_and_lets_all_send_that_are_named(texts: list[str]) -> None:
    findings = [one for one in findings_of(zone({**OTHERS, "@ TXT": texts})) if one["about"] == "spf"]
    records = [one["record"] for one in findings]
    assert all(one == records[0] for one in records)
    if not records or records[0] is None:
        return
    value = records[0]["value"]
    assert found(zone({**OTHERS, "@ TXT": [value]})) == []
    kept = {term.text.lower() for term in read_spf(value).read}
    for text in [text for text in texts if is_spf(text)]:
        for term in read_spf(text).read:
            assert term.text in kept


def test_a_record_of_the_type_spf_is_read_by_nobody() -> None:
    given_zone = zone({"@ TXT": [], "@ SPF": ["v=spf1 mx -all"]})
    assert found(given_zone) == [("spf", "obsolete_type", "bad", "v=spf1 mx -all")]


OTHER_KEY = KEY.replace("MIIB", "MIIC")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([KEY], []),
        ([KEY.replace("; ", ";").replace("MIIB", "MI IB") + ";"], []),
        (["k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A; t=s; s=email; h=sha1:sha256; n=note"], []),
        (["<DKIM_RECORD_VALUE>"], []),
        ([], [("missing", "bad")]),
        ([f'"{KEY[:30]}"  "{KEY[30:]}"'], []),
        ([f'( "{KEY[:30]}"\n "{KEY[30:]}" )'], []),
        ([KEY, f'"{KEY[:30]}" "{KEY[30:]}"'], []),
        ([KEY, OTHER_KEY], [("several", "bad")]),
        ([KEY, "something else"], [("several", "bad")]),
        ([KEY.lower()], [("syntax", "bad")]),
        ([KEY.replace("MIIB", "miib")], [("other_key", "bad")]),
        ([KEY.replace("rsa", "RSA")], [("syntax", "bad")]),
        ([KEY.replace("p=", "p = ")], []),
        (["v=DKIM1; k=rsa; p= ;"], [("revoked", "bad")]),
        ([OTHER_KEY], [("other_key", "bad")]),
        ([KEY.replace("k=rsa", "k=ed25519")], [("other_key", "bad")]),
        (["v=DKIM1; k=rsa; p="], [("revoked", "bad")]),
        ([KEY + "; t=y:s"], [("testing", "near")]),
        (["k=rsa; p=MIIB; v=DKIM1"], [("syntax", "bad")]),
        (["v=DKIM2; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1; k=rsa"], [("syntax", "bad")]),
        (["v=DKIM1; p=MII*"], [("syntax", "bad")]),
        (["v=DKIM1; k=dsa; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1; h=sha1; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1; s=tlsrpt; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1;; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1; p=MIIB; p=MIIB"], [("syntax", "bad")]),
        (["v=DKIM1 p=MIIB"], [("syntax", "bad")]),
        (["hello"], [("syntax", "bad")]),
    ],
)
def test_the_dkim_record_holds_the_panels_key(texts: list[str], expected: list[tuple[str, str]]) -> None:
    findings = findings_of(zone({"default._domainkey TXT": texts}))
    assert [(one["problem"], one["level"]) for one in findings] == expected
    for finding in findings:
        assert finding["record"] == {"host": "default._domainkey", "type": "TXT", "value": KEY}
        assert [one["value"] for one in finding["replaces"]] == [text for text in texts if text != KEY]


def test_the_selector_of_the_domain_counts_and_an_alias_is_followed() -> None:
    domains = [{"domain": "acme.example", "dkim_selector": "s2", "is_email_domain": True}]
    given_zone = zone(dkim_record=None)
    (finding,) = findings_of(given_zone, domains)
    assert (finding["problem"], finding["record"]) == ("missing", None)
    domains[0]["dkim_record"] = DKIM.replace("default", "s2")
    assert found(given_zone, domains=domains) == [("dkim", "missing", "bad", KEY)]
    assert found(zone({"s2._domainkey CNAME": ["default._domainkey"]}), domains=domains) == []
    (finding,) = findings_of(zone({"s2._domainkey CNAME": ["old"], "old TXT": [OTHER_KEY]}), domains)
    assert finding["replaces"] == [{"host": "s2._domainkey", "type": "CNAME", "value": "old.acme.example."}]


@pytest.mark.parametrize(
    ("shown", "texts", "expected"),
    [
        # What the panel shows as its key is no key, so nothing is compared with it, and it is not set.
        ("default._domainkey IN TXT nonsense", [KEY], []),
        ("default._domainkey IN TXT v=DKIM1; k=rsa; p=", [], [("missing", "bad", None)]),
        ("default._domainkey", [OTHER_KEY], []),
        # A key that says of itself that it is a test.
        (DKIM.replace("k=rsa", "t=y"), [KEY.replace("k=rsa", "t=y")], [("testing", "near", None)]),
        (DKIM.replace("k=rsa", "t=y"), [OTHER_KEY], [("other_key", "bad", KEY.replace("k=rsa", "t=y"))]),
        # With the zone in its name, in any case, and in letters.
        (DKIM.replace("default._domainkey", "Default._domainkey.acme.example."), [], [("missing", "bad", KEY)]),
        (DKIM.replace("default", "SCHLÜSSEL"), [], [("missing", "bad", KEY)]),
        (DKIM.replace("default", "mü_l"), [KEY], []),
    ],
)
def test_the_key_that_the_panel_shows_is_read_however_it_is_written(
    shown: str, texts: list[str], expected: list[tuple[str, str, str | None]]
) -> None:
    findings = findings_of(zone({"default._domainkey TXT": texts}, dkim_record=shown))
    assert [(one["problem"], one["level"], one["record"] and one["record"]["value"]) for one in findings] == expected


def test_without_a_key_of_the_panel_the_records_that_are_there_are_read() -> None:
    assert found(zone(dkim_record=None)) == []
    assert found(zone({"default._domainkey TXT": ["p="]}, dkim_record="")) == [("dkim", "revoked", "bad", "")]
    assert found(zone({"default._domainkey TXT": []}, dkim_record=None)) == [("dkim", "missing", "near", "")]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # RFC 7489, appendix B, with names of our own
        (
            ["v=DMARC1; p=none; rua=mailto:dmarc@acme.example"],
            [("no_policy", "fine", "v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.example")],
        ),
        (
            ["v=DMARC1; p=reject; rua=mailto:a@acme.example!10m, mailto:b@else.example; ruf=mailto:c@acme.example"],
            [],
        ),
        (["v=DMARC1 ; p=quarantine ; sp=none ; adkim=s ; aspf=R ; fo=0:d:s ; rf=afrf ; ri=86400 ; pct=100 ;"], []),
        (["v=DMARC1;p=reject;np=reject;psd=n;t=y"], []),
        (["v=DMARC1; p=Reject", "something else"], []),
        (["v=DMARC1; p=quarantine; pct=25; aspf=s"], [("partial", "fine", "v=DMARC1; p=quarantine; aspf=s")]),
        ([], [("missing", "near", "v=DMARC1; p=none")]),
        (["something else"], [("missing", "near", "v=DMARC1; p=none")]),
        # The same text twice is one record.
        (["v=DMARC1; p=reject", '"v=DMARC1; " "p=reject"'], []),
        (["v=DMARC1;p=none", "v=DMARC1; p=none"], [("several", "bad", "v=DMARC1; p=none")]),
        # What receivers passed over until now is in force with nobody: a policy would begin to count.
        (["v=DMARC1;p=reject", "v=DMARC1; p=reject"], [("several", "bad", "")]),
        (["v=DMARC2; p=reject"], [("syntax", "bad", "")]),
        (["v=DMARC1\\; p=reject"], [("syntax", "bad", "")]),
        (["v=dmarc1; p=none; sp=reject"], [("syntax", "bad", "")]),
        (
            ["v=dmarc1; p=none; rua=mailto:a@acme.example"],
            [("syntax", "bad", "v=DMARC1; p=none; rua=mailto:a@acme.example")],
        ),
        # Which policy is meant, only the owner knows.
        (["v=DMARC1; p=none", "v=DMARC1; p=reject"], [("several", "bad", "")]),
        (["v=DMARC1; p=reject", "v=DMARC1; p=rejected"], [("several", "bad", "")]),
        (["v=DMARC1; p=rejected; adkim=s"], [("syntax", "bad", "")]),
        (["v=DMARC1; p=reject; sp=quarantin"], [("syntax", "bad", "")]),
        (["v=DMARC1; P=reject"], [("syntax", "bad", "")]),
        (["v=DMARC1; p:reject"], [("syntax", "bad", "")]),
        (["v=DMARC1; policy=rejct"], [("syntax", "bad", "")]),
        (["v=DMARC1; p=none; policy=reject"], [("syntax", "near", "")]),
        (["v=DMARC1; p=none; p=reject"], [("syntax", "near", "")]),
        (["v=DMARC1 p=reject"], [("syntax", "bad", "")]),
        (["DMARC1; p=none", "DMARC1; p=reject"], [("syntax", "bad", "")]),
        # Without a policy, and with an address for reports, it is p=none (RFC 7489, section 6.6.3).
        (["v=DMARC1"], [("syntax", "bad", "v=DMARC1; p=none")]),
        (["v=DMARC1", "p=quarantine"], [("syntax", "bad", "")]),
        (["v=DMARC1; sp=reject"], [("syntax", "bad", "")]),
        (["v=DMARC1; sp=none"], [("syntax", "bad", "v=DMARC1; p=none; sp=none")]),
        (["v=DMARC1; sp=reject; rua=mailto:a@acme.example"], [("syntax", "near", "")]),
        (
            ["v=DMARC1; rua=mailto:a@acme.example"],
            [("syntax", "near", "v=DMARC1; p=none; rua=mailto:a@acme.example")],
        ),
        (["v=DMARC1; p=rejected; rua=a@acme.example,mailto:b@acme.example"], [("syntax", "near", "")]),
        (["v=DMARC1; p=rejected; rua=a@acme.example"], [("syntax", "bad", "")]),
        (
            ["v=DMARC1; p=reject; rua=a@acme.example,mailto:b@acme.example"],
            [("syntax", "near", "v=DMARC1; p=reject; rua=mailto:b@acme.example")],
        ),
        (["v=dmarc1; p=reject"], [("syntax", "bad", "")]),
        (["p=reject; v=DMARC1"], [("syntax", "bad", "")]),
        (["DMARC1; p=reject"], [("syntax", "bad", "")]),
        (["DMARC1; p=none"], [("syntax", "bad", "v=DMARC1; p=none")]),
        (["v=DMARC1; p=quarantine; pct=0"], [("no_policy", "fine", "v=DMARC1; p=quarantine")]),
        (["v=DMARC1; p=none; pct=5"], [("no_policy", "fine", "v=DMARC1; p=quarantine; pct=5")]),
        (["v=DMARC1; p=reject; pct=0"], [("no_policy", "fine", "v=DMARC1; p=quarantine")]),
        (["v=DMARC1; sp=none; p=reject"], [("syntax", "near", "v=DMARC1; p=reject; sp=none")]),
        (["v=DMARC1; p=reject; rua=dmarc@acme.example"], [("syntax", "near", "v=DMARC1; p=reject")]),
        (["v=DMARC1; p=reject; pct=120; fo=2"], [("syntax", "near", "v=DMARC1; p=reject")]),
        (["v=DMARC1; p=reject; policy=x"], [("syntax", "near", "v=DMARC1; p=reject")]),
    ],
)
def test_the_dmarc_record_is_judged_and_mended(texts: list[str], expected: list[tuple[str, str, str]]) -> None:
    findings = findings_of(zone({"_dmarc TXT": texts}))
    assert [
        (one["problem"], one["level"], one["record"]["value"] if one["record"] else "") for one in findings
    ] == expected
    for finding in findings:
        if finding["record"] is None:
            assert finding["replaces"] == []
            assert "Decide which policy" in finding["advice"]
            continue
        assert finding["record"]["host"] == "_dmarc"
        value = finding["record"]["value"]
        again = found(zone({"_dmarc TXT": [value]}))
        assert [one for one in again if one[2] != "fine"] == []


STRICT = ("none", "quarantine", "reject")


@settings(max_examples=40)
@given(
    st.lists(
        st.builds(
            "; ".join,
            st.lists(
                st.sampled_from(
                    ["v=DMARC1", "v=dmarc1", "v=DMARC2", "v=DMARC1\\", "p=none", "p=quarantine", "p=reject", "sp=reject", "p=rejct",
                     "p:reject", "P=reject",
                     "sp=", "pct=50", "pct=x", "rua=mailto:a@acme.example", "rua=a", "", "x", "x=1"]
                ),
                min_size=1,
                max_size=5,
            ),
        ),
        min_size=1,
        max_size=2,
    )
)  # fmt: skip
def test_a_dmarc_record_to_set_is_right_and_neither_weaker_nor_stricter_than_what_is_there(texts: list[str]) -> None:
    for finding in findings_of(zone({"_dmarc TXT": texts})):
        if finding["record"] is None:
            continue
        value = finding["record"]["value"]
        assert [one for one in found(zone({"_dmarc TXT": [value]})) if one[2] != "fine"] == []
        # A hint makes the one record stricter that receivers take as it is.
        if finding["replaces"] and finding["level"] != "fine":
            named = re.findall(r"(?<!s)p[=:] ?(none|quarantine|reject)", " ".join(texts), re.IGNORECASE)
            (policy,) = re.findall(r"; p=(\w+)", value)
            assert all(STRICT.index(policy) >= STRICT.index(one.lower()) for one in named)
            # Receivers take a text that is one, alone and with a policy, and no other.
            taken = {text for text in texts if is_dmarc(text)}
            in_force = re.findall(r"; p=(\w+)", taken.pop()) if len(taken) == 1 else []
            assert policy == "none" or policy in in_force
            assert "sp=reject" not in value or in_force


@pytest.mark.parametrize("text", ["v=DMARC1; p=none", "v=DMARC1; p=reject; pct=0", "v=DMARC1; p=reject; pct=50"])
@pytest.mark.parametrize(
    "changes",
    [
        {"@ TXT": []},
        {"@ TXT": ["v=spf1 a"]},
        {"@ TXT": ["v=spf1 a nonsense -all"]},
        {"default._domainkey TXT": []},
        {"default._domainkey TXT": ["p="]},
        {"default._domainkey TXT": [], "default._domainkey CNAME": ["key.elsewhere.example."]},
    ],
)
def test_no_stricter_policy_is_to_be_set_before_spf_and_dkim_are_in_order(
    changes: dict[str, list[str]], text: str
) -> None:
    findings = findings_of(zone({**changes, "_dmarc TXT": [text]}))
    (finding,) = [one for one in findings if one["about"] == "dmarc"]
    assert (finding["level"], finding["record"], finding["replaces"]) == ("fine", None, [])


def test_no_stricter_policy_is_to_be_set_for_a_subdomain_without_a_key() -> None:
    changes = {"shop TXT": ["v=spf1 mx -all"], "shop MX": ["10 mail"], "_dmarc.shop TXT": ["v=DMARC1; p=none"]}
    (finding,) = findings_of(zone(changes), MAIL_BELOW)
    assert (finding["problem"], finding["record"]) == ("no_policy", None)


REJECT = "v=DMARC1; p=reject"
MAIL_BELOW: list[dict[str, Any]] = [
    {"domain": "acme.example", "is_email_domain": True},
    {"domain": "shop.acme.example", "is_email_domain": True, "is_subdomain": True},
]
BY_WILDCARD = (
    "What *.acme.example answers for {} would be gone beside a record of its own: set it together with copies of that."
)
BESIDE_ALIAS = "{} is an alias for {}, and nothing may stand beside one: mend it there, or put records of its own in place of the alias."


@pytest.mark.parametrize(
    ("changes", "about", "advice"),
    [
        # A name that a wildcard answers for does not exist by itself (RFC 4592): any record ends what it has.
        ({"* A": ["192.0.2.10"]}, "spf", BY_WILDCARD.format("shop.acme.example")),
        ({"* A": ["192.0.2.10"]}, "mx", BY_WILDCARD.format("shop.acme.example")),
        ({"* CNAME": ["@"], "@ TXT": []}, "spf", BY_WILDCARD.format("shop.acme.example")),
        ({"* MX": ["10 mail"]}, "spf", BY_WILDCARD.format("shop.acme.example")),
        ({"* A": ["192.0.2.10"], "shop A": ["192.0.2.11"]}, "spf", None),
        ({"* A": ["192.0.2.10"], "a.shop A": ["192.0.2.11"]}, "spf", None),
        ({"*.beta A": ["192.0.2.10"]}, "spf", None),
        # The name between is there from then on, too.
        ({"* A": ["192.0.2.10"], "_dmarc TXT": [], "_dmarc.shop TXT": []}, "dmarc", None),
        ({"* A": ["192.0.2.10"], "default._domainkey TXT": []}, "dkim", None),
        ({"* A": ["192.0.2.10"], "_dmarc TXT": []}, "dmarc", None),
        ({"* TXT": ["something"], "_dmarc TXT": []}, "dmarc", BY_WILDCARD.format("_dmarc.acme.example")),
        ({"* TXT": ["v=dmarc1; p=none"], "_dmarc TXT": []}, "dmarc", BY_WILDCARD.format("_dmarc.acme.example")),
        ({"* CNAME": ["@"], "_dmarc TXT": []}, "dmarc", None),
        ({"* CNAME": ["mail"], "default._domainkey TXT": []}, "dkim", BY_WILDCARD.format("_domainkey.acme.example")),
        # Beside an alias nothing may stand.
        ({"shop CNAME": ["@"], "@ TXT": []}, "spf", BESIDE_ALIAS.format("shop.acme.example", "acme.example")),
        ({"shop CNAME": ["old"]}, "mx", BESIDE_ALIAS.format("shop.acme.example", "old.acme.example")),
        ({"shop CNAME": ["two"], "two TXT": ["v=spf1 a", "v=spf1 mx"]}, "spf", BESIDE_ALIAS.format("shop.acme.example", "two.acme.example")),
        ({"@ CNAME": ["old"]}, "spf", BESIDE_ALIAS.format("acme.example", "old.acme.example")),
        ({"_dmarc TXT": [], "_dmarc CNAME": ["old"]}, "dmarc", BESIDE_ALIAS.format("_dmarc.acme.example", "old.acme.example")),
    ],
)  # fmt: skip
def test_no_record_is_to_be_set_beside_an_alias_or_where_it_hides_a_wildcard(
    changes: dict[str, list[str]], about: str, advice: str | None
) -> None:
    """advice: of a finding without a record, None where the first one has one."""
    findings = [one for one in findings_of(zone(changes), MAIL_BELOW) if one["about"] == about]
    in_the_way = [one for one in findings if one["advice"] == advice]
    assert findings and bool(in_the_way) == (advice is not None)
    assert all((one["record"], one["replaces"]) == (None, []) for one in in_the_way)
    if advice is None:
        assert findings[0]["record"] and findings[0]["replaces"] == []


def test_below_a_name_of_a_wildcard_no_key_is_to_be_set() -> None:
    below = {**MAIL_BELOW[1], "dkim_record": DKIM}
    findings = findings_of(zone({"* A": ["192.0.2.10"]}), [MAIL_BELOW[0], below])
    (finding,) = [one for one in findings if one["about"] == "dkim"]
    assert (finding["record"], finding["advice"]) == (None, BY_WILDCARD.format("shop.acme.example"))


def test_an_alias_has_the_spf_record_of_its_target() -> None:
    findings = findings_of(zone({"shop CNAME": ["@"]}), MAIL_BELOW)
    assert findings == []


def test_an_alias_that_is_to_go_is_named_as_the_zone_has_it() -> None:
    changes = {"_dmarc TXT": [], "_dmarc CNAME": ["one"], "one CNAME": ["two"], "two TXT": ["something"]}
    (finding,) = findings_of(zone(changes))
    assert finding["replaces"] == [{"host": "_dmarc", "type": "CNAME", "value": "one.acme.example."}]
    # Below the alias of a wildcard there is none at the name itself.
    (finding,) = findings_of(zone({"_dmarc TXT": [], "* CNAME": ["mail"]}))
    assert (finding["problem"], finding["replaces"]) == ("broken_alias", [])


SETS = {
    "@ TXT": ["v=spf1 a -all", "v=spf1", "v=spf1 a", "something"],
    "@ MX": ["10 mail", "10 gone"],
    "* A": ["192.0.2.10"],
    "* MX": ["10 mail"],
    "* TXT": ["something", "v=spf1 mx", "v=dmarc1; p=none"],
    "* CNAME": ["@", "mail"],
    "*.shop A": ["192.0.2.10"],
    "shop A": ["192.0.2.11"],
    "shop CNAME": ["@", "old"],
    "a.shop A": ["192.0.2.12"],
    "_dmarc TXT": ["v=dmarc1; p=none", "p=reject", REJECT, "v=DMARC1"],
    "_dmarc CNAME": ["old", "mail"],
    "default._domainkey TXT": [KEY, "p="],
    "default._domainkey CNAME": ["old"],
    "old TXT": ["something", "v=DMARC1; sp=none"],
}
ASKED = ["shop", "a.shop", "b.shop", "other", "old", "_dmarc", "default._domainkey", "_dmarc.shop", "x._domainkey"]


@settings(max_examples=150)
@given(
    st.fixed_dictionaries(
        {
            key: st.lists(st.sampled_from(values), max_size=1 if key.endswith("CNAME") else 2, unique=True)
            for key, values in SETS.items()
        }
    )
)
def test_a_record_that_is_set_takes_from_no_name_what_it_had_and_stands_beside_no_alias(
    changes: dict[str, list[str]],
) -> None:
    given_zone = zone(changes)
    before = Names([Zone("acme.example", given_zone)])
    for finding in findings_of(given_zone, [{**one, "dkim_record": DKIM} for one in MAIL_BELOW]):
        record, other = finding["record"], list(given_zone["records"]["other"])
        if record is None:
            assert finding["replaces"] == []
            continue
        shown = [comparable_record(one, "acme.example", None) for one in other]
        there = [(one.host, one.type, one.value.removesuffix(".")) for one in shown]
        for old in finding["replaces"]:
            place = there.index((old["host"], old["type"], old["value"].removesuffix(".")))
            del other[place], there[place]
        assert (record["host"], "CNAME") not in [one[:2] for one in there]
        after = Names([Zone("acme.example", {**given_zone, "records": {"other": [*other, record]}})])
        for name in ASKED:
            # A name with an underscore is that of no host, and the record takes the place of what its own name had.
            is_host = "_" not in name
            for kind in ("A", "MX", "TXT") if is_host else ("TXT",):
                had = before.find(f"{name}.acme.example", kind) or []
                gone = set(had) - set(after.find(f"{name}.acme.example", kind) or ())
                replaced = {one["value"].removesuffix(".") for one in finding["replaces"]}
                assert (name == record["host"] and not is_host) or {one.removesuffix(".") for one in gone} <= replaced


@pytest.mark.parametrize(
    ("name", "above", "own", "expected"),
    [
        # A main domain below another one of the panel has its record, as a subdomain has.
        ("shop.acme.example", {"_dmarc TXT": [REJECT]}, [], []),
        ("a.b.shop.acme.example", {"_dmarc TXT": [REJECT]}, [], []),
        ("a.shop.acme.example", {"_dmarc TXT": [], "_dmarc.shop TXT": [REJECT]}, [], []),
        # A mistake there is a finding of that domain: p=none would end what it was meant for.
        ("shop.acme.example", {"_dmarc TXT": ["v=DMARC1; p=rejected"]}, [], []),
        ("shop.acme.example", {"_dmarc TXT": [], "_dmarc CNAME": ["acme.dmarc.else.example."]}, [], []),
        ("shop.acme.example", {"_dmarc TXT": []}, [], [("missing", "near", "v=DMARC1; p=none")]),
        ("shop.acme.example", {"_dmarc TXT": ["no record"]}, [], [("missing", "near", "v=DMARC1; p=none")]),
        # Nobody knows here what is above.
        ("shop.acme.example", None, [], [("missing", "near", "")]),
        ("shop.acme.example", {"zone": "off"}, [], [("missing", "near", "")]),
        ("acme.co.example", None, [], [("missing", "near", "")]),
        # Its own record counts before that, and one without a policy ends it.
        ("shop.acme.example", {"_dmarc TXT": [REJECT]}, ["v=DMARC1; p=quarantine"], []),
        ("shop.acme.example", {"_dmarc TXT": [REJECT]}, ["v=DMARC1"], [("syntax", "bad", "")]),
        ("shop.acme.example", None, ["v=DMARC1"], [("syntax", "bad", "")]),
        ("shop.acme.example", None, ["v=dmarc1"], [("syntax", "bad", "")]),
        ("shop.acme.example", {"_dmarc TXT": []}, ["v=DMARC1"], [("syntax", "bad", "v=DMARC1; p=none")]),
    ],
)
def test_the_dmarc_record_of_a_domain_above_counts_where_there_is_none(
    name: str, above: dict[str, Any] | None, own: list[str], expected: list[tuple[str, str, str]]
) -> None:
    zones = [zone({"_dmarc TXT": own}, name=name)]
    if above is not None:
        is_off = above.pop("zone", "") == "off"
        zones.append(zone(above, is_dns_disabled=is_off))
    assert [one for one in found(zones, domains=[{"domain": name}]) if one[0] == "dmarc"] == [
        ("dmarc", *one) for one in expected
    ]


def test_what_may_be_above_is_named_as_people_write_it() -> None:
    name = f"shop.{IN_PUNYCODE}"
    (finding,) = findings_of(zone({"_dmarc TXT": []}, name=name))
    assert finding["advice"] == (
        "Look whether münchen.example has one, which counts here too; only where it has none set v=DMARC1; p=none."
    )


def test_an_alias_for_nothing_in_place_of_the_dmarc_record_goes() -> None:
    (finding,) = findings_of(zone({"_dmarc TXT": [], "_dmarc CNAME": ["gone"]}))
    assert (finding["problem"], finding["record"]["value"]) == ("broken_alias", "v=DMARC1; p=none")
    assert finding["replaces"] == [{"host": "_dmarc", "type": "CNAME", "value": "gone.acme.example."}]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"@ MX": ["10 mail"]}, []),
        ({"@ MX": ["10 mx.elsewhere.example."]}, []),
        ({"@ MX": []}, [("missing", "bad", "10 mail.acme.example.")]),
        ({"@ MX": [], "mail A": [], "mail AAAA": []}, [("missing", "bad", "10 acme.example.")]),
        ({"@ MX": [], "mail A": [], "mail AAAA": [], "@ A": []}, [("missing", "bad", "")]),
        ({"@ MX": ["5 mial.acme.example."]}, [("no_address", "bad", "5 mail.acme.example.")]),
        ({"@ MX": ["10 mail", "20 two"]}, [("no_address", "near", "")]),
        ({"@ MX": ["10 mx"], "mx CNAME": ["mail"]}, [("alias", "near", "10 mail.acme.example.")]),
        ({"@ MX": ["10 mx"], "mx CNAME": ["mail.acme.example."]}, [("alias", "near", "10 mail.acme.example.")]),
        ({"@ MX": ["10 192.0.2.10"]}, [("address", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["0 ."]}, [("refuses_mail", "bad", "0 mail.acme.example.")]),
        ({"@ MX": ["mail.acme.example."]}, [("syntax", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["70000 mail.acme.example."]}, [("syntax", "bad", "65535 mail.acme.example.")]),
        ({"@ MX": ["10 mail", "65536 two"], "two A": ["192.0.2.2"]}, [("syntax", "near", "65535 two.acme.example.")]),
        ({"@ MX": ["10 mail", "65536 gone"]}, [("syntax", "near", "")]),
        ({"@ MX": ["99999999999 mail"]}, [("syntax", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 [192.0.2.10]"]}, [("address", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 [IPv6:2001:db8::1]"]}, [("address", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 mail..acme.example."]}, [("syntax", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 mü_l.example."]}, [("syntax", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 2001:db8::1"]}, [("address", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 2001:db8::1."]}, [("address", "bad", "10 mail.acme.example.")]),
        ({"@ MX": ["10 mx"], "* A": ["192.0.2.9"]}, []),
        ({"@ MX": ["10 a.sub"], "sub NS": ["ns.elsewhere.example."]}, []),
        ({"@ MX": ["10 mx"], "mx ALIAS": ["host.elsewhere.example."]}, []),
    ],
)
def test_mx_records_point_to_names_with_an_address(
    changes: dict[str, list[str]], expected: list[tuple[str, str, str]]
) -> None:
    given_zone = zone({**changes, "@ TXT": ["v=spf1 ip4:192.0.2.10 ~all"]})
    assert found(given_zone) == [("mx", *one) for one in expected]


def test_a_number_that_is_too_high_is_what_has_to_change() -> None:
    (finding,) = findings_of(zone({"@ MX": ["70000 mail.acme.example."]}))
    assert finding["advice"] == "Give it the number 65535 or a smaller one."


def test_a_domain_that_only_sends_needs_no_mx_and_one_without_mail_nothing() -> None:
    bare = {"domain": "acme.example", "records": [], "dkim_record": DKIM}
    domain = {"domain": "acme.example", "is_email_domain": True, "is_email_sending_only": True}
    assert [one[:2] for one in found(bare, domains=[domain])] == [
        ("spf", "missing"),
        ("dkim", "missing"),
        ("dmarc", "missing"),
    ]
    assert found(bare, domains=[{**domain, "is_email_domain": False}]) == []
    assert (
        found(bare, domains=[{**domain, "is_system_domain": True}, {"domain": "b.example", "is_email_domain": 0}]) == []
    )


def test_a_subdomain_with_mail_has_its_records_in_the_zone_of_its_main_domain() -> None:
    main = {"domain": "acme.example", "is_email_domain": True}
    below = {"domain": "shop.acme.example", "is_subdomain": True, "is_email_domain": True}
    findings = findings_of(zone(), [main, below])
    assert {one["zone"] for one in findings} == {"acme.example"}
    assert [(one["domain"], one["about"], one["record"]) for one in findings] == [
        ("shop.acme.example", "spf", {"host": "shop", "type": "TXT", "value": "v=spf1 a mx ~all"}),
        ("shop.acme.example", "mx", {"host": "shop", "type": "MX", "value": "10 mail.acme.example."}),
    ]
    changes = {
        "shop TXT": ["v=spf1 mx -all"],
        "shop MX": ["10 mail"],
        "s1._domainkey.shop TXT": [OTHER_KEY],
    }
    below["dkim_record"] = DKIM.replace("default", "s1")
    (finding,) = findings_of(zone(changes), [main, below])
    assert (finding["problem"], finding["record"]["host"]) == ("other_key", "s1._domainkey.shop")
    findings = findings_of(zone({**changes, "s1._domainkey.shop TXT": [KEY], "_dmarc TXT": []}), [main, below])
    # One record at the main domain is for both: one of the subdomain would end what the other asks for later.
    assert [(one["domain"], one["problem"], one["record"]["host"]) for one in findings] == [
        ("acme.example", "missing", "_dmarc"),
        ("shop.acme.example", "missing", "_dmarc"),
    ]


def test_what_is_not_on_the_panel_is_not_judged() -> None:
    main = {"domain": "acme.example", "is_email_domain": True}
    for given_zone in (zone(is_dns_disabled=True), zone(name="beta.example")):
        (finding,) = findings_of(given_zone, [main])
        assert (finding["domain"], finding["problem"], finding["level"]) == ("acme.example", "not_here", "fine")
    assert found(zone({"_dmarc TXT": [], "_dmarc CNAME": ["acme.dmarc.elsewhere.example."]})) == []


def test_names_of_one_zone_are_looked_up_in_the_others() -> None:
    one = zone({"@ MX": ["10 mx.beta.example."], "@ TXT": ["v=spf1 include:_spf.beta.example -all"]})
    two = zone(name="beta.example")
    assert [finding[:2] for finding in found([one, two])] == [("spf", "broken_include"), ("mx", "no_address")]
    assert (
        found([one, zone({"mx A": ["192.0.2.1"], "_spf TXT": ["v=spf1 mx -all"], "_spf MX": ["1 mx"]}, "beta.example")])
        == []
    )


@pytest.mark.parametrize(
    "given_zones",
    [
        zone()["records"]["other"],
        {"records": zone()["records"]["other"]},
        zone()["records"],
        [{**zone(), "domain": None}],
    ],
)
def test_records_and_zones_without_a_name_need_an_origin(given_zones: Any) -> None:
    with pytest.raises(MailDnsError, match=r"origin: missing; give the name of the zone"):
        findings_of(given_zones)
    assert findings_of(given_zones, origin="ACME.example.") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"zones": "text"}, "the input must be a zone or a list of zones"),
        ({"zones": [1]}, "the input must be a zone or a list of zones"),
        ({"zones": {"domain": "acme.example", "records": "x"}}, "the records of acme.example must be a list"),
        ({"zones": [], "domains": {}}, "domains: must be a list"),
        ({"zones": [], "origin": "-", "domains": []}, None),
        ({"zones": [zone(name="no name")]}, "origin: "),
        ({"zones": [], "resolver": "ns1.example"}, "resolver: 'ns1.example' is not accepted; it must be the address"),
        ({"zones": [], "resolver": "192.0.2.1:0"}, "resolver: '192.0.2.1:0' is not accepted"),
    ],
)
def test_what_is_no_zone_is_refused_in_a_sentence(arguments: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert findings_of(**arguments) == []
        return
    with pytest.raises(MailDnsError, match=message):
        findings_of(**arguments)


def test_odd_records_and_texts_are_shown_in_one_line_of_what_can_be_seen() -> None:
    odd = {"@ TXT": ['"v=spf1 b\\195\\188\\255 \\010\\027[0m -all"'], "_dmarc TXT": ["v=DMARC1; p=ü\u202e"]}
    given_zone = zone(odd)
    given_zone["records"]["other"] += [None, {"host": 1}, {"host": "@", "type": "MX", "value": ""}]
    for finding in findings_of(given_zone):
        assert f"{finding['message']}{finding['advice']}".isprintable(), finding


@given(st.dictionaries(st.sampled_from(list(RIGHT)), st.lists(st.text(max_size=30), max_size=3)))
def test_no_zone_makes_it_fail(changes: dict[str, list[str]]) -> None:
    for finding in findings_of(zone(changes)):
        assert finding["message"].endswith(".") and finding["advice"].endswith(".")


IN_LETTERS = "münchen.example"
IN_PUNYCODE = "xn--mnchen-3ya.example"


@pytest.mark.parametrize("written", [IN_LETTERS, IN_PUNYCODE, "MÜNCHEN.example."])
def test_names_are_looked_up_in_punycode_and_shown_as_people_write_them(written: str) -> None:
    wrong = {
        "@ MX": [f"10 mx.{written}", "20 bücher"],
        "@ TXT": [f"v=spf1 include:_spf.{IN_PUNYCODE} -all"],
        "s1._domainkey TXT": [],
    }
    domain = {"domain": written, "dkim_record": DKIM.replace("default", "s1")}
    below = {"domain": f"bücher.{written}", "is_subdomain": True, "is_email_domain": True, "dkim_selector": "s1"}
    findings = findings_of(zone(wrong, name=written), [domain, below])
    assert {(one["domain"], one["zone"]) for one in findings} == {
        (IN_PUNYCODE, IN_PUNYCODE),
        (f"xn--bcher-kva.{IN_PUNYCODE}", IN_PUNYCODE),
    }
    messages = " ".join(one["message"] for one in findings)
    assert f"_spf.{IN_LETTERS}, which" in messages and f"mx.{IN_LETTERS}, which" in messages
    assert f"bücher.{IN_LETTERS}, which" in messages and "?" not in messages
    assert {"host": "xn--bcher-kva", "type": "TXT", "value": "v=spf1 a mx ~all"} in [one["record"] for one in findings]


NAMES = [
    "mü_l.example.",
    "mü_l",
    f"{'l' * 64}.acme.example.",
    "ü" * 80,
    f"{'long.' * 60}example.",
    "a..b.example.",
    ".",
    "..",
    "@",
    "*.acme.example.",
    "xn--.example.",
    "xn--zzzzzzzzzz.example.",
    "xn--mnchen-3ya.xn--\u2011",
    "192.0.2.1",
    "2001:db8::1",
    "\udcff.example.",
    "a b.example.",
    "\u202eelpmaxe.",
    "ⅷ.example.",
    "ß.example.",
    "<b>.example.",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "where", ["@ CNAME", "mail CNAME", "@ MX", "_dmarc CNAME", "default._domainkey CNAME", "@ TXT"]
)
def test_a_name_that_cannot_be_compared_ends_nothing(where: str, name: str) -> None:
    odd = {"@ MX": f"10 {name}", "@ TXT": f"v=spf1 include:{name} a:{name} mx:{name} redirect={name}"}.get(where, name)
    for changes in (
        {where: [odd]},
        {where: [odd], where.split(maxsplit=1)[0] + " TXT": [], "mail A": [], "mail AAAA": []},
    ):
        for finding in findings_of([zone(changes), zone(name="beta.example", changes={"@ MX": []})]):
            assert finding["message"].isprintable()
    problems = found([zone({where: [odd]}), zone(name="beta.example", changes={"@ MX": []})])
    assert ("mx", "missing", "bad", "10 mail.beta.example.") in problems


@given(st.sampled_from(NAMES), st.text(max_size=20), st.sampled_from(list(RIGHT)))
def test_no_name_of_a_domain_or_a_host_makes_it_fail(name: str, more: str, key: str) -> None:
    given_zone = zone({key: [f"10 {name}{more}", name]})
    given_zone["records"]["other"].append({"host": f"{more}{name}", "type": key.split()[1], "value": name})
    below = {"domain": f"{more}.acme.example", "is_subdomain": True}
    domains = [{"domain": "acme.example"}, {"domain": f"{name}{more}"}, below]
    for finding in findings_of(
        given_zone, [{**one, "is_email_domain": True, "dkim_selector": name} for one in domains]
    ):
        assert finding["message"].isprintable()


ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    1.5,
    float("inf"),
    "",
    "x",
    " ",
    "\ud800\x00",
    "<b>ü</b>.example",
    "ü" * 80,
    [],
    [[]],
    {},
    ["x"],
)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_whatever_a_panel_puts_into_a_member_there_are_findings(odd: Any) -> None:
    domain = {
        "domain": "acme.example",
        "is_email_domain": True,
        "is_email_sending_only": False,
        "is_subdomain": False,
        "is_system_domain": False,
        "id_parent_domain": 0,
        "dkim_selector": "default",
        "dkim_record": DKIM,
    }
    for member in domain:
        findings_of(zone(), [{**domain, member: odd}, {"domain": "shop.acme.example", member: odd}])
    for member in ("is_dns_disabled", "dkim_record", "is_custom_dns"):
        findings_of(zone(**{member: odd}), [domain])
        findings_of(zone(**{member: odd}))
    for member in ("host", "type", "ttl", "value"):
        given_zone = zone()
        for record in given_zone["records"]["other"]:
            record[member] = odd
        findings_of(given_zone, [domain])
