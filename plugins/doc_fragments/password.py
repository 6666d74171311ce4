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
      - The password. It is sent when the object is created, and later only with O(update_password=always). Put a password of digits in quotes.
      - Without it the panel generates one for a new object, and the module returns it once as RV(generated_password). With
        O(credentials_file) the collection generates it.
      - A task of a playbook warns if it has neither C(register) nor O(credentials_file), so that a generated password is lost. Check mode warns too.
      - An empty string is an error.
    type: str
  password_hash:
    description:
      - A hash instead of the password. Switch hashes on in the API options of the panel first.
      - It is compared with the stored hash, if the panel shows it. If not, O(update_password) decides.
    type: str
  update_password:
    description: V(on_create) sends the password only for a new object. V(always) sends it in every run, and reports a change each time.
    type: str
    choices: [on_create, always]
    default: on_create
  regenerate_password:
    description:
      - Ask the panel in every run for a new password of an object that exists. The module returns it once as RV(generated_password).
      - With O(credentials_file) the collection generates it.
    type: bool
    default: false
  credentials_file:
    description:
      - Path of an encrypted file on the controller for generated passwords, relative to the directory in which C(ansible-playbook) was started.
        C({client}) in the path stands for the username of the client that owns the object, or of the admin itself.
      - The collection writes a password to this file before the panel gets it, and returns the path, but no password.
      - The file is encrypted with a Vault password of the run and has mode 0600. Its directory must exist. Several panels, clients, roles and
        forks can share it.
      - C(generated_passwords) in the file are those that the panel has. A killed run leaves its passwords in C(pending_passwords). The next run
        with the same object sets them again.
      - It needs a local connection and no C(async).
    type: path
# A module lists this fragment before the one of the connection: of two descriptions of an attribute, Ansible takes the first.
attributes:
  action_group:
    description:
      - Use C(group/hosting.panel.panel) in C(module_defaults) to set the connection options once for all modules that call a panel.
      - Use C(group/hosting.panel.panel_passwords) to set O(credentials_file) once for all modules with passwords.
    support: full
    membership:
      - hosting.panel.panel
      - hosting.panel.panel_passwords
  async:
    description:
      - With C(async) the task always runs as a separate module.
      - Other users of the machine can read the result of such a task, with RV(generated_password). Set O(password) with C(async).
    support: full
"""
