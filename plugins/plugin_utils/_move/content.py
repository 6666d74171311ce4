# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists what the role content copies in a move.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._run.marked_texts import mark_texts

# What a client may fill itself; its home belongs to the server.
_DIRECTORIES = ("~/www", "~/files")


def list_content(resources: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the objects of the role content, by its lists.

    Args:
        resources: The objects of one client, as panel_resources_info returns them.
    """
    (client,) = resources["clients"]
    owner = client["username"]
    mailboxes = [box for box in resources.get("emails") or () if _keeps_mail(box)]
    databases = resources.get("databases") or ()
    return {
        "trees": [{"from": path, "to": path, "owner": owner} for path in _DIRECTORIES],
        "mailboxes": [{"from": box["email"], "to": box["email"]} for box in mailboxes],
        "databases": [_describe_database(database) for database in databases],
    }


def _keeps_mail(mailbox: Mapping[str, Any]) -> bool:
    """Tell whether mail stays in a mailbox, which it does not where all is forwarded."""
    return not mailbox.get("forwardings") or mailbox.get("store_forwarded_emails") is not False


def _describe_database(database: Mapping[str, Any]) -> dict[str, str]:
    name = database["database_name"]
    described = {"from": name, "to": name}
    user = database.get("database_username")
    if user:
        described["definer"] = user
    return described


def render_content(content: Mapping[str, Any]) -> str:
    """Return the objects as JSON, as panel_import writes them too."""
    return json.dumps(mark_texts(dict(content)), indent=4, ensure_ascii=True)
