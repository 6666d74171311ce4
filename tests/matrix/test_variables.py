"""Every role and playbook takes an empty variable for one that is not given, and names each
variable that is of another type."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._values.nesting import DEEPEST
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.odd_values import make_nested
from tests.support.playbook import (
    IN_PROCESS,
    Recording,
    Run,
    make_environment,
    play,
    run_ansible,
    write_inventory,
)
from tests.support.simulator import Simulator
from tools.layout import ROOT

# What of ansible-playbook's own words says that a value got to where another type was expected.
PYTHON = re.compile(
    r"NoneType|TypeError|AttributeError|Traceback|CapturedExceptionMarker|object is not|object has no|unsupported operand|not iterable"
)
EMPTY = {
    "null": None,
    "empty": "",
    "blank": " ",
    "template of none": "{{ none }}",
    "template of omit": "{{ nothing | default(omit) }}",
}
WRONG: dict[str, Any] = {
    "switch": "nein",
    "number": "nein",
    "choice": "nein",
    "text": [],
    "secret": {},
    "answer": {},
    "date": [],
    "names": {},
    "entries": {},
    "arguments": {},
    "list": "nein",
    "objects": "nein",
    "mapping": "nein",
    "raw": math.inf,
}
# More than a variable may have. With about 300, ansible-core from 2.19 on ends the run itself.
LEVELS = DEEPEST + 2
# By type one that holds what a template of ansible-core before 2.19 cannot hand on.
ODD: dict[str, Any] = {
    "arguments": [math.inf],
    "entries": [{"notes": math.nan}],
    "list": [{"notes": make_nested(LEVELS)}],
    "mapping": {"notes": [math.inf]},
    "objects": [{"notes": -math.inf}],
    "raw": make_nested(LEVELS),
}
# Templates that end in an error as they are evaluated, or before.
BROKEN = {"a division by zero": "{{ 1 / 0 }}", "a template without its end": "{{ nothing"}
SIMULATED = {"api_url": "{{ panel_url }}", "api_key": "{{ panel_key }}"}
# What each role cannot do without, and what makes it do something that can be compared. All of it
# runs in check mode.
GIVEN: dict[str, dict[str, Any]] = {
    "certificate": {
        "certificate_items": [{"name": "a", "client": "acme", "domains": ["acme.example"]}],
        "certificate_acme_directory": "https://127.0.0.1:1/directory",
        "certificate_state_dir": "certificates",
    },
    # Check mode reads the source alone, which is this host under another name.
    "content": {
        "content_source": "old.example",
        "content_step": "copy",
        "content_state_dir": "contents",
        "content_objects": {"trees": [{"from": str(ROOT / "changelogs"), "owner": "acme"}]},
    },
    "move": {
        "move_client": "acme",
        "move_step": "prepare",
        "move_source": SIMULATED,
        # The step prepare reads the source alone.
        "move_target": {"api_url": "https://new.panel.example", "api_key": "{{ panel_key }}"},
        "move_dir": "moves",
    },
    "offboard": {"offboard_client": "acme", "offboard_archive_dir": "archives"},
    "report": {"report_file": "report.html"},
    "rotate": {
        "rotate_id": "first",
        "rotate_clients": ["acme"],
        "rotate_kinds": ["emails"],
        "rotate_credentials_file": "rotation.yml",
    },
    "simulator": {"simulator_api_key": "key", "simulator_directory": "simulator"},
    "site": {"site_client": {"username": "acme", "password": "Given-1"}},
    "sites": {
        "sites": [{"client": {"username": "acme", "password": "Given-1"}, "login_url": "no"}]
    },
    "suspend": {"suspend_clients": ["acme"]},
}
ROLES = sorted(GIVEN)


def read_tables(file: Path) -> dict[str, dict[str, Any]]:
    """Return how the variables of a role or of the playbooks are read."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    tables = [table for name, table in content.items() if name.endswith("_variables")]
    return {name: rules for table in tables for name, rules in table.items()}


TABLES = {role: read_tables(ROOT / "roles" / role / "vars" / "main.yml") for role in ROLES}
OF_PLAYBOOKS = read_tables(ROOT / "playbooks" / "vars" / "panel.yml")


def test_each_required_variable_of_a_role_has_an_example_of_its_own() -> None:
    for role, table in TABLES.items():
        examples = [rules["example"] for rules in table.values() if "example" in rules]
        assert len(set(map(str, examples))) == len(examples), role


