# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Main domains, subdomains and system domains: the filters of the list. Private to the collection.

The interface names the filters and not their values. What is wanted is asked for as ``true``, the likeliest form, and the answer is
filtered here too, so that the result is right however the panel reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._task.operation import Task

CLASSES = ("main_domains", "subdomains", "system_domains")
OPTIONS: dict[str, dict[str, Any]] = {name: {"type": "bool"} for name in CLASSES}


def class_of(domain: Mapping[str, Any]) -> str:
    """The filter that a domain falls under; a domain that shows nothing about it is a main domain."""
    if domain.get("is_system_domain"):
        return "system_domains"
    # Ids of other objects may be written as text.
    is_subdomain = domain.get("is_subdomain", domain.get("id_parent_domain") not in (None, "", 0, "0"))
    return "subdomains" if is_subdomain else "main_domains"


def class_query(params: Mapping[str, Any]) -> dict[str, str]:
    """The query parameters for the wanted classes."""
    return {name: "true" for name in CLASSES if params.get(name)}


def of_wanted_classes(domains: list[dict[str, Any]], params: Mapping[str, Any], _task: Task) -> list[dict[str, Any]]:
    """Only the classes said to be true if there is one, otherwise all but those said to be false."""
    wanted = {name for name in CLASSES if params.get(name)}
    if not wanted:
        wanted = {name for name in CLASSES if params.get(name) is not False}
    return [domain for domain in domains if class_of(domain) in wanted]
