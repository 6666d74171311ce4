# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directory protections (facts.md section 11; the interface names the area only). Private to the collection."""

from __future__ import annotations

from .._schema.kind import Field, Kind, Password
from .._values.collections import SetOf
from .._values.names import Name
from .._values.paths import Directory
from .._values.value_types import Text
from .owner import owner

# The web server's file of users has a colon after each name.
_USER = Name("a text that is not empty and has no colon", lambda name: ":" not in name)

DIRECTORY_PROTECTION = Kind(
    singular="directory_protection",
    plural="directory_protections",
    title="directory protection",
    path="/directory-protections",
    # Each user of a directory is an object of its own, and nothing says that the panel refuses a second one.
    key=(
        owner(),
        Field("path", Directory("/shop/admin, or / for all of it")),
        Field("username", _USER),
    ),
    rows=(
        Field("auth_name", Text()),
        Field("exceptions", SetOf(Text(clearable=False))),
    ),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
    password=Password(),
)
