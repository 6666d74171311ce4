"""Bad input is answered with one clear sentence that names the option or object, before any write, the same in both ways."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Recording, Run, play, run_playbook, task
from tests.support.simulator import API_KEY, Simulator
from tests.support.worker import work

SEED = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "email": "it@acme.example"}, {"username": "globex"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "globex.example", "client": "globex"},
    ],
    "emails": [{"email": "info@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
}
FRESH = [["POST", "/reset", None], ["POST", "/seed", SEED]]
NAMED = {"username": "acme"}


@dataclass(frozen=True)
class Case:
    """A mistake, as the data file describes it."""

    name: str
    task: dict[str, dict[str, Any]]
    words: Sequence[str]
    requests: int = 0
    before: Sequence[Any] = ()
    fault: dict[str, Any] | None = None

    def made(self) -> dict[str, Any]:
        ((module, options),) = self.task.items()
        struck = [["POST", "/faults", {"times": 0, **self.fault}]] if self.fault else []
        return task(self.name, module, options, [*FRESH, *self.before, *struck])


DATA = yaml.safe_load(Path(__file__).with_name("bad_input.yml").read_text(encoding="utf-8"))
VALUES, COMBINATIONS, OBJECTS, CONNECTIONS = ([Case(**described) for described in group] for group in DATA.values())
CASES = [*VALUES, *COMBINATIONS, *OBJECTS, *CONNECTIONS]
# Whatever Ansible itself refuses, and of what the core refuses, which is the same code in both ways, some of each.
SLOW_CASES = [*VALUES[:10], *COMBINATIONS, *OBJECTS[::3], *CONNECTIONS[::2]]
BY_WAY = {IN_PROCESS: CASES, MODULE: SLOW_CASES}
GRID = [pytest.param(way, case, id=f"{case.name}, {way}") for way in WAYS for case in BY_WAY[way]]


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The run in each way."""
    folder = tmp_path_factory.mktemp("mistakes")
    return {way: work([case.made() for case in cases], simulator, folder / way, way) for way, cases in BY_WAY.items()}


def assert_is_one_clear_sentence(recording: Recording, words: Iterable[str]) -> None:
    """The task failed with a message of one paragraph that has these words, and without a trace of the code."""
    assert recording.outcome == "failed"
    message = recording.msg
    assert [word for word in words if word not in message] == [], message
    assert "\n" not in message
    assert len(message) < 700
    assert "Traceback" not in str(recording.result)
    assert API_KEY not in str(recording.result)
    assert "PRIVATE KEY-----" not in str(recording.result)
    assert "defect" not in message


@pytest.mark.parametrize(("way", "case"), GRID)
def test_a_mistake_is_answered_with_one_sentence_before_any_write(runs: dict[str, Run], case: Case, way: str) -> None:
    recording = runs[way][case.name]
    assert_is_one_clear_sentence(recording, case.words)
    assert not recording.changed
    assert recording.writes == [write for write in recording.writes if write["status"] == 400]
    assert len(recording.requests) <= case.requests, recording.calls


@pytest.mark.parametrize("case", SLOW_CASES, ids=lambda case: case.name)
def test_both_ways_say_the_same(runs: dict[str, Run], case: Case) -> None:
    here, there = (runs[way][case.name] for way in WAYS)
    assert without_choices(here.result) == without_choices(there.result)
    assert here.calls == there.calls


