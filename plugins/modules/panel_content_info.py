#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_content_info
short_description: Count the files, messages and tables of a customer
version_added: 1.0.0
description:
  - Reads, on a host, how much its directories, mailboxes and databases hold, and what of them needs attention before a move.
  - It runs on the host that it describes, as root, and changes nothing.
author: [the hosting.panel contributors (!UNKNOWN)]
attributes:
  check_mode: {description: "Reads only.", support: full}
  diff_mode: {description: "Reads only.", support: N/A}
  idempotent: {description: "Reads only.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "Supports C(async).", support: full}
requirements:
  - python >= 3.9, < 3.14
  - find, doveadm for mailboxes, mariadb for databases
options:
  trees:
    description: Full paths of directories. A directory that does not exist, or a link, is an error.
    type: list
    elements: str
  mailboxes:
    description: Addresses of mailboxes, as Dovecot's user database has them. One that it does not know is an error.
    type: list
    elements: str
  databases:
    description: Names of databases. One that does not exist is an error.
    type: list
    elements: str
  username:
    description:
      - Describes what belongs to this system user instead of naming it. Databases are those whose names start with its name and C(_).
      - The directory is its home. A mailbox is described if it has the name of the user and Dovecot's user database knows it.
    type: str
  login:
    description: How to log in to the database server. By default root uses the socket that the client has built in.
    type: dict
    suboptions:
      socket:
        description: Path of the server's socket.
        type: path
      defaults_file:
        description: A file with options of the client, such as user and password.
        type: path
notes:
  - Rows are counted, which takes time in large tables.
seealso:
  - module: hosting.panel.panel_files_sync
"""

EXAMPLES = r"""
- name: See what a customer has on a host
  hosting.panel.panel_content_info:
    username: acme
  register: acme

- name: Measure what is about to be copied
  hosting.panel.panel_content_info:
    trees: [/home/users/acme/www]
    mailboxes: [info@acme.example]
    databases: [acme_db1]
"""

RETURN = r"""
content:
  description: What the host has.
  returned: success
  type: dict
  contains:
    versions:
      description: The version of C(rsync), C(dovecot), C(mariadb) and C(ssh), or null for one that is not installed.
      type: dict
    trees:
      description: Each directory. Lists of paths name 1,000 at most, then one last text says how many more there are.
      type: list
      elements: dict
      contains:
        path:
          description: The directory.
          type: str
        bytes:
          description: Size of all files. A file with several names counts once.
          type: int
        files:
          description: Number of files.
          type: int
        folders:
          description: Number of directories below it.
          type: int
        links:
          description: Number of symbolic links.
          type: int
        foreign:
          description: What belongs to another user than the directory, or than O(username). Paths from the directory on.
          type: list
          elements: str
        special:
          description: Devices, pipes and sockets, which are not copied.
          type: list
          elements: str
        leaving:
          description: Symbolic links to a full path outside of the directory.
          type: list
          elements: str
    mailboxes:
      description: Each mailbox.
      type: list
      elements: dict
      contains:
        address:
          description: Its address.
          type: str
        folders:
          description: Number of its IMAP folders.
          type: int
        messages:
          description: Number of its messages.
          type: int
        bytes:
          description: Size of its messages.
          type: int
    databases:
      description: Each database.
      type: list
      elements: dict
      contains:
        name:
          description: Its name.
          type: str
        tables:
          description: Number of tables.
          type: int
        rows:
          description: Number of rows of all tables.
          type: int
        bytes:
          description: Size of data and indexes, as the server estimates it.
          type: int
        engines:
          description: The storage engines of its tables.
          type: list
          elements: str
        routines:
          description: Number of procedures and functions.
          type: int
        triggers:
          description: Number of triggers.
          type: int
        events:
          description: Number of events.
          type: int
        views:
          description: Number of views.
          type: int
        definers:
          description: The accounts that own views, routines, triggers or events.
          type: list
          elements: str
  sample:
    versions: {rsync: 3.5.0, dovecot: 2.3.19.1, mariadb: 10.11.19, ssh: 9.2p1}
    trees:
      - path: /home/users/acme/www
        bytes: 1073741824
        files: 20143
        folders: 1200
        links: 3
        foreign: []
        special: [acme.example/php.sock]
        leaving: []
    mailboxes: [{address: info@acme.example, folders: 6, messages: 2041, bytes: 91226112}]
    databases:
      - name: acme_db1
        tables: 12
        rows: 50210
        bytes: 8388608
        engines: [InnoDB]
        routines: 0
        triggers: 0
        events: 0
        views: 1
        definers: [acme@localhost]
is_complete:
  description:
    - Whether the task has done all that it was to do, or would do so in check mode. It is false after every failure.
    - With C(failed_when=false), a later task can check it.
  returned: always
  type: bool
  sample: true
error:
  description:
    - What failed. Its C(type) is V(ContentError), or V(Defect) for an error of the collection itself.
    - A V(ContentError) has the C(option) to blame, which may be empty. Its C(problem), C(effect) and C(advice) are the sentences of the message.
  returned: failure
  type: dict
  sample: {type: ContentError, option: username, problem: this host has no user acme., effect: "", advice: ""}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.hosting.panel.plugins.module_utils._content.content_task import (
    run_content_task,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.info_task import (
    INFO_OPTIONS,
    OBJECTS,
    read_content,
)

OPTIONS = INFO_OPTIONS


def main() -> None:
    module = AnsibleModule(
        argument_spec=OPTIONS,
        supports_check_mode=True,
        required_one_of=[("username", *OBJECTS)],
        mutually_exclusive=[("username", name) for name in OBJECTS],
    )
    content = run_content_task(module, lambda: read_content(module.params))
    module.exit_json(changed=False, is_complete=True, content=content)


if __name__ == "__main__":
    main()
