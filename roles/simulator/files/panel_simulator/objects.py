"""What POST, GET, PUT and DELETE do to objects of any kind."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import Field, Rules, converted, read_body
from panel_simulator.kinds.rules import check_policy, generated_password
from panel_simulator.panel import CONFIG_NEW, CONFIG_UPDATE, ERROR, OKAY, Change, Claim, Entry, Kind, Panel
from panel_simulator.spellings import WITH_WINTER, shown_instant, with_season
from panel_simulator.values import Instant, Text

PASSWORD_MEMBERS = ("password", "password_hash", "password_hash_os")
_PASSWORD_FIELDS = tuple(Field(name, Text()) for name in PASSWORD_MEMBERS)
# What answers carry and bodies may repeat, for every kind.
_IGNORED_MEMBERS = ("id", "status")
# The names that a panel's naming scheme may change: the open point ``kept_texts``.
_SCHEMED = {"databases": "database_name", "ftp_users": "username"}


def _read(panel: Panel, kind: Kind, body: Any, entry: Entry | None) -> Change:
    if not isinstance(body, Mapping):
        raise Invalid("The request body must be a JSON object.")
    settings = panel.settings
    rules = Rules(
        settings.nested_update == "replace", settings.unknown_members == "refuse", [*_extra_members(panel, kind)]
    )
    # Nested objects are copied: a change that is refused must leave nothing behind.
    current = None
    if entry is not None:
        current = {name: dict(value) if isinstance(value, dict) else value for name, value in entry.data.items()}
    body = _taken(panel, kind, body)
    elsewhere = _IGNORED_MEMBERS + (PASSWORD_MEMBERS if kind.has_password else ())
    plain = {name: value for name, value in body.items() if name not in elsewhere}
    data, given = read_body(kind.fields, plain, current, rules)
    if kind.name in _SCHEMED:
        _name_by_scheme(panel, kind.name, data)
    return Change(entry=entry, data=data, given=given, body=body)


def _extra_members(panel: Panel, kind: Kind) -> Mapping[str, Any]:
    return panel.settings.extra_members.get(kind.name) or {}


def _taken(panel: Panel, kind: Kind, body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as the panel takes scalars and days."""
    taken = dict(body)
    if panel.settings.scalars == "converted":
        taken = converted((*kind.fields, *_PASSWORD_FIELDS), taken)
    if panel.settings.dates == WITH_WINTER:
        days = [item.name for item in kind.fields if isinstance(item.value, Instant) and item.name in taken]
        taken.update({name: with_season(taken[name]) for name in days})
    return taken


def _name_by_scheme(panel: Panel, kind: str, data: dict[str, Any]) -> None:
    client = panel.store.get("clients", data["id_user"])
    name, scheme = data[_SCHEMED[kind]], panel.settings.kept_texts
    if client is None or not isinstance(name, str):
        return
    owner = client.data["username"]
    if scheme == "prefixed" and not name.startswith(f"{owner}_"):
        data[_SCHEMED[kind]] = f"{owner}_{name}"
    if scheme == "generated" and not re.fullmatch(rf"{re.escape(owner)}_\w\d+", name):
        data[_SCHEMED[kind]] = f"{owner}_{kind[0]}{zlib.crc32(name.encode()) % 10000}"


def _read_password(panel: Panel, kind: Kind, change: Change) -> str | None:
    """Puts what the body says about the password into ``change.hidden``; the password if one was generated."""
    if not kind.has_password:
        return None
    body = change.body
    hashed = body.get("password_hash")
    if hashed not in (None, ""):
        _check_hash(panel, kind, body)
        change.hidden.update(password=None, password_hash=hashed, password_hash_os=body.get("password_hash_os"))
        return None
    if change.entry is not None and "password" not in body:
        return None
    password = body.get("password")
    generated = generated_password() if password in (None, "") else None
    if generated is None:
        if not isinstance(password, str):
            raise Invalid("password: must be a string.")
        if panel.settings.apply_password_policy:
            check_policy(password)
    change.hidden.update(password=generated or password, password_hash=None, password_hash_os=None)
    return generated


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
        if panel.store.holder(*claim) not in (None, change.entry):
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
    """Changes fields as a consequence of something else; nothing is checked."""
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
    delay = {"settle": settings.status_delay, "at_once": 0.0, "stay": math.inf}[settings.statuses]
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
    result.update({name: data.get(name, default) for name, default in _extra_members(panel, kind).items()})
    if panel.settings.password_hashes == "written_and_shown" and kind.has_password:
        result["password_hash"] = entry.hidden.get("password_hash")
    kind.show(panel, result)
    return presented(panel, kind.name, result)


def _shown_date(panel: Panel, text: str | None) -> str | None:
    if text:
        return shown_instant(text, panel.settings.dates)
    return "" if panel.settings.missing_dates == "empty_text" else None


def presented(panel: Panel, kind: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """An answer about one object, or about a zone (``dns``): without what this panel hides, and under its names."""
    left = _without(members, panel.settings.hidden_members.get(kind) or ())
    names = panel.settings.renamed_members.get(kind) or {}
    return {names.get(name, name): value for name, value in left.items()}


def in_a_list(panel: Panel, kind: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """An item of a list, of what a single object shows: without what this panel's lists leave out."""
    names = panel.settings.renamed_members.get(kind) or {}
    left_out = (name.partition(".") for name in panel.settings.short_lists.get(kind) or ())
    return _without(members, (names.get(outer, outer) + dot + inner for outer, dot, inner in left_out))


def with_usual_names(panel: Panel, kind: str, body: Any) -> Any:
    """A body with the names that all others know; fields of a usual name that this panel has another one for are unknown to it."""
    names = panel.settings.renamed_members.get(kind)
    if not names or not isinstance(body, Mapping):
        return body
    usual = {other: name for name, other in names.items()}
    return {usual.get(name, f"{name} (unknown)" if name in names else name): value for name, value in body.items()}


def _without(members: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields except these; ``components.csr`` is one within another."""
    left = dict(members)
    for name in names:
        outer, _dot, inner = name.partition(".")
        if not inner:
            left.pop(outer, None)
        elif isinstance(left.get(outer), Mapping):
            left[outer] = _without(left[outer], [inner])
    return left
