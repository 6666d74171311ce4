# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients: the customers of the panel (interface "Clients"; facts.md section 4.1). Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Change, Field, Group, Ignored, Kind, Password, Reference, Taken
from .._values.collections import contains
from .._values.dates import Day
from .._values.names import EmailAddress, Name
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


def _is_assigned_again(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    plan = before.get("id_hosting_plan")
    return bool(before) and (plan is None or str(plan) == str(after.get("id_hosting_plan")))


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
            copies="limits",
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
            members=tuple(
                Field(name, Text())
                for name in (
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
            ),
            clearable=True,
        ),
    ),
    has_status=True,
    password=Password(hash_os=True),
    sorts=("id", "username"),
    # One table holds both (facts.md section 1).
    takes=(Taken("username", "/admins", lambda client: [client["username"]], "admins and clients share their names"),),
    wrong=_wrong,
    ignored=(
        Ignored(
            "id_hosting_plan",
            _is_assigned_again,
            "still has other limits than its hosting plan: this panel does not assign a plan again that a client has already, so "
            "reapply_plan has no effect. Change the limits on the panel, or assign another plan and then this one.",
        ),
    ),
    shown=("created_at", *_COPIED_FEATURES.values()),
)
