# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.site with site_mail_dns: SPF and DMARC where there is nothing, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.integration.roles.operators import Operator, RoleRun, plays_of

TRAP = "verification={{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
TEXTS = {
    # By domain the texts of the domain itself and of its DMARC record, before and after.
    "usual.example": (["v=spf1 a mx ~all"], [], ["v=spf1 a mx ~all"], ["v=DMARC1; p=none"]),
    "bare.example": ([TRAP], [], [TRAP, "v=spf1 a mx ~all"], ["v=DMARC1; p=none"]),
    "own.example": (["v=spf1 wrong"], ["v=DMARC1"], ["v=spf1 wrong"], ["v=DMARC1"]),
    "web.example": ([], [], [], []),
    "strict.example": (["v=spf1 a -all"], ["v=DMARC1; p=reject"], ["v=spf1 a -all"], ["v=DMARC1; p=reject"]),
}
DOMAINS: list[dict[str, Any]] = [
    *({"domain": name, "is_email_domain": name != "web.example"} for name in TEXTS),
    {"domain": "shop.usual.example", "parent_domain": "usual.example", "is_email_domain": True},
    {"domain": "elsewhere.example", "is_dns_disabled": True},
    {"domain": "below.strict.example"},
    {"domain": "new.example"},
]


def run(operator: Operator, *words: str, **variables: Any) -> RoleRun:
    given = {"site_client": {"username": "acme"}, "site_domains": DOMAINS, "site_mail_dns": True, **variables}
    given["site_client"]["password"] = "Correct-Horse-4711"
    return operator.run(plays_of("site"), given, *words)


def seeded(operator: Operator) -> None:
    """All domains but the new one, with their records."""
    there = [{"client": "acme", **one} for one in DOMAINS[:-1]]
    operator.simulator.seed({"clients": [{"username": "acme"}], "domains": there})
    for name, (own, dmarc, _own, _dmarc) in TEXTS.items():
        zone = operator.simulator.request("GET", f"/dns/name/{name}").json()
        kept = [one for one in zone["records"]["other"] if (one["host"], one["type"]) != ("@", "TXT")]
        added = [("@", text) for text in own] + [("_dmarc", text) for text in dmarc]
        kept += [{"host": host, "type": "TXT", "ttl": 3600, "value": text} for host, text in added]
        body = {"records": {"soa": zone["records"]["soa"], "other": kept}}
        operator.simulator.request("PUT", f"/dns/name/{name}", body)


def texts(operator: Operator, name: str, host: str) -> list[str]:
    zone = operator.simulator.request("GET", f"/dns/name/{name}").json()
    return [one["value"] for one in zone["records"]["other"] if (one["host"], one["type"]) == (host, "TXT")]


def test_spf_and_dmarc_are_set_where_there_is_nothing_and_nowhere_else(
    make_operator: Callable[[str], Operator],
) -> None:
    operator = make_operator("mail dns")
    seeded(operator)
    zones = ["usual.example", "bare.example"]

    checked = run(operator, "--check")
    assert (checked.code, checked.writes) == (0, []), checked.text[-3000:]
    done = run(operator)
    assert done.code == 0, done.text[-3000:]
    written = [one for one in done.writes if "/dns" in one]
    assert sorted(written) == sorted(f"PUT /dns/name/{name}" for name in [*zones, "new.example"])
    # Check mode knows nothing of the zone of the new domain.
    assert (checked.recap["changed"], done.recap["changed"]) == (2, 2)
    assert [checked.times(f"changed: [localhost] => (item={name})") for name in [*zones, "new.example"]] == [1, 1, 0]
    assert [done.times(f"changed: [localhost] => (item={name})") for name in [*zones, "new.example"]] == [1, 1, 1]
    for name, (_own, _dmarc, own, dmarc) in TEXTS.items():
        assert (texts(operator, name, "@"), texts(operator, name, "_dmarc")) == (own, dmarc), name
    assert texts(operator, "usual.example", "shop") == ["v=spf1 a mx ~all"]
    # Another policy would end that of the domain above.
    assert texts(operator, "usual.example", "_dmarc.shop") == texts(operator, "below.strict.example", "_dmarc") == []
    assert texts(operator, "new.example", "_dmarc") == ["v=DMARC1; p=none"]

    assert list(operator.folder.rglob("sprung")) == []
    again = run(operator)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0), again.text[-3000:]


def test_what_a_wildcard_or_an_alias_gives_a_name_stays_and_the_rest_is_made(
    make_operator: Callable[[str], Operator],
) -> None:
    operator = make_operator("mail dns below a wildcard")
    # By main domain the records beside its own; all of them have a subdomain with mail.
    others = {
        "wild.example": [("*", "A", "192.0.2.10"), ("*", "MX", "10 wild.example.")],
        "alias.example": [("shop", "CNAME", "alias.example.")],
    }
    domains: list[dict[str, Any]] = [{"domain": name} for name in others]
    domains += [{"domain": f"shop.{name}", "parent_domain": name, "is_email_domain": True} for name in others]
    operator.simulator.seed(
        {"clients": [{"username": "acme"}], "domains": [{"client": "acme", **one} for one in domains]}
    )
    for name, added in others.items():
        soa = operator.simulator.request("GET", f"/dns/name/{name}").json()["records"]["soa"]
        records = [{"host": h, "type": t, "ttl": 3600, "value": v} for h, t, v in [("@", "A", "192.0.2.10"), *added]]
        operator.simulator.request("PUT", f"/dns/name/{name}", {"records": {"soa": soa, "other": records}})
    given = {
        "site_domains": domains,
        "site_emails": [{"email": "info@shop.wild.example", "password": "Correct-Horse-4711"}],
    }
    checked, done = run(operator, "--check", **given), run(operator, **given)
    assert (checked.code, done.code) == (0, 0), done.text[-3000:]
    assert "POST /emails" in done.writes
    for name in others:
        assert (texts(operator, name, "@"), texts(operator, name, "shop")) == (["v=spf1 a mx ~all"], [])
        assert texts(operator, name, "_dmarc") == ["v=DMARC1; p=none"]
    again = run(operator, **given)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0), again.text[-3000:]


def test_what_the_same_run_gives_in_site_dns_is_not_nothing(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("mail dns given")
    seeded(operator)
    given = [
        {"host": "@", "type": "TXT", "value": "v=spf1 -all"},
        {"host": "_dmarc", "type": "TXT", "value": "v=DMARC1; p=reject"},
    ]
    variables = {"site_domains": DOMAINS[1:2], "site_dns": [{"domain": "bare.example", "records": given}]}
    checked, done = run(operator, "--check", **variables), run(operator, **variables)
    assert (checked.recap["changed"], done.recap["changed"]) == (1, 1), checked.text[-3000:]
    assert (texts(operator, "bare.example", "@"), texts(operator, "bare.example", "_dmarc")) == (
        ["v=spf1 -all"],
        ["v=DMARC1; p=reject"],
    )


def test_without_the_switch_no_zone_is_read(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("no mail dns")
    seeded(operator)
    done = run(operator, site_mail_dns=False)
    assert done.code == 0, done.text[-3000:]
    assert [one["path"] for one in done.requests if "/dns" in one["path"]] == []
