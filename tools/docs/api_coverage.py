"""The site's page on what of the API is covered, from the simulator's tables of paths and open points, and the collection's tables of fields."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from tools.layout import make_importable

REGISTRY = "ansible_collections.hosting.panel.plugins.module_utils._kinds.registry"
PAGE = "docs/api-coverage.md"

# What has no table of a kind, by the first part of the path: what calls it to read, and what to write.
_SINGLE = {
    "server": ("`panel_server_info`", "`panel_reboot`"),
    "ping": ("`panel_ping`, `panel_reboot`", ""),
    "login": ("`panel_login_info`, lookup `panel_login_url`", ""),
    "dns": ("`panel_dns`, `panel_dns_info`", "`panel_dns`"),
}
# Fields that no description and no working client shows as writable, with what is known of them.
_ANSWER = "public as an answer; that it can be written is inferred"
_SCHEDULE = (f"schedule.{name}" for name in ("minute", "hour", "day_of_month", "month", "day_of_week"))
_INFERRED_FIELDS = {
    ("/admins", "is_main_admin"): "documented or public on creation; inferred for a change",
    ("/domains", "dkim_selector"): _ANSWER,
    ("/domains", "create_www_subdomain"): "public (version 1 of the API)",
    ("/directory-protections", "exceptions"): _ANSWER,
    ("/scheduled-tasks", "id_user"): "inferred",
    ("/scheduled-tasks", "is_enabled"): "inferred from the panel's own form",
    **{
        ("/scheduled-tasks", name): _ANSWER
        for name in ("description", "type", "command", "php_interpreter", *_SCHEDULE)
    },
}
_SEEN = {"read": "reading", "write": "writing", "asked": "asking, only if told to", "never": "nothing"}
_DETAILS = ("resources", "stats", "traffic")
_BY_ID_INSTEAD = "`panel_api`; the modules change and delete by id"


def _caller(method: str, path: str, tables: dict[str, Any]) -> str:
    """What of the collection calls a path."""
    parts = path.strip("/").split("/")
    first, last = parts[0], parts[-1]
    if first in _SINGLE:
        return _SINGLE[first][method != "GET"]
    if last in _DETAILS:
        return "`panel_api`" if "/name/" in path else f"`panel_client_info` `include: [{last}]`"
    module = tables[f"/{first}"].module
    if method == "GET":
        return f"`{module}`, `{module}_info`"
    return _BY_ID_INSTEAD if last == "{name}" else f"`{module}`"


def _fields(rows: Any) -> Iterator[tuple[str, str]]:
    """(field of the API, option) of every row of a table."""
    for path, row in (leaf for one in rows for leaf in one.leaves()):
        name = ".".join(path)
        by_name = f"`{'.'.join((*path[:-1], row.option))}` (name) or " if row.collection else ""
        yield name, f"{by_name}`{name}`"


def page() -> str:
    """The whole page."""
    make_importable()
    routes = importlib.import_module("panel_simulator.answering").ROUTES

    kinds = importlib.import_module(REGISTRY).TABLES.values()
    tables = {kind.path: kind for kind in sorted(kinds, key=lambda kind: str(kind.plural))}
    lines = [
        "# API coverage",
        "",
        "This page lists every call and field of the API, and how well each is known.",
        "",
        "- *Documented*: in version 2.15 of the API description.",
        "- *Public*: in public documentation or in working public clients.",
        "- *Inferred*: by analogy only. Nothing proves it.",
        "",
        "The [verified panels](../README.md#verified-panels) are the live panels on which the collection was checked.",
        "",
        "## Calls",
        "",
        "| Call | Used by | Confidence |",
        "| --- | --- | --- |",
    ]
    for route in routes:
        source = "documented" if route.is_documented else "inferred"
        note = f". {route.note}" if route.note else ""
        lines.append(
            f"| `{route.method} {route.path}` | {_caller(route.method, route.path, tables)} | {source}{note} |"
        )
    lines += [
        "",
        "The description names backups and the ban list, but no calls for them.",
        "",
        "## Fields",
        "",
        "| Type | Field | Option | Confidence |",
        "| --- | --- | --- | --- |",
    ]
    for path, kind in tables.items():
        for name, option in _fields((*kind.key, *kind.rows)):
            confidence = _INFERRED_FIELDS.get((path, name), "documented or public")
            lines.append(f"| {kind.title} | `{name}` | {option} | {confidence} |")
    return "\n".join([*lines, "", *_open_points()]) + "\n"


def _open_points() -> list[str]:
    """What the interface leaves open, from the table that the simulator and `panel_verify` read."""
    points = importlib.import_module("panel_simulator.settings").POINTS

    lines = [
        "## Open points",
        "",
        "The API description leaves these points open. The playbook `hosting.panel.verify` shows what your panel does.",
        "",
        "| Point | What is open | Source of the default | Confidence | Found by | Matters to |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for point in points.values():
        found_by, matters = _SEEN[point.seen], ", ".join(point.depends)
        cells = (f"`{point.name}`", point.about, point.source, point.confidence, found_by, matters)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "### If your panel differs",
        "",
        "The first value of each point is the one that the collection expects.",
        "",
        "| Point | Value | Meaning |",
        "| --- | --- | --- |",
    ]
    for point in points.values():
        lines.append(f"| `{point.name}` | {_value(point.default)} | expected |")
        lines += [f"| `{point.name}` | {_value(value)} | {point.meaning(value)} |" for value in point.tried]
    return lines


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f"`{text}`".replace("|", "\\|")
