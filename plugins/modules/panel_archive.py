#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_archive
short_description: Archive everything that a panel shows about a client
version_added: 1.0.0
description:
  - Reads the client, everything it owns, its statistics and its traffic of the last twelve months. Writes nothing to the panel.
  - Writes an archive into its own directory in O(dir), whole and verified or not at all. The old archive stays until the new one is on the disk.
  - The archive holds a JSON file for each type of object, a zone file for each zone, and each certificate as PEM. M(hosting.panel.panel_resources)
    takes its file C(rebuild.yml). C(manifest.json) has the SHA-256 of each file.
  - A text that Ansible could take for a template is marked with C(!unsafe) in C(rebuild.yml). In the JSON files it is a dictionary with the text
    under C(__ansible_unsafe), so that Ansible never evaluates a customer's words. P(hosting.panel.panel_from_json#filter) reads them without marks.
  - The archive holds no password, hash or private key.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.controller]
requirements: [dnspython >= 2.3 on the controller for zone files]
attributes:
  check_mode:
    description: Can run in check mode, reads the same and writes nothing.
    support: full
  diff_mode:
    description: The files are not shown.
    support: none
  idempotent:
    description: A second run writes nothing unless the client, its statistics or its traffic changed. Suspension does not count.
    support: full
options:
  username:
    description: Username of the client. A client that is not on the panel is an error, unless it has an archive, which stays as it is.
    type: str
    required: true
  dir:
    description:
      - Directory on the controller for archives, relative to the one in which C(ansible-playbook) was started. If only its last part is missing, the
        module creates it.
      - The archive's own directory is named after the client, the panel and the client's id. Directories get mode 0700 and files 0600.
    type: path
    required: true
  expected:
    description:
      - The deletion of the client as an action of RV(hosting.panel.panel_resources#module:plan). An empty dictionary means that there was no
        client.
      - The task fails before it writes anything if something was added or removed since the plan was made.
    type: dict
notes:
  - If an older archive is damaged, or has objects or records that the client no longer has, the module keeps it beside the new one. The new one
    takes over older months of traffic.
  - The task fails if the archive's directory holds anything else, such as a database dump or a link. Keep your own files elsewhere.
  - Files, mails and contents of databases are not in the archive, since the API does not reach them.
  - It costs one request for each type of object, each month and each zone. If a list leaves fields out, each object costs one more.
seealso:
  - module: hosting.panel.panel_client_info
  - module: hosting.panel.panel_resources
"""

EXAMPLES = r"""
- name: Archive what the panel knows of a client
  hosting.panel.panel_archive:
    username: acme
    dir: archives
  register: acme

- name: Plan the deletion of a client
  hosting.panel.panel_resources:
    resources:
      clients:
        - {username: acme, state: absent}
    max_deletes: 1000
  check_mode: true
  register: deletion

- name: Archive exactly what the deletion would take
  hosting.panel.panel_archive:
    username: acme
    dir: archives
    expected: "{{ deletion.plan.actions | first }}"
"""

RETURN = r"""
exists:
  description: Whether the client is on the panel. If not, the rest is about its newest archive.
  returned: success
  type: bool
  sample: true
id:
  description: The panel's id of the client.
  returned: when the client is on the panel
  type: int
  sample: 17
archive:
  description: Path of the archive.
  returned: success
  type: str
  sample: archives/acme-panel.example-17
archived_at:
  description: When the archive was written.
  returned: success
  type: str
  sample: "2026-11-21T15:00:00+00:00"
objects:
  description: How many objects of each type belong to the client.
  returned: success
  type: dict
  sample: {domains: 3, emails: 12}
earlier:
  description: Where the older archive is kept.
  returned: when the older archive has something that the client no longer has, or is damaged
  type: str
  sample: archives/acme-panel.example-17.20261024T150000
left_out:
  description:
    - Reasons for missing files by path, for example a zone file of a domain whose DNS is disabled, and what
      C(rebuild.yml) or a zone file lacks.
    - It also has the files that show asterisks in place of a secret of the task, such as the API key, with the names of the fields.
  returned: success
  type: dict
  sample: {zones/acme.example.zone: "The zone has no records, since DNS is disabled for the domain."}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: ArchiveError}
"""
