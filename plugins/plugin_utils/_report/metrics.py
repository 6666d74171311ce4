# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as metrics. Pure. No label of a metric names a customer."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from ...module_utils._kinds.registry import CONSUMED, COUNTED, KINDS
from .._run.template import render_template
from .report_rows import BAD, LEVELS, NEAR, Row

_BOTH_LEVELS = (BAD, NEAR)
_LEVEL = {"level": _BOTH_LEVELS}
_AREAS_OF_PANELS = ("clients", "mailboxes", "certificates", "mail_dns", "errors")
_FIELDS_OF_INFO = ("address", "hostname", "panel_version", "operating_system")
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_TIMESTAMP = "report_timestamp_seconds"
_METRICS = {
    _TIMESTAMP: "When the panels were read last.",
    "up": "Whether the panel could be read; of one that could not there is nothing but this.",
    "info": "What the panel is, in the labels; the value is always 1.",
    "reboot_required": "Whether the server says that it must be restarted.",
    "problems": "Parts of the panel that could not be read.",
    "disk_used_bytes": "Disk space in use.",
    "disk_promised_bytes": "Disk space that clients with a limit may use.",
    "disk_size_bytes": "Size of the disk, as the inventory says.",
    "month_traffic_bytes": (
        "Traffic since the month began, which is 0 again when the next one does."
    ),
    "clients_suspended": "Clients that are suspended.",
    "clients_at_limit": (
        "Clients that are near a limit (near), or over one or at one that leaves nothing over "
        "(bad)."
    ),
    "mailboxes_full": "Mailboxes that are nearly full (near) and full (bad).",
    "certificates": (
        "Uploaded certificates by how soon they expire; those that no domain uses are fine."
    ),
    "certificate_end_timestamp_seconds": (
        "Beginning of the day on which the first uploaded certificate in use expires."
    ),
    "mail_domains": "Domains with mail whose mail DNS was checked.",
    "mail_dns_findings": (
        "What is wrong with the mail DNS of domains: bad if mail gets lost or can be forged."
    ),
    "objects": "Objects on the panel.",
    "objects_failed": "Objects whose status is error.",
    "drift_compared": "Whether the panel could be compared with its export, if it has one.",
    "drift_objects": "Objects that differ from the export.",
    "findings": "What needs attention on all panels together, as at the top of the report.",
}
# Name, labels and value; None for a number that the panel does not show.
Samples = Iterator[tuple[str, Row, Any]]


def render_metrics(report: Row) -> str:
    """Return the numbers of a report as OpenMetrics, which the older format of Prometheus takes
    too."""
    families: dict[str, list[tuple[Row, Any]]] = {name: [] for name in _METRICS}
    for name, labels, value in _collect_samples(report):
        families[name].append((labels, value))
    template = Path(__file__).with_name("metrics.j2")
    return render_template(
        template, {"families": families, "about": _METRICS}, labels=_format_labels
    )


def format_timestamp(report: Row) -> str:
    """Return the line of the metrics that says when the report was made."""
    moment = datetime.datetime.fromisoformat(report["generated_at"])
    return f"hosting_panel_{_TIMESTAMP} {int(moment.timestamp())}"


def _format_labels(labels: Row) -> str:
    if not labels:
        return ""
    pairs = [f'{name}="{str(value).translate(_ESCAPED)}"' for name, value in labels.items()]
    return f"{{{','.join(pairs)}}}"


def _collect_samples(report: Row) -> Samples:
    now = datetime.datetime.fromisoformat(report["generated_at"])
    yield _TIMESTAMP, {}, now.timestamp()

    for server, drift in zip(report["servers"], report["drift"]):
        panel = {"panel": server["server"]}
        yield "up", panel, not server["failure"]
        if server["failure"]:
            continue
        rows = {
            area: _select_rows_of_panel(report[area], server["server"]) for area in _AREAS_OF_PANELS
        }
        for name, labels, value in _collect_samples_of_panel(server, drift, rows, now.tzinfo):
            yield name, {**panel, **labels}, value

    for area, counts in report["summary"].items():
        for level in _BOTH_LEVELS:
            yield "findings", {"area": area, "level": level}, counts[level]


