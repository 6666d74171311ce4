# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_mail_dns
short_description: Check the mail DNS of domains
version_added: 1.0.0
description:
  - Checks the SPF, DKIM, DMARC and MX records of domains with mail. Reports what is wrong, what to
    do, and which record is missing.
  - The filter reads only the zones that you pass, and judges nothing outside them.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, domains
options:
  _input:
    description:
      - All zones of a panel, as RV(hosting.panel.panel_dns_info#module:dns) has them, one zone, or
        the records of one zone.
      - The list can also hold options of M(hosting.panel.panel_dns), after the zones. Their records
        count as existing.
    type: raw
    required: true
  domains:
    description:
      - The domains of the panel, as RV(hosting.panel.panel_domain_info#module:domains) has them.
        They show which domains have mail or only send it.
      - Without them, every zone counts as one of a domain with mailboxes.
    type: list
    elements: dict
  origin: {description: "Name of the zone, for records or a zone without C(domain).", type: str}
seealso:
  - module: hosting.panel.panel_dns_info
"""

EXAMPLES = r"""
- name: Read all zones
  hosting.panel.panel_dns_info:
  register: zones

- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ item.domain }}: {{ item.message }} {{ item.advice }}"
  loop: "{{ zones.dns | hosting.panel.panel_mail_dns | rejectattr('level', 'equalto', 'fine') }}"

- name: Add the records that are missing
  hosting.panel.panel_dns:
    domain: "{{ item.zone }}"
    records: ["{{ item.record }}"]
    append: true
  loop: >-
    {{ zones.dns | hosting.panel.panel_mail_dns
    | selectattr('problem', 'equalto', 'missing') | selectattr('record') }}
"""

RETURN = r"""
_value:
  description:
    - The findings, by domain. C(zone) is the main domain in whose zone the records of C(domain)
      are.
    - C(about) is V(spf), V(dkim), V(dmarc), V(mx), or V(zone) if the zones do not hold the records
      of a domain.
    - C(problem) is one word, for example V(missing), V(several), V(syntax), V(look_ups),
      V(other_key), V(revoked), V(unusable) or V(no_address).
    - C(level) is V(bad) if mail is lost or anyone can forge it, V(near) if something is weak, and
      V(fine) if it could be stricter.
    - C(message) is the problem, and C(advice) the remedy.
    - C(record) is the missing record. It is null if a record exists, or if the right value depends
      on you. It is also null if a new record would conflict with a CNAME or hide a wildcard.
  type: list
  elements: dict
  sample:
    - about: dmarc
      advice: Set one; p=none does not affect legitimate mail.
      domain: acme.example
      level: near
      message: There is no DMARC record, so receivers are not told what to do with forged mail, and
        some refuse bulk mail.
      problem: missing
      record: {host: _dmarc, type: TXT, value: v=DMARC1; p=none}
      zone: acme.example
"""

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_mail_dns(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """Return the findings of all domains; raises AnsibleFilterError."""
    from ..module_utils._errors import OptionError
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._mail_dns.judge import list_findings

    try:
        return list_findings(zones, domains, origin)
    except OptionError as error:
        message = f"hosting.panel.panel_mail_dns: {escape_control_characters(str(error))}"
        raise AnsibleFilterError(message) from None


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_mail_dns": with_checked_arguments(
                with_marked_result(panel_mail_dns), DOCUMENTATION
            )
        }
