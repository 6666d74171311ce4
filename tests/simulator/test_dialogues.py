"""What a panel as usual answers.

Accounts, hosting plans, domains, certificates, zones and their limits, asked in this process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulator.asking import Asked, with_pem

DIALOGUES: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("dialogues.yml").read_text("utf-8")
)
RECORD = {"host": "@", "ttl": 300, "type": "A", "value": "192.0.2.1"}


@pytest.mark.parametrize("name", DIALOGUES)
def test_a_panel_answers_as_the_dialogue_expects(name: str) -> None:
    dialogue = DIALOGUES[name]
    panel = Asked(dialogue.get("settings", {}), dialogue.get("seed"))
    for step in dialogue["ask"]:
        panel.ask(step)

    finds = {str(path): finding for path, finding in dialogue["finds"].items()}

    assert {path: panel.get_value(path) for path in finds} == with_pem(finds)


@pytest.mark.parametrize("password", [{}, {"password": None}, {"password": ""}])
def test_a_password_that_is_not_given_is_generated_and_returned_once(
    password: dict[str, Any],
) -> None:
    panel = Asked({})
    panel.ask({"post": "/clients", "body": {"username": "acme", **password}})

    entry = panel.panel.store.get("clients", 2)

    assert entry is not None
    assert len(entry.hidden["password"]) >= 12
    assert panel.get_value("json.password") == entry.hidden["password"]

    panel.ask({"get": "/clients/2"})
    assert panel.get_value("json.password") == "MISSING"


@pytest.mark.parametrize(
    ("limit", "path", "first", "second"),
    [
        ("domains", "/domains", {"domain": "one.example"}, {"domain": "two.example"}),
        ("subdomains", "/domains", {"domain": "a.acme.example"}, {"domain": "b.acme.example"}),
        ("email_accounts", "/emails", {"email": "a@acme.example"}, {"email": "b@acme.example"}),
        ("databases", "/databases", {"database_name": "a"}, {"database_name": "b"}),
        ("ftp_users", "/ftp-users", {"username": "a"}, {"username": "b"}),
        (
            "scheduled_tasks",
            "/scheduled-tasks",
            {"type": "exec", "command": "a"},
            {"type": "exec", "command": "b"},
        ),
    ],
)
def test_limits_of_clients_hold_unless_the_api_option_lifts_them(
    limit: str, path: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    # The seed's own domain counts for the limit of domains.
    plan = {"name": "Small", "resources": {limit: 2 if limit == "domains" else 1}}
    clients = [{"username": "acme", "hosting_plan": "Small"}]
    panel = Asked(
        {},
        {
            "plans": [plan],
            "clients": clients,
            "domains": [{"domain": "acme.example", "client": "acme"}],
        },
    )
    owner = {"id_user": 2, **({"id_parent_domain": 1} if limit == "subdomains" else {})}
    panel.ask({"post": path, "body": {**owner, **first}})

    panel.ask({"post": path, "body": {**owner, **second}})

    assert panel.get_value("json.message").startswith(
        f"The limit of the client acme for {limit} is reached: "
    )

    panel.ask(
        {"settings": {"ignore_account_limits": True}, "post": path, "body": {**owner, **second}}
    )

    assert panel.get_value("statuses") == [201, 400, 201]


def test_the_selector_shows_in_the_dkim_record_and_the_placeholder_is_replaced() -> None:
    panel = Asked({}, DIALOGUES["the default zone has what a domain needs"]["seed"])
    panel.ask({"put": "/domains/1", "body": {"dkim_selector": "s2026"}})

    panel.ask({"get": "/dns/1"})
    *_earlier, last = panel.get_value("json.records.other")

    assert (last["host"], panel.get_value("json.dkim_record")) == (
        "s2026._domainkey",
        f"s2026._domainkey IN TXT ( {last['value']} )",
    )

    record = {**RECORD, "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}
    panel.ask(
        {
            "put": "/dns/1",
            "body": {"records": {"soa": panel.get_value("json.records.soa"), "other": [record]}},
        }
    )

    panel.ask({"get": "/dns/1"})

    assert panel.get_value("json.records.other") == [{**record, "value": last["value"]}]


@pytest.mark.parametrize(
    ("change", "member"),
    [
        *(({"ttl": ttl}, "ttl") for ttl in (0, "x", 1.5, None)),
        *(({"type": kind}, "type") for kind in ("a", "SOA", None)),
        *(({"host": host}, "host") for host in ("www.acme.example.", "a b", 5)),
        *(({"value": value}, "value") for value in ("", "192.0.2.256", "2001:db8::1")),
        ({"type": "AAAA"}, "value"),
        *(
            ({"type": "MX", "value": value}, "value")
            for value in ("mail.acme.example.", "x mail.acme.example.")
        ),
        ({"type": "SRV", "value": "1 2 3"}, "value"),
        ({"type": "CNAME", "value": "no name"}, "value"),
    ],
)
def test_a_wrong_record_is_refused_by_its_place(change: dict[str, Any], member: str) -> None:
    panel = Asked(
        {"scalars": "refused"}, DIALOGUES["the default zone has what a domain needs"]["seed"]
    )
    panel.ask({"get": "/dns/1"})
    records = {"soa": panel.get_value("json.records.soa"), "other": [RECORD, {**RECORD, **change}]}

    panel.ask({"put": "/dns/1", "body": {"records": records}})

    assert panel.get_value("json.message").startswith(f"records.other[1].{member}: ")

    panel.ask({"get": "/dns/1"})
    assert panel.get_value("json.is_custom_dns") is False


@pytest.mark.parametrize("step", [{"post": "/clients"}, {"put": "/admins/1"}], ids=["POST", "PUT"])
@pytest.mark.parametrize("body", [[], "text", 1, None, True])
def test_a_body_that_is_no_object_is_400(body: object, step: dict[str, str]) -> None:
    panel = Asked({})
    panel.ask({**step, "body": body})

    assert panel.get_value("json.message") == "The request body must be a JSON object."
