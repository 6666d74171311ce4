# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as metrics. Pure: the data of the report in. Private to the collection.

No label names a customer, a domain or a mailbox: a panel has so many series whatever is on it, and whoever sees a chart sees numbers only.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from ...module_utils._kinds.registry import KINDS
from .._jobs.open_metrics import PREFIX, Labels, Metric, Sample, metrics_text
from .._mail_dns.finding import ABOUT
from .._run.own_files import OwnFiles
from .usage import BAD, CONSUMED, COUNTED, FINE, NEAR

WRITTEN_AT = f"{PREFIX}report_timestamp_seconds"
"""The metric that says when the panels were read; it is the first one."""
METRICS = OwnFiles("file of a report's metrics", re.compile(f"# TYPE {WRITTEN_AT} "))
_DRIFT = ("missing", "surplus", "different")


def metrics(report: Mapping[str, Any]) -> str:
    """The text of the file. report: as ``report_data.report`` makes it."""
    return metrics_text(_all(report))


def as_of(text: str) -> str:
    """The text without the time of the reading, which is another one each time."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(f"{WRITTEN_AT} "))


def _all(report: Mapping[str, Any]) -> Iterator[Metric]:
    now = datetime.datetime.fromisoformat(report["generated_at"])
    every = report["servers"]
    read = [server for server in every if not server["failure"]]
    yield Metric("report_timestamp_seconds", "When the panels were read last.", [({}, int(now.timestamp()))])
    yield Metric(
        "up",
        "Whether the panel could be read; of one that could not there is nothing but this.",
        [(_of(server), 0 if server["failure"] else 1) for server in every],
    )
    yield Metric("info", "What the panel is, in the labels; the value is always 1.", map(_info, read))
    yield from _of_servers(read)
    yield from _of_clients(report, read)
    yield from _of_certificates(report, [server["server"] for server in read], now)
    yield from _of_mail_dns(report, read)
    yield from _of_objects(report, read)
    yield Metric(
        "findings",
        "What needs attention on all panels together, as at the top of the report.",
        [
            ({"area": area, "level": level}, counts[level])
            for area, counts in report["summary"].items()
            for level in (BAD, NEAR)
        ],
    )


def _info(server: Mapping[str, Any]) -> Sample:
    names = ("address", "hostname", "panel_version", "operating_system")
    return {**_of(server), **{name: server[name] for name in names}}, 1


def _of_servers(read: list[Mapping[str, Any]]) -> Iterator[Metric]:
    for name, explained, value in (
        (
            "reboot_required",
            "Whether the server says that it must be restarted.",
            lambda server: int(server["reboot_required"]),
        ),
        ("problems", "Parts of the panel that could not be read.", lambda server: len(server["problems"])),
        ("disk_used_bytes", "Disk space in use.", lambda server: server["disk_space"]["used"]),
        (
            "disk_promised_bytes",
            "Disk space that clients with a limit may use.",
            lambda server: None if server["problems"] else server["disk_space"]["promised"],
        ),
        (
            "disk_size_bytes",
            "Size of the disk, where the inventory tells it.",
            lambda server: server["disk_space"]["capacity"],
        ),
        (
            "month_traffic_bytes",
            "Traffic since the month began, which is 0 again when the next one does.",
            lambda server: server["traffic_this_month"],
        ),
        ("clients_suspended", "Clients that are suspended.", lambda server: server["counts"]["suspended"]),
    ):
        found = ((_of(server), value(server)) for server in read)
        yield Metric(name, explained, [(labels, known) for labels, known in found if known is not None])


def _of_clients(report: Mapping[str, Any], read: list[Mapping[str, Any]]) -> Iterator[Metric]:
    # Where some clients could not be read, no number is better than one that is too low.
    whole = [server["server"] for server in read if not server["problems"]]
    yield Metric(
        "clients_at_limit",
        "Clients that are near a limit (near), or over one or at one that leaves nothing over (bad).",
        _counted(
            whole,
            {"resource": (*CONSUMED, *COUNTED), "level": (BAD, NEAR)},
            (
                (client["server"], resource["name"], resource["level"])
                for client in report["clients"]
                for resource in client["resources"]
            ),
        ),
    )
    yield Metric(
        "mailboxes_full",
        "Mailboxes that are nearly full (near) and full (bad).",
        _counted(
            [server["server"] for server in read],
            {"level": (BAD, NEAR)},
            ((one["server"], one["level"]) for one in report["mailboxes"]),
        ),
    )


def _of_certificates(report: Mapping[str, Any], names: list[str], now: datetime.datetime) -> Iterator[Metric]:
    found = report["certificates"]
    yield Metric(
        "certificates",
        "Uploaded certificates by how soon they end; those that no domain uses are fine.",
        _counted(names, {"level": (BAD, NEAR, FINE)}, ((one["server"], one["level"]) for one in found)),
    )
    ends: dict[str, str] = {}
    for one in found:
        if one["used_by"] and one["valid_till"]:
            ends[one["server"]] = min(one["valid_till"], ends.get(one["server"], one["valid_till"]))
    yield Metric(
        "certificate_end_timestamp_seconds",
        "Beginning of the day on which the first uploaded certificate in use ends.",
        [({"panel": name}, _midnight(ends[name], now)) for name in names if name in ends],
    )


def _of_mail_dns(report: Mapping[str, Any], read: list[Mapping[str, Any]]) -> Iterator[Metric]:
    looked_at = {server["server"]: server["mail_domains"] for server in read if server["mail_domains"] is not None}
    yield Metric(
        "mail_domains",
        "Domains with mail whose mail DNS was looked at.",
        [({"panel": name}, count) for name, count in looked_at.items()],
    )
    whole = [server["server"] for server in read if server["server"] in looked_at and not server["problems"]]
    yield Metric(
        "mail_dns_findings",
        "What is wrong with the mail DNS of domains: bad where mail gets lost or can be forged.",
        _counted(
            whole,
            {"about": ABOUT, "level": (BAD, NEAR)},
            (
                (domain["server"], finding["about"], finding["level"])
                for domain in report["mail_dns"]
                for finding in domain["findings"]
            ),
        ),
    )


def _of_objects(report: Mapping[str, Any], read: list[Mapping[str, Any]]) -> Iterator[Metric]:
    names = [server["server"] for server in read]
    yield Metric(
        "objects",
        "Objects on the panel.",
        [
            ({**_of(server), "kind": kind}, count)
            for server in read
            for kind, count in server["counts"].items()
            if kind != "suspended"
        ],
    )
    kinds = tuple(kind for kind, table in KINDS.items() if table.has_status)
    yield Metric(
        "objects_failed",
        "Objects in the state of error.",
        _counted(names, {"kind": kinds}, ((one["server"], one["kind"]) for one in report["errors"])),
    )
    compared = {one["server"]: one for one in report["drift"] if one["is_compared"] or one["failure"]}
    yield Metric(
        "drift_compared",
        "Whether the panel could be compared with its export, where it has one.",
        [({"panel": name}, int(one["is_compared"])) for name, one in compared.items()],
    )
    changes = ((name, change["what"]) for name, one in compared.items() for change in one["changes"])
    yield Metric(
        "drift_objects",
        "Objects that differ from the export.",
        _counted([name for name, one in compared.items() if one["is_compared"]], {"what": _DRIFT}, changes),
    )


def _of(server: Mapping[str, Any]) -> Labels:
    return {"panel": server["server"]}


def _counted(
    names: Iterable[str], labels: Mapping[str, Iterable[str]], found: Iterable[tuple[str, ...]]
) -> Iterator[Sample]:
    """How many there are of each combination of values on each panel, also where there are none. found: the panel and a value of each label."""
    counts = dict.fromkeys(product(names, *labels.values()), 0)
    for place in found:
        if place in counts:
            counts[place] += 1
    for place, count in counts.items():
        yield dict(zip(("panel", *labels), place)), count


def _midnight(day: str, now: datetime.datetime) -> int:
    return int(datetime.datetime.fromisoformat(day).replace(tzinfo=now.tzinfo).timestamp())
