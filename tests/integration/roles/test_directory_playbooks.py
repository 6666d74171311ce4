"""The playbooks export, plan, apply and drift.

A directory of files, a plan that a person approves, and exactly that on the panel.
"""

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

from tests.integration.roles.operators import Operator, RoleRun, assert_failed, assert_refused
from tests.support.approvals import make_useless_approvals
from tests.support.playbook import IN_PROCESS, make_environment, write_inventory

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "beta.example", "client": "beta"},
    ],
    "emails": [
        {"email": "info@acme.example"},
        {"email": "old@acme.example"},
        {"email": "info@beta.example"},
    ],
}
MakeOperator = Callable[[str], Operator]
PASSWORDS = {"panel_passwords_file": "panel/passwords.yml"}


@pytest.fixture(scope="module")
def exported(make_operator: MakeOperator) -> tuple[Path, dict[str, Any]]:
    """Return the directory of an operator who has exported a small panel, and that panel."""
    exporter = make_operator("export")
    exporter.simulator.change_settings({"status_delay": 0})
    exporter.simulator.seed(SEED)
    first = run(exporter, "export", "--check")
    assert (first.code, (exporter.folder / "panel").exists()) == (0, False), first.text
    assert "3 to write" in first.said
    second = run(exporter, "export")
    assert (second.code, second.writes) == (0, []), second.text
    assert "clients 2" in second.said and "3 written, 0 removed, 0 unchanged" in second.said
    assert run(exporter, "export").recap["changed"] == 0
    nothing = run(exporter, "apply")
    assert (nothing.code, nothing.writes, nothing.recap["changed"]) == (0, [], 0), nothing.text
    assert "nothing to do, 12 unchanged" in nothing.said and count_lines(nothing) <= 13

    return exporter.folder, exporter.simulator.get_state()


@pytest.fixture
def operator(make_operator: MakeOperator, exported: tuple[Path, dict[str, Any]]) -> Operator:
    """Return an operator of that panel, with its files."""
    new_operator, (folder, state) = make_operator("files"), exported
    new_operator.simulator.set_state(state)
    new_operator.simulator.change_settings({"status_delay": 0})
    shutil.copytree(folder / "panel", new_operator.folder / "panel")

    return new_operator


def run(
    operator: Operator, name: str, *arguments: str, vault: bool = False, **variables: Any
) -> RoleRun:
    """Run a playbook on the folder of the operator."""
    surroundings_of_run = {"ANSIBLE_SHOW_CUSTOM_STATS": "true"}
    playbook_variables = {"panel_dir": "panel", **variables}
    return operator.run(
        f"hosting.panel.{name}",
        playbook_variables,
        *arguments,
        vault=vault,
        environment=surroundings_of_run,
    )


def edit(operator: Operator, old: str = "notes: ''", new: str = "notes: Pays late") -> None:
    """Replace a text in the file of the client acme."""
    file = operator.folder / "panel" / "clients" / "acme.yml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def add(operator: Operator, path: str, text: str) -> None:
    """Write a file into the operator's folder."""
    file = operator.folder / "panel" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def count_lines(done: RoleRun) -> int:
    """Count the lines of an output that are not blank."""
    return len([line for line in done.text.splitlines() if line.strip()])


@pytest.mark.parametrize("text", ["emails: [", "mailboxes: []"], ids=["no YAML", "no type"])
def test_a_plan_that_cannot_be_made_fails_once_with_its_reason(
    operator: Operator, text: str
) -> None:
    add(operator, "odd.yml", f"{text}\n")
    planned = run(operator, "plan")

    assert (planned.code, planned.writes, planned.recap["failed"]) == (2, [], 1), planned.text
    assert "odd.yml" in planned.said and "label" not in planned.text


