# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The points that the interface leaves open, what was found on each of them, and the texts for people. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import yaml

# One table for the simulator and for this: what a panel is found to do, the simulator can do.
TABLE = Path(__file__).parents[3] / "roles" / "simulator" / "files" / "panel_simulator" / "open_points.yml"
VERDICTS = ("contradicted", "unknown", "confirmed", "skipped")
OTHERWISE = "otherwise"
# Skipped points that are named; of more is said how to try them.
_FEW = 5


_UNKNOWN_WAY = "It is none of the known ways; please report it."
_LACKS = "The panel's own description lacks what the collection uses; tasks that need it may fail. Check the manual of your panel's version."
_DESCRIBED: dict[str, Any] = {
    f"described_{what.lower()}": {
        "about": f"{what} that the collection uses, in the panel's own description",
        "default": [],
        "means": _LACKS,
        "seen": "read",
        "depends": ["everything"],
    }
    for what in ("Paths", "Fields")
}


def read_points() -> dict[str, dict[str, Any]]:
    """The rows of the table by name."""
    table: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return table


def other_names(points: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    """By kind and field the other names that panels are known to have for it."""
    found: dict[str, dict[str, list[str]]] = {}
    for example in points["renamed_members"]["examples"]:
        for kind, names in example.items():
            for name, other in names.items():
                found.setdefault(kind, {}).setdefault(name, []).append(other)
    return found


def checks(points: Mapping[str, Any], seen: Mapping[str, Any], done: set[str]) -> list[dict[str, Any]]:
    """The verdicts, what was contradicted first. seen: by point what was found. done: of ``read``, ``write`` and ``asked`` what was tried."""
    every = {**points, **_DESCRIBED}.items()
    made = [_check(name, row, seen.get(name), row["seen"] in done) for name, row in every]
    return sorted(made, key=lambda check: VERDICTS.index(check["verdict"]))


def _check(name: str, row: Mapping[str, Any], found: Any, was_tried: bool) -> dict[str, Any]:
    values = row.get("values", {})
    expected = next(iter(values), row.get("default"))
    verdict, means, fits = "unknown" if was_tried else "skipped", "", False
    if found is not None:
        fits = found in list(values) if values else isinstance(found, type(expected))
        found = found if fits else OTHERWISE
        verdict = "confirmed" if found == expected else "contradicted"
    if verdict == "contradicted":
        means = (values[found] if values else row).get("means", "") if fits else _UNKNOWN_WAY
    about = {"id": name, "about": row["about"], "expected": expected, "found": found}
    return {**about, "verdict": verdict, "affects": list(row["depends"]), "means": means}


def profile_of(points: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the simulator needs to be such a panel."""
    contradicted = [one for one in found if one["id"] in points and one["verdict"] == "contradicted"]
    return {one["id"]: one["found"] for one in contradicted if one["found"] != OTHERWISE}


def lines(found: Sequence[Mapping[str, Any]], version: str, requests: int) -> list[str]:
    """For a person: one line for each point that was contradicted, and one for each other verdict."""
    by = {verdict: [check for check in found if check["verdict"] == verdict] for verdict in VERDICTS}
    checked = len(by["contradicted"]) + len(by["confirmed"])
    panel = f"KeyHelp {version}: " if version else ""
    made = [f"{panel}{len(found)} points, {checked} checked with {requests} requests"]
    made += [f"contradicted   {one['id']}: {shown(one['found'])}. {one['means']}" for one in by["contradicted"]]
    for verdict in VERDICTS[1:]:
        names = "" if verdict == "confirmed" else ", ".join(check["id"] for check in by[verdict])
        if verdict == "skipped" and len(by[verdict]) > _FEW:
            names = "run again with -e panel_verify_writes=true (creates and removes a test client)"
        made += [f"{verdict:<9}  {len(by[verdict]):>3}   {names}".rstrip()] if by[verdict] else []
    return made


def shown(value: Any) -> str:
    """A value of a point on one line."""
    if isinstance(value, str) or not value:
        return value or "none"
    return str(yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)).strip()


def profile_text(profile: dict[str, Any], version: str) -> str:
    """What ``panel_simulator --profile`` takes."""
    panel = f" of version {version}" if version else ""
    head = f"# How a panel{panel} differs from what the collection expects; written by hosting.panel.verify\n"
    return head + (yaml.safe_dump(profile, width=120) if profile else "{}\n")


PAGE = """\
# What this panel does

Panel version: {{ version or "unknown" }}. Written by `hosting.panel.verify`. This page has no secret and nothing about customers.
{% for name in names %}

**Not removed: {{ name }}.** Delete it on the panel.
{% endfor %}

| point | verdict | expected | found | what it means for you | matters for |
| --- | --- | --- | --- | --- | --- |
{% for check in checks %}
| `{{ check.id }}`: {{ check.about }} | {{ check.verdict }} | `{{ check.expected | shown }}` | {{
  "" if check.found is none else "`" ~ (check.found | shown) ~ "`" }} | {{ check.means }} | {{ check.affects | join(", ") }} |
{% endfor %}
{% if described %}

## The panel's own description of its API{{ ", version " ~ described.version if described.version }}

{% for title, names in (
  ("Paths that it lacks", described.paths.gone), ("Paths that the collection does not use", described.paths.new),
  ("Fields that it lacks", described.fields.gone), ("Fields that the collection does not know", described.fields.new),
  ("Fields of another type or with other values", described.fields.otherwise)) %}
- {{ title }}: {{ names | map("code") | join(", ") or "none" }}
{% endfor %}
{% endif %}
"""


def page(**content: Any) -> str:
    """The same as Markdown. content: the result, and the names of what is left."""
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined)  # nosec: Markdown
    environment.filters["shown"] = lambda value: shown(value).replace("|", "\\|")
    environment.filters["code"] = "`{}`".format
    return environment.from_string(PAGE).render(content)
