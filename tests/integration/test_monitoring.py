"""The alert rules and the dashboard, on the metrics that a report really has, as Prometheus' own
tool reads them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.metrics import render_metrics
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from tests.support.fleet import NOW, make_fleet
from tests.support.needed import skip_where_not_run
from tests.support.pem import make_texts
from tests.support.snippets import list_snippets
from tools import environments
from tools.layout import ROOT

FOLDER = ROOT / "extensions" / "monitoring"
ALERTS = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
WEB_1 = '{panel="web-1"}'
CERTIFICATE = "hosting_panel_certificate_end_timestamp_seconds"
# Series of two panels as the report writes them, what holds from which minute on, and the alerts
# that follow.
CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "all is well": ({}, []),
    "the job does not run any more": (
        {"hosting_panel_report_timestamp_seconds": "0x600"},
        ["HostingPanelReportOld"],
    ),
    "the report is gone": (
        {"hosting_panel_report_timestamp_seconds": "_x600"},
        ["HostingPanelReportMissing"],
    ),
    "a panel cannot be read": (
        {'hosting_panel_up{panel="web-2"}': "0x600"},
        ["HostingPanelUnread web-2"],
    ),
    "a certificate ends in six days": (
        {f"{CERTIFICATE}{WEB_1}": f"{6 * 86400 + 36000}x600"},
        ["HostingPanelCertificateEnds web-1"],
    ),
    "a certificate has ended": (
        {f"{CERTIFICATE}{WEB_1}": "5x600"},
        ["HostingPanelCertificateEnds web-1"],
    ),
    "two objects failed": (
        {'hosting_panel_objects_failed{panel="web-1",kind="emails"}': "2x600"},
        ["HostingPanelObjectsFailed web-1"],
    ),
}
WELL = {
    # Each hour anew.
    "hosting_panel_report_timestamp_seconds": " ".join(f"{hour * 3600}x59" for hour in range(11)),
    **{f'hosting_panel_up{{panel="web-{number}"}}': "1x600" for number in (1, 2)},
    **{
        f'hosting_panel_objects_failed{{panel="web-1",kind="{kind}"}}': "0x600"
        for kind in ("clients", "emails")
    },
    f"{CERTIFICATE}{WEB_1}": f"{30 * 86400}x600",
}


@pytest.fixture(scope="module")
def promtool() -> Path:
    """Return Prometheus' own checker of rules and metrics."""
    with skip_where_not_run():
        return environments.find_debian_program("promtool", "prometheus")


def run(promtool: Path, *arguments: str | Path, text: str | None = None) -> str:
    """Run promtool, and return what it prints."""
    done = subprocess.run(
        [promtool, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def with_ids(seed: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of a seed with ids, as a panel has them."""
    objects = {}
    for kind, items in seed.items():
        objects[kind] = [{"id": number, **fields} for number, fields in enumerate(items)]
    return objects


def make_report() -> str:
    """Return the metrics of a fleet, one panel of which is away."""
    panels = make_fleet(NOW, make_texts(), 24)
    readings = [PanelReading(name, name, objects=with_ids(seed)) for name, seed in panels.items()]
    away = PanelReading("web-4", "web-4", failure="GET /server was not answered")
    return render_metrics(build_report([*readings, away], NOW))


def list_metric_names(expression: str) -> set[str]:
    """Return the names of the collection's metrics in an expression."""
    return set(re.findall(r"hosting_panel_\w+", expression))


def test_the_linter_of_prometheus_finds_nothing_in_the_metrics(promtool: Path) -> None:
    assert run(promtool, "check", "metrics", text=make_report()) == ""


def test_each_alert_fires_when_it_should_and_no_other_does(promtool: Path, tmp_path: Path) -> None:
    tests = [_alert_test(name, series, fired) for name, (series, fired) in CASES.items()]

    # The words of an alert are no part of what is tested, since promtool compares them as a whole.
    rules = yaml.safe_load(json.dumps(ALERTS))

    for group in rules["groups"]:
        for rule in group["rules"]:
            rule["annotations"] = {}

    (tmp_path / "alerts.yml").write_text(json.dumps(rules), encoding="utf-8")
    (tmp_path / "tests.yml").write_text(
        json.dumps({"rule_files": ["alerts.yml"], "tests": tests}), encoding="utf-8"
    )

    assert "SUCCESS" in run(promtool, "test", "rules", tmp_path / "tests.yml")


ALERT_NAMES = [rule["alert"] for rule in RULES]


def _alert_test(name: str, series: Mapping[str, str], fired: Iterable[str]) -> dict[str, Any]:
    """Return a test as promtool reads it.

    These series, and the alerts that fire after ten hours.
    """
    input_series = [
        {"series": title, "values": values} for title, values in {**WELL, **series}.items()
    ]
    checks = []

    for alert in ALERT_NAMES:
        expected = [_alert(alert, labels) for labels in fired if labels.split()[0] == alert]
        checks.append({"alertname": alert, "eval_time": "10h", "exp_alerts": expected})

    return {"name": name, "interval": "1m", "input_series": input_series, "alert_rule_test": checks}


def _alert(name: str, fired: str) -> dict[str, Any]:
    """Return how promtool expects an alert that fires."""
    severity = next(rule["labels"]["severity"] for rule in RULES if rule["alert"] == name)
    return {
        "exp_labels": {
            "severity": severity,
            **dict(zip(("panel",), fired.split()[1:], strict=False)),
        }
    }


def test_prometheus_reads_every_query_of_the_dashboard(promtool: Path, tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$panel", ".*")}
        for number, query in enumerate(QUERIES)
    ]
    path = tmp_path / "queries.yml"
    path.write_text(
        json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8"
    )

    assert f"SUCCESS: {len(QUERIES)} rules found" in run(promtool, "check", "rules", path)


def test_dashboard_and_alerts_ask_for_metrics_that_there_are() -> None:
    exported = set(re.findall(r"^# TYPE (\S+) gauge$", make_report(), re.MULTILINE))
    expressions = [*QUERIES, *[rule["expr"] for rule in RULES]]

    asked = set().union(*map(list_metric_names, expressions))

    assert asked - exported == set()
    # What nobody sees would be asked for in vain.
    assert exported - asked == {
        "hosting_panel_problems",
        "hosting_panel_drift_compared",
        "hosting_panel_reboot_required",
    }


def test_the_guide_explains_every_metric_and_alert_and_its_configuration_is_one(
    promtool: Path, tmp_path: Path
) -> None:
    guide = ROOT / "docs" / "metrics.md"
    text = guide.read_text(encoding="utf-8")

    for name in re.findall(r"^# TYPE hosting_panel_(\S+) gauge$", make_report(), re.MULTILINE):
        assert f"_{name}`" in text, name

    assert all(f"| `{name}` |" in text for name in ALERT_NAMES)

    (configuration,) = [
        snippet
        for snippet in list_snippets(guide)
        if snippet.find_value("file") == "prometheus.yml"
    ]
    (tmp_path / "prometheus.yml").write_text(configuration.text, encoding="utf-8")
    (tmp_path / "alerts.yml").write_bytes((FOLDER / "alerts.yml").read_bytes())

    assert "SUCCESS: 5 rules found" in run(promtool, "check", "config", tmp_path / "prometheus.yml")
