# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input is answered with one clear sentence that names the option or object, before any write, the same in both ways."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, MODULE, PRELOADED, WAYS, Recording, Run, play, run_playbook, task
from tests.support.simulator import API_KEY, Simulator

SEED = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "email": "it@acme.example"}, {"username": "globex"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "globex.example", "client": "globex"},
    ],
    "emails": [{"email": "info@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
}
FRESH = [["POST", "/reset", None], ["POST", "/seed", SEED]]
NO_REQUEST = 0


@dataclass(frozen=True)
class Case:
    """A mistake. ``words`` must be in the message; ``requests``: how many may be sent; ``before``: what is done to the panel first."""

    name: str
    module: str
    options: dict[str, Any]
    words: tuple[str, ...]
    requests: int = NO_REQUEST
    before: tuple[Any, ...] = ()
    keywords: dict[str, Any] = dataclass_field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        return task(self.name, self.module, self.options, [*FRESH, *self.before], **self.keywords)


def fault(**described: Any) -> tuple[Any, ...]:
    """A fault that the simulator strikes every request with."""
    return (["POST", "/faults", {"times": 0, **described}],)


def record(**members: Any) -> dict[str, Any]:
    """Options of panel_dns with one record."""
    return {"domain": "acme.example", "records": [members]}


NAMED = {"username": "acme"}
MAIL = {"email": "info@acme.example"}
WRONG_VALUES = [
    Case("a word for a switch", "panel_client", {**NAMED, "is_suspended": "perhaps"}, ("is_suspended", "bool")),
    Case("a word for an id", "panel_client", {"id": "the first"}, ("id", "int")),
    Case("an id below one", "panel_client", {"id": 0}, ("id:", "0", "whole numbers from 1")),
    Case("an unknown state", "panel_client", {**NAMED, "state": "gone"}, ("state", "gone", "present", "absent")),
    Case("an unknown choice", "panel_plan", {"name": "B", "php_fpm": {"pm": "often"}}, ("pm", "often", "ondemand")),
    Case("an unknown option", "panel_client", {**NAMED, "nickname": "x"}, ("nickname", "panel_client")),
    Case("an unknown member", "panel_client", {**NAMED, "contact_data": {"fax": "1"}}, ("contact_data", "fax")),
    Case("a text for a dictionary", "panel_client", {**NAMED, "contact_data": "Berlin"}, ("contact_data:", "dict")),
    Case(
        "a key for a dictionary",
        "panel_certificate",
        {"name": "c", "components": "-----BEGIN PRIVATE KEY-----"},
        ("components:", "dictionary"),
    ),
    Case("decimal bytes", "panel_email", {**MAIL, "max_size": "1.5G"}, ("max_size:", "'1.5G'", "decimals are not")),
    Case("decimal number of bytes", "panel_email", {**MAIL, "max_size": 1.5}, ("max_size:", "1.5", "whole number")),
    Case("an unknown unit", "panel_email", {**MAIL, "max_size": "1GB"}, ("max_size:", "'1GB'", "K, M, G, T or P")),
    Case(
        "a count below minus one",
        "panel_plan",
        {"name": "B", "resources": {"domains": -2}},
        ("resources.domains:", "-2", "-1 for unlimited"),
    ),
    Case("an address without a domain", "panel_email", {"email": "info"}, ("email:", "'info'", "e-mail address")),
    Case("an address with a space", "panel_email", {"email": "in fo@acme.example"}, ("email:", "e-mail address")),
    Case("a malformed alias", "panel_email", {**MAIL, "aliases": ["@x"]}, ("aliases", "'@x'", "e-mail address")),
    Case("a malformed domain", "panel_domain", {"domain": "acme example"}, ("domain:", "domain name")),
    Case("a domain of one label", "panel_domain", {"domain": "acme"}, ("domain:", "'acme'", "domain name")),
    Case("a word for a day", "panel_client", {**NAMED, "suspend_on": "soon"}, ("suspend_on:", "'soon'", "YYYY-MM-DD")),
    Case("a day that is none", "panel_client", {**NAMED, "delete_on": "2027-02-30"}, ("delete_on:", "YYYY-MM-DD")),
    Case(
        "no PEM",
        "panel_certificate",
        {"name": "c", "components": {"certificate": "secret-looking"}},
        ("components.certificate:", "BEGIN CERTIFICATE"),
    ),
    Case("an empty plan group", "panel_plan", {"name": "B", "resources": {}}, ("resources:", "empty dictionary")),
    Case("an empty name", "panel_client", {"username": ""}, ("username:", "name of a client")),
    Case("an empty password", "panel_client", {**NAMED, "password": ""}, ("password:", "regenerate_password: true")),
    Case("a record without a value", "panel_dns", record(host="www", type="A"), ("records[0].value:", "missing")),
    Case(
        "a record with a mistyped member",
        "panel_dns",
        record(host="www", type="A", val="192.0.2.1"),
        ("records[0].val:", "no such member"),
    ),
    Case(
        "an address that is none",
        "panel_dns",
        record(host="www", type="A", value="192.0.2.256"),
        ("records[0].value:", "192.0.2.256"),
    ),
    Case(
        "a host in another zone",
        "panel_dns",
        record(host="www.globex.example.", type="A", value="192.0.2.1"),
        ("records[0].host:", "does not lie in the zone"),
    ),
    Case("an unknown method", "panel_api", {"method": "PATCH", "path": "/clients"}, ("method", "PATCH", "PUT")),
    Case(
        "a month that is none", "panel_client_info", {"include": ["traffic"], "month": "13/2026"}, ("month:", "YYYY-MM")
    ),
    Case("an unknown order", "panel_client_info", {"sort": "colour"}, ("sort", "colour", "username")),
]
WRONG_COMBINATIONS = [
    Case("no key", "panel_client", {"email": "a@acme.example"}, ("id", "username", "required")),
    Case("key and id", "panel_client", {**NAMED, "id": 3}, ("mutually exclusive", "id", "username")),
    Case(
        "client and id_user",
        "panel_database",
        {"database_name": "d", "client": "acme", "id_user": 3},
        ("mutually exclusive", "client", "id_user"),
    ),
    Case(
        "certificate and id_certificate",
        "panel_domain",
        {"domain": "acme.example", "security": {"certificate": "c", "id_certificate": 1}},
        ("mutually exclusive", "certificate", "id_certificate", "security"),
    ),
    Case(
        "Let's Encrypt and a certificate",
        "panel_domain",
        {"domain": "acme.example", "security": {"certificate": "c", "lets_encrypt": True}},
        ("security.", "excludes"),
    ),
    Case(
        "password and hash",
        "panel_client",
        {**NAMED, "password": "x", "password_hash": "y", "password_hash_os": "z"},
        ("mutually exclusive", "password", "password_hash"),
    ),
    Case(
        "hash without the hash of the operating system",
        "panel_client",
        {**NAMED, "password_hash": "y"},
        ("password_hash_os", "password_hash", "together"),
    ),
    Case("an option in extra", "panel_client", {**NAMED, "extra": {"notes": "x"}}, ("extra:", "notes")),
    Case(
        "one part of a composite key",
        "panel_directory_protection",
        {"client": "acme", "username": "guest"},
        ("path:", "missing", "client + path + username"),
    ),
    Case(
        "records and is_dns_disabled",
        "panel_dns",
        {**record(host="www", type="A", value="192.0.2.1"), "is_dns_disabled": True},
        ("is_dns_disabled:", "records"),
    ),
    Case(
        "records and the default zone",
        "panel_dns",
        {**record(host="www", type="A", value="192.0.2.1"), "state": "default"},
        ("records:", "state: default"),
    ),
]
WRONG_OBJECTS = [
    Case(
        "an unknown client",
        "panel_domain",
        {"domain": "new.example", "client": "nobody"},
        ("client:", "no client nobody", "Nothing was written"),
        requests=2,
    ),
    Case(
        "an unknown plan",
        "panel_client",
        {**NAMED, "hosting_plan": "Golden"},
        ("hosting_plan:", "no hosting plan Golden", "Nothing was written"),
        requests=2,
    ),
    Case(
        "an unknown certificate",
        "panel_domain",
        {"domain": "acme.example", "security": {"certificate": "none"}},
        ("security.certificate:", "no certificate none", "Nothing was written"),
        requests=2,
    ),
    Case(
        "an address below no domain of the panel",
        "panel_email",
        {"email": "info@elsewhere.example"},
        ("email: there is no domain elsewhere.example on this panel", "Nothing was written"),
        requests=2,
    ),
    Case(
        "an unknown id",
        "panel_client",
        {"id": 4711, "notes": "x"},
        ("id:", "4711", "Nothing was written"),
        requests=1,
    ),
    Case("no owner for a new domain", "panel_domain", {"domain": "new.example"}, ("client:", "missing"), requests=1),
    Case(
        "another owner",
        "panel_database",
        {"database_name": "acme_shop", "client": "globex"},
        ("client:", "acme_shop exists with the client acme", "wants the client globex", "Nothing was written"),
        # The third looks up whose it is.
        requests=3,
    ),
    Case(
        "a subdomain's zone",
        "panel_dns",
        {"domain": "shop.acme.example", "records": [{"host": "@", "type": "A", "value": "192.0.2.1"}]},
        ("domain:", "shop.acme.example", "not a main domain", "Nothing was written"),
        requests=2,
    ),
    Case(
        "the zone of no domain",
        "panel_dns",
        {"domain": "elsewhere.example", "state": "default"},
        ("domain:", "elsewhere.example", "Nothing was written"),
        requests=2,
    ),
    Case(
        "records on a disabled zone",
        "panel_dns",
        record(host="www", type="A", value="192.0.2.1"),
        ("acme.example", "is_dns_disabled: false", "Nothing was written"),
        requests=2,
        before=(["POST", "/seed", {"dns": [{"domain": "acme.example", "is_dns_disabled": True}]}],),
    ),
    Case(
        "the last main admin",
        "panel_admin",
        {"id": 1, "state": "absent"},
        ("last one", "Nothing was written"),
        requests=2,
    ),
    Case(
        "what the panel refuses",
        "panel_client",
        {**NAMED, "language": "xx"},
        ("PUT /clients/", "400", "language", "Nothing was written"),
        requests=2,
    ),
]
WRONG_CONNECTIONS = [
    Case("no address", "panel_ping", {"api_url": ""}, ("api_url:", "is empty", "PANEL_API_URL")),
    Case("no key for the API", "panel_ping", {"api_key": ""}, ("api_key:", "is empty", "PANEL_API_KEY")),
    Case("a key with a line end", "panel_ping", {"api_key": "abc\n"}, ("api_key:", "copy the key again")),
    Case("http on the way", "panel_ping", {"api_url": "http://192.0.2.1"}, ("api_url:", "https://", "API key")),
    Case("another protocol", "panel_ping", {"api_url": "ftp://192.0.2.1"}, ("api_url:", "ftp://", "https://")),
    Case("another path", "panel_ping", {"api_url": "https://192.0.2.1/panel"}, ("api_url:", "/panel", "/api/v2")),
    Case("a name in the address", "panel_ping", {"api_url": "https://a:b@192.0.2.1"}, ("api_url:", "user name")),
    Case("no such file of authorities", "panel_ping", {"ca_path": "/nonexistent/ca.pem"}, ("ca_path:", "/nonexistent")),
    Case("no time", "panel_ping", {"timeout": 0}, ("timeout:", "must be 1 to 86400 seconds, not 0.")),
    Case("a negative time", "panel_ping", {"retry_time": -1}, ("retry_time:", "must be 0 to 86400 seconds, not -1.")),
    Case("a time without an end", "panel_ping", {"timeout": 99999999999}, ("timeout: must be 1 to 86400 seconds",)),
    Case(
        "a wait without an end",
        "panel_email",
        {"email": "info@acme.example", "wait": True, "wait_timeout": 99999999999},
        ("wait_timeout: must be 0 to 86400 seconds, not 99999999999.",),
    ),
    Case(
        "a wait for a reboot without an end",
        "panel_reboot",
        {"wait_timeout": 86401},
        ("wait_timeout: must be 1 to 86400 seconds, not 86401.",),
    ),
    Case(
        "nobody listens",
        "panel_client_info",
        {"api_url": "http://127.0.0.1:9", "retry_time": 0},
        ("GET /clients", "127.0.0.1:9", "Check api_url"),
    ),
    Case(
        "API switched off",
        "panel_client",
        {**NAMED, "notes": "x"},
        ("403", "API is switched off", "Configuration, API"),
        requests=1,
        before=(["POST", "/settings", {"api_enabled": False}],),
    ),
    Case("a wrong key", "panel_client", {**NAMED, "api_key": "wr0ng.key"}, ("401", "Check api_key"), requests=1),
    Case(
        "HTML with status 200",
        "panel_client",
        {**NAMED, "notes": "x"},
        ("GET /clients/name/acme", "not JSON", "api_url"),
        requests=1,
        before=fault(kind="html_200"),
    ),
    Case(
        "HTML with status 404",
        "panel_client",
        {**NAMED, "state": "absent"},
        ("GET /clients/name/acme", "404", "api_url"),
        requests=1,
        before=fault(kind="status", status=404),
    ),
    Case(
        "a redirect",
        "panel_client",
        {**NAMED, "notes": "x"},
        ("redirects to", "elsewhere.example", "api_url"),
        requests=1,
        before=fault(kind="redirect"),
    ),
    Case(
        "a list where an object belongs",
        "panel_client",
        {**NAMED, "notes": "x"},
        ("GET /clients/name/acme", "did not answer with an object", "Nothing was written"),
        requests=1,
        before=fault(kind="body", body=[], status=200),
    ),
]
CASES = [*WRONG_VALUES, *WRONG_COMBINATIONS, *WRONG_OBJECTS, *WRONG_CONNECTIONS]
# Whatever Ansible itself refuses, and of what the core refuses, which is the same code in both ways, some of each.
SLOW_CASES = [*WRONG_VALUES[:10], *WRONG_COMBINATIONS, *WRONG_OBJECTS[::3], *WRONG_CONNECTIONS[::2]]
BY_WAY = {IN_PROCESS: CASES, MODULE: SLOW_CASES}
GRID = [pytest.param(way, case, id=f"{case.name}, {way}") for way in WAYS for case in BY_WAY[way]]


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The run in each way."""
    folder = tmp_path_factory.mktemp("mistakes")
    return {
        way: play([case.task() for case in cases], simulator, folder / way, way, variables=PRELOADED)
        for way, cases in BY_WAY.items()
    }


def assert_is_one_clear_sentence(recording: Recording, words: tuple[str, ...]) -> None:
    """The task failed with a message of one paragraph that has these words, and without a trace of the code."""
    assert recording.outcome == "failed"
    message = recording.msg
    assert [word for word in words if word not in message] == [], message
    assert "\n" not in message
    assert len(message) < 700
    assert "Traceback" not in str(recording.result)
    assert API_KEY not in str(recording.result)
    assert "PRIVATE KEY-----" not in str(recording.result)
    assert "defect" not in message


@pytest.mark.parametrize(("way", "case"), GRID)
def test_a_mistake_is_answered_with_one_sentence_before_any_write(runs: dict[str, Run], case: Case, way: str) -> None:
    recording = runs[way][case.name]
    assert_is_one_clear_sentence(recording, case.words)
    assert not recording.changed
    assert recording.writes == [write for write in recording.writes if write["status"] == 400]
    assert len(recording.requests) <= case.requests, recording.calls


@pytest.mark.parametrize("case", SLOW_CASES, ids=lambda case: case.name)
def test_both_ways_say_the_same(runs: dict[str, Run], case: Case) -> None:
    here, there = (runs[way][case.name] for way in WAYS)
    assert without_choices(here.result) == without_choices(there.result)
    assert here.calls == there.calls


def without_choices(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the forms of switches, which Ansible lists in another order in every process."""
    return {**result, "msg": result["msg"].partition("Valid booleans include")[0]}


LOOP = task("a loop", "panel_client", {"username": "{{ item }}", "api_key": "wr0ng.key"}, FRESH, loop=[*"abcde"])


@pytest.mark.parametrize("way", WAYS)
def test_an_address_that_is_none_is_named_in_check_mode_too(simulator: Simulator, tmp_path: Path, way: str) -> None:
    options: dict[str, Any] = {"kind": "plans", "options": {"name": "Business"}}
    tasks = [
        task(f"{module} {address}", module, {**more, "api_url": address}, ignore_errors=True)
        for module, more in {"panel_ping": {}, "panel_object": options}.items()
        for address in ("https://[::1", "https://[x]")
    ]
    run = play(tasks, simulator, tmp_path, way, ["--check"])
    for recording in run.recordings:
        assert recording.msg.startswith("api_url: is not an address; use https://HOST"), recording.name


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_key_reaches_the_panel_once_in_a_loop_of_five(simulator: Simulator, tmp_path: Path, way: str) -> None:
    recording = play([LOOP], simulator, tmp_path, way)["a loop"]
    assert len(recording.requests) == 1
    assert len(recording.result["results"]) == 5
    assert all("Check api_key" in item["msg"] for item in recording.result["results"])


def test_a_target_without_requests_says_what_to_install(simulator: Simulator, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True, timeout=60)
    python = str(tmp_path / "bare" / "bin" / "python")
    tasks = [task("bare", "panel_ping"), task("with a mistake too", "panel_client", {"id": 0})]
    run = play(tasks, simulator, tmp_path / "run", MODULE, interpreter=python)
    words = ("requests", python, "ansible_python_interpreter")
    assert_is_one_clear_sentence(run["bare"], words)
    assert_is_one_clear_sentence(run["with a mistake too"], ("id:",))


def test_a_mistake_in_the_environment_is_one_too(simulator: Simulator, tmp_path: Path) -> None:
    variables = {"PANEL_API_URL": "http://192.0.2.1", "PANEL_API_KEY": "some.key"}
    run = play([task("environment", "panel_ping")], None, tmp_path, IN_PROCESS, variables=variables)
    assert_is_one_clear_sentence(run["environment"], ("api_url:", "https://"))


WRONG_VARIABLES = [
    ({"PANEL_TIMEOUT": "abc"}, ("timeout: must be a whole number.", "PANEL_TIMEOUT in the environment")),
    ({"PANEL_RETRY_TIME": "inf"}, ("retry_time: must be a whole number.", "PANEL_RETRY_TIME in the environment")),
    ({"PANEL_TIMEOUT": "nan"}, ("timeout: must be a whole number.", "PANEL_TIMEOUT in the environment")),
    ({"PANEL_RETRY_TIME": "1.5"}, ("retry_time: must be a whole number.", "PANEL_RETRY_TIME in the environment")),
    (
        {"PANEL_VALIDATE_CERTS": "perhaps"},
        ("validate_certs: must be true or false.", "PANEL_VALIDATE_CERTS in the environment"),
    ),
    ({"PANEL_TIMEOUT": "0"}, ("timeout: must be 1 to 86400 seconds, not 0.", "PANEL_TIMEOUT in the environment")),
    ({"PANEL_CA_PATH": "/nowhere"}, ("ca_path: there is no file /nowhere", "PANEL_CA_PATH in the environment")),
    ({"PANEL_API_KEY": "a.b "}, ("api_key: holds white space", "PANEL_API_KEY in the environment")),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_mistake_in_a_variable_of_the_environment_names_the_variable(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    here = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key}
    tasks = [
        task(str(number), "panel_ping", environment=given) for number, (given, _words) in enumerate(WRONG_VARIABLES)
    ]
    run = play(tasks, None, tmp_path, way, variables=here)
    for number, (_given, words) in enumerate(WRONG_VARIABLES):
        assert_is_one_clear_sentence(run[str(number)], words)


@pytest.mark.parametrize(("given", "words"), WRONG_VARIABLES[:5] + WRONG_VARIABLES[6:7])
def test_the_lookup_names_the_variable_too(
    simulator: Simulator, tmp_path: Path, given: dict[str, str], words: tuple[str, ...]
) -> None:
    one = {"name": "lookup", "ansible.builtin.debug": {"msg": "{{ lookup('hosting.panel.panel_login_url', 'acme') }}"}}
    here = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key, **given}
    run = play([one], None, tmp_path, IN_PROCESS, variables=here)
    assert run["lookup"].outcome == "failed"
    assert next(iter(given)) in run["lookup"].msg, run["lookup"].msg


NESTED = '{"a": ' * 900 + "1" + "}" * 900
# A byte of the environment that is no UTF-8.
HALF = "{{ lookup('ansible.builtin.env', 'HALF') }}"
# What playbooks can say and no request can hold. Of what is no text, Ansible itself refuses so many levels.
UNUSABLE: dict[str, tuple[dict[str, Any], str, str]] = {
    "nested": (
        {"extra": json.loads(NESTED[:360] + "1" + "}" * 60)},
        "extra.a.a.a",
        "is nested more than 50 levels deep",
    ),
    "nested in a text": ({"extra": NESTED}, "extra.a.a.a", "is nested more than 50 levels deep"),
    "half of a character": ({"notes": HALF}, "notes: ", "lone surrogate"),
    "half of a character deep inside": ({"extra": {"a": ["x", {"b": HALF}]}}, "extra.a[1].b: ", "lone surrogate"),
    "half of a character in a text": ({"extra": '{"a": "\\ud83d"}'}, "extra.a: ", "lone surrogate"),
    "half of a character in a name in a text": ({"extra": '{"a\\ud83d": 1}'}, "extra: ", "lone surrogate"),
    "infinite": ({"extra": '{"a": Infinity}'}, "extra.a: ", "infinite"),
    "no number": ({"extra": '{"a": [NaN]}'}, "extra.a[0]: ", "none at all"),
    "huge": ({"extra": {"a": 10**20}}, "extra.a: ", "larger than 9223372036854775807"),
    "nul": ({"notes": "a\0b"}, "notes: ", "NUL"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_no_request_can_hold_is_refused_with_the_name_of_the_option(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    tasks = [task(name, "panel_client", {**NAMED, **options}) for name, (options, _place, _words) in UNUSABLE.items()]
    run = play(tasks, simulator, tmp_path, way, variables={"HALF": "a\udcff"})
    for name, (_options, place, words) in UNUSABLE.items():
        assert_is_one_clear_sentence(run[name], (place, words, "Nothing was sent."))
        assert run[name].result["error"]["type"] == "OptionError"
        assert run[name].calls == []


@pytest.mark.parametrize("way", WAYS)
def test_what_only_yaml_can_say_is_refused(simulator: Simulator, tmp_path: Path, way: str) -> None:
    no_text = "extra.a[0]: has a member whose name is no text; put the name in quotes. Nothing was sent."
    infinite = "extra.a[0]: holds a number that is infinite, or none at all"
    values = dict.fromkeys(("{null: x}", "{true: x}", "{1.5: x}", "{2026-01-01: x}"), no_text)
    values |= {".inf": infinite, "-.inf": infinite, ".nan": infinite}
    address = f"api_url: '{simulator.url}', api_key: {simulator.api_key}"
    lines = ["- hosts: localhost", "  gather_facts: false", "  ignore_errors: true", "  tasks:"]
    for value in values:
        lines += [f"    - name: '{value}'"]
        lines += [f"      hosting.panel.panel_client: {{{address}, username: acme, extra: {{a: [{value}]}}}}"]
    playbook = tmp_path / "names.yml"
    playbook.write_text("\n".join([*lines, ""]), encoding="utf-8")
    run = run_playbook(playbook, simulator, tmp_path / "run", way)
    for value, words in values.items():
        assert_is_one_clear_sentence(run[value], (words,))
        assert run[value].calls == []
