"""Bad input is answered with one clear sentence that names the option or object, before any write.

More is in the tests of each room.
"""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "email": "it@acme.example"}, {"username": "globex"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "globex.example", "client": "globex"},
    ],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
}
RECORD = {"host": "www", "type": "A", "value": "192.0.2.1"}
# Module, options, words of the message.
MISTAKES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("client", {"username": "acme", "is_suspended": "perhaps"}, ["is_suspended", "true or false"]),
    ("client", {"id": "the first"}, ["id: ", "a whole number"]),
    ("client", {"id": 0}, ["id:", "0", "a whole number from 1"]),
    (
        "client",
        {"id": True, "state": "absent"},
        ["id: True is not accepted; it must be a whole number."],
    ),
    # Python takes them in a number, and nobody else does.
    ("client", {"id": "1_0"}, ["id: '1_0' is not accepted; it must be a whole number."]),
    ("client", {"id": "\u0661"}, ["id: '\u0661' is not accepted; it must be a whole number."]),
    ("client", {"username": "acme", "state": "gone"}, ["state", "gone", "present, absent"]),
    ("plan", {"name": "B", "php_fpm": {"pm": "often"}}, ["pm", "often", "ondemand"]),
    ("client", {"username": "acme", "nickname": "x"}, ["nickname: there is no such option"]),
    ("client", {"username": "acme", "contact_data": {"fax": "1"}}, ["contact_data", "fax"]),
    (
        "email",
        {"email": "a@acme.example", "state": True},
        ["state: True is not accepted; it must be one of present, absent."],
    ),
    (
        "email",
        {"email": "a@acme.example", "state": "prsent"},
        ["it must be one of present, absent; did you mean present?"],
    ),
    (
        "plan",
        {"name": "B", "php_fpm": {"pm": "ondemnd"}},
        ["php_fpm.pm: 'ondemnd' is not accepted", "; did you mean ondemand?"],
    ),
    (
        "email",
        {"email": "a@acme.example", "max_size": True},
        ["max_size: True is not accepted; it must be a whole number of bytes"],
    ),
    (
        "domain",
        {"domain": "acme.example", "delete_on": True},
        ["delete_on: True is not accepted; it must be a date"],
    ),
    (
        "client",
        {"username": "acme", "contact_data": {"country": False}},
        ["contact_data.country:", "in quotes"],
    ),
    (
        "client",
        {"username": "acme", "password": 342391},
        ["password: the given value is a number", "in quotes"],
    ),
    ("client", {"email": "a@acme.example"}, ["username: missing", "id"]),
    ("client", {"username": "acme", "id": 3}, ["id: excludes username"]),
    (
        "client",
        {"username": "acme", "password": "x", "password_hash": "y", "password_hash_os": "z"},
        ["password: excludes password_hash"],
    ),
    (
        "client",
        {"username": "acme", "password": "Secret-1\n"},
        ["password: ends with a line break, as echo adds one"],
    ),
    (
        "client",
        {"username": "acme", "password_hash": "y"},
        ["password_hash_os: missing; it is needed with password_hash"],
    ),
    (
        "client",
        {"username": "Acme", "email": "it", "password": ""},
        ["username: ", "email: 'it'", "password: is empty"],
    ),
    (
        "plan",
        {"name": "B", "resources": {"domains": -2, "traffic": "1X"}},
        ["resources.domains: -2", "resources.traffic:"],
    ),
    (
        "dns",
        {"client": "Acme", "records": [{**RECORD, "ttl": -1}], "soa": {}},
        ["client: ", "records[0].ttl: -1", "soa: "],
    ),
    ("api", {"path": "/%2e%2e/x"}, ["path: '/%2e%2e/x' is not a path below /api/v2"]),
    ("api", {"method": "PATCH", "path": "/clients"}, ["method", "PATCH", "PUT"]),
    ("client_info", {"include": ["traffic"], "month": "13/2026"}, ["month:", "YYYY-MM"]),
    (
        "client_info",
        {"id": "x", "sort": "colour"},
        ["id: 'x'", "sort: 'colour' is not accepted; it must be one of id,"],
    ),
    ("dns", {"records": [{"host": "www", "type": "A"}]}, ["records[0].value:", "missing"]),
    ("dns", {"records": [{**RECORD, "val": "x"}]}, ["records[0].val:", "no such field"]),
    (
        "dns",
        {"records": [{**RECORD, "value": None}], "state": "absent"},
        ["records[0].value: is null", "every record"],
    ),
    (
        "dns",
        {"records": [{"host": " ", "type": "A"}], "state": "absent"},
        ["records[0].host: is empty; use @ for the domain itself."],
    ),
    (
        "dns",
        {"records": [], "purge": True, "protect": ["TXT www"]},
        ["protect[0]: 'TXT www' is not accepted: 'www' is no type"],
    ),
    (
        "dns",
        {"records": [], "purge": True, "protect": None},
        ["protect: is null, which would protect nothing"],
    ),
    (
        "dns",
        {"records": [{**RECORD, "value": "192.0.2.256"}]},
        ["records[0].value:", "192.0.2.256"],
    ),
    (
        "dns",
        {"records": [{**RECORD, "host": "www.globex.example."}]},
        ["records[0].host:", "does not lie in the zone"],
    ),
    ("dns", {"records": [RECORD], "is_dns_disabled": True}, ["is_dns_disabled:", "records"]),
    ("dns", {"records": [RECORD], "state": "default"}, ["records:", "state: default"]),
    (
        "dns",
        {"records": [], "purge": True, "max_delete_percent": None},
        ["max_delete_percent: is null; give a value, or omit"],
    ),
    (
        "export",
        {"dir": "/dev/null/x", "clients": ""},
        ["clients: a name is empty; give usernames, or omit clients"],
    ),
    ("export", {"dir": "/dev/null/x", "clients": ["acme", " "]}, ["clients: a name is empty"]),
    (
        "export",
        {"dir": "/dev/null/x", "rebuild": None},
        ["rebuild: is null; give a value, or omit"],
    ),
    ("resources_info", {"clients": ""}, ["clients: a name is empty"]),
    ("resources_info", {"kinds": ""}, ["kinds[0]: '' is not accepted; it must be one of plans, "]),
    (
        "resources",
        {"resources": {"clients": []}, "expected_checksum": None},
        ["expected_checksum: is null"],
    ),
    (
        "archive",
        {"username": "acme", "dir": "/dev/null/x", "expected": None},
        ["expected: is null, which would archive the client"],
    ),
    (
        "export",
        {"dir": "/dev/null/x", "clients": None},
        ["clients: is null, which would read every client; omit it"],
    ),
    (
        "resources_info",
        {"clients": None},
        ["clients: is null, which would read every client; omit it"],
    ),
    ("resources_info", {"kinds": None}, ["kinds: is null, which would read every type; omit it"]),
    *(
        (
            f"{kind.singular}_info",
            {name: None},
            [f"{name}: is null, which would read all {kind.titles}; omit it"],
        )
        for kind in TABLES.values()
        for name in ("id", *kind.key_options)
    ),
    (
        "ping",
        {"api_url": "https://[::1"},
        ["api_url: 'https://[:…' is not the address of a panel; use https://HOST"],
    ),
    ("ping", {"api_key": "abc\n"}, ["api_key:", "copy it again"]),
    ("ping", {"timeout": 99999999999}, ["timeout: must be 1 to 86400 seconds"]),
    ("ping", {"retry_time": -1}, ["retry_time: must be 0 to 86400 seconds, not -1."]),
    (
        "email",
        {"email": "a@acme.example", "wait": True, "wait_timeout": 99999999999},
        ["wait_timeout: must be 0 to"],
    ),
    ("reboot", {"wait_timeout": 86401}, ["wait_timeout: must be 1 to 86400 seconds, not 86401."]),
    ("email", {"email": "info@acme.example", "aliases": [None]}, ["aliases"]),
    (
        "resources",
        {"resources": {"emails": [{"email": "a@acme.example", "aliases": [None]}]}},
        ["aliases[0]: null is not"],
    ),
    # What no request can hold.
    ("client", {"username": "acme", "notes": "a\udcff"}, ["notes: ", "lone surrogate"]),
    (
        "client",
        {"username": "acme", "extra": {"a": ["x", {"b": "\udcff"}]}},
        ["extra.a[1].b: ", "lone surrogate"],
    ),
    ("client", {"username": "acme", "extra": '{"a\\ud83d": 1}'}, ["extra: ", "lone surrogate"]),
    (
        "client",
        {"username": "acme", "extra": {"a": [float("nan")]}},
        ["extra.a[0]: ", "infinite, or none at all"],
    ),
    (
        "client",
        {"username": "acme", "extra": {"a": [{datetime.date(2026, 1, 1): "x"}]}},
        ["extra.a[0]: ", "in quotes"],
    ),
    ("client", {"username": "acme", "notes": "a\0b"}, ["notes: ", "NUL"]),
    ("client", {"username": "acme", "extra": {"a": [{"b\0c": 1}]}}, ["extra.a[0]: ", "NUL"]),
    ("client", {"username": "acme", "extra": {"********": 1}}, ["extra: ", "instead of a secret"]),
]
# The same for what is known after a look at the panel.
OBJECTS: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "client",
        {"username": "acme", "hosting_plan": "Golden"},
        ["hosting_plan:", "no hosting plan Golden"],
    ),
    (
        "email",
        {"email": "a@elsewhere.example"},
        ["email: there is no domain elsewhere.example on this panel"],
    ),
    ("domain", {"domain": "new.example"}, ["client:", "missing"]),
    (
        "database",
        {"database_name": "acme_shop", "client": "globex"},
        ["acme_shop exists with the client acme"],
    ),
    (
        "dns",
        {"domain": "shop.acme.example", "records": [RECORD]},
        ["domain:", "shop.acme.example", "not a main"],
    ),
    ("dns", {"domain": "elsewhere.example", "state": "default"}, ["domain:", "elsewhere.example"]),
    ("admin", {"id": 1, "state": "absent"}, ["last one"]),
]
VARIABLES = [
    *(
        ("PANEL_RETRY_TIME", text, f"'{text}' is not accepted; it must be a whole number")
        for text in ("soon", "nan")
    ),
    ("PANEL_TIMEOUT", " INF", "timeout: ' INF' is not accepted; it must be a whole number."),
    ("PANEL_VALIDATE_CERTS", "perhaps", "validate_certs: "),
    ("PANEL_CA_PATH", "/nowhere", "ca_path: there is no file /nowhere"),
    ("PANEL_TIMEOUT", "0", "timeout: must be 1 to 86400 seconds, not 0."),
]


