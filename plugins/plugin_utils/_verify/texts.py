# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of what it found: lines, Markdown, and the profile. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from .._run.own_files import OwnFiles
from .points import Point
from .verdicts import CONFIRMED, CONTRADICTED, SKIPPED, UNKNOWN

WORDS = {
    CONTRADICTED: "otherwise",
    UNKNOWN: "could not be seen",
    SKIPPED: "not tried",
}
# What a confirmed point was known from before.
_SURE = {
    "documented": "as documented",
    "public": "as public clients show",
    "inferred": "as inferred",
    "unknown": "as guessed",
}
# How a point that was not tried is tried.
_HOW = {"read": "by reading", "write": "tried with writes", "asked": "with wrong_key", "never": "never"}
# The columns of the README's table.
VERIFIED = ("panel version", "collection", "points seen", "otherwise", "day", "by whom")
# The panels of the year from which the description is.
_DESCRIBED = "26"
_MOST_NAMES = 10
_NOT_FINISHED = "**Not finished: run it again for the rest, and for a row of the table of verified panels.**\n"
_SAFE = "it holds no secret, and nothing of customers."
PAGES = OwnFiles("page of a verify", re.compile("# What this panel does\n"))
PROFILES = OwnFiles("profile of a verify", re.compile("# What a panel .*; written by hosting.panel.verify, "))
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")


def version_of(server: Mapping[str, Any]) -> str:
    """The panel's version where it is no more than that; empty otherwise."""
    meta = server.get("meta")
    version = str(meta.get("panel_version", "")) if isinstance(meta, Mapping) else ""
    return version if _VERSION.fullmatch(version) else ""


def version_line(version: str) -> str:
    """What is to be known of a panel of another time than the description; empty for one of the same, or where it is not told."""
    if version.partition(".")[0] in ("", _DESCRIBED):
        return ""
    return (
        f"The panel is version {version}, and the collection is made for the API 2.15, which panels {_DESCRIBED} have: there may be more that is "
        "otherwise than the points below"
    )


def lines(checks: Sequence[Mapping[str, Any]], points: Mapping[str, Point], more: Sequence[str]) -> list[str]:
    """For a person: the short table, then what else is to be known."""
    rows = short_table(checks, points)
    first, second = (max(len(row[column]) for row in rows) + 2 for column in (0, 1))
    return [*(f"{row[0]:<{first}}{row[1]:<{second}}{row[2]}".rstrip() for row in rows), *more]


def short_table(checks: Sequence[Mapping[str, Any]], points: Mapping[str, Point]) -> list[tuple[str, str, str]]:
    """Verdict, point or number of points, and what it means: one row for each that is otherwise, then one for each verdict, the worst first."""
    rows = [(WORDS[CONTRADICTED], check["id"], _said(check)) for check in checks if check["verdict"] == CONTRADICTED]
    unseen = [_with_reason(check) for check in checks if check["verdict"] == UNKNOWN]
    confirmed = [check["confidence"] for check in checks if check["verdict"] == CONFIRMED]
    skipped = [points[check["id"]].seen for check in checks if check["verdict"] == SKIPPED]
    rows += [(WORDS[UNKNOWN], _counted(len(unseen)), ", ".join(unseen))] if unseen else []
    rows += [(words, _counted(confirmed.count(one)), "") for one, words in reversed(_SURE.items()) if one in confirmed]
    tried = ", ".join(f"{how}: {skipped.count(one)}" for one, how in _HOW.items() if one in skipped)
    rows += [(WORDS[SKIPPED], _counted(len(skipped)), tried)] if skipped else []
    return rows


def _with_reason(check: Mapping[str, Any]) -> str:
    return f"{check['id']} ({check['means'].rstrip('.')})" if check["means"] else check["id"]


def _counted(number: int) -> str:
    return f"{number} point{'s' if number != 1 else ''}"


def _said(check: Mapping[str, Any]) -> str:
    return f"{check['about']}: {shown(check['found'])} instead of {shown(check['expected'])}. {check['means']}".strip()


def shown(value: Any) -> str:
    """A value of a point on one line."""
    if isinstance(value, str):
        return value
    if not value and not isinstance(value, int):
        return "none"
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)
    return text.strip().removesuffix("\n...")


