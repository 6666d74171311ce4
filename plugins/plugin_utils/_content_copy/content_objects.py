# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and checks the objects that the role content copies.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from ...module_utils._content.files.commands import excludes_exactly, name_pattern, normalize_path
from ...module_utils._content.shown_text import show_text
from .._run.marked_texts import unmark_texts
from .._run.nested_text import Repeated, TooDeep, TooLarge, load_json, load_yaml
from .._variables.rule import read_variables

TREE = "tree"
MAILBOX = "mailbox"
DATABASE = "database"
# The kind of the objects in each list of a table.
LISTS = {"trees": TREE, "mailboxes": MAILBOX, "databases": DATABASE}
_LOGIN = {
    "type": "mapping",
    "options": {"socket": {"type": "text"}, "defaults_file": {"type": "text"}},
}
_NAMES: dict[str, Any] = {"from": {"type": "text", "required": True}, "to": {"type": "text"}}
_TABLE: dict[str, Any] = {
    "trees": {
        "type": "list",
        "default": [],
        "options": {
            **_NAMES,
            "owner": {"type": "text", "required": True},
            "source_owner": {"type": "text"},
            "exclude": {"type": "names", "default": []},
            "max_delete": {"type": "number"},
        },
    },
    "mailboxes": {
        "type": "list",
        "default": [],
        "options": {
            **_NAMES,
            "doveadm_args": {"type": "names", "default": []},
            "source_doveadm_args": {"type": "names", "default": []},
        },
    },
    "databases": {
        "type": "list",
        "default": [],
        "options": {
            **_NAMES,
            "definer": {"type": "text"},
            "events": {"type": "switch"},
            "replace": {"type": "switch"},
            "login": _LOGIN,
            "source_login": _LOGIN,
        },
    },
}
HOME = "~/"
"""The beginning of a path in the home of the owner on that host."""
OWNERS = {"from": "source_owner", "to": "owner"}
"""The fields of a tree that have the owner on the source and on the target."""
# Systems number their own accounts below the first user, and nobody.
_FIRST_USER = 1000
_NOBODY = 65534
LARGEST_TEXT = 10_000_000
"""How many characters a file of objects may have."""
# No system takes a longer path, and no name is as long.
_LONGEST_NAME = 4096
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Refused(NamedTuple):
    """Says that an entry of a table is not accepted.

    Attributes:
        list_name: The list that has it.
        position: Its place there, from 0 on.
        reason: Why, in a sentence.
    """

    list_name: str
    position: int
    reason: str


class ObjectsRead(NamedTuple):
    """Has what was read.

    Attributes:
        objects: Dictionaries of ``kind``, ``key``, ``from``, ``to`` and further options.
        mistakes: Sentences that start with the name of the variable.
    """

    objects: list[dict[str, Any]]
    mistakes: list[str]


def read_objects_text(text: str, variable: str) -> ObjectsRead:
    """Read a file of objects, YAML or JSON; otherwise as ``read_objects``."""
    if len(text) > LARGEST_TEXT:
        return ObjectsRead([], [f"{variable}: the file is larger than {LARGEST_TEXT} characters."])
    try:
        # What an import writes is JSON with marks.
        if text.lstrip().startswith("{"):
            table = load_json(text, are_names_unique=True)
        else:
            table = load_yaml(text, are_names_unique=True)
    except (Repeated, TooDeep, TooLarge) as error:
        return ObjectsRead([], [f"{variable}: {error}"])
    except (yaml.YAMLError, ValueError):
        return ObjectsRead([], [f"{variable}: the file is neither YAML nor JSON."])
    return read_objects(table, variable)


def read_objects(table: Any, variable: str) -> ObjectsRead:
    """Return the objects of a table, in its order, and what is wrong with it.

    Args:
        table: Lists of ``trees``, ``mailboxes`` and ``databases``.
        variable: What mistakes call the table.
    """
    table = unmark_texts(table)
    reading = read_variables({variable: table}, {variable: {"type": "mapping", "options": _TABLE}})
    if reading.mistakes:
        return ObjectsRead([], reading.mistakes)

    objects = []
    mistakes = []
    lists: Mapping[str, Any] = reading.settings.get(variable, {})
    for list_name, kind in LISTS.items():
        for index, entry in enumerate(lists.get(list_name, [])):
            path = f"{variable}.{list_name}[{index}]"
            mistakes += [f"{path}.{mistake}" for mistake in _find_mistakes(kind, entry)]
            objects.append(_make_object(kind, entry))
    mistakes += find_overlaps(objects, variable)
    if not objects:
        mistakes.append(f"{variable}: it names no trees, mailboxes or databases.")
    return ObjectsRead(objects, mistakes)