def list_optional_variables(role: str) -> list[str]:
    """Return the variables of a role that its run is not given."""
    return [name for name in TABLES[role] if name not in GIVEN[role]]


def list_required_variables(role: str) -> list[str]:
    """Return the variables that a role needs."""
    return [name for name, rules in TABLES[role].items() if rules.get("required")]


def make_wrong_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value of another type for each variable; one for all types if it takes any."""
    return {name: WRONG[rules["type"]] for name, rules in table.items()}


def make_odd_values(role: str) -> dict[str, Any]:
    """Return an odd value for each variable of a role that holds others."""
    table = TABLES[role]
    return {name: ODD[rules["type"]] for name, rules in table.items() if rules["type"] in ODD}


def list_cases() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the role, the name of the case, and the variables."""
    for role in ROLES:
        yield role, "given", GIVEN[role]
        for name, value in EMPTY.items():
            yield role, name, {**dict.fromkeys(list_optional_variables(role), value), **GIVEN[role]}
            if list_required_variables(role):
                yield (
                    role,
                    f"required: {name}",
                    {**GIVEN[role], **dict.fromkeys(list_required_variables(role), value)},
                )
        yield role, "wrong", make_wrong_values(TABLES[role])
        yield role, "odd", {**GIVEN[role], **make_odd_values(role)}


