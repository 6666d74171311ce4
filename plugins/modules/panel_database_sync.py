#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_database_sync
short_description: Copy or compare the MariaDB database of a customer
version_added: 1.0.0
description:
  - Copies a database from one MariaDB server to another, or compares both. It runs on the target, as root.
  - It compares the number of rows and two checksums of every table, C(CHECKSUM TABLE) and one that keeps columns apart. It also compares columns,
    indexes and keys, the collation of the database, and views, routines, triggers and events without their definers.
  - If a table differs, it removes all tables from the target and copies them. Then it compares again. If a table is not equal although the source has
    not changed, the task fails. What has changed on the source during the copy is in RV(differences).
  - The import runs as a temporary account that has privileges in this database alone, in a client that runs no commands and reads no files. To create
    routines, triggers, events and views, it also has the privilege C(SET USER), which names their owner. The account is removed afterwards. If a task
    is killed, the next one removes it.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.content, hosting.panel.content.source]
requirements:
  - mariadb on both hosts, tested with 10.11 and 11.8, with the option C(--sandbox) on the target
  - mariadb-dump on the source
options:
  name:
    description: The database on the target. It exists.
    type: str
    required: true
  source_name:
    description: The database on the source. Default is O(name).
    type: str
  definer:
    description:
      - The account on the target that owns all views, routines, triggers and events, such as V(acme_db1@localhost). It exists.
      - Without O(definer), they are not copied, and RV(left_out) names them.
    type: str
  login:
    description: How to reach the server of the target. Default is its socket, as root.
    type: dict
    suboptions:
      socket:
        description: Full path of the socket. Default is the one that the client uses.
        type: path
      defaults_file:
        description: Full path of a file with options of the client, such as V(/etc/mysql/debian.cnf). Without it, the client reads no such file.
        type: path
  source_login:
    description: How to reach the server of the source. Both paths are paths on the source.
    type: dict
    suboptions:
      socket:
        description: Full path of the socket. Default is the one that the client uses.
        type: path
      defaults_file:
        description: Full path of a file with options of the client. Without it, the client reads no such file.
        type: path
  mode:
    description: V(copy) makes the target equal. V(compare) writes nothing and returns RV(differences).
    type: str
    choices: [copy, compare]
    default: copy
  replace:
    description:
      - Whether to remove tables, views, routines, triggers and events from the target that no earlier task copied there.
      - Without it, they are an error. The names of those that were copied are in C(/var/lib/hosting.panel) on the target.
    type: bool
    default: false
  events:
    description:
      - Whether events are enabled and disabled as on the source. If nothing else differs, only the events change.
      - Without it, they arrive disabled, so they do not run on both servers.
    type: bool
    default: false
notes:
  - The rows of InnoDB tables are read as they were at one moment. Tables of MyISAM and Aria are not locked, so copy again when nothing is written.
  - Accounts and their privileges are not copied. The comment of the database is neither copied nor compared.
  - The server of the target needs C(log_bin_trust_function_creators) for routines and triggers if it writes a binary log. Without it,
    they are in RV(differences).
  - The guide L(Move a customer,https://hosting-panel.example/hosting.panel/blob/main/docs/moving.md#rare-cases) lists rare cases.
seealso:
  - module: hosting.panel.panel_files_sync
"""

EXAMPLES = r"""
- name: Copy a database
  hosting.panel.panel_database_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    name: acme_db1
    definer: acme_db1@localhost

- name: Copy what has changed since, and enable the events
  hosting.panel.panel_database_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    name: acme_db1
    definer: acme_db1@localhost
    events: true

- name: Compare two databases of one host
  hosting.panel.panel_database_sync:
    name: acme_db2
    source_name: acme_db1
    definer: acme_db2@localhost
    mode: compare
  register: comparison
"""

RETURN = r"""
tables:
  description: Number of tables on the target. In check mode, as it would be.
  returned: success
  type: int
  sample: 12
rows:
  description: Number of rows in all tables of the target. In check mode, as it would be.
  returned: success
  type: int
  sample: 40211
programs:
  description: Number of views, routines, triggers and events of the target. In check mode, as it would be.
  returned: success
  type: int
  sample: 3
digest:
  description:
    - SHA-256 of what the target holds, tables with their rows and programs without their definers. It stays the same as long as that does. In check
      mode, as it would be.
  returned: success
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
definers:
  description: Every view, routine, trigger and event of the target whose definer is another one on the source.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(view), V(function), V(procedure), V(package), V(package body), V(trigger) or V(event).
      type: str
    name:
      description: Its name. Backslashes and control characters are escaped, as C(\x0a).
      type: str
    from:
      description: The definer on the source.
      type: str
    to:
      description: The definer on the target.
      type: str
  sample: [{kind: view, name: totals, from: root@localhost, to: acme_db1@localhost}]
left_out:
  description: What of the source is not copied, because it is a MERGE table, because of O(definer), or because it does not work on the source either.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(table), or as in RV(definers).
      type: str
    name:
      description: As in RV(definers).
      type: str
    why:
      description: The reason.
      type: str
  sample: [{kind: event, name: cleanup, why: its time has passed}]
differences:
  description:
    - What differs. After a copy, that is what has changed on the source during the copy. It also names each view, routine, trigger and event that the
      server of the target refuses. In check mode, it is what would be copied.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(database), V(table), or as in RV(definers).
      type: str
    name:
      description: As in RV(definers).
      type: str
    why:
      description: In what it differs.
      type: str
  sample: [{kind: table, name: orders, why: its number of rows is 10 and not 12}]
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
  sample: {type: ContentError, option: name, problem: mysql belongs to the server itself and is never copied., effect: "", advice: ""}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.hosting.panel.plugins.module_utils._content.content_task import (
    run_content_task,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.task import (
    DATABASE_OPTIONS,
    sync_database,
)

OPTIONS = DATABASE_OPTIONS


def main() -> None:
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    result = run_content_task(module, lambda: sync_database(module.params, module.check_mode))
    module.exit_json(is_complete=True, **result)


if __name__ == "__main__":
    main()
