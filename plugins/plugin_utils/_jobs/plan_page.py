# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as a page of Markdown, for a merge request: what goes comes first, all of it by client. Pure. Private to the collection.

Names and values are texts of customers. Each is in code, where neither GitHub nor GitLab makes a link, a mention or a reference of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._bulk.plan_lines import changes_of, entry_changes
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._secrets.terminal import on_one_line
from ...module_utils._task.mistakes import first_of
from .._run.own_files import OwnFiles
from .masked_texts import masked
from .plan_by_client import NAMES, by_client
from .plan_words import cut

MOST_CHARACTERS = 60_000
# GitHub takes 65,536 characters of a comment; so much of it is for what counts the rest.
_ROOM_FOR_THE_REST = 400
_LONGEST_NAME = 260
_LONGEST_VALUE = 200
_LONGEST_MESSAGE = 5_000
PAGES = OwnFiles("page of a plan", re.compile("# (?:Plan for|No plan for|Drift of|No drift of|The drift of) `"))
"""The pages, of which the titles of all kinds are here."""
_TICKS = re.compile("`+")
# Nothing of these is seen, and some stand for other characters or turn the direction of a line.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

Action = Mapping[str, Any]


class Words(NamedTuple):
    """What a page calls its two parts, and what it says of an object that comes, changes and goes."""

    deletions: str = "To delete"
    changes: str = "To create and to change"
    create: str = "new"
    update: str = "change"
    delete: str = "delete"


class _Most(NamedTuple):
    """How many objects of a client are shown, lines of an object, and names of what goes along with it."""

    objects: int = sys.maxsize
    lines: int = sys.maxsize
    names: int = sys.maxsize


# The first with which a part has room on the page; with the last one clients are left out too.
_MOST = (_Most(), _Most(1000, 300, 100), _Most(300, 100, 50), _Most(100, 30, 20))


class Page(NamedTuple):
    """title, notes: in Markdown, the notes a paragraph each. actions: as of a plan of panel_resources."""

    title: str
    notes: Sequence[str]
    actions: Sequence[Action]
    words: Words = Words()

    def text(self, most: int = MOST_CHARACTERS) -> str:
        """The page, of so many characters at most."""
        lines = [f"# {self.title}", *(line for note in self.notes for line in ("", note))]
        page = _Lines(lines, most)
        page.add_part(self.words.deletions, [one for one in self.actions if _deletes(one)], self.words)
        page.add_part(self.words.changes, [one for one in self.actions if not _deletes(one)], self.words)
        return "\n".join(page.lines) + "\n"


def counts(summary: Mapping[str, int], actions: Iterable[Action]) -> str:
    """The numbers of a plan in sentences, with what goes along with deletions, and what zones lose."""
    actions = list(actions)
    along = sum(len(keys) for one in actions for keys in (one.get("also_deleted") or {}).values())
    numbers = [f"**{summary[name]} to {name}**" for name in ("delete", "update", "create")]
    sentence = f"{', '.join(numbers)}, {summary['unchanged']} unchanged."
    if along:
        sentence += f" {along} more object{' goes' if along == 1 else 's go'} along with the deletions."
    records = [lost for one in actions if (lost := _lost_records(one))]
    if records:
        lost, zones = sum(records), len(records)
        sentence += (
            f" **{lost} record{' goes' if lost == 1 else 's go'}** from {zones} DNS zone{'' if zones == 1 else 's'} that "
            f"{'stays' if zones == 1 else 'stay'}."
        )
    return sentence


def _lost_records(action: Action) -> int:
    """How many records go from a zone that stays."""
    if action["kind"] != DNS or action["action"] != "update":
        return 0
    return sum(value not in entry["after"] for entry in action.get("entries") or () for value in entry["before"])


def _deletes(action: Action) -> bool:
    """Whether something is deleted: an object, or records of a zone."""
    return action["action"] == "delete" or _lost_records(action) > 0


def code(text: str, longest: int = _LONGEST_NAME) -> str:
    """A text as code within a line, whatever is in it."""
    line = cut(masked(_visible(text)), longest) or " "
    fence = "`" * (1 + max((len(ticks) for ticks in _TICKS.findall(line)), default=0))
    # One blank at each end is taken away where both are there, and sets ticks of the text apart from those around it.
    space = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{space}{line}{space}{fence}"


