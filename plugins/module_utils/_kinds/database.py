# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases (interface "Databases"; facts.md section 10). Private to the collection."""

from __future__ import annotations

from .._schema.kind import Change, Field, Kind, Password
from .._values.collections import SetOf
from .._values.names import Name
from .._values.value_types import Text
from .owner import owner

DATABASE = Kind(
    singular="database",
    plural="databases",
    title="database",
    path="/databases",
    key=(Field("database_name", Name()),),
    rows=(
        owner(required=True),
        # Every client that is known to work sends it, so it is never left to the panel (facts.md section 10).
        Field("database_username", Name(), change=Change.IDENTITY, default_from="database_name"),
        Field("description", Text()),
        Field("remote_hosts", SetOf(Text(clearable=False))),
    ),
    by_name=False,
    has_scheme=True,
    password=Password(),
    sorts=("id", "database_name", "database_username"),
    is_of_site=True,
    shown=("size",),
)
