# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of groups and files of a cache, for the inventory plugin.

Private members of ansible-core:

- ``BaseInventoryPlugin._sanitize_group_name`` is what an inventory plugin overrides to clean names
  of groups, those of keyed groups too. No public option does it where a setting of Ansible switches
  its own cleaning off.
- ``CachePluginAdjudicator._plugin`` and ``BaseFileCacheModule._cache_dir`` lead to the folder of
  the cache, whose files everybody may read.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible.plugins.inventory import to_safe_group_name

_TEMPLATES_BEGIN_WITH = re.compile("[{#]")


def clean_group_name(name: Any) -> str:
    """Return the name of a group without what no such name may have.

    A setting of Ansible switches its own function off. Names of groups become variables, and may
    hold texts of a panel, so what templates begin with goes in any case.
    """
    return _TEMPLATES_BEGIN_WITH.sub("_", str(to_safe_group_name(name)))


class CleanGroupNames:
    """Cleans the names of all groups of an inventory plugin; comes first among its base classes."""

    _sanitize_group_name = staticmethod(clean_group_name)


def list_cache_files(cache: Any) -> Iterator[Path]:
    """Yield the files of a cache; none where it keeps no files. Raises OSError.

    Args:
        cache: The cache of an inventory plugin.
    """
    # What a cache puts before the key in the name of a file depends on its settings and release.
    folder = getattr(getattr(cache, "_plugin", None), "_cache_dir", None)
    if not folder:
        return
    for path in Path(folder).iterdir():
        if path.name.endswith(tuple(cache)):
            yield path
