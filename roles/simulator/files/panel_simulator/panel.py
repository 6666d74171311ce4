# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated panel: what POST, GET, PUT and DELETE do to objects, as its settings have it."""

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
    convert_body,
    read_body,
    shift_to_season,
    show_instant,
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

_HASHES = ("password_hash", "password_hash_os")
_PASSWORD_FIELDS = tuple(Field(name, Text()) for name in ("password", *_HASHES))
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
    """Everything that requests read and change.

    ``api_key`` is the only key; ``clock`` gives the seconds since the epoch.
    """

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
        """Return to a freshly installed panel: one main admin, one hosting plan."""
        self.store = Store(self.store.changes + 1)
        self.zones.clear()
        self.logins.clear()
        self.create("hosting_plans", {"name": "Default"})
        self.create(
            "admins",
            {
                "username": "admin",
                "email": f"admin@{self.settings['hostname']}",
                "is_main_admin": True,
            },
        )

    def find_status(self, entry: Entry) -> int:
        """Return the status of an object at this moment."""
        if entry.settles_at and self.clock() < entry.settles_at:
            return entry.unsettled
        return entry.status

    def create(
        self, kind_name: str, body: Any, is_internal: bool = False
    ) -> tuple[Entry, str | None]:
        """Create an object of a kind, as a POST does.

        Args:
            kind_name: the plural name of the kind.
            body: the fields, under their usual names.
            is_internal: whether the panel itself creates the object.

        Returns: the new object, and the password if one was generated for it.
        Raises: Invalid.
        """
        kind = self.kinds[kind_name]
        change = self._read(kind, body, None)
        change.is_internal = is_internal
        kind.prepare(self, change)
        claims = self._list_claims(kind, change)
        generated = self._read_password(kind, change)
        entry = Entry(
            kind_name,
            self.store.take_next_id(kind.sequence or kind.name),
            change.data,
            change.hidden,
        )
        self.store.insert(entry, claims)
        self.unsettle(entry, CONFIG_NEW)
        kind.created(self, entry, change)
        return entry, generated

    def update(self, entry: Entry, body: Any) -> str | None:
        """Change an object, as a PUT does; return the password if a new one was generated."""
        kind = self.kinds[entry.kind]
        change = self._read(kind, body, entry)
        kind.prepare(self, change)
        claims = self._list_claims(kind, change)
        generated = self._read_password(kind, change)
        change.entry = Entry(entry.kind, entry.id, entry.data)
        self.store.update(entry, change.data, claims)
        entry.hidden.update(change.hidden)
        self.unsettle(entry, CONFIG_UPDATE)
        kind.updated(self, entry, change)
        return generated

    def remove(self, entry: Entry) -> None:
        """Delete an object and what goes with it, unless that is gone already."""
        if self.store.get(entry.kind, entry.id) is entry:
            self.kinds[entry.kind].deleting(self, entry)
            self.store.remove(entry)

    def unsettle(self, entry: Entry, status: int) -> None:
        """Start the time in which the panel applies a change in the background
        (docs/panel_api.md#status)."""
        if not self.kinds[entry.kind].has_status:
            return

        delays = {"settle": self.settings["status_delay"], "at_once": 0.0, "stay": math.inf}
        delay = delays[self.settings["statuses"]]
        is_failing = entry.kind in self.settings["failing_kinds"]
        entry.status = ERROR if is_failing else OKAY
        entry.unsettled = status
        entry.settles_at = 0.0
        if delay:
            entry.settles_at = self.clock() + delay

        self.store.touch()

    def show_object(self, entry: Entry) -> dict[str, Any]:
        """Return the answer about an object, as this panel writes it."""
        kind = self.kinds[entry.kind]
        result: dict[str, Any] = {"id": entry.id}
        if kind.has_status:
            result["status"] = self.find_status(entry)

        for item in kind.fields:
            if item.name in entry.data:
                result[item.name] = entry.data[item.name]
            if isinstance(item.value, Instant) and item.name in result:
                result[item.name] = self._show_date(result[item.name])

        extra = self.settings["extra_members"].get(kind.name, {})
        result.update({name: entry.data.get(name, default) for name, default in extra.items()})
        if self.settings["password_hashes"] == "written_and_shown" and kind.has_password:
            result["password_hash"] = entry.hidden.get("password_hash")

        kind.show(self, result)
        return self.present(kind.name, result)

    def _show_date(self, text: str | None) -> str | None:
        if text:
            return show_instant(text, self.settings["dates"])
        if self.settings["missing_dates"] == "empty_text":
            return ""
        return None

    def present(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer about an object or a zone (``dns``) as this panel has it: without what
        it hides, and under its names."""
        visible = _leave_out(fields, self.settings["hidden_members"].get(kind, ()))
        names = self.settings["renamed_members"].get(kind, {})
        return {names.get(name, name): value for name, value in visible.items()}

    def show_in_list(self, entry: Entry) -> dict[str, Any]:
        """Return an item of a list: a single object without what this panel's lists leave out."""
        names = self.settings["renamed_members"].get(entry.kind, {})
        omitted = []

        for path in self.settings["short_lists"].get(entry.kind, ()):
            outer, dot, inner = path.partition(".")
            omitted.append(names.get(outer, outer) + dot + inner)

        return _leave_out(self.show_object(entry), omitted)

    def use_usual_names(self, kind: str, body: Any) -> Any:
        """Return a body of this panel with the names that all other panels know.

        A usual name that this panel has another one for is unknown to it.
        """
        names = self.settings["renamed_members"].get(kind)
        if not names or not isinstance(body, Mapping):
            return body

        usual_names = {name: f"{name} (unknown)" for name in names}
        usual_names |= {renamed: name for name, renamed in names.items()}
        return {usual_names.get(name, name): value for name, value in body.items()}

    def _read(self, kind: Kind, body: Any, entry: Entry | None) -> Change:
        """Check a body against the fields of its kind; raises Invalid."""
        if not isinstance(body, Mapping):
            raise Invalid("The request body must be a JSON object.")

        settings = self.settings
        rules = Rules(
            replace_nested=settings["nested_update"] == "replace",
            refuse_unknown=settings["unknown_members"] == "refuse",
            extra=[*settings["extra_members"].get(kind.name, ())],
        )
        current = None if entry is None else _copy_fields(entry.data)
        body = self._accept_scalars(kind, body)
        elsewhere = [*_IGNORED_FIELDS]
        if kind.has_password:
            elsewhere += [item.name for item in _PASSWORD_FIELDS]

        fields = {name: value for name, value in body.items() if name not in elsewhere}
        data, flags = read_body(kind.fields, fields, current, rules)
        if kind.name in _SCHEMED:
            self._name_by_scheme(kind.name, data)

        return Change(entry=entry, data=data, flags=flags, body=body)

    def _accept_scalars(self, kind: Kind, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body as the panel takes scalars and days."""
        taken = dict(body)
        if self.settings["scalars"] == "converted":
            taken = convert_body((*kind.fields, *_PASSWORD_FIELDS), taken)

        if self.settings["dates"] == WITH_WINTER:
            for item in kind.fields:
                if isinstance(item.value, Instant) and item.name in taken:
                    taken[item.name] = shift_to_season(taken[item.name])

        return taken

    def _name_by_scheme(self, kind: str, data: dict[str, Any]) -> None:
        """Change the name of an object as the naming scheme of this panel asks for."""
        field = _SCHEMED[kind]
        name = data[field]
        client = self.store.get("clients", data["id_user"])
        if client is None or not isinstance(name, str):
            return

        owner = client.data["username"]
        match self.settings["kept_texts"]:
            case "prefixed" if not name.startswith(f"{owner}_"):
                data[field] = f"{owner}_{name}"
            case "generated" if not re.fullmatch(rf"{re.escape(owner)}_\w\d+", name):
                data[field] = f"{owner}_{kind[0]}{zlib.crc32(name.encode()) % 10000}"

    def _read_password(self, kind: Kind, change: Change) -> str | None:
        """Put what the body says about the password into ``change.hidden``.

        Returns: the password if one was generated.
        """
        body = change.body
        if not kind.has_password:
            return None
        if body.get("password_hash") not in (None, ""):
            self._check_hash(kind, body)
            change.hidden["password"] = None
            for name in _HASHES:
                change.hidden[name] = body.get(name)
            return None
        if change.entry is not None and "password" not in body:
            return None

        password = body.get("password")
        generated = None
        if password in (None, ""):
            generated = _generate_password()
        else:
            self._check_password(password)

        change.hidden["password"] = generated or password
        change.hidden.update(dict.fromkeys(_HASHES))
        return generated

    def _check_password(self, password: Any) -> None:
        """Refuse a password that the policy of this panel does not accept.

        The shortest password of the policy is assumed (docs/panel_api.md#panel-settings).
        """
        if not isinstance(password, str):
            raise Invalid("password: must be a string.")
        if not self.settings["apply_password_policy"]:
            return

        missing = [
            demand
            for demand, pattern in _POLICY.items()
            if not re.match(pattern, password, re.DOTALL)
        ]
        if missing:
            raise Invalid(f"password: the password policy asks for {', '.join(missing)}.")

    def _check_hash(self, kind: Kind, body: Mapping[str, Any]) -> None:
        """Refuse a hash on a panel without hashes, beside a password, or without its fellow."""
        if self.settings["password_hashes"] == "refused":
            raise Invalid("password_hash: password hashes are not enabled in the API settings.")
        if body.get("password") not in (None, ""):
            raise Invalid("password_hash: excludes password.")

        required = _HASHES if kind.needs_hash_system else _HASHES[:1]
        for name in required:
            if not isinstance(body.get(name), str) or not body[name]:
                raise Invalid(
                    f"{name}: this member is required with password_hash and must be a string."
                )
        if body["password_hash"].startswith(tuple(self.settings["refused_hashes"])):
            raise Invalid("password_hash: hashes of this form are not supported.")

    def _list_claims(self, kind: Kind, change: Change) -> list[Claim]:
        """Return the unique names of the object; raises Invalid when another one has them."""
        claims = kind.list_claims(change.data)
        for claim in claims:
            holder = self.store.claims.get(claim)
            if holder is not None and holder != change.entry:
                scope, name = claim
                raise Invalid(f"{kind.key or kind.noun}: the {scope} {name} is already in use.")

        return claims


def _copy_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with nested objects copied: a change that is refused must leave no trace."""
    copied = dict(data)
    for name, value in data.items():
        if isinstance(value, dict):
            copied[name] = dict(value)

    return copied


def _generate_password() -> str:
    """Return sixteen characters that satisfy the policy."""
    return f"{secrets.token_urlsafe(9)}aA1!"


def _leave_out(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the fields except these; ``components.csr`` is one within another."""
    kept = dict(fields)
    for name in names:
        outer, _dot, inner = name.partition(".")
        if not inner:
            kept.pop(outer, None)
        elif isinstance(kept.get(outer), Mapping):
            kept[outer] = _leave_out(kept[outer], [inner])

    return kept
