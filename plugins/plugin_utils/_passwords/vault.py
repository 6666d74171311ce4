# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Vault secrets of the running ansible-playbook. Private to the collection.

Ansible has no public way to them. The loader that it hands to every action plugin holds them, in ansible-core 2.16 to 2.21 alike.
"""

from __future__ import annotations

from typing import Any

from ansible import constants
from ansible.parsing.vault import VaultLib

from .file import CredentialsFile


def credentials_file(path: str | None, loader: Any) -> CredentialsFile | None:
    """The file at ``path`` with the run's secrets; None where no path is given. ``loader`` is the action plugin's."""
    if not path:
        return None
    vault = VaultLib(secrets=getattr(loader, "_vault", VaultLib()).secrets)
    return CredentialsFile(path, vault, constants.config.get_config_value("DEFAULT_VAULT_ENCRYPT_IDENTITY"))
