"""A simulated panel: what POST, GET, PUT and DELETE do to objects of any kind, as its settings have it."""

from __future__ import annotations

import math
import re
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import (
    WITH_WINTER,
    Field,
    Instant,
    Rules,
    Text,
    converted,
    read_body,
    shown_instant,
    with_season,
)
from panel_simulator.settings import Settings
from panel_simulator.store import (
    CONFIG_NEW,
    CONFIG_UPDATE,
    ERROR,
    OKAY,
    Change,
    Claim,
    Entry,
    Kind,
    Store,
    Zone,
)

_PASSWORD_FIELDS = tuple(
    Field(name, Text()) for name in ("password", "password_hash", "password_hash_os")
)
# What answers carry and bodies may repeat, for every kind.
_IGNORED_FIELDS = ("id", "status")
# The names that a panel's naming scheme may change: the open point ``kept_texts``.
_SCHEMED = {"databases": "database_name", "ftp_users": "username"}
_POLICY = {
    "at least 8 characters": ".{8,}",
    "a lower-case letter": ".*[a-z]",
    "an upper-case letter": ".*[A-Z]",
    "a digit": r".*\d",
}


class Panel:
    """Everything that requests read and change. ``api_key`` is the only key; ``clock`` gives the seconds since the epoch."""

    # Above this file.
    kinds: Mapping[str, Kind]

    def __init__(self, api_key: str, clock: Callable[[], float] = time.time) -> None:
        self.api_key = api_key
        self.clock = clock
        self.is_read_only = False
        self.settings = Settings(self.kinds)
        self.store = Store()
        self.zones: dict[int, Zone] = {}
        # By token, the client of a login URL and until when it is valid.
        self.logins: dict[str, tuple[int, float]] = {}
        self.booted_at = self.clock()
        self.reset_objects()

    def reset_objects(self) -> None:
        """A freshly installed panel: one main admin, one hosting plan."""
        self.store = Store(self.store.changes + 1)
        self.zones.clear()
        self.logins.clear()
        self.create("hosting_plans", {"name": "Default"})
        self.create(
            "admins",
            {
                "username": "admin",
                "email": f"admin@{self.settings.hostname}",
                "is_main_admin": True,
            },
        )

    def status_of(self, entry: Entry) -> int:
        return (
            entry.unsettled
            if entry.settles_at and self.clock() < entry.settles_at
            else entry.status
        )

    def create(
        self, kind_name: str, body: Any, is_internal: bool = False
    ) -> tuple[Entry, str | None]:
        """(the new object, the password that was generated for it)."""
        kind = self.kinds[kind_name]
        change = self._read(kind, body, None)
        change.is_internal = is_internal
        kind.prepare(self, change)
        claims = self._claims(kind, change)
        generated = self._read_password(kind, change)
        entry = Entry(
            kind_name, self.store.next_id(kind.sequence or kind.name), change.data, change.hidden
        )
        self.store.insert(entry, claims)
        self.unsettle(entry, CONFIG_NEW)
        kind.created(self, entry, change)
        return entry, generated

    def update(self, entry: Entry, body: Any) -> str | None:
        """Changes an object; the password if a new one was generated."""
        kind = self.kinds[entry.kind]
        change = self._read(kind, body, entry)
        kind.prepare(self, change)
        claims = self._claims(kind, change)
        generated = self._read_password(kind, change)
        change.entry = Entry(entry.kind, entry.id, entry.data)
        self.store.update(entry, change.data, claims)
        entry.hidden.update(change.hidden)
        self.unsettle(entry, CONFIG_UPDATE)
        kind.updated(self, entry, change)
        return generated

    def remove(self, entry: Entry) -> None:
        """Deletes an object and what goes with it, unless that is gone already."""
        if self.store.get(entry.kind, entry.id) is entry:
            self.kinds[entry.kind].deleting(self, entry)
            self.store.remove(entry)

    def unsettle(self, entry: Entry, status: int) -> None:
        """Starts the time in which the panel applies a change in the background
        (docs/panel_api.md#status)."""
        if not self.kinds[entry.kind].has_status:
            return
        delay = {"settle": self.settings.status_delay, "at_once": 0.0, "stay": math.inf}[
            self.settings.statuses
        ]
        entry.status = ERROR if entry.kind in self.settings.failing_kinds else OKAY
        entry.unsettled = status
        entry.settles_at = self.clock() + delay if delay else 0.0
        self.store.touch()

    def shown(self, entry: Entry) -> dict[str, Any]:
        kind, data = self.kinds[entry.kind], entry.data
        result: dict[str, Any] = {"id": entry.id}
        if kind.has_status:
            result["status"] = self.status_of(entry)
        for item in kind.fields:
            if item.name in data:
                result[item.name] = data[item.name]
            if isinstance(item.value, Instant) and item.name in result:
                result[item.name] = self._shown_date(result[item.name])
        extra = self.settings.extra_members.get(kind.name, {})
        result.update({name: data.get(name, default) for name, default in extra.items()})
        if self.settings.password_hashes == "written_and_shown" and kind.has_password:
            result["password_hash"] = entry.hidden.get("password_hash")
        kind.show(self, result)
        return self.presented(kind.name, result)

    def _shown_date(self, text: str | None) -> str | None:
        if text:
            return shown_instant(text, self.settings.dates)
        return "" if self.settings.missing_dates == "empty_text" else None

    def presented(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """An answer about one object, or about a zone (``dns``): without what this panel hides, and under its names."""
        left = _without(fields, self.settings.hidden_members.get(kind, ()))
        names = self.settings.renamed_members.get(kind, {})
        return {names.get(name, name): value for name, value in left.items()}

    def in_a_list(self, entry: Entry) -> dict[str, Any]:
        """An item of a list: a single object without what this panel's lists leave out."""
        names = self.settings.renamed_members.get(entry.kind, {})
        left_out = (name.partition(".") for name in self.settings.short_lists.get(entry.kind, ()))
        return _without(
            self.shown(entry),
            (names.get(outer, outer) + dot + inner for outer, dot, inner in left_out),
        )

    def with_usual_names(self, kind: str, body: Any) -> Any:
        """A body with the names that all others know; fields of a usual name that this panel has another one for are unknown to it."""
        names = self.settings.renamed_members.get(kind)
        if not names or not isinstance(body, Mapping):
            return body
        usual = {other: name for name, other in names.items()}
        return {
            usual.get(name, f"{name} (unknown)" if name in names else name): value
            for name, value in body.items()
        }

    def _read(self, kind: Kind, body: Any, entry: Entry | None) -> Change:
        if not isinstance(body, Mapping):
            raise Invalid("The request body must be a JSON object.")
        settings = self.settings
        extra = [*settings.extra_members.get(kind.name, ())]
        rules = Rules(
            settings.nested_update == "replace", settings.unknown_members == "refuse", extra
        )
        # Nested objects are copied: a change that is refused must leave nothing behind.
        current = None
        if entry is not None:
            current = {
                name: dict(value) if isinstance(value, dict) else value
                for name, value in entry.data.items()
            }
        body = self._taken(kind, body)
        elsewhere = [
            *_IGNORED_FIELDS,
            *(item.name for item in _PASSWORD_FIELDS if kind.has_password),
        ]
        plain = {name: value for name, value in body.items() if name not in elsewhere}
        data, given = read_body(kind.fields, plain, current, rules)
        if kind.name in _SCHEMED:
            self._name_by_scheme(kind.name, data)
        return Change(entry=entry, data=data, given=given, body=body)

    def _taken(self, kind: Kind, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body as the panel takes scalars and days."""
        taken = dict(body)
        if self.settings.scalars == "converted":
            taken = converted((*kind.fields, *_PASSWORD_FIELDS), taken)
        if self.settings.dates == WITH_WINTER:
            days = [
                item.name
                for item in kind.fields
                if isinstance(item.value, Instant) and item.name in taken
            ]
            taken.update({name: with_season(taken[name]) for name in days})
        return taken

    def _name_by_scheme(self, kind: str, data: dict[str, Any]) -> None:
        client = self.store.get("clients", data["id_user"])
        name, scheme = data[_SCHEMED[kind]], self.settings.kept_texts
        if client is None or not isinstance(name, str):
            return
        owner = client.data["username"]
        if scheme == "prefixed" and not name.startswith(f"{owner}_"):
            data[_SCHEMED[kind]] = f"{owner}_{name}"
        if scheme == "generated" and not re.fullmatch(rf"{re.escape(owner)}_\w\d+", name):
            data[_SCHEMED[kind]] = f"{owner}_{kind[0]}{zlib.crc32(name.encode()) % 10000}"

    def _read_password(self, kind: Kind, change: Change) -> str | None:
        """Puts what the body says about the password into ``change.hidden``; the password if one was generated."""
        body = change.body
        if not kind.has_password:
            return None
        if body.get("password_hash") not in (None, ""):
            self._check_hash(kind, body)
            hashes = {name: body.get(name) for name in ("password_hash", "password_hash_os")}
            change.hidden.update(password=None, **hashes)
            return None
        if change.entry is not None and "password" not in body:
            return None
        password = body.get("password")
        generated = _generated_password() if password in (None, "") else None
        if generated is None:
            if not isinstance(password, str):
                raise Invalid("password: must be a string.")
            # The shortest password of the policy is assumed (docs/panel_api.md#panel-settings).
            missing = [
                words
                for words, pattern in _POLICY.items()
                if not re.match(pattern, password, re.DOTALL)
            ]
            if missing and self.settings.apply_password_policy:
                raise Invalid(f"password: the password policy asks for {', '.join(missing)}.")
        change.hidden.update(
            password=generated or password, password_hash=None, password_hash_os=None
        )
        return generated

    def _check_hash(self, kind: Kind, body: Mapping[str, Any]) -> None:
        if self.settings.password_hashes == "refused":
            raise Invalid("password_hash: password hashes are not enabled in the API settings.")
        if body.get("password") not in (None, ""):
            raise Invalid("password_hash: excludes password.")
        for name in (
            ("password_hash", "password_hash_os") if kind.needs_hash_system else ("password_hash",)
        ):
            if not isinstance(body.get(name), str) or not body[name]:
                raise Invalid(
                    f"{name}: this member is required with password_hash and must be a string."
                )

    def _claims(self, kind: Kind, change: Change) -> list[Claim]:
        claims = kind.claims(change.data)
        for claim in claims:
            if self.store.claims.get(claim) not in (None, change.entry):
                raise Invalid(
                    f"{kind.key or kind.noun}: the {claim[0]} {claim[1]} is already in use."
                )
        return claims


def _generated_password() -> str:
    """Sixteen characters that satisfy the policy."""
    return f"{secrets.token_urlsafe(9)}aA1!"


def _without(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields except these; ``components.csr`` is one within another."""
    left = dict(fields)
    for name in names:
        outer, _dot, inner = name.partition(".")
        if not inner:
            left.pop(outer, None)
        elif isinstance(left.get(outer), Mapping):
            left[outer] = _without(left[outer], [inner])
    return left
