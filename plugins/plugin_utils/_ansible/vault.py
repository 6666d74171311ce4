# SPDX-License-Identifier: GPL-3.0-or-later
"""The Vault passwords of a run, which decrypt files on the controller.

Private members of ansible-core:

- ``DataLoader._vault`` holds the passwords. Plugins get the loader, but no public method of it
  returns them.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

from typing import Any

from ansible.parsing.vault import VaultLib


def get_vault_of(loader: Any) -> VaultLib:
    """Return the Vault passwords of the run.

    Args:
        loader: The ``DataLoader`` that Ansible gives to action plugins and lookups.

    Returns:
        Without any password where the loader has none.
    """
    return getattr(loader, "_vault", None) or VaultLib()
