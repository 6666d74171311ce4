"""The inventory plugin against simulated panels.

Which hosts, variables and groups, at the cost of how many requests.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.inventory.panel import EXAMPLES
from panel_simulator.self_signed import ensure
from tests.support.playbook import (
    IN_PROCESS,
    list_hosts,
    make_environment,
    run_ansible,
    write_source,
    write_yaml,
)
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
        {
            "domain": "shop.acme.example",
            "client": "acme",
            "parent_domain": "acme.example",
            "is_disabled": True,
        },
    ],
}
READS = ["GET /clients", "GET /hosting-plans", "GET /domains"]
NAMES = ["acme.example", "shop.acme.example", "xn--mller-kva.example"]


def make_connection(simulator: Simulator, **more: str) -> dict[str, str]:
    """Return one panel in the environment."""
    return {
        "PANEL_API_URL": simulator.url,
        "PANEL_API_KEY": simulator.api_key,
        "PANEL_RETRY_TIME": "0",
        **more,
    }


@pytest.fixture(scope="module", autouse=True)
def seeded(simulator: Simulator) -> None:
    """Put the domains and clients of the tests on the panel."""
    simulator.seed(SEED)


def test_domains_are_hosts_with_what_the_panel_shows_in_groups(
    simulator: Simulator, tmp_path: Path
) -> None:
    options = {
        "keyed_groups": [{"key": "panel_php_version", "prefix": "php", "default_value": "default"}],
        "groups": {"without_https": "not panel_security.is_prefer_https"},
        "compose": {"contact": "panel_client_email | upper"},
        "strict": True,
        # What is empty counts as not given.
        "validate_certs": "",
        "timeout": "",
    }
    empty = {"PANEL_CA_PATH": "", "PANEL_RETRY_TIME": ""}

    inventory = list_hosts(
        [write_source(tmp_path, "one", options)], tmp_path, make_connection(simulator, **empty)
    )

    assert "Unable to parse" not in inventory.text, inventory.text
    assert "WARNING" not in inventory.text

    domain = simulator.request("GET", "/domains/name/xn--mller-kva.example").json()
    assert {f"panel_{name}": value for name, value in domain.items()}.items() <= inventory.hosts[
        NAMES[2]
    ].items()

    expected = {
        "panel_client": "acme",
        "panel_hosting_plan": "Große Pläne",
        "panel_parent_domain": "acme.example",
        "panel_client_email": "it@acme.example",
        "panel_client_is_suspended": False,
        "ansible_connection": "local",
        "contact": "IT@ACME.EXAMPLE",
    }

    assert expected.items() <= inventory.hosts["shop.acme.example"].items()

    server = "panel_" + simulator.url.removeprefix("http://").replace(".", "_").replace(":", "_")
    acme = NAMES[:2]
    globex = NAMES[2:]

    assert {name: sorted(hosts) for name, hosts in inventory.groups.items()} == {
        **dict.fromkeys(("hosting_panel", "status_okay", server, "without_https"), NAMES),
        **dict.fromkeys(("client_acme", "plan_Große_Pläne"), acme),
        **dict.fromkeys(("client_globex", "plan_Basic", "state_suspended"), globex),
        **dict.fromkeys(("state_active", "php_8_3"), acme[:1]),
        "state_disabled": acme[1:],
        "php_default": [*acme[1:], *globex],
    }


def write_cached_source(folder: Path, cache: Path) -> Path:
    """Write a source of clients whose readings are kept as files, and return its path."""
    caching = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(cache),
    }
    return write_source(folder, "clients", {"hosts": "clients", **caching})


def test_a_panel_costs_three_requests_and_none_while_its_cache_is_valid_and_private(
    simulator: Simulator, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    source = write_cached_source(tmp_path, cache)
    runs = []

    for kind in ("", "", "hosting_plans"):
        # Another release may read other kinds.
        for file in cache.iterdir() if kind else ():
            file.write_text(
                file.read_text(encoding="utf-8").replace(kind, "plans"), encoding="utf-8"
            )
        since = simulator.get_last_number()
        inventory = list_hosts([source], tmp_path, make_connection(simulator))
        runs.append([f"{entry['method']} {entry['path']}" for entry in simulator.read_log(since)])
        assert sorted(inventory.hosts) == ["acme", "globex"], inventory.text

    assert runs == [READS, [], READS]

    expected = {
        "panel_username": "acme",
        "panel_client": "acme",
        "panel_hosting_plan": "Große Pläne",
        "panel_id": 2,
    }
    assert expected.items() <= inventory.hosts["acme"].items()
    assert inventory.hosts["acme"]["panel_domains"] == ["acme.example", "shop.acme.example"]
    assert (inventory.groups["state_active"], inventory.groups["state_suspended"]) == (
        ["acme"],
        ["globex"],
    )

    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600

    for secret in (simulator.api_key, simulator.api_key.split(".")[1], "password"):
        assert secret not in file.read_text(encoding="utf-8") + inventory.text + str(
            inventory.hosts
        )


def test_flush_cache_of_a_playbook_reads_the_panel_again(
    simulator: Simulator, tmp_path: Path
) -> None:
    source = write_cached_source(tmp_path, tmp_path / "cache")
    show = {"ansible.builtin.debug": {"var": "panel_id"}}
    play = {"hosts": "acme", "gather_facts": False, "tasks": [show]}
    (tmp_path / "show.yml").write_text(write_yaml([play]), encoding="utf-8")
    environment = make_connection(simulator, ANSIBLE_INVENTORY_ENABLED="hosting.panel.panel")
    runs = []

    for more in ([], ["--flush-cache"]):
        list_hosts([source], tmp_path, make_connection(simulator))
        since = simulator.get_last_number()
        arguments = ["-i", str(source), "show.yml", *more]
        done = run_ansible("playbook", arguments, tmp_path, IN_PROCESS, environment)
        runs.append([f"{entry['method']} {entry['path']}" for entry in simulator.read_log(since)])
        assert '"panel_id": 2' in done.stdout, done.stdout

    assert runs == [[], READS]


def list_edited_caches(text: str) -> list[str]:
    """Return what somebody may have made of the text of a cache.

    From ansible-core 2.19 on the file has its content as a text in JSON.
    """
    outside = json.loads(text)
    payload = outside.get("__payload__")
    content = outside if payload is None else json.loads(payload)
    (panel,) = content["readings"]
    of_panel = ("readings", panel)
    paths = [(name,) for name in content]
    paths += [of_panel, (*of_panel, "clients"), (*of_panel, "clients", 0), (*of_panel, "domains")]
    paths.append((*of_panel, "clients", 0, "id"))

    edited = ["null", "[]", "7", '"x"', "{}"]
    if payload is not None:
        edited += [json.dumps({"__payload__": data}) for data in ("null", "[]", "{", "", None, 7)]
    for path in paths:
        changed = replace_by_null(content, path)
        whole = changed if payload is None else {"__payload__": json.dumps(changed)}
        edited.append(json.dumps(whole))
    return edited


def replace_by_null(content: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy of JSON in which one value is null."""
    changed = json.loads(json.dumps(content))
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = None
    return changed


