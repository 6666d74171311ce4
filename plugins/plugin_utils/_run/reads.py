# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file that reads a panel needs of whoever runs its modules. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Reads(Protocol):
    """Runs an info module and returns a member of its result; raises where the module fails."""

    def succeed(self, module: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """All of the module's result."""

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:
        """The member of the module's result."""
