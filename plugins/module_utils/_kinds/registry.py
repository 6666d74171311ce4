# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects that can be handled together, in the order in which they depend on each other. Private to the collection."""

from __future__ import annotations

from .._rows.tables import Kind
from .admin import ADMIN
from .certificate import CERTIFICATE
from .client import CLIENT
from .database import DATABASE
from .directory_protection import DIRECTORY_PROTECTION
from .domain import DOMAIN
from .email import EMAIL
from .ftp_user import FTP_USER
from .plan import PLAN
from .scheduled_task import SCHEDULED_TASK

DNS = "dns"

# An object comes after those that it can name.
ORDER = (
    "plans",
    "admins",
    "clients",
    "certificates",
    "domains",
    DNS,
    "emails",
    "databases",
    "ftp_users",
    "directory_protections",
    "scheduled_tasks",
)

# Zones have no table: they are compared record by record.
TABLES: dict[str, Kind] = {
    kind.plural: kind
    for kind in (
        PLAN,
        ADMIN,
        CLIENT,
        CERTIFICATE,
        DOMAIN,
        EMAIL,
        DATABASE,
        FTP_USER,
        DIRECTORY_PROTECTION,
        SCHEDULED_TASK,
    )
}
BY_PATH: dict[str, Kind] = {kind.path: kind for kind in TABLES.values()}
