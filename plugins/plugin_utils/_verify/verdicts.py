# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found on each open point, as verdicts, a profile, lines and a page. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import yaml

from .._run.template import render_template
from .open_points import OTHERWISE

VERDICTS = ("contradicted", "unknown", "confirmed", "skipped")
# Skipped points that are named; of more is said how to try them.
_MOST_NAMED = 5
_LACKS = (
    "The panel's own description lacks what the collection uses; tasks that need it may fail. "
    "Check the manual of your panel's version."
)


def _make_point_of_description(subject: str) -> dict[str, Any]:
    return {
        "about": f"The {subject} that the collection uses, in the panel's own description",
        "default": [],
        "means": _LACKS,
        "seen": "read",
        "depends": ["everything"],
    }


_POINTS_OF_DESCRIPTION = {
    "described_paths": _make_point_of_description("paths"),
    "described_fields": _make_point_of_description("fields"),
}


def make_checks(
    points: Mapping[str, Any], findings: Mapping[str, Any], stages: Set[str]
) -> list[dict[str, Any]]:
    """Give each point its verdict, what was contradicted first.

    Args:
        points: The open points.
        findings: By point what the panel does.
        stages: Those of ``read``, ``write`` and ``asked`` that were done.
    """
    all_points = {**points, **_POINTS_OF_DESCRIPTION}
    checks = [
        _make_check(name, point, findings.get(name), point["seen"] in stages)
        for name, point in all_points.items()
    ]
    return sorted(checks, key=lambda check: VERDICTS.index(check["verdict"]))


def _judge(finding: Any, expected: Any, was_tried: bool) -> str:
    """Return the verdict on a finding; None as a finding was not found out."""
    if finding is None:
        return "unknown" if was_tried else "skipped"
    return "confirmed" if finding == expected else "contradicted"


def _make_check(
    name: str, point: Mapping[str, Any], finding: Any, was_tried: bool
) -> dict[str, Any]:
    """Return what is said of an open point.

    Args:
        name: The point.
        point: What the table of points has of it.
        finding: What the panel does; None if that was not found out.
        was_tried: Whether the run tried to find it out.
    """
    values = point.get("values", {})
    expected = next(iter(values), point.get("default"))
    if finding is not None and not _is_foreseen(finding, values, expected):
        finding = OTHERWISE
    verdict = _judge(finding, expected, was_tried)

    means = ""
    if finding == OTHERWISE:
        means = "It is none of the known ways; please report it."
    elif verdict == "contradicted":
        means = values[finding]["means"] if values else point["means"]
    return {
        "id": name,
        "about": point["about"],
        "expected": expected,
        "found": finding,
        "verdict": verdict,
        "affects": list(point["depends"]),
        "means": means,
    }


def _is_foreseen(finding: Any, values: Mapping[Any, Any], expected: Any) -> bool:
    """Return whether the table of open points has this value, or at least values of this type."""
    if values:
        return finding in list(values)
    return isinstance(finding, type(expected))


def make_profile(points: Mapping[str, Any], checks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the simulator needs to be such a panel."""
    profile = {}
    for check in checks:
        is_settable = check["id"] in points and check["found"] != OTHERWISE
        if check["verdict"] == "contradicted" and is_settable:
            profile[check["id"]] = check["found"]
    return profile


def format_summary_lines(
    checks: Sequence[Mapping[str, Any]], version: str, requests: int, option_for_trials: str
) -> list[str]:
    """Return for a person one line for each point that was contradicted, and one for each other
    verdict.

    Args:
        checks: What is said of each point.
        version: Of the panel; empty where it is unknown.
        requests: How many were sent.
        option_for_trials: What the operator calls the option ``writes``.
    """
    by_verdict: dict[str, list[Mapping[str, Any]]] = {verdict: [] for verdict in VERDICTS}
    for check in checks:
        by_verdict[check["verdict"]].append(check)

    checked = len(by_verdict["contradicted"]) + len(by_verdict["confirmed"])
    panel = f"KeyHelp {version}: " if version else ""
    lines = [f"{panel}{len(checks)} points, {checked} checked with {requests} requests"]
    lines += map(_format_contradiction, by_verdict["contradicted"])
    for verdict in VERDICTS[1:]:
        count = len(by_verdict[verdict])
        if count:
            note = _describe_verdict(verdict, by_verdict[verdict], option_for_trials)
            lines.append(f"{verdict:<9}  {count:>3}   {note}".rstrip())

    return lines


def _format_contradiction(check: Mapping[str, Any]) -> str:
    return f"contradicted   {check['id']}: {display_value(check['found'])}. {check['means']}"


def _describe_verdict(
    verdict: str, checks: Sequence[Mapping[str, Any]], option_for_trials: str
) -> str:
    if verdict == "confirmed":
        return ""
    if verdict == "skipped" and len(checks) > _MOST_NAMED:
        return f"run again with {option_for_trials}: true (creates and removes a test client)"
    return ", ".join(check["id"] for check in checks)


def display_value(value: Any) -> str:
    """Return a value of a point on one line."""
    if not value:
        return "none"
    if isinstance(value, str):
        return value
    return str(yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)).strip()


def format_profile(profile: dict[str, Any], version: str) -> str:
    """Return what ``panel_simulator --profile`` takes."""
    panel = f" of version {version}" if version else ""
    head = (
        f"# How a panel{panel} differs from what the collection expects; "
        "written by hosting.panel.verify\n"
    )
    if not profile:
        return f"{head}{{}}\n"
    return head + str(yaml.safe_dump(profile, width=120))


def make_report_page(**content: Any) -> str:
    """Return the verdicts as Markdown.

    Args:
        content: ``checks``, ``version``, ``described`` of the result, and in ``left`` sentences
            about what was not removed.
    """
    return render_template(Path(__file__).with_name("page.md.j2"), content, cell=_format_cell)


def _format_cell(value: Any) -> str:
    return display_value(value).replace("|", "\\|")
