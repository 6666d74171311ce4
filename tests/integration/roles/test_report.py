"""The role hosting.panel.report and its playbook on a fleet of three panels, as an operator runs them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.reported_fleet import ReportedFleet, reported_fleet

CLIENTS = 24


@dataclass
class Step:
    """One run: what was printed, the requests of each panel, and the JSON file, if there is one then."""

    done: subprocess.CompletedProcess[str]
    requests: dict[str, list[dict[str, Any]]]
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return " ".join(self.done.stdout.split())


@dataclass
class Story:
    """What an operator lived through: refusals, a prediction, a report twice, and one while a panel is away."""

    folder: Path
    keys: set[str]
    refused: list[Step]
    predicted: Step
    first: Step
    again: Step
    troubled: Step


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with reported_fleet(tmp_path_factory.mktemp("roles") / "folder of reports", CLIENTS) as fleet:
        mistakes = [{"report_months": 25}, {"report_titel": "x", "report_of_mine": 1}]
        refused = [run(fleet, [fleet.report(**one)]) for one in mistakes]
        predicted = run(fleet, [fleet.export(), {**fleet.report(report_months=1), "check_mode": True}])
        assert [path.name for path in fleet.folder.iterdir() if "report" in path.name] == []
        fleet.drift()
        first, again = (run(fleet, [fleet.report_playbook(report_months=1)]) for _turn in range(2))
        refused.append(
            run(fleet, [{**fleet.report_playbook(), "vars": {"panel_hosts": "web-9", "report_file": "x.html"}}])
        )
        fleet.panels["web-3"].stop()
        shown = {"hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.debug": {"var": "report_result"}}]}
        troubled = run(fleet, [{**fleet.report(report_months=1), "ignore_errors": True}, shown])
        keys = {panel.api_key for panel in fleet.panels.values()}
        yield Story(fleet.folder, keys, refused, predicted, first, again, troubled)


def run(fleet: ReportedFleet, plays: list[Any], *words: str) -> Step:
    running = {name: panel for name, panel in fleet.panels.items() if panel.process.poll() is None}
    before = {name: panel.last_number() for name, panel in running.items()}
    step = Step(fleet.run(plays, *words), {name: panel.log(before[name]) for name, panel in running.items()})
    path = fleet.folder / "report.json"
    if path.exists():
        step.report = json.loads(path.read_text(encoding="utf-8"))
    return step


def test_mistakes_are_told_before_anything_is_read(story: Story) -> None:
    wrong, misspelt, nowhere = (step.text for step in story.refused)
    assert (
        "months (report_months in the role report): 25 is not accepted; it must be a whole number from 0 to 24."
        in wrong
    )
    assert "report_titel: did you mean report_title?" in misspelt and "report_of_mine" not in misspelt
    assert "panel_hosts names no host of the inventory." in nowhere
    assert [step.done.returncode for step in story.refused] == [2, 2, 2]
    assert [entries for step in story.refused for entries in step.requests.values() if entries] == []


def test_check_mode_reads_says_what_it_would_write_and_writes_nothing(story: Story) -> None:
    assert story.predicted.done.returncode == 0, story.predicted.done.stdout
    assert "changed: [web-1]" in story.predicted.text.partition("PLAY [Report]")[2]
    assert "3 of 3 panels read, 24 clients; " in story.predicted.text
    assert "would be written: report.html, report.json, report.prom" in story.predicted.text
    assert story.predicted.report == {}


def test_no_panel_is_ever_written_to(story: Story) -> None:
    for step in (story.predicted, story.first, story.again, story.troubled):
        assert {entry["method"] for entries in step.requests.values() for entry in entries} == {"GET"}


def test_a_run_shows_three_tasks_in_eighteen_lines_and_a_second_one_changes_nothing(story: Story) -> None:
    assert story.first.done.returncode == 0, story.first.done.stdout
    assert story.again.text.count("changed=0") == 3, story.again.done.stdout
    lines = [line for line in story.first.done.stdout.splitlines() if line.strip()]
    assert sum(1 for line in lines if line.startswith("TASK [")) == 3 and len(lines) <= 18, story.first.done.stdout


def test_what_somebody_changed_by_hand_is_drift(story: Story) -> None:
    first, *others = story.first.report["drift"]
    found = [(change["kind"], change["what"], change["details"]) for change in first["changes"]]
    assert sorted(found) == [
        ("clients", "different", 'notes Called about the bill -> ""'),
        ("databases", "surplus", ""),
        ("emails", "different", "max_size 5G -> 2G"),
        ("emails", "missing", ""),
    ]
    assert [(one["is_compared"], one["changes"]) for one in others] == [(True, []), (True, [])]


def test_the_fleet_is_in_the_report_and_no_secret_anywhere(story: Story) -> None:
    report = story.first.report
    assert [server["server"] for server in report["servers"]] == ["web-1", "web-2", "web-3"]
    assert len(report["clients"]) == CLIENTS
    assert [one["kind"] for one in report["duplicates"]] == ["domain", "domain", "client", "client", "client"]
    assert {one["days"] for one in report["certificates"] if one["level"] == "bad"} == {-2}
    assert {"domains", "emails"} <= {one["kind"] for one in report["errors"]}
    problems = {finding["problem"] for one in report["mail_dns"] for finding in one["findings"]}
    assert {"syntax", "open_end", "other_key", "no_address"} <= problems
    page, data, metrics = (
        (story.folder / f"report.{end}").read_text(encoding="utf-8") for end in ("html", "json", "prom")
    )
    assert all(client["client"] in page for client in story.troubled.report["clients"])
    assert not [client["client"] for client in report["clients"] if client["client"] in metrics]
    printed = "".join(step.done.stdout for step in (*story.refused, story.predicted, story.first, story.troubled))
    assert not [key for key in story.keys if key in page + data + metrics + printed]


def test_a_panel_that_is_away_fails_the_run_after_the_others_were_reported(story: Story) -> None:
    assert "1 of 3 panels could not be read. web-3: " in story.troubled.text
    assert "The report in report.html says so, and shows the others." in story.troubled.text
    assert [one["server"] for one in story.troubled.report["servers"] if one["failure"]] == ["web-3"]
    handed_on = story.troubled.text.partition('"report_result"')[2]
    assert '"unread": [ "web-3" ]' in handed_on and '"file": "report.html"' in handed_on
