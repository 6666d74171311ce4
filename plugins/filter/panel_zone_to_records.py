# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_zone_to_records
short_description: Read a zone file as the records that panel_dns takes
version_added: 1.0.0
description:
  - Reads a zone file of BIND and most other DNS servers, or the output of C(dig AXFR), and returns its records in the API's format.
  - Hosts are relative to the zone, names in values are complete and end with a dot, and other names than ASCII are in punycode.
  - A record that M(hosting.panel.panel_dns) would refuse is an error with its line. So are C($INCLUDE), another class than IN, names
    outside the zone, and types that no panel has.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, origin
options:
  _input: {description: "Text of the zone file.", type: str, required: true}
  origin:
    description: Name of the zone, in punycode or UTF-8. The default is the name of the SOA record, or else the first C($ORIGIN).
    type: str
  as_zone:
    description:
      - Return a dictionary with C(domain), C(records) and C(soa), as M(hosting.panel.panel_dns) takes them, instead of the records only.
      - C(soa) is null if the text has no SOA record. The serial number is left out, because the panel counts itself.
    type: bool
    default: false
  skip_types: {description: "Types of records to leave out. A warning counts them.", type: list, elements: str, default: []}
requirements:
  - dnspython, for the Python that runs Ansible
notes:
  - NS records and the SOA record name the servers of the zone so far. Leave them out if the panel will serve the zone.
seealso:
  - plugin: hosting.panel.panel_records_to_zone
    plugin_type: filter
  - module: hosting.panel.panel_dns
"""

EXAMPLES = r"""
- name: Bring the records of a zone file to the panel, the name servers excepted
  hosting.panel.panel_dns:
    domain: acme.example
    records: "{{ lookup('ansible.builtin.file', 'acme.example.zone')
      | hosting.panel.panel_zone_to_records(origin='acme.example', skip_types=['NS']) }}"

- name: Make the zone on the panel exactly the one of the file, the SOA record included
  hosting.panel.panel_dns:
    domain: "{{ zone.domain }}"
    records: "{{ zone.records }}"
    soa: "{{ zone.soa }}"
    purge: true
    max_delete_percent: 100
  vars:
    zone: "{{ lookup('ansible.builtin.file', 'acme.example.zone') | hosting.panel.panel_zone_to_records(as_zone=true) }}"
"""

RETURN = r"""
_value:
  description:
    - The records, a list of dictionaries with C(host), C(type), C(ttl) and C(value), in the order of the text. The SOA record is not among them.
    - With O(as_zone), a dictionary with C(domain), C(records) and C(soa).
  type: raw
  sample:
    - {host: "@", type: MX, ttl: 3600, value: 10 mail.acme.example.}
    - {host: www, type: A, ttl: 3600, value: 192.0.2.10}
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ..module_utils._secrets.terminal import on_one_line
from ..plugin_utils._zone_file.read_zone_text import ZoneTextError, read_zone_text


def panel_zone_to_records(text: Any, origin: Any = None, as_zone: bool = False, skip_types: Any = ()) -> Any:
    """The records of a zone file, or with ``as_zone`` the options of panel_dns; raises AnsibleFilterError, which names the line."""
    try:
        content = read_zone_text(text, origin, skip_types)
    except ZoneTextError as error:
        raise AnsibleFilterError(f"hosting.panel.panel_zone_to_records: {on_one_line(str(error))}") from None
    for kind, lines in content.skipped.items():
        Display().warning(
            on_one_line(
                f"hosting.panel.panel_zone_to_records left out {len(lines)} of type {kind} in {content.domain}, the first in line {lines[0]}."
            )
        )
    if as_zone:
        return {"domain": content.domain, "records": content.records, "soa": content.soa}
    return content.records


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"panel_zone_to_records": panel_zone_to_records}
