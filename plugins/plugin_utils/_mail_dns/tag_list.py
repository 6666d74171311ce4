# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of tags as DKIM and DMARC records have them (RFC 6376, section 3.2). Pure. Private to the collection."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .finding import plain

_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_VALUE = re.compile(r"[!-:<-~\s]*")


@dataclass(frozen=True)
class TagList:
    """tags: by name the value, in their order. mistakes: a few words about each part that is wrong. unread: those parts, blank ones left out."""

    tags: dict[str, str] = field(default_factory=dict)
    mistakes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The name of the first tag."""
        return next(iter(self.tags), "")


def read_tags(text: str) -> TagList:
    """The tags of a record, and what of it cannot be read."""
    tags: dict[str, str] = {}
    mistakes: list[str] = []
    unread: list[str] = []
    parts = text.split(";")
    for part in parts if parts[-1].strip() else parts[:-1]:
        match = _TAG.fullmatch(part)
        if match is None:
            mistakes.append(
                f"{plain(part.strip(), 40)} is no tag=value" if part.strip() else "nothing between two semicolons"
            )
        elif match[1] in tags:
            mistakes.append(f"{match[1]} is there twice")
        elif not _VALUE.fullmatch(match[2]):
            mistakes.append(f"{match[1]} has signs that no value may have")
        else:
            tags[match[1]] = match[2]
            continue
        unread += [part.strip()] if part.strip() else []
    return TagList(tags, tuple(mistakes), tuple(unread))
