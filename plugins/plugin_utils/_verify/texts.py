# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of what it found: lines, Markdown, and the profile. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .verdicts import CONFIRMED, CONTRADICTED, SKIPPED, UNKNOWN

WORDS = {
    CONFIRMED: "as taken for granted",
    CONTRADICTED: "otherwise",
    UNKNOWN: "could not be seen",
    SKIPPED: "was not tried",
}
# What a confirmed point was known from before.
_SURE = {
    "documented": "as documented",
    "public": "as public clients show",
    "inferred": "as inferred",
    "unknown": "as guessed",
}
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")


def version_of(server: Mapping[str, Any]) -> str:
    """The panel's version where it is no more than that; empty otherwise."""
    meta = server.get("meta")
    version = str(meta.get("panel_version", "")) if isinstance(meta, Mapping) else ""
    return version if _VERSION.fullmatch(version) else ""


def lines(checks: Sequence[Mapping[str, Any]], more: Sequence[str]) -> list[str]:
    """For a person: what is otherwise, one line each, then how many are what."""
    found = [f"otherwise: {_said(check)}" for check in checks if check["verdict"] == CONTRADICTED]
    unseen = [check["id"] for check in checks if check["verdict"] == UNKNOWN]
    if unseen:
        found.append(f"could not be seen: {', '.join(unseen)}")
    return [*found, *_counts(checks), *more]


def _counts(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    confirmed = [check["confidence"] for check in checks if check["verdict"] == CONFIRMED]
    counts = [f"{confirmed.count(word)} {words}" for word, words in _SURE.items() if word in confirmed]
    numbers = {
        verdict: sum(check["verdict"] == verdict for check in checks) for verdict in (CONTRADICTED, UNKNOWN, SKIPPED)
    }
    counts += [f"{numbers[CONTRADICTED]} otherwise"]
    counts += [
        f"{number} {WORDS[verdict]}" for verdict, number in numbers.items() if number and verdict != CONTRADICTED
    ]
    return [f"of {len(checks)} open points: {', '.join(counts)}"]


def _said(check: Mapping[str, Any]) -> str:
    means = f" {check['means']}" if check["means"] else ""
    return f"{check['id']}: {check['about']}: {shown(check['found'])}, not {shown(check['expected'])}.{means}"


def shown(value: Any) -> str:
    """A value of a point on one line."""
    if isinstance(value, str):
        return value
    if not value and not isinstance(value, int):
        return "none"
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)
    return text.strip().removesuffix("\n...")


def profile_text(profile: Mapping[str, Any], version: str) -> str:
    """What ``panel_simulator --profile`` takes."""
    what = f"a panel of version {version}" if version else "a panel"
    head = f"# What {what} does otherwise than panel_simulator by itself; written by hosting.panel.verify.\n"
    return head + (
        yaml.safe_dump(dict(profile), sort_keys=False, default_flow_style=False, width=120) if profile else "{}\n"
    )


def page(
    checks: Sequence[Mapping[str, Any]], version: str, end: Sequence[str], compared: Mapping[str, Any] | None
) -> str:
    """The same as a table in Markdown. end: what was left, and whether it was interrupted. compared: with the panel's own description."""
    parts = [
        "# What this panel does\n",
        f"Panel version: {version or 'not told'}. Written by `hosting.panel.verify`; it holds no secret, and nothing of customers.\n",
        *([*(f"**{line}**" for line in end), ""] if end else []),
        "| point | verdict | expected | found | what it means | matters for |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for check in checks:
        verdict = _SURE[check["confidence"]] if check["verdict"] == CONFIRMED else WORDS[check["verdict"]]
        found = "" if check["found"] is None else f"`{shown(check['found'])}`"
        cells = (
            f"`{check['id']}`: {check['about']}",
            verdict,
            f"`{shown(check['expected'])}`",
            found,
            check["means"],
            ", ".join(check["affects"]),
        )
        parts.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*parts, *_compared(compared)]) + "\n"


def _compared(compared: Mapping[str, Any] | None) -> list[str]:
    if compared is None:
        return []
    found = ["", "## Compared with the panel's own description", ""]
    for words, names in compared_lines(compared).items():
        found.append(f"- {words}: {', '.join(f'`{name}`' for name in names) or 'none'}")
    return found


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
