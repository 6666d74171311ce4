"""Where connection options come from, which one wins, and how tasks run otherwise: ad hoc, asynchronous, delegated, in a loop."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import GROUP, IN_PROCESS, Run, ansible, defaults, play, surroundings, task, write_inventory
from tests.support.simulator import Simulator

WRONG = "http://127.0.0.1:9"
FRESH = [["POST", "/reset", None], ["POST", "/seed", {"clients": [{"username": "acme"}, {"username": "globex"}]}]]


def environment(simulator: Simulator, **more: str) -> dict[str, str]:
    """The connection in environment variables."""
    return {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key, "PANEL_RETRY_TIME": "0", **more}


def ping(simulator: Simulator, folder: Path, way: str, **options: Any) -> Run:
    """A run that pings a panel, with a task of its own where one is given."""
    one = options.pop("one", None) or task("ping", "panel_ping")
    return play([one], simulator, folder, way, **options)


def defaulting(**more: Any) -> dict[str, Any]:
    """Options of a run whose play has these defaults of modules alone."""
    return {"keywords": {"module_defaults": more}}


# By what is right, how a ping is run that reaches the panel only then; other sources lead to where nobody listens.
SOURCES: dict[str, Callable[[Simulator], dict[str, Any]]] = {
    "environment variables are enough": lambda here: {**defaulting(), "variables": environment(here)},
    "environment of the task is enough": lambda here: {
        **defaulting(),
        "one": task("ping", "panel_ping", environment=environment(here)),
    },
    "environment of the task wins over the caller's": lambda here: {
        **defaulting(),
        "one": task("ping", "panel_ping", environment={"PANEL_API_URL": here.url}),
        "variables": environment(here, PANEL_API_URL=WRONG),
    },
    "defaults of the group win over the environment": lambda here: {
        "variables": environment(here, PANEL_API_URL=WRONG)
    },
    "defaults of the module win over those of the group": lambda here: defaulting(
        **{GROUP: {**defaults(here), "api_url": WRONG}, "hosting.panel.panel_ping": {"api_url": here.url}}
    ),
    "the task wins over all": lambda here: {
        **defaulting(**{GROUP: {**defaults(here), "api_url": WRONG}}),
        "one": task("ping", "panel_ping", {"api_url": here.url}),
        "variables": environment(here, PANEL_API_URL=WRONG),
    },
}


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_of_the_connection_is_enough_and_the_nearer_one_wins(
    simulator: Simulator, tmp_path: Path, source: str, way: str
) -> None:
    assert ping(simulator, tmp_path, way, **SOURCES[source](simulator))["ping"].outcome == "ok"


def test_environment_variables_are_read_as_the_types_of_their_options(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    # Since 2.21 Ansible shows the arguments only when it is told to.
    shown = {"ANSIBLE_INJECT_INVOCATION": "true"}
    variables = environment(simulator, PANEL_VALIDATE_CERTS="no", PANEL_TIMEOUT="7", **shown)
    run = ping(simulator, tmp_path, way, **defaulting(), variables=variables, arguments=["-vvv"])
    arguments = run["ping"].result["invocation"]["module_args"]
    assert (arguments["validate_certs"], arguments["timeout"], arguments["retry_time"]) == (False, 7, 0)
    assert "validate_certs is false" in run.text


EMPTY = {f"PANEL_{name}": "" for name in ("VALIDATE_CERTS", "CA_PATH", "TIMEOUT", "RETRY_TIME")}


def test_an_empty_text_counts_as_not_given_wherever_it_stands(simulator: Simulator, tmp_path: Path, way: str) -> None:
    empty = {name.lower().removeprefix("panel_"): "" for name in EMPTY}
    url = "{{ query('hosting.panel.panel_login_url', 'acme'%s) }}"
    of_task = ", ".join(f"{name}=''" for name in empty)
    variables = {f"panel_{name}": "" for name in empty}
    tasks = [
        task("module", "panel_client_info", empty, before=FRESH),
        task("report", "panel_report", {**empty, "file": "report.html"}),
        {"name": "lookup", "ansible.builtin.debug": {"msg": url % ""}, "vars": variables},
        {"name": "lookup by its options", "ansible.builtin.debug": {"msg": url % f", {of_task}"}},
    ]
    run = play(tasks, simulator, tmp_path, way, variables=environment(simulator, **EMPTY), **defaulting())
    assert {one.name: one.outcome for one in run.recordings} == {one["name"]: "ok" for one in tasks}, run.text
    assert "validate_certs is false" not in run.text


def test_the_address_may_be_written_in_several_forms(simulator: Simulator, tmp_path: Path) -> None:
    forms = ["{}", "{}/", "{}/api/v2", "{}/api/v2/", " {} "]
    tasks = [task(form, "panel_ping", {"api_url": form.format(simulator.url)}) for form in forms]
    run = play(tasks, simulator, tmp_path)
    assert {recording.name: recording.outcome for recording in run.recordings} == dict.fromkeys(forms, "ok")


def test_an_ad_hoc_command_works(simulator: Simulator, tmp_path: Path, way: str) -> None:
    inventory = write_inventory(tmp_path)
    words = ["localhost", "-i", str(inventory), "-m", "hosting.panel.panel_ping"]
    process = ansible("adhoc", words, tmp_path, way, environment(simulator))
    assert process.returncode == 0, process.stdout
    assert json.loads(process.stdout.partition("=>")[2])["ping"] == "pong"
    assert "WARNING" not in process.stdout


@pytest.mark.parametrize("options", ["", "api_url={{ panel_api_url }}"])
def test_a_command_for_a_host_of_another_panel_warns_unless_it_names_the_address(
    simulator: Simulator, tmp_path: Path, way: str, options: str
) -> None:
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    inventory = write_inventory(tmp_path, hosts={"web-2": {**local, "panel_api_url": simulator.url}})
    words = ["web-2", "-i", str(inventory), "-m", "hosting.panel.panel_ping", *(["-a", options] if options else [])]
    process = ansible("adhoc", words, tmp_path, way, environment(simulator, PANEL_API_URL=WRONG))
    host = simulator.url.removeprefix("http://")
    warning = f"This host has {host} in panel_api_url, and the task went to 127.0.0.1:9,"
    assert (warning in " ".join(process.stdout.split())) is not bool(options)
    assert (process.returncode == 0) is bool(options)


def test_an_ad_hoc_command_needs_no_inventory(simulator: Simulator, tmp_path: Path) -> None:
    words = ["localhost", "-m", "hosting.panel.panel_client_info", "-a", "username=acme"]
    simulator.reset()
    simulator.seed({"clients": [{"username": "acme"}]})
    process = ansible("adhoc", words, tmp_path, IN_PROCESS, environment(simulator))
    assert process.returncode == 0, process.stdout
    assert '"username": "acme"' in process.stdout


def test_an_asynchronous_task_runs_as_a_module(simulator: Simulator, tmp_path: Path) -> None:
    options = {"username": "initech"}
    tasks = [
        task("polled", "panel_client", options, FRESH, **{"async": 60, "poll": 1}),
        task("started", "panel_client_info", options, register="job", **{"async": 60, "poll": 0}),
        {
            "name": "finished",
            "ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}"},
            "register": "status",
            "until": "status.finished",
            "retries": 20,
            "delay": 1,
        },
    ]
    run = play(tasks, simulator, tmp_path)
    assert run["polled"].outcome == "ok", run["polled"].msg
    assert run["polled"].changed
    assert run["polled"].result["generated_password"]
    assert run["polled"].calls == ["GET /clients/name/initech", "POST /clients"]
    assert run["finished"].result["clients"][0]["username"] == "initech"


def test_a_generated_password_stays_in_the_file_of_an_asynchronous_task_until_it_is_removed(
    simulator: Simulator, tmp_path: Path
) -> None:
    status = {"ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}"}, "register": "status"}
    look = {"ansible.builtin.slurp": {"src": "{{ job.results_file }}"}}
    tasks = [
        task("started", "panel_client", {"username": "initech"}, FRESH, register="job", **{"async": 60, "poll": 0}),
        {"name": "finished", **status, "until": "status.finished", "retries": 20, "delay": 1},
        {"name": "looked at", **look},
        {"name": "facts", "ansible.builtin.stat": {"path": "{{ job.results_file }}"}},
        {"name": "removed", "ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}", "mode": "cleanup"}},
        {"name": "looked at again", "ansible.builtin.stat": {"path": "{{ job.results_file }}"}},
    ]
    run = play(tasks, simulator, tmp_path)
    password = run["finished"].result["generated_password"]
    assert password in base64.b64decode(run["looked at"].result["content"]).decode()
    assert run["facts"].result["stat"]["mode"] == "0644"
    assert run["looked at again"].result["stat"] == {"exists": False}


def test_a_delegated_task_runs_where_it_is_delegated_to(simulator: Simulator, tmp_path: Path) -> None:
    hosts = {"panel-host": {"ansible_connection": "ssh", "ansible_host": "192.0.2.1"}}
    tasks = [
        task("delegated", "panel_ping", delegate_to="localhost"),
        task("as a local action", "panel_ping", connection="local", vars={"ansible_connection": "local"}),
    ]
    run = play(tasks, simulator, tmp_path, hosts=hosts, keywords={"hosts": "panel-host"})
    assert [recording.outcome for recording in run.recordings] == ["ok", "ok"], run.text


def connections(requests: list[dict[str, Any]]) -> set[int]:
    """The numbers of the connections that these requests came over."""
    return {request["connection"] for request in requests}


def test_a_loop_in_process_keeps_one_connection(simulator: Simulator, tmp_path: Path) -> None:
    looped = task(
        "a loop", "panel_client", {"username": "{{ item }}", "notes": "x"}, FRESH, loop=["acme", "globex"] * 5
    )
    run = play([looped], simulator, tmp_path)
    requests = run["a loop"].requests
    assert len(requests) == 12
    assert len(connections(requests)) == 1
    assert all(item["client"]["notes"] == "x" for item in run["a loop"].result["results"])


def test_a_loop_survives_a_panel_that_closes_connections(simulator: Simulator, tmp_path: Path) -> None:
    closing = [*FRESH, ["POST", "/settings", {"requests_per_connection": 3, "announce_close": False}]]
    looped = task(
        "a loop", "panel_client", {"username": "c{{ item }}"}, closing, [["GET", "/state", None]], loop=list(range(8))
    )
    run = play([looped], simulator, tmp_path)
    recording = run["a loop"]
    assert recording.outcome == "ok", recording.msg
    made = [item for item in recording.observed[0]["objects"]["clients"] if item["data"]["username"].startswith("c")]
    assert len(made) == 8
    passwords = {item["generated_password"] for item in recording.result["results"]}
    assert passwords == {item["hidden"]["password"] for item in made}


@pytest.fixture
def second_panel() -> Iterator[Simulator]:
    """Another panel."""
    with Simulator.start(api_key="k7654321.another-key") as running:
        yield running


def test_two_panels_in_one_loop_are_kept_apart(
    simulator: Simulator, second_panel: Simulator, tmp_path: Path, way: str
) -> None:
    panels = [{"url": panel.url, "key": panel.api_key} for panel in (simulator, second_panel)]
    options = {"username": "initech", "api_url": "{{ item.url }}", "api_key": "{{ item.key }}"}
    second_panel.clear_log()
    run = play([task("a loop", "panel_client", options, FRESH, loop=panels)], simulator, tmp_path, way)
    assert run["a loop"].outcome == "ok", run["a loop"].msg
    assert [item["changed"] for item in run["a loop"].result["results"]] == [True, True]
    assert len(run["a loop"].writes) == len(second_panel.writes()) == 1


def test_a_proxy_of_the_environment_does_not_see_what_stays_on_this_machine(
    simulator: Simulator, tmp_path: Path
) -> None:
    variables = {"http_proxy": WRONG, "HTTPS_PROXY": WRONG}
    assert ping(simulator, tmp_path, IN_PROCESS, variables=variables)["ping"].outcome == "ok"


def test_the_surroundings_of_the_tests_have_no_settings_of_the_caller(tmp_path: Path) -> None:
    assert not [name for name in surroundings(tmp_path, IN_PROCESS) if name.startswith("PANEL_")]
