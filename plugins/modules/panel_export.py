#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_export
short_description: Write a hosting panel as a directory of files
version_added: 1.0.0
description:
  - Reads the whole panel and writes it into a directory on the controller, ready to commit. O(hosting.panel.panel_resources#module:resources_dir)
    reads the directory back.
  - Each client and everything it owns is in C(clients/USERNAME.yml). Special characters in names become C(%) and two hexadecimal digits. So do
    capital letters, a dot at the beginning, and the first letter of a name that a system reserves, such as C(con).
  - Hosting plans, admins and objects of the server are in C(panel.yml), whose line C(panel) names the panel. A directory without this line gets
    it, and RV(lines) says so. With O(clients) nothing but their files is written.
  - If the files belong to another panel, or if more of the clients' files would be removed than kept, the module fails and writes nothing. So
    it does if the file of a client would be removed while the panel still shows an object of it. See O(rebuild).
  - Texts that Ansible could take for a template are marked with C(!unsafe), so that it never evaluates a customer's words.
  - If the panel did not change, a second run writes nothing. Files of deleted clients are removed.
  - The module replaces and removes only files whose first line says that an export wrote them. Any other file in the way is an error. So is a
    link in the directory.
  - A field that a file has encrypted with C(!vault) keeps its text, and a warning names it if the panel has another value. A field that another
    file of the directory has encrypted is left out.
  - If some entries of a list or a record set are encrypted, these keep their text, and the others are as on the panel. If the panel lacks an
    encrypted entry, the whole list stays, and a warning names it.
  - Passwords, hashes and private keys are not in the files, since the panel does not show them. If you have written one into a file without
    encrypting it, the export takes it out, and RV(taken_out) and a warning name it.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.controller]
attributes:
  check_mode:
    description: Predicts which files change, and writes none. A directory that cannot be written is an error in check mode too.
    support: full
  diff_mode:
    description:
      - Returns the text of every file that changes. Secrets in plain text are masked, and comments are left out.
    support: full
  idempotent:
    description: An unchanged panel changes no file.
    support: full
options:
  dir:
    description: The directory, relative to the one in which C(ansible-playbook) was started. It is created if it does not exist.
    type: path
    required: true
  clients:
    description:
      - Usernames of clients. Only their files are written; all other files stay as they are.
      - A name that is not on the panel is an error. Default is everything.
    type: list
    elements: str
  rebuild:
    description:
      - Whether the directory may belong to another panel, whose place this panel takes.
      - It also allows to remove most of the clients' files, and files with objects that the panel still shows.
      - Default is C(false). The files belong to this panel afterwards.
    type: bool
    default: false
  credentials_file:
    description:
      - A file of passwords, as in O(hosting.panel.panel_resources#module:credentials_file), which can be in the directory. It is neither read
        nor replaced, so no Vault password is needed for it. C({client}) in it stands for any client.
    type: path
notes:
  - It costs as many requests as M(hosting.panel.panel_resources_info).
  - If a file in the way was not written by an export, the task fails.
seealso:
  - module: hosting.panel.panel_resources
  - module: hosting.panel.panel_resources_info
"""

EXAMPLES = r"""
- name: Write the panel as files
  hosting.panel.panel_export:
    dir: panel.example

- name: Write the file of one client alone
  hosting.panel.panel_export:
    dir: panel.example
    clients:
      - acme
"""

RETURN = r"""
written:
  description: New and changed files, relative to the directory.
  returned: success
  type: list
  elements: str
  sample: [clients/acme.yml]
removed:
  description: Files of deleted clients.
  returned: success
  type: list
  elements: str
  sample: [clients/birch.yml]
unchanged:
  description: How many files already matched.
  returned: success
  type: int
  sample: 5
lines:
  description: Says that the directory belongs to this panel from now on.
  returned: if it has files of an export, or others, that did not say whose they are
  type: list
  elements: str
  sample: ["/srv/panel/panel.yml: the files did not say whose they are. They belong to the panel panel.example from now on."]
taken_out:
  description: Secrets in plain text that are no longer in the files, with file, line, object and field.
  returned: if there are any
  type: list
  elements: str
  sample: ["clients/acme.yml: line 12: emails info@acme.example password"]
counts:
  description: How many objects were read, by type.
  returned: success
  type: dict
  sample: {plans: 3, clients: 12, domains: 20}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: FolderError}
"""
