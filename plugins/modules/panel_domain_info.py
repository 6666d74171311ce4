#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_domain_info
short_description: Read the domains of a hosting panel
version_added: 1.0.0
description:
  - Reads all domains with one request, or one of them by name or id.
  - Domains are main domains, subdomains or system domains; three options choose between them.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  domain:
    description:
      - Name of the domain to read, in punycode or UTF-8 and in any case. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the domain to read, as an alternative to O(domain). If it does not exist, the list is empty.
    type: int
  main_domains:
    description:
      - Whether to return main domains.
      - If one of O(main_domains), O(subdomains) and O(system_domains) is V(true), only those types are returned. If none is V(true), all types
        are returned except those that are V(false).
    type: bool
  subdomains:
    description: Whether to return subdomains. See O(main_domains).
    type: bool
  system_domains:
    description: Whether to return the panel's own domains for its clients. See O(main_domains).
    type: bool
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, domain, domain_utf8]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_domain
  - module: hosting.panel.panel_dns_info
"""

EXAMPLES = r"""
- name: Read all domains except the panel's own
  hosting.panel.panel_domain_info:
    system_domains: false
    sort: domain_utf8
  register: panel

- name: List those without TLS
  ansible.builtin.debug:
    msg: "{{ panel.domains | rejectattr('security.lets_encrypt') | rejectattr('security.id_certificate') | map(attribute='domain') }}"

- name: Read one domain
  hosting.panel.panel_domain_info:
    domain: acme.example
  register: acme
"""

RETURN = r"""
domains:
  description: The domains with all fields that the panel returns, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    id_user:
      description: Id of the client that it belongs to.
      type: int
    id_parent_domain:
      description: Id of the parent domain; V(0) for a main domain.
      type: int
    domain:
      description: Name of the domain in punycode.
      type: str
    domain_utf8:
      description: The same name in UTF-8.
      type: str
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
    created_at:
      description: When the domain was created.
      type: str
    php_version:
      description: PHP interpreter; an empty string is the panel's default.
      type: str
    traffic:
      description: Traffic in bytes.
      type: int
    is_disabled:
      description: Whether the domain is disabled.
      type: bool
    delete_on:
      description: When the panel deletes the domain, or V(null).
      type: str
    dkim_selector:
      description: Selector of the DKIM key.
      type: str
    dkim_record:
      description: The DKIM record.
      type: str
    is_custom_dns:
      description: Whether the zone is a custom zone, which the panel no longer updates.
      type: bool
    is_dns_disabled:
      description: Whether the domain has no DNS on this server.
      type: bool
    is_subdomain:
      description: Whether it is a subdomain.
      type: bool
    is_system_domain:
      description: Whether it is the panel's own domain for a client.
      type: bool
    is_email_domain:
      description: Whether the domain has e-mail.
      type: bool
    is_email_sending_only:
      description: Whether the domain only sends e-mail.
      type: bool
    target:
      description: Where the domain leads to.
      type: dict
    security:
      description: TLS settings.
      type: dict
    apache:
      description: Raw directives for the web server.
      type: dict
  sample:
    - id: 31
      id_user: 21
      id_parent_domain: 0
      domain: acme.example
      domain_utf8: acme.example
      status: 1
      created_at: "2026-11-21T13:00:00+01:00"
      php_version: "8.4"
      traffic: 7798784
      is_disabled: false
      delete_on: null
      dkim_selector: default
      dkim_record: 'default._domainkey IN TXT ( "v=DKIM1; k=rsa; p=MIIB" )'
      is_custom_dns: false
      is_dns_disabled: false
      is_subdomain: false
      is_system_domain: false
      is_email_domain: true
      is_email_sending_only: false
      target: {target: /acme.example/, is_forwarding: false, forwarding_type: 301}
      security: {id_certificate: 0, lets_encrypt: true, is_prefer_https: true, is_hsts: false}
      apache: {http_directives: "", https_directives: ""}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import (
    CLASS_OPTIONS,
    DOMAIN,
    build_class_query,
    filter_by_class,
)
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(
    DOMAIN, options=CLASS_OPTIONS, query=build_class_query, finish=filter_by_class
)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
