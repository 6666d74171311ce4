"""A panel in memory that stands in for PanelClient: it keeps what is written to it and records every call.

    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}]})
    run_task(OPERATION, panel, {"username": "acme", "notes": "x"})
    assert panel.writes == [("PUT", "/clients/1", {"notes": "x"})]

It knows nothing of single kinds: no bounds, no owners, no defaults. What depends on those is tested against the simulator. Only zones are
something else than objects: a new main domain gets one (``DEFAULT_RECORDS``), and deleting one brings these records back. Several threads
may use it.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import RequestLimiter
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, OWNED
from ansible_collections.hosting.panel.plugins.module_utils._secrets.panel_text import Secrets
from tests.support.transcript import SimulatedTime, connection

GENERATED = "panel-made-{}"
NAMES = {kind.path: kind.name_member for kind in KINDS.values() if kind.by_name}
TAKES_PASSWORDS = frozenset(kind.path for kind in KINDS.values() if kind.password)
SECRETS = ("password", "password_hash", "password_hash_os")

DEFAULT_RECORDS = (
    {"host": "@", "type": "NS", "ttl": 86400, "value": "ns1.panel.example."},
    {"host": "@", "type": "A", "ttl": 86400, "value": "192.0.2.1"},
)

Call = tuple[str, str, Any]


def zone(identifier: int, domain: str, *records: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """The zone of a domain: the panel's default one, or a custom one with the given records."""
    shown = {"is_custom_dns": bool(records), "is_dns_disabled": False, "dkim_record": None, **members}
    other = [dict(record) for record in records or DEFAULT_RECORDS]
    return {"id": identifier, "domain": domain, **shown, "records": {"soa": {"ttl": 86400}, "other": other}}


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
        self.secrets = Secrets()
        self.passwords: dict[tuple[str, int], dict[str, Any]] = {}
        self.generated = 0
        self._last_id = 0
        self.patience = SimulatedTime().patience(60)
        self.limiter = RequestLimiter()
        self.connection = connection()
        self._lock = threading.RLock()
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

    def allow_at_once(self, most: int) -> None:
        self.limiter = RequestLimiter(most)

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        with self._recorded("GET", path, query):
            collection, rest = _split(path)
            if rest[1:] == ["resources"]:
                return copy.deepcopy(self._owned(self._found("GET", path)["id"]))
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

    def post(self, path: str, body: Mapping[str, Any], **_how: bool) -> Any:
        with self._recorded("POST", path, body):
            items = self.objects.setdefault(path, [])
            identifier = self._new_id()
            # Domains always show what they are below of (facts.md section 6).
            always = {"id_parent_domain": 0} if path == "/domains" else {}
            items.append({"id": identifier, **always, **_shown(body)})
            if path == "/domains" and not body.get("id_parent_domain"):
                self.objects.setdefault("/dns", []).append(zone(identifier, body["domain"]))
            return {"id": identifier, **self._keep_password(path, identifier, body, is_new=True)}

    def put(self, path: str, body: Mapping[str, Any], before_repeat: Callable[[bool], None] | None = None) -> Any:
        del before_repeat  # nothing is lost here
        with self._recorded("PUT", path, body):
            item = self._found("PUT", path)
            collection, _rest = _split(path)
            if collection == "/dns":
                # Records and the switch exclude each other (interface, "DNS").
                item.update({"is_custom_dns": "records" in body, "is_dns_disabled": body.get("is_dns_disabled", False)})
            _merge(item, _shown(body))
            return {"id": item["id"], **self._keep_password(collection, item["id"], body, is_new=False)}

    def delete(self, path: str, before_repeat: Callable[[bool], None] | None = None) -> Refused | None:
        del before_repeat
        with self._recorded("DELETE", path, None):
            collection, _rest = _split(path)
            try:
                item = self._found("DELETE", path)
            except Refused as refusal:
                return refusal
            if collection == "/dns":
                item.update(zone(item["id"], item["domain"]))
            else:
                self.objects[collection].remove(item)
                self._last_id = max(self._last_id, item["id"])
            return None

    def close(self) -> None:
        """Nothing to close."""

    def _owned(self, client: int) -> dict[str, list[dict[str, Any]]]:
        """What a client has, which the panel shows without saying whose it is (facts.md section 4.4)."""
        return {
            plural: [
                {name: value for name, value in one.items() if name != "id_user"}
                for one in self.objects.get(KINDS[plural].path, [])
                if str(one.get("id_user")) == str(client)
            ]
            for plural in OWNED
        }

    def _new_id(self) -> int:
        """One that no object has or had."""
        used = (item["id"] for items in self.objects.values() for item in items)
        self._last_id = 1 + max([self._last_id, *used])
        return self._last_id

    @contextlib.contextmanager
    def _recorded(self, method: str, path: str, sent: Any) -> Iterator[None]:
        """The time in which one request is answered; ``before`` may take longer without stopping the others."""
        with self._lock:
            self.calls.append((method, path, copy.deepcopy(sent)))
        if self._before is not None:
            self._before(method, path, sent)
        with self._lock:
            yield

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


SOA: dict[str, Any] = {
    "ttl": 86400,
    "primary_ns": "ns1.panel.example.",
    "rname": "hostmaster.acme.example.",
    "refresh": 14400,
    "retry": 1800,
    "expire": 604800,
    "minimum": 3600,
}


def custom_zone(
    *records: Mapping[str, Any], soa: Mapping[str, Any] | None = None, dkim_record: str = "", **members: Any
) -> dict[str, Any]:
    """The answer; ``members`` replace others."""
    return {
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "dkim_record": dkim_record,
        "records": {"soa": dict(SOA if soa is None else soa), "other": copy.deepcopy(list(records))},
        **members,
    }
