# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether something of a request has left this machine. Private to the collection.

What fails after that moment may have had its effect, whatever the exception is called.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Sending(threading.local):
    """The request of this thread. has_begun: its first byte was handed to the system."""

    is_under_way = False
    has_begun = False

    @contextlib.contextmanager
    def one_request(self) -> Iterator[None]:
        self.is_under_way, self.has_begun = True, False
        try:
            yield
        finally:
            self.is_under_way = False


SENDING = Sending()
