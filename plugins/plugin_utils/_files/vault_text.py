# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is encrypted with Ansible Vault in a file, decrypted with the secrets of the run. Private to the collection."""

from __future__ import annotations

from ansible.errors import AnsibleError
from ansible.parsing.vault import AnsibleVaultFormatError, VaultLib

VAULT_TAGS = ("!vault", "!vault-encrypted")


class Ciphertext(str):
    """A value as a file has it, encrypted."""


class NotDecrypted(Exception):
    """A secret could not be decrypted; the text says why and holds nothing of it."""


def decrypted(vault: VaultLib, text: bytes) -> bytes:
    """What the text stands for; raises NotDecrypted."""
    if not vault.secrets:
        raise NotDecrypted(
            "holds secrets that are encrypted with Ansible Vault, and this run has no Vault secret. Start ansible-playbook with "
            "--vault-password-file, --vault-id or --ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE."
        )
    try:
        plain: bytes = vault.decrypt(text)
    except AnsibleVaultFormatError:
        raise NotDecrypted("is damaged, and no secret decrypts it.") from None
    except AnsibleError:
        raise NotDecrypted("none of this run's Vault secrets decrypts it.") from None
    return plain
