"""The role hosting.panel.report and its playbook on a fleet of three panels, as an operator runs
them. What a report says is in tests/unit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.fleet import ReportedFleet, start_reported_fleet


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportedFleet]:
    """Yield a fleet with its exports, on which the role reports."""
    with start_reported_fleet(
        tmp_path_factory.mktemp("roles") / "folder of reports", 24
    ) as running:
        yield running


def run(fleet: ReportedFleet, *plays: Any) -> tuple[int, str, set[str]]:
    """Run plays, and return the code, the text and the methods of all requests."""
    running = [panel for panel in fleet.panels.values() if panel.process.poll() is None]
    before = [panel.get_last_number() for panel in running]
    done = fleet.run(list(plays))
    log = [
        entry
        for panel, since in zip(running, before, strict=True)
        for entry in panel.read_log(since)
    ]
    assert not [panel for panel in fleet.panels.values() if panel.api_key in done.stdout]

    return done.returncode, " ".join(done.stdout.split()), {entry["method"] for entry in log}


# By case the variables of the role, and what the refusal says.
MISTAKES_OF_ROLE: dict[str, tuple[dict[str, Any], str]] = {
    "a number out of range": ({"report_months": 25}, "months: 25 is not accepted"),
    "a misspelt name": ({"report_titel": "x"}, "report_titel: did you mean report_title?"),
    "a wrong separator": (
        {"report_usage_file": "usage.csv", "report_usage_separator": ":"},
        "report_usage_separator: ':' is not one of , ; | and tab.",
    ),
    "one sign for two things": (
        {"report_usage_file": "usage.csv", "report_usage_decimal": ","},
        "report_usage_separator, report_usage_decimal: both are ','; set the first to ';'.",
    ),
}
# The same of the playbook.
MISTAKES_OF_PLAYBOOK: dict[str, tuple[dict[str, Any], str]] = {
    "one file for two things": (
        {"report_json_file": "pw.yml", "panel_passwords_file": "pw.yml"},
        "panel_passwords_file, report_json_file: both are one file",
    ),
    "a host that is none": (
        {"panel_hosts": "web-9"},
        "panel_hosts: the inventory has no host or group web-9; did you mean web-",
    ),
}


@pytest.mark.parametrize(("variables", "message"), MISTAKES_OF_ROLE.values(), ids=MISTAKES_OF_ROLE)
def test_mistakes_are_named_before_anything_is_read(
    fleet: ReportedFleet, variables: dict[str, Any], message: str
) -> None:
    code, text, methods = run(fleet, fleet.report(**variables))
    assert (code, methods, message in text) == (2, set(), True), text


@pytest.mark.parametrize(
    ("variables", "message"), MISTAKES_OF_PLAYBOOK.values(), ids=MISTAKES_OF_PLAYBOOK
)
def test_mistakes_of_the_playbook_are_named_before_anything_is_read(
    fleet: ReportedFleet, variables: dict[str, Any], message: str
) -> None:
    code, text, methods = run(fleet, fleet.report_playbook(**variables))
    assert (code, methods, message in text) == (2, set(), True), text


@pytest.mark.parametrize("fails", [True, False], ids=["as a failure", "as a note"])
@pytest.mark.parametrize("name", ["web-0", "web-9"])
def test_a_host_whose_variables_are_in_error_costs_no_other_its_report(
    fleet: ReportedFleet, name: str, fails: bool
) -> None:
    inventory = json.loads((fleet.folder / "panels.json").read_text(encoding="utf-8"))
    broken = {
        "panel_api_url": "{{ 1 / 0 }}",
        "panel_api_key": "{{ nothing }}",
        "panel_dir": "{{ nothing",
    }
    hosts = {**inventory["all"]["hosts"], name: broken}
    if name == "web-0":
        hosts = {name: broken, **inventory["all"]["hosts"]}

    (fleet.folder / "broken.json").write_text(
        json.dumps({"all": {"hosts": hosts}}), encoding="utf-8"
    )
    files = {
        "report_file": f"{name}.html",
        "report_json_file": f"{name}.json",
        "report_metrics_file": f"{name}.prom",
    }
    playbook = fleet.report_playbook(
        **files, report_fail_on_unread=fails, report_months=0, report_mail_dns=False
    )

    done = fleet.run([playbook], "-i", "broken.json")

    text = " ".join(done.stdout.split())

    assert (done.returncode != 0) is fails, text
    assert (
        f"1 of 4 panels could not be read. {name}: panel_api_url: it cannot be evaluated: division"
        in text
    )
    assert "panel_api_key: its template has no value" in text
    assert "defect" not in text
    assert "3 of 4 panels read, 24 clients; " in text


def test_a_fleet_is_reported_on_twice_and_once_more_while_a_panel_is_away(
    fleet: ReportedFleet,
) -> None:
    check = {**fleet.report(report_months=1), "check_mode": True}
    code, text, methods = run(fleet, fleet.export(), check)

    assert (code, methods) == (0, {"GET"}), text
    assert "3 of 3 panels read, 24 clients; " in text
    assert "would be written: report.html, report.json, report.prom" in text
    assert [path.name for path in fleet.folder.iterdir() if "report" in path.name] == []

    fleet.drift()
    code, text, methods = run(fleet, fleet.report_playbook(report_months=1))

    # Ansible's validation, the check of the variables, the report and its result.
    assert (code, methods, text.count("TASK [")) == (0, {"GET"}, 4), text

    report = json.loads((fleet.folder / "report.json").read_text(encoding="utf-8"))
    assert [(request["is_compared"], len(request["changes"])) for request in report["drift"]] == [
        (True, 4),
        (True, 0),
        (True, 0),
    ]

    page = (fleet.folder / "report.html").read_text(encoding="utf-8")
    assert [client["client"] for client in report["clients"] if client["client"] not in page] == []
    assert len(report["clients"]) == 24

    usage = {"report_usage_file": "usage.csv", "report_usage_separator": ";"}
    code, text, methods = run(fleet, fleet.report_playbook(report_months=1, **usage))
    assert (code, methods, "written: usage.csv" in text) == (0, {"GET"}, True), text
    table = (fleet.folder / "usage.csv").read_text(encoding="utf-8").splitlines()
    assert table[0].startswith("panel;client;client_id;plan;month;")
    rows = [line.split(";") for line in table[1:]]
    assert {(row[0], row[1]) for row in rows} == {
        (client["server"], client["client"]) for client in report["clients"]
    }
    assert {(row[4], row[12]) for row in rows} == {("2026-11", "0")}

    code, text, _methods = run(fleet, fleet.report_playbook(report_months=1, **usage))
    assert (code, text.count("changed=0")) == (0, 3), text

    fleet.panels["web-3"].stop()
    output = {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [{"ansible.builtin.debug": {"var": "report_result"}}],
    }
    _code, text, methods = run(
        fleet, {**fleet.report(report_months=1), "ignore_errors": True}, output
    )

    assert methods == {"GET"}
    assert "1 of 3 panels could not be read. web-3: " in text

    handed_on = text.partition('"report_result"')[2]
    assert '"unread": [ "web-3" ]' in handed_on and '"file": "report.html"' in handed_on
