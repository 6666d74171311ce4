# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin against simulated panels: which hosts, variables and groups, at the cost of how many requests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.inventory.panel import EXAMPLES
from panel_simulator.self_signed import ensure
from tests.support.inventory import Listing, listing, write_source
from tests.support.playbook import IN_PROCESS, run_playbook, surroundings
from tests.support.simulator import Simulator

SEED = {
    "plans": [{"name": "Große Pläne"}, {"name": "Basic", "resources": {"domains": 1}}],
    "clients": [
        {"username": "acme", "hosting_plan": "Große Pläne", "email": "it@acme.example"},
        {"username": "globex", "hosting_plan": "Basic", "is_suspended": True},
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme", "php_version": "8.3"},
        {"domain": "müller.example", "client": "globex"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example", "is_disabled": True},
    ],
}
READS = ["GET /clients", "GET /hosting-plans", "GET /domains"]
NAMES = ["acme.example", "shop.acme.example", "xn--mller-kva.example"]


def connection(simulator: Simulator, **more: str) -> dict[str, str]:
    """One panel in the environment."""
    return {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key, "PANEL_RETRY_TIME": "0", **more}


def calls(simulator: Simulator, since: int) -> list[str]:
    return [f"{entry['method']} {entry['path']}" for entry in simulator.log(since)]


@pytest.fixture(scope="module", autouse=True)
def seeded(simulator: Simulator) -> None:
    simulator.seed(SEED)


@pytest.fixture(scope="module")
def domains(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Listing:
    folder = tmp_path_factory.mktemp("domains")
    options = {
        "keyed_groups": [{"key": "panel_php_version", "prefix": "php", "default_value": "default"}],
        "groups": {"without_https": "not panel_security.is_prefer_https"},
        "compose": {"contact": "panel_client_email | upper"},
        "strict": True,
    }
    # What is empty counts as not given.
    options.update(validate_certs="", timeout="")
    empty = {"PANEL_CA_PATH": "", "PANEL_RETRY_TIME": ""}
    found = listing([write_source(folder, "one", options)], folder, connection(simulator, **empty))
    assert "Unable to parse" not in found.text, found.text
    return found


def test_domains_are_hosts(domains: Listing) -> None:
    assert sorted(domains.hosts) == NAMES
    assert "WARNING" not in domains.text


def test_variables_are_what_the_panel_shows(domains: Listing, simulator: Simulator) -> None:
    shown = simulator.request("GET", "/domains/name/xn--mller-kva.example").json()
    found = domains.hosts["xn--mller-kva.example"]
    assert {f"panel_{name}": value for name, value in shown.items()}.items() <= found.items()
    assert found["panel_domain_utf8"] == "müller.example"
    expected = {
        "panel_client": "acme",
        "panel_hosting_plan": "Große Pläne",
        "panel_parent_domain": "acme.example",
        "panel_client_email": "it@acme.example",
        "panel_client_is_suspended": False,
        "ansible_connection": "local",
        "contact": "IT@ACME.EXAMPLE",
    }
    assert expected.items() <= domains.hosts["shop.acme.example"].items()


def test_domains_are_in_groups(domains: Listing, simulator: Simulator) -> None:
    server = "panel_" + simulator.url.removeprefix("http://").replace(".", "_").replace(":", "_")
    acme = ["acme.example", "shop.acme.example"]
    assert {name: sorted(hosts) for name, hosts in domains.groups.items()} == {
        "hosting_panel": NAMES,
        "client_acme": acme,
        "client_globex": ["xn--mller-kva.example"],
        "plan_Große_Pläne": acme,
        "plan_Basic": ["xn--mller-kva.example"],
        "state_active": ["acme.example"],
        "state_disabled": ["shop.acme.example"],
        "state_suspended": ["xn--mller-kva.example"],
        "status_okay": NAMES,
        server: NAMES,
        "php_8_3": ["acme.example"],
        "php_default": ["shop.acme.example", "xn--mller-kva.example"],
        "without_https": NAMES,
    }


@pytest.fixture(scope="module")
def cached(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Four listings with a cache, which the third one is told to forget, and which is spoilt before the fourth: findings and requests."""
    folder = tmp_path_factory.mktemp("cached")
    options = {
        "hosts": "clients",
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(folder / "cache"),
    }
    source = write_source(folder, "clients", options)
    runs = []
    for words in ([], [], ["--flush-cache"], ["spoilt"]):
        if "spoilt" in words:
            (file,) = (folder / "cache").iterdir()
            kept = file.read_text(encoding="utf-8")
            file.write_text(kept.replace("hosting_plans", "plans"), encoding="utf-8")
            words = []
        since = simulator.last_number()
        found = listing([source], folder, connection(simulator), words)
        runs.append((found, calls(simulator, since)))
    files = list((folder / "cache").iterdir())
    return {
        "runs": runs,
        "files": "".join(path.read_text() for path in files),
        "modes": {path.stat().st_mode & 0o777 for path in files},
    }


def test_a_panel_costs_three_requests(cached: dict[str, Any]) -> None:
    assert cached["runs"][0][1] == READS


def test_a_second_run_asks_the_cache_and_sends_nothing(cached: dict[str, Any]) -> None:
    (first, _calls), (second, calls_of_second) = cached["runs"][:2]
    assert calls_of_second == []
    assert (second.hosts, second.groups) == (first.hosts, first.groups)


def test_a_cache_that_is_flushed_is_filled_again(cached: dict[str, Any]) -> None:
    assert cached["runs"][2][1] == READS


def test_a_cache_that_is_spoilt_is_filled_again(cached: dict[str, Any]) -> None:
    found, requests = cached["runs"][3]
    assert requests == READS
    assert found.hosts == cached["runs"][0][0].hosts


def test_nobody_else_reads_the_cache(cached: dict[str, Any]) -> None:
    assert cached["modes"] == {0o600}


def test_neither_cache_nor_variables_hold_a_secret(cached: dict[str, Any], simulator: Simulator) -> None:
    found = cached["runs"][0][0]
    assert "it@acme.example" in cached["files"]
    for secret in (simulator.api_key, simulator.api_key.split(".")[1], "password"):
        assert secret not in cached["files"] + found.text + str(found.hosts)


def test_clients_are_hosts(cached: dict[str, Any]) -> None:
    found = cached["runs"][0][0]
    assert sorted(found.hosts) == ["acme", "globex"]
    expected = {"panel_username": "acme", "panel_client": "acme", "panel_hosting_plan": "Große Pläne", "panel_id": 2}
    assert expected.items() <= found.hosts["acme"].items()
    assert found.hosts["acme"]["panel_domains"] == ["acme.example", "shop.acme.example"]
    assert (found.groups["state_active"], found.groups["state_suspended"]) == (["acme"], ["globex"])


def test_several_panels_have_keys_of_their_own(simulator: Simulator, tmp_path: Path) -> None:
    """One key is looked up, one encrypted; a host that two panels have names its panel."""
    password = tmp_path / "password"
    password.write_text("a vault of the test", encoding="utf-8")
    words = [sys.executable, "-m", "ansible", "vault", "encrypt_string", "--vault-password-file", str(password)]
    vault = subprocess.run(
        [*words, simulator.api_key],
        env=surroundings(tmp_path, IN_PROCESS),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    ensure("127.0.0.1", tmp_path)
    certificate = tmp_path / "certificate.pem"
    source = tmp_path / "fleet.panel.yml"
    with Simulator.start(
        settings={"status_delay": 0}, tls=(str(certificate), str(tmp_path / "private_key.pem"))
    ) as second:
        second.seed({"clients": [{"username": "acme"}, {"username": "initech"}, {"username": "panel_web1"}]})
        encrypted = vault.stdout.strip().replace("\n", "\n      ")
        source.write_text(
            f"""
plugin: hosting.panel.panel
hosts: clients
group_by: [panel]
panels:
  - name: web1
    api_url: {simulator.url}
    api_key: "{{{{ lookup('ansible.builtin.env', 'WEB1_KEY') }}}}"
  - name: web2
    api_url: {second.url}
    ca_path: {certificate}
    api_key: {encrypted}
""",
            encoding="utf-8",
        )
        variables = {"WEB1_KEY": simulator.api_key, "PANEL_API_URL": "http://127.0.0.1:9", "PANEL_API_KEY": "wrong"}
        found = listing([source], tmp_path, variables, ["--vault-password-file", str(password)])
    assert "Unable to parse" not in found.text, found.text
    assert {name: sorted(hosts) for name, hosts in found.groups.items()} == {
        "hosting_panel": ["acme@web1", "acme@web2", "globex", "initech", "panel_web1@web2"],
        "panel_web1": ["acme@web1", "globex"],
        # A client with the name of a group is not that group.
        "panel_web2": ["acme@web2", "initech", "panel_web1@web2"],
    }
    expected = {
        "panel_name": "web2",
        "panel_api_url": second.url,
        "panel_ca_path": str(certificate),
        "panel_validate_certs": True,
    }
    assert expected.items() <= found.hosts["initech"].items()
    assert simulator.api_key not in found.text + str(found.hosts)


def test_the_key_of_the_environment_is_sent_to_none_of_several_panels(simulator: Simulator, tmp_path: Path) -> None:
    one, two = {"api_url": simulator.url, "name": "one"}, {"api_url": simulator.url, "name": "two"}
    before = simulator.last_number()
    source = write_source(tmp_path, "several", {"panels": [{**one, "api_key": simulator.api_key}, two]})
    found = listing([source], tmp_path, connection(simulator))
    assert (
        "several.panel.yml: panels[1].api_key: missing. Each of several panels needs its own; PANEL_API_KEY counts where "
        "one panel alone is named."
    ) in " ".join(found.text.split())
    assert simulator.log(before) == []
    for name, options in {
        "alone": {"panels": [one]},
        "shared": {"panels": [one, two], "api_key": simulator.api_key},
    }.items():
        found = listing([write_source(tmp_path, name, options)], tmp_path, connection(simulator))
        assert "Unable to parse" not in found.text, found.text
        assert found.hosts
    source = write_source(tmp_path, "given", {"panels": [one, two]})
    wrong = {**connection(simulator), "PANEL_API_KEY": "of-another-panel"}
    found = listing([source], tmp_path, wrong, ["--extra-vars", f"panel_api_key={simulator.api_key}"])
    assert found.hosts, found.text


def test_the_example_of_the_documentation_works(simulator: Simulator, tmp_path: Path) -> None:
    example = re.sub(r"https://web\d\.panel\.example", simulator.url, EXAMPLES)
    source = tmp_path / "fleet.panel.yml"
    source.write_text(example, encoding="utf-8")
    variables = {"WEB1_API_KEY": simulator.api_key, "WEB2_API_KEY": simulator.api_key}
    found = listing([source], tmp_path, variables)
    names = ["acme@web1", "acme@web2", "globex@web1", "globex@web2"]
    assert "WARNING" not in found.text
    assert sorted(found.hosts) == sorted(found.groups["language_en"]) == names
    assert found.hosts["acme@web2"]["contact"] == "it@acme.example"


@pytest.fixture(scope="module")
def mistaken(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Listing:
    """Many files at once, each wrong in its way."""
    folder = tmp_path_factory.mktemp("mistaken")
    panel = {"api_url": simulator.url, "api_key": simulator.api_key}
    nowhere = {"api_url": "http://127.0.0.1:9", "api_key": "k", "retry_time": 0}
    sources = [
        write_source(folder, name, options)
        for name, options in {
            "no-address": {"api_key": "k"},
            "no-key": {"panels": [{"api_url": simulator.url}]},
            "both": {**panel, "panels": [panel]},
            "twice": {"panels": [panel, panel]},
            "unknown": {"panels": [{**panel, "apikey": "k"}]},
            "timeout": {"panels": [{**panel, "timeout": "soon"}]},
            "template": {"panels": [{**panel, "api_key": "{{ no_such_variable }}"}]},
            "hosts": {**panel, "hosts": "mailboxes"},
            "misspelt": {**panel, "host": "clients", "compse": {"contact": "panel_email"}, "cache": False},
            "digits": {**panel, "api_key": 668},
            "refused": {**panel, "api_key": "a-wrong-key-of-some-length", "skip_unreachable": True},
            "unreachable": {"panels": [{**nowhere, "name": "down"}, panel]},
            "skipped": {"panels": [{**nowhere, "name": "away"}, {**panel, "name": "here"}], "skip_unreachable": True},
            "other": {"plugin": "ansible.builtin.ini"},
        }.items()
    ]
    plain = folder / "plain.yml"
    plain.write_text('{"plugin": "hosting.panel.panel"}', encoding="utf-8")
    return listing([*sources, plain], folder)


@pytest.mark.parametrize(
    "message",
    [
        "no-address.panel.yml: api_url: missing. Set it in the inventory file or in the environment variable PANEL_API_URL.",
        "no-key.panel.yml: panels[0].api_key: missing. Set it in the inventory file or in the environment variable PANEL_API_KEY.",
        "both.panel.yml: api_url: give it for each of the panels, not beside them.",
        "twice.panel.yml: panels: several are named 127.0.0.1:",
        "unknown.panel.yml: panels[0].apikey: there is no such option; there are name, api_url,",
        "timeout.panel.yml: panels[0].timeout: argument 'timeout' is of type",
        "template.panel.yml: panels: its template cannot be evaluated",
        "Valid values are: domains, clients",
        "misspelt.panel.yml: host: there is no such option; there are ",
        "digits.panel.yml: api_key: the given value is a number, and YAML may have changed its digits (01234 becomes 668); put it in quotes.",
        "401",
        "hosting.panel.panel: panel down: ",
    ],
)
def test_a_mistake_says_what_is_wrong(mistaken: Listing, message: str) -> None:
    assert message in " ".join(mistaken.text.split()), mistaken.text


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PANEL_TIMEOUT", "abc"),
        ("PANEL_TIMEOUT", "inf"),
        ("PANEL_VALIDATE_CERTS", "perhaps"),
    ],
)
def test_a_wrong_value_of_the_environment_is_an_error_that_names_the_variable(
    simulator: Simulator, tmp_path: Path, variable: str, value: str
) -> None:
    source = write_source(tmp_path, "one", {})
    since = simulator.last_number()
    found = listing([source], tmp_path, connection(simulator, **{variable: value}))
    assert variable in found.text, found.text
    assert "cannot convert" not in found.text
    assert (found.hosts, simulator.log(since)) == ({}, [])


def test_no_mistake_shows_a_key(mistaken: Listing, simulator: Simulator) -> None:
    assert simulator.api_key not in mistaken.text
    assert "a-wrong-key-of-some-length" not in mistaken.text
    assert "Traceback" not in mistaken.text


def test_a_panel_that_is_away_is_left_out_when_asked(mistaken: Listing) -> None:
    assert sorted(mistaken.hosts) == NAMES
    assert mistaken.groups["panel_here"] == ["acme.example", "xn--mller-kva.example", "shop.acme.example"]
    assert "panel away: " in mistaken.text
    assert "Its hosts are missing." in mistaken.text


def test_a_play_runs_on_the_hosts(simulator: Simulator, tmp_path: Path) -> None:
    source = write_source(tmp_path, "fleet", {"hosts": "clients"})
    playbook = tmp_path / "suspended.yml"
    playbook.write_text(
        """
- name: Release those who are suspended
  hosts: state_suspended
  gather_facts: false
  tasks:
    - name: Release
      hosting.panel.panel_client:
        username: "{{ panel_client }}"
        is_suspended: false
        api_url: "{{ panel_api_url }}"
    - name: Run a module of its own
      ansible.builtin.ping:
""",
        encoding="utf-8",
    )
    run = run_playbook(playbook, simulator, tmp_path, arguments=["-i", str(source)], variables=connection(simulator))
    assert run.code == 0, run.text
    assert [(write["path"], write["body"]) for write in run["Release"].writes] == [
        ("/clients/3", {"is_suspended": False})
    ]
    assert run["Run a module of its own"].result["ping"] == "pong"


# Mistakes beside the API key, of which nothing may be shown, and the words for each.
MISTAKES = {
    "filter": ("api_key: \"S3cretKey{{ 'S3cretOther' | nofilterhere }}\"", "api_key: its template"),
    "half": ('api_key: "S3cretKey{{ broken"', "api_key: its template"),
    "fails": ("api_key: \"S3cretKey{{ 1 + 'S3cretOther' }}\"", "api_key: its template"),
    "dictionary": ("api_key: {S3cretKey: S3cretOther}", ""),
    "list": ("api_key: [S3cretKey]", ""),
    "quote": ('api_key: "S3cretKey', "line 4: is no YAML"),
    "alias": ("api_key: *S3cretKey", "line 3: is no YAML"),
    "panels": ('panels: [{api_key: "S3cretKey{{ broken"}]', "panels: its template"),
    "text": ("panels: [7]", "panels[0]: must be a dictionary"),
    "timeout": ("api_key: S3cretKey\ntimeout: soon", "soon"),
}


def test_a_mistake_in_the_file_is_named_without_the_key(tmp_path: Path) -> None:
    sources = []
    for name, (text, _words) in MISTAKES.items():
        address = "hosts: domains" if text.startswith("panels") else "api_url: https://127.0.0.1:1"
        sources.append(tmp_path / f"{name}.panel.yml")
        sources[-1].write_text(f"plugin: hosting.panel.panel\n{address}\n{text}\n", encoding="utf-8")
    said = " ".join(listing(sources, tmp_path, words=["-vvvv"]).text.split())
    for name, (_text, words) in MISTAKES.items():
        assert f"{name}.panel.yml: {words}" in said or (name == "timeout" and words in said), (name, said)
    assert "S3cret" not in said
