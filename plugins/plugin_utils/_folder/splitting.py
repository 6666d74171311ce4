# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which object goes into which file: a client with all that it has into one, the rest into another. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...module_utils._kinds.registry import DNS

Resources = Mapping[str, list[dict[str, Any]]]
CLIENTS = "clients"
REST = "panel.yml"


def split(resources: Resources) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By path in the folder the items of that file, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for plural, items in resources.items():
        for item in items:
            if plural == CLIENTS:
                owner = item.get("username")
            elif plural == DNS:
                owner = owners.get(item.get("domain"))
            else:
                owner = item.get("client")
            path = f"{CLIENTS}/{file_name(owner)}" if owner else REST
            files.setdefault(path, {}).setdefault(plural, []).append(item)
    return files


def file_name(username: str) -> str:
    """A name that is safe in a folder whatever the username is; a percent sign never is in one that the panel itself accepts."""
    name = quote(username, safe="")
    return f"{'%2E' + name[1:] if name.startswith('.') else name}.yml"
