# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report says, in a few lines for the run's output. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .report_words import counted

# By area: what is said of the bad ones, and of those that come near.
_AREAS = {
    "servers": ("not read or full", "with something to look at"),
    "limits": ("over or at a limit", "near a limit"),
    "mailboxes": ("full", "nearly full"),
    "certificates": ("ended or urgent", "ending soon"),
    "errors": ("in the state of error", ""),
    "duplicates": ("", "on several servers"),
    "drift": ("not compared", "different from the export"),
}
_NOUNS = {"limits": "client", "mailboxes": "mailbox", "duplicates": "name", "drift": "object", "errors": "object"}
_BAD_NOUNS = {"drift": "panel"}
_PLURALS = {"mailbox": "mailboxes"}


def lines(report: Mapping[str, Any]) -> list[str]:
    """The size of the fleet, and one line for each area that needs attention."""
    servers = report["servers"]
    read = sum(1 for server in servers if not server["failure"])
    found = [f"{read} of {counted(len(servers), 'server')} read, {counted(len(report['clients']), 'client')}"]
    for area, (bad, near) in _AREAS.items():
        counts = report["summary"][area]
        noun = _NOUNS.get(area, area[:-1])
        nouns = {"bad": _BAD_NOUNS.get(area, noun), "near": noun}
        parts = [
            f"{counted(counts[level], nouns[level], _PLURALS.get(noun, ''))} {said}"
            for level, said in (("bad", bad), ("near", near))
            if counts[level]
        ]
        if parts:
            found.append(f"{area}: {', '.join(parts)}")
    return found if len(found) > 1 else [*found, "nothing needs attention"]
