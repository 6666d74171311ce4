# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosting plans, templates of limits and features that clients get a copy of
(docs/panel_api.md#copied-features)."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import (
    NO_ADDRESS,
    Bytes,
    Choice,
    Field,
    Flag,
    Members,
    Number,
    Text,
    Value,
)
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Entry, Kind

DEFAULT_PLAN = 1
_COPIED = {
    "resource_limits": "resources",
    "permissions": "permissions",
    "php": "php",
    "php_fpm": "php_fpm",
}
COUNTED = (
    "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases", "ftp_users", "scheduled_tasks",
)  # fmt: skip
_ALLOWED = (
    "ftp", "php", "backup", "panel_access", "domain_security", "certificate_management", "file_manager", "dns_editor", "email_catchall",
    "update_contact_data",
)  # fmt: skip
_DENIED = (
    "perl",
    "ssh",
    "database_remote_access",
    "delete_main_domain",
    "applications",
    "ssh_jail",
)


def _declare_inferred(**fields: tuple[Value, Any]) -> Iterator[Field]:
    """Fields by name, with their defaults, that no source proves."""
    return (
        Field(name, value, default=default, inferred=True)
        for name, (value, default) in fields.items()
    )


# The defaults are assumed, unlike the bounds (docs/panel_api.md#fields-of-hosting-plans).
RESOURCES = Members(
    *_declare_inferred(disk_space=(Bytes(least=1), -1), traffic=(Bytes(least=0), -1)),
    *_declare_inferred(**{name: (Number(least=-1), -1) for name in COUNTED}),
)
PERMISSIONS = Members(
    *_declare_inferred(**{name: (Flag(), name in _ALLOWED) for name in (*_ALLOWED, *_DENIED)})
)
PHP = Members(
    *_declare_inferred(
        memory_limit=(Text(required=True), "256M"),
        max_execution_time=(Number(least=0), 60),
        post_max_size=(Text(required=True), "72M"),
        upload_max_filesize=(Text(required=True), "64M"),
        open_basedir=(Text(required=True), "##DOCROOT##/www:##DOCROOT##/files:##DOCROOT##/tmp"),
        disable_functions=(Text(), "exec, system, shell_exec, passthru"),
        env_variables=(Text(), ""),
        extra_directives_immutable=(Text(), ""),
        extra_directives_mutable=(Text(), ""),
        sendmail_from=(NO_ADDRESS, ""),
    )
)
PHP_FPM = Members(
    *_declare_inferred(
        pm=(Choice("static", "ondemand", "dynamic"), "ondemand"),
        max_children=(Number(least=1), 3),
        max_requests=(Number(least=0), 0),
        min_spare_servers=(Number(least=1, nullable=True), None),
        max_spare_servers=(Number(least=1, nullable=True), None),
        status=(Flag(), False),
        status_ip_restriction=(Text(nullable=True), None),
    )
)


def _prepare(_panel: Panel, change: Change) -> None:
    pool = change.data["php_fpm"]
    spare = ("min_spare_servers", "max_spare_servers")
    if pool["pm"] != "dynamic":
        pool.update(dict.fromkeys(spare))
        return

    for name in spare:
        if pool[name] is None:
            raise Invalid(f"php_fpm.{name}: is required with pm dynamic.")

    if pool["min_spare_servers"] > pool["max_spare_servers"]:
        raise Invalid("php_fpm.max_spare_servers: must be at least min_spare_servers.")


def copy_features(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a client gets from its plan, under the names that clients have for it."""
    return {name: copy.deepcopy(plan[member]) for name, member in _COPIED.items()}


def _list_clients(panel: Panel, entry: Entry) -> list[Entry]:
    return [
        client
        for client in panel.store.list_all("clients")
        if client.data["id_hosting_plan"] == entry.id
    ]


def _check_deletion(panel: Panel, entry: Entry) -> None:
    """Refuses to delete the default plan, and a plan with clients on a panel that differs from
    docs/panel_api.md#plans-in-use."""
    if entry.id == DEFAULT_PLAN:
        raise Invalid("The default hosting plan cannot be deleted.")
    if panel.settings["plan_deletion"] == "refused" and _list_clients(panel, entry):
        raise Invalid("A client has this hosting plan.")


def _prepare_deletion(panel: Panel, entry: Entry) -> None:
    for client in _list_clients(panel, entry):
        client.data["id_hosting_plan"] = None
        panel.store.touch()


HOSTING_PLANS = Kind(
    name="hosting_plans",
    noun="hosting plan",
    key="name",
    key_scope="plan name",
    sorts=("id", "name"),
    fields=(
        Field("name", Text(required=True), required=True),
        Field("resources", RESOURCES),
        Field("permissions", PERMISSIONS),
        Field("php", PHP),
        Field("php_fpm", PHP_FPM),
    ),
    prepare=_prepare,
    check_deletion=_check_deletion,
    deleting=_prepare_deletion,
    notes={"delete": "A plan in use may be deleted; that the default plan cannot is inferred."},
)
