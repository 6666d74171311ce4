"""docs/api-coverage.md, from the simulator's tables of paths and open points, and the collection's tables of members."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

REGISTRY = "ansible_collections.hosting.panel.plugins.module_utils._kinds.registry"
GRID = "tests/unit/test_behaviours.py"
DNS_TEST = "tests/unit/plugins/modules/test_panel_dns.py"
MODULES_TEST = "tests/unit/test_single_calls.py"
READ_TEST = "tests/unit/test_every_kind.py"

# What has no table of a kind: (method, path without the form) -> (what calls it, the test).
_SINGLE = {
    ("GET", "/server"): ("`panel_server_info`", MODULES_TEST),
    ("POST", "/server/reboot"): ("`panel_reboot`", MODULES_TEST),
    ("GET", "/ping"): ("`panel_ping`; `panel_reboot` while it waits", MODULES_TEST),
    ("GET", "/login/{id}"): ("`panel_login_info` `id`; lookup `panel_login_url`", MODULES_TEST),
    ("GET", "/login/name/{name}"): ("`panel_login_info` `username`; lookup `panel_login_url`", MODULES_TEST),
    ("GET", "/dns/{id}"): ("`panel_dns` `id`; `panel_dns_info` `id`", DNS_TEST),
    ("GET", "/dns/name/{name}"): ("`panel_dns` `domain`; `panel_dns_info` `domain`, or without a key", DNS_TEST),
    ("PUT", "/dns/{id}"): ("`panel_dns` `id` with `records`, `soa` or `is_dns_disabled`", DNS_TEST),
    ("PUT", "/dns/name/{name}"): ("`panel_dns` `domain` with `records`, `soa` or `is_dns_disabled`", DNS_TEST),
    ("DELETE", "/dns/{id}"): ("`panel_dns` `id` with `state: default`", DNS_TEST),
    ("DELETE", "/dns/name/{name}"): ("`panel_dns` `domain` with `state: default`", DNS_TEST),
}
# Members that no description and no working client shows as writable, with what is known of them.
_INFERRED_MEMBERS = {
    ("/admins", "is_main_admin"): "documented or public on creation; inferred for a change",
    ("/domains", "dkim_selector"): "public as an answer; that it can be written is inferred",
    ("/domains", "create_www_subdomain"): "public (version 1 of the API)",
    ("/directory-protections", "exceptions"): "public as an answer; that it can be written is inferred",
    ("/scheduled-tasks", "id_user"): "inferred",
    ("/scheduled-tasks", "is_enabled"): "inferred from the panel's own form",
    ("/scheduled-tasks", "description"): "public as an answer; that it can be written is inferred",
    ("/scheduled-tasks", "type"): "public as an answer; that it can be written is inferred",
    ("/scheduled-tasks", "command"): "public as an answer; that it can be written is inferred",
    ("/scheduled-tasks", "php_interpreter"): "public as an answer; that it can be written is inferred",
    **{
        ("/scheduled-tasks", f"schedule.{name}"): "public as an answer; that it can be written is inferred"
        for name in ("minute", "hour", "day_of_month", "month", "day_of_week")
    },
}
_SEEN = {"read": "reading", "write": "writing", "asked": "asking, only if told to", "never": "nothing"}
_DETAILS = ("resources", "stats", "traffic")
_BY_ID_INSTEAD = "`panel_api`; the modules change and delete by id, so that a repeated request cannot meet another object of that name"


def kinds() -> list[Any]:
    """The tables of all kinds, in the order of their names."""
    return sorted(importlib.import_module(REGISTRY).TABLES.values(), key=lambda kind: str(kind.plural))


def _caller(row: dict[str, str], tables: dict[str, Any]) -> tuple[str, str]:
    """What of the collection calls a path, and the test that sees it."""
    method, path = row["method"], row["path"]
    if (method, path) in _SINGLE:
        return _SINGLE[method, path]
    *_first, last = path.split("/")
    if last in _DETAILS:
        if "/name/" in path:
            return f"`panel_api`; `panel_client_info` `include: [{last}]` asks by id", READ_TEST
        return f"`panel_client_info` `include: [{last}]`" + (", `month`" if last == "traffic" else ""), READ_TEST
    kind = tables["/" + path.split("/")[1]]
    module, key = f"`{kind.module}`", ", ".join(f"`{row.name}`" for row in kind.key)
    info = f"`{kind.module}_info`"
    if last == "{id}":
        by_id = {
            "GET": f"{module} `id`; {info} `id`",
            "PUT": f"{module}, changed options",
            "DELETE": f"{module} `state: absent`",
        }
        return by_id[method], GRID
    if last == "{name}":
        return (f"{module} {key}; {info} {key}", GRID) if method == "GET" else (_BY_ID_INSTEAD, MODULES_TEST)
    if method == "POST":
        return f"{module} `state: present`", GRID
    found = "" if kind.by_name else f"{module}, to find {key}; "
    sorting = ", `sort`, `order`" if kind.sorts else ""
    filters = ", `main_domains`, `subdomains`, `system_domains`" if kind.plural == "domains" else ""
    return f"{found}{info} without a key{sorting}{filters}", READ_TEST if kind.by_name else GRID


def _members(rows: Any) -> Iterator[tuple[str, str]]:
    """(member of the API, option) of every row of a table."""
    for path, row in (leaf for one in rows for leaf in one.leaves()):
        member = ".".join(path)
        by_name = f"`{'.'.join((*path[:-1], row.option))}` (name) or " if row.refers_to else ""
        yield member, f"{by_name}`{member}`"


def page() -> str:
    """The whole page."""
    from panel_simulator.coverage import path_rows

    tables = {kind.path: kind for kind in kinds()}
    lines = [
        "<!-- Written by tools/api_coverage.py; change that, not this page. -->",
        "# What of the API is covered, and how sure it is",
        "",
        "*Documented*: in the description 2.15 of the API. *Public*: names that public documentation or working public clients show. *Inferred*: by",
        "analogy, not proven by anything; such parts are marked in the simulator too.",
        "What was tried on live panels stands in the table of [verified panels](../README.md#verified-panels).",
        "",
        "## Calls",
        "",
        "| call | what of the collection | confidence | note | test |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in path_rows():
        caller, test = _caller(row, tables)
        lines.append(f"| `{row['method']} {row['path']}` | {caller} | {row['source']} | {row['note']} | `{test}` |")
    lines += [
        "",
        "Backups and the ban list appear in the description by name only; there is nothing that could be called.",
        "",
        "## Members",
        "",
        "Every option reaches the wire under the name of its member; the test asserts the body that is sent.",
        "",
        "| kind | member | option | confidence | test |",
        "| --- | --- | --- | --- | --- |",
    ]
    for path, kind in tables.items():
        for member, option in _members((*kind.key, *kind.rows)):
            confidence = _INFERRED_MEMBERS.get((path, member), "documented or public")
            lines.append(f"| {kind.title} | `{member}` | {option} | {confidence} | `{GRID}` |")
    return "\n".join([*lines, "", *_open_points()]) + "\n"


def _open_points() -> list[str]:
    """What the interface leaves open, from the table that the simulator and `panel_verify` read."""
    from panel_simulator.open_points import POINTS

    lines = [
        "## What the interface leaves open",
        "",
        "The table `roles/simulator/files/panel_simulator/open_points.yml` as a page. The first value is what the collection takes for granted.",
        "`panel_simulator --profile` is a panel that has others. *Unknown*: no source says anything.",
        "",
        "| point | what is open | source of the default | confidence | seen by | matters to |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for point in POINTS.values():
        cells = (
            f"`{point.name}`",
            point.about,
            point.source,
            point.confidence,
            _SEEN[point.seen],
            ", ".join(point.depends),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "What it means where a panel does otherwise:",
        "",
        "| point | value | what it means |",
        "| --- | --- | --- |",
    ]
    for point in POINTS.values():
        lines.append(f"| `{point.name}` | {_value(point.default)} | the default |")
        lines += [f"| `{point.name}` | {_value(value)} | {point.meaning(value)} |" for value in point.tried]
    return lines


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f"`{text}`".replace("|", "\\|")
