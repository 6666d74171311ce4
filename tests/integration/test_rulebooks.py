# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebooks and the event source under a real ansible-rulebook, against simulated panels."""

from __future__ import annotations

import datetime
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.hosting.panel.plugins.plugin_utils._events.what_happened import TYPES
from tests.support.authority import key_pem, self_signed
from tests.support.needed import needed
from tests.support.rulebook import Rulebook, commands, connection
from tests.support.simulator import Simulator
from tests.support.snippets import snippets
from tools.layout import ROOT

INTERVAL = 10  # the least
CLIENTS = [{"username": name, "email": f"it@{name}.example"} for name in ("acme", "beta")]
EVERYTHING = """
- name: Everything
  hosts: localhost
  sources:
    - name: panel
      hosting.panel.panel:
        events: [client_created, client_deleted, panel_unreachable, panel_back]
        interval: 10
        state_file: state.json
  rules:
    - name: Any event
      condition: event.panel.type is defined
      action:
        debug:
          msg: "<{{ event.panel.type }} {{ event.panel.key }}>"
"""


@pytest.fixture(scope="module")
def programs() -> list[str]:
    with needed():
        return commands()


@pytest.fixture
def panel() -> Iterator[Simulator]:
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        simulator.seed({"clients": CLIENTS})
        yield simulator


def fail(panel: Simulator, name: str) -> None:
    state = panel.state()
    for client in state["objects"]["clients"]:
        if client["data"]["username"] == name:
            client["status"] = 2
    panel.set_state(state)


def create(panel: Simulator, name: str) -> None:
    panel.request("POST", "/clients", {"username": name, "email": f"it@{name}.example"})


def wait_for_readings(panel: Simulator, count: int) -> None:
    """Waits until the panel was read so often from now on."""
    since, end = panel.last_number(), time.monotonic() + (count + 2) * INTERVAL + 30
    while sum(1 for entry in panel.log(since) if (entry["method"], entry["path"]) == ("GET", "/clients")) < count:
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_failed_client_is_reported_and_tried_once_more(panel: Simulator, programs: list[str], tmp_path: Path) -> None:
    fail(panel, "acme")
    with Rulebook(
        "hosting.panel.failed_clients", tmp_path, programs, state_file="state.json", interval=INTERVAL
    ) as run:
        run.start(**connection(panel))
        run.wait_for("The client acme on 127.0.0.1:")
        run.wait_for("The client acme is in order.")
        run.wait_for(" is in order again.")
        assert [(entry["path"], entry["body"]) for entry in panel.writes()] == [
            (f"/clients/{_id(panel, 'acme')}", {"email": "it@acme.example"})
        ]
        # Now one that stays as it is, whatever is tried.
        panel.settings({"failing_kinds": ["clients"]})
        panel.clear_log()
        fail(panel, "beta")
        run.wait_for("reports status 2 (error): it could not apply it. Look at the panel's own log; the object exists.")
        wait_for_readings(panel, 3)
        assert [entry["path"] for entry in panel.writes()] == [f"/clients/{_id(panel, 'beta')}"]
        assert run.said.count("is in the state of error since") == 2


def _id(panel: Simulator, name: str) -> int:
    return next(int(client["id"]) for client in panel.objects("clients") if client["username"] == name)


