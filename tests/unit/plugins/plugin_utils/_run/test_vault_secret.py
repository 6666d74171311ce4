"""Which Vault password of a run encrypts, and what a run without one is told."""

from __future__ import annotations

import pytest
from ansible.parsing.vault import VaultLib
from ansible.parsing.vault import VaultSecret as AnsibleSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._run.vault_secret import (
    NoVaultSecret,
    choose_secret,
)

DEFAULT = AnsibleSecret(b"first")
STAGING = AnsibleSecret(b"second")
VAULT = VaultLib([("default", DEFAULT), ("staging", STAGING)])


def test_the_first_password_of_the_run_encrypts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSIBLE_VAULT_ENCRYPT_IDENTITY", raising=False)

    assert choose_secret(VAULT) == ("default", DEFAULT)


def test_the_label_of_ansibles_configuration_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_VAULT_ENCRYPT_IDENTITY", "staging")

    assert choose_secret(VAULT) == ("staging", STAGING)


@pytest.mark.parametrize(
    ("vault", "label", "problem"),
    [
        pytest.param(
            VaultLib(),
            "",
            "this run has no Vault password to encrypt it with. Start ansible-playbook with "
            "--vault-password-file, --vault-id or --ask-vault-pass",
            id="no password",
        ),
        pytest.param(
            VAULT,
            "production",
            "this run has no Vault password with the label production, which "
            "vault_encrypt_identity names",
            id="no password with the label",
        ),
    ],
)
def test_a_run_that_cannot_encrypt_is_told_why(
    vault: VaultLib, label: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSIBLE_VAULT_ENCRYPT_IDENTITY", label)

    with pytest.raises(NoVaultSecret) as raised:
        choose_secret(vault)

    assert raised.value.problem == problem
