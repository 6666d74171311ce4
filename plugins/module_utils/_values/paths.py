# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories of a client. Private to the collection."""

from __future__ import annotations

from typing import Any

from .names import composed
from .value_types import ValueType


class Directory(ValueType):
    """A directory below the client's own; sent as it is written. Slashes at both ends and repeated ones have no meaning."""

    def __init__(self, example: str) -> None:
        self.form = f"a directory such as {example}, without .. in it"

    def parse(self, value: Any) -> str:
        if isinstance(value, (dict, list, bool)):
            raise ValueError
        text = str(value).strip()
        if not text or ".." in text.split("/"):
            raise ValueError
        return text

    def comparable(self, value: Any) -> Any:
        return "/".join(part for part in composed(value).split("/") if part) if isinstance(value, str) else value

    def written(self, shown: Any) -> str:
        """A panel may show a slash at the end that nobody writes."""
        return f"/{self.comparable(shown)}"
