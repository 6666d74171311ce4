# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as one HTML page: data and a template in, a text out. Pure but for reading the parts beside this file. Private to the collection.

Everything that a panel said is escaped. The page loads nothing and sends nothing: its policy allows the one style sheet and the one script
that are in it, by their checksums.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .._jobs.sizes_and_months import size_text
from . import charts, report_words
from .usage import FINE, IN_BYTES, LEVELS

_PARTS = Path(__file__).parent


def page(report: Mapping[str, Any]) -> str:
    """The page of a report."""
    environment = Environment(
        loader=FileSystemLoader(str(_PARTS)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        size=size_text,
        amount=report_words.amount,
        percent=report_words.percent,
        resource=report_words.resource,
        month=report_words.month,
        day=report_words.day,
        remaining=report_words.remaining,
        counted=report_words.counted,
        share=charts.share,
        quantity=_quantity,
        by_name=lambda resources: {one["name"]: one["value"] for one in resources},
    )
    style, script = _part("report.css"), _part("report.js")
    text: str = environment.get_template("report.html.j2").render(
        report=report,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        servers=_servers(report["servers"]),
        traffic=_traffic(report),
        expiries=charts.expiries(report["certificates"]),
    )
    return text


def _part(name: str) -> str:
    return "\n" + (_PARTS / name).read_text(encoding="utf-8").strip() + "\n"


def _policy(style: str, script: str) -> str:
    return f"default-src 'none'; style-src {_checksum(style)}; script-src {_checksum(script)}; base-uri 'none'; form-action 'none'"


def _checksum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _servers(servers: Sequence[Mapping[str, Any]], most: int = 3) -> list[dict[str, str]]:
    """What the top says of a few servers: first those with something to look at, then the fullest."""

    def order(server: Mapping[str, Any]) -> tuple[Any, ...]:
        disk = server["disk_space"]
        level = LEVELS.index(disk["level"])
        return (not server["failure"], level, not server["reboot_required"], -(disk["percent"] or 0), server["server"])

    return [{"server": one["server"], "said": _said(one)} for one in sorted(servers, key=order)[:most]]


def _said(server: Mapping[str, Any]) -> str:
    disk = server["disk_space"]
    if server["failure"]:
        return "not read"
    if disk["level"] == FINE and (server["problems"] or server["reboot_required"]):
        return "partly read" if server["problems"] else "needs a reboot"
    return (
        f"disk {report_words.percent(disk['percent'])}"
        if disk["percent"] is not None
        else f"{size_text(disk['used'])} used"
    )


def _traffic(report: Mapping[str, Any]) -> dict[str, Any]:
    traffic = report["traffic"]
    series = [(one["server"], one["bytes"]) for one in traffic["servers"]]
    return charts.stacks(traffic["months"], series)


def _quantity(value: int | None, name: str) -> str:
    """An amount of a resource, in its unit."""
    return size_text(value) if name in IN_BYTES else report_words.amount(value)
