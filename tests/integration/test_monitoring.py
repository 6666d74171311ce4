# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The alert rules and the dashboard, on the metrics that a report really has, as Prometheus' own tool reads them."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from prometheus_client import parser as older_format

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.metrics import metrics_of
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import PanelReading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_data import Thresholds, report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_metrics import metrics
from tests.support.fleet import fleet
from tests.support.needed import needed
from tests.support.pem import texts
from tests.support.reported_fleet import NOW
from tests.support.snippets import snippets
from tools import debian
from tools.layout import ROOT

FOLDER = ROOT / "extensions" / "monitoring"
ALERTS = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
WIDTH = 24
WEB_1 = '{panel="web-1"}'
SHOP = '{panel="web-1",certificate="shop"}'
# Series of two panels as the report writes them, what holds from which minute on, and the alerts that follow.
CASES = {
    "all is well": ({}, []),
    "the job does not run any more": ({"hosting_panel_report_timestamp_seconds": "0x600"}, ["HostingPanelReportOld"]),
    "the file of the report is gone": (
        {"hosting_panel_report_timestamp_seconds": "_x600"},
        ["HostingPanelReportMissing"],
    ),
    "a panel cannot be read": ({'hosting_panel_up{panel="web-2"}': "0x600"}, ["HostingPanelUnread web-2"]),
    "a certificate ends in six days": (
        {'hosting_panel_certificate_end_timestamp_seconds{panel="web-2"}': f"{6 * 86400 + 36000}x600"},
        ["HostingPanelCertificateEnds web-2"],
    ),
    "a certificate has ended": (
        {'hosting_panel_certificate_end_timestamp_seconds{panel="web-2"}': "5x600"},
        ["HostingPanelCertificateEnds web-2"],
    ),
    "two objects are in the state of error": (
        {'hosting_panel_objects_failed{panel="web-1",kind="emails"}': "2x600"},
        ["HostingPanelObjectsFailed web-1"],
    ),
    "the certificates were not looked after for three days": (
        # Three days before the time at which Prometheus looks, which is ten hours after the epoch.
        {f"hosting_panel_certificates_last_run_timestamp_seconds{WEB_1}": f"{36000 - 3 * 86400}x600"},
        ["HostingPanelCertificatesOld web-1"],
    ),
    "a certificate could not be ordered": (
        {f"hosting_panel_certificate_failed{SHOP}": "1x600"},
        ["HostingPanelCertificateFailed web-1 shop"],
    ),
    "a certificate is not renewed": (
        {f"hosting_panel_certificate_not_after_timestamp_seconds{SHOP}": f"{13 * 86400}x600"},
        ["HostingPanelCertificateNotRenewed web-1 shop"],
    ),
}
WELL = {
    # Each hour anew.
    "hosting_panel_report_timestamp_seconds": " ".join(f"{hour * 3600}x59" for hour in range(11)),
    **{f'hosting_panel_up{{panel="web-{number}"}}': "1x600" for number in (1, 2)},
    **{f'hosting_panel_objects_failed{{panel="web-1",kind="{kind}"}}': "0x600" for kind in ("clients", "emails")},
    f"hosting_panel_certificate_end_timestamp_seconds{WEB_1}": f"{30 * 86400}x600",
    f"hosting_panel_certificate_not_after_timestamp_seconds{SHOP}": f"{30 * 86400}x600",
    f"hosting_panel_certificate_failed{SHOP}": "0x600",
    f"hosting_panel_certificates_last_run_timestamp_seconds{WEB_1}": "0x600",
}


@pytest.fixture(scope="module")
def promtool() -> Path:
    with needed():
        return debian.program("promtool", "prometheus")


def run(promtool: Path, *words: str | Path, text: str | None = None) -> str:
    done = subprocess.run([promtool, *words], input=text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def a_report() -> str:
    """The metrics of a fleet, one panel of which is away."""
    readings = [
        PanelReading(
            name, name, objects={kind: [{"id": at, **one} for at, one in enumerate(seed[kind])] for kind in seed}
        )
        for name, seed in fleet(NOW, texts(), 24).items()
    ]
    away = PanelReading("web-4", "web-4", failure="GET /server was not answered")
    return metrics(report([*readings, away], NOW, Thresholds(), "A report"))


def of_certificates() -> str:
    """The metrics of a run of the role certificate."""
    certificates = [
        {"name": "shop", "not_after": "2027-02-20T00:00:00Z", "renewed": True},
        {"name": "web", "not_after": None, "renewed": False},
    ]
    return metrics_of("web-1", certificates, {"web"}, NOW)


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"hosting_panel_\w+", expression))