def _select_rows_of_panel(rows: Iterable[Row], panel: str) -> list[Row]:
    return [row for row in rows if row["server"] == panel]


def _collect_samples_of_panel(
    server: Row, drift: Row, rows: dict[str, list[Row]], zone: datetime.tzinfo | None
) -> Samples:
    """Yield the samples of a panel that was read.

    Args:
        server: Its row of the report.
        drift: How it differs from its export.
        rows: The rows of the report that are about it, by area.
        zone: The time zone of the report.
    """
    yield from _collect_samples_of_server(server)
    yield from _count_labels(
        "mailboxes_full", [(row["level"],) for row in rows["mailboxes"]], _LEVEL
    )
    yield from _collect_samples_of_certificates(rows["certificates"], zone)
    failing_kinds = [kind for kind, table in KINDS.items() if table.traits.has_status]
    yield from _count_labels(
        "objects_failed", [(row["kind"],) for row in rows["errors"]], {"kind": failing_kinds}
    )
    yield from _collect_samples_of_drift(drift)
    # If some clients or zones could not be read, no number is better than one that is too low.
    if not server["problems"]:
        yield "disk_promised_bytes", {}, server["disk_space"]["promised"]
        yield from _collect_samples_of_limits(rows["clients"])
        if server["mail_domains"] is not None:
            yield from _collect_samples_of_mail_dns(rows["mail_dns"])


def _collect_samples_of_server(server: Row) -> Samples:
    yield "info", {field: server[field] for field in _FIELDS_OF_INFO}, 1
    yield "reboot_required", {}, server["reboot_required"]
    yield "problems", {}, len(server["problems"])
    yield "disk_used_bytes", {}, server["disk_space"]["used"]
    yield "disk_size_bytes", {}, server["disk_space"]["capacity"]
    yield "month_traffic_bytes", {}, server["traffic_this_month"]
    yield "mail_domains", {}, server["mail_domains"]
    for kind, number in server["counts"].items():
        if kind == "suspended":
            yield "clients_suspended", {}, number
        else:
            yield "objects", {"kind": kind}, number


def _collect_samples_of_certificates(rows: Sequence[Row], zone: datetime.tzinfo | None) -> Samples:
    yield from _count_labels("certificates", [(row["level"],) for row in rows], {"level": LEVELS})
    ends = [row["valid_till"] for row in rows if row["used_by"] and row["valid_till"]]
    if ends:
        first_end = datetime.datetime.fromisoformat(min(ends)).replace(tzinfo=zone)
        yield "certificate_end_timestamp_seconds", {}, first_end.timestamp()


def _collect_samples_of_drift(drift: Row) -> Samples:
    if drift["is_compared"] or drift["failure"]:
        yield "drift_compared", {}, drift["is_compared"]
    if drift["is_compared"]:
        differences = [(change["what"],) for change in drift["changes"]]
        yield from _count_labels(
            "drift_objects", differences, {"what": ("missing", "surplus", "different")}
        )


def _collect_samples_of_limits(clients: Iterable[Row]) -> Samples:
    levels = []
    for client in clients:
        levels += [(resource["name"], resource["level"]) for resource in client["resources"]]
    yield from _count_labels(
        "clients_at_limit", levels, {"resource": (*CONSUMED, *COUNTED), **_LEVEL}
    )


def _collect_samples_of_mail_dns(domains: Iterable[Row]) -> Samples:
    levels = []
    for domain in domains:
        levels += [(finding["about"], finding["level"]) for finding in domain["findings"]]
    yield from _count_labels(
        "mail_dns_findings", levels, {"about": ("spf", "dkim", "dmarc", "mx"), **_LEVEL}
    )


def _count_labels(
    name: str, occurrences: Iterable[tuple[str, ...]], values: Mapping[str, Sequence[str]]
) -> Samples:
    """Yield how often each combination of labels occurs, also one that does not.

    Args:
        name: Of the metric.
        occurrences: The values of the labels of each thing that counts.
        values: By label all the values that it can have.
    """
    counts = Counter(occurrences)
    for combination in product(*values.values()):
        yield name, dict(zip(values, combination)), counts[combination]
