# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to a client and goes with it, in one request (facts.md section 4.4). Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.client import CLIENT
from .._kinds.registry import OWNED, TABLES
from .._kinds.taken import DETAILS
from .._schema.kind import Kind
from .objects import Object, checked_list, checked_object


def owned_by(client: PanelClient, identifier: int) -> dict[str, list[Object]]:
    """The objects of the client with this id, by plural kind. A 404 is an error: the client was just read, and may have some."""
    path = CLIENT.path + path_of(identifier, "resources")
    shown = checked_object(client.get(path), path, DETAILS["resources"])
    for plural in OWNED:
        if plural not in shown:
            raise unexpected_answer(path, f"shows no {plural}, so what goes with the client cannot be told.")
    return {plural: checked_list(shown[plural], path) for plural in OWNED}


def names_of(owned: Mapping[str, list[Object]], username: str) -> dict[str, list[str]]:
    """The natural keys of these objects of a client, sorted; kinds without any are left out."""
    return {
        plural: sorted(name_of(TABLES[plural], one, username) for one in found)
        for plural, found in owned.items()
        if found
    }


def name_of(kind: Kind, found: Mapping[str, Any], username: str) -> str:
    """The natural key, its parts joined with a colon. username: of the owner."""
    return ":".join(username if row.refers_to else row.type.written(found.get(row.name)) for row in kind.key)