@pytest.mark.parametrize("text", [a_report, of_certificates])
def test_the_linter_of_prometheus_finds_nothing_in_the_metrics(promtool: Path, text: Callable[[], str]) -> None:
    assert run(promtool, "check", "metrics", text=text()) == ""


def test_prometheus_takes_the_rules_which_are_eight(promtool: Path) -> None:
    assert "SUCCESS: 8 rules found" in run(promtool, "check", "rules", FOLDER / "alerts.yml")


def test_a_node_exporter_reads_the_file_as_it_is(tmp_path: Path) -> None:
    with needed():
        exporter = debian.program("prometheus-node-exporter", "prometheus-node-exporter")
    texts = {"hosting_panel": a_report(), "certificates": of_certificates()}
    for name, text in texts.items():
        (tmp_path / f"{name}.prom").write_text(text, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    words = ["--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={tmp_path}"]
    with subprocess.Popen([exporter, *words, f"--web.listen-address={address}"], stderr=subprocess.DEVNULL) as process:
        try:
            shown = fetched(f"http://{address}/metrics")
        finally:
            process.terminate()
    assert "node_textfile_scrape_error 0" in shown.splitlines()
    assert all(samples(shown) >= samples(text) for text in texts.values())


def fetched(url: str) -> str:
    end = time.monotonic() + 30
    while True:
        try:
            return requests.get(url, timeout=10).text
        except requests.ConnectionError:
            assert time.monotonic() < end
            time.sleep(0.1)


def samples(text: str) -> set[tuple[Any, ...]]:
    """What the older parser of prometheus_client reads of the panels."""
    return {
        (sample.name, *sorted(sample.labels.items()), sample.value)
        for family in older_format.text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("hosting_panel_")
    }


def test_each_alert_fires_when_it_should_and_no_other_does(promtool: Path, tmp_path: Path) -> None:
    tests = []
    for name, (series, fired) in CASES.items():
        given = [{"series": one, "values": values} for one, values in ({**WELL, **series}).items()]
        expected = {alert: [one for one in fired if one.split()[0] == alert] for alert in ALERT_NAMES}
        checks = [
            {"alertname": alert, "eval_time": "10h", "exp_alerts": [_alert(alert, labels) for labels in found]}
            for alert, found in expected.items()
        ]
        tests.append({"name": name, "interval": "1m", "input_series": given, "alert_rule_test": checks})
    # The words of an alert are no part of what is tested, since promtool compares them as a whole.
    rules = yaml.safe_load(json.dumps(ALERTS))
    for group in rules["groups"]:
        for rule in group["rules"]:
            rule["annotations"] = {}
    (tmp_path / "alerts.yml").write_text(json.dumps(rules), encoding="utf-8")
    (tmp_path / "tests.yml").write_text(json.dumps({"rule_files": ["alerts.yml"], "tests": tests}), encoding="utf-8")
    assert "SUCCESS" in run(promtool, "test", "rules", tmp_path / "tests.yml")


ALERT_NAMES = [rule["alert"] for rule in RULES]


def _alert(name: str, fired: str) -> dict[str, Any]:
    severity = next(rule["labels"]["severity"] for rule in RULES if rule["alert"] == name)
    return {
        "exp_labels": {"severity": severity, **dict(zip(("panel", "certificate"), fired.split()[1:], strict=False))}
    }


def test_the_words_of_every_alert_are_rendered(promtool: Path, tmp_path: Path) -> None:
    checks = {
        "HostingPanelReportOld": {"summary": "The panels were not read for 10h 0m 0s"},
        "HostingPanelReportMissing": {"summary": "There are no metrics of a report on panels"},
        "HostingPanelUnread": {"summary": "The panel web-2 could not be read"},
        "HostingPanelCertificateEnds": {"summary": "A certificate on web-2 ends within a week, or has ended"},
        "HostingPanelObjectsFailed": {"summary": "2 objects on web-1 are in the state of error"},
        "HostingPanelCertificatesOld": {
            "summary": "Nobody looked after the certificates of web-1 for 3d 0h 0m 0s",
        },
        "HostingPanelCertificateFailed": {"summary": "The certificate shop on web-1 failed in the last run"},
        "HostingPanelCertificateNotRenewed": {
            "summary": "The certificate shop on web-1 ends within two weeks, or has ended, and was not renewed",
        },
    }
    assert sorted(checks) == sorted(ALERT_NAMES)
    tests = []
    for name, words in checks.items():
        series, fired = next(
            (series, fired) for series, fired in CASES.values() if fired and fired[0].split()[0] == name
        )
        rule = next(rule for rule in RULES if rule["alert"] == name)
        expected = {**_alert(name, fired[0]), "exp_annotations": {**rule["annotations"], **words}}
        tests.append(
            {
                "interval": "1m",
                "input_series": [{"series": one, "values": values} for one, values in series.items()],
                "alert_rule_test": [{"alertname": name, "eval_time": "10h", "exp_alerts": [expected]}],
            }
        )
        expected["exp_annotations"]["description"] = rule["annotations"]["description"]
    content = {"rule_files": [str(FOLDER / "alerts.yml")], "tests": tests}
    (tmp_path / "tests.yml").write_text(json.dumps(content), encoding="utf-8")
    assert "SUCCESS" in run(promtool, "test", "rules", tmp_path / "tests.yml")


def test_prometheus_reads_every_query_of_the_dashboard(promtool: Path, tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$panel", ".*")} for number, query in enumerate(QUERIES)
    ]
    path = tmp_path / "queries.yml"
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
    assert f"SUCCESS: {len(QUERIES)} rules found" in run(promtool, "check", "rules", path)


def test_dashboard_and_alerts_ask_for_metrics_that_there_are() -> None:
    there = set(re.findall(r"^# TYPE (\S+) gauge$", a_report() + of_certificates(), re.MULTILINE))
    asked = {name for text in [*QUERIES, *(rule["expr"] for rule in RULES)] for name in names_in(text)}
    assert asked - there == set()
    # What nobody sees would be asked for in vain.
    assert there - asked == {
        "hosting_panel_problems",
        "hosting_panel_drift_compared",
        "hosting_panel_reboot_required",
    }


def test_the_dashboard_is_one_that_grafana_can_load() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert "__inputs" not in DASHBOARD
    assert "id" not in DASHBOARD
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _y in cells) < WIDTH
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", "".join(QUERIES) + json.dumps(panels))) <= variables | {"__all"}


