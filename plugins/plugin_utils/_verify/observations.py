# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the answers of a panel say about each point that the interface leaves open. Pure. Private to the collection.

One function for each point, by its name in the table. It gives the value that was seen, in the table's own words, or None where nothing can be said.
What is no word of the table is OTHERWISE.
"""

from __future__ import annotations

import datetime
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...module_utils._http.answers import Exchange
from ...module_utils._http.repeats import Fault
from .evidence import Evidence, number, words_of
from .members import BY_NAME, expected, known, may_be_told, missing, told_members, unknown, words_in
from .members import switches as switches_of
from .steps import EMPTY_HOST_TEXT, LONG_TEXT, PROBE, SHORT_TEXT

OTHERWISE = "otherwise"
Observation = Callable[[Evidence], Any]
OBSERVATIONS: dict[str, Observation] = {}


def observation(function: Observation) -> Observation:
    """Puts the function into the table under its name."""
    OBSERVATIONS[function.__name__] = function
    return function


# Answers.


@observation
def content_type(seen: Evidence) -> Any:
    types = {_type_of(seen.reply(name)) for name in ("ping", "server", "plans", "clients") if seen.reply(name).is_json}
    if len(types) != 1:
        return OTHERWISE if types else None
    return types.pop()


def _type_of(reply: Exchange) -> str:
    media, _semicolon, parameters = reply.content_type.lower().partition(";")
    if not media.strip():
        return "none"
    # Web servers add the character set to pages by themselves.
    shown = parameters.replace(" ", "") if media.strip() != "text/html" else ""
    return media.strip() + (f"; {shown}" if shown else "")


@observation
def ping(seen: Evidence) -> Any:
    reply = seen.reply("ping")
    if reply.status != 200:
        return None
    if isinstance(reply.data, Mapping):
        return "response" if "response" in reply.data else "pong" if "pong" in reply.data else OTHERWISE
    return "text" if reply.data == "pong" or words_of(reply).strip("\"'") == "pong" else OTHERWISE


@observation
def wrong_key(seen: Evidence) -> Any:
    return _refusal(seen.reply("wrong key"))


@observation
def unknown_id(seen: Evidence) -> Any:
    return _refusal(seen.reply("unknown id"))


@observation
def unknown_path(seen: Evidence) -> Any:
    return _refusal(seen.reply("unknown path"))


def _refusal(reply: Exchange) -> Any:
    if not reply.status or reply.fault is Fault.NOT_SERVED:
        return None
    return f"{'json' if reply.is_json else 'page'}_{reply.status}"


@observation
def missing_paths(seen: Evidence) -> Any:
    """Of the paths that were used on objects that were there."""
    if not seen.paths:
        return None
    found = []
    for path in sorted(seen.paths):
        methods = [method for method in ("GET", "POST", "PUT", "DELETE") if seen.paths[path].get(method) in (404, 405)]
        if methods:
            found.append(f"{methods[0] if len(methods) == 1 else '(' + '|'.join(methods) + ')'} {path}")
    return found


@observation
def unresolved_names(seen: Evidence) -> Any:
    if not seen.names:
        return None
    return [character for character, is_found in seen.names.items() if not is_found]


# Members.


@observation
def hidden_members(seen: Evidence) -> Any:
    renamed, found = _renamed(seen), {}
    for kind, shown in _singles(seen):
        found[kind] = [name for name in missing(kind, shown) if name not in renamed.get(kind, {})]
    if not found:
        return None
    return _if_tried(seen, {kind: names for kind, names in found.items() if names})


@observation
def short_lists(seen: Evidence) -> Any:
    found: dict[str, list[str]] = {}
    pairs = [(kind, pair) for kind, pairs_of in seen.shown.items() for pair in pairs_of] + list(seen.own.items())
    is_known = False
    for kind, (single, item) in pairs:
        if single and item:
            is_known = True
            names = [name for name in expected(kind) if name in single and name not in item]
            if names:
                found[kind] = names
    return _if_tried(seen, found) if is_known else None


@observation
def extra_members(seen: Evidence) -> Any:
    """Their values are the panel's, so that only empty ones of the same kind are told."""
    renamed = {kind: set(names.values()) for kind, names in _renamed(seen).items()}
    found: dict[str, dict[str, Any]] = {}
    words = _words(seen)
    for kind, groups in _alike(seen).items():
        members = told_members(groups, _own(seen, kind), known(kind) | renamed.get(kind, set()), words)
        found.update({kind: members} if members else {})
    return found if words else None


