# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A key that the panel refused is not sent again in the same run, by no task and for no host of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, MODULE, ansible, play, run_playbook, task
from tests.support.simulator import Simulator

WRONG = {"api_key": "k1234567.another-key"}
EARLIER = "Not sent, since the panel has answered 401 to this key earlier in this run. Check api_key"
FORKS = 40


def hosts(number: int) -> dict[str, Any]:
    """So many hosts, with a local connection."""
    python = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    return {f"host-{place}": python for place in range(number)}


def statuses(simulator: Simulator) -> list[int]:
    return [request["status"] for request in simulator.log()]


@pytest.fixture(autouse=True)
def clean(simulator: Simulator) -> Iterator[None]:
    simulator.reset()
    simulator.clear_log()
    yield
    simulator.reset()


@pytest.mark.parametrize(("way", "number"), [(IN_PROCESS, FORKS), (MODULE, 6)])
def test_hosts_that_begin_at_once_send_a_wrong_key_once(
    way: str, number: int, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.settings({"latency": 50.0})
    one = task("info", "panel_client_info", WRONG)
    keywords = {"hosts": "all:!localhost"}
    run = play(
        [one, {**one, "name": "again"}],
        simulator,
        tmp_path,
        way,
        ["-f", str(number)],
        keywords=keywords,
        hosts=hosts(number),
    )
    assert statuses(simulator) == [401]
    assert {(one.outcome, one.result["error"]["type"], one.result["error"]["status"]) for one in run.recordings} == {
        ("failed", "Denied", 401)
    }
    assert len(run.recordings) == 2 * number
    assert sum(one.msg.startswith(EARLIER) for one in run.recordings) == 2 * number - 1


@pytest.mark.parametrize(("way", "number"), [(IN_PROCESS, FORKS), (MODULE, 3)])
def test_a_right_key_is_used_by_all_hosts(way: str, number: int, simulator: Simulator, tmp_path: Path) -> None:
    one = task("info", "panel_client_info")
    run = play(
        [one], simulator, tmp_path, way, ["-f", str(number)], keywords={"hosts": "all:!localhost"}, hosts=hosts(number)
    )
    assert statuses(simulator) == [200] * number
    assert {one.outcome for one in run.recordings} == {"ok"}


def test_no_kind_of_task_sends_it_again(way: str, simulator: Simulator, tmp_path: Path) -> None:
    tasks = [
        task("in the background", "panel_client_info", WRONG, **{"async": 30, "poll": 1}),
        task("ping", "panel_ping", WRONG),
        task("loop", "panel_client", {**WRONG, "username": "{{ item }}"}, loop=["a", "b"]),
        task("until", "panel_client_info", WRONG, register="tried", until="tried is success", retries=2, delay=0),
        task("delegated", "panel_client_info", WRONG, delegate_to="other"),
        task("many", "panel_resources", {**WRONG, "resources": {"clients": [{"username": "a"}]}}),
        task("reboot", "panel_reboot", WRONG),
        task("with another connection", "panel_client_info", {**WRONG, "timeout": 5, "validate_certs": False}),
        {
            "name": "lookup",
            "ansible.builtin.debug": {
                "msg": f"{{{{ lookup('hosting.panel.panel_login_url', 'a', api_url='{simulator.url}', api_key='{WRONG['api_key']}') }}}}"
            },
        },
    ]
    other = {"other": hosts(1)["host-0"]}
    run = play(tasks, simulator, tmp_path, way, hosts=other)
    assert statuses(simulator) == [401]
    assert {one.name: one.outcome for one in run.recordings} == {one["name"]: "failed" for one in tasks}
    assert run["ping"].result["error"]["cause"] == "key"
    assert run["ping"].msg.startswith(f"The API key is not accepted. {EARLIER}")
    for name in ("until", "delegated", "many", "reboot", "with another connection"):
        assert EARLIER in run[name].msg
    assert EARLIER.replace(" ", "") in "".join(run.text.split())
    assert "another-key" not in run.text


def test_another_play_of_the_run_does_not_send_it_again_and_another_run_does(
    way: str, simulator: Simulator, tmp_path: Path
) -> None:
    one = task("info", "panel_client_info", {**WRONG, "api_url": simulator.url, "retry_time": 5})
    plays = [{"hosts": "localhost", "gather_facts": False, "ignore_errors": True, "tasks": [one]} for _play in range(2)]
    playbook = tmp_path / "plays.yml"
    playbook.write_text(json.dumps(plays), encoding="utf-8")
    for number in (1, 2):
        run = run_playbook(playbook, simulator, tmp_path / str(number), way)
        assert [one.outcome for one in run.recordings] == ["failed", "failed"]
        assert statuses(simulator) == [401] * number


def test_a_key_that_is_refused_from_here_may_be_good_from_another_machine(
    way: str, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.settings({"api_enabled": False})
    # A connection of another name, on this machine.
    elsewhere = {"elsewhere": {**hosts(1)["host-0"], "ansible_connection": "not_local"}}
    plugins = tmp_path / "connection_plugins"
    plugins.mkdir()
    (plugins / "not_local.py").write_text(
        "from ansible.plugins.connection.local import DOCUMENTATION, Connection as Local\n"
        "DOCUMENTATION = DOCUMENTATION.replace('name: local', 'name: not_local')\n"
        "class Connection(Local):\n    transport = 'not_local'\n",
        encoding="utf-8",
    )
    one = task("info", "panel_client_info")
    tasks = [
        one,
        {**one, "name": "there", "delegate_to": "elsewhere"},
        {**one, "name": "again", "delegate_to": "elsewhere"},
    ]
    run = play(tasks, simulator, tmp_path, way, hosts=elsewhere, variables={"ANSIBLE_CONNECTION_PLUGINS": str(plugins)})
    assert [one.msg.startswith("Not sent") for one in run.recordings] == [False, False, True]
    assert statuses(simulator) == [403, 403]


def test_nothing_of_a_key_stays_behind(simulator: Simulator, tmp_path: Path) -> None:
    play([task("info", "panel_client_info"), task("wrong", "panel_client_info", WRONG)], simulator, tmp_path)
    assert [path for path in (tmp_path / "home" / "local").rglob("*") if path.is_file()] == []


def test_ad_hoc_commands_for_many_hosts_send_it_once(simulator: Simulator, tmp_path: Path) -> None:
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(json.dumps({"all": {"hosts": hosts(10)}}), encoding="utf-8")
    words = ["-i", str(inventory), "all", "-f", "10", "-m", "hosting.panel.panel_ping"]
    ansible("adhoc", [*words, "-a", f"api_url={simulator.url} api_key=k1234567.another-key"], tmp_path, IN_PROCESS)
    assert statuses(simulator) == [401]
