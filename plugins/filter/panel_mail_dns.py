# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_mail_dns
short_description: What is wrong with the mail DNS of domains
version_added: 1.0.0
description:
  - Looks at the SPF, DKIM, DMARC and MX records of domains with mail, and says what is wrong, what to do and which record to set.
  - SPF. There is one record, its words are right, receivers need at most ten look-ups for it, it does not let almost everybody send, and it ends
    in C(all).
  - DKIM. The record of the domain's selector is there, once, and holds the key that the panel signs with.
  - DMARC. There is one record, its tags are right, and what its policy asks for. A domain without one has that of a domain above, whether that is its
    main domain or another one of the panel. Where the domain above is not known here, the record to set is null.
  - MX. The records point to names with an address, not to an alias or an address. A domain that only sends mail needs none.
  - Everything is looked up in the given zones. What they do not hold is not judged, an C(include) of another provider counts as one look-up for
    example, unless O(resolver) names a name server to ask.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, domains
options:
  _input:
    description:
      - A zone or a list of them, as RV(hosting.panel.panel_dns_info#module:dns) has them, or the records of one zone.
      - Give all zones of a panel at once, so that one domain's records may name servers of another.
    type: raw
    required: true
  domains:
    description:
      - The domains of the panel, as RV(hosting.panel.panel_domain_info#module:domains) has them. They tell which domains have mail, which only
        send it, and subdomains with mail of their own.
      - Without them every zone counts as one of a domain with mailboxes, and the key is the one of its C(dkim_record).
    type: list
    elements: dict
  origin:
    description: Name of the zone, for records or a zone without C(domain).
    type: str
  resolver:
    description:
      - Address of a name server that is asked about names outside the zones, V(192.0.2.53), V(192.0.2.53:5353) or V([2001:db8::53]:5353) for
        example. By default nobody is asked.
      - It also tells the records of domains whose DNS is not on the panel. A name that it does not answer for is not judged.
    type: str
requirements:
  - dnspython, for the Python that runs Ansible, where O(resolver) is given
seealso:
  - module: hosting.panel.panel_dns_info
  - module: hosting.panel.panel_domain_info
  - module: hosting.panel.panel_dns
"""

EXAMPLES = r"""
- name: Read all zones
  hosting.panel.panel_dns_info:
  register: zones

- name: Read all domains
  hosting.panel.panel_domain_info:
  register: panel

- name: Say what is wrong
  ansible.builtin.debug:
    msg: "{{ item.domain }}: {{ item.message }} {{ item.advice }}"
  loop: "{{ zones.dns | hosting.panel.panel_mail_dns(panel.domains) | rejectattr('level', 'equalto', 'fine') }}"
  loop_control:
    label: "{{ item.domain }}"

- name: Add the records that are missing
  hosting.panel.panel_dns:
    domain: "{{ item.zone }}"
    records: ["{{ item.record }}"]
    append: true
  loop: "{{ zones.dns | hosting.panel.panel_mail_dns | selectattr('problem', 'equalto', 'missing') | selectattr('record') }}"
  loop_control:
    label: "{{ item.domain }} {{ item.about }}"
"""

RETURN = r"""
_value:
  description:
    - The findings, by domain; an empty list where all is right.
    - C(domain) is the domain, and C(zone) the main domain in whose zone its records are.
    - C(about) is V(spf), V(dkim), V(dmarc), V(mx), or V(zone) where the records of a domain are not known.
    - C(problem) is one word, such as V(missing), V(several), V(syntax), V(look_ups), V(other_key) or V(no_address).
    - C(level) is V(bad) where mail is lost or anybody may forge it, V(near) where something is to be mended, and V(fine) where it could be stricter.
    - C(message) says what is wrong and C(advice) what to do.
    - C(record) is the record to set with C(host), C(type) and C(value). It shuts out nobody whom the present records name, and its policy is
      the one that receivers keep to now; at level V(fine) it is stricter, and is there only where SPF and DKIM are in order. Where only the owner
      can know it, such as the policy that a text asks for which receivers passed over, it is null. It never stands beside a CNAME, and takes from
      no name what a wildcard gives it; where it would, it is null, too. C(replaces) are those that have to be removed for it, others of the same
      host and type stay.
  type: list
  elements: dict
  sample:
    - about: dmarc
      advice: Set one; p=none changes nothing for mail that is right.
      domain: acme.example
      level: near
      message: There is no DMARC record, so receivers are not told what to do with forged mail, and some refuse bulk mail.
      problem: missing
      record: {host: _dmarc, type: TXT, value: v=DMARC1; p=none}
      replaces: []
      zone: acme.example
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._secrets.terminal import on_one_line
from ..plugin_utils._mail_dns.given_zones import MailDnsError, findings_of


def panel_mail_dns(zones: Any, domains: Any = None, origin: Any = None, resolver: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains; raises AnsibleFilterError."""
    try:
        return findings_of(zones, domains, origin, resolver)
    except MailDnsError as error:
        raise AnsibleFilterError(f"hosting.panel.panel_mail_dns: {on_one_line(str(error))}") from None


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"panel_mail_dns": panel_mail_dns}
