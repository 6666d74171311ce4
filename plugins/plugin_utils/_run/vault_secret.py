# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the Vault password of a run that new files and values are encrypted with."""

from __future__ import annotations

from typing import Any, NamedTuple

from ansible import constants
from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib, match_encrypt_secret

START_WITH_PASSWORD = (
    "Start ansible-playbook with --vault-password-file, --vault-id or --ask-vault-pass"
)
"""What to do in a run that has no Vault password, without a full stop."""
_NO_PASSWORD = f"this run has no Vault password to encrypt it with. {START_WITH_PASSWORD}"
_NO_LABEL = "this run has no Vault password with the label {}, which vault_encrypt_identity names"


class NoVaultSecret(Exception):
    """Says that a run can encrypt nothing.

    Attributes:
        problem: Why, and what to do about it, for a message that has named the file; without a full
            stop.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class EncryptionSecret(NamedTuple):
    """A Vault password of a run.

    Attributes:
        label: Its label; None for the one without.
        secret: What VaultLib encrypts with.
    """

    label: str | None
    secret: Any


def choose_secret(vault: VaultLib) -> EncryptionSecret:
    """Return the secret to encrypt with, the one that ansible-vault would take.

    Args:
        vault: Has the Vault passwords of the run.

    Raises:
        NoVaultSecret: The run has no password, or none with the label that Ansible's configuration
            names.
    """
    if not vault.secrets:
        raise NoVaultSecret(_NO_PASSWORD)
    label = constants.config.get_config_value("DEFAULT_VAULT_ENCRYPT_IDENTITY")
    try:
        return EncryptionSecret(*match_encrypt_secret(vault.secrets, label))
    except AnsibleError:
        raise NoVaultSecret(_NO_LABEL.format(label)) from None
