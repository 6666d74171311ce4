# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the mail DNS of a domain, and what would be right. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._values.names import in_letters

# Mail is lost, or everybody may forge it; it is weak, or works by luck; it is right and could be stricter.
BAD, NEAR, HINT = "bad", "near", "fine"
SPF, DKIM, DMARC, MX = "spf", "dkim", "dmarc", "mx"
ABOUT = (SPF, DKIM, DMARC, MX)
_LONGEST = 120

Record = dict[str, str]  # host, type and value, as panel_dns takes them


@dataclass(frozen=True)
class Finding:
    """One thing to mend.

    problem: one word for programs. message: what is wrong. advice: what to do. record: what is to be set, None where nobody but the owner
    can know it. replaces: the records that have to go for it.
    """

    about: str
    problem: str
    level: str
    message: str
    advice: str
    record: Record | None = None
    replaces: tuple[Record, ...] = ()

    def shown(self) -> dict[str, Any]:
        return {
            "about": self.about,
            "problem": self.problem,
            "level": self.level,
            "message": self.message,
            "advice": self.advice,
            "record": self.record,
            "replaces": [dict(record) for record in self.replaces],
        }


def worst(findings: Iterable[Mapping[str, Any]]) -> str:
    """The level of a domain with these findings."""
    levels = {finding["level"] for finding in findings}
    return next((level for level in (BAD, NEAR) if level in levels), HINT)


def plain(text: str, longest: int = _LONGEST) -> str:
    """A piece of a zone in one line of what can be seen, for a message."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def named(name: str) -> str:
    """A name for a message, as people write it."""
    return plain(in_letters(name))
