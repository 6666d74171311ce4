#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_files_sync
short_description: Copy or compare the files of a customer
version_added: 1.0.0
description:
  - Copies the content of a directory from one host to another with C(rsync), or compares both. It runs on the target, as root.
  - On the target, C(rsync) runs as the user O(owner), and on the source as O(source_owner). So it reads and writes only what these users can.
  - Copied are files, directories and links with their modes, times, hard links, ACLs, extended attributes of users, and holes of sparse files.
    Links stay links. What another user owns on the source becomes the owner's.
  - Devices, pipes and sockets are not copied, and neither is what O(owner) cannot read, or what another file system has that is mounted in the tree.
    RV(left_out) names them. They are never deleted on the target.
  - Filter files in the tree, such as C(.rsync-filter), have no effect.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.content, hosting.panel.content.source]
requirements:
  - rsync >= 3.5.0 on both hosts, or an older one with O(allow_old_rsync)
  - find and getent on both hosts, runuser on the source and setpriv on the target
options:
  src:
    description: Full path of the directory on the source. Its content is copied, without the directory.
    type: str
    required: true
  dest:
    description: Full path of the directory on the target. It exists and belongs to O(owner).
    type: str
    required: true
  owner:
    description: The user to whom O(dest) belongs, and O(src) too without O(source_owner). The numbers of a user may differ.
    type: str
    required: true
  source_owner:
    description: The user to whom O(src) belongs on another host, where it has another name than O(owner).
    type: str
  mode:
    description:
      - V(copy) copies what differs. Files that disappear from the source during the copy are no error.
      - V(final) does the same, but then they are an error.
      - V(compare) copies nothing. It reads all files on both sides and returns RV(differences).
    type: str
    choices: [copy, final, compare]
    default: copy
  delete:
    description:
      - Whether to delete what only the target has. What O(exclude) and RV(left_out) name stays.
      - If O(src) has nothing to copy and O(dest) has something, the task fails before it deletes. A file system may not be mounted there.
    type: bool
    default: false
  max_delete:
    description: If more entries than this would be deleted, the task fails before it copies.
    type: int
    default: 1000
  exclude:
    description:
      - Patterns of what is neither copied, compared nor deleted, as in section FILTER RULES of the manual of C(rsync).
      - A pattern that starts with a slash matches from O(src) on.
    type: list
    elements: str
    default: []
  checksum:
    description: Whether V(copy) and V(final) compare files by content. By default, files with the same size and time count as equal.
    type: bool
    default: false
  bandwidth:
    description: Limit in KiB per second.
    type: int
  timeout:
    description:
      - Seconds without an answer of the source after which the task fails. With V(0), only a lost connection ends it, after a minute.
    type: int
    default: 0
  allow_old_rsync:
    description:
      - Whether to use an C(rsync) older than 3.5.0, on either host.
      - In an older one, a customer who replaces directories by links during the copy can make it read or write elsewhere, as far as O(owner) can.
    type: bool
    default: false
notes:
  - A directory with C(cur), C(new) and C(tmp) in O(src) is a Maildir, and an error unless O(exclude) leaves it out.
    A second copy of a Maildir doubles and loses messages. Use M(hosting.panel.panel_mailbox_sync).
  - A mount point in O(dest) is an error unless O(exclude) names exactly its path, or a directory above it, with a slash at the beginning.
  - During the copy, incomplete files are in a directory next to O(dest) whose name starts with C(.hosting.panel-).
    If O(dest) is a mount point, the directory is in it. A task that was killed leaves it, and the next one removes it.
  - As O(owner) writes the files, its quota applies. A group is kept if O(owner) is in it.
seealso:
  - module: hosting.panel.panel_content_info
"""

EXAMPLES = r"""
- name: Copy the websites of a customer
  hosting.panel.panel_files_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    src: /home/users/acme/www
    dest: /home/users/acme/www
    owner: acme
    exclude: [/acme.example/cache]

- name: Copy what has changed since, and delete what is gone
  hosting.panel.panel_files_sync:
    source:
      host: old.example
      key_file: /etc/move/key
      known_hosts_file: /etc/move/known_hosts
    src: /home/users/acme/www
    dest: /home/users/acme/www
    owner: acme
    mode: final
    delete: true

- name: Compare two directories of one host
  hosting.panel.panel_files_sync:
    src: /home/users/acme/www
    dest: /home/users/acme/files/copy
    owner: acme
    mode: compare
  register: comparison
"""

RETURN = r"""
sent:
  description: Number of files, links and directories that were made or changed, except directories that only got another mode or time.
  returned: success
  type: int
  sample: 20143
deleted:
  description: Number of entries that were deleted.
  returned: success
  type: int
  sample: 0
bytes:
  description: Size of the files whose content was sent.
  returned: success
  type: int
  sample: 1073741824
left_out:
  description:
    - What of the source is not on the target, and not because of O(exclude).
    - Also directories that only the target has, and that are not deleted since O(exclude) keeps what is in them. They are no difference.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: From O(src) on. Backslashes, control characters and bytes that are no UTF-8 are escaped, as C(\x0a).
      type: str
    why:
      description: V(device), V(pipe), V(socket), V(unreadable), V(other file system) or V(excluded content).
      type: str
  sample: [{path: acme.example/run/php.sock, why: socket}]
differences:
  description:
    - With O(mode=compare), what differs in content, type, mode, time, links, ACL or extended attributes, or is on one side only.
    - Also what belongs to another user than O(owner) on the target.
    - Names from O(src) on, escaped as in RV(left_out). After 1,000 names, one last text says how many more there are. Else empty.
  returned: success
  type: list
  elements: str
  sample: [acme.example/index.php]
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
  sample: {type: ContentError, option: owner, problem: this host has no user acme., effect: Nothing was written., advice: ""}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.hosting.panel.plugins.module_utils._content.content_task import (
    run_content_task,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.task import (
    FILES_OPTIONS,
    sync_files,
)

OPTIONS = FILES_OPTIONS


def main() -> None:
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    result = run_content_task(module, lambda: sync_files(module.params, module.check_mode))
    module.exit_json(is_complete=True, **result)


if __name__ == "__main__":
    main()