def test_a_plan_hands_its_checksum_on_and_apply_does_exactly_that_once(operator: Operator) -> None:
    edit(operator)
    planned = run(operator, "plan", panel_plan_file="page.md")

    # Some of the lines are of the page and the statistics.
    assert (planned.code, planned.writes, count_lines(planned) <= 22) == (0, [], True), planned.text
    assert 'notes "" -> Pays late' in planned.text

    handed = json.loads(re.findall(r"^\s*RUN: (\{.*\})$", planned.text, re.MULTILINE)[0])
    checksum = handed["panel_expected_checksums"]["localhost"]

    assert handed["panel_planned_changes"] == {"localhost": 1}

    page = (operator.folder / "page.md").read_text(encoding="utf-8")
    assert "# Plan" in page and "Pays late" in page and f"`{checksum}`" in page

    command = f"ansible-playbook hosting.panel.apply -e panel_dir=panel -e panel_expected_checksum={checksum}"
    assert command in planned.said and f"\n{command}\n" in planned.text

    predicted = run(operator, "apply", "--check", panel_expected_checksum=checksum)
    assert (predicted.code, predicted.writes, predicted.recap["changed"]) == (0, [], 1), (
        predicted.text
    )

    add(operator, "../after.yml", "- ansible.builtin.debug: {msg: 'kept it safe'}\n")
    approved = {
        "panel_expected_checksums": handed["panel_expected_checksums"],
        "panel_after_apply": "after.yml",
    }

    done = run(operator, "apply", **approved)

    assert (done.code, [write.split("/")[0] for write in done.writes]) == (0, ["PUT "]), done.text
    assert (
        "1 of 1 changes written" in done.said
        and "kept it safe" in done.text
        and count_lines(done) <= 27
    )
    assert 'notes "" -> Pays late' in done.text

    refused = run(
        operator, "apply", panel_expected_checksum=checksum, panel_after_apply="after.yml"
    )
    assert_failed(refused, "expected_checksum:", "kept it safe")


def test_the_command_for_a_panel_of_a_named_inventory_names_it_and_that_of_a_configured_one_does_not(
    operator: Operator,
) -> None:
    edit(operator)
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    inventory = operator.folder / "my panels.yml"
    hosts = {"all": {"hosts": {"web-1": {**panel, "panel_dir": "panel"}}}}
    inventory.write_text(yaml.safe_dump(hosts), encoding="utf-8")
    hosts_file = operator.folder / "hosts.yml"
    variables = {"panel_hosts": "web-1"}

    named = operator.run("hosting.panel.plan", variables, "-i", str(inventory), vault=False)
    found_again = operator.run(
        "hosting.panel.plan",
        variables,
        "-i",
        str(inventory),
        environment={"ANSIBLE_INVENTORY": f"{hosts_file},{inventory}"},
        vault=False,
    )

    command = f"hosting.panel.apply -i '{hosts_file}' -i '{inventory}' -e panel_hosts=web-1"
    assert f"\nansible-playbook {command}" in named.text
    assert "\nansible-playbook hosting.panel.apply -e panel_hosts=web-1" in found_again.text


@pytest.mark.parametrize("playbook", ["plan", "apply"])
def test_a_password_that_a_file_asks_for_and_no_file_would_keep_is_refused(
    operator: Operator, playbook: str
) -> None:
    add(operator, "rotated.yml", "clients: [{username: acme, regenerate_password: true}]\n")
    refused = run(operator, playbook, panel_confirm=False)

    assert (refused.code != 0, refused.writes) == (True, []), refused.text
    assert "panel_passwords_file is not set, and these objects need a new password: acme." in (
        refused.said
    )


# By case the playbook, its variables, how many tasks it counts as changed, and the most lines.
PAGE = {"panel_plan_file": "page.md"}
HOOK = {"panel_after_apply": "after.yml"}
NORMAL_RUNS: dict[str, tuple[str, dict[str, Any], int, int]] = {
    "plan": ("plan", {}, 0, 18),
    "plan with a page": ("plan", PAGE, 1, 20),
    "apply": ("apply", {}, 1, 21),
    "apply with tasks": ("apply", HOOK, 1, 27),
    "apply with a page": ("apply", PAGE, 2, 26),
    "apply with both": ("apply", {**HOOK, **PAGE}, 2, 33),
    "plan of nothing": ("plan", {}, 0, 13),
    "apply of nothing": ("apply", {}, 0, 11),
    "apply of nothing with tasks": ("apply", HOOK, 0, 13),
    "apply of nothing with a page": ("apply", PAGE, 1, 11),
    "drift": ("drift", {}, 0, 9),
    "drift with a page": ("drift", PAGE, 1, 11),
}