def _alike(seen: Evidence) -> dict[str, list[list[Mapping[str, Any]]]]:
    """By kind the objects that have the same members: single ones, items of the list, and of the list of one client."""
    resources = seen.reply("resources").object
    lists = {"clients": seen.reply("clients").items, "hosting_plans": seen.reply("plans").items}
    found = {}
    for kind, table in BY_NAME.items():
        within = resources.get(table.plural)
        items = [item for item in within if isinstance(item, Mapping)] if isinstance(within, list) else []
        found[kind] = [[shown for of_kind, shown in _singles(seen) if of_kind == kind], lists.get(kind, []), items]
    return found


def _words(seen: Evidence) -> str:
    return words_in(shown for groups in _alike(seen).values() for group in groups for shown in group)


@observation
def renamed_members(seen: Evidence) -> Any:
    return _if_tried(seen, _renamed(seen)) if seen.own or seen.shown else None


def _renamed(seen: Evidence) -> dict[str, dict[str, str]]:
    """Under another name is a member that is missing, where one that nobody knows is known for that, or has what it has to have."""
    found: dict[str, dict[str, str]] = {kind: dict(names) for kind, names in seen.spelling.items()}
    words = _words(seen)
    for kind, shown in _singles(seen):
        others = unknown(kind, shown)
        for name in missing(kind, shown):
            for other in others:
                is_known = other in seen.other_names.get(kind, {}).get(name, ())
                if is_known or (may_be_told(other, words) and _is_alike(name, shown[other], seen)):
                    found.setdefault(kind, {})[name] = other
    return found


def _is_alike(name: str, value: Any, seen: Evidence) -> bool:
    """Whether this can be the value of the member."""
    if name == "id_user":
        client = seen.own.get("clients", ({}, {}))[0].get("id")
        return client is not None and number(value) == number(client)
    if name == "dkim_record":
        return isinstance(value, str) and "_domainkey" in value and "v=DKIM1" in value
    return False


@observation
def password_hashes(seen: Evidence) -> Any:
    reply = seen.reply("password hash")
    if not reply.is_done:
        return "refused" if reply.is_refused else None
    return "written_and_shown" if seen.facts.get("password hash is shown") else "written"


@observation
def private_keys(seen: Evidence) -> Any:
    components = _own(seen, "certificates").get("components")
    if not isinstance(components, Mapping):
        return None
    return "shown" if components.get("private_key") else "hidden"


@observation
def numbers(seen: Evidence) -> Any:
    ids = [shown["id"] for _kind, shown in _objects(seen) if "id" in shown]
    ids += [item["id"] for name in ("plans", "clients") for item in seen.reply(name).items]
    if not ids:
        return None
    texts = sum(isinstance(one, str) for one in ids)
    return "texts" if texts == len(ids) else "numbers" if not texts else OTHERWISE


@observation
def switches(seen: Evidence) -> Any:
    values = [shown[name] for kind, shown in _objects(seen) for name in switches_of(kind) if name in shown]
    for _kind, plan in [*_objects(seen), *(("", item) for item in seen.reply("plans").items)]:
        permissions = plan.get("permissions")
        values += list(permissions.values()) if isinstance(permissions, Mapping) else []
    forms = {"booleans": bool, "numbers": int, "texts": str}
    found = {next((name for name, type_ in forms.items() if isinstance(value, type_)), OTHERWISE) for value in values}
    if not found:
        return None
    return found.pop() if len(found) == 1 else OTHERWISE


@observation
def json_texts(seen: Evidence) -> Any:
    found = {_is_escaped(reply.content) for reply in seen.replies.values() if reply.is_json} - {None}
    return None if not found else "escaped" if True in found else "as_they_are"


def _is_escaped(text: bytes) -> bool | None:
    """Whether JSON text escapes what it need not; None where it has neither slashes nor letters beyond ASCII."""
    if b"\\/" in text or b"\\u" in text:
        return True
    return False if b"/" in text or not text.isascii() else None


