"""What a panel answers is data on every supported ansible-core.

A template in it is never evaluated, wherever it is used again.

Read by modules in both ways, by the lookup and by the inventory, also from its cache, and made into
a zone file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import (
    IN_PROCESS,
    WAYS,
    Listing,
    Recording,
    Run,
    list_hosts,
    play,
    write_source,
)
from tests.support.simulator import Simulator

MEMBERS = (
    "panel_notes",
    "panel_hosting_plan",
    "panel_contact_data",
    "composed",
    "joined",
    "nested",
)
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


@dataclass(frozen=True)
class Trap:
    """Templates that would leave a file behind."""

    folder: Path

    def make_text(self, name: str) -> str:
        """Return a text that leaves a file where somebody evaluates it."""
        return f"{{{{ lookup('ansible.builtin.pipe', 'touch {self.folder / name}') }}}}{{% set x = 7 * 6 %}}"

    @property
    def sprung(self) -> list[str]:
        """Return the names of the texts that somebody evaluated."""
        return sorted(path.name for path in self.folder.iterdir())


def debug(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a task that prints a text."""
    return {"name": name, "ansible.builtin.debug": {"msg": text}, **more}


def make_fault_variables(fault: dict[str, Any]) -> dict[str, Any]:
    """Return variables of a task that the panel answers so.

    The tests' own callback hands them over as data, not as a template.
    """
    return {"vars": {"simulator": {"before": [["POST", "/faults", fault]]}}}


def make_tasks(trap: Trap) -> Iterator[dict[str, Any]]:
    """Read traps in each way in which a panel's words come to the controller.

    And use each again in every way there is.
    """
    refusal = {"kind": "body", "status": 400, "method": "PUT", "when": "before", "times": 1}
    complaint = {
        **refusal,
        "body": {"code": "400 Bad Request", "message": f"Not {trap.make_text('complaint')}"},
    }
    login = {
        "kind": "body",
        "path": "^/login/",
        "body": {"url": f"https://panel.example/{trap.make_text('login')}"},
    }
    changed = {"username": "acme", "email": "new@acme.example"}
    globex = {"hosting.panel.panel_client": {"username": "globex", "notes": "{{ notes }}"}}

    yield {
        "name": "read",
        "hosting.panel.panel_client_info": {"username": "acme"},
        "register": "read",
    }

    yield {
        "name": "called",
        "hosting.panel.panel_api": {"path": "/clients/name/acme"},
        "register": "called",
    }

    yield {
        "name": "exported",
        "hosting.panel.panel_resources_info": {"kinds": ["clients"]},
        "register": "exported",
    }

    yield debug("shown", "{{ read.clients[0].notes }}")

    yield debug("joined", "It says {{ called.response.notes }}")

    yield {
        "name": "kept",
        "ansible.builtin.set_fact": {"notes": "{{ read.clients[0].notes }}", "cacheable": True},
    }

    yield debug("shown once more", "{{ notes }}")

    yield {"name": "written back", **globex}

    yield {"name": "written back again", **globex}

    whole = {"resources": "{{ exported.resources }}"}

    yield {"name": "given back whole", "hosting.panel.panel_resources": whole, "diff": True}

    yield debug(
        "in a loop",
        "{{ item.notes }}",
        loop="{{ exported.resources.clients | selectattr('notes') }}",
    )

    yield {
        "name": "refused",
        "hosting.panel.panel_client": changed,
        "register": "refused",
        **make_fault_variables(complaint),
    }

    yield debug("the refusal", "{{ refused.msg }}")

    yield debug(
        "looked up",
        "{{ lookup('hosting.panel.panel_login_url', 'acme') }}",
        **make_fault_variables(login),
    )

    yield debug("as a condition", "x", when="read.clients[0].notes == 'x'")


def make_tasks_of_a_host() -> Iterator[dict[str, Any]]:
    """Use the variables of a host in every way there is, and makes a zone file."""
    written = "{{ zone.dns[0] | hosting.panel.panel_records_to_zone }}"
    yield from (debug(f"shown {name}", f"{{{{ {name} }}}}") for name in MEMBERS)

    yield debug("by another host", "{{ hostvars['acme'] | to_json }}")

    yield {"name": "as a name of a variable", "ansible.builtin.debug": {"var": "panel_notes"}}

    yield debug("as a condition", "x", when="panel_notes == 'x'")

    yield {"name": "a module", "ansible.builtin.ping": {"data": "{{ panel_notes }}"}}

    yield {
        "name": "read",
        "hosting.panel.panel_dns_info": {"domain": "acme.example"},
        "register": "zone",
    }

    yield debug("zone file", written)

    yield debug(
        "records", "{{ text | hosting.panel.panel_zone_to_records }}", vars={"text": written}
    )


