# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What answers and objects of a panel say about points that the interface leaves open. Pure. Private to the collection.

One function for each point, by its name in the table; the other points have trials. It gives the value that was seen, in the table's own words, None
where nothing can be said, or why not. What is no word of the table is OTHERWISE.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...module_utils._http.answers import Exchange
from ...module_utils._http.repeats import Fault
from .evidence import DIFFERS, NONE, Evidence, Untold, number, words_of
from .members import BY_NAME, INFERRED, expected, known, may_be_told, missing, told_members, unknown, words_in
from .members import switches as switches_of

OTHERWISE = "otherwise"
# What a name of a certificate gets, by what stands for it in the path; mailboxes have one more.
CHARACTERS = {"%20": " ", "+": "+", "%2F": "/", "%25": "%"}
# One text that every way of keeping texts changes in its own manner.
PROBE = "Verify  <u\u0308> & 0123456789"
Observation = Callable[[Evidence], Any]
OBSERVATIONS: dict[str, Observation] = {}

# All that a client may have, with its plan.
_MADE = BY_NAME.keys() - {"admins"}
_NOT_ALL = Untold("Nothing of the kind was seen, but not all kinds of objects could be made.")
_SINGLE = {"GET", "PUT", "DELETE"}


def observation(function: Observation) -> Observation:
    """Puts the function into the table under its name."""
    OBSERVATIONS[function.__name__] = function
    return function


# What objects of the throw-away client show, and of which kinds; of the others their values tell.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "hidden_members": (),
    "short_lists": (),
    "extra_members": (),
    "renamed_members": (),
    "private_keys": ("certificates",),
    "kept_texts": ("databases", "scheduled_tasks"),
    "protection_paths": ("directory_protections",),
    "missing_dates": ("clients", "domains"),
    "list_order": ("emails",),
}


def contradictions(seen: Evidence, points: Iterable[str] = ()) -> dict[str, Any]:
    """Of these points, or of all, what is otherwise than it is taken for granted."""
    found = {point: OBSERVATIONS[point](seen) for point in points or OBSERVATIONS}
    return {
        point: value
        for point, value in found.items()
        if value is not None and not isinstance(value, Untold) and value != seen.defaults[point]
    }


def kinds_in(found: Mapping[str, Any]) -> set[str]:
    """The kinds whose objects showed this."""
    return {kind for point, value in found.items() for kind in SHOWN[point] or value}


# Answers.


@observation
def content_type(seen: Evidence) -> Any:
    replies = (seen.ping, seen.server, seen.plans, seen.clients)
    types = {_type_of(reply) for reply in replies if reply.is_done and reply.is_json}
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
    reply = seen.ping
    if reply.status != 200:
        return None
    if isinstance(reply.data, Mapping):
        return "response" if "response" in reply.data else "pong" if "pong" in reply.data else OTHERWISE
    return "text" if reply.data == "pong" or words_of(reply).strip("\"'") == "pong" else OTHERWISE


@observation
def wrong_key(seen: Evidence) -> Any:
    return _refusal(seen.wrong_key)


@observation
def unknown_id(seen: Evidence) -> Any:
    return _refusal(seen.unknown_id)


@observation
def unknown_path(seen: Evidence) -> Any:
    return _refusal(seen.unknown_path)


def _refusal(reply: Exchange) -> Any:
    if not reply.status or reply.fault is Fault.NOT_SERVED:
        return None
    return f"{'json' if reply.is_json else 'page'}_{reply.status}"


@observation
def missing_paths(seen: Evidence) -> Any:
    """Of the paths that were used on objects that were there."""
    if not seen.paths:
        return None
    found: list[str] = []
    for path in sorted(seen.paths):
        methods = [method for method in ("GET", "POST", "PUT", "DELETE") if seen.paths[path].get(method) is False]
        if methods:
            found.append(f"{methods[0] if len(methods) == 1 else '(' + '|'.join(methods) + ')'} {path}")
    return found if found or _were_tried(seen) else _NOT_ALL


