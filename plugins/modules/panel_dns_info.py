#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_dns_info
short_description: Read DNS zones of a hosting panel
version_added: 1.0.0
description:
  - Reads the zone of one main domain, or of all of them.
  - The panel has no list of zones. Reading all of them costs one request for the list of domains and one for each main domain.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  domain:
    description:
      - Name of a main domain, in punycode or UTF-8. If you omit this and O(id), the module reads all zones.
      - If the domain does not exist or is a subdomain, the list is empty.
    type: str
  id:
    description: Id of a main domain, as an alternative to O(domain).
    type: int
notes:
  - A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_dns
  - module: hosting.panel.panel_domain_info
"""

EXAMPLES = r"""
- name: Read a zone
  hosting.panel.panel_dns_info:
    domain: acme.example
  register: zone

- name: Show its records
  ansible.builtin.debug:
    var: zone.dns[0].records.other

- name: Read all zones
  hosting.panel.panel_dns_info:
  register: zones

- name: Show the domains whose zone is not the panel's default one
  ansible.builtin.debug:
    msg: "{{ zones.dns | selectattr('is_custom_dns') | map(attribute='domain') | list }}"
"""

RETURN = r"""
dns:
  description: The zones, in the order of the list of domains.
  returned: success
  type: list
  elements: dict
  contains:
    domain:
      description: Name of the domain, in punycode.
      type: str
    id:
      description: Id of the domain.
      type: int
    is_custom_dns:
      description: Whether the zone is a custom zone, which the panel no longer updates.
      type: bool
    is_dns_disabled:
      description: Whether DNS is disabled for the domain.
      type: bool
    dkim_record:
      description: The domain's DKIM record, the value that V(<DKIM_RECORD_VALUE>) stands for in a record.
      type: str
    records:
      description: The records that are active, in C(soa) the SOA record and in C(other) the list of all others.
      type: dict
  sample:
    - domain: acme.example
      id: 31
      is_custom_dns: false
      is_dns_disabled: false
      dkim_record: 'default._domainkey IN TXT ( "v=DKIM1; k=rsa; p=MIIB" )'
      records:
        soa:
          ttl: 86400
          primary_ns: ns1.panel.example.
          rname: hostmaster.acme.example.
          refresh: 14400
          retry: 1800
          expire: 604800
          minimum: 3600
        other:
          - {host: www, ttl: 86400, type: A, value: 192.0.2.10}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Denied, status: 403}
"""

from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_info import (
    build_dns_info_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_dns_info_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
