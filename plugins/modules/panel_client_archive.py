#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_archive
short_description: "Part of the role hosting.panel.offboard: write everything that a panel tells about a client into a folder on the controller"
version_added: 1.0.0
description:
  - Reads the client, all that belongs to it, its statistics and its traffic of the last twelve months, and writes that into a folder of its own
    in O(directory). The panel is only read.
  - The archive is written whole and verified, or not at all. The old one stays until the new one is on the disk, and nothing is written where
    anything could not be read, or where something of the client came or went meanwhile.
  - It holds JSON files with all that the panel shows, a zone file in BIND format for each zone with records, each certificate in PEM, the file
    C(rebuild.yml) which C(hosting.panel.apply) takes, and C(manifest.json) with the SHA-256 of each file. No password, hash or private key is in
    it.
  - An archive that has the same content already and is whole stays as it is. What only suspending changes, which is C(is_suspended) and
    C(status), counts as the same. Months of traffic that an older archive has are kept.
  - Nothing that an older archive alone has is lost. It is kept beside the new one, under its name with the time when it was made, where it has
    objects or DNS records that the client has no more, and where it is damaged. The task fails where the archive's folder holds anything else,
    such as a dump of a database or a link, since the folder is replaced as a whole.
  - The role P(hosting.panel.offboard#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, reads the same and writes nothing.
    support: full
  diff_mode:
    description: The files are not shown.
    support: none
  idempotent:
    description: A second run writes nothing while the client has the same. Statistics and traffic are part of that.
    support: full
options:
  username:
    description: Name of the client.
    type: str
    required: true
  directory:
    description:
      - Folder on the controller for archives, relative to the one that C(ansible-playbook) was started in. It is made where only its last part is
        missing.
      - The archive's own folder is named after the client, the panel and the client's id, so that a later client with the same name has another
        one. Folders get mode 0700 and files 0600.
    type: path
    required: true
  expected:
    description:
      - The deletion of the client as RV(hosting.panel.panel_resources#module:plan) has it, for whoever archives a client and then deletes it. The
        task fails, and writes nothing, where the client or anything that it has is not there by the same id, and says what.
    type: dict
notes:
  - Zone files need the Python library C(dnspython) on the controller. Without it nothing is read or written.
seealso:
  - module: hosting.panel.panel_client_info
"""

EXAMPLES = r"""
- name: Archive what the panel knows of a client
  hosting.panel.panel_client_archive:
    username: acme
    directory: /srv/archives
  register: acme
"""

RETURN = r"""
exists:
  description: Whether the client is on the panel. If not, the rest is about its newest archive; without one the task fails.
  returned: success
  type: bool
id:
  description: The panel's id of the client.
  returned: when the client is on the panel
  type: int
archive:
  description: Path of the archive.
  returned: success
  type: str
  sample: /srv/archives/acme-panel.example-17
archived_at:
  description: When the archive was written.
  returned: success
  type: str
  sample: "2026-11-21T15:00:00+00:00"
objects:
  description: How many objects of each kind belong to the client.
  returned: success
  type: dict
  sample: {domains: 3, emails: 12}
files:
  description: How many files the archive has, without its manifest.
  returned: success
  type: int
earlier:
  description: Where the older archive is kept.
  returned: when it has something that the client has no more, or is damaged
  type: str
  sample: /srv/archives/acme-panel.example-17.20261024T150000
left_out:
  description: By path why a file was left out, such as a zone file for a domain whose DNS is disabled.
  returned: success
  type: dict
"""