@pytest.mark.parametrize(
    ("name", "variables", "changed", "most_lines"), NORMAL_RUNS.values(), ids=NORMAL_RUNS
)
def test_a_normal_run_shows_no_task_that_does_nothing_and_counts_what_it_wrote(
    operator: Operator, name: str, variables: dict[str, Any], changed: int, most_lines: int
) -> None:
    add(operator, "../after.yml", "- ansible.builtin.debug: {msg: kept}\n")
    has_changes = name != "drift" and most_lines > 13
    if has_changes:
        edit(operator)

    done = run(operator, name, panel_confirm=False, **variables)

    assert (done.code, done.recap["changed"]) == (0, changed), done.text
    assert "skipping:" not in done.text and done.recap["skipped"] == 0, done.text
    assert count_lines(done) <= most_lines, done.text
    assert len(done.writes) == int(has_changes and name == "apply")


def test_a_variable_that_only_the_tasks_at_the_end_read_is_taken_where_it_is_listed(
    operator: Operator,
) -> None:
    add(operator, "../after.yml", "- ansible.builtin.debug: {msg: 'kept in {{ dir }}'}\n")
    variables = {**HOOK, "panel_confirm": False, "dir": "backups"}

    refused = run(operator, "apply", **variables)
    done = run(operator, "apply", **variables, panel_foreign_variables="dir")

    advice = "If your own tasks read dir, list the name in panel_foreign_variables."
    assert_refused(refused, f"dir: did you mean panel_dir? {advice}")
    assert (done.code, "kept in backups" in done.text) == (0, True), done.text


@pytest.mark.parametrize("name", ["plan", "apply", "drift"])
def test_a_page_that_is_the_same_already_is_no_change(operator: Operator, name: str) -> None:
    page = operator.folder / "page.md"

    first = run(operator, name, panel_confirm=False, **PAGE)
    text = page.read_text(encoding="utf-8")
    second = run(operator, name, panel_confirm=False, **PAGE)
    page.write_text(text.rstrip("\n"), encoding="utf-8")
    third = run(operator, name, panel_confirm=False, **PAGE)

    changes = [playbook_run.recap["changed"] for playbook_run in (first, second, third)]
    assert changes == [1, 0, 1], second.text
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", ["plan", "apply", "drift"])
def test_a_directory_that_does_not_exist_is_refused_before_anything_else(
    operator: Operator, name: str
) -> None:
    done = run(operator, name, panel_dir="panel/nowhere")

    path = operator.folder / "panel/nowhere"
    assert_refused(done, f"panel_dir: there is no directory {path}. Correct the path.")
    assert "no plan" not in done.text


def test_the_page_of_a_difference_that_stays_is_written_once(operator: Operator) -> None:
    edit(operator)

    runs = [run(operator, "drift", **PAGE) for _turn in range(2)]

    outcomes = [(drift_run.code, drift_run.recap["changed"]) for drift_run in runs]
    assert outcomes == [(2, 1), (2, 0)], runs[1].text


def test_a_difference_that_is_written_nowhere_is_a_failure_and_no_change(
    operator: Operator,
) -> None:
    edit(operator)
    for name in ("drift", "apply"):
        done = run(operator, name)

        assert (done.code, done.recap["failed"], done.recap["changed"]) == (2, 1, 0), done.text
        assert "skipping:" not in done.text


AFTER = {
    "file of tasks fails": ("- ansible.builtin.fail: {msg: not kept}\n", "not kept", True),
    "page cannot be written": (
        "- ansible.builtin.file: {path: FOLDER/pages, state: absent}\n",
        "Destination directory",
        False,
    ),
}


@pytest.mark.parametrize(("tasks", "message", "has_page"), AFTER.values(), ids=AFTER)
def test_nothing_at_the_end_of_apply_keeps_the_rest_from_being_done(
    operator: Operator, tasks: str, message: str, has_page: bool
) -> None:
    edit(operator)
    add(operator, "../pages/page.md", "")
    page = operator.folder / "pages/page.md"
    variables = {
        "panel_after_apply": "~/after.yml",
        "panel_plan_file": str(page),
        "panel_expected_checksum": "0" * 64,
    }
    (operator.folder / "home").mkdir(exist_ok=True)
    (operator.folder / "home/after.yml").write_text(
        tasks.replace("FOLDER", str(operator.folder)), encoding="utf-8"
    )
    done = run(operator, "apply", **variables)

    assert_failed(done, message, "the plan has changed since it was approved")

    assert (page.exists() and page.read_text(encoding="utf-8") != "") is has_page


