# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook hosting.panel.apply: a folder of files, a plan that a person reads, and exactly that on the panel."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import VAULT_PASSWORD, Operator, RoleRun, assert_failed, assert_refused
from tests.support import pem
from tests.support.mixed_panel import mixed_panel
from tests.support.playbook import IN_PROCESS, surroundings, write_inventory

EXPORT, APPLY = "hosting.panel.export", "hosting.panel.apply"
SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "beta.example", "client": "beta"}],
    "emails": [{"email": "info@acme.example"}, {"email": "old@acme.example"}, {"email": "info@beta.example"}],
}
MakeOperator = Callable[[str], Operator]
PASSWORDS = {"panel_passwords_file": "panel/passwords.yml"}


@pytest.fixture(scope="module")
def exported(make_operator: MakeOperator) -> tuple[Path, dict[str, Any]]:
    """The folder of an operator who has exported a small panel, and that panel."""
    made = make_operator("export")
    made.simulator.settings({"status_delay": 0})
    made.simulator.seed(SEED)
    run = made.run(EXPORT, {"panel_dir": "panel"}, vault=False)
    assert run.code == 0, run.text
    return made.folder, made.simulator.state()


@pytest.fixture
def operator(make_operator: MakeOperator, exported: tuple[Path, dict[str, Any]]) -> Operator:
    """An operator of that panel, with its files."""
    made, (folder, state) = make_operator("files"), exported
    made.simulator.set_state(state)
    made.simulator.settings({"status_delay": 0})
    shutil.copytree(folder / "panel", made.folder / "panel")
    return made


def apply(operator: Operator, *words: str, vault: bool = False, way: str = IN_PROCESS, **variables: Any) -> RoleRun:
    shown = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return operator.run(APPLY, {"panel_dir": "panel", **variables}, *words, vault=vault, way=way, environment=shown)


def edit(operator: Operator, path: str, *changes: tuple[str, str]) -> None:
    file = operator.folder / "panel" / path
    text = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text, encoding="utf-8")


def add(operator: Operator, path: str, text: str) -> Path:
    file = operator.folder / "panel" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def emails(operator: Operator) -> dict[str, dict[str, Any]]:
    return {item["email"]: item for item in operator.simulator.objects("emails")}


def test_an_export_that_nobody_edited_changes_nothing(operator: Operator) -> None:
    run = apply(operator)
    assert run.code == 0, run.text
    assert (run.writes, run.recap["changed"]) == ([], 0)
    # The panel's own admin and plan among them.
    assert "0 to create, 0 to update, 0 to delete, 12 unchanged" in run.text


def test_an_edit_is_shown_as_a_plan_and_then_applied(operator: Operator, way: str) -> None:
    edit(operator, "clients/acme.yml", ("max_size: 1G", "max_size: 2G"), ("notes: ''", "notes: Pays late"))
    predicted = apply(operator, "--check", way=way)
    assert (predicted.code, predicted.writes, predicted.recap["changed"]) == (0, [], 1), predicted.text
    run = apply(operator, way=way)
    assert run.code == 0, run.text
    for shown in (predicted.said, run.said):
        assert "0 to create, 2 to update, 0 to delete, 10 unchanged" in shown
        assert 'update clients acme: notes "" -> Pays late' in shown
        assert "update emails info@acme.example: max_size 1G -> 2G" in shown
    assert "changes written: 2" in run.text
    assert run.recap["changed"] == 1
    assert sorted(line.rpartition("/")[0] for line in run.writes) == ["PUT /clients", "PUT /emails"]
    again = apply(operator, way=way)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0)


