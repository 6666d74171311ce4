# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long an option may let a task wait. Private to the collection."""

from __future__ import annotations

from .._errors import OptionError

# A day: what is much longer than that is more than the operating system can wait for.
_MOST = 86400


def check_seconds(option: str, value: int, least: int) -> None:
    """Raises OptionError where the time is too short or too long."""
    if not least <= value <= _MOST:
        raise OptionError(option, f"must be {least} to {_MOST} seconds, not {value}.")
