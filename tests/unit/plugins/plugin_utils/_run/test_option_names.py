# SPDX-License-Identifier: GPL-3.0-or-later
"""A message names the variable of a role or playbook that sets an option, where the task says which
one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import NUMBERS
from tests.support import in_memory
from tests.support.in_memory import InMemory

SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "a@acme.example"}, {"email": "b@acme.example"}],
}
NAMES = {
    "max_deletes": "panel_max_deletes",
    "protect": "panel_protect",
    "purge": "panel_purge",
    "concurrency": "panel_concurrency",
    "expected_checksum": "panel_expected_checksum",
    "credentials_file": "panel_passwords_file",
    "resources_dir": "panel_dir",
    "rebuild": "panel_rebuild",
    "rotation": "panel_rotation",
    "api_url": "panel_api_url",
}
EMAILS: dict[str, Any] = {"resources": {"emails": []}, "purge": ["emails"]}
# By case the options, and the option that the message begins with.
REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "too many deletions": ({**EMAILS}, "max_deletes"),
    "more deletions than allowed": ({**EMAILS, "max_deletes": 1}, "max_deletes"),
    "a protected object": (
        {
            "resources": {"emails": [{"email": "a@acme.example", "state": "absent"}]},
            "protect": {"emails": ["a@*"]},
        },
        "protect",
    ),
    "another plan": (
        {**EMAILS, "max_deletes": 9, "expected_checksum": "0" * 64},
        "expected_checksum",
    ),
    "an empty checksum": ({**EMAILS, "expected_checksum": ""}, "expected_checksum"),
    "a type without a list": ({"resources": {}, "purge": ["emails"]}, "purge"),
    "a wrong type of purge": ({**EMAILS, "purge": ["emial"]}, "purge[0]"),
    "too many requests": ({**EMAILS, "concurrency": 99}, "concurrency"),
    "no number": ({**EMAILS, "max_deletes": "two"}, "max_deletes"),
    "null": ({**EMAILS, "max_deletes": None}, "max_deletes"),
    "an unknown type": ({**EMAILS, "protect": {"emial": []}}, "protect"),
    "an empty file": ({**EMAILS, "credentials_file": " "}, "credentials_file"),
    "a rotation without a file": ({**EMAILS, "rotation": "2026"}, "rotation"),
    "files of no directory": ({**EMAILS, "rebuild": True}, "rebuild"),
    "a purge of what an item needs": (
        {
            "resources": {"domains": [], "emails": [{"email": "a@acme.example"}]},
            "purge": ["domains"],
            "max_deletes": 9,
        },
        "purge",
    ),
}


@pytest.mark.parametrize(("options", "option"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_calls_an_option_by_the_variable_that_sets_it(
    options: dict[str, Any], option: str
) -> None:
    plain = InMemory(SEED).run("panel_resources", **options)
    named = InMemory(SEED).run(
        "panel_resources", task_vars={"__panel_option_names": NAMES}, **options
    )

    assert plain["failed"]
    assert named["failed"]
    assert plain["msg"].startswith(f"{option}: ")
    assert named["msg"].startswith(
        f"panel_{option}: " if option != "credentials_file" else "panel_passwords_file: "
    )
    # What playbooks branch on stays as it is.
    assert {**named["error"], "mistakes": 0} == {**plain["error"], "mistakes": 0}


def test_the_advice_of_a_refusal_names_the_variable_too() -> None:
    named = InMemory(SEED).run(
        "panel_resources", task_vars={"__panel_option_names": NAMES}, **EMAILS
    )
    assert named["msg"].endswith("Nothing was written. Set panel_max_deletes: 2 to allow this.")


@pytest.mark.parametrize("field", ["max_deletes", "purge"])
def test_words_of_an_operator_are_never_taken_for_an_option(field: str) -> None:
    seed = {**SEED, "clients": [{"username": "acme"}, {"username": field}]}
    options = {"resources": {"clients": [{"username": field, "state": "absent"}]}, "max_deletes": 0}

    named = InMemory(seed).run(
        "panel_resources", task_vars={"__panel_option_names": NAMES}, **options
    )

    assert f": client {field}. Nothing was written." in named["msg"]


NAMED = {"__panel_option_names": NAMES}


def test_a_rotation_names_the_variable_of_the_file_that_it_needs() -> None:
    result = InMemory(SEED).run("panel_resources", task_vars=NAMED, **EMAILS, rotation="2026")
    assert result["msg"].startswith("panel_rotation: needs panel_passwords_file, where")


@pytest.mark.parametrize(
    ("names", "expected"), [(NAMED, "panel_protect"), ({}, "protect")], ids=["named", "plain"]
)
def test_a_warning_of_a_name_that_protects_nothing_names_the_variable(
    names: dict[str, Any], expected: str
) -> None:
    options = {"resources": {"emails": []}, "protect": {"emails": ["c@acme.example"]}}
    result = InMemory(SEED).run("panel_resources", task_vars=names, **options)

    assert [warning.partition(":")[0] for warning in result["warnings"]] == [f"{expected}.emails"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of another panel, and one that holds no objects."""
    (tmp_path / "panel.yml").write_text("panel: other.example\nemails: []\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "sample_panel"),
    [
        ({"protect": {"emails": [123]}}, "protect.emails[0]: 123 is a number"),
        ({"protect": {"emails": ["a@x.example", ""]}}, "protect.emails[1]: is empty"),
        ({"protect": {"emails": "a@x.example"}}, "protect.emails: must be a list"),
        ({"protect": {"clients": [1], "emails": []}}, "protect.clients[0]: 1 is a number"),
        ({"purge": ["domains"]}, "purge: no file of "),
        ({"max_deletes": -1}, "max_deletes: -1 is not accepted"),
        ({"concurrency": 0}, "concurrency: 0 is not accepted"),
    ],
    ids=str,
)
@pytest.mark.parametrize(("names", "before"), [(NAMED, "panel_"), ({}, "")], ids=["named", "plain"])
def test_a_mistake_in_an_option_beside_files_is_told_as_one_of_the_option(
    options: dict[str, Any], sample_panel: str, names: dict[str, Any], before: str, tmp_path: Path
) -> None:
    (tmp_path / "acme.yml").write_text(
        "emails:\n- email: info@acme.example\n  max_size: 1G\n", encoding="utf-8"
    )
    task_options = {"purge": ["emails"], "resources_dir": str(tmp_path), **options}

    result = InMemory(SEED).run("panel_resources", task_vars=names, **task_options)

    assert result["failed"]
    assert result["msg"].startswith(f"{before}{sample_panel}")
    assert "acme.yml" not in str(result)