# By case what the operator hands over as an approval, and what the refusal says.
NO_APPROVALS: dict[str, tuple[dict[str, Any], str]] = {
    "of another plan": (
        {"panel_expected_checksum": "0" * 64},
        "panel_expected_checksum: the plan has changed",
    ),
    "of another plan of the host": (
        {"panel_expected_checksums": {"localhost": "0" * 64}},
        "panel_expected_checksums: the plan has changed",
    ),
    "of another host": (
        {"panel_expected_checksums": {"web-2": "0" * 64}},
        "panel_expected_checksums: no plan for localhost was approved",
    ),
    "empty": (
        {"panel_expected_checksums": {"localhost": ""}},
        "panel_expected_checksums: localhost has no checksum",
    ),
    "none": ({}, "no one typed yes. Nothing was written."),
}


@pytest.mark.parametrize(("variables", "message"), NO_APPROVALS.values(), ids=NO_APPROVALS)
def test_without_an_approval_of_this_plan_nothing_is_written(
    operator: Operator, variables: dict[str, Any], message: str
) -> None:
    edit(operator)

    done = run(operator, "apply", **variables)

    assert_failed(done, message)
    assert done.recap["changed"] == 0


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"panel_expected_checksum": "x"}, id="approval that is none"),
        pytest.param({"panel_expected_checksum": ["0" * 64]}, id="list of approvals"),
        pytest.param({"panel_purge": ["emails"], "panel_protect": "emails"}, id="lost protection"),
        pytest.param({}, id="no mistake"),
    ],
)
def test_nothing_is_approved_in_a_run_that_starts_behind_the_check_of_variables(
    operator: Operator, variables: dict[str, Any]
) -> None:
    edit(operator)

    done = run(
        operator, "apply", "--start-at-task", "Plan", **{**variables, "panel_confirm": False}
    )

    assert_failed(done, "no one typed yes. Nothing was written.")


def test_an_apply_that_starts_behind_the_plan_fails(operator: Operator) -> None:
    edit(operator)

    done = run(operator, "apply", "--start-at-task", "After the plan", panel_confirm=False)

    assert_failed(done, "No plan was made in this run. Nothing was written.")


CONFLICTS = {
    "file of passwords": ("new.yml", "panel_passwords_file, panel_plan_file: both are one file, "),
    "link to the file of passwords": (
        "link to it",
        "panel_passwords_file, panel_plan_file: both are one file, ",
    ),
    "file of the panel": ("panel/clients/new.yml", "would be read as a file of panel_dir"),
    "notes": ("my notes.md", "my notes.md: that file is no page of a plan, so it is not replaced"),
    "client": ("panel/clients/acme.yml", "would be read as a file of panel_dir"),
}


@pytest.mark.parametrize(
    ("name", "page", "message"),
    [
        *(pytest.param("plan", *values, id=f"plan: {case}") for case, values in CONFLICTS.items()),
        *(
            pytest.param(name, *CONFLICTS["file of passwords"], id=name)
            for name in ("apply", "drift")
        ),
    ],
)
def test_a_page_replaces_no_other_file(
    operator: Operator, name: str, page: str, message: str
) -> None:
    edit(operator)
    (operator.folder / "my notes.md").write_text("mine", encoding="utf-8")
    (operator.folder / "link to it").symlink_to("new.yml")
    before = {
        path: path.read_bytes() for path in operator.folder.rglob("*.[my]*") if path.is_file()
    }
    run_of_page = run(
        operator,
        name,
        panel_plan_file=page,
        panel_passwords_file="new.yml",
        panel_confirm=False,
        vault=True,
    )

    assert_refused(run_of_page, message, "panel_plan_file", "Nothing was read or written.")
    after = {path: path.read_bytes() for path in before}

    assert (after, (operator.folder / "new.yml").exists()) == (before, False)


