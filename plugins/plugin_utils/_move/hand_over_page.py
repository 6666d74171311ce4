# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over page of a move: what was made, what remains, and in which order. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._secrets.terminal import on_one_line
from ...module_utils._values.sizes import size_text
from .._run.own_files import OwnFiles

PAGES = OwnFiles("hand-over page", re.compile("# Move of "))
FACTS = OwnFiles("data of a hand-over page", re.compile(r'\s*\{\s*"client":.*,\s*"source":'))
"""The JSON file beside it."""
_MARKS = re.compile(r"([\\`*_\[\]|~#])")


def remaining(details: Mapping[str, Any], without_key: Mapping[str, list[str]]) -> dict[str, Any]:
    """What no panel's API can copy. details: the client of the source with ``resources`` and ``stats``, as ``panel_client_info`` returns it."""
    resources, stats = details.get("resources") or {}, details.get("stats") or {}
    return {
        "files": {
            "disk_space": (stats.get("disk_space") or {}).get("value"),
            "count": (stats.get("files") or {}).get("value"),
            "folders": _folders(resources),
        },
        "mails": _sized(resources.get("emails"), "email"),
        "databases": _sized(resources.get("databases"), "database_name"),
        "private_keys": [{"certificate": name, "domains": domains} for name, domains in without_key.items()],
    }


def page_of(facts: Mapping[str, Any]) -> str:
    """The page in Markdown. facts: as ``panel_client_compare`` returns them in ``hand_over``; texts in them are from the panels."""
    lines = [
        f"# Move of {_text(facts['client'])} from {_text(facts['source'])} to {_text(facts['target'])}",
        "",
        f"As of {_text(facts['at'])}.",
        "",
        "## State",
        "",
    ]
    differences = facts["differences"]
    heading = f"{len(differences)} difference{'' if len(differences) == 1 else 's'} between both panels:"
    lines += _items(differences, heading, "Both panels are equal.")
    lines += _items(
        facts["only_on_target"],
        "On the target only, which does not stand against the move:",
        "Nothing is on the target only.",
    )
    if facts["suspended"]:
        lines += [f"The client is suspended on the {' and on the '.join(facts['suspended'])}.", ""]
    lines += ["## Made on the target", "", "| kind | objects |", "| --- | --- |"]
    lines += [f"| {kind} | {', '.join(map(_text, names))} |" for kind, names in facts["made"].items()]
    lines += ["", "## Passwords", "", *_passwords(facts), "", "## What remains to be copied", ""]
    lines += [*_remaining(facts["remaining"]), "", "## Next steps", ""]
    lines += [f"{number}. {step}" for number, step in enumerate(next_steps(facts), start=1)]
    return "\n".join(lines) + "\n"


def next_steps(facts: Mapping[str, Any]) -> list[str]:
    """What to do now, in the order in which it has to be done, in Markdown."""
    client, remains = _text(facts["client"]), facts["remaining"]
    steps = []
    if facts["differences"]:
        steps.append(
            "Look at the differences above, correct on the source what cannot be copied, and run the step `copy` again until there are none."
        )
    steps.append(
        "Copy the files and the contents of the databases, and try the websites on the target with a line in your own hosts file."
    )
    if remains["private_keys"]:
        names = ", ".join(_text(entry["certificate"]) for entry in remains["private_keys"])
        steps.append(
            f"Bring {names} with the private keys to the target, under the same names, and run `copy` again: it gives them to their domains."
        )
    steps.append(
        "Give the customer the new passwords, and put those of databases into the configuration of the applications."
    )
    steps.append("Copy the mails once, and again after the switch, since some arrive at the source meanwhile.")
    domains = ", ".join(map(_text, facts["main_domains"])) or "none"
    if facts["name_servers"]:
        steps.append(
            f"See that the name servers in zones on the target are the right ones: {', '.join(map(_text, facts['name_servers']))}. "
            "`move_names` replaces them."
        )
    wait = f" At least {facts['wait']} seconds must have passed since the step `prepare`." if facts["wait"] else ""
    steps.append(f"Switch the name servers, or the records where DNS is elsewhere, of: {domains}.{wait}")
    if facts["lets_encrypt"]:
        steps.append(
            f"Let's Encrypt gives certificates only after the switch: look at {', '.join(map(_text, facts['lets_encrypt']))} then."
        )
    if facts["held_tasks"]:
        steps.append(
            "Switch the scheduled tasks off on the source, and on with `copy` and `move_enable_tasks: true` on the target."
        )
    if facts["lowered"]:
        steps.append(
            f"Raise the times to live of {', '.join(map(_text, facts['lowered']))} again, on the target; what they were is in "
            f"{_text(facts['zones_file'])}."
        )
    steps.append("Run the step `verify` once more: it names what was made or changed on the source meanwhile.")
    steps.append(
        f"After a week or so, suspend {client} on the source with the role `hosting.panel.offboard`, and delete it there later."
    )
    return steps


def _size(value: Any) -> str:
    """What a panel says of a size, for people."""
    is_known = isinstance(value, (int, float)) and not isinstance(value, bool)
    # A plain space, since the page is searched as a text too.
    return size_text(value).replace("\u00a0", " ") if is_known else "size unknown"


def _folders(resources: Mapping[str, Any]) -> list[str]:
    targets = [(domain.get("target") or {}).get("target") for domain in resources.get("domains") or ()]
    homes = [user.get("home_directory") for user in resources.get("ftp_users") or ()]
    return sorted({str(folder) for folder in [*targets, *homes] if str(folder or "").startswith("/")})


def _sized(items: Iterable[Mapping[str, Any]] | None, name: str) -> list[dict[str, Any]]:
    return [{"name": str(item.get(name)), "size": item.get("size")} for item in items or ()]


def _items(texts: list[str], heading: str, otherwise: str) -> list[str]:
    return [heading, "", *(f"- {_text(text)}" for text in texts), ""] if texts else [otherwise, ""]


def _passwords(facts: Mapping[str, Any]) -> list[str]:
    lines = ["No panel shows a password, so accounts on the target have new ones, or those that were given."]
    if facts["credentials_file"]:
        lines.append(f"The new ones are in {_text(facts['credentials_file'])}, which `ansible-vault view` shows.")
    if facts["without_password"]:
        lines.append(
            f"Nobody knows those of {', '.join(map(_text, facts['without_password']))}: set them with `regenerate_password: true`."
        )
    return lines


def _remaining(remains: Mapping[str, Any]) -> list[str]:
    files = remains["files"]
    count = f" in {files['count']} files" if isinstance(files["count"], int) else ""
    lines = [
        f"- Files: {_size(files['disk_space'])}{count} in all; folders {', '.join(map(_text, files['folders'])) or 'unknown'}."
    ]
    lines += [f"- Mails of {_text(entry['name'])}: {_size(entry['size'])}." for entry in remains["mails"]]
    lines += [
        f"- Content of the database {_text(entry['name'])}: {_size(entry['size'])}." for entry in remains["databases"]
    ]
    for entry in remains["private_keys"]:
        users = ", ".join(map(_text, entry["domains"])) or "no domain"
        lines.append(f"- Certificate {_text(entry['certificate'])} with its private key, used by {users}.")
    return lines


def _text(value: Any) -> str:
    """A text of a panel that is nothing but text in Markdown, on one line."""
    line = on_one_line(" ".join(str(value).split()))
    return _MARKS.sub(r"\\\1", line).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