def test_generated_passwords_are_kept_encrypted_and_printed_nowhere(operator: Operator) -> None:
    add(
        operator,
        "new/emails.yml",
        "emails:\n  - email: new@acme.example\n    max_size: 1G\n  - email: more@acme.example\n",
    )
    run = apply(operator, "-vvv", vault=True, **PASSWORDS)
    assert run.code == 0, run.text
    assert run.writes == ["POST /emails"] * 2
    kept = operator.passwords(operator.folder / "panel" / "passwords.yml")
    found = {name: password for (_kind, name), password in kept.items()}
    assert found == {
        name: emails(operator)[name]["hidden"]["password"] for name in ("new@acme.example", "more@acme.example")
    }
    assert [password for password in found.values() if password in run.text] == []
    assert "generated passwords: in" in run.text
    # The file of passwords is in the folder, and is no file of objects.
    again = apply(operator, vault=True, **PASSWORDS)
    assert (again.code, again.writes) == (0, []), again.text


def test_passwords_that_nobody_would_know_stop_it_before_the_first_write(operator: Operator) -> None:
    names = [f"{number:02}@acme.example" for number in range(12)]
    add(operator, "new.yml", json.dumps({"emails": [{"email": name} for name in names]}))
    edit(operator, "clients/acme.yml", ("notes: ''", "notes: Pays late"))
    for words in ((), ("--check",)):
        run = apply(operator, *words)
        assert_failed(
            run,
            f"would generate passwords that nobody would know, for {', '.join(f'emails {name}' for name in names[:10])} and 2 more. "
            "Name a file for them in panel_passwords_file",
        )
    assert "create emails 00@acme.example" in run.said


def test_the_module_behind_it_makes_no_password_without_a_file_for_it_either(operator: Operator) -> None:
    add(operator, "new.yml", json.dumps({"emails": [{"email": "new@acme.example"}]}))
    task = {"name": "Apply", "hosting.panel.panel_folder_apply": {"directory": str(operator.folder / "panel")}}
    plays = [{"name": "It", "hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    run = operator.run(plays, {})
    assert_failed(run, "there is no file to keep the passwords in that are made for the 1 objects under generates")


@pytest.mark.parametrize(
    ("checksum", "words"),
    [("", "is empty, which would approve every plan"), (None, "is null, which would approve every plan")],
)
def test_the_module_behind_it_takes_no_missing_checksum_for_an_approval(
    operator: Operator, checksum: str | None, words: str
) -> None:
    add(operator, "new.yml", json.dumps({"plans": [{"name": "New"}]}))
    options = {"directory": str(operator.folder / "panel"), "expected_checksum": checksum}
    task = {"name": "Apply", "hosting.panel.panel_folder_apply": options}
    run = operator.run([{"name": "It", "hosts": "localhost", "gather_facts": False, "tasks": [task]}], {})
    assert_failed(run, words)


def test_a_password_in_the_files_needs_no_other_file(operator: Operator) -> None:
    secret = operator.folder / "secret"
    secret.write_text(VAULT_PASSWORD, encoding="utf-8")
    encrypted = operator.vault("encrypt_string", "f1ve p@ss/words", "--name", "password")
    block = encrypted[encrypted.index("password:") :]
    add(
        operator,
        "new.yml",
        "emails:\n  - email: new@acme.example\n" + "".join(f"    {line}\n" for line in block.splitlines()),
    )
    refused = apply(operator)
    assert_refused(refused, "new.yml: line 3, column 15: holds secrets that are encrypted with Ansible Vault")
    run = apply(operator, "-vvv", "--diff", vault=True)
    assert run.code == 0, run.text
    assert emails(operator)["new@acme.example"]["hidden"]["password"] == "f1ve p@ss/words"
    assert "p@ss" not in run.text


def test_all_mistakes_of_all_files_are_one_error_before_the_first_request(operator: Operator) -> None:
    add(operator, "a.yml", "emails:\n  - {email: nobody}\n  - {email: x@acme.example, size: 1G}\n")
    add(operator, "b.yml", "emails:\n  - {email: y@acme.example, max_size: 1.5G}\n")
    run = apply(operator)
    assert_refused(run)
    shown = run.said
    assert "a.yml: line 2, column 6: emails[0]" in shown
    assert "a.yml: line 3, column 29: emails[1] (x@acme.example) size: there is no such option" in shown
    assert "b.yml: line 2, column 29: emails[0] (y@acme.example) max_size" in shown


def test_files_that_cannot_be_read_are_an_error_that_names_them(operator: Operator) -> None:
    add(operator, "a.yml", "emails: [")
    add(operator, "b.yml", "emails: [{email: x@acme.example, description: '{{ x }}'}]")
    run = apply(operator)
    assert_refused(run, "a.yml: line ", "b.yml: line 1, column 47: templates are not evaluated in these files")


def test_without_a_folder_nothing_is_read(operator: Operator) -> None:
    run = operator.run(APPLY, {}, vault=False)
    assert_refused(run, "panel_dir has to name the folder")


def test_a_purge_is_guarded_and_shown(operator: Operator) -> None:
    path = operator.folder / "panel" / "clients" / "acme.yml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["emails"] = [item for item in content["emails"] if item["email"] != "old@acme.example"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert apply(operator).writes == []
    refused = apply(operator, panel_purge=["emails"])
    assert refused.code != 0
    assert refused.writes == []
    # What would go is shown, as it would be in a run that may.
    assert "0 to create, 0 to update, 1 to delete" in refused.text
    assert "max_deletes" in refused.text
    protected = apply(operator, panel_purge=["emails"], panel_max_deletes=1, panel_protect={"emails": ["old@*"]})
    assert (protected.code, protected.writes) == (0, []), protected.text
    run = apply(operator, panel_purge=["emails"], panel_max_deletes=1)
    assert run.code == 0, run.text
    assert [line.partition(" ")[0] for line in run.writes] == ["DELETE"]
    assert "delete emails old@acme.example" in run.said
    assert "old@acme.example" not in emails(operator)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("acme.yml.txt", "clients/acme.yml.txt (does not end with .yml or .yaml)"),
        (".acme.yml", "clients/.acme.yml (is hidden)"),
        (None, "clients/acme.yml (has no list of any kind)"),
    ],
)
def test_a_customers_file_that_is_passed_over_is_told_and_stops_a_purge(
    operator: Operator, name: str | None, reason: str
) -> None:
    file = operator.folder / "panel" / "clients" / "acme.yml"
    if name is None:
        file.write_text("", encoding="utf-8")
    else:
        file.rename(file.with_name(name))
    run = apply(operator, panel_purge=["emails"], panel_max_deletes=10)
    assert_refused(
        run,
        f"purge: These files of panel were passed over, and objects that somebody believes to be in them are not: {reason}.",
    )
    warned = apply(operator)
    assert (warned.code, warned.writes) == (0, []), warned.text
    assert reason in warned.said