def code_block(text: str) -> str:
    """A message of several sentences as a block of code."""
    line = cut(masked(_visible(text)), _LONGEST_MESSAGE)
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in _TICKS.findall(line)), default=0))
    return f"{fence}text\n{line}\n{fence}"


def _visible(text: str) -> str:
    return on_one_line(_UNSEEN.sub(lambda one: one[0].encode("unicode_escape").decode(), text))


class _Lines:
    """Lines with room for so many characters, of which what does not fit is counted."""

    def __init__(self, lines: list[str], most: int) -> None:
        self.lines = lines
        self._room = most - _ROOM_FOR_THE_REST - sum(len(line) + 1 for line in lines)

    def add_part(self, heading: str, actions: Sequence[Action], words: Words) -> None:
        """The actions under a heading, client by client; none where there are no actions."""
        groups = by_client(actions)
        if groups and not self._takes(["", f"## {heading} ({len(actions)})"]):
            self._count(len(actions), len(groups))
        elif groups:
            begin = len(self.lines), self._room
            for most in _MOST:
                if self._add_clients(groups, words, most):
                    return
                if most != _MOST[-1]:
                    del self.lines[begin[0] :]
                    self._room = begin[1]

    def _add_clients(self, groups: Sequence[tuple[str | None, Sequence[Action]]], words: Words, most: _Most) -> bool:
        """Whether there was room for as much of all of them as these limits allow; what there was none for is counted."""
        left = sum(len(found) for _client, found in groups)
        has_room = True
        for number, (client, found) in enumerate(groups):
            shown = self._add_client(client, found, words, most)
            if not shown:
                self._count(left, len(groups) - number)
                return False
            left -= len(found)
            has_room = has_room and shown >= min(len(found), most.objects)
        return has_room

    def _add_client(self, client: str | None, actions: Sequence[Action], words: Words, most: _Most) -> int:
        """For how many objects of the client there was room."""
        name = NAMES[client].capitalize() if client in NAMES else code(str(client))
        heading = ["", f"### {name}", ""]
        shown = 0
        for action in actions[: most.objects]:
            if not self._takes([*([] if shown else heading), *_object(action, words, most)]):
                break
            shown += 1
        if 0 < shown < len(actions):
            self.lines.append(f"- and {len(actions) - shown} more")
            self._room -= len(self.lines[-1]) + 1
        return shown

    def _takes(self, lines: Sequence[str]) -> bool:
        needed = sum(len(line) + 1 for line in lines)
        if needed > self._room:
            return False
        self.lines += lines
        self._room -= needed
        return True

    def _count(self, actions: int, groups: int) -> None:
        clients = f" of {groups} more client{'' if groups == 1 else 's'}"
        self.lines += ["", f"And {actions} more{clients}, for which this page has no room."]
        self._room -= sum(len(line) + 1 for line in self.lines[-2:])


def _object(action: Action, words: Words, most: _Most) -> Iterator[str]:
    """The lines for one object."""
    kind, verb = action["kind"], action["action"]
    yield f"- {getattr(words, verb)}: {KINDS[kind].title} {code(str(action['key']))}"
    lines = list(_taken_along(action, most.names) if verb == "delete" else _members(action))
    yield from lines[: most.lines]
    if len(lines) > most.lines:
        yield f"  - and {len(lines) - most.lines} more"


def _taken_along(action: Action, most: int) -> Iterator[str]:
    for kind, keys in (action.get("also_deleted") or {}).items():
        names = first_of([code(str(key)) for key in keys], most)
        yield f"  - and with it {len(keys)} {KINDS[kind].title}{'' if len(keys) == 1 else 's'}: {names}"


def _members(action: Action) -> Iterator[str]:
    for member in [*changes_of(action), *entry_changes(action)]:
        name = code(member.path)
        if member.removed or member.added:
            yield from (f"  - {name}: not any more {_value(entry)}" for entry in member.removed)
            yield from (f"  - {name}: also {_value(entry)}" for entry in member.added)
        elif member.old is None:
            yield f"  - {name}: {_value(member.new)}"
        else:
            yield f"  - {name}: {_value(member.old)} → {_value(member.new)}"


def _value(text: str) -> str:
    return code(text, _LONGEST_VALUE)