def without_choices(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the forms of switches, which Ansible lists in another order in every process."""
    return {**result, "msg": result["msg"].partition("Valid booleans include")[0]}


LOOP = task("a loop", "panel_client", {"username": "{{ item }}", "api_key": "wr0ng.key"}, FRESH, loop=[*"abcde"])


def test_an_address_that_is_none_is_named_in_check_mode_too(simulator: Simulator, tmp_path: Path, way: str) -> None:
    tasks = [
        task(f"{module} {address}", module, {**more, "api_url": address}, ignore_errors=True)
        for module, more in {"panel_ping": {}, "panel_plan": {"name": "Business"}}.items()
        for address in ("https://[::1", "https://[x]")
    ]
    run = play(tasks, simulator, tmp_path, way, ["--check"])
    for recording in run.recordings:
        assert recording.msg.startswith("api_url: is not an address; use https://HOST"), recording.name


def test_what_a_template_omits_is_no_null(simulator: Simulator, tmp_path: Path, way: str) -> None:
    omitted = "{{ no_such | default(omit) }}"
    record = {"host": "www", "type": "A", "value": omitted}
    resources = {"resources": {"clients": []}, "expected_checksum": omitted, "max_deletes": omitted, "protect": omitted}
    tasks = [
        task(
            "zone",
            "panel_dns",
            {"domain": "acme.example", "client": omitted, "state": "absent", "records": [record]},
            FRESH,
        ),
        task("panel", "panel_resources", resources),
        task("address", "panel_email", {"email": "info@acme.example", "client": omitted, "state": "absent"}),
    ]
    run = play(tasks, simulator, tmp_path, way)
    assert [(one.name, one.outcome) for one in run.recordings] == [(one["name"], "ok") for one in tasks]


def test_a_wrong_key_reaches_the_panel_once_in_a_loop_of_five_in_process(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    recording = play([LOOP], simulator, tmp_path, way)["a loop"]
    assert len(recording.requests) == (1 if way == IN_PROCESS else 5)
    assert len(recording.result["results"]) == 5
    assert all("Check api_key" in item["msg"] for item in recording.result["results"])


def test_a_target_without_requests_says_what_to_install(simulator: Simulator, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True, timeout=60)
    python = str(tmp_path / "bare" / "bin" / "python")
    tasks = [task("bare", "panel_ping"), task("with a mistake too", "panel_client", {"id": 0})]
    run = play(tasks, simulator, tmp_path / "run", MODULE, interpreter=python)
    words = ("requests", python, "ansible_python_interpreter")
    assert_is_one_clear_sentence(run["bare"], words)
    assert_is_one_clear_sentence(run["with a mistake too"], ("id:",))


def test_a_mistake_in_the_environment_is_one_too(simulator: Simulator, tmp_path: Path) -> None:
    variables = {"PANEL_API_URL": "http://192.0.2.1", "PANEL_API_KEY": "some.key"}
    run = play([task("environment", "panel_ping")], None, tmp_path, IN_PROCESS, variables=variables)
    assert_is_one_clear_sentence(run["environment"], ("api_url:", "https://"))


# By variable of the environment, a value, and what is said beside the variable's name.
NO_NUMBER = "must be a whole number."
WRONG_VARIABLES = [
    ("PANEL_TIMEOUT", "abc", f"timeout: {NO_NUMBER}"),
    ("PANEL_RETRY_TIME", "1.5", f"retry_time: {NO_NUMBER}"),
    ("PANEL_VALIDATE_CERTS", "perhaps", "validate_certs: must be true or false."),
    ("PANEL_CA_PATH", "/nowhere", "ca_path: there is no file /nowhere"),
    ("PANEL_TIMEOUT", "0", "timeout: must be 1 to 86400 seconds, not 0."),
    ("PANEL_API_KEY", "a.b ", "api_key: holds white space"),
]


def test_a_mistake_in_a_variable_of_the_environment_names_the_variable(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    here = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key}
    tasks = [task(words, "panel_ping", environment={name: value}) for name, value, words in WRONG_VARIABLES]
    run = play(tasks, None, tmp_path, way, variables=here)
    for recording, (name, _value, words) in zip(run.recordings, WRONG_VARIABLES, strict=True):
        assert_is_one_clear_sentence(recording, (words, f"{name} in the environment"))


@pytest.mark.parametrize(("name", "value", "_words"), WRONG_VARIABLES[:4])
def test_the_lookup_names_the_variable_too(
    simulator: Simulator, tmp_path: Path, name: str, value: str, _words: str
) -> None:
    one = {"name": "lookup", "ansible.builtin.debug": {"msg": "{{ lookup('hosting.panel.panel_login_url', 'acme') }}"}}
    here = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key, name: value}
    run = play([one], None, tmp_path, IN_PROCESS, variables=here)
    assert run["lookup"].outcome == "failed"
    assert name in run["lookup"].msg, run["lookup"].msg


def test_the_lookup_takes_no_number_for_a_key(simulator: Simulator, tmp_path: Path) -> None:
    call = "{{ lookup('hosting.panel.panel_login_url', 'acme', api_key=668) }}"
    one = {"name": "lookup", "ansible.builtin.debug": {"msg": call}}
    run = play([one], None, tmp_path, IN_PROCESS, variables={"PANEL_API_URL": simulator.url})
    assert run["lookup"].outcome == "failed"
    assert "api_key: the given value is a number, and YAML may have changed its digits" in run["lookup"].msg


# A byte of the environment that is no UTF-8.
HALF = "{{ lookup('ansible.builtin.env', 'HALF') }}"
# What playbooks can say and no request can hold. Of what is no text, Ansible itself refuses so many levels.
UNUSABLE: dict[str, tuple[dict[str, Any], str, str]] = {
    "half of a character": ({"notes": HALF}, "notes: ", "lone surrogate"),
    "half of a character deep inside": ({"extra": {"a": ["x", {"b": HALF}]}}, "extra.a[1].b: ", "lone surrogate"),
    "half of a character in a text": ({"extra": '{"a": "\\ud83d"}'}, "extra.a: ", "lone surrogate"),
    "half of a character in a name in a text": ({"extra": '{"a\\ud83d": 1}'}, "extra: ", "lone surrogate"),
    "infinite": ({"extra": '{"a": Infinity}'}, "extra.a: ", "infinite"),
    "no number": ({"extra": '{"a": [NaN]}'}, "extra.a[0]: ", "none at all"),
    "nul": ({"notes": "a\0b"}, "notes: ", "NUL"),
}


def test_what_no_request_can_hold_is_refused_with_the_name_of_the_option(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    tasks = [task(name, "panel_client", {**NAMED, **options}) for name, (options, _place, _words) in UNUSABLE.items()]
    run = play(tasks, simulator, tmp_path, way, variables={"HALF": "a\udcff"})
    for name, (_options, place, words) in UNUSABLE.items():
        assert_is_one_clear_sentence(run[name], (place, words, "Nothing was sent."))
        assert run[name].result["error"]["type"] == "OptionError"
        assert run[name].calls == []


def test_what_only_yaml_can_say_is_refused(simulator: Simulator, tmp_path: Path, way: str) -> None:
    no_text = "extra.a[0]: has a field whose name is no text; put the name in quotes. Nothing was sent."
    infinite = "extra.a[0]: holds a number that is infinite, or none at all"
    values = {"{2026-01-01: x}": no_text}
    values |= {".inf": infinite, "-.inf": infinite, ".nan": infinite}
    address = f"api_url: '{simulator.url}', api_key: {simulator.api_key}"
    lines = ["- hosts: localhost", "  gather_facts: false", "  ignore_errors: true", "  tasks:"]
    for value in values:
        lines += [f"    - name: '{value}'"]
        lines += [f"      hosting.panel.panel_client: {{{address}, username: acme, extra: {{a: [{value}]}}}}"]
    playbook = tmp_path / "names.yml"
    playbook.write_text("\n".join([*lines, ""]), encoding="utf-8")
    run = run_playbook(playbook, simulator, tmp_path / "run", way)
    for value, words in values.items():
        assert_is_one_clear_sentence(run[value], (words,))
        assert run[value].calls == []
