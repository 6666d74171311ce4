# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as OpenMetrics, which the older format of Prometheus takes too. No label names a customer. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from ...module_utils._kinds.registry import KINDS
from .._mail_dns.judge import ABOUT
from .usage import BAD, CONSUMED, COUNTED, LEVELS, NEAR, Row

_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_ABOUT_PANEL = ("address", "hostname", "panel_version", "operating_system")
# The labels of a sample, and its value; none for a number that the panel does not tell.
Samples = Iterable[tuple[Row, Any]]


def metrics(report: Row) -> str:
    """The numbers of a report."""
    lines = []
    for name, about, samples in _families(report):
        family = f"hosting_panel_{name}"
        unit = name.rpartition("_")[2]
        lines.append(f"# TYPE {family} gauge")
        if unit in ("seconds", "bytes"):
            lines.append(f"# UNIT {family} {unit}")
        lines.append(f"# HELP {family} {about}")
        for labels, value in samples:
            shown = ",".join(f'{label}="{str(text).translate(_ESCAPED)}"' for label, text in labels.items())
            if value is not None:
                lines.append(f"{family}{{{shown}}} {int(value)}" if shown else f"{family} {int(value)}")
    return "\n".join([*lines, "# EOF", ""])


def _count(panels: Iterable[Row], found: Iterable[tuple[Any, ...]], **labels: Iterable[str]) -> Samples:
    """How often each combination of labels occurs, for each panel, also where it does not."""
    counts = Counter(found)
    names = [one["server"] for one in panels]
    return [(dict(zip(("panel", *labels), at)), counts[at]) for at in product(names, *labels.values())]


def _families(report: Row) -> Iterator[tuple[str, str, Samples]]:
    now = datetime.datetime.fromisoformat(report["generated_at"])
    read = [one for one in report["servers"] if not one["failure"]]
    # If some clients or zones could not be read, no number is better than one that is too low.
    whole = [one for one in read if not one["problems"]]
    checked = [one for one in whole if one["mail_domains"] is not None]
    with_export = [one for one in report["drift"] if one["is_compared"] or one["failure"]]
    compared = [one for one in with_export if one["is_compared"]]
    limits = [(one["server"], used["name"], used["level"]) for one in report["clients"] for used in one["resources"]]
    wrong = [(one["server"], found["about"], found["level"]) for one in report["mail_dns"] for found in one["findings"]]
    kinds = [kind for kind, table in KINDS.items() if table.has_status]
    both = (BAD, NEAR)
    ends: dict[str, int] = {}
    for one in report["certificates"]:  # the first to end comes first
        if one["used_by"] and one["valid_till"]:
            day = datetime.datetime.fromisoformat(one["valid_till"]).replace(tzinfo=now.tzinfo)
            ends.setdefault(one["server"], int(day.timestamp()))

    def each(name: str, servers: Iterable[Row] = read, of: str = "") -> Samples:
        return [({"panel": one["server"]}, (one[of] if of else one)[name]) for one in servers]

    def levels(area: str) -> list[tuple[str, str]]:
        return [(one["server"], one["level"]) for one in report[area]]

    yield "report_timestamp_seconds", "When the panels were read last.", [({}, now.timestamp())]
    yield (
        "up",
        "Whether the panel could be read; of one that could not there is nothing but this.",
        [({"panel": one["server"]}, not one["failure"]) for one in report["servers"]],
    )
    yield (
        "info",
        "What the panel is, in the labels; the value is always 1.",
        [({"panel": one["server"], **{name: one[name] for name in _ABOUT_PANEL}}, 1) for one in read],
    )
    yield "reboot_required", "Whether the server says that it must be restarted.", each("reboot_required")
    yield (
        "problems",
        "Parts of the panel that could not be read.",
        [({"panel": one["server"]}, len(one["problems"])) for one in read],
    )
    yield "disk_used_bytes", "Disk space in use.", each("used", of="disk_space")
    about = "Disk space that clients with a limit may use."
    yield "disk_promised_bytes", about, each("promised", whole, "disk_space")
    yield "disk_size_bytes", "Size of the disk, where the inventory tells it.", each("capacity", of="disk_space")
    about = "Traffic since the month began, which is 0 again when the next one does."
    yield "month_traffic_bytes", about, each("traffic_this_month")
    yield "clients_suspended", "Clients that are suspended.", each("suspended", of="counts")
    about = "Clients that are near a limit (near), or over one or at one that leaves nothing over (bad)."
    yield "clients_at_limit", about, _count(whole, limits, resource=(*CONSUMED, *COUNTED), level=both)
    about = "Mailboxes that are nearly full (near) and full (bad)."
    yield "mailboxes_full", about, _count(read, levels("mailboxes"), level=both)
    about = "Uploaded certificates by how soon they end; those that no domain uses are fine."
    yield "certificates", about, _count(read, levels("certificates"), level=LEVELS)
    about = "Beginning of the day on which the first uploaded certificate in use ends."
    yield (
        "certificate_end_timestamp_seconds",
        about,
        [({"panel": one["server"]}, ends.get(one["server"])) for one in read],
    )
    yield "mail_domains", "Domains with mail whose mail DNS was checked.", each("mail_domains")
    about = "What is wrong with the mail DNS of domains: bad where mail gets lost or can be forged."
    yield "mail_dns_findings", about, _count(checked, wrong, about=ABOUT, level=both)
    yield (
        "objects",
        "Objects on the panel.",
        [
            ({"panel": one["server"], "kind": kind}, number)
            for one in read
            for kind, number in one["counts"].items()
            if kind != "suspended"
        ],
    )
    failed = [(one["server"], one["kind"]) for one in report["errors"]]
    yield "objects_failed", "Objects whose status is error.", _count(read, failed, kind=kinds)
    about = "Whether the panel could be compared with its export, where it has one."
    yield "drift_compared", about, each("is_compared", with_export)
    changes = [(one["server"], change["what"]) for one in compared for change in one["changes"]]
    what = ("missing", "surplus", "different")
    yield "drift_objects", "Objects that differ from the export.", _count(compared, changes, what=what)
    yield (
        "findings",
        "What needs attention on all panels together, as at the top of the report.",
        [({"area": area, "level": level}, found[level]) for area, found in report["summary"].items() for level in both],
    )
