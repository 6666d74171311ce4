"""JSON that the roles move and report write, loaded as variables: each text of a panel is the text
that it was, and nothing runs.

The texts are those of the test of exported files, in names and descriptions that get into these
files.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.marked_texts import (
    is_more_than_text,
    load_marked_json,
)
from tests.matrix.test_exported_texts import Trap, debug, generate_texts, make_records
from tests.support.playbook import IN_PROCESS, Run, play
from tests.support.simulator import Simulator

CLIENT = "acme"
DOMAIN = "acme.example"
FILES = {
    "zones": f"moves/{CLIENT}.zones-before.json",
    "hand_over": f"moves/{CLIENT}.hand-over.json",
    "report": "report.json",
}


@pytest.fixture(scope="module")
def target() -> Iterator[Simulator]:
    """Yield the panel to which the customer moves."""
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        yield simulator


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """Return a trap whose folder is there."""
    new_trap = Trap(tmp_path / "sprung")
    new_trap.folder.mkdir()
    return new_trap


def fill(source: Simulator, target: Simulator, texts: list[str]) -> None:
    """Give the source a customer with the texts in its zone, and some of them in the names of its
    tasks and of plans, of which each costs a request."""
    fitting = [text.strip() for text in texts if text.isprintable() and len(text) < 200]
    names = sorted(set(filter(is_more_than_text, fitting)))[::3]
    source.reset()
    target.reset()
    for simulator in (source, target):
        simulator.change_settings({"status_delay": 0})
    clients = [
        {"username": f"client-{number:03}", "hosting_plan": name}
        for number, name in enumerate(names)
    ]
    tasks = [
        {"client": CLIENT, "description": name, "type": "exec", "command": f"/bin/{number}"}
        for number, name in enumerate(names)
    ]
    source.seed({
        "plans": [{"name": name} for name in [*names, "Small"]],
        "clients": [{"username": CLIENT, "hosting_plan": "Small"}, *clients],
        "domains": [{"domain": DOMAIN, "client": CLIENT}],
        "scheduled_tasks": tasks,
    })  # fmt: skip
    target.seed({"plans": [{"name": "Small"}]})
    zone = source.request("GET", f"/dns/name/{DOMAIN}").json()["records"]
    # No new value of a TXT record begins with a string that is not closed.
    open_strings = {text for text in texts if text.strip().startswith('"')}
    zone = {**zone, "other": make_records([text for text in texts if text not in open_strings])}
    source.request("PUT", f"/dns/name/{DOMAIN}", {"records": zone})


def make_role_task(name: str, **variables: Any) -> dict[str, Any]:
    """Return a task that runs a role."""
    return {
        "name": f"{name} {variables.get(f'{name}_step', '')}",
        "ansible.builtin.include_role": {"name": f"hosting.panel.{name}"},
        "vars": variables,
    }


def write(source: Simulator, target: Simulator, folder: Path) -> Run:
    """Run the roles that write the files."""
    (folder / "moves").mkdir()
    ends = {
        f"move_{end}": {"api_url": simulator.url, "api_key": simulator.api_key}
        for end, simulator in (("source", source), ("target", target))
    }
    password = {"kind": "clients", "key": CLIENT, "password": "Correct-Horse-4711"}
    move = {
        "move_client": CLIENT,
        "move_dir": str(folder / "moves"),
        "move_passwords": [password],
        "move_ttl": 30,
        **ends,
    }
    report = {
        "report_file": str(folder / "report.html"),
        "report_json_file": str(folder / FILES["report"]),
        "report_months": 0,
    }
    tasks = [
        make_role_task("move", **move, move_step=step) for step in ("prepare", "copy", "verify")
    ]
    tasks.append(make_role_task("report", **report))

    return play(tasks, source, folder / "first", IN_PROCESS, [], source.environment)


def load(folder: Path) -> list[dict[str, Any]]:
    """Load each file in each way, use all of it, and print it in base64."""
    tasks: list[dict[str, Any]] = []
    for name, file in FILES.items():
        path = str(folder / file)
        read = f"lookup('ansible.builtin.file', '{path}') | hosting.panel.panel_from_json"
        tasks += [
            {"name": "load", "ansible.builtin.include_vars": {"file": path, "name": name}},
            debug(f"use {name}", f"{{{{ {name} }}}} {{{{ {name} | string }}}}"),
            debug(f"loaded {name}", f"{{{{ {name} | to_json | b64encode }}}}"),
            {"name": "keep", "ansible.builtin.set_fact": {f"kept_{name}": f"{{{{ {read} }}}}"}},
            debug(f"use the fact of {name}", f"{{{{ kept_{name} }}}}"),
            debug(f"read {name}", f"{{{{ kept_{name} | to_json | b64encode }}}}"),
        ]
    tasks.append(debug("of the play", "{{ zones }} {{ made }} {{ held_tasks }} {{ clients }}"))
    return tasks


def read_printed(run: Run, name: str) -> Any:
    """Return what a task printed in base64."""
    return json.loads(base64.b64decode(run[name].result["msg"]))


def count_texts(value: Any) -> int:
    """Return how many texts in a value could be templates."""
    if isinstance(value, dict):
        return sum(count_texts(inner) for inner in value.values())
    if isinstance(value, list):
        return sum(count_texts(inner) for inner in value)
    return isinstance(value, str) and is_more_than_text(value)


def test_json_of_a_move_and_of_a_report_is_loaded_as_variables_and_nothing_runs(
    simulator: Simulator, target: Simulator, trap: Trap, tmp_path: Path
) -> None:
    fill(simulator, target, list(generate_texts(trap)))

    run = write(simulator, target, tmp_path)

    messages = [recording.msg for recording in run.recordings if recording.outcome == "failed"]
    assert messages == []
    kept = [recording for recording in run.recordings if recording.name.endswith("as they were")]
    assert [recording.changed for recording in kept] == [True]

    keywords = {"vars_files": [str(tmp_path / file) for file in FILES.values()]}
    run = play(load(tmp_path), None, tmp_path / "second", IN_PROCESS, ["-vv"], None, keywords)

    assert trap.sprung == []
    assert [recording.msg for recording in run.recordings if recording.outcome != "ok"] == []
    for name, file in FILES.items():
        content = load_marked_json((tmp_path / file).read_text(encoding="utf-8"))
        assert count_texts(content) > 20, name
        assert read_printed(run, f"loaded {name}") == content
        assert read_printed(run, f"read {name}") == content


@pytest.mark.parametrize("content", ['{"client": "acme"', "", "[]", '{"zones": 5}'])
def test_zones_that_cannot_be_read_again_are_named_before_a_request(
    simulator: Simulator, target: Simulator, tmp_path: Path, content: str
) -> None:
    file = tmp_path / FILES["zones"]
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    end = {"api_url": simulator.url, "api_key": simulator.api_key}
    move = {"move_client": CLIENT, "move_dir": str(file.parent), "move_source": end}
    other_end = {"api_url": target.url, "api_key": target.api_key}
    tasks = [make_role_task("move", **move, move_target=other_end, move_step="prepare")]
    before = simulator.get_last_number()

    run = play(
        tasks,
        simulator,
        tmp_path / "play",
        IN_PROCESS,
        [],
        simulator.environment,
        {"ignore_errors": False},
    )

    (failed,) = [recording for recording in run.recordings if recording.outcome == "failed"]
    assert failed.msg.startswith(f"move_dir: {file}: that file"), failed.msg
    assert simulator.read_log(before) == []
    assert file.read_text(encoding="utf-8") == content
