# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as a module gets them through JSON. Private to the collection."""

from __future__ import annotations

import datetime
import json
from typing import Any


def plain(value: Any) -> Any:
    """Plain values without the marks by which Ansible knows where they come from, secrets decrypted."""
    return json.loads(json.dumps(value, default=_plain_leaf))


def _plain_leaf(value: Any) -> str:
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else str(value)