def test_a_certificate_that_ends_is_renewed(panel: Simulator, programs: list[str], tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    old, new = (self_signed(key, "acme.example", days=days).decode() for days in (6, 80))
    components = {"private_key": key_pem(key).decode(), "certificate": old}
    panel.seed({"domains": [{"domain": "acme.example", "client": "acme"}]})
    made = panel.request(
        "POST", "/certificates", {"name": "acme", "id_user": _id(panel, "acme"), "components": components}
    )
    domain = panel.objects("domains")[0]["id"]
    panel.request("PUT", f"/domains/{domain}", {"security": {"id_certificate": made.json()["id"]}})
    (tmp_path / "new.pem").write_text(new, encoding="utf-8")
    (tmp_path / "key.pem").write_text(components["private_key"], encoding="utf-8")
    # The playbook of the guide.
    (renewal,) = [one.text for one in snippets(ROOT / "docs/events.md") if one.value("file") == "renew.yml"]
    (tmp_path / "renew.yml").write_text(renewal, encoding="utf-8")
    panel.clear_log()
    wanted = {"state_file": "state.json", "interval": INTERVAL, "renewal_playbook": "renew.yml"}
    with Rulebook("hosting.panel.ending_certificates", tmp_path, programs, **wanted) as run:
        run.start(**connection(panel))
        run.wait_for("The certificate acme on 127.0.0.1:")
        run.wait_for("changed=1")
        wait_for_readings(panel, 2)
        assert run.said.count("It is renewed.") == 1
        (shown,) = panel.request("GET", "/certificates").json()
        end = datetime.datetime.fromisoformat(shown["valid_till"])
        assert (end.date() - datetime.date.today()).days > 70
        assert [entry["method"] for entry in panel.writes()] == ["PUT"]
        assert components["private_key"].splitlines()[1] not in run.said + (tmp_path / "state.json").read_text()


def test_kills_and_restarts_lose_and_double_nothing(panel: Simulator, programs: list[str], tmp_path: Path) -> None:
    (tmp_path / "everything.yml").write_text(EVERYTHING, encoding="utf-8")
    said = ""
    expected = []
    # What is done while it runs, and what while it is down.
    for number, (above, below) in enumerate((("a1", "a2"), ("b1", "b2"), ("c1", ""))):
        with Rulebook("everything.yml", tmp_path, programs) as run:
            run.start(**connection(panel))
            wait_for_readings(panel, 1)
            if number:
                run.wait_for(f"<client_created {expected[-1]}>")
            create(panel, above)
            expected.append(above)
            if number != 1:
                run.wait_for(f"<client_created {above}>")
            # Once it has not even seen it.
            run.kill()
            said += run.said
        if below:
            create(panel, below)
            expected.append(below)
    with Rulebook("everything.yml", tmp_path, programs) as run:
        run.start(**connection(panel))
        wait_for_readings(panel, 2)
        said += run.said
    assert {name: said.count(f"<client_created {name}>") for name in expected} == dict.fromkeys(expected, 1)
    assert said.count("<client_created") == len(expected) == 5


def test_a_panel_that_is_away_is_one_event(panel: Simulator, programs: list[str], tmp_path: Path) -> None:
    (tmp_path / "everything.yml").write_text(EVERYTHING, encoding="utf-8")
    with Rulebook("everything.yml", tmp_path, programs) as run:
        run.start(**connection(panel))
        wait_for_readings(panel, 1)
        panel.fault({"kind": "status", "status": 503, "body": "html", "times": 0})
        wait_for_readings(panel, 3)
        assert run.said.count("<panel_unreachable") == 1
        panel.clear_faults()
        run.wait_for("<panel_back")
        # One list in an interval, whatever happens.
        times = [entry["time"] for entry in panel.log() if entry["path"] == "/clients"]
        assert len(times) == len(panel.log())
        assert all(later - earlier > INTERVAL - 1 for earlier, later in itertools.pairwise(times))


def test_a_wrong_key_ends_the_rulebook_with_its_reason(panel: Simulator, programs: list[str], tmp_path: Path) -> None:
    (tmp_path / "everything.yml").write_text(EVERYTHING, encoding="utf-8")
    with Rulebook("everything.yml", tmp_path, programs) as run:
        run.start(**connection(panel, PANEL_API_KEY="k1234567.wrong-key-of-a-test"))
        assert run.wait() == 1
        assert "GET /clients answered 401: API key is missing or invalid. Check api_key" in run.said
        assert "Traceback" not in run.said
        assert len(panel.log()) == 1
        assert "wrong-key-of-a-test" not in run.said


def test_what_a_customer_wrote_is_no_template_for_the_playbook_of_a_rule(
    panel: Simulator, programs: list[str], tmp_path: Path
) -> None:
    hostile = "{{ lookup('ansible.builtin.pipe', 'touch /PLACE/broken') }}".replace("/PLACE", str(tmp_path))
    panel.request("PUT", f"/clients/{_id(panel, 'acme')}", {"notes": hostile})
    fail(panel, "acme")
    task = {"name": "Show", "ansible.builtin.debug": {"msg": "seen: {{ ansible_eda.event.panel.object.notes }}"}}
    play = [{"name": "Show", "hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    (tmp_path / "show.yml").write_text(json.dumps(play), encoding="utf-8")
    rules: Any = yaml.safe_load(EVERYTHING)
    rules[0]["sources"][0]["hosting.panel.panel"]["events"] = ["object_failed"]
    rules[0]["rules"][0]["action"] = {"run_playbook": {"name": "show.yml"}}
    (tmp_path / "everything.yml").write_text(json.dumps(rules), encoding="utf-8")
    with Rulebook("everything.yml", tmp_path, programs) as run:
        run.start(**connection(panel))
        run.wait_for("ok=1")
        assert "seen: { { lookup" in run.said
        assert not (tmp_path / "broken").exists()


def test_the_guide_names_every_event() -> None:
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    assert [name for name in TYPES if f"`{name}`" not in text] == []


def test_the_rulebooks_say_which_variables_they_take() -> None:
    for path in sorted((ROOT / "extensions" / "eda" / "rulebooks").glob("*.yml")):
        text = path.read_text(encoding="utf-8")
        head = text.partition("\n- name:")[0]
        assert f"--rulebook hosting.panel.{path.stem} " in head
        assert "state_file" in head