def test_a_page_is_replaced_by_the_next_one_also_below_the_home(operator: Operator) -> None:
    edit(operator)
    page = operator.folder / "my page.md"
    surroundings_of_run = {"HOME": str(operator.folder)}

    for name in ("plan", "drift", "plan"):
        playbook_variables = {"panel_dir": "panel", "panel_plan_file": "~/my page.md"}
        done = operator.run(
            f"hosting.panel.{name}", playbook_variables, environment=surroundings_of_run
        )
        assert (done.code != 0, done.writes) == (name == "drift", []), done.text
        title = "# Drift of `" if name == "drift" else "# Plan for `"
        assert page.read_text(encoding="utf-8").startswith(title)


def test_a_page_whose_template_has_no_value_is_a_mistake_of_the_variable(
    operator: Operator,
) -> None:
    refused = run(operator, "plan", panel_plan_file="{{ nowhere }}.md")
    assert_refused(refused, "panel_plan_file: its template has no value")


def assign_to_another_panel(operator: Operator) -> tuple[str, ...]:
    """Have the directory say that it is another panel's; returns what a refusal names."""
    path = operator.folder / "panel/panel.yml"
    own_panel = operator.simulator.url.removeprefix("http://")
    assert f"panel: {own_panel}\n" in path.read_text(encoding="utf-8")
    path.write_text(
        path.read_text(encoding="utf-8").replace(own_panel, "web-9.example"), encoding="utf-8"
    )

    return own_panel, "web-9.example", "panel_rebuild"


@pytest.mark.parametrize("name", ["plan", "apply", "drift", "export"])
def test_the_files_of_another_panel_are_refused_with_both_names_unless_that_is_meant(
    operator: Operator, name: str
) -> None:
    edit(operator)
    names = assign_to_another_panel(operator)
    before = {path: path.read_bytes() for path in (operator.folder / "panel").rglob("*.yml")}

    for value in ({}, {"panel_rebuild": "false"}, {"panel_rebuild": ""}, {"panel_rebuild": None}):
        refused = run(operator, name, panel_confirm=False, **value)
        assert_failed(refused, *names)
        assert name == "export" or refused.requests == []

    assert_refused(run(operator, name, panel_rebuild="perhaps"), "panel_rebuild")
    assert {
        path: path.read_bytes() for path in (operator.folder / "panel").rglob("*.yml")
    } == before

    meant = run(operator, name, panel_confirm=False, panel_rebuild="yes")

    if name == "drift":
        assert_failed(meant, "Pays late", "in 1 object.")
    elif name == "export":
        assert (
            "2 written, 0 removed, 1 unchanged" in meant.said and run(operator, "drift").code == 0
        )
    else:
        assert (meant.code, len(meant.writes)) == (0, int(name == "apply")), meant.text

    if name == "plan":
        assert " -e panel_rebuild=true" in meant.said


def test_an_export_of_an_older_directory_says_whose_it_is_from_then_on(operator: Operator) -> None:
    path = operator.folder / "panel/panel.yml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub("panel: .*\n", "", text), encoding="utf-8")

    done = run(operator, "export")

    assert (done.code, "1 written, 0 removed" in done.said) == (0, True), done.text
    assert "from now on" in done.said and path.read_text(encoding="utf-8") == text


def test_an_export_shows_no_secret_of_a_person_and_says_what_it_takes_out(
    operator: Operator,
) -> None:
    edit(
        operator,
        "  - email: info@acme.example\n",
        "  - email: info@acme.example\n    password: Kanarien-7\n",
    )
    done = run(operator, "export", "--diff", "-vvvv")

    assert done.code == 0 and "Kanarien" not in done.text
    assert "emails info@acme.example password" in done.said and "encrypt_string" in done.said


def test_a_link_in_the_directory_is_an_error_of_every_playbook(operator: Operator) -> None:
    path = operator.folder / "panel/clients/acme.yml"
    path.rename(operator.folder / "elsewhere.yml")

    path.symlink_to(operator.folder / "elsewhere.yml")
    for name in ("export", "plan", "apply", "drift"):
        assert_failed(run(operator, name, panel_confirm=False), "clients/acme.yml: this is a link")

    assert path.is_symlink()


# Nothing of this says whether to ask.
NO_SWITCHES: dict[str, Any] = {
    "null": None,
    "empty": "",
    "blank": " ",
    "nein": "nein",
    "2": 2,
    "list": [],
    "dictionary": {},
}