def find_refused(table: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Refused]:
    """Return the entries of a table without which ``read_objects`` would accept it."""
    if not any(table.values()) or not read_objects(table, "").mistakes:
        return []

    refused = []
    accepted = []
    places = []
    for list_name, kind in LISTS.items():
        for index, entry in enumerate(table.get(list_name, ())):
            reading = read_variables(entry, _TABLE[list_name]["options"])
            mistakes = reading.mistakes or _find_mistakes(kind, reading.settings)
            if mistakes:
                refused.append(Refused(list_name, index, show_text(mistakes[0])))
            else:
                accepted.append(_make_object(kind, reading.settings))
                places.append((list_name, index))
    for index, reason in _list_overlaps(accepted):
        refused.append(Refused(*places[index], show_text(reason)))
    return refused


def _make_object(kind: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    named = {**entry, "kind": kind, "to": entry.get("to") or entry["from"]}
    if kind == TREE:
        named["source_owner"] = entry.get("source_owner") or entry["owner"]
        for name in ("from", "to"):
            # What is no path is a mistake, and stays as it was written.
            named[name] = _normalize(named[name]) or named[name]
    named["key"] = _make_key(named)
    if "definer" in entry and "@" not in entry["definer"]:
        # An import knows the user alone, whom the panel makes for this host.
        named["definer"] = f"{entry['definer']}@localhost"
    return named


def _make_key(entry: Mapping[str, Any]) -> str:
    """Return what tells an object from all others in a state."""
    names = []
    for name in ("from", "to"):
        text = _name_home(entry, name)
        # Colons within are doubled, so that no two objects have one key.
        names.append(text.replace(":", "::"))
    return ":".join([entry["kind"], *names])


def _name_home(entry: Mapping[str, Any], end: str) -> str:
    """Return a name of an object; of a path in a home with its owner, as each has one.

    Args:
        entry: The object.
        end: ``from`` or ``to``.
    """
    name: str = entry[end]
    if entry["kind"] == TREE and name.startswith(HOME):
        return f"~{entry[OWNERS[end]]}/{name[len(HOME) :]}"
    return name


def _normalize(path: str) -> str:
    """Return a path without what means nothing in it; empty if it is no path of a tree."""
    if not path.startswith(HOME):
        return normalize_path(path)
    below = normalize_path(path[1:])
    return f"~{below}" if below else ""


def _find_mistakes(kind: str, entry: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the values of one object, each after the name of its field."""
    mistakes = []
    for name in ("from", "to", "owner", "source_owner", "definer"):
        value = entry.get(name, "")
        if len(value) > _LONGEST_NAME:
            mistakes.append(f"{name}: longer than {_LONGEST_NAME} characters.")
            continue
        if _CONTROL.search(value):
            mistakes.append(f"{name}: control characters are not accepted.")
        if value.startswith("-"):
            mistakes.append(f"{name}: {value} looks like an option.")
    if kind == TREE:
        mistakes += _find_mistakes_in_paths(entry)
    if kind == MAILBOX:
        wildcards = [name for name in ("from", "to") if re.search("[*?]", entry.get(name, ""))]
        mistakes += [f"{name}: wildcards are not accepted." for name in wildcards]
    return mistakes


def _find_mistakes_in_paths(entry: Mapping[str, Any]) -> list[str]:
    mistakes = []
    for name in ("from", "to"):
        value = entry.get(name, "/-")
        if not _normalize(value):
            expected = "Give a full path, or ~/ and a path in the home of the owner, without .."
            mistakes.append(f"{name}: {value} is not accepted. {expected}")
    return mistakes


def find_overlaps(objects: Sequence[Mapping[str, Any]], variable: str) -> list[str]:
    """Return a mistake for each target that two objects have, or of which one is in the other.

    The second would overwrite what the first has copied, or delete it. What an outer tree excludes,
    its copy neither writes nor deletes.

    Args:
        objects: Objects with or without full paths. Of two homes it is known only with full paths
            whether one is in the other.
        variable: What mistakes call the table.
    """
    return [f"{variable}: {mistake}" for _index, mistake in _list_overlaps(objects)]


def _list_overlaps(objects: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Return the mistakes of ``find_overlaps``, each with the place of its object.

    Without the objects at these places, none would be left.
    """
    mistakes = []
    places: dict[tuple[str, str], int] = {}
    for index, entry in enumerate(objects):
        target = (entry["kind"], identify_target(entry))
        if target in places:
            mistake = f"the {entry['kind']} {entry['to']} is named twice as a target."
            mistakes.append((index, mistake))
        else:
            places[target] = index

    targets = {target: objects[index] for target, index in places.items()}
    for (kind, path), index in places.items():
        if kind != TREE:
            continue
        mistake = _explain_outer(path, targets)
        if mistake:
            mistakes.append((index, mistake))
    return mistakes


def identify_target(entry: Mapping[str, Any]) -> str:
    """Return what tells the target of an object from all others of its kind."""
    target = _name_home(entry, "to")
    # Mail servers know an address in upper and lower case.
    return target.lower() if entry["kind"] == MAILBOX else target


def _explain_outer(path: str, targets: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """Return what is wrong if the copy of another tree reaches this one; empty if none does."""
    name = targets[TREE, path]["to"]
    for parent in list_outer(path):
        outer = targets.get((TREE, parent))
        if outer is not None and reaches(outer, parent, path):
            pattern = name_pattern(path[len(parent) + 1 :])
            return (
                f"the target {name} is in {outer['to']}, which is a target too. "
                f"Exclude {pattern} there."
            )
    return ""


def list_outer(path: str) -> list[str]:
    """Return the directories in which a path is, from the nearest one on."""
    names = path.split("/")[:-1]

    return ["/".join(names[:count]) for count in range(len(names), 0, -1) if names[count - 1]]


def reaches(outer: Mapping[str, Any], target: str, path: str) -> bool:
    """Tell whether the copy of a tree to a target writes or deletes what is at a path."""
    if not path.startswith(f"{target}/"):
        return False

    return not excludes_exactly(outer.get("exclude", ()), path[len(target) + 1 :])


def find_homeless(
    objects: Sequence[Mapping[str, Any]],
    homes_on_source: Mapping[str, str],
    homes_on_target: Mapping[str, str],
    variable: str,
) -> list[str]:
    """Return a mistake for each owner without a home that a path begins with.

    getent takes the number of a user too, and a user may have no home.

    Args:
        objects: As ``read_objects`` returns them.
        homes_on_source: The homes of owners there, by name.
        homes_on_target: The same of the target.
        variable: What mistakes call the table.
    """
    mistakes = []
    for entry in objects:
        for name, host, homes in (
            ("from", "source", homes_on_source),
            ("to", "target", homes_on_target),
        ):
            owner = entry.get(OWNERS[name], "")
            if _is_in_home(entry, name) and owner not in homes:
                mistakes.append(
                    f"{variable}: no user {owner} with a home is on the {host}, "
                    f"so {entry[name]} is nowhere."
                )
    return list(dict.fromkeys(mistakes))


def find_system_owners(
    objects: Sequence[Mapping[str, Any]], lines: Iterable[str], variable: str
) -> list[str]:
    """Return a mistake for each tree that would go to the home of an account of the system.

    A customer of another panel may be called root, or as a service of the target. Who means such an
    account writes the full path.

    Args:
        objects: As ``read_objects`` returns them.
        lines: Of passwd on the target, as getent prints them.
        variable: What mistakes call the table.
    """
    system_owners = set()
    for line in lines:
        fields = line.strip().split(":")
        if len(fields) == 7 and _is_of_system(fields[2]):
            system_owners.add(fields[0])
    mistakes = [
        f"{variable}: {entry['owner']} is an account of the system on the target. "
        f"Name another owner than that for {entry['to']}, or write the full path."
        for entry in objects
        if _is_in_home(entry, "to") and entry["owner"] in system_owners
    ]
    return list(dict.fromkeys(mistakes))


def _is_of_system(number: str) -> bool:
    """Tell whether a user with this number is none that a person or a customer has."""
    if not number.isdecimal():
        return False
    return int(number) < _FIRST_USER or int(number) == _NOBODY


def _is_in_home(entry: Mapping[str, Any], name: str) -> bool:
    path: str = entry[name]
    return entry["kind"] == TREE and path.startswith(HOME)


def resolve_homes(
    objects: Sequence[Mapping[str, Any]],
    homes_on_source: Mapping[str, str],
    homes_on_target: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return the objects with full paths in place of those that begin with ``~/``.

    Args:
        objects: As ``read_objects`` returns them.
        homes_on_source: The homes of all their owners there, by name.
        homes_on_target: The same of the target.
    """
    resolved = []
    for entry in objects:
        changes = {}
        for name, homes in (("from", homes_on_source), ("to", homes_on_target)):
            if _is_in_home(entry, name):
                changes[name] = normalize_path(
                    f"{homes[entry[OWNERS[name]]]}/{entry[name][len(HOME) :]}"
                )
        resolved.append({**entry, **changes})
    return resolved


def read_homes(lines: Iterable[str]) -> dict[str, str]:
    """Return the homes of users by name. lines: of passwd, as getent prints them."""
    homes = {}
    for line in lines:
        fields = line.strip().split(":")
        if len(fields) == 7 and fields[5].startswith("/"):
            homes[fields[0]] = fields[5]
    return homes
