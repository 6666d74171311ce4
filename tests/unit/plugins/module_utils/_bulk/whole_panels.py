"""Panels and wanted objects of every kind, drawn from the collection's tables and the sample values of the integration tests."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Field, Kind, Reference
from tests.support.memory_panel import DEFAULT_RECORDS, zone
from tests.support.pem import texts
from tests.support.samples import Member, Sample, members_of, put, resolved

Options = dict[str, Any]
Dice = random.Random
SECRET = "s3cret-{}"


@dataclass(frozen=True)
class Thing:
    """An object that may be on the panel and that an item may name.

    options: the natural key in different spellings. wire: the key as the panel shows it. key: as the plan names it. needed: what else has to
    be given to create it. parent: the main domain of a mailbox, or of a zone.
    """

    kind: str
    options: tuple[Options, ...]
    wire: Mapping[str, Any]
    key: str
    needed: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""


@dataclass
class Item:
    """What is wanted of a thing. key: as results name it."""

    kind: str
    key: str
    options: Options

    @property
    def is_absent(self) -> bool:
        return self.options.get("state") == "absent" and self.kind != DNS


@dataclass
class Drawn:
    """A panel, what its lists leave out, and what is wanted of it."""

    objects: dict[str, list[dict[str, Any]]]
    short: dict[str, frozenset[str]]
    items: list[Item]

    @property
    def resources(self) -> dict[str, list[Options]]:
        """The items as panel_resources takes them."""
        given: dict[str, list[Options]] = {}
        for item in self.items:
            given.setdefault(item.kind, []).append(copy.deepcopy(item.options))
        return given

    @property
    def in_order(self) -> list[Item]:
        """The items in the order in which somebody would run the single modules."""
        gone = [item for item in self.items if item.is_absent]
        kept = [item for item in self.items if not item.is_absent]
        kept.sort(key=lambda item: (list(KINDS).index(item.kind), item.key.count(".") if item.kind == "domains" else 0))
        gone.sort(key=lambda item: list(KINDS).index(item.kind), reverse=True)
        late = [item for item in gone if item.kind in ("plans", "certificates")]
        return [item for item in gone if item not in late] + kept + late


WORLD: dict[str, list[dict[str, Any]]] = {
    "/hosting-plans": [{"id": 1, "name": "Business"}, {"id": 2, "name": "Basic"}],
    "/admins": [{"id": 5, "username": "admin", "is_main_admin": True}],
    "/clients": [{"id": 11, "username": "acme", "email": ""}, {"id": 12, "username": "globex", "email": ""}],
    "/certificates": [{"id": 21, "name": "acme 2026", "id_user": 11}, {"id": 22, "name": "acme 2027", "id_user": 11}],
    "/domains": [
        {"id": 31, "domain": "acme.example", "id_user": 11, "id_parent_domain": 0},
        {"id": 32, "domain": "xn--mller-kva.example", "id_user": 11, "id_parent_domain": 0},
        {"id": 33, "domain": "globex.example", "id_user": 12, "id_parent_domain": 0},
    ],
}
_NAMES = {"plans": "name", "clients": "username", "certificates": "name", "domains": "domain"}
WWW = {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.10"}
RECORDS = (
    WWW,
    {**WWW, "value": "192.0.2.11"},
    {**WWW, "ttl": 60},
    {"host": "", "type": "MX", "ttl": 60, "value": "5 m"},
)
_OWNED = {"client": "acme"}
_TASK = {"type": "exec", "command": "/bin/true"}

THINGS = (
    Thing("plans", ({"name": "Agency 100 %"},), {"name": "Agency 100 %"}, "Agency 100 %"),
    Thing("plans", ({"name": "Old: plan"},), {"name": "Old: plan"}, "Old: plan"),
    Thing("admins", ({"username": "night.shift"},), {"username": "night.shift"}, "night.shift"),
    Thing("clients", ({"username": "initech"},), {"username": "initech"}, "initech"),
    Thing("clients", ({"username": "hooli"},), {"username": "hooli"}, "hooli"),
    Thing(
        "certificates",
        ({"name": "*.initech"},),
        {"name": "*.initech"},
        "*.initech",
        {"components": {"certificate": {"pem": "one.certificate"}, "private_key": {"pem": "one.private_key"}}},
    ),
    Thing(
        "domains",
        ({"domain": "shop.example"}, {"domain": "SHOP.Example."}),
        {"domain": "shop.example"},
        "shop.example",
        _OWNED,
    ),
    Thing(
        "domains",
        ({"domain": "köln.acme.example"}, {"domain": "XN--Kln-sna.Acme.example"}),
        {"domain": "xn--kln-sna.acme.example"},
        "xn--kln-sna.acme.example",
        {"parent_domain": "acme.example"},
    ),
    Thing(
        "emails",
        ({"email": "info@müller.example"}, {"email": "INFO@xn--mller-kva.example"}),
        {"email": "info@xn--mller-kva.example"},
        "info@xn--mller-kva.example",
    ),
    Thing(
        "emails", ({"email": "a@shop.example"},), {"email": "a@shop.example"}, "a@shop.example", parent="shop.example"
    ),
    Thing("databases", ({"database_name": "acme_shop"},), {"database_name": "acme_shop"}, "acme_shop", _OWNED),
    Thing("ftp_users", ({"username": "acme_ftp"},), {"username": "acme_ftp"}, "acme_ftp", _OWNED),
    Thing(
        "directory_protections",
        tuple({**owner, "path": "/intern", "username": "guest"} for owner in ({"client": "acme"}, {"id_user": 11})),
        {"id_user": 11, "path": "/intern", "username": "guest"},
        "acme:/intern:guest",
    ),
    Thing(
        "scheduled_tasks",
        ({"client": "acme", "description": "Export"}, {"id_user": "11", "description": "Export"}),
        {"id_user": 11, "description": "Export"},
        "acme:Export",
        _TASK,
    ),
    Thing(
        "scheduled_tasks",
        ({"client": "", "description": "Export"}, {"id_user": 0, "description": "Export"}),
        {"id_user": 0, "description": "Export"},
        ":Export",
        _TASK,
    ),
    Thing(
        DNS,
        ({"domain": "müller.example"}, {"domain": "xn--mller-kva.EXAMPLE"}, {"id": 32}),
        {"domain": "xn--mller-kva.example"},
        "xn--mller-kva.example",
    ),
    Thing(DNS, ({"domain": "shop.example"},), {"domain": "shop.example"}, "shop.example", parent="shop.example"),
)


def id_of(place: str) -> int:
    """The id of an object of the world, named as the samples name it."""
    kind, _slash, name = place.partition("/")
    found: int = next(item["id"] for item in WORLD[TABLES[kind].path] if item[_NAMES[kind]] == name)
    return found


def whole_panel(dice: Dice) -> Drawn:
    """A panel with some objects of every kind, and items for some of them and some more."""
    objects = copy.deepcopy(WORLD)
    objects["/dns"] = [zone(32, "xn--mller-kva.example", *dice.choice([[WWW], []]))]
    drawn = Drawn(objects, {}, [])
    gone: set[str] = set()
    # What is forgotten makes the whole task fail, and a password that is always set writes in every run, so both are in some panels only.
    is_careless, is_always = dice.random() < 0.2, dice.random() < 0.4
    for number, thing in enumerate(THINGS):
        if thing.kind == DNS:
            _draw_zone(dice, drawn, thing, gone)
            continue
        kind = TABLES[thing.kind]
        current = None
        if dice.random() < 0.6:
            current = {"id": 100 + number, **_current(dice, thing, kind)}
            objects.setdefault(kind.path, []).append(current)
            if thing.kind == "domains" and not current.get("id_parent_domain"):
                objects["/dns"].append(zone(current["id"], thing.key))
        how = dice.choice(["present"] * 6 + ["absent", "nothing"])
        if how == "nothing" or thing.parent in gone or (thing.parent and not _is_there(drawn, thing.parent)):
            continue
        options = _named(dice, thing, current)
        if how == "absent":
            gone.add(thing.key)
            drawn.items.append(Item(thing.kind, thing.key, {**options, "state": "absent"}))
            continue
        wanted = _wanted(dice, thing, kind, current, is_careless)
        if kind.password is not None:
            wanted.update(dice.choice(_passwords(kind, is_always)))
        drawn.items.append(Item(thing.kind, thing.key, {**wanted, **options}))
    for kind in TABLES.values():
        names = sorted({row.name for row in (*kind.key, *kind.rows)} - {kind.name_member})
        drawn.short[kind.path] = frozenset(dice.choice([[], [], names[::2], names[1:2]]))
    return drawn


def _is_there(drawn: Drawn, domain: str) -> bool:
    """Whether a domain is on the panel or wanted to be."""
    return any(item["domain"] == domain for item in drawn.objects["/domains"]) or any(
        item.key == domain and item.kind == "domains" for item in drawn.items
    )


def _current(dice: Dice, thing: Thing, kind: Kind) -> dict[str, Any]:
    """The object as the panel shows it: what it needs, and some members more."""
    shown: dict[str, Any] = copy.deepcopy(dict(thing.wire))
    if thing.kind in ("certificates", "domains", "emails", "databases", "ftp_users"):
        shown["id_user"] = 11
    if thing.kind == "domains":
        shown["id_parent_domain"] = 31 if "parent_domain" in thing.needed else 0
    if thing.kind == "databases":
        shown["database_username"] = "acme_user"
    for member in members_of(kind):
        if not member.is_free or dice.random() < 0.5:
            continue
        sample = dice.choice(_samples(member))
        put(shown, member.wire_path, _shuffled(dice, resolved(sample.wire, id_of, texts())))
        for path, value in sample.also.items():
            put(shown, path, value)
    if dice.random() < 0.5:
        shown["future"] = dice.choice([1, 2])
    return shown


def _samples(member: Member) -> list[Sample]:
    cleared = [member.cleared] if member.cleared is not None else []
    return [*member.values, *cleared]


def _shuffled(dice: Dice, value: Any) -> Any:
    """The same value; a list in another order."""
    return dice.sample(value, len(value)) if isinstance(value, list) else value


def _named(dice: Dice, thing: Thing, current: Mapping[str, Any] | None) -> Options:
    """What names the object in an item: its key in one of its spellings, or its id."""
    if current is not None and dice.random() < 0.15:
        return {"id": dice.choice([current["id"], str(current["id"])])}
    return copy.deepcopy(dice.choice(thing.options))


def _wanted(dice: Dice, thing: Thing, kind: Kind, current: Mapping[str, Any] | None, is_careless: bool) -> Options:
    """The options of an item beside the key."""
    options: Options = {}
    if current is None or dice.random() < 0.5:
        given = resolved(thing.needed, id_of, texts())
        if given and is_careless and dice.random() < 0.3:
            # What is needed is forgotten, or the object belongs to somebody else.
            given = {"client": "globex"} if "client" in given else {}
        options.update(given)
    free = [member for member in members_of(kind) if member.is_free or member.path in ("skeleton", "is_dns_disabled")]
    for member in dice.sample(free, min(len(free), dice.randint(0, 4))):
        sample = dice.choice(_samples(member))
        value, path = resolved(sample.option, id_of, texts()), member.path
        if isinstance(member.row, Reference):
            by_id = resolved(sample.wire, id_of, texts())
            path, value = dice.choice([(path, value), (member.wire_path, by_id), (member.wire_path, str(by_id))])
        put(options, path, _spelled(dice, value))
        for beside, other in sample.beside.items():
            put(options, beside, other)
    if kind.renames and dice.random() < 0.1:
        options["new_name"] = f"{thing.key} new"
    if dice.random() < 0.2:
        options["extra"] = {"future": dice.choice([1, 2])}
    return options


def _passwords(kind: Kind, is_always: bool) -> list[Options]:
    system = {"password_hash_os": SECRET.format("os")} if kind.password is not None and kind.password.hash_os else {}
    given: list[Options] = [{"password": SECRET.format(1)}, {"password_hash": SECRET.format("hash"), **system}]
    if not is_always:
        return [{}, {"update_password": "always"}, *given]
    return [*({**one, "update_password": "always"} for one in given), {"regenerate_password": "yes"}]


def _spelled(dice: Dice, value: Any) -> Any:
    """A value as it may stand in a file."""
    if isinstance(value, bool):
        return dice.choice([value, "yes" if value else "no", str(value)])
    if isinstance(value, int):
        return dice.choice([value, str(value)])
    return _shuffled(dice, value)


def _draw_zone(dice: Dice, drawn: Drawn, thing: Thing, gone: set[str]) -> None:
    if thing.parent and (thing.parent in gone or not _is_there(drawn, thing.parent)):
        return
    records = dice.sample(RECORDS, dice.randint(0, 2))
    if len({record["ttl"] for record in records if record["host"] == "www"}) > 1:
        records = records[:1]
    ways: list[Options] = [
        {"records": records},
        {"records": records, "soa": {"ttl": dice.choice(["86400", 7200])}},
        {"is_dns_disabled": dice.choice([True, "no"])},
        {"state": "default"},
        {"state": "absent", "records": [WWW]},
    ]
    if not thing.parent:
        ways.append({"records": [*records, *DEFAULT_RECORDS], "purge": "yes", "max_delete_percent": "100"})
    drawn.items.append(Item(DNS, thing.key, copy.deepcopy({**dice.choice(thing.options), **dice.choice(ways)})))


def key_members(kind: Kind) -> list[str]:
    """The members of the natural key that are no references."""
    return [row.name for row in kind.key if isinstance(row, Field)]