def _were_tried(seen: Evidence) -> bool:
    """Whether all paths of single objects were used that are only inferred."""
    return all(seen.paths.get(BY_NAME[kind].path + r"/\d+", {}).keys() >= _SINGLE for kind in INFERRED)


@observation
def unresolved_names(seen: Evidence) -> Any:
    if not seen.names:
        return None
    found = [character for character, is_found in seen.names.items() if not is_found]
    return found if found or len(seen.names) > len(CHARACTERS) else _NOT_ALL


# Members.


@observation
def hidden_members(seen: Evidence) -> Any:
    renamed, found = _renamed(seen), {}
    for kind, shown in _singles(seen):
        found[kind] = [name for name in missing(kind, shown) if renamed.get(kind, {}).get(name) not in shown]
    if not found:
        return None
    return _if_tried(seen, {kind: names for kind, names in found.items() if names})


@observation
def short_lists(seen: Evidence) -> Any:
    found: dict[str, list[str]] = {}
    pairs = [(kind, pair) for kind, pairs_of in seen.shown.items() for pair in pairs_of] + list(seen.own.items())
    renamed, compared = _renamed(seen), set()
    for kind, (single, item) in pairs:
        if single and item:
            compared.add(kind)
            shown = {name: renamed.get(kind, {}).get(name, name) for name in expected(kind)}
            names = [name for name, other in shown.items() if other in single and other not in item]
            if names:
                found[kind] = names
    if found or not compared:
        return found or None
    # A zone is in no list, and without a path for single objects there is nothing that a list could leave out.
    without = {kind for kind in _MADE if seen.paths.get(BY_NAME[kind].path + r"/\d+", {}).get("GET") is False}
    return {} if compared >= _MADE - without - {"dns"} else _NOT_ALL if seen.own else None


@observation
def extra_members(seen: Evidence) -> Any:
    """Their values are the panel's, so that only empty ones of the same kind are told."""
    renamed = {kind: set(names.values()) for kind, names in _renamed(seen).items()}
    found: dict[str, dict[str, Any]] = {}
    words = _words(seen)
    for kind, groups in _alike(seen).items():
        members = told_members(groups, seen.single(kind), known(kind) | renamed.get(kind, set()), words)
        found.update({kind: members} if members else {})
    if not words:
        return None
    return _if_tried(seen, found) if seen.own else found


def _alike(seen: Evidence) -> dict[str, list[list[Mapping[str, Any]]]]:
    """By kind the objects that have the same members: single ones, items of the list, and of the list of one client."""
    resources = seen.resources.object
    lists = {"clients": seen.clients.items, "hosting_plans": seen.plans.items}
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
    found: dict[str, dict[str, str]] = {kind: dict(names) for kind, names in seen.spelling.items() if names}
    for kind, shown in _singles(seen):
        others = unknown(kind, shown)
        for name in missing(kind, shown):
            for other in others:
                is_known = other in seen.other_names.get(kind, {}).get(name, ())
                if is_known or (may_be_told(other) and _is_alike(name, shown[other], seen)):
                    found.setdefault(kind, {})[name] = other
    return found


def _is_alike(name: str, value: Any, seen: Evidence) -> bool:
    """Whether this can be the value of the member."""
    if name == "id_user":
        client = seen.single("clients").get("id")
        return client is not None and number(value) == number(client)
    if name == "dkim_record":
        return isinstance(value, str) and "_domainkey" in value and "v=DKIM1" in value
    return False


@observation
def private_keys(seen: Evidence) -> Any:
    components = seen.single("certificates").get("components")
    if not isinstance(components, Mapping):
        return None
    return "shown" if components.get("private_key") else "hidden"


