# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FTP users (facts.md section 11; the interface names the area only). Private to the collection."""

from __future__ import annotations

from .._schema.kind import Field, Kind, Password
from .._values.names import Name
from .._values.paths import Directory
from .._values.value_types import Text
from .owner import owner

FTP_USER = Kind(
    singular="ftp_user",
    plural="ftp_users",
    title="FTP user",
    path="/ftp-users",
    key=(Field("username", Name()),),
    rows=(
        owner(required=True),
        Field("description", Text()),
        Field("home_directory", Directory("/www/shop")),
    ),
    by_name=False,
    has_scheme=True,
    is_inferred=True,
    has_status=True,
    password=Password(),
    is_of_site=True,
)
