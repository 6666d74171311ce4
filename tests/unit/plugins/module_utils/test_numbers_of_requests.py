"""What the documentation of modules says about numbers of requests is what is sent; of roles and plugins their own tests tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import MemoryPlace

ROOT = Path(__file__).parents[4]
SEED: dict[str, Any] = {
    "plans": [{"name": "Business", "resources": {"domains": 50}}],
    "clients": [{"username": "acme", "hosting_plan": "Business", "notes": "old"}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "shop.other.example", "client": "acme"}],
}  # fmt: skip
RECORD = {"host": "x", "type": "CNAME", "ttl": 3600, "value": "@"}
ZONE, DOMAIN, CLIENT = (
    f"GET /{path}" for path in ("dns/name/acme.example", "domains/name/acme.example", "clients/name/acme")
)


LISTS = ["GET /clients", "GET /databases"]


def bulk(**resources: Any) -> dict[str, Any]:
    return {"resources": resources, "max_deletes": 9}


def writes(path: str, *before: str) -> list[str]:
    """Of a zone: its reads before and after the write."""
    return [f"GET {path}", *before, f"GET {path}", f"PUT {path}", f"GET {path}"]


# By the file and words of the documentation: a module, its options, and what the first run sends and the second one.
SAID: dict[tuple[str, str], tuple[str, dict[str, Any], list[str], list[str]]] = {
    ("panel_dns", "A task that changes nothing costs one request, a task that writes costs four."): (
        "panel_dns",
        {"domain": "acme.example", "records": [RECORD]},
        writes("/dns/name/acme.example"),
        [ZONE],
    ),
    ("panel_dns", "It costs one more request, for the name of the domain."): (
        "panel_dns",
        {"id": 1, "records": [{**RECORD, "host": "y.acme.example."}]},
        writes("/dns/1", "GET /domains/1"),
        ["GET /dns/1", "GET /domains/1"],
    ),
    ("panel_dns", "If another client owns it, the task fails and writes nothing. It costs two more requests."): (
        "panel_dns",
        {"domain": "acme.example", "client": "acme", "records": [RECORD]},
        writes("/dns/name/acme.example", DOMAIN, CLIENT),
        [ZONE, DOMAIN, CLIENT],
    ),
    ("panel_client", "A task costs one request, one for each object that it refers to, and one to write."): (
        "panel_client",
        {"username": "acme", "hosting_plan": "Business", "notes": "new"},
        [CLIENT, "GET /hosting-plans/name/Business", "PUT /clients/2"],
        [CLIENT, "GET /hosting-plans/name/Business"],
    ),
    ("panel_client_info", "Each choice costs one request for each client."): (
        "panel_client_info",
        {"include": ["resources", "stats"]},
        ["GET /clients", "GET /clients/2/resources", "GET /clients/2/stats"],
        ["GET /clients", "GET /clients/2/resources", "GET /clients/2/stats"],
    ),
    ("panel_resources", "It costs one list request for each kind and one request for each DNS zone."): (
        "panel_resources",
        bulk(databases=[{"client": "acme", "database_name": "acme_shop"}]),
        [*LISTS, "POST /databases", "GET /databases/1"],
        LISTS,
    ),
    ("panel_resources_info", "It costs one request for each kind that it reads or refers to, and one for each zone."): (
        "panel_resources_info",
        {"kinds": ["clients"]},
        ["GET /hosting-plans", "GET /clients", "GET /domains", "GET /domains"],
        ["GET /hosting-plans", "GET /clients", "GET /domains", "GET /domains"],
    ),
    ("doc_fragments/resource", "It costs one request."): (
        "panel_client",
        {"username": "acme", "notes": "new", "read_back": True},
        [CLIENT, "PUT /clients/2", "GET /clients/2"],
        [CLIENT],
    ),
}  # fmt: skip


def panel() -> MemoryPlace:
    """The plan of the client has changed since it was assigned."""
    place = MemoryPlace(SEED, {"status_delay": 0.0})
    place.run("plan", "panel_plan", {"name": "Business", "resources": {"domains": 60}})
    return place


@pytest.mark.parametrize("said", list(SAID), ids=" ".join)
def test_as_many_requests_are_sent_as_the_documentation_says(said: tuple[str, str]) -> None:
    place, words = said
    path = ROOT / "plugins" / (f"{place}.py" if "/" in place else f"modules/{place}.py")
    assert words in " ".join(path.read_text(encoding="utf-8").split())
    module, options, *expected = SAID[said]
    one = panel()
    runs = [one.run(module, module, options) for _time in range(2)]
    assert [ran.outcome for ran in runs] == ["ok", "ok"], runs[0].msg
    # Lists are read at once, so that the first ones come in any order.
    assert [sorted(ran.calls) for ran in runs] == [sorted(calls) for calls in expected]
