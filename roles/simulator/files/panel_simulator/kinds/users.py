# SPDX-License-Identifier: GPL-3.0-or-later
"""Admins and clients, which share one sequence of ids and one name space
(docs/panel_api.md#user-names); their fields are those of docs/panel_api.md#fields-of-accounts."""

from __future__ import annotations

from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import (
    ADDRESS,
    NO_ADDRESS,
    Choice,
    Field,
    Flag,
    Instant,
    Members,
    Number,
    Text,
    format_now,
)
from panel_simulator.kinds.hosting_plans import (
    DEFAULT_PLAN,
    PERMISSIONS,
    PHP,
    PHP_FPM,
    RESOURCES,
    copy_features,
)
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Entry, Kind

_SEQUENCE = "users"
_SCOPE = "username"
# The greatest length is unknown; 32 is what Linux allows.
_USERNAME = Text(
    pattern=r"[a-z0-9][a-z0-9._-]*",
    longest=32,
    required=True,
    form="may have lower-case letters, digits, '.', '_' and '-' only.",
)
_COUNTRY = Text(pattern="[A-Z]{2}", form="must be a country code of ISO 3166 such as DE, or empty.")
_CONTACT = ("first_name", "last_name", "company", "telephone", "address", "city", "zip", "state")
DEFAULT_LANGUAGE = "en"
_LANGUAGE = Choice(
    "", "id", "ca", "de", "en", "es", "fr", "it", "hu", "nl", "no", "pl", "pt", "pt-BR", "sv", "tr", "ru", "ar", "zh-CN", "zh-TW",
)  # fmt: skip
SKELETON = "default"


def _prepare_user(panel: Panel, change: Change) -> None:
    data = change.data
    data["language"] = data["language"] or DEFAULT_LANGUAGE
    if change.entry is None:
        data["created_at"] = format_now()


def _is_last_main_admin(panel: Panel, entry: Entry) -> bool:
    main_admins = [admin for admin in panel.store.list_all("admins") if admin.data["is_main_admin"]]
    return len(main_admins) == 1 and main_admins[0] is entry


def _prepare_admin(panel: Panel, change: Change) -> None:
    _prepare_user(panel, change)
    if (
        change.entry
        and not change.data["is_main_admin"]
        and _is_last_main_admin(panel, change.entry)
    ):
        raise Invalid("is_main_admin: the last main admin must stay one.")


def _check_deletion_of_admin(panel: Panel, entry: Entry) -> None:
    """Refuses to delete the last main admin (docs/panel_api.md#last-admin)."""
    if _is_last_main_admin(panel, entry):
        raise Invalid("The last main admin cannot be deleted.")


ADMINS = Kind(
    name="admins",
    noun="admin",
    key="username",
    key_scope=_SCOPE,
    sequence=_SEQUENCE,
    sorts=("id", "username"),
    has_password=True,
    fields=(
        Field("username", _USERNAME, required=True, inferred=True),
        Field("email", ADDRESS, required=True),
        Field("language", _LANGUAGE, default="", inferred=True),
        Field("is_main_admin", Flag(), default=False, inferred=True),
        Field("created_at", Text(), access="ro", inferred=True),
    ),
    prepare=_prepare_admin,
    check_deletion=_check_deletion_of_admin,
    notes={"delete": "That the last main admin cannot be deleted is inferred."},
)


def _prepare_client(panel: Panel, change: Change) -> None:
    _prepare_user(panel, change)
    if change.entry is None:
        _prepare_new_client(panel, change)

    is_assigned = change.entry is None or "id_hosting_plan" in change.body
    is_another = change.get_old("id_hosting_plan") != change.data["id_hosting_plan"]
    if is_assigned and (is_another or panel.settings["plan_assignment"] == "copies"):
        _assign_plan(panel, change.data)


def _prepare_new_client(panel: Panel, change: Change) -> None:
    data = change.data
    data["id_hosting_plan"] = data["id_hosting_plan"] or DEFAULT_PLAN
    if change.flags.get("send_login_credentials") and not data["email"]:
        raise Invalid("send_login_credentials: needs an email.")

    system_domain = _make_system_domain(panel, data)
    has_system_domain = change.flags.get("create_system_domain")
    if has_system_domain and panel.store.claims.get(("domain", system_domain)):
        raise Invalid(f"create_system_domain: the domain {system_domain} is already in use.")

    skeleton = change.flags.get("skeleton")
    if skeleton not in (None, "", SKELETON):
        raise Invalid(f"skeleton: there is no skeleton template {skeleton!r}.")


def _assign_plan(panel: Panel, data: dict[str, Any]) -> None:
    """Copy the limits and features of a hosting plan to a client."""
    plan = panel.store.get("hosting_plans", data["id_hosting_plan"] or 0)
    if plan is None:
        number = data["id_hosting_plan"]
        raise Invalid(f"id_hosting_plan: there is no hosting plan with the id {number}.")

    data.update(copy_features(plan.data))


def _make_system_domain(panel: Panel, data: dict[str, Any]) -> str:
    """Returns the name of the domain of docs/panel_api.md#system-domain-of-a-client."""
    return f"{data['username']}.{panel.settings['hostname']}"


def _follow_creation_of_client(panel: Panel, entry: Entry, change: Change) -> None:
    if change.flags.get("create_system_domain"):
        body = {"id_user": entry.id, "domain": _make_system_domain(panel, entry.data)}
        panel.create("domains", body, is_internal=True)


def _check_deletion_of_client(panel: Panel, entry: Entry) -> None:
    """Refuses a client with objects on a panel that differs from
    docs/panel_api.md#contents-of-a-client."""
    has_objects = any(panel.store.select_of_user(kind, entry.id) for kind in panel.store.objects)
    if panel.settings["client_deletion"] == "refused" and has_objects:
        raise Invalid("The client still has objects.")


def _prepare_deletion_of_client(panel: Panel, entry: Entry) -> None:
    for kind in panel.store.objects:
        for owned in panel.store.select_of_user(kind, entry.id):
            panel.remove(owned)


CLIENTS = Kind(
    name="clients",
    noun="client",
    key="username",
    key_scope=_SCOPE,
    sequence=_SEQUENCE,
    sorts=("id", "username"),
    has_status=True,
    has_password=True,
    needs_hash_system=True,
    fields=(
        Field("username", _USERNAME, required=True, access="create"),
        Field("language", _LANGUAGE, default=""),
        Field("email", NO_ADDRESS, default=""),
        Field("notes", Text(), default=""),
        Field("id_hosting_plan", Number(least=0, nullable=True), default=None, inferred=True),
        Field("is_suspended", Flag(), default=False),
        Field("suspend_on", Instant(), default=None),
        Field("delete_on", Instant(), default=None),
        Field("send_login_credentials", Flag(), access="flag"),
        Field("create_system_domain", Flag(), access="flag"),
        Field("skeleton", Text(nullable=True), access="flag"),
        Field(
            "contact_data",
            Members(
                *(Field(name, Text(), default="") for name in _CONTACT),
                Field("country", _COUNTRY, default=""),
                Field("client_id", Text(), default=""),
            ),
        ),
        Field("created_at", Text(), access="ro"),
        Field("resource_limits", RESOURCES, access="ro"),
        Field("permissions", PERMISSIONS, access="ro"),
        Field("php", PHP, access="ro"),
        Field("php_fpm", PHP_FPM, access="ro"),
    ),
    prepare=_prepare_client,
    created=_follow_creation_of_client,
    check_deletion=_check_deletion_of_client,
    deleting=_prepare_deletion_of_client,
)
