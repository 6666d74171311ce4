# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The accounts of a panel: clients (interface "Clients"; facts.md section 4.1) and admins (facts.md section 3). Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Change, Field, Group, Kind, Password, Reference
from .._values.dates import Day
from .._values.json_values import contains
from .._values.names import AccountName, EmailAddress, Name
from .._values.value_types import Boolean, Text
from .owner import ClientName

# The client's name for each group of a plan's features (facts.md section 4.1).
_COPIED_FEATURES = {"resources": "resource_limits", "permissions": "permissions", "php": "php", "php_fpm": "php_fpm"}


def has_features_of(client: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
    """Whether the client's limits, permissions and PHP settings are the plan's, which is all that assigning a plan copies."""
    groups = [(plan[name], client.get(copied)) for name, copied in _COPIED_FEATURES.items() if name in plan]
    return bool(groups) and all(contains(current, wanted) for wanted, current in groups)


def _wrong(client: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A generated password is one too; there has to be an address to send it to (facts.md section 4.1).
    if client.get("send_login_credentials") and not client.get("email"):
        yield "send_login_credentials", "needs email, the address that they are sent to."


_CONTACT = (
    "first_name",
    "last_name",
    "company",
    "telephone",
    "address",
    "city",
    "zip",
    "state",
    "country",
    "client_id",
)

CLIENT = Kind(
    singular="client",
    plural="clients",
    title="client",
    path="/clients",
    key=(Field("username", ClientName()),),
    rows=(
        Field("email", EmailAddress(clearable=True)),
        Field("language", Text(clearable=False)),
        Field("notes", Text()),
        Reference(
            "hosting_plan",
            "id_hosting_plan",
            collection="/hosting-plans",
            noun="hosting plan",
            type=Name(),
            alike=has_features_of,
            alike_by=tuple(_COPIED_FEATURES.items()),
            reapply="reapply_plan",
        ),
        Field("is_suspended", Boolean()),
        Field("suspend_on", Day()),
        Field("delete_on", Day()),
        Field("send_login_credentials", Boolean(), change=Change.AT_CREATION),
        Field("create_system_domain", Boolean(), change=Change.AT_CREATION),
        Field("skeleton", Text(), change=Change.AT_CREATION),
        Group(
            "contact_data",
            members=tuple(Field(name, Text()) for name in _CONTACT),
            clearable=True,
        ),
    ),
    has_status=True,
    password=Password(hash_os=True),
    sorts=("id", "username"),
    wrong=_wrong,
    shown=("created_at", *_COPIED_FEATURES.values()),
)

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
)
