#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_import
short_description: Write the customers of ISPConfig or froxlor as a directory of files
version_added: 1.0.0
description:
  - Reads the data of another hosting panel, and writes it as a directory of files on the controller, as M(hosting.panel.panel_export) does.
    O(hosting.panel.panel_resources#module:resources_dir) reads the directory, for any panel. The module itself writes to no panel.
  - Every object of the source is in RV(carried), or in RV(left_out) with the reason. O(page_file) shows the same for people.
  - Hashes of passwords and private keys are encrypted one by one with the Vault password of the run. So is each command of a scheduled task that may
    hold a password. The module never writes a password in plain text.
  - A second run on the same source writes nothing. The module fails and writes nothing if a file was changed since an import wrote it, if another
    program wrote it, or if it is a link. It also fails if more of the clients' files would be removed than kept.
  - The source is read as data. Nothing of it is executed or evaluated.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.attributes.controller_alone]
requirements: [requests >= 2.28 on the controller for O(source_url)]
attributes:
  check_mode:
    description: Predicts which files change, and writes none. A directory or file that cannot be written is an error in check mode too.
    support: full
  diff_mode:
    description: Returns the text of every file of the directory that changes, with secrets encrypted.
    support: full
  idempotent:
    description: An unchanged source changes no file. An unchanged secret keeps its encrypted text.
    support: full
