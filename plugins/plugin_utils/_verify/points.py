# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The points that the interface leaves open, what was found on each of them, and the texts for people. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import yaml

# One table for the simulator and for this: what a panel is found to do, the simulator can do.
TABLE = Path(__file__).parents[3] / "roles" / "simulator" / "files" / "panel_simulator" / "open_points.yml"
CONFIRMED, CONTRADICTED, UNKNOWN, SKIPPED = "confirmed", "contradicted", "unknown", "skipped"
_ORDER = (CONTRADICTED, UNKNOWN, CONFIRMED, SKIPPED)
OTHERWISE = "otherwise"
# Skipped points that are named; of more is said how to try them.
_FEW = 5
# Rows with this word are settings of the simulator alone.
_NO_POINT = "setting"


@dataclass(frozen=True)
class Point:
    """default: what the collection expects. values: the words that it may have, none where it has another form. means: by value, "" for any."""

    name: str
    about: str
    default: Any
    values: tuple[Any, ...] = ()
    means: Mapping[Any, str] = field(default_factory=dict)
    seen: str = "read"
    depends: tuple[str, ...] = ("everything",)
    examples: tuple[Any, ...] = ()

    def fits(self, found: Any) -> bool:
        return found in self.values if self.values else isinstance(found, type(self.default))

    def meaning(self, found: Any) -> str:
        return self.means.get(found if self.values else "", "")


_LACKS = "The panel's own description lacks what the collection uses; tasks that need it may fail. Check the manual of your panel's version."
DESCRIBED = (
    Point("described_paths", "Paths that the collection uses, in the panel's own description", [], means={"": _LACKS}),
    Point(
        "described_fields", "Fields that the collection uses, in the panel's own description", [], means={"": _LACKS}
    ),
)


def read_points() -> dict[str, Point]:
    """By name, in the order of the table."""
    table: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {name: _point(name, row) for name, row in table.items() if row["seen"] != _NO_POINT}


def _point(name: str, row: Mapping[str, Any]) -> Point:
    values = {value: said for value, said in (row.get("values") or {}).items() if said.get("verified", True)}
    means = {value: said["means"] for value, said in values.items() if "means" in said}
    return Point(
        name=name,
        about=row["about"],
        default=next(iter(values), row.get("default")),
        values=tuple(values),
        means=means or {"": row.get("means", "")},
        seen=row["seen"],
        depends=tuple(row["depends"]),
        examples=tuple(row.get("examples") or ()),
    )


def other_names(points: Mapping[str, Point]) -> dict[str, dict[str, list[str]]]:
    """By kind and field the other names that panels are known to have for it."""
    found: dict[str, dict[str, list[str]]] = {}
    for example in points["renamed_members"].examples:
        for kind, names in example.items():
            for name, other in names.items():
                found.setdefault(kind, {}).setdefault(name, []).append(other)
    return found


def checks(points: Mapping[str, Point], seen: Mapping[str, Any], done: frozenset[str]) -> list[dict[str, Any]]:
    """The verdicts, what was contradicted first. seen: by point what was found. done: of ``read``, ``write`` and ``asked`` what was tried."""
    made = [_check(point, seen.get(point.name), point.seen in done) for point in (*points.values(), *DESCRIBED)]
    return sorted(made, key=lambda check: _ORDER.index(check["verdict"]))


def _check(point: Point, found: Any, was_tried: bool) -> dict[str, Any]:
    if found is None:
        verdict = UNKNOWN if was_tried else SKIPPED
    else:
        found = found if point.fits(found) else OTHERWISE
        verdict = CONFIRMED if found == point.default else CONTRADICTED
    means = "It is none of the known ways; please report it." if found == OTHERWISE else point.meaning(found)
    return {
        "id": point.name,
        "about": point.about,
        "expected": point.default,
        "found": found,
        "verdict": verdict,
        "affects": list(point.depends),
        "means": means if verdict == CONTRADICTED else "",
    }


def profile_of(points: Mapping[str, Point], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the simulator has to be told to be such a panel, in alphabetical order."""
    differs = {
        check["id"]: check["found"]
        for check in found
        if check["id"] in points and check["verdict"] == CONTRADICTED and check["found"] != OTHERWISE
    }
    return dict(_in_order(differs))


def _in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return sorted(value) if isinstance(value, list) else value


def lines(found: Sequence[Mapping[str, Any]], version: str, requests: int, end: Sequence[str]) -> list[str]:
    """For a person: one line for each point that was contradicted, one for each other verdict, then the end."""
    by = {verdict: [check for check in found if check["verdict"] == verdict] for verdict in _ORDER}
    tried = len(by[CONTRADICTED]) + len(by[CONFIRMED])
    made = [f"{f'KeyHelp {version}: ' if version else ''}{len(found)} points, {tried} checked with {requests} requests"]
    made += [f"contradicted   {check['id']}: {shown(check['found'])}. {check['means']}" for check in by[CONTRADICTED]]
    names = {verdict: ", ".join(check["id"] for check in checked) for verdict, checked in by.items()}
    if len(by[SKIPPED]) > _FEW:
        names[SKIPPED] = "run again with -e panel_verify_writes=true (creates and removes a test client)"
    names[CONFIRMED] = ""
    for verdict in (UNKNOWN, CONFIRMED, SKIPPED):
        if by[verdict]:
            made.append(f"{verdict:<9}  {len(by[verdict]):>3}   {names[verdict]}".rstrip())
    return [*made, *end]


def shown(value: Any) -> str:
    """A value of a point on one line."""
    if isinstance(value, str):
        return value
    if not value:
        return "none"
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)
    return text.strip()


def profile_text(profile: Mapping[str, Any], version: str) -> str:
    """What ``panel_simulator --profile`` takes."""
    head = f"# How a panel{f' of version {version}' if version else ''} differs from what the collection expects; written by hosting.panel.verify\n"
    return head + (yaml.safe_dump(dict(profile), sort_keys=False, width=120) if profile else "{}\n")


PAGE = """\
# What this panel does

Panel version: {{ version or "unknown" }}. Written by `hosting.panel.verify`. This page has no secret and nothing about customers.
{% for name in left %}

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


def page(
    found: Sequence[Mapping[str, Any]], version: str, described: Mapping[str, Any] | None, left: Sequence[str]
) -> str:
    """The same as Markdown."""
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined)  # nosec: Markdown
    environment.filters["shown"] = lambda value: shown(value).replace("|", "\\|")
    environment.filters["code"] = "`{}`".format
    return environment.from_string(PAGE).render(checks=found, version=version, described=described, left=left)
