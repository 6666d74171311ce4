# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of an object whose id the panel does not show. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._values.ids import read_id


class WithoutId(Exception):
    """The panel shows an object without an id, or with one that is none; the message names the object and what to do."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: the panel shows it without an id, and only by its id could it be reached safely. Nothing was written. Leave it out "
            "here and do it in the panel, or have the panel's lists corrected."
        )


def id_of(found: Mapping[str, Any], name: str) -> int:
    """The id of an object that the panel has shown; name: of the object, for a person. Raises WithoutId."""
    identifier = read_id(found.get("id"))
    if identifier is None:
        raise WithoutId(name)
    return identifier
