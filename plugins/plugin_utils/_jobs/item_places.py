# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the items given to panel_resources come from, for its messages. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake

_INDEXED = re.compile(rf"\b({'|'.join(KINDS)})\[(\d+)\]")


def in_places(message: str, places: Mapping[str, Sequence[str]]) -> str:
    """A message about ``emails[7]`` in the words of the place that this item is from; places: by kind, for each item in its order."""
    if isinstance(message, Mistake):
        place, sentence = in_places(message.place, places), in_places(message.sentence, places)
        return Mistake(place, sentence, message.between, message.most_alike)

    def named(match: re.Match[str]) -> str:
        known = places.get(match[1], ())
        index = int(match[2])
        return known[index] if index < len(known) else match[0]

    return _INDEXED.sub(named, message)