def test_files_of_another_panel_name_the_variables_of_a_playbook(folder: Path) -> None:
    result = InMemory(SEED).run("panel_resources", task_vars=NAMED, resources_dir=str(folder))
    assert (
        "and panel_api_url names panel.example. Nothing was written. Correct panel_api_url or"
        in result["msg"]
    )
    assert result["msg"].endswith("set panel_rebuild: true.")


def test_files_of_another_panel_name_the_options_of_a_task(folder: Path) -> None:
    result = InMemory(SEED).run("panel_resources", resources_dir=str(folder))
    assert "and api_url names panel.example." in result["msg"]
    assert result["msg"].endswith("set rebuild: true.")


def test_a_purge_with_files_that_hold_no_objects_names_the_variables(folder: Path) -> None:
    options = {"resources_dir": str(folder), "rebuild": True}
    refused = InMemory(SEED).run("panel_resources", task_vars=NAMED, **options, purge=["emails"])

    assert refused["msg"].startswith("panel_dir: with panel_purge, what these files should hold")

    result = InMemory(SEED).run("panel_resources", task_vars=NAMED, **options)
    assert result["warnings"][0].startswith("panel_dir: these files hold no objects")


def test_an_export_names_the_variables_of_a_playbook(folder: Path) -> None:
    names = {"__panel_option_names": {"dir": "panel_dir", "rebuild": "panel_rebuild"}}
    result = InMemory(SEED).run("panel_export", task_vars=names, dir=str(folder))

    assert result["msg"].startswith(
        f"panel_dir: {folder}/panel.yml: these are files of the panel other.example"
    )
    assert result["msg"].endswith("set panel_rebuild: true.")


def test_an_archive_names_the_variable_of_its_directory(tmp_path: Path) -> None:
    names = {"__panel_option_names": {"dir": "offboard_archive_dir"}}
    directory = tmp_path / "none" / "archive"

    result = InMemory(SEED).run(
        "panel_archive", task_vars=names, dir=str(directory), username="acme"
    )

    assert result["msg"].startswith(f"offboard_archive_dir: {directory}: ")


