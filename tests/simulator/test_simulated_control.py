"""The control interface: log, settings, state, seed."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.support.simulator import Simulator

RECORD = {"host": "@", "type": "A", "ttl": 60, "value": "192.0.2.1"}


def test_the_log_has_every_request_as_it_was_sent(simulator: Simulator) -> None:
    number = simulator.get_last_number()
    simulator.request("GET", "/clients?sort=id&order=desc")
    simulator.request("POST", "/clients", {"username": "acme", "password": "secret"})
    simulator.request("GET", "/clients/name/a%2Fb")

    entries = simulator.read_log(number)

    assert [entry["number"] for entry in entries] == [number + 1, number + 2, number + 3]

    names = (
        "number",
        "time",
        "connection",
        "method",
        "path",
        "query",
        "target",
        "body",
        "status",
        "fault",
    )

    assert tuple(entries[0]) == names
    assert entries[0]["query"] == {"sort": "id", "order": "desc"}
    assert [entries[1][name] for name in ("method", "path", "status", "fault")] == [
        "POST",
        "/clients",
        201,
        None,
    ]
    assert entries[1]["body"] == {"username": "acme", "password": "secret"}
    assert (entries[2]["path"], entries[2]["target"]) == (
        "/clients/name/a/b",
        "/clients/name/a%2Fb",
    )
    assert len({entry["connection"] for entry in entries}) == 1
    assert simulator.read_log(number + 2) == entries[2:]
    assert simulator.list_writes(number) == [entries[1]]


def test_the_key_is_not_in_the_log(simulator: Simulator) -> None:
    simulator.request(
        "POST",
        f"/clients?key={simulator.api_key}",
        {"username": "acme", "notes": f"key {simulator.api_key}"},
    )
    text = requests.get(f"{simulator.url}/_simulator/log", timeout=5).text

    assert simulator.api_key not in text
    assert simulator.read_log()[-1]["body"]["notes"] == "key ***"


def test_a_state_can_be_put_back(simulator: Simulator, acme: int) -> None:
    simulator.seed({"dns": [{"domain": "acme.example", "records": [RECORD]}]})
    zone = simulator.request("GET", "/dns/1").json()
    state = simulator.get_state()
    simulator.request("DELETE", f"/clients/{acme}")

    simulator.set_state(state)

    assert simulator.get_state() == state
    assert simulator.request("GET", "/dns/name/acme.example").json() == zone
    assert simulator.request("POST", "/clients", {"username": "acme"}).status_code == 400
    assert simulator.request("POST", "/clients", {"username": "next"}).json()["id"] == acme + 1


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"objects": []},
        {"objects": {"clients": [{}]}},
        {"objects": {"unheard": [{"id": 1, "data": {}}]}},
    ],
)
def test_a_wrong_state_changes_nothing(
    simulator: Simulator, acme: int, state: dict[str, Any]
) -> None:
    before = simulator.get_state()
    with pytest.raises(ValueError, match="This is not what GET /_simulator/state answers"):
        simulator.set_state(state)

    assert simulator.get_state() == before


def test_a_seed_resolves_names_and_takes_read_only_members(
    simulator: Simulator, certificate: dict[str, str]
) -> None:
    counts = simulator.seed(
        {
            "plans": [{"name": "Business", "resources": {"domains": 0}}],
            "admins": [{"username": "ops", "email": "ops@panel.example"}],
            "clients": [
                {
                    "username": "acme",
                    "hosting_plan": "Business",
                    "status": 2,
                    "created_at": "2020-01-01T00:00:00+02:00",
                }
            ],
            "certificates": [{"name": "own", "client": "acme", "components": certificate}],
            "domains": [
                {
                    "domain": "acme.example",
                    "client": "acme",
                    "security": {"certificate": "own", "is_hsts": True},
                    "traffic": 5,
                },
                {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
            ],
            "emails": [{"email": "info@acme.example", "size": 99}],
            "databases": [{"database_name": "acme_shop", "client": "acme"}],
            "ftp-users": [{"username": "acme-web", "client": "acme"}],
            "directory_protections": [{"client": "acme", "path": "/x", "username": "u"}],
            "scheduled_tasks": [{"client": "acme", "type": "exec", "command": "x"}],
            "dns": [
                {
                    "domain": "ACME.example",
                    "soa": {"ttl": 60},
                    "records": {"soa": {"retry": 7}, "other": [RECORD]},
                }
            ],
        }
    )

    assert counts == {
        "hosting_plans": 1,
        "admins": 1,
        "clients": 1,
        "certificates": 1,
        "domains": 2,
        "emails": 1,
        "databases": 1,
        "ftp_users": 1,
        "directory_protections": 1,
        "scheduled_tasks": 1,
        "dns": 1,
    }

    client = simulator.request("GET", "/clients/name/acme").json()
    assert (client["id_hosting_plan"], client["status"], client["created_at"]) == (
        2,
        2,
        "2020-01-01T00:00:00+02:00",
    )

    domain, sub = simulator.request("GET", "/domains").json()
    security = domain["security"]

    assert (
        security["id_certificate"],
        security["is_hsts"],
        domain["traffic"],
        domain["status"],
    ) == (1, True, 5, 1)
    assert sub["id_parent_domain"] == domain["id"]
    assert simulator.request("GET", "/emails/1").json()["size"] == 99

    zone = simulator.request("GET", "/dns/1").json()["records"]
    assert (zone["soa"]["ttl"], zone["soa"]["retry"], len(zone["other"])) == (60, 7, 1)
    assert simulator.list_writes() == []


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ({"unheard": []}, "unheard: unknown kind"),
        ({"clients": {}}, "clients: must be a list."),
        ({"clients": ["acme"]}, r"clients\[0\]: must be an object."),
        ({"clients": [{"username": "a"}, {"username": "B"}]}, r"clients\[1\]: username: may have"),
        (
            {"domains": [{"domain": "x.example", "client": "none"}]},
            r"domains\[0\]: there is no client 'none'.",
        ),
        (
            {"domains": [{"domain": "x.example", "client": "admin"}]},
            r"domains\[0\]: there is no client 'admin'.",
        ),
        (
            {"domains": [{"domain": "x.example", "parent_domain": 5}]},
            r"domains\[0\]: there is no domain 5.",
        ),
        (
            {"emails": [{"email": "x@none.example"}]},
            r"emails\[0\]: id_user: this member is required.",
        ),
        ({"emails": [{}]}, r"emails\[0\]: id_user: this member is required."),
        (
            {"clients": [{"username": "a", "statistics": {"files": "x"}}]},
            r"clients\[0\]: statistics: must be an obj",
        ),
        (
            {"clients": [{"username": "a", "traffic": {"2026-11": 5}}]},
            r"clients\[0\]: traffic: must be months with",
        ),
        ({"dns": [{"domain": "none.example"}]}, r"dns\[0\]: there is no domain 'none.example'."),
        ([], "A seed must be an object of lists by kind."),
    ],
)
def test_a_wrong_seed_names_its_item(simulator: Simulator, seed: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulator.seed(seed)


USE = {
    "statistics": {"disk_space": 700, "files": 12},
    "traffic": {"2026-01": {"http": {"in": 5, "out": 7}}, "2099-01": {"imap": {"out": 3}}},
}


@pytest.mark.parametrize(("month", "total"), [("2026-01", 12), ("2026-02", 0), ("2099-01", 3)])
def test_a_seed_says_how_much_a_client_transfers_in_a_month(
    simulator: Simulator, month: str, total: int
) -> None:
    simulator.seed({"clients": [{"username": "acme", **USE}]})

    answer = simulator.request("GET", f"/clients/name/acme/traffic?month={month}").json()

    assert sum(traffic["in"] + traffic["out"] for traffic in answer.values()) == total


def test_a_seed_says_what_a_client_uses(simulator: Simulator) -> None:
    simulator.seed({"clients": [{"username": "acme", **USE}]})
    stats = simulator.request("GET", "/clients/name/acme/stats").json()

    assert (stats["disk_space"]["value"], stats["files"]["value"], stats["traffic"]["value"]) == (
        700,
        12,
        0,
    )
    assert simulator.request("GET", "/server").json()["resources"] == {
        "traffic": 0,
        "consumed_disk_space": 700,
    }
    assert {"statistics", "traffic"} & simulator.request(
        "GET", "/clients/name/acme"
    ).json().keys() == set()


def test_reset_brings_everything_back(simulator: Simulator, acme: int) -> None:
    start = simulator.change_settings()
    simulator.change_settings({"latency": 1})
    single, [two] = (
        simulator.send_control_request("POST", "/faults", body)
        for body in ({"kind": "reset"}, [{"kind": "reset"}])
    )

    assert two["number"] == single["number"] + 1

    simulator.reset()
    assert (simulator.change_settings(), simulator.list_faults(), simulator.read_log()) == (
        start,
        [],
        [],
    )
    assert simulator.request("GET", "/clients").json() == []
    assert [admin["username"] for admin in simulator.request("GET", "/admins").json()] == ["admin"]
    assert simulator.get_counters()["requests"] == 2
