# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates that somebody wants, read and checked before anything is asked. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._task.mistakes import Mistake
from ...module_utils._values.names import DomainName, composed
from .._jobs.mistyped_names import nearest

WILDCARD = "*."
_MEMBERS = ("name", "client", "domains", "assign")
_REQUIRED = ("name", "client", "domains")
_FORM = "a domain name such as shop.example.com or *.example.com, in punycode or UTF-8"


@dataclass(frozen=True)
class Wanted:
    """A certificate. name: its stable name on the panel. names: what it is for, in punycode. assign: the domains that are to use it."""

    name: str
    client: str
    names: tuple[str, ...]
    assign: tuple[str, ...]

    def covers(self, domain: str) -> bool:
        """Whether it is for a domain, by its name or by a wildcard."""
        return domain in self.names or f"{WILDCARD}{domain.partition('.')[2]}" in self.names


def read_wanted(items: Sequence[Any]) -> tuple[list[Wanted], list[str]]:
    """The certificates, and a sentence for each mistake in them."""
    wanted: list[Wanted] = []
    mistakes: list[str] = []
    for index, item in enumerate(items):
        place = f"items[{index}]"
        if not isinstance(item, Mapping):
            mistakes.append(Mistake(place, "must be a dictionary with name, client and domains.", ": "))
            continue
        if isinstance(item.get("name"), str) and item["name"].strip():
            place = f"{place} ({item['name']})"
        found = [Mistake(place, sentence, ": ") for sentence in _mistakes_in(item)]
        mistakes += found
        if not found:
            wanted.append(_wanted(item))
    mistakes += _twice(wanted)
    return wanted, mistakes


def _wanted(item: Mapping[str, Any]) -> Wanted:
    names, assign = ([_ascii(name) for name in item.get(member) or ()] for member in ("domains", "assign"))
    return Wanted(composed(item["name"]), item["client"], tuple(dict.fromkeys(names)), tuple(dict.fromkeys(assign)))


def _mistakes_in(item: Mapping[str, Any]) -> Iterator[str]:
    for name in item:
        if name not in _MEMBERS:
            meant = nearest(str(name), _MEMBERS)
            yield f"{name}: there is no such member" + (f"; did you mean {meant}?" if meant else ".")
    for name in _REQUIRED:
        if not item.get(name):
            yield f"{name}: missing."
    for name in ("name", "client"):
        if item.get(name) and not (isinstance(item[name], str) and item[name].strip() == item[name]):
            yield f"{name}: must be a text without blanks around it."
    wrong = [*_wrong_names(item, "domains", _FORM), *_wrong_names(item, "assign", DomainName.form)]
    yield from wrong
    if not wrong and item.get("domains"):
        wanted = _wanted({**item, "name": "", "client": ""})
        uncovered = [domain for domain in wanted.assign if not wanted.covers(domain)]
        yield from (f"assign: {domain} is not covered by the certificate; add it to domains." for domain in uncovered)


def _wrong_names(item: Mapping[str, Any], member: str, form: str) -> Iterator[str]:
    names = item.get(member) or []
    if not isinstance(names, (list, tuple)):
        yield f"{member}: must be a list."
        return
    for number, name in enumerate(names):
        if not _is_name(name, may_be_wildcard=member == "domains"):
            yield f"{member}[{number}]: must be {form}."


def _twice(wanted: Sequence[Wanted]) -> Iterator[str]:
    """What several certificates claim."""
    for what, of in (("name", lambda one: (one.name,)), ("assign", lambda one: one.assign)):
        seen: set[str] = set()
        for index, one in enumerate(wanted):
            for claimed in of(one):
                if claimed in seen:
                    yield Mistake(f"items[{index}] ({one.name})", f"{what}: {claimed} is in another item too.", ": ")
                seen.add(claimed)


def _is_name(value: Any, may_be_wildcard: bool) -> bool:
    if not isinstance(value, str) or (value.startswith(WILDCARD) and not may_be_wildcard):
        return False
    try:
        _ascii(value)
    except ValueError:
        return False
    return True


def _ascii(name: str) -> str:
    is_wildcard = name.startswith(WILDCARD)
    stored = DomainName().parse(name[len(WILDCARD) :] if is_wildcard else name)
    if "*" in stored:
        raise ValueError
    return f"{WILDCARD}{stored}" if is_wildcard else stored
