# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from a panel what an inventory is made of. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._http.client import PanelClient
from ...module_utils._http.connection import read_connection
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.domain import DOMAIN
from ...module_utils._kinds.plan import PLAN
from ...module_utils._object.objects import checked_list
from ...module_utils._secrets.redaction import without_secrets
from .._module_run.refused_keys import run_key
from .panels import InventoryPanel

# What is a host, or tells something of one: an inventory costs three requests a panel, whatever else there is.
_PATHS = {"clients": CLIENT.path, "hosting_plans": PLAN.path, "domains": DOMAIN.path}

Reading = dict[str, list[dict[str, Any]]]


def read_panel(panel: InventoryPanel) -> Reading:
    """All clients, hosting plans and domains, without secrets; raises PanelError."""
    connection = read_connection(panel.options)
    client = PanelClient(connection, key=run_key(connection))
    try:
        return {kind: without_secrets(checked_list(client.get(path), path)) for kind, path in _PATHS.items()}
    finally:
        client.close()


def is_reading(value: Any) -> bool:
    """Whether something from a cache has the shape of a reading of this release."""
    return (
        isinstance(value, Mapping)
        and set(value) == set(_PATHS)
        and all(
            isinstance(items, list) and all(isinstance(item, Mapping) for item in items) for items in value.values()
        )
    )
