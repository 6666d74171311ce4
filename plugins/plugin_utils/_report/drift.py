# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a panel differs from the files that hosting.panel.export wrote, as the playbook drift says it. Private to the collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import PanelError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._task.mistakes import without_ending
from .._folder.resources_dir import compare


def drift(client: PanelClient, directory: Path, vault: VaultLib, concurrency: int) -> dict[str, Any]:
    """Compares; sends one request for each kind and each zone that the files name."""
    try:
        found = compare(client, directory, vault, concurrency)
    except PanelError as error:
        return {"is_compared": False, "failure": without_ending(str(error)), "changes": []}
    changes = [{name: str(one[name]) for name in ("kind", "key", "what", "details")} for one in found]
    return {"is_compared": True, "failure": "", "changes": changes}