def test_a_pipe_as_the_file_of_passwords_is_refused_and_not_waited_for(operator: Operator) -> None:
    os.mkfifo(operator.folder / "pipe")
    run = apply(operator, vault=True, panel_passwords_file="pipe")
    assert_refused(run, "pipe: this is a pipe, a device or a socket, and no regular file; name one that is.")


def test_what_fails_is_named_and_the_rest_is_done(operator: Operator) -> None:
    add(
        operator,
        "new.yml",
        "domains: [{domain: no.example, client: acme}]\nftp_users: [{username: web, client: acme, password: x}]",
    )
    operator.simulator.settings({"prohibited_domains": ["no.example"]})
    run = apply(operator)
    assert run.code != 0
    assert sorted(run.writes) == ["POST /domains", "POST /ftp-users"]
    assert "failed domains no.example: POST /domains answered 400" in run.said
    assert [item["username"] for item in operator.simulator.objects("ftp_users")] == ["web"]


def test_a_long_plan_is_cut(operator: Operator) -> None:
    names = [f"{number}@acme.example" for number in range(9)]
    add(operator, "new.yml", json.dumps({"emails": [{"email": name, "password": "some secret"} for name in names]}))
    run = apply(operator, "--check", panel_most_lines=4)
    assert "and 5 more" in run.text
    assert "some secret" not in run.text


