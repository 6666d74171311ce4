# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with mailboxes. Private to the collection."""

from __future__ import annotations

from typing import Any

from ...module_utils._http.repeats import Fault
from .evidence import number
from .observations import OTHERWISE
from .trials import Trying, trial

HASH = "$6$hostingpanelverif$" + "." * 86


@trial
def duplicates(do: Trying) -> Any:
    """A panel may also call it a failure of its own."""
    name = do.has["mailbox"].name
    body = {"id_user": do.has["client"].number, "email": name}
    again, reply = do.objects.make("emails", f"{name} again", body)
    if again is not None:
        do.objects.drop(again)
        return OTHERWISE
    return reply.status if do.seen.is_objection(reply) or reply.fault is Fault.FAILED else None


@trial
def unlimited_size(do: Trying) -> Any:
    return do.accepted("mailbox", {"max_size": -1}, "unlimited", "refused")


@trial
def max_size_zero(do: Trying) -> Any:
    reply = do.change("mailbox", {"max_size": 0})
    if not reply.is_done:
        return "refused" if do.refuses("mailbox", reply) else None
    size = number(do.show("mailbox").get("max_size"))
    return None if size is None else {0: "kept", -1: "unlimited"}.get(size, OTHERWISE)


@trial
def password_hashes(do: Trying) -> Any:
    reply = do.change("mailbox", {"password_hash": HASH})
    if not reply.is_done:
        return "refused" if do.refuses("mailbox", reply) else None
    shown = do.show("mailbox")
    return None if not shown else "written_and_shown" if shown.get("password_hash") else "written"
