# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_zone_to_records
short_description: Read a zone file as the records that hosting.panel.panel_dns takes
version_added: 1.0.0
description:
  - Reads a zone file of BIND and most other DNS servers, or the output of C(dig AXFR), and returns
    its records in the API's format.
  - Hosts are relative to the zone, names in values end with a dot, and Unicode names are in
    punycode.
  - A record that M(hosting.panel.panel_dns) would refuse is an error with its line. So are
    C($INCLUDE), classes other than IN, and names outside the zone. One error lists all types that
    no panel has, with O(skip_types) to leave them out.
  - C($GENERATE) makes its records. A name that probably lacks its final dot is a warning with its
    line, and so is an address instead of a name. A target such as C(mail.provider.com) without the
    dot is one if its last label looks public and the zone has nothing below that label.
  - A semicolon without quotes begins a comment, as name servers read it. If tags such as C(p=none)
    are behind it, a warning names the line.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, origin
options:
  _input: {description: "Text of the zone file.", type: str, required: true}
  origin:
    description:
      - Name of the zone. The default is the name of the SOA record, or else the first C($ORIGIN).
      - Without it and without C($ORIGIN), relative names belong to the zone of the SOA record. A
        relative name before that record is an error.
      - The SOA record names the zone also without a final dot, as in exports of some DNS services,
        if the name has two labels or more.
    type: str
  as_zone:
    description:
      - Return a dictionary with C(domain), C(records) and C(soa), as M(hosting.panel.panel_dns)
        takes them, instead of the records only.
      - C(soa) has no serial number, because the panel sets it. It is null if the text has no SOA
        record.
    type: bool
    default: false
  skip_types:
    description: Types of records to leave out with a warning. Leave out V(NS) if the panel will
      serve the zone.
    type: list
    elements: str
    default: []
requirements:
  - dnspython >= 2.3, for the Python that runs Ansible
seealso:
  - module: hosting.panel.panel_dns
  - plugin: hosting.panel.panel_records_to_zone
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Write the zone of a file to the panel, without its name servers
  hosting.panel.panel_dns:
    domain: "{{ zone.domain }}"
    records: "{{ zone.records }}"
  vars:
    text: "{{ lookup('ansible.builtin.file', 'acme.example.zone') }}"
    zone: "{{ text | hosting.panel.panel_zone_to_records(as_zone=true, skip_types=['NS']) }}"
"""

RETURN = r"""
_value:
  description: The records in the order of the text, without the SOA record, or with O(as_zone) the
    dictionary.
  type: raw
  sample:
    - {host: "@", type: MX, ttl: 3600, value: 10 mail.acme.example.}
    - {host: www, type: A, ttl: 3600, value: 192.0.2.10}
"""

from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_zone_to_records(
    text: Any, origin: Any = None, as_zone: bool = False, skip_types: Any = ()
) -> Any:
    """Return the records of a zone file, or with ``as_zone`` the options of panel_dns.

    Raises:
        AnsibleFilterError: The text is no zone file; it names the line.
    """
    from ..module_utils._errors import PanelError
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._zone_file.text_to_zone import read_zone_text

    name = "hosting.panel.panel_zone_to_records"
    try:
        zone, warnings = read_zone_text(text, origin, skip_types)
    except PanelError as error:
        raise AnsibleFilterError(f"{name}: {escape_control_characters(str(error))}") from None
    for warning in warnings:
        Display().warning(escape_control_characters(f"{name} {warning}"))
    return zone if as_zone else zone["records"]


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_zone_to_records": with_checked_arguments(
                with_marked_result(panel_zone_to_records), DOCUMENTATION
            )
        }