def test_a_panel_is_made_again_from_its_files_and_the_secrets_beside_them(make_operator: MakeOperator) -> None:
    operator = make_operator("moving")
    operator.simulator.settings({"status_delay": 0})
    operator.simulator.seed(mixed_panel(pem.texts(), clients=4))
    assert operator.run(EXPORT, {"panel_dir": "panel"}, vault=False).code == 0
    before = {path.name: path.read_bytes() for path in (operator.folder / "panel").rglob("*.yml")}
    keys = {"server 2026": "two", **{f"client-{number:03} 2026": "one" for number in range(4)}}
    certificates = [
        {"name": name, "components": {"private_key": pem.texts()[f"{pair}.private_key"]}} for name, pair in keys.items()
    ]
    add(operator, "secrets/keys.yml", json.dumps({"certificates": certificates}))
    operator.simulator.reset()
    operator.simulator.settings({"status_delay": 0})
    run = apply(operator, "-vvv", vault=True, **PASSWORDS)
    assert run.code == 0, run.text[-3000:]
    assert "PRIVATE KEY" not in run.text
    again = apply(operator, vault=True, **PASSWORDS)
    assert (again.code, again.writes) == (0, []), again.text
    assert operator.run(EXPORT, {"panel_dir": "again"}, vault=False).code == 0
    assert {path.name: path.read_bytes() for path in (operator.folder / "again").rglob("*.yml")} == before


@pytest.mark.parametrize("confirm", [True, False, None])
def test_where_nobody_can_answer_only_a_demanded_approval_stops_it(operator: Operator, confirm: bool | None) -> None:
    edit(operator, "clients/acme.yml", ("notes: ''", "notes: Pays late"))
    run = apply(operator, **({} if confirm is None else {"panel_confirm": confirm}))
    assert len(run.writes) == (0 if confirm else 1)
    assert (run.code == 0) is not bool(confirm)
    assert ("Nobody typed yes. Nothing was written." in run.text) is bool(confirm)


@pytest.mark.parametrize(
    ("variables", "answer", "writes"),
    [
        ({"panel_confirm": True}, "yes\r", 1),
        ({"panel_confirm": True}, "no\r", 0),
        ({}, "\r", 0),
        ({}, "yes\r", 1),
        ({}, "Yes\r", 0),
        ({}, " yes \r", 0),
        ({}, "\x03", 0),
        ({}, "yes\x04", 0),
    ],
)
def test_somebody_at_a_terminal_is_asked(
    operator: Operator, variables: dict[str, Any], answer: str, writes: int
) -> None:
    edit(operator, "clients/acme.yml", ("notes: ''", "notes: Pays late"))
    before = operator.simulator.last_number()
    shown = at_a_terminal(operator, {"panel_dir": "panel", **variables}, answer)
    assert "update  clients acme" in shown
    typed = next(line for line in shown.partition("everything as it is: ")[2].split("\r\n") if line)
    assert not re.search(r"localhost|ERROR", typed), shown
    assert ("Nobody typed yes. Nothing was written." in " ".join(shown.split())) is (writes == 0)
    assert len([entry for entry in operator.simulator.log(before) if entry["method"] != "GET"]) == writes, shown


@pytest.mark.parametrize("confirm", [None, False])
@pytest.mark.parametrize("way", ["{} | cat", "echo no | {}", "{} </dev/null 2>/dev/null", "{} >out.txt; cat out.txt"])
def test_somebody_at_a_terminal_who_cannot_be_asked_is_told_so_and_nothing_is_written(
    operator: Operator, way: str, confirm: bool | None
) -> None:
    edit(operator, "clients/acme.yml", ("notes: ''", "notes: Pays late"))
    before = operator.simulator.last_number()
    given = {} if confirm is None else {"panel_confirm": confirm}
    shown = at_a_terminal(operator, {"panel_dir": "panel", **given}, "", way)
    is_refused = confirm is None
    assert ("1 change. Nobody was asked, because" in " ".join(shown.split())) is is_refused, shown
    assert len([entry for entry in operator.simulator.log(before) if entry["method"] != "GET"]) == (not is_refused), (
        shown
    )