# A host takes half a second. In a push a few of each form are tried here, and tests/unit tries all.
NO_APPROVALS = list(make_useless_approvals("", ""))
A_FEW = NO_APPROVALS[::6]


@pytest.mark.parametrize(
    "tried",
    [
        pytest.param(A_FEW, id="a few"),
        pytest.param(NO_APPROVALS, id="all", marks=pytest.mark.release),
    ],
)
@pytest.mark.parametrize(
    "beside", [{}, {"panel_confirm": False}], ids=["alone", "beside panel_confirm false"]
)
def test_nothing_but_a_whole_checksum_for_the_host_approves_and_a_mistake_of_one_host_ends_that_host_alone(
    operator: Operator, beside: dict[str, Any], tried: list[str]
) -> None:
    edit(operator)
    planned = run(operator, "plan")
    checksum = json.loads(re.findall(r"^\s*RUN: (\{.*\})$", planned.text, re.MULTILINE)[0])
    approved = checksum["panel_expected_checksums"]["localhost"]
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    hosts: dict[str, dict[str, Any]] = {}

    for number, name in enumerate(tried):
        host = f"wrong-{number:02}"
        hosts[host] = {**beside, **make_useless_approvals(host, approved)[name]}

    if not beside:
        for number, value in enumerate(NO_SWITCHES.values()):
            hosts[f"unasked-{number}"] = {
                "panel_confirm": value,
                "panel_expected_checksum": approved,
            }
        hosts["mistaken"] = {"panel_confirm": False, "panel_concurrency": "many"}

    refused = list(hosts)
    hosts["right"] = {**beside, "panel_expected_checksums": json.dumps({"right": approved})}

    for host, variables in hosts.items():
        variables.update(panel, panel_dir=f"of/{host}")
        shutil.copytree(operator.folder / "panel", operator.folder / "of" / host)

    inventory = operator.folder / "panels.yml"
    inventory.write_text(yaml.safe_dump({"panels": {"hosts": hosts}}), encoding="utf-8")

    done = operator.run(
        "hosting.panel.apply", {"panel_hosts": "panels"}, "-i", str(inventory), vault=False
    )

    assert done.code != 0
    assert [write.split("/")[0] for write in done.writes] == ["PUT "], done.text

    named = {
        "wrong": "panel_expected_checksum",
        "unasked": "panel_confirm",
        "mistaken": "panel_concurrency",
    }
    for host in refused:
        (output,) = re.findall(rf"fatal: \[{host}\]: FAILED! => (.*)", done.text)
        assert f'"msg": "{named[host.partition("-")[0]]}' in output, output
        assert "Nothing was read or written." in output

    assert re.search(r"^right +: ok=\d+ +changed=1 .* failed=0", done.text, re.MULTILINE), done.text


def test_a_person_at_a_terminal_is_asked_and_a_job_of_awx_never(operator: Operator) -> None:
    edit(operator)
    for answer, writes in (("Yes\r", 0), ("yes\r", 1)):
        before = operator.simulator.get_last_number()
        output = run_at_a_terminal(operator, {"panel_dir": "panel"}, answer)
        assert re.search(
            r": 0 to create, 1 to update, 0 to delete, \d+ unchanged\s+Type yes to apply this",
            output,
        ), output
        message = (
            "no one typed yes. Nothing was written. Run again, and type yes to apply the plan."
        )
        assert (message in " ".join(output.split())) is (writes == 0), output
        assert (
            len(
                [entry for entry in operator.simulator.read_log(before) if entry["method"] != "GET"]
            )
            == writes
        ), output

    edit(operator, "notes: Pays late", "notes: Pays")
    output = run_at_a_terminal(operator, {"panel_dir": "panel", "awx_job_id": 7}, "yes\r")

    assert "Type yes" not in output and "no one typed yes" in " ".join(output.split()), output


def test_a_person_is_asked_also_where_the_first_of_several_panels_needs_no_answer(
    operator: Operator,
) -> None:
    edit(operator)
    shutil.copytree(operator.folder / "panel", operator.folder / "other")
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    hosts = {
        "first": {**panel, "panel_dir": "panel", "panel_confirm": False},
        "second": {**panel, "panel_dir": "other"},
    }
    inventory = operator.folder / "panels.yml"
    inventory.write_text(yaml.safe_dump({"panels": {"hosts": hosts}}), encoding="utf-8")

    output = run_at_a_terminal(operator, {"panel_hosts": "panels"}, "yes\r", inventory)

    assert "Type yes to apply this" in output and "no one typed yes" not in " ".join(
        output.split()
    ), output


