"""Client accounts (facts.md section 4)."""

from __future__ import annotations

from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.fields import Field, Members
from panel_simulator.kinds.hosting_plans import DEFAULT_PLAN, PERMISSIONS, PHP, PHP_FPM, RESOURCES, copied_features
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import SCOPE, SEQUENCE, USERNAME, check_language
from panel_simulator.panel import Panel
from panel_simulator.store import Entry
from panel_simulator.values import Address, Flag, Instant, Number, Text

_CONTACT = ("first_name", "last_name", "company", "telephone", "address", "city", "zip", "state")


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    check_language(panel, data)
    if change.entry is None:
        data["created_at"] = panel.now()
        data["id_hosting_plan"] = data["id_hosting_plan"] or DEFAULT_PLAN
        if change.given.get("send_login_credentials") and not data["email"]:
            raise Invalid("send_login_credentials: needs an email.")
        if change.given.get("create_system_domain") and panel.store.holder("domain", _system_domain(panel, data)):
            raise Invalid(f"create_system_domain: the domain {_system_domain(panel, data)} is already in use.")
        skeleton = change.given.get("skeleton")
        if skeleton and skeleton not in panel.settings.skeletons:
            raise Invalid(f"skeleton: there is no skeleton template {skeleton!r}.")
    is_assigned = change.entry is None or "id_hosting_plan" in change.body
    is_another = change.old("id_hosting_plan") != data["id_hosting_plan"]
    if is_assigned and (is_another or panel.settings.plan_assignment == "copies"):
        _copy_features(panel, data)


def _system_domain(panel: Panel, data: dict[str, Any]) -> str:
    return f"{data['username']}.{panel.settings.hostname}"


def _copy_features(panel: Panel, data: dict[str, Any]) -> None:
    plan = panel.store.get("hosting_plans", data["id_hosting_plan"] or 0)
    if plan is None:
        raise Invalid(f"id_hosting_plan: there is no hosting plan with the id {data['id_hosting_plan']}.")
    data.update(copied_features(plan.data))


def _created(panel: Panel, entry: Entry, change: Change) -> None:
    if change.given.get("create_system_domain"):
        panel.create("domains", {"id_user": entry.id, "domain": _system_domain(panel, entry.data)}, is_internal=True)


def _check_deletion(panel: Panel, entry: Entry) -> None:
    if panel.settings.client_deletion == "refused" and any(
        panel.store.of_user(kind, entry.id) for kind in panel.store.owned
    ):
        raise Invalid("The client still has objects.")


def _deleting(panel: Panel, entry: Entry) -> None:
    for kind in panel.store.owned:
        for owned in panel.store.of_user(kind, entry.id):
            # What is in a domain goes with that.
            if panel.store.get(kind, owned.id) is owned:
                panel.remove(owned)


CLIENTS = Kind(
    name="clients",
    noun="client",
    key="username",
    key_scope=SCOPE,
    shared_sequence=SEQUENCE,
    sorts=("id", "username"),
    has_status=True,
    has_password=True,
    needs_hash_system=True,
    fields=(
        Field("username", USERNAME, required=True, access="create"),
        Field("language", Text(), default=""),
        Field("email", Address(required=False), default=""),
        Field("notes", Text(), default=""),
        Field(
            "id_hosting_plan",
            Number(least=0, nullable=True),
            default=None,
            inferred=True,
            note="That answers carry it is inferred.",
        ),
        Field("is_suspended", Flag(), default=False),
        Field("suspend_on", Instant(), default=None),
        Field("delete_on", Instant(), default=None),
        Field("send_login_credentials", Flag(), access="flag"),
        Field("create_system_domain", Flag(), access="flag"),
        Field("skeleton", Text(nullable=True), access="flag"),
        Field(
            "contact_data",
            Members(
                (
                    *(Field(name, Text(), default="") for name in _CONTACT),
                    Field(
                        "country",
                        Text(pattern="[A-Z]{2}", form="must be a country code of ISO 3166 such as DE, or empty."),
                        default="",
                    ),
                    Field("client_id", Text(), default=""),
                )
            ),
        ),
        Field("created_at", Text(), access="ro"),
        Field("resource_limits", RESOURCES, access="ro"),
        Field("permissions", PERMISSIONS, access="ro"),
        Field("php", PHP, access="ro"),
        Field("php_fpm", PHP_FPM, access="ro"),
    ),
    prepare=_prepare,
    created=_created,
    check_deletion=_check_deletion,
    deleting=_deleting,
)
