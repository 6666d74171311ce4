# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_lower_ttls
short_description: Lower the TTLs of DNS zones
version_added: 1.0.0
description:
  - Returns the zones that have a TTL above O(ttl), each with all records and lowered TTLs, for
    C(dns) of M(hosting.panel.panel_resources).
  - Lower TTLs a day before you change addresses, so that other name servers forget the old ones
    soon.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, ttl
options:
  _input:
    description: Zones, as M(hosting.panel.panel_dns_info) returns them.
    type: list
    elements: dict
    required: true
  ttl: {description: "Longest TTL in seconds.", type: int, default: 300}
seealso:
  - module: hosting.panel.panel_dns_info
  - module: hosting.panel.panel_dns
"""

EXAMPLES = r"""
- name: Read all zones
  hosting.panel.panel_dns_info:
  register: zones

- name: Lower their TTLs
  hosting.panel.panel_resources:
    resources: {dns: "{{ zones.dns | hosting.panel.panel_lower_ttls(600) }}"}
"""

RETURN = r"""
_value:
  description: Items with C(domain) and C(records). Disabled zones are left out.
  type: list
  elements: dict
  sample:
    - domain: acme.example
      records: [{host: www, type: A, ttl: 300, value: 192.0.2.10}]
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_lower_ttls(zones: Any, ttl: int = 300) -> list[dict[str, Any]]:
    """Return items for the zones that change, with lowered TTLs."""
    from ..plugin_utils._move.zones import lower_ttls

    return lower_ttls(zones, int(ttl))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_lower_ttls": with_checked_arguments(
                with_marked_result(panel_lower_ttls), DOCUMENTATION
            )
        }
