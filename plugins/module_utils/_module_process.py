# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a process that runs one module need not do: compile its files twice, and collect garbage. Private to the collection."""

from __future__ import annotations

import gc
import sys
import zipimport


class Archive(zipimport.zipimporter):
    """The archive in which Ansible sends a module; its files are compiled when they run, and not once more to tell their names."""

    def get_filename(self, fullname: str) -> str:
        name = fullname.rpartition(".")[2]
        return f"{self.archive}/{self.prefix}{name}{'/__init__' if self.is_package(fullname) else ''}.py"


# Not by its spec: of that neither Python 3.9 nor Mitogen says anything at this time.
if isinstance(globals().get("__loader__"), zipimport.zipimporter):
    sys.path_hooks.insert(0, Archive)
    sys.path_importer_cache.clear()
    gc.disable()  # a 25th of a task as a module; a task in process has no collector either