def report(tmp_path: Path, task_vars: dict[str, Any], **options: Any) -> str:
    """Return the message for which a report is refused."""
    file = str(tmp_path / "report.html")
    result = InMemory(SEED).run("panel_report", task_vars=task_vars, **{"file": file, **options})
    assert result["failed"]
    return str(result["msg"])


@pytest.mark.parametrize("option", NUMBERS)
def test_a_report_calls_a_number_by_its_variable(tmp_path: Path, option: str) -> None:
    _default, _least, most = NUMBERS[option]
    names = {"__panel_option_names": {option: f"report_{option}"}}

    message = report(tmp_path, names, **{option: most + 1})

    assert message.startswith(f"report_{option}: {most + 1} is not accepted")


# By case the options of a report, and how the refusal begins.
WRONG_REPORTS: dict[str, tuple[dict[str, Any], str]] = {
    "days": (
        {"soon_days": 1, "urgent_days": 2},
        "report_urgent_days: is more than report_soon_days, so",
    ),
    "a time": ({"time": "noon"}, "report_time: 'noon' is no time"),
    "a directory": ({"export_dir": "/nowhere/at/all"}, "report_export_dir: there is no directory"),
    "no panels": ({"panels": []}, "report_panels: is empty"),
    "an address": ({"panels": [{"api_url": "a b", "api_key": "x"}]}, "report_panels[0].api_url: "),
    "an unknown option": ({"panels": [{"url": "x"}]}, "report_panels[0].url: "),
    "a size": ({"panels": [{"disk_space": "much"}]}, "report_panels[0].disk_space: "),
    "one file": (
        {"json_file": "{file}", "metrics_file": "{file}"},
        "report_file, report_json_file: both are one file",
    ),
    "a separator": ({"usage_separator": "x"}, "report_usage_separator: 'x' is not one of"),
    "a decimal": ({"usage_decimal": "x"}, "report_usage_decimal: 'x' is neither"),
}


@pytest.mark.parametrize(("options", "beginning"), WRONG_REPORTS.values(), ids=WRONG_REPORTS)
def test_a_report_names_the_variables_of_its_role(
    tmp_path: Path, options: dict[str, Any], beginning: str
) -> None:
    file = str(tmp_path / "report.html")
    options = {name: file if value == "{file}" else value for name, value in options.items()}
    report_options = (
        "file",
        "json_file",
        "metrics_file",
        "usage_separator",
        "usage_decimal",
        "soon_days",
        "urgent_days",
        "time",
        "export_dir",
        "panels",
    )
    names = {"__panel_option_names": {option: f"report_{option}" for option in report_options}}

    assert report(tmp_path, names, **options).startswith(beginning)


def test_a_report_on_hosts_names_the_variable_of_the_host(tmp_path: Path) -> None:
    connection = {"panel_api_url": "https://web-1.example", "panel_api_key": "key"}
    hosts = {
        "web-1": {**connection, "panel_timeout": "soon"},
        "web-2": {**connection, "panel_disk_space": "much"},
    }
    variables = {"hostvars": hosts, "__panel_option_names": {"panels": "report_panels"}}

    message = report(tmp_path, variables, hosts=["web-1", "web-2"])

    assert message.startswith("web-1: panel_timeout: ")
    assert "web-2: panel_disk_space: " in message


# By case the options of a verification, and how the refusal begins.
WRONG_VERIFICATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a name": ({"client": "A"}, "panel_verify_client: 'A' is invalid."),
    "a time": ({"wait_timeout": 999}, "panel_verify_wait_timeout: must be 0 to 120 seconds"),
    "one file": (
        {"profile_file": "{file}", "report_file": "{file}"},
        "panel_verify_report_file, panel_verify_profile_file: both",
    ),
}


@pytest.mark.parametrize(
    ("options", "beginning"), WRONG_VERIFICATIONS.values(), ids=WRONG_VERIFICATIONS
)
def test_a_verification_names_its_variables(
    tmp_path: Path, options: dict[str, Any], beginning: str
) -> None:
    file = str(tmp_path / "panel.md")
    options = {name: file if value == "{file}" else value for name, value in options.items()}
    verify_options = ("client", "wait_timeout", "profile_file", "report_file")
    names = {
        "__panel_option_names": {option: f"panel_verify_{option}" for option in verify_options}
    }

    result = InMemory(SEED).run("panel_verify", task_vars=names, **options)

    assert result["failed"]
    assert result["msg"].startswith(beginning)


