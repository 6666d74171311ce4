# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a module's files are read from the archive in which Ansible sends them. Private to the collection."""

from __future__ import annotations

import sys
import zipimport


class Archive(zipimport.zipimporter):
    """An archive whose files are compiled when they run, and not once more to tell their names."""

    def get_filename(self, fullname: str) -> str:
        name = fullname.rpartition(".")[2]
        return f"{self.archive}/{self.prefix}{name}{'/__init__' if self.is_package(fullname) else ''}.py"


# Not by its spec: of that neither Python 3.9 nor Mitogen says anything at this time.
if isinstance(globals().get("__loader__"), zipimport.zipimporter):
    sys.path_hooks.insert(0, Archive)
    sys.path_importer_cache.clear()
