# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables of a play belong to nobody, and what they may have been meant for. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from ansible_collections.hosting.panel.plugins.plugin_utils._nearest import ALIKE, VERY_MUCH_ALIKE, nearest


def unknown_variables(
    names: Iterable[str], prefix: str, known: Sequence[str], foreign: Sequence[str] = (), is_shared: bool = False
) -> list[str]:
    """A sentence for each variable that begins with the prefix and is not known.

    foreign: names, or shell patterns for them, that belong to somebody else. is_shared: others have variables with this prefix too, so
    that only those count that are very much like a known one.
    """
    found = []
    # Compared without what all of them begin with, which makes all of them alike.
    rests = [name[len(prefix) :] for name in known]
    for name in sorted(set(map(str, names)) - set(known)):
        if not name.startswith(prefix) or any(fnmatchcase(name, pattern) for pattern in foreign):
            continue
        meant = nearest(name[len(prefix) :], rests, VERY_MUCH_ALIKE if is_shared else ALIKE)
        if meant is not None:
            found.append(f"{name}: did you mean {prefix}{meant}?")
        elif not is_shared:
            found.append(f"{name}: there is no such variable.")
    return found
