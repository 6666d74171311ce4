# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosting plans, clients and admins (interface; facts.md sections 3 to 5), and the client that an object belongs to. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import OWNER, Change, Field, Group, Kind, Password, Reference, reference_to
from .._values.names import EmailAddress, Name, is_seen
from .._values.value_types import Boolean, ByteSize, Choice, Day, Integer, Text

ACCOUNT_NAME = Name("a name, not empty and without blanks around it or invisible characters", is_seen)
# The panel refuses upper case (facts.md section 4.1), so it is a mistake and never another client.
CLIENT_NAME = Name(
    "the name of a client, not empty and without upper case, blanks around it or invisible characters",
    lambda name: is_seen(name) and name == name.lower(),
)


def owner(change: Change = Change.IDENTITY, **further: Any) -> Reference:
    """The options client and id_user. Another owner would be another object, since no client of the API is known to change it.

    change: of certificates alone it is known that their owner can be changed (facts.md section 8).
    empty_is_zero: whether the server itself may own it, which the API writes as 0 (facts.md section 1).
    """
    return reference_to("client", CLIENT_NAME, name=OWNER, change=change, **further)


_COUNTED = (
    "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases", "ftp_users", "scheduled_tasks",
)  # fmt: skip
_PERMISSIONS = (
    "ftp", "php", "perl", "ssh", "backup", "panel_access", "domain_security", "certificate_management", "file_manager", "dns_editor",
    "database_remote_access", "email_catchall", "update_contact_data", "delete_main_domain", "applications", "ssh_jail",
)  # fmt: skip
_PHP_NEEDED = ("memory_limit", "post_max_size", "upload_max_filesize", "open_basedir")
_PHP_TEXTS = ("disable_functions", "env_variables", "extra_directives_immutable", "extra_directives_mutable")
_SPARE = ("min_spare_servers", "max_spare_servers")


def _wrong_plan(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    pool = plan.get("php_fpm")
    if isinstance(pool, Mapping) and pool.get("pm") == "dynamic":
        for name in _SPARE:
            if pool.get(name) is None:
                yield f"php_fpm.{name}", "needed with php_fpm.pm: dynamic."
        least, most = (pool.get(name) for name in _SPARE)
        if isinstance(least, int) and isinstance(most, int) and least > most:
            yield "php_fpm.max_spare_servers", f"{most} is less than min_spare_servers, which is {least}."


PLAN = Kind(
    singular="plan",
    title="hosting plan",
    path="/hosting-plans",
    key=(Field("name", Name()),),
    rows=(
        Group(
            "resources",
            members=(
                Field("disk_space", ByteSize(least=1)),
                Field("traffic", ByteSize(least=0)),
                *(Field(name, Integer(unlimited=True)) for name in _COUNTED),
            ),
        ),
        Group("permissions", members=tuple(Field(name, Boolean()) for name in _PERMISSIONS)),
        Group(
            "php",
            members=(
                *(Field(name, Text(clearable=False)) for name in _PHP_NEEDED),
                Field("max_execution_time", Integer(most=2147483647)),
                *(Field(name, Text()) for name in _PHP_TEXTS),
                Field("sendmail_from", EmailAddress(clearable=True)),
            ),
        ),
        Group(
            "php_fpm",
            members=(
                Field("pm", Choice("static", "ondemand", "dynamic")),
                Field("max_children", Integer(least=1)),
                Field("max_requests", Integer()),
                *(Field(name, Integer(1, clearable=True), only_with=("pm", "dynamic")) for name in _SPARE),
                Field("status", Boolean()),
                Field("status_ip_restriction", Text(empty_is_null=True)),
            ),
        ),
    ),
    renames=True,
    sorts=("id", "name"),
    wrong=_wrong_plan,
)

# The client's name for each group of a plan's features (facts.md section 4.1).
_COPIED_FEATURES = {"resources": "resource_limits", "permissions": "permissions", "php": "php", "php_fpm": "php_fpm"}
_PLAN_OF_CLIENT = reference_to("hosting_plan", Name(), copies=_COPIED_FEATURES, reapply="reapply_plan")
# Whether the client's limits, permissions and PHP settings are the plan's, which is all that assigning a plan copies.
has_features_of = _PLAN_OF_CLIENT.alike


def _wrong_client(client: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A generated password is one too; there has to be an address to send it to (facts.md section 4.1).
    if client.get("send_login_credentials") and not client.get("email"):
        yield "send_login_credentials", "needs email, the address that they are sent to."


_CONTACT = (
    "first_name", "last_name", "company", "telephone", "address", "city", "zip", "state", "country", "client_id",
)  # fmt: skip

CLIENT = Kind(
    singular="client",
    key=(Field("username", CLIENT_NAME),),
    rows=(
        Field("email", EmailAddress(clearable=True)),
        Field("language", Text(clearable=False)),
        Field("notes", Text()),
        _PLAN_OF_CLIENT,
        Field("is_suspended", Boolean()),
        Field("suspend_on", Day()),
        Field("delete_on", Day()),
        *(Field(name, Boolean(), Change.AT_CREATION) for name in ("send_login_credentials", "create_system_domain")),
        Field("skeleton", Text(), Change.AT_CREATION),
        Group("contact_data", members=tuple(Field(name, Text()) for name in _CONTACT), clearable=True),
    ),
    has_status=True,
    password=Password(hash_os=True),
    sorts=("id", "username"),
    wrong=_wrong_client,
    shown=("created_at", *_COPIED_FEATURES.values()),
)

ADMIN = Kind(
    singular="admin",
    key=(Field("username", ACCOUNT_NAME),),
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
