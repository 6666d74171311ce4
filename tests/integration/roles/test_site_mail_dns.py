"""The role hosting.panel.site with site_mail_dns, over hosting.panel.panel_mail_dns: SPF and DMARC if there is nothing, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.integration.roles.operators import Operator, plays_of

TRAP = "verification={{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
SPF, DMARC, REJECT = "v=spf1 a mx ~all", "v=DMARC1; p=none", "v=DMARC1; p=reject"
# By domain the texts of the domain itself and of its DMARC record, before and after.
TEXTS = {
    "usual.example": ([SPF], [], [SPF], [DMARC]),
    "bare.example": ([TRAP], [], [TRAP, SPF], [DMARC]),
    "own.example": (["v=spf1 wrong"], ["v=DMARC1"], ["v=spf1 wrong"], ["v=DMARC1"]),
    "web.example": ([], [], [], []),
    "strict.example": (["v=spf1 a -all"], [REJECT], ["v=spf1 a -all"], [REJECT]),
    # What the same run gives is not nothing.
    "given.example": ([], [], ["v=spf1 -all"], [REJECT]),
    # A record of its own would end what a wildcard or an alias gives a name below.
    "wild.example": ([], [], [SPF], [DMARC]),
    "alias.example": ([], [], [SPF], [DMARC]),
}
MORE = {
    "wild.example": [("*", "A", "192.0.2.10"), ("*", "MX", "10 wild.example.")],
    "alias.example": [("shop", "CNAME", "alias.example.")],
}
DOMAINS: list[dict[str, Any]] = [
    *({"domain": name, "is_email_domain": name != "web.example"} for name in TEXTS),
    *(
        {"domain": f"shop.{name}", "parent_domain": name, "is_email_domain": True}
        for name in ("usual.example", "wild.example", "alias.example")
    ),
    {"domain": "elsewhere.example", "is_dns_disabled": True},
    {"domain": "below.strict.example"},
    {"domain": "new.example"},
]
GIVEN = [
    {"host": "@", "type": "TXT", "value": "v=spf1 -all"},
    {"host": "_dmarc", "type": "TXT", "value": REJECT},
]
CLIENT = {"username": "acme", "password": "Correct-Horse-4711"}


def seed(operator: Operator) -> None:
    """All domains but the new one, with their records."""
    there = [{"client": "acme", **one} for one in DOMAINS[:-1]]
    operator.simulator.seed({"clients": [{"username": "acme"}], "domains": there})
    for name, (own, dmarc, _own, _dmarc) in TEXTS.items():
        zone = operator.simulator.request("GET", f"/dns/name/{name}").json()
        kept = [one for one in zone["records"]["other"] if (one["host"], one["type"]) != ("@", "TXT")]
        added = [("@", "TXT", text) for text in own] + [("_dmarc", "TXT", text) for text in dmarc]
        kept += [{"host": h, "type": t, "ttl": 3600, "value": v} for h, t, v in [*added, *MORE.get(name, [])]]
        body = {"records": {"soa": zone["records"]["soa"], "other": kept}}
        operator.simulator.request("PUT", f"/dns/name/{name}", body)


def texts(operator: Operator, name: str, host: str) -> list[str]:
    zone = operator.simulator.request("GET", f"/dns/name/{name}").json()
    return [one["value"] for one in zone["records"]["other"] if (one["host"], one["type"]) == (host, "TXT")]


def test_spf_and_dmarc_are_set_where_there_is_nothing_and_nowhere_else(
    make_operator: Callable[[str], Operator],
) -> None:
    operator = make_operator("mail dns")
    seed(operator)
    variables: dict[str, Any] = {"site_client": CLIENT, "site_domains": DOMAINS, "site_mail_dns": True}
    variables["site_dns"] = [{"domain": "given.example", "records": GIVEN}]
    zones = ["usual.example", "bare.example", "wild.example", "alias.example"]

    checked = operator.run(plays_of("site"), variables, "--check")
    assert (checked.code, checked.writes) == (0, []), checked.text[-3000:]
    done = operator.run(plays_of("site"), variables)
    assert done.code == 0, done.text[-3000:]
    written = sorted(one for one in done.writes if "/dns" in one)
    assert written == sorted(f"PUT /dns/name/{name}" for name in [*zones, "given.example", "new.example"])
    # Check mode knows nothing of the zone of the new domain.
    for run, is_real in ((checked, 0), (done, 1)):
        changed = [run.times(f"changed: [localhost] => (item={name})") for name in [*zones, "new.example"]]
        assert changed == [1, 1, 1, 1, is_real]
    for name, (_own, _dmarc, own, dmarc) in TEXTS.items():
        assert (texts(operator, name, "@"), texts(operator, name, "_dmarc")) == (own, dmarc), name
    assert [texts(operator, name, "shop") for name in ("usual.example", *MORE)] == [[SPF], [], []]
    # Another policy would end that of the domain above.
    assert texts(operator, "usual.example", "_dmarc.shop") == texts(operator, "below.strict.example", "_dmarc") == []
    assert texts(operator, "new.example", "_dmarc") == [DMARC]
    assert list(operator.folder.rglob("sprung")) == []

    again = operator.run(plays_of("site"), variables)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0), again.text[-3000:]
    off = operator.run(plays_of("site"), {"site_client": CLIENT, "site_mail_dns": False})
    assert [one["path"] for one in off.requests if "/dns" in one["path"]] == []
