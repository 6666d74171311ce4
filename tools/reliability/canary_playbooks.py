"""Secrets in the files of whole runs: the role site with its credentials file, a folder for the playbook apply, an export of it, async.

Here the panel generates passwords too. They go into encrypted files and into nothing else; only a task of a module of its own returns
its password, once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.integration.roles.customers import customer
from tests.integration.roles.operators import VAULT_PASSWORD, Operator, RoleRun
from tests.support.marked_secrets import lines_of_key, printed, secret
from tests.support.playbook import IN_PROCESS, MODULE, play, task
from tests.support.simulator import Simulator
from tools.reliability.canary_tasks import SETTINGS, many
from tools.reliability.figures import Size

GIVEN = ("playbook.yml", "recording.jsonl", "variables.yml", "given.yml")
APPLY, EXPORT = "hosting.panel.apply", "hosting.panel.export"
LOUD = ("-vvvv", "--diff")
LONGEST_CLEARING = 15.0
_ROLE = ("role site", "module panel_resources")
_FOLDER = (
    "playbook apply",
    "playbook drift",
    "playbook export",
    "module panel_export",
)


@dataclass(frozen=True)
class Looked:
    """One thing to look through. secrets: more than the marked ones; runs: how many runs of ansible-playbook it was."""

    name: str
    text: str
    folder: Path
    secrets: Sequence[str]
    runs: int
    wrong: list[str] = field(default_factory=list)
    covers: Sequence[str] = ()


def run_playbooks(simulator: Simulator, folder: Path, size: Size) -> Iterator[Looked]:
    """Everything, in the ways that the size has time for."""
    # First, because Ansible clears up after it in the background, some seconds later.
    background = _background(simulator, folder / "async")
    ways = (IN_PROCESS, MODULE) if size is Size.FULL else (IN_PROCESS,)
    for way in ways:
        yield _role(simulator, folder / f"role {way}", way, size)
        yield _folder(simulator, folder / f"folder {way}", way, size)
        yield _generated(simulator, folder / f"generated {way}", way)
    _wait_until_empty(folder / "async" / "home" / "remote")
    yield background


def _fresh(simulator: Simulator, folder: Path) -> Operator:
    simulator.reset()
    simulator.settings(SETTINGS)
    return Operator(folder, simulator)


def _role(simulator: Simulator, folder: Path, way: str, size: Size) -> Looked:
    operator = _fresh(simulator, folder)
    variables = customer(str(operator.credentials))
    for number, mailbox in enumerate(variables["site_emails"][1:]):
        mailbox["password"] = secret(f"mailbox{number}")
    variables["site_ftp_users"][1]["password"] = secret("ftp")
    key = variables["site_certificates"][0]["components"]["private_key"]
    runs = [operator.site(variables, *LOUD, way=way)]
    if size is Size.FULL:
        runs += [operator.site(variables, *LOUD, way=way), operator.site(variables, *LOUD, "--check", way=way)]
        variables["site_emails"][1]["max_size"] = "1.5G"
        runs.append(operator.site(variables, *LOUD, way=way))
    generated = _generated_on(simulator, operator.passwords().values())
    return Looked(
        f"role, {way}",
        _text(runs),
        folder,
        [*lines_of_key(key), *generated],
        len(runs),
        _unexpected(runs[:3], "role"),
        _ROLE,
    )


def _folder(simulator: Simulator, folder: Path, way: str, size: Size) -> Looked:
    operator = _fresh(simulator, folder)
    panel = folder / "panel"
    panel.mkdir()
    resources = {kind: items for kind, items in many("folder").items() if kind != "certificates"}
    owners = "clients:\n- {username: acme}\ndomains:\n- {domain: acme.example, client: acme}\n"
    more = f"emails:\n- email: vaulted@acme.example\n  password: {_vaulted(secret('vaulted'))}\n- email: generated@acme.example\n"
    (panel / "given.yml").write_text(json.dumps(resources), encoding="utf-8")
    (panel / "more.yml").write_text(owners + more, encoding="utf-8")
    simulator.seed({"plans": [{"name": "Business"}], "clients": [{"username": "globex"}]})
    variables = {
        "panel_dir": "panel",
        "panel_passwords_file": "panel/passwords.yml",
        "panel_plan_file": "plan.md",
        "panel_confirm": False,
    }
    runs = [operator.run(APPLY, variables, *LOUD, way=way)]
    if size is Size.FULL:
        runs.append(operator.run(APPLY, variables, *LOUD, "--check", way=way))
    runs.append(operator.run(EXPORT, {"panel_dir": "exported"}, *LOUD, way=way, vault=False))
    (folder / "exported" / "clients" / "acme.yml").unlink()
    differences = {"panel_dir": "exported", "panel_plan_file": "drift.md"}
    drift = operator.run("hosting.panel.drift", differences, *LOUD, way=way, vault=False)
    pages = [(folder / name).read_text(encoding="utf-8") for name in ("plan.md", "drift.md")]
    generated = _generated_on(simulator, _kept(operator, panel / "passwords.yml"))
    shown = "\n".join([_text([*runs, drift]), *pages])
    return Looked(f"folder, {way}", shown, folder, generated, len(runs) + 1, _unexpected(runs, "folder"), _FOLDER)


def _vaulted(text: str) -> str:
    """A text as YAML has it that Ansible Vault encrypted; not made by its command, which would have the text among its arguments."""
    make_vault: Any = VaultLib
    make_secret: Any = VaultSecret
    vault = make_vault([("default", make_secret(VAULT_PASSWORD.encode()))])
    lines = vault.encrypt(text.encode()).decode().splitlines()
    return "!vault |\n" + "".join(f"    {line}\n" for line in lines).rstrip("\n")


def _kept(operator: Operator, file: Path) -> list[str]:
    if not file.exists():
        return []
    credentials, operator.credentials = operator.credentials, file
    try:
        return list(operator.passwords().values())
    finally:
        operator.credentials = credentials


def _generated(simulator: Simulator, folder: Path, way: str) -> Looked:
    """A password is returned once by the task for which it was made, and kept out of what the next ones say."""
    _fresh(simulator, folder)
    tasks = [
        task("created", "panel_client", {"username": "initech"}, register="created"),
        {"name": "the object", "ansible.builtin.debug": {"var": "created.client"}},
        task("again", "panel_client", {"username": "initech"}),
        task("listed", "panel_client_info"),
    ]
    run = play(tasks, simulator, folder, way, LOUD)
    password = run["created"].result["generated_password"]
    shown = sum(run.text.count(form) for form in sorted({password, json.dumps(password)[1:-1]}))
    wrong = [] if shown == 1 else [f"a generated password was printed {shown} times, {way}"]
    return Looked(f"generated, {way}", run.text.replace(password, ""), folder, [], 1, wrong)


def _background(simulator: Simulator, folder: Path) -> Looked:
    """A module that Ansible starts in the background, with its options in a file and its result in another."""
    _fresh(simulator, folder)
    options = {"username": "globex", "password": "{{ background }}"}
    keywords = {"vars": {"background": secret("background")}}
    one = {**task("in the background", "panel_client", options), "async": 60, "poll": 1}
    run = play([one], simulator, folder, IN_PROCESS, LOUD, keywords=keywords)
    wrong = [] if run["in the background"].outcome == "ok" else [f"in the background: {run['in the background'].msg}"]
    return Looked("async", run.text, folder, [], 1, wrong)


def _wait_until_empty(folder: Path) -> None:
    deadline = time.monotonic() + LONGEST_CLEARING
    while time.monotonic() < deadline and any(folder.iterdir()):
        time.sleep(0.1)


def _generated_on(simulator: Simulator, kept: Any) -> list[str]:
    """Every form of the passwords that the panel generated; those that were kept are among them."""
    made = set(kept)
    for kind in (plural for plural, kind in KINDS.items() if kind.password):
        made |= {item["hidden"].get("password") or "" for item in simulator.objects(kind)}
    return sorted({form for password in made if len(password) > 5 for form in printed(password)})


def _text(runs: Sequence[RoleRun]) -> str:
    return "".join(run.text for run in runs)


def _unexpected(runs: Sequence[RoleRun], what: str) -> list[str]:
    return [
        f"{what}: run {number} ended with {run.code}: {run.text[-600:]}" for number, run in enumerate(runs) if run.code
    ]
