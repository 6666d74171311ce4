# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Admins: the accounts that manage the panel (interface "Admins"; facts.md section 3). Private to the collection."""

from __future__ import annotations

from .._schema.kind import Field, Kind, Password, Taken
from .._values.names import AccountName, EmailAddress
from .._values.value_types import Boolean, Text

ADMIN = Kind(
    singular="admin",
    plural="admins",
    title="admin",
    path="/admins",
    key=(Field("username", AccountName()),),
    rows=(
        # The panel's own form needs one (facts.md section 3); whether the API does is left to the panel.
        Field("email", EmailAddress()),
        # An empty one never is what the panel stores: it takes its default language instead.
        Field("language", Text(clearable=False)),
        Field("is_main_admin", Boolean()),
    ),
    password=Password(),
    sorts=("id", "username"),
    keep_last="is_main_admin",
    # One table holds both (facts.md section 1).
    takes=(Taken("username", "/clients", lambda admin: [admin["username"]], "admins and clients share their names"),),
)
