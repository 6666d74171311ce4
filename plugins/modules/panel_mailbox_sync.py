#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_mailbox_sync
short_description: Copy or compare a mailbox
version_added: 1.0.0
description:
  - Copies a mailbox from one host to another with C(doveadm), or compares two mailboxes. It runs on the target, as root.
  - UIDVALIDITY, UIDs, flags and dates stay the same. So mail programs do not download everything again.
  - Mail that the target has received stays in every mode. If its UID is taken, a message gets a new one.
  - Prefixes and separators may differ, as in V(Work/2025) and V(INBOX.Work.2025). IMAP folders get the names of the target,
    and RV(differences) has those of the source. If C(doveadm) cannot do that, the task fails before it writes anything.
  - Nothing is written on the source.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.content, hosting.panel.content.source]
requirements:
  - Dovecot on both hosts, tested with 2.3.19 and 2.4.1
options:
  address:
    description: Address of the mailbox in the user database of the target, without wildcards.
    type: str
    required: true
  source_address:
    description: Address of the mailbox on the source. By default, the same.
    type: str
  doveadm_args:
    description:
      - Options of C(doveadm) that name the mailbox on the target if no user database does.
      - They are put before the command, in place of C(-u) and O(address).
      - Dovecot 2.4 also needs C(--no-userdb-lookup), which is put behind the command.
    type: list
    elements: str
    default: []
  source_doveadm_args:
    description: The same for the source, in place of C(-u) and O(source_address).
    type: list
    elements: str
    default: []
  mode:
    description:
      - V(copy) copies what is new on the source.
      - V(late) does the same while the target already receives mail.
      - V(compare) copies nothing, and returns RV(differences).
    type: str
    choices: [copy, late, compare]
    default: copy
notes:
  - It runs C(doveadm sync -1 -R -f), and up to three times again if C(doveadm) asks for that.
  - After a copy, both sides are compared. If a message or an IMAP folder of the source is missing, the task fails and RV(differences) names it.
  - Messages are compared by their identities, UIDs, sizes, flags and dates. Subscriptions of IMAP folders are copied, and not compared.
  - What was copied and then deleted on the target stays deleted, and RV(deleted_on_target) counts it.
    For this, digests of the identities of all copied messages are kept in C(/var/lib/hosting.panel).
  - Public and shared namespaces, Sieve scripts and quotas are not copied. The guide
    L(Move a customer,https://hosting-panel.example/hosting.panel/blob/main/docs/moving.md#rare-cases) lists rare cases.
seealso:
  - module: hosting.panel.panel_files_sync
"""

EXAMPLES = r"""
- name: Copy a mailbox
  hosting.panel.panel_mailbox_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    address: info@acme.example

- name: Copy mail that still arrived at the old host
  hosting.panel.panel_mailbox_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    address: info@acme.example
    mode: late

- name: Compare two mailboxes of one host that are in no user database
  hosting.panel.panel_mailbox_sync:
    address: info@acme.example
    doveadm_args: [-c, /etc/dovecot/new.conf]
    source_doveadm_args: [-c, /etc/dovecot/old.conf]
    mode: compare
  register: comparison
"""

RETURN = r"""
folders:
  description: Number of IMAP folders on the target.
  returned: success
  type: int
  sample: 7
messages:
  description: Number of messages on the target.
  returned: success
  type: int
  sample: 2041
digest:
  description: SHA-256 of names, UIDVALIDITY, UIDs, identities, sizes, flags and dates on the target. Equal mailboxes have the same.
  returned: success
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
deleted_on_target:
  description:
    - Number of messages of the source that were copied before, and were deleted on the target since.
    - Dovecot also takes a message for deleted if its file was lost on the disk of the target.
    - Only O(mode=compare) names both in RV(differences).
  returned: success and failure after a copy, and in check mode, if O(mode) is V(copy) or V(late)
  type: int
  sample: 3
differences:
  description:
    - With O(mode=compare), what is not equal.
    - Else what of the source is not on the target, which is a failure. In check mode, what would be copied.
    - After 1,000 differences, one more counts the others.
  returned: success, and failure after a copy
  type: list
  elements: dict
  contains:
    folder:
      description: Name of the IMAP folder. Backslashes, control characters and bytes that are no UTF-8 are escaped, as C(\x0a).
      type: str
    why:
      description: What is different.
      type: str
  sample: [{folder: INBOX.Work, why: 1 message is missing on the target (UID 12)}]
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
  sample: {type: ContentError, option: address, problem: "'-a' is no address.", effect: Nothing was written., advice: ""}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.hosting.panel.plugins.module_utils._content.content_task import (
    run_content_task,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.task import (
    MAILBOX_OPTIONS,
    sync_mailbox,
)

OPTIONS = MAILBOX_OPTIONS


def main() -> None:
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    result = run_content_task(module, lambda: sync_mailbox(module.params, module.check_mode))

    for warning in result.warnings:
        module.warn(warning)
    if result.error is not None:
        module.fail_json(
            msg=result.failure,
            error=result.error.describe(),
            is_complete=False,
            **result.values,
        )
    module.exit_json(is_complete=True, **result.values)


if __name__ == "__main__":
    main()
