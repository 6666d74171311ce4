# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_zones_before
short_description: Keep DNS zones as they were before their TTLs were lowered first
version_added: 1.0.0
description:
  - Returns zones by domain. What an earlier run kept stays as it is.
  - A record set that an earlier run did not see, and whose TTL is above O(ttl), is added to the
    kept zone.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, kept, ttl
options:
  _input:
    description: Zones whose TTLs are about to be lowered, as M(hosting.panel.panel_dns_info)
      returns them.
    type: list
    elements: dict
    required: true
  kept: {description: "What an earlier run returned.", type: dict, default: {}}
  ttl: {description: "Longest TTL that stays, in seconds.", type: int, default: 300}
seealso:
  - plugin: hosting.panel.panel_lower_ttls
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Keep the zones before their TTLs are lowered
  ansible.builtin.copy:
    content: "{{ zones | hosting.panel.panel_zones_before(kept, 300) | to_nice_json }}"
    dest: zones-before.json
    mode: "0600"
"""

RETURN = r"""
_value:
  description: The zones by domain.
  type: dict
  sample:
    acme.example:
      domain: acme.example
      records: {other: [{host: www, type: A, ttl: 3600, value: 192.0.2.10}]}
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import handing_on
from ..plugin_utils._variables.plugin_arguments import checking


def panel_zones_before(
    zones: Any, kept: Mapping[str, Any] | None = None, ttl: int = 300
) -> dict[str, Any]:
    """Return by domain the zones as they were before the first run."""
    from ..plugin_utils._move.zones import keep_first_zones

    return keep_first_zones(zones, kept or {}, int(ttl))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {"panel_zones_before": checking(handing_on(panel_zones_before), DOCUMENTATION)}