def check(result: dict[str, Any], expected: list[str]) -> None:
    """Assert that a task failed with one sentence that has some texts."""
    message = result["msg"]
    assert result["failed"]
    assert [text for text in expected if text not in message] == [], message
    assert "\n" not in message
    assert "Traceback" not in str(result)


@pytest.mark.parametrize(
    ("module", "options", "expected"),
    MISTAKES,
    ids=[f"{module}: {expected[0]}" for module, _options, expected in MISTAKES],
)
def test_a_mistake_is_answered_with_one_sentence_before_any_request(
    in_memory: Any, module: str, options: dict[str, Any], expected: list[str]
) -> None:
    panel = in_memory(SEED)
    zone = {"domain": "acme.example"} if module == "dns" else {}
    check(panel.run(f"panel_{module}", **zone, **options), expected)
    assert panel.log == []


@pytest.mark.parametrize(
    ("module", "options", "expected"),
    OBJECTS,
    ids=[f"{module}: {expected[0]}" for module, _options, expected in OBJECTS],
)
def test_what_the_panel_does_not_have_is_named_before_any_write(
    in_memory: Any, module: str, options: dict[str, Any], expected: list[str]
) -> None:
    panel = in_memory(SEED)
    check(panel.run(f"panel_{module}", **options), expected)
    assert panel.writes == []


@pytest.mark.parametrize(("name", "value", "expected"), VARIABLES)
def test_a_mistake_in_a_variable_of_the_environment_names_the_variable(
    in_memory: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    check(in_memory(SEED).run("panel_ping"), [expected, f"{name} in the environment"])
