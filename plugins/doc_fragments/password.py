# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # Password options.
    DOCUMENTATION = r"""
options:
  password:
    description:
      - The password. It is sent when the object is created, and later only with O(update_password=always).
      - When it is omitted on creation, the panel generates one, which is returned once as RV(generated_password). With
        O(credentials_file) the collection generates it.
      - An empty text is an error, since the panel would generate a new password.
      - A number is an error, since YAML may have changed its digits (C(01234) becomes C(668)); put it in quotes.
    type: str
  password_hash:
    description:
      - A hash instead of the password. The panel accepts it only when that is switched on in its API options.
      - Where the panel shows the stored hash, it is compared with it; elsewhere O(update_password) decides.
    type: str
  update_password:
    description:
      - V(on_create) sends the password only when the object is created.
      - V(always) sends it in every run, and reports a change each time.
    type: str
    choices: [on_create, always]
    default: on_create
  regenerate_password:
    description:
      - Ask the panel for a new password of an object that exists, returned once as RV(generated_password). With O(credentials_file)
        the collection generates it.
      - Every run with V(true) makes a new one.
    type: bool
    default: false
  credentials_file:
    description:
      - Path of an encrypted file on the controller for a password that the task would otherwise leave to the panel. The collection
        generates it, writes it to this file before the panel gets it, and returns the path, but no password.
      - C({client}) in the path stands for the username of the client that owns the object.
      - The file is encrypted with a Vault password of the run and has mode 0600; its directory must exist. Several panels, clients,
        roles and forks can share it. C(generated_passwords) in it are confirmed by the panel; what a killed run left in
        C(pending_passwords) is set again by the next run that names the object.
      - It needs a local connection and no C(async), because the process of ansible-playbook keeps the file, as its own user.
    type: path
"""