def run_at_a_terminal(
    operator: Operator, variables: dict[str, Any], answer: str, inventory: Path | None = None
) -> str:
    """Run apply at a terminal and types the answer to its question; what it showed."""
    hosts = str(inventory or write_inventory(operator.folder))
    arguments = ["-i", hosts, "--extra-vars", json.dumps(variables), "hosting.panel.apply"]
    environment = {
        **make_environment(operator.folder, IN_PROCESS),
        "PANEL_API_URL": operator.simulator.url,
        "PANEL_API_KEY": operator.simulator.api_key,
    }
    process, terminal = pty.fork()

    if process == 0:
        os.chdir(operator.folder)
        command = shlex.join([sys.executable, "-m", "ansible", "playbook", *arguments])
        os.execve("/bin/sh", ["sh", "-c", f"exec {command}"], environment)

    output = b""
    answers = 0
    deadline = time.monotonic() + 60

    try:
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.2)[0]:
                output += os.read(terminal, 65536)
            elif answers < 9 and b"Type yes" in output:
                # What was typed before Ansible is ready to read is thrown away.
                os.write(terminal, answer.encode())
                answers += 1
        os.kill(process, signal.SIGKILL)
    except OSError:
        pass  # the process has ended, and the terminal with it
    finally:
        os.close(terminal)
        os.waitpid(process, 0)

    return output.decode()


def test_new_passwords_need_a_file_and_are_kept_encrypted_and_printed_nowhere(
    operator: Operator,
) -> None:
    add(
        operator,
        "new/emails.yml",
        "emails:\n  - email: new@acme.example\n  - email: more@acme.example\n",
    )
    for name in ("plan", "apply"):
        assert_failed(
            run(operator, name, panel_confirm=False, panel_plan_file="page.md"),
            "panel_passwords_file is not set",
            "new@acme.example",
            "Nothing was written.",
        )
        page = (operator.folder / "page.md").read_text(encoding="utf-8")
        assert "panel_passwords_file is not set" in page and "panel_expected_checksum" not in page

    done = run(operator, "apply", "-vvv", vault=True, panel_confirm=False, **PASSWORDS)
    assert (done.code, done.writes) == (0, ["POST /emails"] * 2), done.text

    kept = operator.read_passwords(operator.folder / "panel" / "passwords.yml")
    assert sorted(key for _kind, key in kept) == ["more@acme.example", "new@acme.example"]
    assert [password for password in kept.values() if password in done.text] == []
    assert "ansible-vault view" in done.said

    second_run = run(operator, "apply", vault=True, panel_confirm=False, **PASSWORDS)
    assert (second_run.code, second_run.writes) == (0, []), second_run.text


def test_a_change_without_a_new_password_announces_none(operator: Operator) -> None:
    edit(operator)
    done = run(operator, "apply", vault=True, panel_confirm=False, **PASSWORDS)

    assert "1 of 1 changes written" in done.said, done.text
    assert "New passwords" not in done.said
    assert not (operator.folder / "panel" / "passwords.yml").exists()


def test_mistakes_come_before_anything_is_read(operator: Operator) -> None:
    add(operator, "wrong.yml", "emails:\n  - email: new@acme.example\n    max_size: big\n")
    assert_refused(
        run(operator, "plan", panel_plan_file="page.md"),
        "wrong.yml: line 3: emails new@acme.example max_size:",
    )

    assert "wrong.yml" in (operator.folder / "page.md").read_text(encoding="utf-8")

    refused = run(operator, "drift", panel_dir="", panel_purg=["emails"])
    assert_refused(refused, "panel_dir: missing.", "panel_purg: did you mean panel_purge?")

    assert count_lines(refused) <= 12

    assert_refused(
        run(operator, "apply", panel_after_apply="aftr.yml"),
        f"panel_after_apply: there is no file {operator.folder / 'aftr.yml'}. Correct the path.",
    )