def extent_line(checks: Sequence[Mapping[str, Any]], was_finished: bool) -> str:
    """How much of the points was seen, as both files say it."""
    return f"which {'' if was_finished else 'was not finished, and '}saw {_number_seen(checks)} of {len(checks)} points"


def _number_seen(checks: Sequence[Mapping[str, Any]]) -> int:
    return sum(check["verdict"] in (CONFIRMED, CONTRADICTED) for check in checks)


def profile_text(profile: Mapping[str, Any], version: str, saw: str) -> str:
    """What ``panel_simulator --profile`` takes. saw: from ``extent_line``."""
    what = f"a panel of version {version}" if version else "a panel"
    head = f"# What {what} does otherwise than panel_simulator by itself; written by hosting.panel.verify, {saw}.\n"
    return head + (
        yaml.safe_dump(dict(profile), sort_keys=False, default_flow_style=False, width=120) if profile else "{}\n"
    )


def page(
    checks: Sequence[Mapping[str, Any]],
    points: Mapping[str, Point],
    version: str,
    collection: str,
    end: Sequence[str],
    compared: Mapping[str, Any] | None,
    was_finished: bool = True,
) -> str:
    """The same in Markdown. collection: its name and version. end: what was left, and whether it was interrupted. compared: with the panel's
    own description.
    """
    short = [
        (words, f"`{many}`" if many in points else many, said) for words, many, said in short_table(checks, points)
    ]
    parts = [
        "# What this panel does\n",
        *([] if was_finished else [_NOT_FINISHED]),
        f"Panel version: {version or 'not told'}. Written by `hosting.panel.verify` of {collection}, {extent_line(checks, was_finished)}; {_SAFE}\n",
        *([*(f"**{line}**" for line in end), ""] if end else []),
        *_table(("verdict", "point", "what it means for you"), short),
        "\n## All points\n",
        *_table(("point", "verdict", "expected", "found", "what it means", "matters for"), map(_row, checks)),
    ]
    return (
        "\n".join([*parts, *_compared(compared), *(_for_others(checks, version, collection) if was_finished else [])])
        + "\n"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    every = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in every]


def _row(check: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"`{check['id']}`: {check['about']}",
        _SURE[check["confidence"]] if check["verdict"] == CONFIRMED else WORDS[check["verdict"]],
        f"`{shown(check['expected'])}`",
        "" if check["found"] is None else f"`{shown(check['found'])}`",
        check["means"],
        ", ".join(check["affects"]),
    )


def _for_others(checks: Sequence[Mapping[str, Any]], version: str, collection: str) -> list[str]:
    """The row of the table in the README, without the day and the name."""
    names = ", ".join(check["id"] for check in checks if check["verdict"] == CONTRADICTED)
    seen = f"{_number_seen(checks)} of {len(checks)}"
    row = (version or "not told", collection, seen, names or "nothing", "", "")
    return ["", "## For the table of verified panels in the README", "", *_table(VERIFIED, [row])]


def _compared(compared: Mapping[str, Any] | None) -> list[str]:
    if compared is None:
        return []
    found = ["", "## Compared with the panel's own description", ""]
    for words, names in compared_lines(compared).items():
        found.append(f"- {words}: {', '.join(f'`{name}`' for name in names) or 'none'}")
    return found


def shortened(names: Sequence[str]) -> str:
    """For the screen; the page has them all."""
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {more} more"] if more > 0 else [])])


def compared_lines(compared: Mapping[str, Any]) -> dict[str, list[str]]:
    """What the comparison found, by words for it."""
    members = compared["members"]
    otherwise = [f"{one['member']}: {one['found']}, not {one['expected']}" for one in members["otherwise"]]
    found = {
        "paths that the collection does not know": compared["paths"]["new"],
        "paths that the description does not have": compared["paths"]["gone"],
        "members that the collection does not know": members["new"],
        "members that the description does not have": members["gone"],
        "members of another type or with other values": otherwise,
    }
    if compared["untold"]:
        found["names that are not told, since they are none of the usual form"] = [str(compared["untold"])]
    return {words: list(names) for words, names in found.items()}
