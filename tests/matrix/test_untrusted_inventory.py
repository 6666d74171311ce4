"""What a panel answers is data on every supported ansible-core also where an inventory or a zone file is made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import GROUP, Listing, Run, defaults, listing, run_playbook, write_source
from tests.support.simulator import Simulator

MEMBERS = ("panel_notes", "panel_hosting_plan", "panel_contact_data", "composed", "joined", "nested")
CONSTRUCTED = {
    "compose": {
        "composed": "panel_notes",
        "joined": "'It says ' ~ panel_notes",
        "nested": "{'list': [panel_contact_data, panel_notes]}",
    },
    "keyed_groups": [
        {"key": "panel_notes", "prefix": "notes"},
        {"key": "panel_hosting_plan", "parent_group": "panel_notes"},
    ],
    "groups": {"told": "panel_notes == 'x'", "known": "panel_notes is search('touch')"},
}


def trap(folder: Path, name: str) -> str:
    """A template that would leave a file behind."""
    return f"{{{{ lookup('ansible.builtin.pipe', 'touch {folder / name}') }}}}{{% set x = 7 * 6 %}}"


@pytest.fixture(scope="module")
def sprung(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where traps would leave their files."""
    return tmp_path_factory.mktemp("sprung")


@pytest.fixture(scope="module")
def found(sprung: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A listing that fills the cache, and a playbook on the hosts of the cache, which uses the variables in every way there is."""
    folder = tmp_path_factory.mktemp("inventory")
    caching = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(folder / "cache")}
    source = write_source(folder, "clients", {"hosts": "clients", **caching, **CONSTRUCTED})
    plays = [{"name": "Clients", "hosts": "client_acme", "gather_facts": False, "ignore_errors": True}]
    plays[0]["tasks"] = [
        {"name": f"shown {name}", "ansible.builtin.debug": {"msg": f"{{{{ {name} }}}}"}} for name in MEMBERS
    ] + [
        {"name": "by another host", "ansible.builtin.debug": {"msg": "{{ hostvars['acme'] | to_json }}"}},
        {"name": "as a name of a variable", "ansible.builtin.debug": {"var": "panel_notes"}},
        {"name": "as a condition", "ansible.builtin.debug": {"msg": "x"}, "when": "panel_notes == 'x'"},
        {"name": "a module", "ansible.builtin.ping": {"data": "{{ panel_notes }}"}},
        {"name": "read", "hosting.panel.panel_dns_info": {"domain": "acme.example"}, "register": "zone"},
        {
            "name": "zone file",
            "ansible.builtin.debug": {"msg": "{{ zone.dns[0] | hosting.panel.panel_records_to_zone }}"},
        },
        {
            "name": "records",
            "ansible.builtin.debug": {"msg": "{{ text | hosting.panel.panel_zone_to_records }}"},
            "vars": {"text": "{{ zone.dns[0] | hosting.panel.panel_records_to_zone }}"},
        },
    ]
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        simulator.seed(
            {
                "plans": [{"name": trap(sprung, "plan")}],
                "clients": [
                    {
                        "username": "acme",
                        "notes": trap(sprung, "notes"),
                        "hosting_plan": trap(sprung, "plan"),
                        "contact_data": {"company": trap(sprung, "company")},
                    }
                ],
                "domains": [{"domain": "acme.example", "client": "acme"}],
            }
        )
        zone = simulator.request("GET", "/dns/name/acme.example").json()["records"]
        record = {"host": "policy", "type": "TXT", "ttl": 60, "value": trap(sprung, "record")}
        simulator.request("PUT", "/dns/name/acme.example", {"records": {**zone, "other": [record]}})
        plays[0]["module_defaults"] = {GROUP: defaults(simulator)}
        (folder / "playbook.yml").write_text(json.dumps(plays), encoding="utf-8")
        variables = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key}
        listed = listing([source], folder, variables, ["-vvv"])
        since = simulator.last_number()
        run = run_playbook(
            folder / "playbook.yml", simulator, folder, arguments=["-i", str(source), "-vvv"], variables=variables
        )
        requests = [entry["path"] for entry in simulator.log(since)]
    return {"listed": listed, "run": run, "requests": requests}


def message(found: dict[str, Any], name: str) -> Any:
    run: Run = found["run"]
    return run[name].result["msg"]


def test_no_template_of_the_panel_was_evaluated(found: dict[str, Any], sprung: Path) -> None:
    assert len(found["run"].recordings) == len(MEMBERS) + 7, found["run"].text[-3000:]
    assert [path.name for path in sprung.iterdir()] == []


def test_the_words_of_the_panel_are_variables_as_they_are(found: dict[str, Any], sprung: Path) -> None:
    notes, company = trap(sprung, "notes"), trap(sprung, "company")
    assert message(found, "shown panel_notes") == message(found, "shown composed") == notes
    assert message(found, "shown panel_hosting_plan") == trap(sprung, "plan")
    assert message(found, "shown panel_contact_data")["company"] == company
    assert message(found, "shown joined") == f"It says {notes}"
    assert message(found, "shown nested")["list"][0]["company"] == company
    assert found["run"]["a module"].result["ping"] == notes
    assert trap(sprung, "plan") in message(found, "by another host")


def test_the_variables_came_from_the_cache(found: dict[str, Any]) -> None:
    assert set(found["requests"]) == {"/dns/name/acme.example", "/domains/name/acme.example"}


def test_the_words_of_the_panel_make_safe_names_of_groups(found: dict[str, Any]) -> None:
    listed: Listing = found["listed"]
    assert list(listed.hosts) == ["acme"]
    assert listed.groups["known"] == ["acme"]
    assert "told" not in listed.groups
    assert [name for name in listed.groups if not name.replace("_", "").isalnum()] == []
    assert len([name for name in listed.groups if "touch" in name]) == 3


def test_the_words_of_the_panel_are_in_a_zone_file_as_they_are(found: dict[str, Any], sprung: Path) -> None:
    record = trap(sprung, "record")
    assert record in message(found, "zone file")
    assert [entry["value"] for entry in message(found, "records")] == [record]