def test_the_guide_has_grafana_take_the_dashboard_from_a_file() -> None:
    (found,) = [one for one in snippets(ROOT / "docs" / "metrics.md") if one.value("file") == "hosting_panel.yml"]
    content = yaml.safe_load(found.text)
    assert content["apiVersion"] == 1
    assert [(one["type"], Path(one["options"]["path"]).is_absolute()) for one in content["providers"]] == [
        ("file", True)
    ]


def test_every_alert_says_what_happened_and_what_to_look_at() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert set(rule["annotations"]) == {"summary", "description"}


def test_the_guide_explains_every_metric_and_alert_and_its_configuration_is_one(promtool: Path, tmp_path: Path) -> None:
    guide = ROOT / "docs" / "metrics.md"
    text = guide.read_text(encoding="utf-8")
    for name in re.findall(r"^# TYPE hosting_panel_(\S+) gauge$", a_report() + of_certificates(), re.MULTILINE):
        assert f"_{name}`" in text, name
    assert all(f"| `{name}` |" in text for name in ALERT_NAMES)
    (configuration,) = [one for one in snippets(guide) if one.value("file") == "prometheus.yml"]
    (tmp_path / "prometheus.yml").write_text(configuration.text, encoding="utf-8")
    (tmp_path / "alerts.yml").write_bytes((FOLDER / "alerts.yml").read_bytes())
    assert "SUCCESS: 8 rules found" in run(promtool, "check", "config", tmp_path / "prometheus.yml")