CONNECTION_NAMES = {
    "__panel_connection_names": {"api_url": "panel_api_url", "timeout": "panel_timeout"}
}


def test_the_connection_of_a_play_is_called_by_its_variables() -> None:
    result = InMemory(SEED).run("panel_client_info", task_vars=CONNECTION_NAMES, api_url="a b")
    assert result["msg"].startswith("panel_api_url: ")

    names = {**CONNECTION_NAMES, "__panel_option_names": {"timeout": "move_source.timeout"}}
    result = InMemory(SEED).run("panel_client_info", task_vars=names, timeout="soon")

    assert result["msg"].startswith("move_source.timeout: ")


def test_an_option_of_the_environment_has_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEL_TIMEOUT", "soon")
    result = InMemory(SEED).run("panel_client_info", task_vars=CONNECTION_NAMES)

    assert result["failed"]
    assert "panel_timeout" not in result["msg"]
    assert "PANEL_TIMEOUT" in result["msg"]


@pytest.mark.parametrize("module", ["panel_client_info", "panel_resources_info", "panel_verify"])
@pytest.mark.parametrize("option", ["api_url", "api_key"])
def test_a_missing_option_of_the_connection_is_called_by_its_variables(
    monkeypatch: pytest.MonkeyPatch, module: str, option: str
) -> None:
    """Have the other one in the environment, as an operator has who forgets one."""
    for name, value in {"api_url": "https://panel.example", "api_key": "k"}.items():
        monkeypatch.setenv(f"PANEL_{name.upper()}", "" if name == option else value)
    monkeypatch.setattr(in_memory, "CONNECTION", {})

    result = InMemory(SEED).run(module, task_vars=ALL_CONNECTION_NAMES)

    assert result["msg"].startswith(
        f"panel_{option}: missing. Set it for the host, its group or the playbook, or in the "
        f"environment variable PANEL_{option.upper()}."
    )


def test_a_missing_option_of_a_task_of_the_operator_is_called_by_its_own_name() -> None:
    result = InMemory(SEED).run("panel_client_info", api_key=None)

    assert result["msg"].startswith("api_key: missing. Set it in the task, once for all tasks in")


ALL_CONNECTION_NAMES = {
    "__panel_connection_names": {
        name: f"panel_{name}"
        for name in ("api_url", "api_key", "validate_certs", "ca_path", "timeout", "retry_time")
    }
}


@pytest.mark.parametrize("module", ["panel_client_info", "panel_resources_info", "panel_verify"])
def test_advice_about_a_request_names_the_variables_of_the_connection(module: str) -> None:
    """Ask a panel with a key that it does not know."""
    result = InMemory(SEED).run(module, task_vars=ALL_CONNECTION_NAMES, api_key="wrong")
    assert "Check panel_api_key: it is mistyped or deleted" in result["msg"]
    # Of many panels, the one whose key it is.
    assert "deleted on panel.example" in result["msg"]


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("acm", "correct the name: did you mean acme?"),
        ("amce", "correct the name: did you mean acme?"),
        ("accmee", "Create it first, or correct the name. Nothing"),
    ],
)
def test_a_name_one_mistake_away_from_one_that_was_read_anyway_is_named(
    written: str, advice: str
) -> None:
    domain = {"domain": "new.example", "client": written}
    result = InMemory(SEED).run("panel_resources", resources={"domains": [domain]})

    assert f"there is no client {written} on this panel." in result["msg"]
    assert advice in result["msg"]


@pytest.mark.parametrize(
    ("names", "option"), [(ALL_CONNECTION_NAMES, "panel_ca_path"), ({}, "ca_path")]
)
def test_advice_names_the_variable_of_an_option_that_nobody_set(
    names: dict[str, Any], option: str
) -> None:
    """Switch the check of certificates off."""
    result = InMemory(SEED).run("panel_client_info", task_vars=names, validate_certs=False)
    assert f"Use {option} for a private authority instead." in str(result["warnings"])
