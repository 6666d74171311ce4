"""Hosting plans, templates of limits and features (facts.md section 5)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import Field, Members
from panel_simulator.panel import Change, Entry, Kind, Panel
from panel_simulator.values import Address, Bytes, Choice, Flag, Number, Text

DEFAULT_PLAN = 1
_COPIED = {"resource_limits": "resources", "permissions": "permissions", "php": "php", "php_fpm": "php_fpm"}
COUNTED = (
    "domains",
    "subdomains",
    "email_accounts",
    "email_addresses",
    "email_forwardings",
    "databases",
    "ftp_users",
    "scheduled_tasks",
)
_ALLOWED = (
    "ftp",
    "php",
    "backup",
    "panel_access",
    "domain_security",
    "certificate_management",
    "file_manager",
    "dns_editor",
    "email_catchall",
    "update_contact_data",
)
_DENIED = ("perl", "ssh", "database_remote_access", "delete_main_domain", "applications", "ssh_jail")

# Members and bounds are documented or used; the defaults, "the same as in the panel UI", are inferred.
RESOURCES = Members(
    Field("disk_space", Bytes(least=1), default=-1, inferred=True),
    Field("traffic", Bytes(least=0), default=-1, inferred=True),
    *(Field(name, Number(least=-1), default=-1, inferred=True) for name in COUNTED),
)
PERMISSIONS = Members(
    *(Field(name, Flag(), default=True, inferred=True) for name in _ALLOWED),
    *(Field(name, Flag(), default=False, inferred=True) for name in _DENIED),
)
PHP = Members(
    Field("memory_limit", Text(required=True), default="256M", inferred=True),
    Field("max_execution_time", Number(least=0), default=60, inferred=True),
    Field("post_max_size", Text(required=True), default="72M", inferred=True),
    Field("upload_max_filesize", Text(required=True), default="64M", inferred=True),
    Field(
        "open_basedir",
        Text(required=True),
        default="##DOCROOT##/www:##DOCROOT##/files:##DOCROOT##/tmp",
        inferred=True,
    ),
    Field("disable_functions", Text(), default="exec, system, shell_exec, passthru", inferred=True),
    Field("env_variables", Text(), default="", inferred=True),
    Field("extra_directives_immutable", Text(), default="", inferred=True),
    Field("extra_directives_mutable", Text(), default="", inferred=True),
    Field("sendmail_from", Address(required=False), default="", inferred=True),
)
PHP_FPM = Members(
    Field("pm", Choice("static", "ondemand", "dynamic"), default="ondemand", inferred=True),
    Field("max_children", Number(least=1), default=3, inferred=True),
    Field("max_requests", Number(least=0), default=0, inferred=True),
    Field("min_spare_servers", Number(least=1, nullable=True), default=None, inferred=True),
    Field("max_spare_servers", Number(least=1, nullable=True), default=None, inferred=True),
    Field("status", Flag(), default=False, inferred=True),
    Field("status_ip_restriction", Text(nullable=True), default=None, inferred=True),
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


def copied_features(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a client gets from the plan that is assigned to it, under the names that clients have for it."""
    return {name: copy.deepcopy(plan[member]) for name, member in _COPIED.items()}


def _clients_of(panel: Panel, entry: Entry) -> list[Entry]:
    return [client for client in panel.store.all("clients") if client.data["id_hosting_plan"] == entry.id]


def _check_deletion(panel: Panel, entry: Entry) -> None:
    if entry.id == DEFAULT_PLAN:
        raise Invalid("The default hosting plan cannot be deleted.")
    if panel.settings.plan_deletion == "refused" and _clients_of(panel, entry):
        raise Invalid("A client has this hosting plan.")


def _deleting(panel: Panel, entry: Entry) -> None:
    for client in _clients_of(panel, entry):
        client.data["id_hosting_plan"] = None
        panel.store.touch(client)


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
    deleting=_deleting,
    notes={"delete": "A plan in use may be deleted; that the default plan cannot is inferred."},
)