def test_drift_is_empty_after_an_export_and_lists_each_object_with_its_file_otherwise(
    operator: Operator,
) -> None:
    clean = run(operator, "drift")
    assert (clean.code, clean.writes, count_lines(clean) <= 14) == (0, [], True), clean.text

    edit(operator)
    edit(operator, "email: old@acme.example", "email: renamed@acme.example")
    done = run(operator, "drift")

    assert_failed(
        done,
        "differs from the files in panel in 3 objects",
        "only on the panel",
        "This leaves what is only on the panel: to delete it, write it into a file with state: absent, "
        "or set panel_purge.",
        "missing on the panel (clients/acme.yml: line",
        'notes "" -> Pays late',
    )

    assert run(operator, "export").code == 0
    assert run(operator, "drift").code == 0


def test_drift_does_not_say_that_a_panel_matches_where_no_file_could_keep_one_of_its_objects(
    operator: Operator,
) -> None:
    """Compare a panel that has two scheduled tasks of one name with its export."""
    (client,) = [
        client
        for client in operator.simulator.list_objects("clients")
        if client["username"] == "acme"
    ]
    body = {
        "id_user": client["id"],
        "description": "twice",
        "type": "http",
        "command": "https://a.example",
    }

    for _number in range(2):
        assert operator.simulator.request("POST", "/scheduled-tasks", body).status_code == 201

    assert run(operator, "export").code == 0

    done = run(operator, "drift", panel_plan_file="page.md")
    assert (done.code, done.writes) == (0, []), done.text
    assert (
        "cannot be compared with files: scheduled tasks acme:twice, scheduled tasks acme:twice"
        in done.said
    )
    assert " matches the files in " not in done.said

    page = (operator.folder / "page.md").read_text(encoding="utf-8")
    assert "- Not compared: scheduled task `acme:twice" in page and "as the files say" not in page


def test_a_purge_is_limited_and_protected_and_each_of_several_panels_is_planned_and_approved_on_its_own(
    operator: Operator,
) -> None:
    content = yaml.safe_load(
        (operator.folder / "panel/clients/acme.yml").read_text(encoding="utf-8")
    )
    content["emails"] = [
        email for email in content["emails"] if email["email"] != "old@acme.example"
    ]
    add(operator, "clients/acme.yml", yaml.safe_dump(content))
    add(operator, "../other/a.yml", "clients: []")
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    hosts = {
        "first": {**panel, "panel_dir": "other"},
        "second": {**panel, "panel_dir": "panel", "panel_purge": ["emails"]},
    }
    inventory = operator.folder / "panels.yml"
    inventory.write_text(yaml.safe_dump({"panels": {"hosts": hosts}}), encoding="utf-8")

    def apply(**variables: Any) -> RoleRun:
        playbook_variables = {"panel_hosts": "panels", **variables}
        arguments = ("-i", str(inventory))
        return operator.run("hosting.panel.apply", playbook_variables, *arguments, vault=False)

    assert_failed(apply(panel_confirm=False), "panel_max_deletes: 1", "old@acme.example")

    kept = apply(panel_confirm=False, panel_max_deletes=1, panel_protect={"emails": ["old@*"]})

    assert (kept.code, kept.writes) == (0, []), kept.text

    refused = apply(panel_max_deletes=1)
    assert_failed(refused, "second: no one typed yes")

    assert "first: no one" not in refused.said

    refused_run = apply(panel_dir="panel", panel_plan_file="page.md")
    assert_refused(
        refused_run,
        "panel_dir: several panels have the same.",
        "panel_plan_file: several panels have the same.",
    )

    done = apply(panel_confirm=False, panel_max_deletes=1)

    assert (done.code, len(done.writes)) == (0, 1), done.text


def test_a_key_that_a_program_prints_is_asked_for_a_few_times_only(operator: Operator) -> None:
    calls = operator.folder / "calls"
    program = f"echo call >> {shlex.quote(str(calls))}; printf %s {shlex.quote(operator.simulator.api_key)}"
    key = "{{ lookup('ansible.builtin.pipe', " + json.dumps(program) + ") }}"

    done = run(operator, "plan", panel_api_key=key)

    assert (done.code, done.writes) == (0, []), done.text
    # The check of the variables, and the task that sends the key.
    assert len(calls.read_text(encoding="utf-8").splitlines()) <= 4