@observation
def filters(seen: Evidence) -> Any:
    whole, part = seen.reply("server").object, seen.reply("one block").object
    if len(whole) < 2 or not part:
        return None
    return "obeyed" if set(part) == {"meta"} else "ignored"


_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)")


@observation
def dates(seen: Evidence) -> Any:
    """By the offsets of clients and of domains, in winter and in summer."""
    texts = [seen.facts.get(f"{what} in {when}") for what in ("client", "domain") for when in ("winter", "summer")]
    if not any(texts):
        return None
    if all(isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in texts if text):
        return "date"
    offsets = [_offset(text) for text in texts]
    clients, domains = [one for one in offsets[:2] if one is not None], [one for one in offsets[2:] if one is not None]
    if not clients or not domains:
        return None
    if len(set(clients)) > 1 or len(set(domains)) > 1:
        return "local_with_winter"
    client, domain = clients[0], domains[0]
    if client == domain:
        return "utc" if not client else "local" if client > 0 else "west"
    return "as_declared" if not domain else OTHERWISE


def _offset(text: Any) -> int | None:
    """Minutes east of Greenwich."""
    found = _INSTANT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    if found[1] == "Z":
        return 0
    delta = datetime.timedelta(hours=int(found[1][1:3]), minutes=int(found[1][-2:]))
    return int(delta.total_seconds() // 60) * (-1 if found[1][0] == "-" else 1)


@observation
def missing_dates(seen: Evidence) -> Any:
    own = [(_own(seen, "clients"), "suspend_on"), (_own(seen, "domains"), "delete_on")]
    found = {shown[name] for shown, name in own if name in shown and shown[name] in (None, "")}
    return None if not found else OTHERWISE if len(found) > 1 else "null_value" if None in found else "empty_text"


@observation
def list_order(seen: Evidence) -> Any:
    """By the first list that only one order fits."""
    for name, member in (("list of emails", "email"), ("clients", "username"), ("plans", "name")):
        items = seen.reply(name).items
        ids = [identifier for item in items if (identifier := number(item.get("id"))) is not None]
        names = [str(item.get(member)) for item in items]
        if len(ids) < 2 or len(ids) < len(items):
            continue
        orders = {"by_id": sorted(ids), "newest_first": sorted(ids, reverse=True)}
        fitting = [order for order, wanted in orders.items() if ids == wanted]
        fitting += ["by_name"] if names == sorted(names) else []
        if len(fitting) == 1:
            return fitting[0]
        if not fitting and name == "list of emails":
            return OTHERWISE
    return None


@observation
def list_lag(seen: Evidence) -> Any:
    return seen.list_lag


@observation
def system_domains(seen: Evidence) -> Any:
    if seen.facts.get("system domain is listed"):
        return "listed"
    return "asked_only" if seen.facts.get("system domain is asked for") else None


# Bodies.


@observation
def nested_update(seen: Evidence) -> Any:
    contact = seen.reply("client after a part of a group").object.get("contact_data")
    if not isinstance(contact, Mapping) or contact.get("city") != "Elsewhere":
        return None
    return "merge" if contact.get("first_name") else "replace"


@observation
def unknown_members(seen: Evidence) -> Any:
    return _accepted(seen.reply("unknown member"), "ignore", "refuse")


@observation
def scalars(seen: Evidence) -> Any:
    replies = [seen.reply(name) for name in ("number for a text", "text for a number")]
    if any(reply.is_refused for reply in replies):
        return "refused"
    return "converted" if any(reply.is_done for reply in replies) else None


@observation
def duplicates(seen: Evidence) -> Any:
    """A panel may also call it a failure of its own."""
    reply = seen.reply("mailbox again")
    return reply.status if reply.is_refused or reply.is_done or reply.fault is Fault.FAILED else None


@observation
def over_limit(seen: Evidence) -> Any:
    """Where limits do not count for the API, nothing is refused."""
    reply = seen.reply("database over the limit")
    return reply.status if reply.is_refused and seen.facts.get("limit at first", 1) == 1 else None


_KEPT: Mapping[str, Callable[[str], str]] = {
    "as_sent": str,
    "cut": lambda text: text[:20],
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "escaped": html.escape,
    "ascii": lambda text: text.encode("ascii", "replace").decode("ascii"),
    "collapsed": lambda text: " ".join(text.split()),
    "lower": str.lower,
}


@observation
def kept_texts(seen: Evidence) -> Any:
    sent, kept = seen.facts.get("name of the database", ""), _own(seen, "databases").get("database_name")
    if isinstance(kept, str) and sent and kept != sent and kept.endswith(f"_{sent}"):
        return "prefixed"
    found = _own(seen, "scheduled_tasks").get("description")
    if not isinstance(found, str):
        return None
    return next((name for name, keep in _KEPT.items() if keep(PROBE) == found), OTHERWISE)


@observation
def protection_paths(seen: Evidence) -> Any:
    sent, kept = seen.facts.get("path of the protection", ""), _own(seen, "directory_protections").get("path")
    if not isinstance(kept, str):
        return None
    return {sent: "as_sent", f"{sent}/": "added", sent.strip("/"): "removed"}.get(kept, OTHERWISE)


@observation
def database_usernames(seen: Evidence) -> Any:
    without = seen.reply("database without a user")
    if without.is_refused and not seen.reply("database with a user").is_done:
        return None
    return _accepted(without, "as_database", "required")


@observation
def max_size_zero(seen: Evidence) -> Any:
    reply = seen.reply("size 0")
    if not reply.is_done:
        return "refused" if reply.is_refused else None
    return {0: "kept", -1: "unlimited"}.get(seen.facts.get("size 0"), OTHERWISE)  # type: ignore[arg-type]


@observation
def unlimited_size(seen: Evidence) -> Any:
    return _accepted(seen.reply("size -1"), "unlimited", "refused")


@observation
def subdomain_members(seen: Evidence) -> Any:
    reply = seen.reply("subdomain with members")
    if reply.is_refused and not seen.reply("subdomain without members").is_done:
        return None
    if reply.is_done and "subdomain is for e-mail" in seen.facts and not _is_on(seen.facts["subdomain is for e-mail"]):
        return "ignored"
    return _accepted(reply, "accepted", "refused")


@observation
def certificate_choice(seen: Evidence) -> Any:
    reply, security = seen.reply("another choice"), seen.facts.get("security after another choice")
    if not reply.is_done:
        return "refused" if reply.is_refused else None
    if not isinstance(security, Mapping) or not _is_on(security.get("lets_encrypt")):
        return None
    return "both" if number(security.get("id_certificate")) else "replaces"


@observation
def certificate_update(seen: Evidence) -> Any:
    return _accepted(seen.reply("certificate without its key"), "keeps_key", "needs_key")


def _accepted(reply: Exchange, yes: str, no: str) -> str | None:
    return yes if reply.is_done else no if reply.is_refused else None


# DNS.


@observation
def dkim_read(seen: Evidence) -> Any:
    values = [record.get("value") for record in _records(seen.reply("zone")) if "_domainkey" in str(record.get("host"))]
    if not values:
        return None
    return "placeholder" if any("<DKIM_RECORD_VALUE>" in str(value) for value in values) else "actual"


@observation
def txt_read(seen: Evidence) -> Any:
    values = {str(record.get("host")): str(record.get("value")) for record in _records(seen.reply("zone with texts"))}
    short, long = values.get("short", ""), values.get("long", "")
    if _joined(short) != SHORT_TEXT:
        return OTHERWISE if values else None
    if _joined(long) == LONG_TEXT and long.count('"') > 2:
        return "split"
    return "quoted" if short.startswith('"') else "as_written"


def _joined(text: str) -> str:
    """A text without the quotes around its parts."""
    return re.sub(r'"\s*"', "", text).strip('"')


@observation
def empty_host(seen: Evidence) -> Any:
    reply = seen.reply("empty host")
    if not reply.is_done:
        return "refused" if reply.is_refused else None
    hosts = [
        record.get("host")
        for record in _records(seen.reply("zone with an empty host"))
        if _joined(str(record.get("value"))) == EMPTY_HOST_TEXT
    ]
    return {"@": "apex", "": "kept"}.get(str(hosts[0]), OTHERWISE) if hosts else None


@observation
def disabled_zones(seen: Evidence) -> Any:
    zone = seen.reply("disabled zone")
    if not zone.object or not _is_on(zone.object.get("is_dns_disabled")):
        return None
    return "shown" if _records(zone) else "soa_only"


@observation
def zone_deletion(seen: Evidence) -> Any:
    zone = seen.reply("zone after its deletion").object
    if "is_dns_disabled" not in zone:
        return None
    return "stays_disabled" if _is_on(zone["is_dns_disabled"]) else "default_records"


@observation
def subdomain_zones(seen: Evidence) -> Any:
    reply = seen.reply("zone of the subdomain")
    if not reply.is_done and not reply.is_refused:
        return None
    if not reply.is_done:
        return "none" if reply.status in (400, 404) else OTHERWISE
    values = {_joined(str(record.get("value"))) for record in _records(reply)}
    if not _records(seen.reply("zone with texts")):
        return None
    return "of_parent" if SHORT_TEXT in values else "own"


def _records(reply: Exchange) -> list[Mapping[str, Any]]:
    records = reply.object.get("records")
    other = records.get("other") if isinstance(records, Mapping) else None
    return [record for record in other if isinstance(record, Mapping)] if isinstance(other, list) else []


def _is_on(value: Any) -> bool:
    return value is True or number(value) == 1 or str(value).lower() == "true"


# What goes with what.


@observation
def statuses(seen: Evidence) -> Any:
    settled = [one for one in seen.have_settled if one is not None]
    if not settled or not [one for one in seen.statuses if one is not None]:
        return None
    if not all(settled):
        return "stay"
    return "settle" if any(one in (3, 4) for one in seen.statuses) else "at_once"


@observation
def new_clients(seen: Evidence) -> Any:
    if seen.reply("domain of a new client").is_done:
        return "at_once"
    return "when_ready" if seen.reply("domain of a client that is ready").is_done else None


@observation
def domain_deletion(seen: Evidence) -> Any:
    reply = seen.reply("domain with a mailbox deleted")
    if not reply.is_done:
        return "refused" if reply.is_refused else None
    mailbox = seen.reply("mailbox of a deleted domain")
    return "cascade" if mailbox.status == 404 else "kept" if mailbox.is_done else None


@observation
def client_deletion(seen: Evidence) -> Any:
    return _accepted(seen.reply("client deleted"), "cascade", "refused")


@observation
def certificate_deletion(seen: Evidence) -> Any:
    return _accepted(seen.reply("certificate in use deleted"), "detaches", "refused")


@observation
def plan_deletion(seen: Evidence) -> Any:
    return _accepted(seen.reply("plan deleted"), "allowed", "refused")


@observation
def plan_assignment(seen: Evidence) -> Any:
    """Only to be seen where the limits did not change with the plan already."""
    if seen.facts.get("limit after a change of the plan") != 1:
        return None
    return {2: "copies", 1: "nothing"}.get(seen.facts.get("limit after the plan again"))  # type: ignore[arg-type]


@observation
def plan_changes(seen: Evidence) -> Any:
    return {1: "stay", 2: "follow"}.get(seen.facts.get("limit after a change of the plan"))  # type: ignore[arg-type]


def _own(seen: Evidence, kind: str) -> Mapping[str, Any]:
    return seen.own.get(kind, ({}, {}))[0]


def _singles(seen: Evidence) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects that were shown as single ones."""
    for kind, pairs in seen.shown.items():
        for single, _item in pairs:
            yield kind, single
    for kind, (single, _item) in seen.own.items():
        if single:
            yield kind, single


def _objects(seen: Evidence) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """All objects that were shown, also as items of the lists of one client."""
    yield from _singles(seen)
    resources = seen.reply("resources").object
    for kind, table in BY_NAME.items():
        items = resources.get(table.plural)
        for item in items[:1] if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                yield kind, item


def _if_tried(seen: Evidence, found: Any) -> Any:
    """What differs is told also after reading alone; that nothing does only after objects of all kinds were made."""
    return found if found or seen.own else None