@pytest.fixture
def trap(tmp_path: Path, simulator: Simulator) -> Trap:
    """Return a trap on the panel, in every place that a client may write to."""
    created_trap = Trap(tmp_path / "sprung")
    created_trap.folder.mkdir()
    company = {"company": created_trap.make_text("company")}
    acme = {
        "username": "acme",
        "notes": created_trap.make_text("notes"),
        "hosting_plan": created_trap.make_text("plan"),
        "contact_data": company,
    }
    domains = [{"domain": "acme.example", "client": "acme"}]
    simulator.reset()
    simulator.change_settings({"status_delay": 0})
    simulator.seed(
        {
            "plans": [{"name": created_trap.make_text("plan")}],
            "clients": [acme, {"username": "globex"}],
            "domains": domains,
        }
    )

    return created_trap


def list_bodies(recording: Recording) -> list[Any]:
    """Return what a task wrote, request by request."""
    return [write["body"] for write in recording.writes]


@pytest.mark.parametrize("way", WAYS)
def test_the_words_of_a_panel_stay_as_they_are(
    simulator: Simulator, trap: Trap, tmp_path: Path, way: str
) -> None:
    run = play(make_tasks(trap), simulator, tmp_path / "play", way, ["-vvv"], simulator.environment)
    assert len(run.recordings) == len(list(make_tasks(trap))), run.text[-3000:]
    assert trap.sprung == []

    text = trap.make_text("notes")
    results = {recording.name: recording.result for recording in run.recordings}

    assert results["read"]["clients"][0]["notes"] == text
    assert results["called"]["response"]["notes"] == text
    assert text in [item.get("notes") for item in results["exported"]["resources"]["clients"]]
    assert results["shown"]["msg"] == results["shown once more"]["msg"] == text
    assert results["joined"]["msg"] == f"It says {text}"
    assert [item["msg"] for item in results["in a loop"]["results"]] == [text]
    assert results["looked up"]["msg"] == f"https://panel.example/{trap.make_text('login')}"
    assert run["refused"].outcome == "failed"
    assert (
        trap.make_text("complaint") in results["refused"]["msg"]
        and trap.make_text("complaint") in results["the refusal"]["msg"]
    )

    # What is written back is what was read; the export was made before globex got its notes.
    sent = {name: list_bodies(run[name]) for name in results if "back" in name}
    assert sent == {
        "written back": [{"notes": text}],
        "written back again": [],
        "given back whole": [{"notes": ""}],
    }
    assert run["given back whole"].outcome == "ok", run["given back whole"].msg


def test_the_words_of_a_panel_stay_as_they_are_in_an_inventory_its_cache_and_a_zone_file(
    simulator: Simulator, trap: Trap, tmp_path: Path
) -> None:
    zone = simulator.request("GET", "/dns/name/acme.example").json()["records"]
    record = {"host": "policy", "type": "TXT", "ttl": 60, "value": trap.make_text("record")}
    simulator.request("PUT", "/dns/name/acme.example", {"records": {**zone, "other": [record]}})
    caching = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
    }
    source = write_source(tmp_path, "clients", {"hosts": "clients", **caching, **CONSTRUCTED})
    listed: Listing = list_hosts([source], tmp_path, simulator.environment, ["-vvv"])
    since = simulator.get_last_number()
    arguments = ["-i", str(source), "-vvv"]

    run: Run = play(
        make_tasks_of_a_host(),
        simulator,
        tmp_path,
        IN_PROCESS,
        arguments,
        simulator.environment,
        {"hosts": "client_acme"},
    )

    assert len(run.recordings) == len(list(make_tasks_of_a_host())), run.text[-3000:]
    assert trap.sprung == []
    # The variables came from the cache.
    assert {entry["path"].split("/")[1] for entry in simulator.read_log(since)} == {
        "dns",
        "domains",
    }

    notes = trap.make_text("notes")
    company = trap.make_text("company")

    def get_message(task: str) -> Any:
        return run[task].result["msg"]

    assert (
        get_message("shown panel_notes")
        == get_message("shown composed")
        == run["a module"].result["ping"]
        == notes
    )
    assert get_message("shown panel_hosting_plan") == trap.make_text("plan")
    assert (
        get_message("shown panel_contact_data")["company"]
        == get_message("shown nested")["list"][0]["company"]
        == company
    )
    assert get_message("shown joined") == f"It says {notes}"
    assert trap.make_text("plan") in get_message("by another host")
    assert trap.make_text("record") in get_message("zone file")
    assert [entry["value"] for entry in get_message("records")] == [trap.make_text("record")]
    assert sorted(listed.hosts) == ["acme", "globex"]
    assert listed.groups["known"] == ["acme"]
    assert "told" not in listed.groups
    assert [name for name in listed.groups if not name.replace("_", "").isalnum()] == []
    assert len([name for name in listed.groups if "touch" in name]) == 3
