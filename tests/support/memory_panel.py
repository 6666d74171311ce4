# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel in memory that stands in for PanelClient: it keeps what is written to it and records every call.

    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}]})
    run_task(OPERATION, panel, {"username": "acme", "notes": "x"})
    assert panel.writes == [("PUT", "/clients/1", {"notes": "x"})]

It knows nothing of single kinds: no bounds, no owners, no defaults. What depends on those is tested against the simulator.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from tests.support.simulated_time import SimulatedTime

GENERATED = "panel-made-{}"
NAMES = {
    "/admins": "username",
    "/certificates": "name",
    "/clients": "username",
    "/domains": "domain",
    "/emails": "email",
    "/hosting-plans": "name",
}
TAKES_PASSWORDS = ("/admins", "/clients", "/emails", "/databases", "/ftp-users", "/directory-protections")
SECRETS = ("password", "password_hash", "password_hash_os")

Call = tuple[str, str, Any]


class MemoryPanel:
    """Collections of objects by path, each object a dictionary with an id.

    calls: (method, path, body or query) of every request in their order. passwords: what was last set, by (path, id). generated: how many
    passwords the panel made; the first is ``GENERATED.format(1)``. short: members that the lists of a path leave out. before: called
    with method, path and body ahead of every request; what it raises is the outcome of that request.
    """

    def __init__(
        self,
        objects: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
        short: Mapping[str, Iterable[str]] | None = None,
        before: Callable[[str, str, Any], None] | None = None,
    ) -> None:
        self.objects: dict[str, list[dict[str, Any]]] = {
            path: [copy.deepcopy(dict(item)) for item in items] for path, items in (objects or {}).items()
        }
        self.calls: list[Call] = []
        self.passwords: dict[tuple[str, int], dict[str, Any]] = {}
        self.generated = 0
        self.patience = SimulatedTime().patience(60)
        self._short = {path: frozenset(names) for path, names in (short or {}).items()}
        self._before = before

    @property
    def writes(self) -> list[Call]:
        """The calls that are not reads."""
        return [call for call in self.calls if call[0] != "GET"]

    @property
    def reads(self) -> list[str]:
        """The paths that were read, in their order."""
        return [path for method, path, _query in self.calls if method == "GET"]

    def forget(self) -> None:
        """Starts a new record of calls; the objects stay."""
        self.calls.clear()

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        self._record("GET", path, query)
        collection, rest = _split(path)
        if rest:
            return copy.deepcopy(self._found("GET", path))
        hidden = self._short.get(collection, frozenset())
        items = [
            {name: value for name, value in item.items() if name not in hidden}
            for item in self.objects.get(collection, [])
        ]
        if query and query.get("sort"):
            items.sort(key=lambda item: item[query["sort"]], reverse=query.get("order") == "desc")
        return copy.deepcopy(items)

    def get_or_none(self, path: str) -> Any:
        try:
            return self.get(path)
        except Refused as refusal:
            if refusal.details["status"] == 404:
                return None
            raise

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        self._record("POST", path, body)
        items = self.objects.setdefault(path, [])
        identifier = 1 + max((item["id"] for one in self.objects.values() for item in one), default=0)
        items.append({"id": identifier, **_shown(body)})
        return {"id": identifier, **self._keep_password(path, identifier, body, is_new=True)}

    def post_again(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.post(path, body)

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        self._record("PUT", path, body)
        item = self._found("PUT", path)
        _merge(item, _shown(body))
        return {"id": item["id"], **self._keep_password(_split(path)[0], item["id"], body, is_new=False)}

    def delete(self, path: str) -> None:
        self._record("DELETE", path, None)
        collection, _rest = _split(path)
        try:
            self.objects[collection].remove(self._found("DELETE", path))
        except Refused:
            return

    def close(self) -> None:
        """Nothing to close."""

    def _record(self, method: str, path: str, sent: Any) -> None:
        self.calls.append((method, path, copy.deepcopy(sent)))
        if self._before is not None:
            self._before(method, path, sent)

    def _found(self, method: str, path: str) -> dict[str, Any]:
        collection, rest = _split(path)
        member, value = (NAMES.get(collection, ""), rest[1]) if rest[0] == "name" else ("id", rest[0])
        for item in self.objects.get(collection, []):
            if str(item.get(member)) == value:
                return item
        raise Refused(f"{method} {path}: 404", method=method, path=path, status=404, attempts=1)

    def _keep_password(self, path: str, identifier: int, body: Mapping[str, Any], is_new: bool) -> dict[str, Any]:
        """What the answer says of the password: generated ones only (interface, "password")."""
        given = {name: body[name] for name in SECRETS if body.get(name)}
        if path in TAKES_PASSWORDS and not given and (is_new or "password" in body):
            self.generated += 1
            given = {"password": GENERATED.format(self.generated)}
            self.passwords[path, identifier] = given
            return given
        if given:
            self.passwords[path, identifier] = given
        return {}


def _split(path: str) -> tuple[str, list[str]]:
    """The collection's path, and the decoded segments after it."""
    first, *rest = path.strip("/").split("/")
    return f"/{first}", [unquote(segment) for segment in rest]


def _shown(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: copy.deepcopy(value) for name, value in body.items() if name not in SECRETS}


def _merge(item: dict[str, Any], body: Mapping[str, Any]) -> None:
    for name, value in body.items():
        old = item.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            _merge(old, value)
        else:
            item[name] = value
