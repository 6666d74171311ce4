# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_preparation
short_description:
  "Part of the role hosting.panel.move: return the lower TTLs of a move, and the zones as they
  were before"
version_added: 1.0.0
description:
  - Returns what the step C(prepare) of the role P(hosting.panel.move#role) writes.
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, zones_before, ttl
options:
  _input:
    description: The zones of the client, as M(hosting.panel.panel_dns_info) returns them.
    type: list
    elements: dict
    required: true
  zones_before:
    description: By domain the zones that an earlier run kept.
    type: dict
    required: true
  ttl: {description: "Longest TTL that stays, in seconds.", type: int, required: true}
seealso:
  - plugin: hosting.panel.panel_lower_ttls
    plugin_type: filter
"""

EXAMPLES = r"""
# From the role move.
- name: Lower the TTLs
  hosting.panel.panel_resources:
    resources: {dns: "{{ (zones | hosting.panel.panel_move_preparation(kept, 300)).lowered }}"}
"""

RETURN = r"""
_value:
  description:
    - C(lowered) has the items for M(hosting.panel.panel_resources), C(zones_before) by domain the
      zones as they were before the first run.
    - C(hours) is how long other name servers can keep their records, rounded up.
  type: dict
  sample:
    lowered:
      - domain: acme.example
        records: [{host: www, type: A, ttl: 300, value: 192.0.2.10}]
    zones_before:
      acme.example:
        domain: acme.example
        records: {other: [{host: www, type: A, ttl: 3600, value: 192.0.2.10}]}
    hours: 1
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_SECONDS_OF_AN_HOUR = 3600


def panel_move_preparation(
    zones: Sequence[Mapping[str, Any]], zones_before: Mapping[str, Any], ttl: int
) -> dict[str, Any]:
    """Return the zones with lower TTLs, the zones before, and how long old records are kept.

    Raises:
        AnsibleFilterError: What an earlier run kept are no zones.
    """
    from ..plugin_utils._move.zones import find_longest_ttl, keep_first_zones, lower_ttls

    for domain, zone in zones_before.items():
        if not isinstance(zone, Mapping):
            problem = f"zones_before: {domain}: it must be a zone."
            raise AnsibleFilterError(f"hosting.panel.panel_move_preparation: {problem}")

    lowered = lower_ttls(zones, ttl)
    domains = {item["domain"] for item in lowered}
    changing = [zone for zone in zones if zone["domain"] in domains]
    # What a zone was before the first run counts.
    first_zones = keep_first_zones(changing, zones_before, ttl)
    seconds = find_longest_ttl(first_zones)
    return {
        "lowered": lowered,
        "zones_before": first_zones,
        "hours": math.ceil(seconds / _SECONDS_OF_AN_HOUR),
    }


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_preparation": with_checked_arguments(
                with_marked_result(panel_move_preparation), DOCUMENTATION
            )
        }