def at_a_terminal(operator: Operator, variables: dict[str, Any], answer: str, way: str = "exec {}") -> str:
    """Runs the playbook with a terminal and types the answer to its question; what it showed. way: what a shell does with the command."""
    words = ["-i", str(write_inventory(operator.folder)), "--extra-vars", json.dumps(variables), APPLY]
    environment = {
        **surroundings(operator.folder, IN_PROCESS),
        "PANEL_API_URL": operator.simulator.url,
        "PANEL_API_KEY": operator.simulator.api_key,
    }
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(operator.folder)
        command = shlex.join([sys.executable, "-m", "ansible", "playbook", *words])
        os.execve("/bin/sh", ["sh", "-c", way.format(command)], environment)
    shown = b""
    answers = 0
    deadline = time.monotonic() + 30
    try:
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65536)
            elif answers < 9 and b"it is:" in shown:
                # What was typed before Ansible is ready to read is thrown away.
                os.write(terminal, answer.encode())
                answers += 1
        os.kill(process, signal.SIGKILL)
    except OSError:
        pass  # the process has ended, and the terminal with it
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return shown.decode()


def of_two_panels(operator: Operator, first: str, second: str) -> list[str]:
    """Words for a run on two panels (which are the same one here) with a folder of one file for each."""
    hosts = {}
    for name, text in (("first", first), ("second", second)):
        file = operator.folder / name / "a.yml"
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
        panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
        hosts[name] = {**panel, "panel_dir": name}
    inventory = operator.folder / "panels.yml"
    inventory.write_text(yaml.safe_dump({"panels": {"hosts": hosts}}), encoding="utf-8")
    return ["-i", str(inventory)]


def test_several_panels_are_asked_for_once_and_each_gets_its_own(operator: Operator) -> None:
    words = of_two_panels(
        operator, "clients: []", "clients: [{username: beta, is_suspended: true}, {username: acme, notes: x}]"
    )
    refused = operator.run(APPLY, {"panel_hosts": "panels", "panel_confirm": True}, *words, vault=False)
    assert refused.code != 0
    assert refused.writes == []
    # That there is nothing to do for the first one says nothing about the second one.
    assert "Nobody typed yes" in refused.text
    run = operator.run(APPLY, {"panel_hosts": "panels", "panel_confirm": False}, *words, vault=False)
    assert run.code == 0, run.text
    assert len(run.writes) == 2


def test_a_panel_that_has_moved_on_gets_no_other_plan_than_was_shown(operator: Operator) -> None:
    words = of_two_panels(operator, "clients: [{username: beta, notes: x}]", "clients: [{username: beta, notes: y}]")
    # One after the other, so that the first has written when the second is about to.
    run = operator.run(APPLY, {"panel_hosts": "panels"}, *words, "--forks", "1", vault=False)
    assert run.code != 0
    assert len(run.writes) == 1
    assert "expected_checksum: the plan is another one now" in run.said
    assert "update clients beta: notes x -> y" in run.said


def test_a_purge_of_a_kind_that_no_file_names_is_told_in_the_words_of_the_playbook(operator: Operator) -> None:
    run = apply(operator, panel_purge=["databases"], panel_max_deletes=5)
    assert_failed(
        run,
        "purge: no file of panel has a list of databases, so everything of that would go.",
        "Check purge (panel_purge of the playbooks) and the folder",
    )
    add(operator, "none.yml", "---\ndatabases: []\n")
    assert apply(operator, panel_purge=["databases"], panel_max_deletes=5).code == 0


def test_after_an_edit_and_apply_an_export_ends_the_drift_as_its_advice_says(operator: Operator) -> None:
    edit(operator, "clients/acme.yml", ("emails:\n", "emails:\n  - email: team@acme.example\n"))
    run = apply(operator, "-e", "panel_passwords_file=passwords.yml", vault=True)
    assert run.code == 0, run.text
    drift = operator.run("hosting.panel.drift", {"panel_dir": "panel"}, vault=False)
    assert drift.code != 0
    assert "run hosting.panel.apply and then hosting.panel.export" in drift.said
    assert operator.run(EXPORT, {"panel_dir": "panel"}, vault=False).code == 0
    assert operator.run("hosting.panel.drift", {"panel_dir": "panel"}, vault=False).code == 0
