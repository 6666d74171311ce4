#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_dns
short_description: Manage DNS records of main domains of a hosting panel
version_added: 1.0.0
description:
  - Manages the records and the SOA record of the zone of a main domain. Records of subdomains are in the zone of their main domain.
  - Records with the same host and type are one record set. The sets that you name get exactly the given values; all other sets stay.
  - Reads the zone again just before it writes, and starts over if the zone changed. Reads it after the write, and fails if a record
    that the task did not remove is missing.
  - Tasks on the same controller that write the same zone run one after another. A change from elsewhere just before the write can be lost.
  - A zone has the panel's default records until you write to it. After that the panel no longer adapts them. O(state=default) restores them.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes, hosting.panel.attributes.idempotent]
requirements: [dnspython >= 2.3 for O(wait)]
options:
  state:
    description:
      - V(present) sets the record sets in O(records) and the fields in O(soa).
      - V(absent) removes the given records and leaves everything else. A given record without C(value) stands for its whole set.
        If the domain is gone, nothing changes.
      - V(default) enables DNS for the domain, with the panel's default records. All other records are gone then. It excludes O(records)
        and O(soa).
    type: str
    choices: [present, absent, default]
    default: present
  domain:
    description:
      - Name of the main domain, in punycode or UTF-8.
      - Either this or O(id) is required.
    type: str
  id:
    description:
      - The panel's id of the domain, as an alternative to O(domain).
      - It costs one more request, for the name of the domain.
    type: int
  client:
    description:
      - Name of the client that must own the domain. If another client owns it, the task fails and writes nothing. It costs two more requests.
      - The roles P(hosting.panel.site#role) and P(hosting.panel.sites#role) set it, so that one customer cannot change another customer's zone.
    type: str
  records:
    description:
      - Records with C(host), C(type), C(ttl) and C(value). If a record has all four, its other fields are sent too. If you omit the option,
        records are not managed.
      - C(host) is relative to the zone; V(@) is the domain itself, and an empty host is an error.
      - A host with a dot at the end is absolute and must be in the zone.
      - C(type) is a record type such as V(TXT). A type that is a mistake away from a usual one is an error, and another unusual one is sent with
        a warning. Neither holds if the zone has such a record.
      - C(ttl) is the TTL in seconds. Default is that of the set, or the most frequent one in the zone. With O(append) it applies to a new set only.
      - C(value) has the form of the panel, for V(MX) and V(SRV) with the priority. Names in it need a dot at the end. You can write V(TXT) without
        quotes. V(<DKIM_RECORD_VALUE>) is the DKIM record of the domain. With O(state=absent), C(value) is optional.
      - A record that the zone already has is accepted even if the panel's own form or DNS would refuse it, and stays as it is.
      - The comparison ignores case, final dots, punycode or UTF-8, spellings of IP addresses, quotes and spaces.
        For V(HTTPS), V(SVCB), V(LOC), V(NAPTR), V(CAA), V(TLSA), V(SSHFP) and V(DS) it also ignores the order of parameters and usual values.
    type: list
    elements: dict
  soa:
    description:
      - Fields of the SOA record, managed one by one. C(ttl), C(refresh), C(retry), C(expire) and C(minimum) are seconds, C(primary_ns) and C(rname)
        complete names. C(rname) is the address of the person in charge, with a dot instead of the C(@).
    type: dict
  append:
    description: Add the given values to their sets and remove none. It excludes O(purge).
    type: bool
    default: false
  purge:
    description: Make the records of the zone exactly the given ones, in their order. Only sets that O(protect) lists stay.
    type: bool
    default: false
  protect:
    description:
      - Sets that O(purge) leaves alone if O(records) does not name them, as shell patterns C(HOST TYPE).
      - C(HOST) is relative like the host of a record. C(TYPE) is a record type or a pattern for several, such as V(*); any other word is an error.
      - A host without wildcards that has no such set in the zone gives a warning.
    type: list
    elements: str
    default: ['@ NS', '_acme-challenge* TXT']
  max_delete_percent:
    description: A purge that would delete more than this share of the records fails before it writes. Replaced values do not count as deleted.
    type: int
    default: 30
  is_dns_disabled:
    description:
      - V(true) disables DNS for the domain, which removes all of its records. V(false) enables it, with the panel's default records.
      - It excludes records. To manage records of a domain whose DNS is disabled, enable it with a separate task first.
    type: bool
  wait:
    description:
      - Wait until every authoritative name server of the zone serves exactly the values of O(records). With O(append) it
        waits for at least the given values, with O(state=absent) until none is served.
      - The task waits even if it changes nothing. After O(wait_timeout) it fails, with V(NotServed) in RV(error.type), and names each name
        server that lacks a set.
      - It needs C(dnspython) where the task runs. Check mode does not wait.
      - Types that name servers do not serve, such as V(ALIAS), are an error. Nothing is written then.
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait for the name servers.
    type: int
    default: 300
  nameservers:
    description:
      - Name servers to ask, as names or addresses, with a port if it is not 53, such as V(192.0.2.53:5353) or V([2001:db8::53]:5353).
      - If the list is empty, the task asks the name servers that the zone names for itself.
    type: list
    elements: str
    default: []
notes:
  - Records on a subdomain fail, with C(a subdomain has no zone). Use the main domain instead.
  - A task that changes nothing costs one request, a task that writes costs four.
  - In check mode a missing domain is a warning, because an earlier task may create it. Default records of new zones are unknown there.
seealso:
  - module: hosting.panel.panel_dns_info
  - module: hosting.panel.panel_domain
"""

EXAMPLES = r"""
- name: Point a host to a server and publish a policy
  hosting.panel.panel_dns:
    domain: acme.example
    records:
      - {host: shop, type: A, ttl: 3600, value: 192.0.2.10}
      - {host: shop, type: AAAA, ttl: 3600, value: "2001:db8::10"}
      - {host: _dmarc, type: TXT, value: "v=DMARC1; p=none"}

- name: Add a value to a set and keep the others
  hosting.panel.panel_dns:
    domain: acme.example
    append: true
    records:
      - {host: "@", type: TXT, value: "site-verification=abc123"}

- name: Remove one value and one whole set
  hosting.panel.panel_dns:
    domain: acme.example
    state: absent
    records:
      - {host: "@", type: TXT, value: "site-verification=abc123"}
      - {host: shop, type: AAAA}

- name: Make the zone exactly this
  hosting.panel.panel_dns:
    domain: acme.example
    purge: true
    max_delete_percent: 100
    records:
      - {host: "@", type: A, ttl: 3600, value: 192.0.2.10}
      - {host: www, type: CNAME, ttl: 3600, value: acme.example.}
      - {host: "@", type: MX, ttl: 3600, value: 10 mail.acme.example.}
      - {host: mail, type: A, ttl: 3600, value: 192.0.2.10}
      - {host: default._domainkey, type: TXT, ttl: 3600, value: <DKIM_RECORD_VALUE>}
  register: zone

- name: Put the zone back as it was, without what was added by others since
  hosting.panel.panel_dns:
    domain: acme.example
    purge: true
    max_delete_percent: 100
    records: "{{ zone.records_before }}"

- name: Publish a token, and go on when every name server has it
  hosting.panel.panel_dns:
    domain: acme.example
    append: true
    records:
      - {host: _token, type: TXT, ttl: 60, value: abc123}
    wait: true
    wait_timeout: 60
    nameservers: [192.0.2.53]

- name: Change two numbers of the SOA record
  hosting.panel.panel_dns:
    domain: acme.example
    soa:
      refresh: 7200
      minimum: 600

- name: Disable DNS for a domain whose zone is elsewhere
  hosting.panel.panel_dns:
    domain: acme.example
    is_dns_disabled: true

- name: Go back to the panel's default records
  hosting.panel.panel_dns:
    domain: acme.example
    state: default
"""

RETURN = r"""
dns:
  description:
    - The zone after the task, as the panel shows it, with the O(domain) or O(id) that you set; V(null) if the domain is gone.
    - M(hosting.panel.panel_dns_info) lists its fields.
  returned: success
  type: dict
  sample:
    domain: acme.example
    is_custom_dns: true
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
        - {host: shop, ttl: 3600, type: A, value: 192.0.2.10}
records_before:
  description:
    - The records before the task, without SOA. To restore them, pass them as O(records) with O(purge=true). This deletes what others have
      written since.
    - A task that fails after it began to write returns them too.
  returned: success, or failure after a write was sent
  type: list
  elements: dict
  contains:
    host: {description: "Name below the domain, V(@) for the domain.", type: str}
    ttl: {description: TTL in seconds., type: int}
    type: {description: Type of the record., type: str}
    value: {description: Its value., type: str}
  sample:
    - {host: shop, ttl: 3600, type: A, value: 192.0.2.9}
soa_before:
  description: The SOA record before the task. O(soa) restores it.
  returned: success, or failure after a write was sent
  type: dict
  contains:
    ttl: {description: TTL in seconds., type: int}
    primary_ns: {description: Primary name server., type: str}
    rname: {description: "Mailbox of the administrator, as a host name.", type: str}
    refresh: {description: Seconds between two checks of a secondary., type: int}
    retry: {description: Seconds before a secondary repeats a failed check., type: int}
    expire: {description: Seconds after which a secondary gives up., type: int}
    minimum: {description: Seconds that resolvers remember a missing name., type: int}
  sample:
    ttl: 86400
    primary_ns: ns1.panel.example.
    rname: hostmaster.acme.example.
    refresh: 14400
    retry: 1800
    expire: 604800
    minimum: 3600
error:
  description: What failed. The guide of the notes has the types, and the other fields of a failed request.
  returned: failure
  type: dict
  contains:
    type:
      description: Type of error, for example V(OptionError), V(Conflict), V(Busy) or V(ZoneDamaged).
      type: str
    lost:
      description: Records outside the task that are missing after the write.
      returned: when RV(error.type) is V(ZoneDamaged)
      type: list
      elements: str
    lost_records:
      description: The same without SOA, as O(records) takes them. Add them with O(append=true) to restore them.
      returned: when RV(error.type) is V(ZoneDamaged)
      type: list
      elements: dict
    unmet:
      description: Records of the task that are missing after the write.
      returned: when RV(error.type) is V(ZoneDamaged)
      type: list
      elements: str
    status:
      description: Status of the panel's answer.
      type: int
  sample:
    type: ZoneDamaged
    lost: [shop A 192.0.2.10]
    lost_records: [{host: shop, ttl: 3600, type: A, value: 192.0.2.10}]
    unmet: []
"""

from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_task import (
    build_dns_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_dns_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