def test_an_edited_cache_is_read_as_none(simulator: Simulator, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    source = write_cached_source(tmp_path, cache)
    list_hosts([source], tmp_path, make_connection(simulator))
    (file,) = cache.iterdir()

    for text in list_edited_caches(file.read_text(encoding="utf-8")):
        file.write_text(text, encoding="utf-8")
        since = simulator.get_last_number()
        inventory = list_hosts([source], tmp_path, make_connection(simulator))
        requests = [f"{entry['method']} {entry['path']}" for entry in simulator.read_log(since)]

        assert sorted(inventory.hosts) == ["acme", "globex"], (text, inventory.text)
        assert requests == READS, text
        assert "NoneType" not in inventory.text, inventory.text


def test_several_panels_have_keys_of_their_own(simulator: Simulator, tmp_path: Path) -> None:
    """One key is looked up, one encrypted; a host that two panels have names its panel."""
    password = tmp_path / "password"
    password.write_text("a vault of the test", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "ansible",
        "vault",
        "encrypt_string",
        "--vault-password-file",
        str(password),
    ]
    vault = subprocess.run(
        [*command, simulator.api_key],
        env=make_environment(tmp_path, IN_PROCESS),
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
        second.seed(
            {"clients": [{"username": "acme"}, {"username": "initech"}, {"username": "panel_web1"}]}
        )
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
        variables = {
            "WEB1_KEY": simulator.api_key,
            "PANEL_API_URL": "http://127.0.0.1:9",
            "PANEL_API_KEY": "wrong",
        }
        inventory = list_hosts(
            [source], tmp_path, variables, ["--vault-password-file", str(password)]
        )

    assert "Unable to parse" not in inventory.text, inventory.text
    assert {name: sorted(hosts) for name, hosts in inventory.groups.items()} == {
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

    assert expected.items() <= inventory.hosts["initech"].items()
    assert simulator.api_key not in inventory.text + str(inventory.hosts)


@pytest.mark.parametrize("way", ["one panel", "a list with one panel"])
def test_an_empty_key_never_becomes_the_key_of_another_panel(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    empty = "{{ lookup('ansible.builtin.env', 'NO_SUCH_KEY') }}"
    panel = {"api_url": simulator.url, "api_key": empty}
    options = panel if way == "one panel" else {"panels": [panel]}
    variables = make_connection(simulator, PANEL_API_URL="http://127.0.0.1:9")

    inventory = list_hosts([write_source(tmp_path, "one", options)], tmp_path, variables)

    assert "PANEL_API_KEY has the key of 127.0.0.1:9, not of" in inventory.text
    assert inventory.hosts == {}


def test_the_example_of_the_documentation_works(simulator: Simulator, tmp_path: Path) -> None:
    example = re.sub(r"https://web\d\.panel\.example", simulator.url, EXAMPLES)
    source = tmp_path / "fleet.panel.yml"
    source.write_text(example, encoding="utf-8")
    variables = {"WEB1_API_KEY": simulator.api_key, "WEB2_API_KEY": simulator.api_key}

    inventory = list_hosts([source], tmp_path, variables)
    names = ["acme@web1", "acme@web2", "globex@web1", "globex@web2"]

    assert "WARNING" not in inventory.text
    assert sorted(inventory.hosts) == sorted(inventory.groups["language_en"]) == names
    assert inventory.hosts["acme@web2"]["contact"] == "it@acme.example"


# By name of the file what stands in it beside the plugin, and what is said of it. No key of another
# one than S3cret is in them.
MISTAKES = {
    "no-address": (
        "api_key: S3cretKey",
        "api_url: missing. Set it, or the environment variable PANEL_API_URL.",
    ),
    "no-key": (
        "panels: [{api_url: URL}]",
        "panels[0].api_key: missing. Set it, or the environment variable",
    ),
    "both": (
        "api_url: URL\npanels: [{api_url: URL}]",
        "api_url: give it for each of the panels, not beside them.",
    ),
    "twice": (
        "panels: [{api_url: URL, api_key: S3cretKey}, {api_url: URL, api_key: S3cretKey}]",
        "panels[1].name: 127.0.0.1:",
    ),
    "number": (
        "panels: [{api_url: URL, name: 0123, api_key: k}]",
        "panels[0].name: 83 is a number, and YAML may have changed its digits",
    ),
    "date": (
        "panels: [{api_url: URL, name: 2026-12-01, api_key: k}]",
        "panels[0].name: 2026-12-01 is a date",
    ),
    "no-own-key": (
        "panels: [{api_url: URL, name: a, api_key: S3cretKey}, {api_url: URL, name: b}]",
        "panels[1].api_key: missing. Each of several",
    ),
    "unknown": (
        "panels: [{api_url: URL, apikey: S3cretKey}]",
        "panels[0].apikey: there is no such option; did you mean api_key?",
    ),
    "misspelt": (
        "api_url: URL\nhost: clients",
        "host: there is no such option; did you mean hosts?",
    ),
    # The words are those of Ansible, and their first letter depends on its release.
    "hosts": ("api_url: URL\nhosts: mailboxes", "alid values are: domains, clients"),
    "timeout": ("api_key: S3cretKey\ntimeout: soon", "soon"),
    "digits": (
        "api_url: URL\napi_key: 668",
        "api_key: the given value is a number, and YAML may have changed its digits",
    ),
    "own-digits": (
        "panels: [{api_url: URL, api_key: 668}]",
        "panels[0].api_key: the given value is a number",
    ),
    "template": (
        "api_key: \"S3cretKey{{ 'S3cretOther' | nofilterhere }}\"",
        "api_key: its template cannot be evaluated",
    ),
    "half": ('panels: [{api_key: "S3cretKey{{ broken"}]', "panels: its template"),
    "dictionary": ("api_key: {S3cretKey: S3cretOther}", ""),
    "list": ("api_key: [S3cretKey]", ""),
    "quote": ('api_key: "S3cretKey', "line 3: is no YAML"),
    "alias": ("api_key: *S3cretKey", "line 2: is no YAML"),
    "deep": (f"panels: {'[' * 300}{']' * 300}", "line 2: the content is nested too deeply."),
    "text": ("panels: [7]", "panels[0]: must be a dictionary"),
    "refused": ("api_url: URL\napi_key: S3cret-key-that-is-wrong\nskip_unreachable: true", "401"),
    "unreachable": (
        "panels: [{api_url: 'http://127.0.0.1:9', name: down, api_key: k, retry_time: 0}]",
        "panel down: ",
    ),
}


def test_a_mistake_in_a_file_is_named_without_its_key_and_the_other_files_are_read(
    simulator: Simulator, tmp_path: Path
) -> None:
    sources = []

    for name, (text, _message) in MISTAKES.items():
        sources.append(tmp_path / f"{name}.panel.yml")
        content = f"plugin: hosting.panel.panel\n{text}\n".replace("URL", simulator.url)
        sources[-1].write_text(content, encoding="utf-8")

    panels = [
        {"name": "away", "api_url": "http://127.0.0.1:9", "api_key": "S3cretKey", "retry_time": 0},
        {"name": "here", "api_url": simulator.url, "api_key": simulator.api_key},
    ]
    sources.append(write_source(tmp_path, "skipped", {"panels": panels, "skip_unreachable": True}))
    (tmp_path / "plain.yml").write_text("plugin: hosting.panel.panel\n", encoding="utf-8")
    (tmp_path / "other.yml").write_text("plugin: hosting.panel.others\n", encoding="utf-8")
    sources += [tmp_path / "plain.yml", tmp_path / "other.yml"]
    inventory = list_hosts(sources, tmp_path, arguments=["-vvvv"])

    output = " ".join(inventory.text.split())
    missing = [
        name
        for name, (_text, message) in MISTAKES.items()
        if (
            f"{name}.panel.yml: {message}"
            if name not in ("timeout", "hosts", "refused", "unreachable")
            else message
        )
        not in output
    ]

    assert missing == [], output
    assert [
        secret for secret in ("S3cret", simulator.api_key, "Traceback") if secret in inventory.text
    ] == []
    assert inventory.groups["panel_here"] == [
        "acme.example",
        "xn--mller-kva.example",
        "shop.acme.example",
    ]
    advice = "the name of the file must end with .panel.yml or .panel.yaml."
    assert f"plain.yml: {advice}" in output
    assert f"other.yml: {advice}" not in output
    assert "panel away: " in output
    assert "Its hosts are missing." in output
