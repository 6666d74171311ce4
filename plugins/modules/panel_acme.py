#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_acme
short_description: "Part of the role hosting.panel.certificate: order certificates from an authority where they are due, upload and assign them"
version_added: 1.0.0
description:
  - Orders certificates by ACME, proves the names by DNS with records in the panel's zones, uploads the certificates under stable names, and has
    domains use them.
  - All challenge records of a run are written with one write for each zone, waited for at every name server of the zone, and removed in any case.
    A run that is killed is taken up by the next one, which also removes the records that it left. Records of others are never touched.
  - A zone in which a challenge was written becomes a custom one, which the panel does not adapt any more.
    O(hosting.panel.panel_dns#module:state=default) leads back.
  - Keys are made on the controller, and kept there in an encrypted file before they are used.
  - A certificate is ordered where there is none, where it ends within O(renew_days), or where its names, O(key_type) or O(acme_directory) changed.
  - The role P(hosting.panel.certificate#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns what would be ordered, orders nothing and writes nothing. It reads the authority's directory.
    support: full
  diff_mode:
    description: There is nothing to show but what RV(lines) says.
    support: none
  idempotent:
    description: A second run orders nothing before O(renew_days) and writes nothing.
    support: full
requirements:
  - the collection community.crypto from 3.0.0 on and before 4.0.0, on the controller
  - the Python library dnspython, on the controller
options:
  items:
    description: The certificates, a list of dictionaries.
    type: raw
    required: true
    suboptions:
      name:
        description: Name of the certificate on the panel, which it keeps when it is renewed.
        type: str
        required: true
      client:
        description: Username of the client that it belongs to.
        type: str
        required: true
      domains:
        description: Names that it is for, in punycode or UTF-8, also wildcards, 100 at most. Each has to lie in a zone of the panel.
        type: list
        elements: str
        required: true
      assign:
        description: Domains of the client that are to use it. Each has to be covered by it.
        type: list
        elements: str
  acme_directory:
    description: Address of the authority's directory.
    type: str
    required: true
  acme_ca_path:
    description: File with the CA that the authority's own address is verified with, where the system does not know it.
    type: path
  account_email:
    description: Address that the authority may write to. Without one the account is made without one.
    type: str
  terms_agreed:
    description: Whether you agree to the authority's terms of service. Without it nothing is ordered.
    type: bool
    default: false
  state_dir:
    description:
      - Folder on the controller for the file C(certificates.yml), which has the account keys and the certificates with their keys, encrypted with the
        run's Vault secret. It is made where its last part is missing.
      - Keep it. Without it all certificates are ordered again.
    type: path
    required: true
  key_type:
    description: Type of the keys of certificates.
    type: str
    choices: [ec256, ec384, rsa2048, rsa3072, rsa4096]
    default: ec256
  renew_days:
    description: A certificate that ends within so many days, 398 at most, is ordered anew.
    type: int
    default: 30
  dns_timeout:
    description: Seconds for which the name servers are waited for.
    type: int
    default: 300
  order_timeout:
    description: Seconds for which the authority is waited for after that. An order that it has not decided by then goes on in the next run.
    type: int
    default: 300
  nameservers:
    description:
      - Name servers at which the challenge records are waited for, as names or as addresses, perhaps with a port, such as V(192.0.2.53:5353).
      - Omitted, those that each zone names for itself.
    type: list
    elements: raw
    default: []
  metrics_file:
    description:
      - File for a monitoring system, as OpenMetrics, that says until when each certificate is valid, and which were issued or failed. It is replaced
        by each run that could read the panel and was not refused. A file holds one panel.
    type: path
seealso:
  - module: hosting.panel.panel_certificate
  - module: hosting.panel.panel_dns
"""

EXAMPLES = r"""
- name: A wildcard certificate for a customer
  hosting.panel.panel_acme:
    acme_directory: https://acme-staging-v02.api.letsencrypt.org/directory
    account_email: hostmaster@provider.example
    terms_agreed: true
    state_dir: certificates
    items:
      - name: acme.example
        client: acme
        domains: [acme.example, "*.acme.example"]
        assign: [acme.example]
"""

RETURN = r"""
certificates:
  description: The certificates as they are after the task.
  returned: when the options are right
  type: list
  elements: dict
  contains:
    name:
      description: Name on the panel.
      type: str
    domains:
      description: Names that it is for, in punycode.
      type: list
      elements: str
    not_after:
      description: Until when the one is valid that the panel has after the task; V(null) where it has none. In check mode, the one that it has now.
      type: str
    renewed:
      description: Whether it was issued in this run, or would be.
      type: bool
    assigned:
      description: The domains of C(assign) that use it.
      type: list
      elements: str
lines:
  description: The same for a person, at most 400 of them.
  returned: when the options are right
  type: list
  elements: str
failures:
  description: A line for each certificate that failed, in the authority's own words as far as they are shown.
  returned: when the options are right
  type: list
  elements: str
"""
