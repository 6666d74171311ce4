#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_domain
short_description: Manage the domains of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes main domains and subdomains.
  - Only the options that you set are managed.
  - Deleting a domain deletes its subdomains, its mailboxes and its DNS zone with it.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.resource.wait
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_extra
options:
  domain:
    description:
      - Name of the domain, in punycode or UTF-8 and in any case. It cannot be changed.
      - Either this or O(id) is required.
    type: str
  client:
    description:
      - Name of the client that owns the domain. Required to create a main domain. Default of a subdomain is the owner of its parent domain.
      - It cannot be changed later. A different client is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client).
    type: int
  parent_domain:
    description:
      - Name of the domain above this one. If you omit it on creation, or if it is empty, the domain is a main domain.
      - It cannot be changed later. A different parent domain is an error.
      - Mutually exclusive with O(id_parent_domain).
    type: str
  id_parent_domain:
    description: Id of the parent domain, as an alternative to O(parent_domain). V(0) is a main domain.
    type: int
  php_version:
    description: PHP interpreter of the domain, such as V("8.3"), in quotes. An empty string selects the panel's default.
    type: str
  is_disabled:
    description: Whether the domain is disabled.
    type: bool
  delete_on:
    description:
      - Day on which the panel deletes the domain. Use V(YYYY-MM-DD). An empty string clears it.
      - A date with time and offset is also accepted. If the panel stores days only, the time is ignored.
    type: str
  dkim_selector:
    description: Selector under which the domain's DKIM key is published. For main domains only; it cannot be empty.
    type: str
  is_email_domain:
    description: Whether the domain has e-mail. The panel's default is V(true) for main domains and V(false) for subdomains.
    type: bool
  is_email_sending_only:
    description: Whether the domain only sends e-mail and receives none. It needs O(is_email_domain=true).
    type: bool
  target:
    description:
      - Directory or URL of the domain, managed field by field. V({}) is an error; list the fields to change.
    type: dict
    suboptions:
      target:
        description:
          - A directory below the client's C(www) such as V(/shop.example.com/), or a URL to forward to.
          - Slashes around a directory make no difference; V(/) and an empty string are C(www) itself. A URL is compared as it is written.
          - If you omit it on creation, the panel makes a directory with the name of the domain.
        type: str
      forwarding_type:
        description: Status of a forwarding, permanent (301) or temporary (302).
        type: int
        choices: [301, 302]
      is_forwarding:
        description: Ignored. It is accepted because M(hosting.panel.panel_domain_info) returns it.
        type: raw
  security:
    description:
      - TLS settings, managed field by field. V({}) is an error; list the fields to change.
      - A domain has one certificate, from Let's Encrypt or uploaded, or none. Choosing one removes the other.
    type: dict
    suboptions:
      certificate:
        description:
          - Name of an uploaded certificate, see M(hosting.panel.panel_certificate). An empty string means none.
          - Mutually exclusive with O(security.id_certificate), and with O(security.lets_encrypt=true).
        type: str
      id_certificate:
        description: Id of the certificate, as an alternative to O(security.certificate). V(0) means none.
        type: int
      lets_encrypt:
        description: Whether the panel gets and renews a certificate from Let's Encrypt.
        type: bool
      is_prefer_https:
        description: Whether requests without TLS are redirected to HTTPS.
        type: bool
      is_hsts:
        description: Whether browsers must use HTTPS only (HSTS).
        type: bool
      hsts_max_age:
        description: Seconds that browsers remember O(security.is_hsts), from 0.
        type: int
      hsts_include:
        description: Whether O(security.is_hsts) includes subdomains.
        type: bool
      hsts_preload:
        description: Whether browsers may put the domain on their preload lists.
        type: bool
  apache:
    description:
      - Raw directives for the web server, managed field by field. V({}) is an error; list the fields to change.
      - The panel writes them unfiltered into a virtual host that is read as root. Anyone who sets them controls the server. Use trusted input
        only.
    type: dict
    suboptions:
      http_directives:
        description: Directives of the virtual host without TLS. An empty string clears it.
        type: str
      https_directives:
        description: Directives of the virtual host with TLS. An empty string clears it.
        type: str
  create_www_subdomain:
    description:
      - Whether the panel makes the subdomain C(www) with a main domain.
      - Used on creation only.
    type: bool
  is_dns_disabled:
    description:
      - Whether a main domain is created without DNS on this server.
      - Used on creation only. If an existing domain differs, the task warns. M(hosting.panel.panel_dns) changes it later.
    type: bool
notes:
  - A task costs one request, one for each object that it refers to, and one to write.
  - 'If the client does not exist, the task fails before it writes, with C(client: there is no client acme on this panel).'
seealso:
  - module: hosting.panel.panel_domain_info
  - module: hosting.panel.panel_dns
  - module: hosting.panel.panel_certificate
"""

EXAMPLES = r"""
- name: Create a main domain with a certificate from Let's Encrypt
  hosting.panel.panel_domain:
    domain: acme.example
    client: acme
    create_www_subdomain: true
    security:
      lets_encrypt: true
      is_prefer_https: true

- name: Create a subdomain in its own directory; the owner is the parent domain's
  hosting.panel.panel_domain:
    domain: shop.acme.example
    parent_domain: acme.example
    php_version: "8.3"
    target:
      target: /shop/public/

- name: Forward a domain
  hosting.panel.panel_domain:
    domain: old-acme.example
    client: acme
    target:
      target: https://acme.example/
      forwarding_type: 301

- name: Replace the certificate of Let's Encrypt with an uploaded one
  hosting.panel.panel_domain:
    domain: acme.example
    security:
      certificate: acme 2026

- name: Let the panel delete a domain on a day
  hosting.panel.panel_domain:
    domain: old-acme.example
    delete_on: "2099-12-31"

- name: Delete a domain with its subdomains, mailboxes and zone
  hosting.panel.panel_domain:
    domain: old-acme.example
    state: absent
"""

RETURN = r"""
domain:
  description:
    - The domain after the task, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - After a change, fields that the panel derives from others, such as C(dkim_record), still have their old values. Set O(read_back=true) to
      read them again.
    - M(hosting.panel.panel_domain_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 31
    domain: acme.example
    id_user: 21
    security:
      lets_encrypt: true
      is_prefer_https: true
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(DOMAIN)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
