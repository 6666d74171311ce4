# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the tasks of a controller that write to one file of passwords wait for one another. Private to the collection."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator

from ...module_utils._errors import PanelError
from ...module_utils._task.locks import exclusive
from .credentials_file import CredentialsError

# A task holds the lock for as long as it writes to the panel; many objects on a slow one take their time.
_LONGEST = 3600.0


@contextlib.contextmanager
def turn_at(paths: Iterable[str]) -> Iterator[None]:
    """Only one task of this user is inside with any of these files. Raises CredentialsError, before anything was done.

    Files share 256 locks, so that a task with thousands of files does not run out of open ones; two that share one only wait longer.
    """
    names = sorted({hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:2] for path in paths})
    with contextlib.ExitStack() as stack:
        try:
            # In one order, so that no two tasks wait for each other.
            for name in names:
                stack.enter_context(exclusive(f"passwords {name}", "a file of passwords", _LONGEST))
        except PanelError as error:
            raise CredentialsError(error.message.replace(" Nothing was written.", "")) from None
        yield
