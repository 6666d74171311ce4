# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the panel shows new objects under the keys that they were sent with. Private to the collection.

A panel may keep a text otherwise than it is sent: cut, in lower case, escaped, with the client's name before it. The object would then never
be found again, and each run would make another, or fail. So what a task has just made is looked at once more. A database or FTP user under
another name stays, and the task fails with that name. Anything else is deleted again: it is seconds old, and a second one of it does harm
each day, since it runs a command or lets somebody in.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Set
from typing import Any, Callable, Optional, Union

from .._errors import Conflict, PanelError, RequestError
from .._http.repeats import MOST_LOOKS
from .._schema.kind import OWNER, Kind, Wanted
from .._secrets.panel_text import Secrets
from .objects import Items, Objects, matches

Found = Optional[Union[PanelError, str]]
"""What is wrong with a new object: it failed, or is only warned of; None where nothing is."""

# What panels do with texts; it explains a difference, and decides nothing.
_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("with other blanks", lambda text: " ".join(text.split())),
    ("escaped as in HTML", html.unescape),
    ("in lower or upper case", str.casefold),
)

# A name that fits all rules which servers are known to have: nothing in it to change, and short enough to be kept whole.
_PLAIN = re.compile(r"[a-z0-9_]{1,16}")


def may_be_kept_otherwise(kind: Kind, wanted: Wanted, body: Mapping[str, Any]) -> bool:
    """Whether a new object of such a kind has to be looked at. wanted: says its client's name, with which such names begin on some panels."""
    if not kind.is_unique:
        return True
    name = str(body.get(kind.name_member))
    owner = next((one.name for one in wanted.references if one.path == (OWNER,)), None)
    return not (_PLAIN.fullmatch(name) and (name.startswith(f"{owner}_") if owner else "_" in name))


def looked_at(objects: Objects, kind: Kind, made: Mapping[int, Mapping[str, Any]]) -> dict[int, Found]:
    """What is wrong with each of these new objects, by their ids; one list request, more where one is missing. made: what was sent for each."""
    strangers = {identifier for identifier in made if objects.was_there(identifier)}
    now = objects.now()
    try:
        by_id = _listed(now, made.keys())
    except RequestError as error:
        return {identifier: f"{_unknown(kind, identifier)}: {error.what}" for identifier in made}
    others = [item for identifier, item in by_id.items() if identifier not in made]
    names = {row.name for row in kind.key}
    found: dict[int, Found] = {}
    for identifier, body in made.items():
        item = by_id.get(identifier)
        try:
            # Items of lists may be shorter than the objects.
            shown = item if item is None or names <= item.keys() else now.completed(item, names)
        except RequestError as error:
            found[identifier] = f"{_unknown(kind, identifier)}: {error.what}"
            continue
        if shown is None:
            # Another one of what is unique would be refused.
            found[identifier] = None if kind.is_unique else _hidden(kind, identifier)
        elif not matches(kind, shown, body):
            if identifier in strangers:
                found[identifier] = _mistaken(kind, identifier)
            elif kind.has_scheme:
                found[identifier] = _renamed(kind, identifier, str(body.get(kind.name_member)), shown)
            else:
                explained = _explained(kind, shown, body, others, objects.secrets)
                found[identifier] = _undone(objects, kind, identifier, explained)
    return found


def _listed(now: Objects, ours: Set[int]) -> dict[int, dict[str, Any]]:
    """The objects of the list by their ids, as soon as all of ours are there, or else as they are after the last look."""
    by_id: dict[int, dict[str, Any]] = {}
    for look in now.patience.looks(MOST_LOOKS):
        by_id = {item["id"]: item for item in now.list() if item.get("id") is not None}
        if ours <= by_id.keys():
            if look > 1:
                now.patience.begin_anew()
            break
    return by_id


def _hidden(kind: Kind, identifier: int) -> PanelError:
    """What a run finds nothing of, it makes again."""
    return Conflict(
        f"The panel confirms that the {kind.title} was created with id {identifier}, and its list does not show it: another run would make "
        f"another one. Look on the panel whether it is there before you run the task again; until GET {kind.path} shows it, manage it on the "
        "panel itself.",
        id=identifier,
        result={"changed": True},
    )


def _unknown(kind: Kind, identifier: int) -> str:
    key = " and ".join(row.name for row in kind.key)
    return f"The {kind.title} with id {identifier} was created, and whether the panel keeps its {key} as they were sent is not known"


def _mistaken(kind: Kind, identifier: int) -> PanelError:
    """The panel said an id that was another object's before; that one is never touched."""
    return Conflict(
        f"POST {kind.path} was answered with id {identifier}, and that is another {kind.title}, which was there before. Whether the new one "
        "was made is not known. Look on the panel before you run the task again.",
        id=identifier,
        result={"changed": True},
    )


def _renamed(kind: Kind, identifier: int, sent: str, shown: Mapping[str, Any]) -> PanelError:
    """A database or FTP user stays, since a scheme of the server gave it its name."""
    kept = str(shown.get(kind.name_member))
    return Conflict(
        f"{kind.title} {sent}: the panel keeps it under another name, {kept} (id {identifier}). It was created. Use that name in your task.",
        id=identifier,
        kept_as=kept,
        result={"changed": True},
    )


def _undone(objects: Objects, kind: Kind, identifier: int, explained: str) -> PanelError:
    """Deletes what the task itself has made; the error to fail with."""
    harm = f"It would not be found again, and each run would {'fail' if kind.is_unique else 'make another'}"
    cure = "Write that text as the panel keeps it, or so that the panel need not change it."
    try:
        objects.delete(identifier)
    except RequestError as error:
        return Conflict(
            f"{explained} {harm}, and the one that this task made, id {identifier}, could not be deleted again: {error.what} Delete it "
            f"on the panel before you run the task again. {cure}",
            id=identifier,
            result={"changed": True},
        )
    return Conflict(
        f"{explained} {harm}, so the one that this task made, id {identifier}, was deleted again. Nothing is left of it. {cure}",
        id=identifier,
    )


def _explained(kind: Kind, shown: Mapping[str, Any], body: Mapping[str, Any], others: Items, secrets: Secrets) -> str:
    """What the panel made of the key, and what else it has under the same one."""
    changed = []
    for row in kind.key:
        sent, kept = body.get(row.name), shown.get(row.name)
        if row.same(sent, kept):
            continue
        text = secrets.panel_text(kept)[:120]
        words = [_change(str(sent), kept) if isinstance(kept, str) else "", f"as {text!r}" if text else ""]
        changed.append(" ".join([row.name, *filter(None, [", ".join(filter(None, words))])]))
    same = [item for item in others if matches(kind, item, {row.name: shown.get(row.name) for row in kind.key})]
    there = (
        f" There is one with what it keeps already (id {', '.join(str(item.get('id')) for item in same)})."
        if same
        else ""
    )
    return f"The panel keeps a part of the {kind.title} otherwise than it was sent: {'; '.join(changed)}.{there}"


def _change(sent: str, kept: str) -> str:
    """What was done to a text, in our words; empty where it is nothing that is known."""
    if sent.startswith(kept):
        return f"cut after {len(kept)} characters"
    for words, normal in _CHANGES:
        if normal(sent) == normal(kept):
            return words
    if kept.endswith(f"_{sent}"):
        return "with more before it"
    return "without what is not ASCII" if kept.isascii() and not sent.isascii() else ""
