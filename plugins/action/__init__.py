# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads what every task needs when Ansible looks for the action plugin: in the controller, whose copies the workers of the tasks are."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import spec_from_file_location
from typing import Any

_ROOMS = tuple(
    f"ansible_collections.hosting.panel.plugins.{one}." for one in ("module_utils", "modules", "plugin_utils")
)


class _WithByteCode:
    """Finds the files of these rooms as Python itself would, which keeps their byte code; Ansible's own finder compiles them at each start."""

    @staticmethod
    def find_spec(name: str, path: Any = None, _target: Any = None) -> Any:
        file = f"{next(iter(path or ()), '')}/{name.rpartition('.')[2]}.py"
        return spec_from_file_location(name, file) if name.startswith(_ROOMS) and os.path.isfile(file) else None


# Before Ansible's own, which finds the collection where Ansible runs.
for _place, _finder in enumerate(sys.meta_path):
    if type(_finder).__name__ == "_AnsibleCollectionFinder":
        sys.meta_path.insert(_place, _WithByteCode)
        break

from ..plugin_utils._run.panel_action import is_switched_on

if is_switched_on():  # without it ten tasks with one module each take 2.2 times the processor time
    from ..module_utils._object import info, managing  # noqa: F401
    from ..plugin_utils._run import in_process  # noqa: F401

# A worker's collector would copy all variables of the play by walking through them: 17 % of ten tasks, 13 % of 5,000 items.
gc.freeze()
