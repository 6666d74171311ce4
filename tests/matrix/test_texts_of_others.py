"""Texts of others in every form of a template stay texts in each way out of the collection, on
every supported ansible-core.

Each customer of the panel has one form, in every field that a customer or an operator writes. Each
way out hands these texts on, each is used again in each way that a playbook has, and a file appears
where one of them is evaluated.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import watch
from tests.support.playbook import (
    IN_PROCESS,
    WAYS,
    Run,
    list_hosts,
    play,
    run_ansible,
    write_source,
)
from tests.support.simulator import Simulator

_CALL = "lookup('ansible.builtin.pipe', 'touch PLACE')"
# What stands for PLACE is the file that appears. Behind a header a template begins with other
# characters.
FORMS = {
    "an expression": f"{{{{ {_CALL} }}}}",
    "a statement": f"{{% if {_CALL} %}}{{% endif %}}",
    "behind a comment": f"{{# no #}}{{{{ {_CALL} }}}}",
    "other brackets": f"#jinja2: variable_start_string:'[[', variable_end_string:']]'\n[[ {_CALL} ]]",
    "other statements": f"#jinja2:block_start_string:'<%',block_end_string:'%>'\n<% if {_CALL} %>x<% endif %>",
    "a header alone": f"#jinja2: trim_blocks:True\n{{{{ {_CALL} }}}}",
    "lines": f"#jinja2: line_statement_prefix:'##'\n## if {_CALL}\n{{{{ 1 }}}}\n## endif",
}
NAMES = {f"c{number}": form for number, form in enumerate(FORMS)}
CONTACT = ("first_name", "last_name", "company", "address", "city", "state")
INFO = (
    "client",
    "domain",
    "dns",
    "email",
    "database",
    "ftp_user",
    "directory_protection",
    "scheduled_task",
    "plan",
)


class Trap:
    """The folder in which a file appears where a text is evaluated."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def make_text(self, form: str, name: str) -> str:
        """Return a text of this form; name: of the file that appears."""
        return FORMS[form].replace("PLACE", str(self.folder / name))

    @property
    def sprung(self) -> list[str]:
        """Return the names of the texts that somebody evaluated."""
        return sorted(path.name for path in self.folder.iterdir())


def make_seed(trap: Trap) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of a panel; each client has one form in all its texts."""
    seed: dict[str, list[dict[str, Any]]] = {}
    for name, form in NAMES.items():
        for kind, item in _make_objects(
            name, lambda field, form=form, name=name: trap.make_text(form, f"{name}.{field}")
        ):
            seed.setdefault(kind, []).append(item)

    return seed


def _make_objects(name: str, text: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield objects of every kind that have the text in all of their fields."""
    domain = f"{name}.example"
    contact = {field: text(field) for field in CONTACT}

    yield "plans", {"name": text("plan"), "php": {"disable_functions": text("disable")}}

    client = {
        "username": name,
        "notes": text("notes"),
        "contact_data": contact,
        "hosting_plan": text("plan"),
    }

    yield "clients", client

    yield (
        "domains",
        {"domain": domain, "client": name, "apache": {"http_directives": text("directives")}},
    )

    yield "emails", {"email": f"info@{domain}", "description": text("mailbox"), "max_size": 1000}

    yield (
        "databases",
        {"client": name, "database_name": f"{name}_shop", "description": text("database")},
    )

    yield "ftp_users", {"client": name, "username": f"{name}_web", "description": text("ftp")}

    protection = {"client": name, "path": "/shop", "username": "anna", "auth_name": text("auth")}

    yield "directory_protections", protection

    task = {"client": name, "description": text("task"), "type": "exec", "command": text("command")}

    yield "scheduled_tasks", task


@pytest.fixture
def trap(tmp_path: Path, simulator: Simulator) -> Trap:
    """Return a trap on the panel, in every text."""
    created_trap = Trap(tmp_path / "sprung")
    simulator.reset()
    simulator.change_settings({"status_delay": 0})
    simulator.seed(make_seed(created_trap))

    for name, form in NAMES.items():
        path = f"/dns/name/{name}.example"
        zone = simulator.request("GET", path).json()["records"]
        record = {
            "host": "policy",
            "type": "TXT",
            "ttl": 60,
            "value": created_trap.make_text(form, f"{name}.record"),
        }
        simulator.request("PUT", path, {"records": {**zone, "other": [record]}})

    return created_trap


