"""What a panel answers is data on every supported ansible-core: a template in it is never evaluated, wherever it is used again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import GROUP, WAYS, Run, defaults, play, run_playbook
from tests.support.simulator import Simulator


@dataclass(frozen=True)
class Trap:
    """Templates that would leave a file behind."""

    folder: Path

    def text(self, name: str) -> str:
        return f"{{{{ lookup('ansible.builtin.pipe', 'touch {self.folder / name}') }}}}{{% set x = 7 * 6 %}}"

    @property
    def sprung(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@dataclass(frozen=True)
class Used:
    """A run, and the traps that were in it."""

    run: Run
    trap: Trap

    def value(self, name: str) -> Any:
        return self.run[name].result


def tasks(trap: Trap) -> Iterator[dict[str, Any]]:
    """Reads traps in each way in which a panel's words come to the controller, and uses each again in every way there is."""
    refusal = {"kind": "body", "status": 400, "method": "PUT", "when": "before", "times": 1}
    complaint = {**refusal, "body": {"code": "400 Bad Request", "message": f"Not {trap.text('complaint')}"}}
    yield {"name": "read", "hosting.panel.panel_client_info": {"username": "acme"}, "register": "read"}
    yield {"name": "called", "hosting.panel.panel_api": {"path": "/clients/name/acme"}, "register": "called"}
    yield {"name": "exported", "hosting.panel.panel_resources_info": {"kinds": ["clients"]}, "register": "exported"}
    yield {"name": "shown", "ansible.builtin.debug": {"msg": "{{ read.clients[0].notes }}"}}
    yield {"name": "joined", "ansible.builtin.debug": {"msg": "It says {{ called.response.notes }}"}}
    yield {"name": "kept", "ansible.builtin.set_fact": {"notes": "{{ read.clients[0].notes }}", "cacheable": True}}
    yield {"name": "shown once more", "ansible.builtin.debug": {"msg": "{{ notes }}"}}
    yield {
        "name": "written back",
        "hosting.panel.panel_client": {"username": "globex", "notes": "{{ notes }}"},
        "register": "written",
    }
    yield {"name": "written back again", "hosting.panel.panel_client": {"username": "globex", "notes": "{{ notes }}"}}
    yield {
        "name": "given back whole",
        "hosting.panel.panel_resources": {"resources": "{{ exported.resources }}"},
        "diff": True,
    }
    yield {
        "name": "in a loop",
        "ansible.builtin.debug": {"msg": "{{ item.notes }}"},
        "loop": "{{ exported.resources.clients | selectattr('notes') }}",
    }
    yield {
        "name": "refused",
        "hosting.panel.panel_client": {"username": "acme", "email": "new@acme.example"},
        "register": "refused",
        "vars": {"simulator": {"before": [["POST", "/faults", complaint]]}},
    }
    yield {"name": "the refusal", "ansible.builtin.debug": {"msg": "{{ refused.msg }}"}}
    login = {"kind": "body", "path": "^/login/", "body": {"url": f"https://panel.example/{trap.text('login')}"}}
    looked_up = "{{ lookup('hosting.panel.panel_login_url', 'acme', api_url=api_url, api_key=api_key) }}"
    yield {
        "name": "looked up",
        "ansible.builtin.debug": {"msg": looked_up},
        "vars": {"simulator": {"before": [["POST", "/faults", login]]}},
    }
    yield {"name": "as a condition", "ansible.builtin.debug": {"msg": "x"}, "when": "read.clients[0].notes == 'x'"}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator.start(settings={"status_delay": 0}) as running:
        yield running


@pytest.fixture(scope="module", params=WAYS)
def used(request: pytest.FixtureRequest, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Used:
    trap = Trap(tmp_path_factory.mktemp("sprung"))
    folder = tmp_path_factory.mktemp("untrusted")
    simulator.reset()
    simulator.seed({"clients": [{"username": "acme", "notes": trap.text("notes")}, {"username": "globex"}]})
    # The trap is in the faults of the simulator too, which the tests' own callback hands over: as data, not as a template.
    playbook = folder / "playbook.yml"
    plays = [
        {
            "name": "Untrusted answers",
            "hosts": "localhost",
            "gather_facts": False,
            "ignore_errors": True,
            "module_defaults": {GROUP: defaults(simulator)},
            "vars": {"api_url": simulator.url, "api_key": simulator.api_key},
            "tasks": list(tasks(trap)),
        }
    ]
    playbook.write_text(json.dumps(plays), encoding="utf-8")
    return Used(run_playbook(playbook, simulator, folder, request.param, ["-vvv"]), trap)


def test_no_template_of_the_panel_was_evaluated(used: Used) -> None:
    assert len(used.run.recordings) == len(list(tasks(used.trap))), used.run.text[-3000:]
    assert used.trap.sprung == []


def test_the_words_of_the_panel_come_back_as_they_are(used: Used) -> None:
    text = used.trap.text("notes")
    assert used.value("read")["clients"][0]["notes"] == text
    assert used.value("called")["response"]["notes"] == text
    assert text in [item.get("notes") for item in used.value("exported")["resources"]["clients"]]
    assert used.value("shown")["msg"] == used.value("shown once more")["msg"] == text
    assert used.value("joined")["msg"] == f"It says {text}"
    assert [item["msg"] for item in used.value("in a loop")["results"]] == [text]
    assert used.value("looked up")["msg"] == f"https://panel.example/{used.trap.text('login')}"


def test_a_complaint_of_the_panel_comes_back_as_it_is(used: Used) -> None:
    assert used.run["refused"].outcome == "failed"
    for name in ("refused", "the refusal"):
        assert used.trap.text("complaint") in used.value(name)["msg"]


def test_what_is_written_back_is_what_was_read(used: Used, simulator: Simulator) -> None:
    text = used.trap.text("notes")
    assert used.value("written back")["changed"] is True
    assert [write["body"] for write in used.run["written back"].writes] == [{"notes": text}]
    assert (used.value("written back again")["changed"], used.run["written back again"].writes) == (False, [])


def test_a_panel_that_is_given_back_is_not_changed(used: Used) -> None:
    # The export was made before globex got its notes.
    writes = used.run["given back whole"].writes
    assert used.run["given back whole"].outcome == "ok", used.run["given back whole"].msg
    assert [write["body"] for write in writes] == [{"notes": ""}]


def test_the_trap_works(tmp_path: Path) -> None:
    trap = Trap(tmp_path / "sprung")
    trap.folder.mkdir()
    run = play([{"name": "sprung", "ansible.builtin.debug": {"msg": trap.text("own")}}], None, tmp_path)
    assert run["sprung"].outcome == "ok", run.text
    assert trap.sprung == ["own"]
