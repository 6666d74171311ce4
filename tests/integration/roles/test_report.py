# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.report on a fleet of three panels, as an operator runs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.reported_fleet import ReportedFleet, reported_fleet
from tests.support.samples import ROOT

CLIENTS = 24
MONTHS = 3
LISTS = 9
KINDS_COMPARED = 10


@dataclass
class Step:
    """One run: what was printed, the requests of each panel, and the JSON file, where there is one then."""

    done: subprocess.CompletedProcess[str]
    requests: dict[str, list[dict[str, Any]]]
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All that was printed, in one line."""
        return " ".join(self.done.stdout.split())

    def server(self, name: str) -> dict[str, Any]:
        """What the report says of a server."""
        return next(server for server in self.report["servers"] if server["server"] == name)


@dataclass
class Story:
    """What an operator lived through: a prediction, a report, and one while a panel is away and another one in trouble."""

    folder: Path
    zones: int
    keys: set[str]
    predicted: Step
    first: Step
    troubled: Step

    @property
    def metrics(self) -> str:
        """The metrics after the last run."""
        return (self.folder / "report.prom").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with reported_fleet(tmp_path_factory.mktemp("roles") / "folder of reports", CLIENTS) as fleet:
        predicting = {**fleet.report(report_months=1), "check_mode": True}
        mistaken = {**fleet.report(report_months=25), "ignore_errors": True}
        predicted = run(fleet, [fleet.export(), mistaken, predicting])
        assert [path.name for path in fleet.folder.iterdir() if "report" in path.name] == []
        fleet.drift()
        first = run(fleet, [fleet.report(report_months=MONTHS)], "-vvv")
        zones = sum(1 for domain in fleet.panels["web-1"].objects("domains") if not domain["is_subdomain"])
        fleet.panels["web-3"].stop()
        fleet.panels["web-2"].fault({"kind": "status", "status": 500, "body": "json", "path": "/stats$", "times": 0})
        troubled = run(fleet, [fleet.report_playbook(report_months=MONTHS)], "-v")
        keys = {panel.api_key for panel in fleet.panels.values()}
        yield Story(fleet.folder, zones, keys, predicted, first, troubled)


def run(fleet: ReportedFleet, plays: list[Any], *words: str) -> Step:
    running = {name: panel for name, panel in fleet.panels.items() if panel.process.poll() is None}
    before = {name: panel.last_number() for name, panel in running.items()}
    step = Step(fleet.run(plays, *words), {name: panel.log(before[name]) for name, panel in running.items()})
    path = fleet.folder / "report.json"
    if path.exists():
        step.report = json.loads(path.read_text(encoding="utf-8"))
    return step


def test_check_mode_reads_says_what_it_would_write_and_writes_nothing(story: Story) -> None:
    assert story.predicted.done.returncode == 0, story.predicted.done.stdout
    assert "changed: [web-1]" in story.predicted.text.partition("PLAY [Report]")[2]
    assert "3 of 3 servers read, 24 clients" in story.predicted.text
    assert '"would be written: report.html, report.json, report.prom"' in story.predicted.text
    assert '"written: report.html, report.json, report.prom"' in story.first.text
    assert story.predicted.report == {}


def test_mistakes_are_reported_before_anything_is_read(story: Story) -> None:
    message = "months (report_months in the role report): 25 is not accepted; it must be a whole number from 0 to 24. Nothing was read or written."
    assert message in story.predicted.text


def test_no_panel_is_ever_written_to(story: Story) -> None:
    for step in (story.predicted, story.first, story.troubled):
        methods = {entry["method"] for entries in step.requests.values() for entry in entries}
        assert methods == {"GET"}


def test_the_requests_are_as_many_as_the_result_says_and_as_documented(story: Story) -> None:
    assert story.first.done.returncode == 0, story.first.done.stdout
    total = sum(len(entries) for entries in story.first.requests.values())
    assert f'"requests": {total},' in story.first.text
    clients = story.first.server("web-1")["counts"]["clients"]
    asked = len(story.first.requests["web-1"])
    # The zones for mail DNS, and those that the export names for drift.
    assert asked == 1 + LISTS + clients * (1 + MONTHS) + story.zones + KINDS_COMPARED + story.zones
    text = (ROOT / "roles/report/README.md").read_text(encoding="utf-8")
    without = 1 + LISTS + 500 * (1 + 6)
    assert f"six\nmonths make {without + 500}, without mail DNS {without}." in text
    # The current month alone is asked for again.
    assert f"the {without + 500} are\n{without + 500 - 500 * 5} in the next run" in text
    assert len(story.troubled.requests["web-1"]) == asked - clients * (MONTHS - 1)


def test_what_a_panel_did_in_months_that_are_over_is_kept_while_it_cannot_be_asked(story: Story) -> None:
    assert {one["server"] for one in story.first.report["months_over"]} == {"web-1", "web-2", "web-3"}
    assert {month for one in story.first.report["months_over"] for month in one["months"]} == {"2026-09", "2026-10"}
    assert story.troubled.report["months_over"] == story.first.report["months_over"]


def test_mail_dns_is_judged_on_every_server_with_the_record_to_set(story: Story) -> None:
    found = story.first.report["mail_dns"]
    assert len(found) == sum(server["counts"]["domains"] for server in story.first.report["servers"])
    wrong = {
        finding["problem"]: (one, finding) for one in found for finding in one["findings"] if one["server"] == "web-1"
    }
    assert {"syntax", "open_end", "other_key", "no_address"} <= set(wrong)
    one, finding = wrong["no_address"]
    name = one["domain"]
    assert finding["record"] == {"host": "@", "type": "MX", "value": f"10 mail.{name}."}
    assert finding["replaces"] == [{"host": "@", "type": "MX", "value": f"10 mial.{name}."}]
    page = (story.folder / "report.html").read_text(encoding="utf-8")
    assert f"@ MX 10 mail.{name}." in page
    assert story.first.report["summary"]["mail_dns"]["bad"] == len([one for one in found if one["level"] == "bad"])
    assert story.troubled.report["mail_dns"] != []


def test_what_somebody_changed_by_hand_is_drift(story: Story) -> None:
    first, *others = story.first.report["drift"]
    assert first["is_compared"]
    found = [(change["kind"], change["what"], change["details"]) for change in first["changes"]]
    assert sorted(found) == [
        ("clients", "different", 'notes "" -> Called about the bill'),
        ("databases", "surplus", ""),
        ("emails", "different", "max_size 2G -> 5G"),
        ("emails", "missing", ""),
    ]
    assert [(one["is_compared"], one["changes"]) for one in others] == [(True, []), (True, [])]


def test_the_fleet_is_in_the_report_and_no_secret_anywhere(story: Story) -> None:
    report = story.first.report
    assert (report["format"], report["version"]) == ("hosting.panel.report", 1)
    assert report["generated_at"] == "2026-11-20T06:00:00+01:00"
    assert [server["server"] for server in report["servers"]] == ["web-1", "web-2", "web-3"]
    assert len(report["clients"]) == CLIENTS
    assert report["traffic"]["months"] == ["2026-09", "2026-10", "2026-11"]
    assert [one["kind"] for one in report["duplicates"]] == ["domain", "domain", "client", "client", "client"]
    assert {one["days"] for one in report["certificates"] if one["level"] == "bad"} == {-2}
    assert {"domains", "emails"} <= {one["kind"] for one in report["errors"]}
    page = (story.folder / "report.html").read_text(encoding="utf-8")
    assert all(client["client"] in page for client in story.troubled.report["clients"])
    metrics = (story.folder / "report.prom").read_text(encoding="utf-8")
    files = page + (story.folder / "report.json").read_text(encoding="utf-8") + metrics
    for key in story.keys:
        assert key not in files + story.predicted.done.stdout + story.first.done.stdout + story.troubled.done.stdout
    assert "PRIVATE KEY" not in files
    assert (story.folder / "report.html").stat().st_mode & 0o777 == 0o640
    assert not [client["client"] for client in report["clients"] if client["client"] in metrics]
    assert (story.folder / "report.prom").stat().st_mode & 0o777 == 0o644


def test_a_panel_that_is_away_fails_the_run_after_the_others_were_reported(story: Story) -> None:
    assert story.troubled.done.returncode != 0
    assert "1 of 3 panels could not be read. web-3: GET /server" in story.troubled.text
    assert "The report in report.html says so, and shows the others." in story.troubled.text
    assert "refuses the connection" in story.troubled.server("web-3")["failure"]
    assert story.metrics.count('{panel="web-3"') == 1
    assert 'hosting_panel_up{panel="web-3"} 0' in story.metrics.splitlines()
    assert 'hosting_panel_up{panel="web-1"} 1' in story.metrics.splitlines()
    assert "Could not be read: GET /server" in (story.folder / "report.html").read_text(encoding="utf-8")
    assert story.troubled.server("web-1") == story.first.server("web-1")


def test_the_result_is_handed_over_also_where_the_role_fails(story: Story) -> None:
    handed_over = story.troubled.text.partition('"report_result"')[2]
    assert '"unread": ["web-3"]' in handed_over
    assert '"file": "report.html"' in handed_over
    assert '"metrics_file": "report.prom"' in handed_over


def test_a_panel_that_fails_in_the_middle_is_shown_with_what_it_did_say(story: Story) -> None:
    server = story.troubled.server("web-2")
    clients = [client for client in story.troubled.report["clients"] if client["server"] == "web-2"]
    assert len(clients) == server["counts"]["clients"] > 5
    assert {client["is_read"] for client in clients} == {False}
    problem = f"Use and traffic of {len(clients)} of {len(clients)} clients could not be read: GET /clients/"
    assert server["problems"][0].startswith(problem)
    domains = server["counts"]["domains"]
    assert server["problems"][1].startswith(f"The zones of {domains} domains could not be read: GET /clients/")
    assert [one for one in story.troubled.report["mail_dns"] if one["server"] == "web-2"] == []
    # Not each client is asked in vain: only those that were under way, each once more.
    asked = [entry for entry in story.troubled.requests["web-2"] if entry["path"].endswith("/stats")]
    assert len(asked) <= 2 * 4
