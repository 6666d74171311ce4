"""What POST, GET, PUT and DELETE do to objects of any kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.fields import Field, Rules, converted, read_body
from panel_simulator.instants import WITH_WINTER, shown_instant, with_season
from panel_simulator.kept_texts import kept
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.members import presented
from panel_simulator.panel import Panel
from panel_simulator.passwords import check_policy, generated_password
from panel_simulator.store import CONFIG_NEW, CONFIG_UPDATE, ERROR, OKAY, Claim, Entry
from panel_simulator.values import Instant, Text

PASSWORD_MEMBERS = ("password", "password_hash", "password_hash_os")
_PASSWORD_FIELDS = tuple(Field(name, Text()) for name in PASSWORD_MEMBERS)
# What answers carry and bodies may repeat, for every kind.
_IGNORED_MEMBERS = ("id", "status")


def _rules(panel: Panel, kind: Kind) -> tuple[Rules, Mapping[str, Any]]:
    settings = panel.settings
    rules = Rules(
        replace_nested=settings.nested_update == "replace", refuse_unknown=settings.unknown_members == "refuse"
    )
    return rules, settings.extra_members.get(kind.name) or {}


def _read(panel: Panel, kind: Kind, body: Any, entry: Entry | None) -> Change:
    if not isinstance(body, Mapping):
        raise Invalid("The request body must be a JSON object.")
    rules, extra = _rules(panel, kind)
    # Nested objects are copied: a change that is refused must leave nothing behind.
    current = None
    if entry is not None:
        current = {name: dict(value) if isinstance(value, dict) else value for name, value in entry.data.items()}
    body = _taken(panel, kind, body)
    elsewhere = _IGNORED_MEMBERS + (PASSWORD_MEMBERS if kind.has_password else ())
    plain = {name: value for name, value in body.items() if name not in elsewhere}
    data, given = read_body(kind.fields, plain, current, rules, extra)
    data = kept(panel.settings.kept_texts, kind.name, data, _owner(panel, data))
    return Change(entry=entry, data=data, given=given, body=body)


def _taken(panel: Panel, kind: Kind, body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as the panel takes scalars and days."""
    taken = dict(body)
    if panel.settings.scalars == "converted":
        taken = converted((*kind.fields, *_PASSWORD_FIELDS), taken)
    if panel.settings.dates == WITH_WINTER:
        days = [item.name for item in kind.fields if isinstance(item.value, Instant) and item.name in taken]
        taken.update({name: with_season(taken[name]) for name in days})
    return taken


def _owner(panel: Panel, data: Mapping[str, Any]) -> str:
    client = panel.store.get("clients", data.get("id_user") or 0)
    return client.data["username"] if client is not None else ""


def _read_password(panel: Panel, kind: Kind, change: Change) -> str | None:
    """Puts what the body says about the password into ``change.hidden``; the password if one was generated."""
    if not kind.has_password:
        return None
    body = change.body
    hashed = body.get("password_hash")
    if hashed not in (None, ""):
        _check_hash(panel, kind, body)
        change.hidden["password_hash"] = hashed
        change.hidden["password_hash_os"] = body.get("password_hash_os")
        change.hidden["password"] = None
        return None
    if change.entry is not None and "password" not in body:
        return None
    password = body.get("password")
    if password in (None, ""):
        generated = generated_password()
        change.hidden.update(password=generated, password_hash=None, password_hash_os=None)
        return generated
    if not isinstance(password, str):
        raise Invalid("password: must be a string.")
    if panel.settings.apply_password_policy:
        check_policy(password)
    change.hidden.update(password=password, password_hash=None, password_hash_os=None)
    return None


def _check_hash(panel: Panel, kind: Kind, body: Mapping[str, Any]) -> None:
    if panel.settings.password_hashes == "refused":
        raise Invalid("password_hash: password hashes are not enabled in the API settings.")
    if body.get("password") not in (None, ""):
        raise Invalid("password_hash: excludes password.")
    names = ("password_hash", "password_hash_os") if kind.needs_hash_system else ("password_hash",)
    for name in names:
        if not isinstance(body.get(name), str) or not body[name]:
            raise Invalid(f"{name}: this member is required with password_hash and must be a string.")