def test_every_role_is_tried() -> None:
    assert sorted(path.name for path in ROOT.glob("roles/*") if path.is_dir()) == ROLES


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Yield a panel with one of everything that the roles look for."""
    with Simulator.start() as started:
        started.seed(
            {
                "clients": [{"username": "acme"}],
                "domains": [{"domain": "acme.example", "client": "acme"}],
                "emails": [{"email": "info@acme.example"}],
            }
        )
        yield started


VAULT_PASSWORD = "correct horse battery staple"
_library: Any = VaultLib
_secret: Any = VaultSecret


@dataclass(frozen=True)
class Case:
    """What the tasks of a role did."""

    recordings: list[Recording]
    text: str

    @property
    def course(self) -> list[tuple[str, str, bool, list[str]]]:
        """Return what can be compared: the tasks, how each ended, and its requests."""
        return [
            (recording.name, recording.outcome, recording.changed, sorted(recording.calls))
            for recording in self.recordings
        ]


def run_cases(
    folder: Path,
    simulator: Simulator,
    chosen: list[tuple[str, str, dict[str, Any]]],
    more: list[str],
) -> dict[str, Case]:
    """Include the roles one after another, and return what each did.

    By role and name of the case.
    """
    tasks: list[dict[str, Any]] = []
    for role, name, variables in chosen:
        include = {"name": f"hosting.panel.{role}"}
        tasks.append({"name": f"case {role}: {name}", "ansible.builtin.debug": {"msg": "begins"}})
        tasks.append(
            {
                "name": "Block",
                "block": [
                    {"name": "Include", "ansible.builtin.include_role": include, "vars": variables}
                ],
                "rescue": [{"name": "Failed", "ansible.builtin.debug": {"msg": "it failed"}}],
            }
        )

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vault password").write_text(VAULT_PASSWORD, encoding="utf-8")
    connection = {
        "panel_url": simulator.url,
        "panel_key": simulator.api_key,
        "panel_foreign_variables": ["panel_url", "panel_key"],
    }
    arguments = [
        "--check",
        "--vault-password-file",
        "vault password",
        "-e",
        json.dumps(connection),
        *more,
    ]
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    run = play(
        tasks,
        simulator,
        folder,
        arguments=arguments,
        keywords={"ignore_errors": False},
        hosts={"old.example": local},
    )

    return group_by_case(run)


def group_by_case(run: Run) -> dict[str, Case]:
    """Return the tasks of each case, by its name."""
    recordings_by_case: dict[str, list[Recording]] = {}
    for recording in run.recordings:
        if recording.name.startswith("case "):
            recordings_by_case[recording.name.removeprefix("case ")] = []
        else:
            list(recordings_by_case.values())[-1].append(recording)

    assert recordings_by_case, run.text[-3000:]

    return {name: Case(recordings, run.text) for name, recordings in recordings_by_case.items()}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> dict[str, Case]:
    """Run every case once for all tests."""
    return run_cases(tmp_path_factory.mktemp("variables"), simulator, list(list_cases()), [])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", EMPTY)
def test_a_role_does_the_same_where_all_else_is_empty(
    done: dict[str, Case], role: str, name: str
) -> None:
    assert len(done[f"{role}: given"].course) >= 1
    assert done[f"{role}: {name}"].course == done[f"{role}: given"].course


@pytest.mark.parametrize("role", ROLES)
def test_a_role_that_is_given_what_it_needs_gets_past_its_variables(
    done: dict[str, Case], role: str
) -> None:
    outcomes = {recording.outcome for recording in done[f"{role}: given"].recordings}
    # Which wants a consent, so that nothing is ordered here.
    assert ("failed" in outcomes) is (role == "certificate")


@pytest.mark.parametrize("role", [role for role in ROLES if list_required_variables(role)])
@pytest.mark.parametrize("name", EMPTY)
def test_a_role_names_what_is_empty_and_has_no_default(
    done: dict[str, Case], role: str, name: str
) -> None:
    (_inclusion, _validation, check, _rescue) = done[f"{role}: required: {name}"].recordings
    assert check.outcome == "failed"
    assert [
        variable for variable in list_required_variables(role) if variable not in check.msg
    ] == []
    assert not check.requests


@pytest.mark.parametrize("role", ROLES)
def test_a_role_names_each_variable_of_another_type_before_anything_else(
    done: dict[str, Case], role: str
) -> None:
    (_inclusion, _validation, check, _rescue) = done[f"{role}: wrong"].recordings
    assert check.outcome == "failed"
    assert [
        variable for variable in make_wrong_values(TABLES[role]) if f"{variable}: " not in check.msg
    ] == []
    assert not check.requests


@pytest.mark.parametrize("role", [role for role in ROLES if make_odd_values(role)])
def test_a_role_names_each_variable_that_holds_what_no_template_can_hand_on(
    done: dict[str, Case], role: str
) -> None:
    (_inclusion, _validation, check, _rescue) = done[f"{role}: odd"].recordings
    assert check.outcome == "failed"
    assert [name for name in make_odd_values(role) if name not in check.msg] == []
    assert not check.requests


def test_no_role_says_a_word_of_python(done: dict[str, Case]) -> None:
    (text,) = {case.text for case in done.values()}
    assert PYTHON.findall(text) == []


@pytest.fixture(scope="module")
def as_awx_writes(
    tmp_path_factory: pytest.TempPathFactory, simulator: Simulator
) -> dict[str, Case]:
    """Run every role with answers as AWX writes them."""
    folder = tmp_path_factory.mktemp("awx")
    names = sorted({name for role in ROLES for name in list_optional_variables(role)})
    (folder / "answers.yml").write_text(
        "".join(f"{name}: !unsafe ''\n" for name in names), encoding="utf-8"
    )
    return run_cases(
        folder, simulator, [(role, "given", GIVEN[role]) for role in ROLES], ["-e", "@answers.yml"]
    )


@pytest.mark.parametrize("role", ROLES)
def test_an_answer_that_awx_leaves_empty_counts_as_not_given(
    done: dict[str, Case], as_awx_writes: dict[str, Case], role: str
) -> None:
    assert as_awx_writes[f"{role}: given"].course == done[f"{role}: given"].course


# Playbooks

# What each playbook is given.
PLAYBOOKS: dict[str, dict[str, Any]] = {
    "export": {"panel_dir": "exported"},
    "plan": {"panel_dir": "files"},
    "apply": {"panel_dir": "files", "panel_confirm": "no"},
    "drift": {"panel_dir": "files"},
    "import": {"import_source": "froxlor", "import_path": "froxlor.sql", "panel_dir": "imported"},
    "ping": {},
    "report": {"report_file": "report.html"},
    "verify": {},
    "onboard": GIVEN["site"],
    "retry": {"panel_retry_client": "acme"},
    "certificates": GIVEN["certificate"],
}
# What an empty value is an error for, or what the run is told by.
NOT_EMPTY = {
    "panel_confirm",
    "panel_expected_checksum",
    "panel_expected_checksums",
    "panel_hosts",
    "onboard_hosts",
}
# What a playbook leaves unread: an import asks none of our panels.
UNREAD = {"import": {"panel_api_key"}}


@dataclass(frozen=True)
class Playbook:
    """A run of a playbook. requests: method and path of each, in their order."""

    code: int
    text: str
    requests: list[str]

    @property
    def said(self) -> str:
        """Return the output on one line."""
        return " ".join(self.text.split())

    @property
    def course(self) -> tuple[int, list[str], list[str]]:
        """Return what can be compared: the code, the requests, the tasks and how each ended."""
        return (
            self.code,
            sorted(self.requests),
            re.findall(r"TASK \[.*?\]|\b(?:ok|changed|failed)=\d+", self.text),
        )


def run_playbook(folder: Path, simulator: Simulator, playbook: str, variables: str) -> Playbook:
    """Run a playbook in check mode with these variables."""
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files" / "new.yml").write_text(
        "emails: [{email: new@acme.example, password: Given-1}]\n", encoding="utf-8"
    )
    (folder / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    (folder / "vault password").write_text(VAULT_PASSWORD, encoding="utf-8")
    (folder / "variables.yml").write_text(variables, encoding="utf-8")
    arguments = [
        "-i",
        str(write_inventory(folder)),
        "--check",
        "--vault-password-file",
        "vault password",
    ]
    environment = {
        **make_environment(folder, IN_PROCESS),
        "PANEL_API_URL": simulator.url,
        "PANEL_API_KEY": simulator.api_key,
    }
    before = simulator.get_last_number()
    command = [*arguments, "-e", "@variables.yml", f"hosting.panel.{playbook}"]
    process = run_ansible("playbook", command, folder, IN_PROCESS, environment)
    calls = [f"{request['method']} {request['path']}" for request in simulator.read_log(before)]

    return Playbook(process.returncode, process.stdout, calls)


def test_every_playbook_is_tried() -> None:
    assert set(PLAYBOOKS) == {path.stem for path in ROOT.glob("playbooks/*.yml")} - {"demo", "play"}


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_does_the_same_where_all_else_is_empty_and_names_what_is_of_another_type(
    tmp_path: Path, simulator: Simulator, playbook: str
) -> None:
    usual = PLAYBOOKS[playbook]
    base = run_playbook(tmp_path, simulator, playbook, json.dumps(usual))

    assert "[" in base.text and (base.code == 0) is (playbook not in ("certificates", "drift")), (
        base.text
    )

    empty = [name for name in OF_PLAYBOOKS if name not in {*usual, *NOT_EMPTY}]
    answers = "".join(f"{name}: !unsafe ''\n" for name in empty)
    answers += "".join(f"{name}: {json.dumps(value)}\n" for name, value in usual.items())

    done = run_playbook(tmp_path, simulator, playbook, answers)

    assert done.course == base.course, done.text
    assert PYTHON.findall(done.text) == []

    wrong = {
        **usual,
        **{
            name: value
            for name, value in make_wrong_values(OF_PLAYBOOKS).items()
            if name.startswith("panel_") and name not in {"panel_hosts", *UNREAD.get(playbook, ())}
        },
    }
    refused = run_playbook(tmp_path, simulator, playbook, json.dumps(wrong))

    assert (refused.code != 0, refused.requests) == (True, []), refused.text
    assert [
        name for name in wrong if name.startswith("panel_") and f"{name}: " not in refused.said
    ] == []
    assert PYTHON.findall(refused.text) == []


# Ansible itself reads the first two before any task; the others are read where there is no table
# yet.
NOT_READ = {
    "panel_hosts",
    "onboard_hosts",
    "panel_foreign_variables",
    "demo_directory",
    "play_first_port",
    "play_state",
}


@pytest.mark.parametrize("playbook", PLAYBOOKS)
@pytest.mark.parametrize("template", BROKEN.values(), ids=BROKEN)
def test_a_playbook_names_each_variable_whose_template_is_in_error(
    tmp_path: Path, simulator: Simulator, playbook: str, template: str
) -> None:
    unread = NOT_READ | UNREAD.get(playbook, set())
    broken = [name for name in OF_PLAYBOOKS if name.startswith("panel_") and name not in unread]
    done = run_playbook(tmp_path, simulator, playbook, json.dumps(dict.fromkeys(broken, template)))

    assert (done.code != 0, done.requests) == (True, []), done.text
    assert [name for name in broken if f"{name}: it cannot be evaluated: " not in done.said] == []
    assert "Marker" not in done.text


def test_a_playbook_names_a_variable_that_cannot_be_decrypted(
    tmp_path: Path, simulator: Simulator
) -> None:
    foreign_vault: Any = VaultLib([("default", VaultSecret(b"another password"))])
    encrypted = foreign_vault.encrypt(b"files").decode("ascii").replace("\n", "\n  ")

    done = run_playbook(tmp_path, simulator, "plan", f"panel_dir: !vault |\n  {encrypted}\n")

    assert (done.code != 0, done.requests) == (True, []), done.text
    assert "panel_dir: it cannot be decrypted. Give this run its Vault password" in done.said
