# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS zones of main domains (interface "DNS"; facts.md section 7). Private to the collection.

They have no rows, since they are compared record by record: see ``_dns``.
"""

from __future__ import annotations

from .._schema.kind import Field, Kind
from .._values.names import DomainName

ZONE = Kind(
    singular="dns",
    plural="dns",
    title="DNS zone",
    path="/dns",
    key=(Field("domain", DomainName()),),
    rows=(),
    part_of="domains",
    is_of_site=True,
    shown=("is_custom_dns", "is_dns_disabled", "dkim_record", "records"),
)
