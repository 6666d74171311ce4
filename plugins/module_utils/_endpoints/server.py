# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says about its server. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kinds.registry import SERVER_BLOCKS
from .._object.objects import checked_object
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task

PATH = "/server"


def _read(_params: Mapping[str, Any], task: Task) -> Outcome:
    return Outcome(
        changed=False, result={"server": without_secrets(checked_object(task.client.get(PATH), PATH, SERVER_BLOCKS))}
    )


# The query parameters that select blocks are not shown by the interface, so everything is asked for.
SERVER = Operation(options={}, run=_read)
