# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as metrics, in the text of OpenMetrics. Pure: the data of the report in. Private to the collection.

Every metric is a gauge without a time of its own, so that the text is one of the older Prometheus format too, which is what the textfile collector
reads. No label names a customer, a domain or a mailbox: a panel has so many series whatever is on it, and whoever sees a chart sees numbers only.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._kinds.registry import KINDS
from .usage import BAD, CONSUMED, COUNTED, FINE, NEAR

WRITTEN_AT = "hosting_panel_report_timestamp_seconds"
"""The metric that says when the panels were read."""
_PREFIX = "hosting_panel_"
_UNITS = ("seconds", "bytes")
_DRIFT = ("missing", "surplus", "different")
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
Labels = Mapping[str, str]
Sample = tuple[Labels, "float | int"]


@dataclass(frozen=True)
class _Metric:
    """A metric with its samples: its name without the prefix, ending with its unit where it has one."""

    name: str
    help: str
    samples: Iterable[Sample]

    def lines(self) -> Iterator[str]:
        name = _PREFIX + self.name
        yield f"# TYPE {name} gauge"
        unit = next((unit for unit in _UNITS if name.endswith(f"_{unit}")), None)
        if unit:
            yield f"# UNIT {name} {unit}"
        yield f"# HELP {name} {self.help}"
        for labels, value in self.samples:
            shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
            yield f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


def metrics(report: Mapping[str, Any]) -> str:
    """The text of the file. report: as ``report_data.report`` makes it."""
    lines = [line for metric in _all(report) for line in metric.lines()]
    return "\n".join([*lines, "# EOF"]) + "\n"


def as_of(text: str) -> str:
    """The text without the time of the reading, which is another one each time."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(f"{WRITTEN_AT} "))


def _all(report: Mapping[str, Any]) -> Iterator[_Metric]:
    now = datetime.datetime.fromisoformat(report["generated_at"])
    every = report["servers"]
    read = [server for server in every if not server["failure"]]
    yield _Metric("report_timestamp_seconds", "When the panels were read last.", [({}, int(now.timestamp()))])
    yield _Metric(
        "up",
        "Whether the panel could be read; of one that could not there is nothing but this.",
        [(_of(server), 0 if server["failure"] else 1) for server in every],
    )
    yield _Metric("info", "What the panel is, in the labels; the value is always 1.", map(_info, read))
    yield from _of_servers(read)
    yield from _of_clients(report, read)
    yield from _of_certificates(report, [server["server"] for server in read], now)
    yield from _of_objects(report, read)
    yield _Metric(
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


def _of_servers(read: list[Mapping[str, Any]]) -> Iterator[_Metric]:
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
        yield _Metric(name, explained, [(labels, known) for labels, known in found if known is not None])


def _of_clients(report: Mapping[str, Any], read: list[Mapping[str, Any]]) -> Iterator[_Metric]:
    # Where some clients could not be read, no number is better than one that is too low.
    whole = [server["server"] for server in read if not server["problems"]]
    limits = {
        (name, resource, level): 0 for name in whole for resource in (*CONSUMED, *COUNTED) for level in (BAD, NEAR)
    }
    for client in report["clients"]:
        for resource in client["resources"]:
            place = (client["server"], resource["name"], resource["level"])
            if place in limits:
                limits[place] += 1
    yield _Metric(
        "clients_at_limit",
        "Clients that are near a limit (near), or over one or at one that leaves nothing over (bad).",
        [
            ({"panel": name, "resource": resource, "level": level}, count)
            for (name, resource, level), count in limits.items()
        ],
    )
    yield _Metric(
        "mailboxes_full",
        "Mailboxes that are nearly full (near) and full (bad).",
        _counted(
            [server["server"] for server in read],
            "level",
            (BAD, NEAR),
            ((one["server"], one["level"]) for one in report["mailboxes"]),
        ),
    )


def _of_certificates(report: Mapping[str, Any], names: list[str], now: datetime.datetime) -> Iterator[_Metric]:
    found = report["certificates"]
    yield _Metric(
        "certificates",
        "Uploaded certificates by how soon they end; those that no domain uses are fine.",
        _counted(names, "level", (BAD, NEAR, FINE), ((one["server"], one["level"]) for one in found)),
    )
    ends: dict[str, str] = {}
    for one in found:
        if one["used_by"] and one["valid_till"]:
            ends[one["server"]] = min(one["valid_till"], ends.get(one["server"], one["valid_till"]))
    yield _Metric(
        "certificate_end_timestamp_seconds",
        "Beginning of the day on which the first uploaded certificate in use ends.",
        [({"panel": name}, _midnight(ends[name], now)) for name in names if name in ends],
    )


def _of_objects(report: Mapping[str, Any], read: list[Mapping[str, Any]]) -> Iterator[_Metric]:
    names = [server["server"] for server in read]
    yield _Metric(
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
    yield _Metric(
        "objects_failed",
        "Objects in the state of error.",
        _counted(names, "kind", kinds, ((one["server"], one["kind"]) for one in report["errors"])),
    )
    compared = {one["server"]: one for one in report["drift"] if one["is_compared"] or one["failure"]}
    yield _Metric(
        "drift_compared",
        "Whether the panel could be compared with its export, where it has one.",
        [({"panel": name}, int(one["is_compared"])) for name, one in compared.items()],
    )
    changes = ((name, change["what"]) for name, one in compared.items() for change in one["changes"])
    yield _Metric(
        "drift_objects",
        "Objects that differ from the export.",
        _counted([name for name, one in compared.items() if one["is_compared"]], "what", _DRIFT, changes),
    )


def _of(server: Mapping[str, Any]) -> Labels:
    return {"panel": server["server"]}


def _counted(
    names: Iterable[str], label: str, values: Iterable[str], found: Iterable[tuple[str, str]]
) -> Iterator[Sample]:
    """How many there are of each value on each panel, also where there are none."""
    counts = {(name, value): 0 for name in names for value in values}
    for place in found:
        if place in counts:
            counts[place] += 1
    for (name, value), count in counts.items():
        yield {"panel": name, label: value}, count


def _midnight(day: str, now: datetime.datetime) -> int:
    return int(datetime.datetime.fromisoformat(day).replace(tzinfo=now.tzinfo).timestamp())


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
