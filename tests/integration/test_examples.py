"""The examples of the documentation do what they say.

In check mode, for real, and again without a change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import pem
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.grid import AGAIN, CHECK, REAL, STEPS
from tests.support.name_server import NameServer
from tests.support.playbook import IN_PROCESS, PRELOADED, Run, make_connection_options, play
from tests.support.simulator import Simulator

ROOT = Path(__file__).resolve().parents[2]
# Tested with the roles and playbooks that they are parts of.
PART = 'short_description: "Part of the '
# Tested with the real tools of a host.
OF_CONTENT = "module_utils._content"
PLUGINS = {
    path.stem: path
    for folder in ("modules", "lookup")
    for path in sorted((ROOT / "plugins" / folder).glob("panel_*.py"))
    if PART not in path.read_text(encoding="utf-8")
    and OF_CONTENT not in path.read_text(encoding="utf-8")
}
PANEL: dict[str, list[dict[str, Any]]] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "email": "it@acme.example", "hosting_plan": "Business"}],
    "certificates": [
        {
            "name": "acme 2026",
            "client": "acme",
            "components": {
                "certificate": {"pem": "one.certificate"},
                "private_key": {"pem": "one.private_key"},
            },
        }
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "partner.example", "client": "acme"},
    ],
    "emails": [{"email": "info@acme.example"}],
}
# What a module's examples create themselves, and what hangs on it.
OWN = {
    "panel_plan": ("plans", "clients", "certificates", "domains", "emails"),
    "panel_client": ("clients", "certificates", "domains", "emails"),
    "panel_domain": ("domains", "emails"),
    "panel_certificate": ("certificates",),
    "panel_email": ("emails",),
}
SETTINGS = {"status_delay": 0, "reboot_delay": 0.2, "reboot_down_time": 2.0}


def list_examples(name: str) -> list[dict[str, Any]]:
    """Return the tasks in the EXAMPLES of a plugin."""
    for node in ast.parse(PLUGINS[name].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            assert isinstance(node.value, ast.Constant)
            tasks: list[dict[str, Any]] = yaml.safe_load(str(node.value.value))
            return [task for task in tasks if not _reads_running_panel(task)]
    raise AssertionError(f"{name} has no EXAMPLES")


def _reads_running_panel(task: dict[str, Any]) -> bool:
    """Return whether a task reads another panel that runs; the tests of the import have one."""
    options = task.get("hosting.panel.panel_import")
    return isinstance(options, dict) and "source_url" in options


def seed_for(name: str) -> dict[str, Any]:
    """Return the panel without what the examples create."""
    texts = pem.make_texts()
    seed = {kind: items for kind, items in PANEL.items() if kind not in OWN.get(name, ())}

    if "certificates" in seed:
        (certificate,) = seed["certificates"]
        components = {
            component: texts[value["pem"]] for component, value in certificate["components"].items()
        }
        seed["certificates"] = [{**certificate, "components": components}]

    return seed


def repeats(example: dict[str, Any]) -> bool:
    """Return whether the example says that it changes something in every run, or would."""
    if example.get("check_mode"):
        return True
    for module, options in example.items():
        if module == "hosting.panel.panel_reboot":
            return True
        if module.startswith("hosting.panel.") and isinstance(options, dict):
            is_call = options.get("method", "GET") != "GET"
            # A test client is made and removed in every run.
            is_writing = module == "hosting.panel.panel_verify" and bool(options.get("writes"))
            is_new = options.get("update_password") == "always" or bool(
                options.get("regenerate_password")
            )
            return is_call or is_writing or is_new

    return False


def make_tasks(name: str) -> list[dict[str, Any]]:
    """Return each example three times.

    Only the real run registers its result, for the examples after it.
    """
    tasks = []
    for example in list_examples(name):
        for step in STEPS:
            play_task = {
                "check_mode": step == CHECK,
                **example,
                "name": f"{name}: {example['name']} / {step}",
            }
            if step == AGAIN:
                # What was approved is done.
                play_task = {key: _without_checksum(value) for key, value in play_task.items()}
            if step != REAL and "register" in play_task:
                play_task["register"] = "of_another_step"
            tasks.append(play_task)

    before = [
        ["POST", "/reset", None],
        ["POST", "/settings", SETTINGS],
        ["POST", "/seed", seed_for(name)],
    ]
    tasks[0]["vars"] = {"simulator": {"before": before}}

    return tasks


def _without_checksum(options: Any) -> Any:
    """Return options without the checksum of a plan that was approved."""
    if not isinstance(options, dict):
        return options
    return {option: value for option, value in options.items() if option != "expected_checksum"}


def replace_addresses(addresses: Mapping[str, str], value: Any) -> Any:
    """Return a task with other addresses of panels."""
    if isinstance(value, dict):
        return {name: replace_addresses(addresses, member) for name, member in value.items()}
    if isinstance(value, list):
        return [replace_addresses(addresses, member) for member in value]
    return addresses.get(value, value) if isinstance(value, str) else value


def make_passwords(text: str) -> dict[str, str]:
    """Return a value for every variable of an example that is named like a password."""
    return dict.fromkeys(re.findall(r"\{\{ (\w+_password) \}\}", text), "an exämple pass/word")


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return all examples in one playbook, beside the files that they read."""
    folder = tmp_path_factory.mktemp("examples")
    texts = pem.make_texts()
    (folder / "acme.example.key").write_text(texts["one.private_key"], encoding="utf-8")
    (folder / "acme.example.crt").write_text(texts["one.certificate"], encoding="utf-8")
    (folder / "panel.example").mkdir()
    (folder / "panel.example" / "plans.yml").write_text(
        "plans:\n  - name: Business\n", encoding="utf-8"
    )
    (folder / "ca.crt").write_text(texts["authority.certificate"], encoding="utf-8")
    (folder / "customers.csv").write_text("client,domain\nacme,acme.example\n", encoding="utf-8")
    (folder / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    text = "".join(path.read_text(encoding="utf-8") for path in PLUGINS.values())
    connection = {
        f"panel_{name}": value for name, value in make_connection_options(simulator).items()
    }
    served = {("_token.acme.example.", "TXT"): ['"abc123"']}

    with Simulator.start() as second_panel, NameServer.start(served) as name_server:
        addresses = {"https://one.example": simulator.url, "https://two.example": second_panel.url}
        addresses["192.0.2.53"] = name_server.address
        keys = {"key_of_one": simulator.api_key, "key_of_two": second_panel.api_key}
        tasks = [
            replace_addresses(addresses, task) for name in PLUGINS for task in make_tasks(name)
        ]
        keywords = {"vars": {**connection, **keys, **make_passwords(text)}}
        (folder / "vault password").write_text("correct horse", encoding="utf-8")
        variables = {**PRELOADED, "ANSIBLE_VAULT_PASSWORD_FILE": str(folder / "vault password")}

        return play(tasks, simulator, folder, IN_PROCESS, keywords=keywords, variables=variables)


EXAMPLES = [
    pytest.param(name, example, id=f"{name}: {example['name']}")
    for name in PLUGINS
    for example in list_examples(name)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_works_and_does_nothing_the_second_time(
    run: Run, name: str, example: dict[str, Any]
) -> None:
    check, real, second_run = (
        run[f"{name}: {example['name']} / {step}"] for step in (CHECK, REAL, AGAIN)
    )
    for step in (check, real, second_run):
        assert step.outcome in ("ok", "skipped" if repeats(example) else "ok"), step.result

    assert real.outcome == "ok"
    assert check.writes == []
    assert check.changed == real.changed or check.outcome == "skipped"

    if not repeats(example):
        assert second_run.writes == []
        assert not second_run.changed

    assert [text for text in real.result.get("warnings", ()) if not is_foretold(text)] == []


def is_foretold(warning: str) -> bool:
    """Return whether an example shows what the collection warns of.

    A plan that its client has already, a protection that nothing here needs.
    """
    return "keep the limits that came with it before" in warning or "protects nothing" in warning


def test_no_example_makes_ansible_warn(run: Run) -> None:
    warnings = [
        warning
        for warning in run.text.split("[WARNING]: ")[1:]
        if not is_foretold(" ".join(warning.split()))
    ]
    assert warnings == []
    assert "DEPRECAT" not in run.text