def print_task(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a task that prints a text."""
    return {"name": name, "ansible.builtin.debug": {"msg": text}, **more}


def make_dictionary(expressions: Mapping[str, str]) -> str:
    """Return an expression for a dictionary of these."""
    return f"{{{', '.join(f'{name!r}: {expression}' for name, expression in expressions.items())}}}"


def make_uses(name: str, expression: str) -> Iterator[dict[str, Any]]:
    """Use a value again in each way that a playbook has."""
    fact = f"fact_{name}"
    whole = {"whole": f"{{{{ {expression} }}}}"}

    yield print_task(f"{name}: shown", f"{{{{ {expression} }}}}")

    yield {"name": f"{name}: kept", "ansible.builtin.set_fact": {fact: f"{{{{ {expression} }}}}"}}

    yield print_task(f"{name}: the fact", f"{{{{ {fact} }}}}")

    yield print_task(f"{name}: of another host", f"{{{{ hostvars[inventory_hostname].{fact} }}}}")

    yield print_task(f"{name}: in a variable", "{{ whole }}", vars=whole)

    yield print_task(f"{name}: joined", f"{{{{ 'It says ' ~ ({expression} | string) }}}}")

    yield print_task(f"{name}: in a loop", "{{ item }}", loop=f"{{{{ [{expression}] | flatten }}}}")

    yield print_task(f"{name}: as JSON and back", f"{{{{ {expression} | to_json | from_json }}}}")

    yield print_task(f"{name}: a condition", "x", when=f"({expression}) == 'x'")

    yield {
        "name": f"{name}: an argument",
        "ansible.builtin.ping": {"data": f"{{{{ {expression} | to_json }}}}"},
    }


def read() -> Iterator[dict[str, Any]]:
    """Read everything in each way that the collection has."""
    for kind in INFO:
        yield {"name": kind, f"hosting.panel.panel_{kind}_info": {}, "register": kind}

    yield {"name": "everything", "hosting.panel.panel_resources_info": {}, "register": "everything"}

    details = {"username": "c3", "include": ["resources", "stats", "traffic"]}

    yield {"name": "details", "hosting.panel.panel_client_info": details, "register": "details"}

    yield {"name": "called", "hosting.panel.panel_api": {"path": "/clients"}, "register": "called"}

    changed = {"resources": {"clients": [{"username": name, "notes": "other"} for name in NAMES]}}
    planned: dict[str, Any] = {
        "name": "planned",
        "hosting.panel.panel_resources": changed,
        "register": "planned",
    }

    yield {**planned, "check_mode": True, "diff": True}


RESULTS = make_dictionary(
    {name: name for name in (*INFO, "everything", "details", "called", "planned")}
)


def make_filter_tasks(far: str, prefix: str) -> Iterator[dict[str, Any]]:
    """Keep what each of the collection's filters makes of what was read, and shows it.

    place: where the results are.
    """
    zone = f"{prefix}dns.dns[0] | hosting.panel.panel_records_to_zone"
    chosen = "hosting.panel.panel_select(kinds=['scheduled_tasks'], clients=['*'])"
    expressions = {
        "lines": f"{prefix}planned | hosting.panel.panel_plan_lines",
        "page": f"{prefix}planned | hosting.panel.panel_plan_markdown",
        "zone": zone,
        "records": f"{zone} | hosting.panel.panel_zone_to_records(origin='c0.example')",
        "findings": f"{prefix}dns.dns | hosting.panel.panel_mail_dns",
        "chosen": f"{prefix}everything.resources | {chosen}",
        "lower": f"{prefix}dns.dns | hosting.panel.panel_lower_ttls",
    }

    for name, expression in expressions.items():
        # Each alone: beside one that has kept its mark Ansible marks them all.
        fact = f"{far}{name}"
        yield {
            "name": f"keep {fact}",
            "ansible.builtin.set_fact": {fact: f"{{{{ {expression} }}}}"},
        }
        yield print_task(fact, f"{{{{ {fact} }}}}")


def list_failures(run: Run) -> dict[str, str]:
    """Return the messages of the tasks that failed, by their names."""
    return {
        recording.name: recording.msg[:300]
        for recording in run.recordings
        if recording.outcome not in ("ok", "skipped")
    }


def test_each_trap_is_sprung_where_a_text_is_trusted(tmp_path: Path) -> None:
    trap = Trap(tmp_path / "sprung")
    tasks = [
        print_task(form, "{{ text }}", vars={"text": trap.make_text(form, name)})
        for name, form in NAMES.items()
    ]

    play(tasks, None, tmp_path / "play")

    assert trap.sprung == sorted(NAMES)


@pytest.mark.parametrize("way", WAYS)
def test_results_and_facts_stay_texts(
    simulator: Simulator, trap: Trap, tmp_path: Path, way: str
) -> None:
    near = make_filter_tasks("near_", "")
    far = make_filter_tasks("far_", "hostvars[inventory_hostname].")
    tasks = [*read(), *make_uses("results", RESULTS), *near, *far]

    run = play(tasks, simulator, tmp_path / "play", way, ["-vvv"], simulator.environment)

    assert len(run.recordings) == len(tasks), run.text[-3000:]
    assert list_failures(run) == {}
    assert trap.sprung == []

    notes = {name: trap.make_text(form, f"{name}.notes") for name, form in NAMES.items()}
    records = {
        f"{name}.example": trap.make_text(form, f"{name}.record") for name, form in NAMES.items()
    }

    for use in ("shown", "the fact", "of another host", "in a variable", "as JSON and back"):
        results = run[f"results: {use}"].result["msg"]
        assert {
            client["username"]: client["notes"] for client in results["client"]["clients"]
        } == notes, use
        assert {
            zone["domain"]: zone["records"]["other"][0]["value"] for zone in results["dns"]["dns"]
        } == records, use

    for prefix in ("near", "far"):
        assert records["c0.example"] in run[f"{prefix}_zone"].result["msg"]
        assert [entry["value"] for entry in run[f"{prefix}_records"].result["msg"]] == [
            records["c0.example"]
        ]


CONSTRUCTED = {
    "compose": {
        "composed": "panel_notes | default(panel_apache)",
        "joined": "'It says ' ~ (panel_notes | default(''))",
    },
    "keyed_groups": [
        {"key": "panel_notes | default('')", "prefix": "notes"},
        {"key": "panel_hosting_plan", "parent_group": "all_plans"},
    ],
}


@pytest.mark.parametrize("hosts", ["clients", "domains"])
def test_variables_of_an_inventory_stay_texts(
    simulator: Simulator, trap: Trap, tmp_path: Path, hosts: str
) -> None:
    source = write_source(tmp_path, "fleet", {"hosts": hosts, **CONSTRUCTED})
    listed = list_hosts([source], tmp_path, simulator.environment)

    assert len(listed.hosts) == len(NAMES), listed.text

    variables = sorted(
        {name for host in listed.hosts.values() for name in host} - {"ansible_python_interpreter"}
    )
    everything = make_dictionary({name: f"{name} | default('')" for name in variables})
    tasks = [
        print_task("all", f"{{{{ {everything} }}}}"),
        *(print_task(name, f"{{{{ {name} }}}}") for name in CONSTRUCTED["compose"]),
    ]
    host_variables = "hostvars[inventory_hostname]"
    far = {
        "far": f"{{{{ {host_variables}.composed }}}}",
        "both": f"{{{{ ({host_variables}.composed | string) ~ 'x' }}}}",
    }
    # Names of groups are variables too, also where a setting lets all characters pass.
    tasks += [
        print_task("groups", "{{ groups }} {{ group_names }}"),
        print_task("whole", f"{{{{ {host_variables} | to_json }}}}"),
    ]
    tasks += [{"name": "kept", "ansible.builtin.set_fact": far}, print_task("far", "{{ far }}")]
    environment = {**simulator.environment, "ANSIBLE_TRANSFORM_INVALID_GROUP_CHARS": "ignore"}

    run = play(
        tasks,
        simulator,
        tmp_path,
        IN_PROCESS,
        ["-i", str(source)],
        environment,
        {"hosts": "hosting_panel"},
    )

    assert len(run.recordings) == len(NAMES) * len(tasks), run.text[-3000:]
    assert list_failures(run) == {}
    assert trap.sprung == []

    for recording in run.recordings:
        name = recording.host.partition(".")[0]
        displayed = recording.result.get("msg")
        if recording.name == "all" and hosts == "clients":
            assert displayed["panel_notes"] == trap.make_text(NAMES[name], f"{name}.notes")
        elif recording.name == "all":
            assert displayed["panel_apache"]["http_directives"] == trap.make_text(
                NAMES[name], f"{name}.directives"
            )


def save_inventory(simulator: Simulator, folder: Path, *format_options: str) -> str:
    """Return what ``ansible-inventory --list`` prints of all clients in a format."""
    source = write_source(folder, "fleet", {"hosts": "clients", **CONSTRUCTED})
    output = folder / "saved"
    arguments = ["-i", str(source), "--list", "--output", str(output), *format_options]
    enabled = {"ANSIBLE_INVENTORY_ENABLED": "hosting.panel.panel"}

    done = run_ansible(
        "inventory", arguments, folder, IN_PROCESS, {**simulator.environment, **enabled}
    )

    assert done.returncode == 0, done.stdout
    return output.read_text(encoding="utf-8")


def make_uses_of_variables() -> list[dict[str, Any]]:
    """Use the variables of the hosts of a saved inventory."""
    return [
        print_task("notes", "{{ panel_notes }}"),
        print_task("composed", "{{ composed }} {{ joined }}"),
        print_task("whole", "{{ hostvars[inventory_hostname] | to_json }}"),
        print_task("groups", "{{ groups }} {{ group_names }}"),
        {"name": "kept", "ansible.builtin.set_fact": {"kept": "{{ panel_contact_data }}"}},
        print_task("fact", "{{ kept }}"),
        print_task("a condition", "x", when="panel_notes == 'x'"),
    ]


def make_script(content: str, folder: Path) -> Path:
    """Return a program that prints an inventory."""
    printed = folder / "printed.json"
    printed.write_text(content, encoding="utf-8")
    script = folder / "script.sh"
    script.write_text(f"#!/bin/sh\ncat {printed}\n", encoding="utf-8")
    script.chmod(0o700)
    return script


@pytest.mark.parametrize(
    "is_stored", [False, True], ids=["as it was printed", "after a program has stored it"]
)
def test_json_of_an_inventory_marks_texts_for_what_reads_it_as_an_inventory_script(
    simulator: Simulator, trap: Trap, tmp_path: Path, is_stored: bool
) -> None:
    saved = save_inventory(simulator, tmp_path)
    if is_stored:
        # As AWX does, which keeps variables in its database and prints them without a profile.
        inventory = json.loads(saved)
        inventory["_meta"].pop("profile", None)
        saved = json.dumps(inventory)

    tasks = make_uses_of_variables()
    arguments = ["-i", str(make_script(saved, tmp_path))]
    hosts = {"hosts": "hosting_panel"}

    run = play(tasks, None, tmp_path / "play", IN_PROCESS, arguments, keywords=hosts)

    assert len(run.recordings) == len(NAMES) * len(tasks), run.text[-3000:]
    assert list_failures(run) == {}
    assert trap.sprung == []
    assert {
        recording.host: recording.result["msg"]
        for recording in run.recordings
        if recording.name == "notes"
    } == {name: trap.make_text(form, f"{name}.notes") for name, form in NAMES.items()}


def test_yaml_of_an_inventory_has_no_marks_as_the_pages_say(
    simulator: Simulator, trap: Trap, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.yml"
    saved.write_text(save_inventory(simulator, tmp_path, "--yaml"), encoding="utf-8")
    arguments = ["-i", str(saved)]
    hosts = {"hosts": "hosting_panel"}

    play(make_uses_of_variables(), None, tmp_path / "play", IN_PROCESS, arguments, keywords=hosts)

    assert {f"{name}.notes" for name in NAMES} <= set(trap.sprung)


class Queue:
    """Takes events as ansible-rulebook does."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    async def put(self, event: dict[str, Any]) -> None:
        self.events.append(event)


class Enough(Exception):
    """One reading is done."""


def read_events(simulator: Simulator) -> list[dict[str, Any]]:
    """Return what the event source tells of all clients at once.

    This are new, and of objects that failed.
    """
    queue = Queue()

    async def pause(_seconds: float) -> None:
        raise Enough

    with contextlib.suppress(Enough):
        asyncio.run(watch(queue, {"api_url": simulator.url, "api_key": simulator.api_key}, pause))

    return queue.events


def test_events_stay_texts_as_extra_variables(
    simulator: Simulator, trap: Trap, tmp_path: Path
) -> None:
    seed = make_seed(trap)
    for kind in seed.keys() - {"plans", "databases"}:
        seed[kind] = [{**item, "status": 2} for item in seed[kind]]

    simulator.reset()
    simulator.seed(seed)

    events = read_events(simulator)

    assert len(events) >= 6 * len(NAMES)

    file = tmp_path / "events.json"
    file.write_text(json.dumps({"events": events}), encoding="utf-8")
    tasks = [
        *make_uses("events", "events"),
        print_task("first", "{{ (events | first).panel.object }}"),
    ]

    run = play(tasks, None, tmp_path / "play", IN_PROCESS, ["-e", f"@{file}"])

    assert list_failures(run) == {}
    assert trap.sprung == []

    texts = json.dumps(run["events: shown"].result["msg"])
    assert all(f"{name}.notes" in texts for name in NAMES)
