"""The site's page on what of the API is covered, from the simulator's tables of paths and open points, and the collection's tables of fields."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

from tools.layout import make_importable

REGISTRY = "ansible_collections.hosting.panel.plugins.module_utils._kinds.registry"
PAGE = "docs/api-coverage.md"

# What has no table of a kind: (method, path without the form) -> what calls it.
_SINGLE = {
    ("GET", "/server"): "`panel_server_info`",
    ("POST", "/server/reboot"): "`panel_reboot`",
    ("GET", "/ping"): "`panel_ping`; `panel_reboot` while it waits",
    ("GET", "/login/{id}"): "`panel_login_info` `id`; lookup `panel_login_url`",
    ("GET", "/login/name/{name}"): "`panel_login_info` `username`; lookup `panel_login_url`",
    ("GET", "/dns/{id}"): "`panel_dns` `id`; `panel_dns_info` `id`",
    ("GET", "/dns/name/{name}"): "`panel_dns` `domain`; `panel_dns_info` `domain`, or without a key",
    ("PUT", "/dns/{id}"): "`panel_dns` `id` with `records`, `soa` or `is_dns_disabled`",
    ("PUT", "/dns/name/{name}"): "`panel_dns` `domain` with `records`, `soa` or `is_dns_disabled`",
    ("DELETE", "/dns/{id}"): "`panel_dns` `id` with `state: default`",
    ("DELETE", "/dns/name/{name}"): "`panel_dns` `domain` with `state: default`",
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
_BY_ID_INSTEAD = "`panel_api`; the modules change and delete by id, so that a repeated request cannot meet another object of that name"


def kinds() -> list[Any]:
    """The tables of all kinds, in the order of their names."""
    return sorted(importlib.import_module(REGISTRY).TABLES.values(), key=lambda kind: str(kind.plural))


def _caller(method: str, path: str, tables: dict[str, Any]) -> str:
    """What of the collection calls a path."""
    if (method, path) in _SINGLE:
        return _SINGLE[method, path]
    *_first, last = path.split("/")
    if last in _DETAILS:
        if "/name/" in path:
            return f"`panel_api`; `panel_client_info` `include: [{last}]` asks by id"
        return f"`panel_client_info` `include: [{last}]`" + (", `month`" if last == "traffic" else "")
    kind = tables["/" + path.split("/")[1]]
    module, key = f"`{kind.module}`", ", ".join(f"`{row.name}`" for row in kind.key)
    info = f"`{kind.module}_info`"
    if last == "{id}":
        return {
            "GET": f"{module} `id`; {info} `id`",
            "PUT": f"{module}, changed options",
            "DELETE": f"{module} `state: absent`",
        }[method]
    if last == "{name}":
        return f"{module} {key}; {info} {key}" if method == "GET" else _BY_ID_INSTEAD
    if method == "POST":
        return f"{module} `state: present`"
    found = "" if kind.by_name else f"{module}, to find {key}; "
    sorting = ", `sort`, `order`" if kind.sorts else ""
    filters = ", `main_domains`, `subdomains`, `system_domains`" if kind.plural == "domains" else ""
    return f"{found}{info} without a key{sorting}{filters}"


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

    tables = {kind.path: kind for kind in kinds()}
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