def _claims(panel: Panel, kind: Kind, change: Change) -> list[Claim]:
    claims = kind.claims(change.data)
    for claim in claims:
        holder = panel.store.holder(*claim)
        if holder is not None and holder is not change.entry:
            raise Invalid(f"{kind.key or kind.noun}: the {claim[0]} {claim[1]} is already in use.")
    return claims


def create(panel: Panel, kind: Kind, body: Mapping[str, Any], is_internal: bool = False) -> tuple[Entry, str | None]:
    """(the new object, the password that was generated for it)."""
    change = _read(panel, kind, body, None)
    change.is_internal = is_internal
    kind.prepare(panel, change)
    claims = _claims(panel, kind, change)
    generated = _read_password(panel, kind, change)
    entry = Entry(kind=kind.name, id=panel.store.next_id(kind.sequence), data=change.data, hidden=change.hidden)
    panel.store.insert(entry, claims)
    unsettle(panel, kind, entry, CONFIG_NEW)
    kind.created(panel, entry, change)
    return entry, generated


def update(panel: Panel, kind: Kind, entry: Entry, body: Any) -> str | None:
    """Changes an object; the password if a new one was generated."""
    change = _read(panel, kind, body, entry)
    kind.prepare(panel, change)
    claims = _claims(panel, kind, change)
    generated = _read_password(panel, kind, change)
    old = Entry(kind=kind.name, id=entry.id, data=entry.data)
    panel.store.update(entry, change.data, claims)
    entry.hidden.update(change.hidden)
    unsettle(panel, kind, entry, CONFIG_UPDATE)
    change.entry = old
    kind.updated(panel, entry, change)
    return generated


def amend(panel: Panel, kind: Kind, entry: Entry, changes: Mapping[str, Any]) -> None:
    """Changes members as a consequence of something else; nothing is checked."""
    data = {**entry.data, **changes}
    panel.store.update(entry, data, kind.claims(data))
    unsettle(panel, kind, entry, CONFIG_UPDATE)


def remove(panel: Panel, kind: Kind, entry: Entry) -> None:
    """Deletes an object and what goes with it."""
    kind.deleting(panel, entry)
    panel.store.remove(entry)


def unsettle(panel: Panel, kind: Kind, entry: Entry, status: int) -> None:
    """Starts the time in which the panel applies a change in the background (facts.md section 1.3)."""
    if not kind.has_status:
        return
    settings = panel.settings
    delay = settings.status_delays.get(kind.name, settings.status_delay)
    if settings.statuses != "settle":
        delay = 0.0 if settings.statuses == "at_once" else math.inf
    entry.status = ERROR if kind.name in settings.failing_kinds else OKAY
    entry.unsettled = status
    entry.settles_at = panel.clock() + delay if delay else 0.0
    entry.text = None


def shown(panel: Panel, kind: Kind, entry: Entry) -> dict[str, Any]:
    """An object as answers show it."""
    result: dict[str, Any] = {"id": entry.id}
    if kind.has_status:
        result["status"] = panel.status_of(entry)
    data = entry.data
    for item in kind.fields:
        if item.name in data:
            result[item.name] = data[item.name]
        if isinstance(item.value, Instant) and item.name in result:
            result[item.name] = _shown_date(panel, result[item.name])
    extra = panel.settings.extra_members.get(kind.name) or {}
    for name, default in extra.items():
        result[name] = data.get(name, default)
    if panel.settings.password_hashes == "written_and_shown" and kind.has_password:
        result["password_hash"] = entry.hidden.get("password_hash")
    kind.show(panel, entry, result)
    return presented(panel, kind.name, result)


def _shown_date(panel: Panel, text: str | None) -> str | None:
    if text:
        return shown_instant(text, panel.settings.dates)
    return "" if panel.settings.missing_dates == "empty_text" else None
