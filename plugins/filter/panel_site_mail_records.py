# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_site_mail_records
short_description:
  "Part of the role hosting.panel.site: return the SPF and DMARC records that the zones of a
  customer lack"
version_added: 1.0.0
description:
  - Judges zones as P(hosting.panel.panel_mail_dns#filter) does, and returns the records to add
    where a domain with mail has none.
  - Internal to the role P(hosting.panel.site#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, domains, desired_zones
options:
  _input:
    description: The zones of the customer, as M(hosting.panel.panel_dns_info) returns them.
    type: list
    elements: dict
    required: true
  domains:
    description: The domains of the customer, as M(hosting.panel.panel_domain_info) returns them.
    type: list
    elements: dict
    required: true
  desired_zones:
    description: The items of C(site_dns). In check mode zones lack what these add to them.
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
# From the role site.
- name: Add SPF and DMARC where there is nothing
  hosting.panel.panel_dns:
    domain: "{{ item.domain }}"
    records: "{{ item.records }}"
    append: true
  loop: "{{ zones | hosting.panel.panel_site_mail_records(domains) }}"
"""

RETURN = r"""
_value:
  description: For each zone that lacks a record its C(domain), and the C(records) to add.
  type: list
  elements: dict
  sample:
    - domain: acme.example
      records: [{host: "@", type: TXT, ttl: 3600, value: "v=spf1 a mx -all"}]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# What the role adds where it is missing.
_ADDED = ("spf", "dmarc")
Zone = Mapping[str, Any]


def panel_site_mail_records(
    zones: Sequence[Zone], domains: Sequence[Mapping[str, Any]], desired_zones: Sequence[Zone] = ()
) -> list[dict[str, Any]]:
    """Return by zone the SPF and DMARC records that it lacks; raises AnsibleFilterError."""
    from ..module_utils._errors import OptionError
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._mail_dns.judge import list_findings

    expected_zones = [*zones, *_select_known(desired_zones, zones)]
    try:
        findings = list_findings(expected_zones, domains)
    except OptionError as error:
        message = f"hosting.panel.panel_site_mail_records: {escape_control_characters(str(error))}"
        raise AnsibleFilterError(message) from None

    records_by_zone: dict[str, list[Any]] = {}
    for finding in findings:
        is_missing = finding["about"] in _ADDED and finding["problem"] == "missing"
        if not is_missing or not finding["record"]:
            continue
        records = records_by_zone.setdefault(finding["zone"], [])
        if finding["record"] not in records:
            records.append(finding["record"])
    return [{"domain": zone, "records": records} for zone, records in records_by_zone.items()]


def _select_known(desired_zones: Iterable[Zone], zones: Iterable[Zone]) -> list[Zone]:
    """Return the desired zones with records that the panel has, in whatever spelling."""
    from ..module_utils._kinds.registry import DNS, KINDS

    names = {KINDS[DNS].format_key(zone) for zone in zones}
    with_records = [zone for zone in desired_zones if "records" in zone and "domain" in zone]
    return [zone for zone in with_records if KINDS[DNS].format_key(zone) in names]


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_site_mail_records": with_checked_arguments(
                with_marked_result(panel_site_mail_records), DOCUMENTATION
            )
        }
