# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import class_of


@pytest.mark.parametrize("parent", [{}, {"id_parent_domain": None}, {"id_parent_domain": 0}, {"id_parent_domain": "0"}])
def test_a_domain_without_a_parent_is_a_main_domain(parent: dict[str, Any]) -> None:
    assert class_of({"domain": "acme.example", **parent}) == "main_domains"


@pytest.mark.parametrize("parent", [31, "31"])
def test_a_domain_with_a_parent_is_a_subdomain(parent: Any) -> None:
    assert class_of({"domain": "shop.acme.example", "id_parent_domain": parent}) == "subdomains"


def test_what_the_panel_says_itself_counts_more_than_the_parent() -> None:
    assert class_of({"is_subdomain": False, "id_parent_domain": 31}) == "main_domains"
    assert class_of({"is_system_domain": True, "id_parent_domain": 31}) == "system_domains"
