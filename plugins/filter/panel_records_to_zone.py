# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_records_to_zone
short_description: Write DNS records of a panel as a zone file
version_added: 1.0.0
description:
  - Writes records in the API's format as a zone file for BIND and other DNS servers. The order is
    always the same.
  - In a value, a name with a dot in it is complete, even without a final one. A single word is
    relative to the zone.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, origin
options:
  _input:
    description: A list of records, or a zone as RV(hosting.panel.panel_dns_info#module:dns) or the
      API has it.
    type: raw
    required: true
  origin:
    description: Name of the zone. Required, unless the zone has it as C(domain).
    type: str
  soa:
    description: All fields of the SOA record, as in O(hosting.panel.panel_dns#module:soa), instead
      of those of the zone. Without both there is none.
    type: dict
  serial:
    description: Serial number of the SOA record. Set a growing one if other servers transfer the
      zone.
    type: int
    default: 1
  dkim_record:
    description:
      - The text for the panel's placeholder V(<DKIM_RECORD_VALUE>). The default is the
        C(dkim_record) of the zone.
      - V(<DKIM_RECORD_VALUE>) keeps the placeholder, for a file that a panel will read again.
    type: str
  skip_types:
    description: Types of records to leave out with a warning, for example V(ALIAS), which zone
      files do not have.
    type: list
    elements: str
    default: []
requirements:
  - dnspython >= 2.3, for the Python that runs Ansible
seealso:
  - module: hosting.panel.panel_dns_info
  - plugin: hosting.panel.panel_zone_to_records
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Read all zones
  hosting.panel.panel_dns_info:
  register: zones

- name: Keep each as a zone file
  ansible.builtin.copy:
    content: "{{ item | hosting.panel.panel_records_to_zone }}"
    dest: "zones/{{ item.domain }}.zone"
    mode: "0644"
  loop: "{{ zones.dns }}"
"""

RETURN = r"""
_value:
  description: Text of the zone file.
  type: str
  sample: |
    $ORIGIN acme.example.
    $TTL 3600
    @   86400  IN NS    ns1.panel.example.
    www 3600   IN A     192.0.2.10
"""

from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_records_to_zone(
    records: Any,
    origin: Any = None,
    soa: Any = None,
    serial: Any = 1,
    dkim_record: Any = None,
    skip_types: Any = (),
) -> str:
    """Return the text of a zone file; raises AnsibleFilterError, which names the record."""
    from ..module_utils._errors import PanelError
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._zone_file.zone_to_text import cut_type, write_zone_text

    name = "hosting.panel.panel_records_to_zone"
    try:
        text, skipped = write_zone_text(records, origin, soa, serial, dkim_record, skip_types)
    except PanelError as error:
        raise AnsibleFilterError(f"{name}: {escape_control_characters(str(error))}") from None
    for kind, count in skipped.items():
        displayed = escape_control_characters(cut_type(kind))
        Display().warning(f"{name} left out {count} of type {displayed}.")
    return text


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_records_to_zone": with_checked_arguments(
                with_marked_result(panel_records_to_zone), DOCUMENTATION
            )
        }