@observation
def numbers(seen: Evidence) -> Any:
    ids = [shown["id"] for _kind, shown in _objects(seen) if "id" in shown]
    ids += [item["id"] for item in (*seen.plans.items, *seen.clients.items)]
    if not ids:
        return None
    texts = sum(isinstance(one, str) for one in ids)
    return "texts" if texts == len(ids) else "numbers" if not texts else OTHERWISE


@observation
def switches(seen: Evidence) -> Any:
    values = [shown[name] for kind, shown in _objects(seen) for name in switches_of(kind) if name in shown]
    for _kind, plan in [*_objects(seen), *(("", item) for item in seen.plans.items)]:
        permissions = plan.get("permissions")
        values += list(permissions.values()) if isinstance(permissions, Mapping) else []
    forms = {"booleans": bool, "numbers": int, "texts": str}
    found = {next((name for name, type_ in forms.items() if isinstance(value, type_)), OTHERWISE) for value in values}
    if not found:
        return None
    return found.pop() if len(found) == 1 else OTHERWISE


@observation
def json_texts(seen: Evidence) -> Any:
    return None if not seen.escapes else "escaped" if True in seen.escapes else "as_they_are"


@observation
def filters(seen: Evidence) -> Any:
    whole, part = seen.server.object, seen.one_block.object
    if len(whole) < 2 or not part:
        return None
    return "obeyed" if set(part) == {"meta"} else "ignored"


@observation
def missing_dates(seen: Evidence) -> Any:
    own = [(seen.single("clients"), "suspend_on"), (seen.single("domains"), "delete_on")]
    found = {shown[name] for shown, name in own if name in shown and shown[name] in (None, "")}
    return None if not found else OTHERWISE if len(found) > 1 else "null_value" if None in found else "empty_text"


@observation
def list_order(seen: Evidence) -> Any:
    """By the first list that only one order fits."""
    emails = seen.lists.get("emails", NONE)
    for listed, member in ((emails, "email"), (seen.clients, "username"), (seen.plans, "name")):
        items = listed.items
        ids = [identifier for item in items if (identifier := number(item.get("id"))) is not None]
        names = [str(item.get(member)) for item in items]
        if len(ids) < 2 or len(ids) < len(items):
            continue
        orders = {"by_id": sorted(ids), "newest_first": sorted(ids, reverse=True)}
        fitting = [order for order, wanted in orders.items() if ids == wanted]
        fitting += ["by_name"] if names == sorted(names) else []
        if len(fitting) == 1:
            return fitting[0]
        if not fitting and listed is emails:
            return OTHERWISE
    return None


@observation
def list_lag(seen: Evidence) -> Any:
    return seen.list_lag


# Bodies.


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
    sent, kept = seen.database_name, seen.single("databases").get("database_name")
    if isinstance(kept, str) and sent and kept != sent and kept.endswith(f"_{sent}"):
        return "prefixed"
    found = seen.single("scheduled_tasks").get("description")
    if not isinstance(found, str):
        return None
    return next((name for name, keep in _KEPT.items() if keep(PROBE) == found), OTHERWISE)


@observation
def protection_paths(seen: Evidence) -> Any:
    sent, kept = seen.protection_path, seen.single("directory_protections").get("path")
    if not isinstance(kept, str):
        return None
    return {sent: "as_sent", f"{sent}/": "added", sent.strip("/"): "removed"}.get(kept, OTHERWISE)


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
def client_deletion(seen: Evidence) -> Any:
    found = {seen.accepted(reply, "cascade", "refused") for reply in seen.client_deletions[:2]}
    return DIFFERS if len(found) > 1 else next(iter(found), None)


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
    resources = seen.resources.object
    for kind, table in BY_NAME.items():
        items = resources.get(table.plural)
        for item in items[:1] if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                yield kind, item


def _if_tried(seen: Evidence, found: Any) -> Any:
    """What differs is told also after reading alone; that nothing does only after objects of all kinds were shown."""
    return found if found or seen.own.keys() >= _MADE else _NOT_ALL if seen.own else None