options:
  source:
    description:
      - The panel that is read. The API of froxlor does not show hashes of mailboxes and database users, codes of redirects, and aliases whose
        target is gone. A dump does.
    type: str
    required: true
    choices: [ispconfig, froxlor]
  path:
    description:
      - What was read from the panel. It is a directory with the answers of its API, or a file that C(mysqldump) or C(mariadb-dump) wrote of its
        database.
      - The directory has one file for each function, named after it, such as C(client_get.json) or C(Customers.listing.json).
      - The directory may be the one of an earlier O(source_dump_dir).
      - With froxlor, a file C(mysql_user.tsv) beside the dump or in the directory is read too. It has the columns C(User), C(Host) and
        C(authentication_string) of C(mysql.user), as C(mysql --batch) writes them.
      - Either O(path) or O(source_url) is required.
    type: path
  source_url:
    description:
      - The address of a panel that runs, such as V(https://old.example.com:8080). The module then asks its API in place of O(path). It is at
        C(/remote/json.php) with ISPConfig, and at C(/api.php) with froxlor, below the path of the address if that has one.
      - Only functions that read are called. The session of ISPConfig is closed also after an error, and redirects are not followed. Plain C(http) is
        for loopback addresses only.
    type: str
  source_username:
    description: The name of a remote user of ISPConfig, or a key of froxlor's API. Required with O(source_url), and refused without.
    type: str
  source_password:
    description: The password of this user, or the secret of the key. Required with O(source_url), and refused without.
    type: str
  source_ca_path:
    description: A file with the authorities that are trusted for O(source_url). Default is those of the controller. Refused without
      O(source_url).
    type: path
  source_dump_dir:
    description:
      - A directory in which the answers of O(source_url) are kept, each as a file that is encrypted with the Vault password of the run. O(path) reads
        it. It lies outside of O(dir), and is created if it does not exist. Default is that no answer is kept.
      - With froxlor, a file C(mysql_user.tsv) in it or beside it is read too, as with O(path). Without one, the users of databases get new passwords.
      - It is written last, and does not count as a change. A file in it that was not kept by such a run is never replaced.
    type: path
  dir:
    description: The directory that is written, relative to the one in which C(ansible-playbook) was started. It is created if it does not exist.
    type: path
    required: true
  page_file:
    description: A page in Markdown about what arrives, what customers notice, and what is left out with the reason. Default is no page.
    type: path
  content_file:
    description:
      - A file in JSON with the directories, mailboxes and databases whose content is to be copied. It lies outside of O(dir). Default is no file.
      - What the role content would not take is not in it, and RV(left_out) names it with the field V(content).
      - P(hosting.panel.panel_from_json#filter) reads it.
    type: path
  clients:
    description:
      - Usernames of the source. Only the files of these customers are written, and C(panel.yml) if it lacks a hosting plan of theirs. All other
        files stay as they are.
      - A name that the source does not have is an error. Default is everybody.
    type: list
    elements: str
  mapping:
    description:
      - Decisions about names and values of the source, as a dictionary. Each part is optional. RV(questions) names what was assumed.
      - C(usernames), C(hosting_plans), C(php_versions), C(languages) and C(addresses) are dictionaries of a word of the source and the one for the
        new panel. A plan in C(hosting_plans) is not written, since the panel has it.
      - C(paths) is a dictionary of an absolute path prefix of the source and one below the client's home. C(mailbox_size) is for mailboxes without a
        limit, C(10G) by default. C(skip) is a list of kinds that are not written, such as C(dns).
      - A word, address or prefix that the source does not have is an error that names it.
    type: dict
  passwords:
    description:
      - What becomes of passwords. With V(keep), which is the default, the directory has the hashes of the source, as far as the panel takes them. All
        other objects get a new password when the directory is applied. V(keep) needs a Vault password.
      - With V(new), no hash is written. Without a Vault password, certificates and scheduled tasks are then left out.
    type: str
    choices: [keep, new]
    default: keep
notes:
  - If the source is cut off, lacks a needed column, or is of another panel, the task fails. The message names the file, and the line or table.
  - A live panel that does not answer, or refuses a function, is an error that names the function. A request may take 30 seconds, and repeats 60 in
    all.
  - The number of requests grows with the source. ISPConfig tells the group of one client at a time, and froxlor the records of one zone and the
    senders of one mailbox.
  - It takes no connection options of this collection, and is not in the action group C(hosting.panel.panel).
  - The panel takes hashes, and clients above their limits, only with its own options C(use_password_hashes) and C(ignore_account_limits).
seealso:
  - module: hosting.panel.panel_resources
  - module: hosting.panel.panel_export
"""

EXAMPLES = r"""
- name: Write the customers of froxlor without their passwords, from a dump of its database
  hosting.panel.panel_import:
    source: froxlor
    path: froxlor.sql
    dir: imported
    page_file: import.md
    passwords: new

- name: Write the customers of an ISPConfig that runs, without their passwords
  hosting.panel.panel_import:
    source: ispconfig
    source_url: https://old.example.com:8080
    source_username: reader
    source_password: "{{ vault_ispconfig_password }}"
    dir: imported_from_old
    page_file: import_from_old.md
    passwords: new

- name: Write them again with decisions of the operator
  hosting.panel.panel_import:
    source: froxlor
    path: froxlor.sql
    dir: imported
    page_file: import.md
    passwords: new
    mapping:
      addresses:
        192.0.2.80: 198.51.100.10
      php_versions:
        PHP 8.2: "8.2"
      mailbox_size: 5G
"""

RETURN = r"""
written:
  description: New and changed files, relative to the directory.
  returned: success
  type: list
  elements: str
  sample: [clients/acme.yml, panel.yml]
removed:
  description: Files of an earlier import whose customers are gone.
  returned: success
  type: list
  elements: str
  sample: [clients/birch.yml]
unchanged:
  description: How many files already matched.
  returned: success
  type: int
  sample: 5
counts:
  description: How many objects the directory has of this import, by kind.
  returned: success
  type: dict
  sample: {plans: 1, clients: 2, domains: 3}
carried:
  description: Each row of the source that arrives, with the object that it becomes. C(source) is table and id in the source's own database.
  returned: success
  type: list
  elements: dict
  contains:
    client: {description: "Username of the owner, or null.", type: str}
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    source: {description: Table and id in the database of the source., type: str}
  sample: [{client: acme, kind: emails, key: info@acme.example, source: "mail_users:15"}]
renamed:
  description: Each object that has another name than at the source.
  returned: success
  type: list
  elements: dict
  contains:
    client: {description: "Username of the owner, or null.", type: str}
    kind: {description: Type of the object., type: str}
    from: {description: Name at the source., type: str}
    to: {description: Name on the panel., type: str}
    why: {description: Reason., type: str}
  sample: [{client: acme, kind: clients, from: Acme, to: acme, why: Names of clients are lower case.}]
left_out:
  description:
    - Each row of the source that does not arrive, and why. C(client) is null if the row has no owner.
    - With C(field), the object arrives without this field.
  returned: success
  type: list
  elements: dict
  contains:
    client: {description: "Username of the owner, or null.", type: str}
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    source: {description: Table and id in the database of the source., type: str}
    field: {description: What is missing of an object that arrives., returned: if the object arrives, type: str}
    why: {description: Reason., type: str}
  sample: [{client: acme, kind: emails, key: info@acme.example, source: "mail_users:15", field: autoresponder, why: The API has none.}]
questions:
  description: What the operator may decide in O(mapping), and what was assumed.
  returned: success
  type: list
  elements: dict
  contains:
    mapping: {description: Part of O(mapping) that answers it., type: str}
    about: {description: What the source calls it., type: str}
    default: {description: What was assumed., type: raw}
  sample: [{mapping: php_versions, about: PHP 8.1, default: ""}]
passwords:
  description: How many passwords stay, and how many are new.
  returned: success
  type: dict
  contains:
    kept: {description: How many objects keep their password., type: int}
    new: {description: How many get a new one., type: int}
  sample: {kept: 12, new: 3}
error:
  description: What failed. Its C(type) is V(OptionError), V(SourceError), V(RefusedFunction), V(FolderError) or V(JobFailed).
  returned: failure
  type: dict
  sample: {type: OptionError, option: clients}
"""
