# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Months as the panel names them. Pure. Private to the collection."""

from __future__ import annotations

import datetime


def months_until(day: datetime.date, count: int) -> list[str]:
    """So many months as YYYY-MM (facts.md section 4.3), the last of them the one of the day."""
    last = day.year * 12 + day.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - count + 1, last + 1)]
