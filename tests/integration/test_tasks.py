"""What Ansible itself does with tasks.

Where connection options come from, loops, async, delegation, ad-hoc commands, timeout and progress.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import (
    GROUP,
    make_connection_options,
    make_task,
    play,
    run_ansible,
    write_inventory,
)
from tests.support.simulator import Simulator

WRONG = "http://127.0.0.1:9"
FRESH = [
    ["POST", "/reset", None],
    ["POST", "/seed", {"clients": [{"username": "acme"}, {"username": "globex"}]}],
]


def make_environment(simulator: Simulator, **more: str) -> dict[str, str]:
    """Return the connection in environment variables."""
    return {
        "PANEL_API_URL": simulator.url,
        "PANEL_API_KEY": simulator.api_key,
        "PANEL_RETRY_TIME": "0",
        **more,
    }


def make_defaults(**more: Any) -> dict[str, Any]:
    """Return options of a run whose play has these defaults of modules alone."""
    return {"keywords": {"module_defaults": more}}


# By what is right, how a ping is run that reaches the panel only then; other sources lead to where
# nobody listens.
SOURCES: dict[str, Callable[[Simulator], dict[str, Any]]] = {
    "environment variables are enough": lambda panel: {
        **make_defaults(),
        "variables": make_environment(panel),
    },
    "environment of the task wins over the caller's": lambda panel: {
        **make_defaults(),
        "one": make_task("ping", "panel_ping", environment={"PANEL_API_URL": panel.url}),
        "variables": make_environment(panel, PANEL_API_URL=WRONG),
    },
    "defaults of the group win over the environment": lambda panel: {
        "variables": make_environment(panel, PANEL_API_URL=WRONG)
    },
    "defaults of the module win over those of the group": lambda panel: make_defaults(
        **{
            GROUP: {**make_connection_options(panel), "api_url": WRONG},
            "hosting.panel.panel_ping": {"api_url": panel.url},
        }
    ),
    "the task wins over all": lambda panel: {
        **make_defaults(**{GROUP: {**make_connection_options(panel), "api_url": WRONG}}),
        "one": make_task("ping", "panel_ping", {"api_url": panel.url}),
        "variables": make_environment(panel, PANEL_API_URL=WRONG),
    },
}


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_of_the_connection_is_enough_and_the_nearer_one_wins(
    simulator: Simulator, tmp_path: Path, source: str, way: str
) -> None:
    options = SOURCES[source](simulator)
    ping = options.pop("one", None) or make_task("ping", "panel_ping")

    assert play([ping], simulator, tmp_path, way, **options)["ping"].outcome == "ok"


def test_a_key_that_is_empty_or_left_out_never_becomes_the_key_of_another_panel(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    connection = {
        "api_url": simulator.url,
        "api_key": "{{ lookup('ansible.builtin.env', 'NO_SUCH_KEY') }}",
    }
    url = "{{ query('hosting.panel.panel_login_url', 'acme', **connection) }}"
    tasks = [
        make_task("module", "panel_ping", connection),
        make_task("left out", "panel_ping", {"api_url": simulator.url}),
        make_task("export", "panel_export", {**connection, "dir": str(tmp_path / "export")}),
        {
            "name": "lookup",
            "ansible.builtin.debug": {"msg": url},
            "vars": {"connection": connection},
        },
    ]
    for task in tasks:
        task["ignore_errors"] = True
    simulator.request("POST", "/reset")

    run = play(
        tasks,
        simulator,
        tmp_path,
        way,
        variables=make_environment(simulator, PANEL_API_URL=WRONG),
        **make_defaults(),
    )

    expected = "PANEL_API_KEY has the key of 127.0.0.1:9, not of"
    for recording in run.recordings:
        assert expected in recording.result["msg"], recording.name
    assert len(run.recordings) == len(tasks)


def test_what_is_omitted_or_an_empty_text_counts_as_not_given(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    omitted = "{{ no_such | default(omit) }}"
    empty = dict.fromkeys(("validate_certs", "ca_path", "timeout", "retry_time"), "")
    url = "{{ query('hosting.panel.panel_login_url', 'acme') }}"
    zone = {"domain": "acme.example", "client": omitted, "state": "absent"}
    zone["records"] = [{"host": "www", "type": "A", "value": omitted}]
    domain = ["POST", "/seed", {"domains": [{"domain": "acme.example", "client": "acme"}]}]
    tasks = [
        make_task("zone", "panel_dns", zone, [*FRESH, domain]),
        make_task(
            "panel", "panel_resources", {"resources": {"clients": []}, "expected_checksum": omitted}
        ),
        make_task("module", "panel_client_info", empty),
        {
            "name": "lookup",
            "ansible.builtin.debug": {"msg": url},
            "vars": {f"panel_{name}": "" for name in empty},
        },
    ]
    variables = make_environment(simulator, **{f"PANEL_{name.upper()}": "" for name in empty})

    run = play(tasks, simulator, tmp_path, way, variables=variables, **make_defaults())

    assert {recording.name: recording.outcome for recording in run.recordings} == {
        entry["name"]: "ok" for entry in tasks
    }, run.text
    assert "validate_certs is false" not in run.text


@pytest.mark.parametrize("has_inventory", [False, True], ids=["no inventory", "an inventory"])
def test_an_ad_hoc_command_works_without_an_inventory_too(
    simulator: Simulator, tmp_path: Path, way: str, has_inventory: bool
) -> None:
    simulator.reset()
    simulator.seed({"clients": [{"username": "acme"}]})
    inventory = ["-i", str(write_inventory(tmp_path))] if has_inventory else []
    module = ["-m", "hosting.panel.panel_client_info", "-a", "username=acme"]

    process = run_ansible(
        "adhoc",
        ["localhost", *module, *inventory],
        tmp_path,
        way,
        make_environment(simulator),
    )

    assert process.returncode == 0, process.stdout
    assert '"username": "acme"' in process.stdout


def test_an_asynchronous_task_keeps_its_password_in_a_file_until_that_is_removed(
    simulator: Simulator, tmp_path: Path
) -> None:
    status = {
        "ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}"},
        "register": "status",
    }
    tasks = [
        make_task(
            "polled", "panel_client", {"username": "polled"}, FRESH, **{"async": 60, "poll": 1}
        ),
        make_task(
            "started",
            "panel_client",
            {"username": "initech"},
            register="job",
            **{"async": 60, "poll": 0},
        ),
        {"name": "finished", **status, "until": "status.finished", "retries": 20, "delay": 1},
        {"name": "looked at", "ansible.builtin.slurp": {"src": "{{ job.results_file }}"}},
        {
            "name": "removed",
            "ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}", "mode": "cleanup"},
        },
        {"name": "looked at again", "ansible.builtin.stat": {"path": "{{ job.results_file }}"}},
    ]

    run = play(tasks, simulator, tmp_path)

    assert run["polled"].result["generated_password"], run["polled"].msg
    assert run["polled"].calls == ["GET /clients/name/polled", "POST /clients"]

    password = run["finished"].result["generated_password"]
    assert password in base64.b64decode(run["looked at"].result["content"]).decode()
    assert run["looked at again"].result["stat"] == {"exists": False}


def test_a_delegated_task_runs_where_it_is_delegated_to(
    simulator: Simulator, tmp_path: Path
) -> None:
    hosts = {"panel-host": {"ansible_connection": "ssh", "ansible_host": "192.0.2.1"}}
    tasks = [
        make_task("delegated", "panel_ping", delegate_to="localhost"),
        make_task(
            "as a local action",
            "panel_ping",
            connection="local",
            vars={"ansible_connection": "local"},
        ),
    ]

    run = play(tasks, simulator, tmp_path, hosts=hosts, keywords={"hosts": "panel-host"})

    assert [recording.outcome for recording in run.recordings] == ["ok", "ok"], run.text


def test_a_loop_in_process_keeps_one_connection_and_survives_its_end(
    simulator: Simulator, tmp_path: Path
) -> None:
    closing = [
        *FRESH,
        ["POST", "/settings", {"requests_per_connection": 3, "announce_close": False}],
    ]
    names = ["acme", "globex"] * 5
    state = [["GET", "/state", None]]
    tasks = [
        make_task(
            "kept", "panel_client", {"username": "{{ item }}", "notes": "x"}, FRESH, loop=names
        ),
        make_task(
            "closed",
            "panel_client",
            {"username": "c{{ item }}"},
            closing,
            state,
            loop=list(range(8)),
        ),
    ]
    run = play(tasks, simulator, tmp_path)
    kept = run["kept"]
    closed = run["closed"]

    assert len(kept.requests) == 12
    assert len({request["connection"] for request in kept.requests}) == 1
    assert closed.outcome == "ok", closed.msg

    created = [
        item
        for item in closed.observed[0]["objects"]["clients"]
        if item["data"]["username"].startswith("c")
    ]
    passwords = [item["generated_password"] for item in closed.result["results"]]

    assert passwords == [item["hidden"]["password"] for item in created]
    assert len(passwords) == 8


# The keyword timeout

MANY = [
    {"username": f"client{number}", "email": f"it@client{number}.example"} for number in range(6)
]


def test_a_task_whose_time_is_over_hands_over_its_passwords_and_the_next_one_has_its_own_time(
    simulator: Simulator, tmp_path: Path
) -> None:
    late = [*FRESH, ["POST", "/settings", {"write_latency": 1500.0}]]
    slow = [*FRESH, ["POST", "/settings", {"write_latency": 700.0}]]
    quick = [["POST", "/settings", {"write_latency": 0}]]
    many: dict[str, Any] = {"resources": {"clients": MANY}}
    tasks = [
        make_task("one", "panel_client", {"username": "new"}, late, timeout=1),
        make_task("many", "panel_resources", {**many, "concurrency": 1}, slow, timeout=2),
        make_task("again", "panel_resources", many, quick),
    ]

    run = play(tasks, simulator, tmp_path)

    assert (run["one"].outcome, run["one"].changed) == ("ok", True), run["one"].msg
    assert run["one"].result["generated_password"]

    stopped = run["many"]
    written = len(stopped.writes)

    assert (stopped.outcome, stopped.changed, 0 < written < len(MANY)) == ("failed", True, True)

    keys = [entry["key"] for entry in stopped.result["generated_passwords"]]
    assert keys == [client["username"] for client in MANY[:written]]
    assert "the time of the task was over, so nothing more was sent." in str(
        stopped.result["results"][-1]
    )
    assert (run["again"].outcome, len(run["again"].writes)) == ("ok", len(MANY) - written), run[
        "again"
    ].msg
