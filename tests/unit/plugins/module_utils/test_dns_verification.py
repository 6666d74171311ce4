"""Whether a written zone holds what was planned: what is lost, and what is not as wanted."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._dns.planning import Shortfall, plan_zone, shortfall
from ansible_collections.hosting.panel.plugins.module_utils._dns.wanted_zone import read_wanted_zone
from tests.support.memory_panel import custom_zone

KEY = '"v=DKIM1; p=MIIB"'
WWW = {"host": "www", "ttl": 3600, "type": "A", "value": "192.0.2.10"}
SPF = {"host": "@", "ttl": 3600, "type": "TXT", "value": "v=spf1 a mx ~all"}
DKIM = {"host": "default._domainkey", "ttl": 3600, "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}
NEW = {"host": "shop", "ttl": 60, "type": "A", "value": "192.0.2.20"}
SOA = {"ttl": 86400, "refresh": 14400, "minimum": 3600}


def zone(*records: dict[str, Any], **members: Any) -> dict[str, Any]:
    return custom_zone(*records, soa=SOA, dkim_record=f"default._domainkey IN TXT ( {KEY} )", **members)


BEFORE = zone(WWW, SPF, DKIM)


def found(after: dict[str, Any], options: dict[str, Any] | None = None) -> Shortfall:
    """What the zone lacks after a task that adds NEW, or after the given one."""
    wanted = read_wanted_zone({"domain": "acme.example", **(options or {"records": [NEW]})})
    return shortfall(BEFORE, plan_zone(BEFORE, wanted), after, wanted)


def test_a_removed_record_that_is_still_there_is_unmet() -> None:
    assert found(BEFORE, {"state": "absent", "records": [WWW]}).unmet == ("the zone is not as the task wants it",)


def test_a_member_of_the_soa_record_that_nobody_changed_must_stay() -> None:
    after = zone(WWW, SPF, DKIM, NEW)
    after["records"]["soa"]["refresh"] = 1
    assert found(after).lost == ("SOA refresh 14400",)


def test_a_switch_must_be_as_wanted() -> None:
    assert found(BEFORE, {"is_dns_disabled": True}).unmet == ("is_dns_disabled is false",)
    assert found(zone(is_dns_disabled=True), {"is_dns_disabled": True}) == Shortfall()


def test_a_switch_that_the_panel_does_not_show_cannot_be_verified() -> None:
    after = zone()
    del after["is_dns_disabled"]
    assert found(after, {"is_dns_disabled": True}) == Shortfall()
