# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_mail_dns
short_description: What is wrong with the mail DNS of domains
version_added: 1.0.0
description:
  - Checks the SPF, DKIM, DMARC and MX records of domains with mail. Reports what is wrong, what to do, and which record is missing.
  - The filter sends no requests. It looks everything up in the given zones, and does not judge what they do not hold. For example, an C(include) of
    another provider counts as one look-up.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, domains
options:
  _input:
    description:
      - A zone or a list of them, as RV(hosting.panel.panel_dns_info#module:dns) has them, or the records of one zone.
      - Give all zones of a panel at once, so that one domain's records can name servers of another.
    type: raw
    required: true
  domains:
    description:
      - The domains of the panel, as RV(hosting.panel.panel_domain_info#module:domains) has them. They tell which domains have mail or only send it.
      - Without them every zone counts as one of a domain with mailboxes, and the key is the one of its C(dkim_record).
    type: list
    elements: dict
  origin: {description: "Name of the zone, for records or a zone without C(domain).", type: str}
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
    - The findings, by domain; an empty list if everything is right.
    - C(domain) is the domain, and C(zone) the main domain in whose zone its records are.
    - C(about) is V(spf), V(dkim), V(dmarc), V(mx), or V(zone) if the zones do not hold the records of a domain.
    - C(problem) is one word, such as V(missing), V(several), V(syntax), V(look_ups), V(other_key) or V(no_address).
    - C(level) is V(bad) if mail is lost or everybody may forge it, V(near) if something is weak, and V(fine) if it could be stricter.
    - C(message) says what is wrong and C(advice) what to do.
    - C(record) is the record that is missing, with C(host), C(type) and C(value), and null if something is there. It is also null if the
      filter cannot know the right value, beside a CNAME, and if the record would end what a wildcard answers for its name.
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
      zone: acme.example
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._secrets.terminal import on_one_line
from ..plugin_utils._mail_dns.judge import MailDnsError, findings_of


def panel_mail_dns(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains; raises AnsibleFilterError."""
    try:
        return findings_of(zones, domains, origin)
    except MailDnsError as error:
        raise AnsibleFilterError(f"hosting.panel.panel_mail_dns: {on_one_line(str(error))}") from None


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"panel_mail_dns": panel_mail_dns}
